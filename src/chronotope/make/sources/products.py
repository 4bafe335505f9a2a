"""A product of a simulated workshop as the input of a build: its parts, its steps, and its manual."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chronotope.io import canonical_json, sha256_bytes
from chronotope.make.sources.origin import Brought, Tell
from chronotope.question import item_generator
from chronotope.recording.procedures import save_procedure
from chronotope.world import QualityName, code_hash, require_rendering, world_kinds


@dataclass(frozen=True)
class FromProduct:
    """One product, determined by ``world``, ``seed``, ``index``, ``quality`` and the ``options`` of its kind of world.

    ``options`` are those that differ from their defaults. ``quality`` is None if no clip is drawn. ``path`` is the
    folder from which the product comes, if it is not drawn; then ``index`` is its place there.
    """

    world: str
    seed: int
    index: int
    quality: QualityName | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    path: Path | None = None

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
        """Return the folder of the product, or nothing if the product is drawn."""
        return () if self.path is None else (self.path,)

    def fingerprint(self) -> str:
        """Hash the id, quality, options, files of a folder, and the code of a kind of another package."""
        make = world_kinds()[self.world].make
        code = None if make is None else code_hash(make)
        filmed = [] if self.quality is None else [self.quality, dict(self.options)]
        files = [] if self.path is None else [path for path in self.path.rglob("*") if path.suffix in (".json", ".obj")]
        stamps = [[path.as_posix(), path.stat().st_size, path.stat().st_mtime_ns] for path in sorted(files)]
        facts = [self.name, *filmed, *(["files", stamps] if stamps else []), *([] if code is None else ["code", code])]
        return sha256_bytes(canonical_json(facts).encode())

    def require(self) -> None:
        """Check that this machine can render if there are clips; pages need no rendering engine."""
        if self.quality is not None:
            require_rendering()

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Draw the product and the pages of its manual, and film its takes."""
        tell(0.0, "drawing the manual")
        kind = world_kinds()[self.world]
        assert kind.make is not None, "find_origins() names a kind that makes procedures"
        generator = item_generator(self.seed, f"world:{self.world}", self.name)
        inside = folder / "procedures" / self.name
        more: dict[str, Any] = {}
        if kind.options is not None:
            options, quality = kind.options(**self.options), kind.qualities[self.quality or "fast"]
            more = {"quality": quality, "options": options, "tell": tell}
        if self.path is not None:
            more["path"] = self.path
        procedure = kind.make(generator, self.name, self.index, inside, **more)
        save_procedure(procedure, inside)
        clips = [take.clip for take in procedure.takes if take.clip is not None]
        return Brought(procedure, media={clip: clip.relative_to(folder).as_posix() for clip in clips})
