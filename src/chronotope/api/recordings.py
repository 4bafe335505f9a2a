"""Recordings and clips that show themselves in a notebook."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.api.checked_settings import as_path
from chronotope.api.html import block, facts, grid, picture
from chronotope.api.telling import warner
from chronotope.errors import InputError
from chronotope.models import Say
from chronotope.recording import Clip, Kind, Recording, summarise
from chronotope.recording import load_recording as _load

if TYPE_CHECKING:
    from chronotope.recording.sources import Given

FRAMES = 6
SHEET = 960  # px, width of a contact sheet in a page


@dataclass(frozen=True)
class ShownClip(Clip):
    """A clip that shows frames of itself in a notebook."""

    def _repr_html_(self) -> str:
        from chronotope.media import decode_frames, plan_frames, probe  # loads the decoder

        plan = plan_frames(probe(self.path), "endpoints", count=FRAMES)
        frames = zip(decode_frames(self.path, plan.indices), plan.times, strict=True)
        title = f"{self.path.name}: {self.width} x {self.height} px, {self.fps:g} frames per second"
        return block(title, grid((rgb, f"{time:.1f} s") for (_, rgb), time in frames))


@dataclass(frozen=True, eq=False, repr=False)
class ShownRecording(Recording):
    """A recording that shows its values and a contact sheet in a notebook."""

    def summary(self) -> dict[str, Any]:
        """Return the facts about the recording as plain values, such as its length, its path and its entities."""
        return summarise(self)

    def _repr_html_(self) -> str:
        values = self.summary()
        entities = values.pop("entities", ())
        rooms, _ = values.pop("rooms", ()), values.pop("visits", None)
        values |= {"entities": ", ".join(one["label"] for one in entities) or None}
        values |= {"rooms": ", ".join(f"{one['type']} {one['area_m2']:.1f} m2" for one in rooms) or None}
        from chronotope.view import contact_sheet  # loads the decoder

        sheet = (
            "" if self.clip is None else picture(contact_sheet(self, FRAMES), "boxes of all entities in view", SHEET)
        )
        return block(self.id, sheet, facts(values))


def load_recording(folder: Path | str) -> ShownRecording:
    """Read a recording that shows itself in a notebook.

    Raises:
        InputError: If the folder has no recording, or a file, field or column is missing or damaged.
    """
    folder = as_path(folder, "folder", "the path of a recording folder")
    if not (folder / "recording.json").is_file():
        raise InputError(
            "is not a recording (recording.json is missing)",
            where=str(folder),
            expected="a folder such as BENCHMARK/recordings/ID",
        )
    return _shown(_load(folder))


def load_recordings(
    path: Path | str,
    *,
    source_format: str | None = None,
    fps: float | None = None,
    kind: Kind | None = None,
    gravity: str | None = None,
    say: Say | None = None,
) -> list[ShownRecording]:
    """Read all recordings of a source.

    ``path`` is a folder, a trajectory file, or a data set. ``source_format`` names the format, which is otherwise
    recognized from the files. ``fps``, ``kind`` and ``gravity`` (such as ``-z``) are facts that the format lacks.
    ``say`` is called with each remark; without ``say``, remarks are warnings.

    Raises:
        InputError: If the path has no recording, or a file is damaged.
    """
    from chronotope.recording.sources import load, resolve  # loads the readers of all formats

    tell, found = say or warner(), []
    for one in resolve(as_path(path, "path"), source_format):
        loaded = load(one, given_facts(fps, kind, gravity))
        for text in loaded.notes:
            tell(text if text.startswith(one.path.name) else f"{one.path.name}: {text}")
        found.append(_shown(loaded.recording))
    return found


def given_facts(fps: float | None, kind: Kind | None, gravity: str | None) -> "Given":
    """Return the facts that a source's format lacks.

    Raises:
        InputError: If ``fps`` is not above zero, or the text of ``gravity`` is not a direction.
    """
    from chronotope.recording.sources import Given, parse_gravity

    if fps is not None and not fps > 0:
        raise InputError(f"--fps: expected a number above zero, found {fps:g}")
    return Given(fps=fps, kind=kind, gravity=None if gravity is None else parse_gravity(gravity))


def _shown(found: Recording) -> ShownRecording:
    values = _values(found)
    values["clip"] = None if found.clip is None else ShownClip(**_values(found.clip))
    return ShownRecording(**values)


def _values(one: Clip | Recording) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}
