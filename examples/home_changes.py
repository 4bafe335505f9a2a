"""Draw pairs of views of what changed in homes: before on the left, after on the right.

python examples/home_changes.py BENCHMARK [--out FILE] [--each 1] [--most 9] [--columns 3] [--side 220] [--seed 0]

BENCHMARK was built from ``world:house:N``. Of each operation, EACH changes are drawn at random; MOST changes
in all.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from chronotope.media import decode_frames
from chronotope.recording import Entity, Recording, load_recording

CAPTIONS = {
    "AddObject": "added",
    "BreakObject": "broken",
    "CleanObject": "cleaned",
    "CloseObject": "closed",
    "CookObject": "cooked",
    "DirtyObject": "dirty",
    "EmptyLiquidFromObject": "emptied",
    "FillObjectWithLiquid": "filled",
    "OpenObject": "opened",
    "PlaceObjectAtPoint": "moved",
    "RemoveObject": "removed",
    "SliceObject": "sliced",
    "ToggleObjectOff": "switched off",
    "ToggleObjectOn": "switched on",
    "UseUpObject": "used up",
}
AROUND = 3.0  # sides of a view, relative to the thing
LEAST = 110  # px, least side of a view


@dataclass(frozen=True)
class View:
    """A square part of a frame: its middle (2,) px and its side (px)."""

    recording: Recording
    frame: int
    middle: np.ndarray
    side: float

    def picture(self, size: int) -> Image.Image:
        """Decode the frame, and cut the view out of it."""
        assert self.recording.clip is not None
        _, frame = next(decode_frames(self.recording.clip.path, [self.frame]))
        side = min(self.side, *frame.shape[:2])
        half = np.full(2, side / 2)
        left, top = np.clip(self.middle, half, np.array(frame.shape[1::-1]) - half) - half
        box = (left, top, left + side, top + side)
        return Image.fromarray(frame).resize((size, size), Image.Resampling.LANCZOS, box=box)


def entity_of(recording: Recording, name: str) -> Entity | None:
    """Find the thing in a state; None if it is not there."""
    return next((entity for entity in recording.entities if entity.id == name), None)


def best_view(recording: Recording, entity: Entity) -> View:
    """Choose the frame with most pixels of a thing that is whole in the picture."""
    assert entity.box2d is not None and entity.visible_pixels is not None and recording.intrinsics is not None
    whole = 2 * recording.intrinsics[:2, 2]
    boxes = np.nan_to_num(entity.box2d)
    inside = ((boxes[:, :2] > 2) & (boxes[:, 2:] < whole - 2)).all(axis=1)
    frame = int(np.argmax(entity.visible_pixels * np.where(inside, 1.0, 0.2)))
    low, high = boxes[frame, :2], boxes[frame, 2:]
    return View(recording, frame, (low + high) / 2, max(AROUND * float((high - low).max()), LEAST))


def same_view(view: View, recording: Recording) -> View:
    """Choose the frame of another state that was filmed from nearly the same place in the same direction."""
    there, here = recording.world_T_camera, view.recording.world_T_camera[view.frame]
    away = np.linalg.norm(there[:, :3, 3] - here[:3, 3], axis=1) + 2 * (1 - there[:, :3, 2] @ here[:3, 2])
    return View(recording, int(np.argmin(away)), view.middle, view.side)


def views_of(change: dict[str, Any], states: tuple[Recording, Recording]) -> tuple[View, View] | None:
    """Choose a view of each state."""
    before, after = (entity_of(state, change["object"]) for state in states)
    if before is None and after is None:
        return None
    if before is None:
        assert after is not None
        late = best_view(states[1], after)
        return same_view(late, states[0]), late
    early = best_view(states[0], before)
    return early, same_view(early, states[1]) if after is None else best_view(states[1], after)


def main() -> None:
    """Read the command line, and write the sheet."""
    parser = argparse.ArgumentParser(description="Draw pairs of views of what changed in homes.")
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--out", type=Path, default=Path("changes.jpg"))
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--most", type=int, default=9)
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--side", type=int, default=220)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    lines = (given.benchmark / "changes.jsonl").read_text().splitlines()
    changes = [change for change in map(json.loads, lines) if not change["automatic"]]
    chosen: list[dict[str, Any]] = []
    for number in np.random.default_rng(given.seed).permutation(len(changes)):
        change = changes[number]
        alike = sum(each["operation"] == change["operation"] for each in chosen)
        if alike < given.each and len(chosen) < given.most:
            chosen.append(change)
    chosen.sort(key=lambda change: change["operation"])
    side, line, gap = given.side, 26, 8
    rows = -(-len(chosen) // given.columns)
    sheet = Image.new("RGB", (given.columns * (2 * side + gap) - gap, rows * (side + line)), "white")
    draw = ImageDraw.Draw(sheet)
    for number, change in enumerate(chosen):
        folders = [given.benchmark / "recordings" / f"{change['scene']}-state_{state}" for state in (0, 1)]
        views = views_of(change, (load_recording(folders[0]), load_recording(folders[1])))
        if views is None:
            continue
        x, y = number % given.columns * (2 * side + gap), number // given.columns * (side + line)
        for place, view in enumerate(views):
            sheet.paste(view.picture(side - 2), (x + place * side, y + line))
        told = CAPTIONS.get(change["operation"], change["operation"])
        draw.text((x + 4, y + 3), f"{change['object'].partition('|')[0]}: {told}", fill="black", font_size=18)
    sheet.save(given.out, quality=82)
    print(f"{given.out}: {len(chosen)} changes")


if __name__ == "__main__":
    main()
