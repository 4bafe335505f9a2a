"""Recordings and clips that show themselves in a notebook."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from chronotope.api.html import block, facts, grid, picture
from chronotope.api.settings import as_path
from chronotope.errors import InputError
from chronotope.media import decode_frames, plan_frames, probe
from chronotope.recording import Clip, Recording, summarise
from chronotope.recording import load_recording as _load
from chronotope.view import contact_sheet

FRAMES = 6
SHEET = 960  # px, width of a contact sheet in a page


@dataclass(frozen=True)
class ShownClip(Clip):
    """A clip that shows frames of itself in a notebook."""

    def _repr_html_(self) -> str:
        plan = plan_frames(probe(self.path), "endpoints", count=FRAMES)
        frames = zip(decode_frames(self.path, plan.indices), plan.times, strict=True)
        title = f"{self.path.name}: {self.width} x {self.height} px, {self.fps:g} frames per second"
        return block(title, grid((rgb, f"{time:.1f} s") for (_, rgb), time in frames))


@dataclass(frozen=True, eq=False, repr=False)
class ShownRecording(Recording):
    """A recording that shows its values and a contact sheet in a notebook."""

    def _repr_html_(self) -> str:
        values = summarise(self)
        entities = values.pop("entities", ())
        rooms, _ = values.pop("rooms", ()), values.pop("visits", None)
        values |= {"entities": ", ".join(one["label"] for one in entities) or None}
        values |= {"rooms": ", ".join(f"{one['type']} {one['area_m2']:.1f} m2" for one in rooms) or None}
        sheet = (
            "" if self.clip is None else picture(contact_sheet(self, FRAMES), "boxes of all entities in view", SHEET)
        )
        return block(self.id, sheet, facts(values))


def load_recording(folder: Path | str) -> Recording:
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
    found = _load(folder)
    values = _values(found)
    values["clip"] = None if found.clip is None else ShownClip(**_values(found.clip))
    return ShownRecording(**values)


def _values(one: Clip | Recording) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}
