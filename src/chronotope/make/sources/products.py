"""A product of a simulated workshop as the input of a build: its parts, its steps, and its manual."""

from dataclasses import dataclass
from pathlib import Path

from chronotope.io import canonical_json, sha256_bytes
from chronotope.make.sources.origin import Brought, Tell
from chronotope.question import item_generator
from chronotope.recording.procedures import save_procedure
from chronotope.world import code_hash, world_kinds


@dataclass(frozen=True)
class FromProduct:
    """One product, determined by ``world``, ``seed`` and ``index``."""

    world: str
    seed: int
    index: int

    @property
    def name(self) -> str:
        """Return the product's id, such as ``furniture-0-0003``."""
        return f"{self.world}-{self.seed}-{self.index:04d}"

    @property
    def expected_id(self) -> str | None:
        """Return the product's id."""
        return self.name

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return nothing, because a product is drawn."""
        return ()

    def fingerprint(self) -> str:
        """Hash the id, and the code of a kind of another package."""
        make = world_kinds()[self.world].make
        code = None if make is None else code_hash(make)
        return sha256_bytes(canonical_json([self.name, *([] if code is None else ["code", code])]).encode())

    def require(self) -> None:
        """Do nothing, because pages need no rendering engine."""

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Draw the product and the pages of its manual."""
        tell(0.0, "drawing the manual")
        make = world_kinds()[self.world].make
        assert make is not None, "find_origins() names a kind that makes procedures"
        generator = item_generator(self.seed, f"world:{self.world}", self.name)
        inside = folder / "procedures" / self.name
        procedure = make(generator, self.name, self.index, inside)
        save_procedure(procedure, inside)
        return Brought(procedure)
