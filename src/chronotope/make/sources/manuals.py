"""A procedure as the input of a build, with its diagrams and takes."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from chronotope.io import canonical_json, link_or_copy, sha256_bytes
from chronotope.make.sources.origin import Brought, Tell
from chronotope.recording import Procedure, Step, Take
from chronotope.recording.procedures import save_procedure


@dataclass(frozen=True)
class FromManual:
    """A procedure from a source, with the notes of the module that read it."""

    procedure: Procedure
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the procedure's id."""
        return self.procedure.id

    @property
    def expected_id(self) -> str | None:
        """Return the procedure's id."""
        return self.procedure.id

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the diagrams and clips."""
        return tuple(_files(self.procedure))

    def fingerprint(self) -> str:
        """Hash the procedure's data, and the sizes and times of its files."""
        stamps = [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in _files(self.procedure)]
        return sha256_bytes(canonical_json([repr(self.procedure), stamps]).encode("utf-8", "surrogateescape"))

    def require(self) -> None:
        """Do nothing, because reading files needs no rendering engine."""

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Write the procedure into a folder, with its diagrams and clips.

        The files are copied unchanged. The family makes the pictures of questions later.
        """
        tell(0.0, "reading")
        inside = folder / "procedures" / self.procedure.id
        media: dict[Path, str] = {}
        takes = tuple(self._take(take, folder, media) for take in self.procedure.takes)
        steps = tuple(_step(step, inside / "diagrams") for step in self.procedure.steps)
        procedure = replace(self.procedure, steps=steps, takes=takes)

        save_procedure(procedure, inside)
        stated = self.procedure.attribution
        return Brought(procedure, media=media, notes=self.notes, attributions=(stated,) if stated else ())

    def _take(self, take: Take, folder: Path, media: dict[Path, str]) -> Take:
        if take.clip is None:
            return take
        # Each procedure has a separate folder, because files in a common folder could get equal names. An example is
        # the take named "b-c" of procedure "a" and the take named "c" of procedure "a-b".
        path = f"clips/{self.procedure.id}/{take.id}{take.clip.suffix}"
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(take.clip, target)
        media[target] = path
        return replace(take, clip=target)


def _files(procedure: Procedure) -> list[Path]:
    """Return the paths of all files of a procedure, without repetition."""
    diagrams = [path for step in procedure.steps for path in (step.diagram, step.published_diagram, step.photo)]
    clips = [take.clip for take in procedure.takes]
    return sorted({path for path in (*diagrams, *clips) if path is not None})


def _step(step: Step, folder: Path) -> Step:
    """Copy a step's pictures into a folder; return the changed step."""
    folder.mkdir(parents=True, exist_ok=True)
    copies = {
        path: folder / f"step_{step.number}{suffix}{path.suffix.lower()}"
        for path, suffix in ((step.published_diagram, "_published"), (step.photo, "_photo"), (step.diagram, ""))
        if path is not None
    }
    for path, copy in copies.items():
        shutil.copyfile(path, copy)
    return replace(
        step,
        diagram=None if step.diagram is None else copies[step.diagram],
        published_diagram=None if step.published_diagram is None else copies[step.published_diagram],
        photo=None if step.photo is None else copies[step.photo],
    )
