"""Draw a contact sheet of rooms of homes: of each room type, the frames that show most things of their own room.

python examples/home_rooms.py BENCHMARK [--out rooms.jpg] [--each 3] [--most 12] [--columns 4] [--side 360]

BENCHMARK was built from ``world:house:N`` or ``world:walk:N``. The sheet has no labels, so that it can be
looked at fresh.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.geometry.polygons import inside
from chronotope.media import decode_frames
from chronotope.recording import Recording, load_recording

TYPES = ("Kitchen", "LivingRoom", "Bedroom", "Bathroom")
SEEN = 150  # px, minimum area of a thing that is counted
FILLS = 0.2  # of the picture, maximum share of one thing: no view is blocked


@dataclass(frozen=True)
class View:
    """The best frame of one room."""

    type: str
    score: float
    recording: Recording
    frame: int


def views_of(recording: Recording) -> list[View]:
    """Find the best frame of each room: many of its own things are seen, and few of other rooms."""
    assert recording.intrinsics is not None
    pixels = np.array([entity.visible_pixels for entity in recording.entities])
    whole = 4 * recording.intrinsics[0, 2] * recording.intrinsics[1, 2]
    owner = np.array([entity.attributes.get("room") for entity in recording.entities])
    places, found = recording.world_T_camera[:, :2, 3], []
    for room in recording.rooms:
        own = owner == room.id
        seen = np.sqrt(np.minimum(pixels, FILLS * whole)) * (pixels >= SEEN)
        score = seen[own].sum(axis=0) - 2 * seen[~own].sum(axis=0)
        score -= np.sqrt(whole) * (pixels > FILLS * whole).any(axis=0)
        here = inside(places, np.asarray(room.floor))
        if here.any():
            frame = int(np.argmax(np.where(here, score, -np.inf)))
            found.append(View(room.type, float(score[frame]), recording, frame))
    return found


def chosen(views: list[View], each: int) -> list[View]:
    """Take the best views of each room type, no two of them from one home."""
    picked: list[View] = []
    for kind in TYPES:
        homes: set[str | None] = set()
        for view in sorted((one for one in views if one.type == kind), key=lambda one: -one.score):
            if view.recording.scene not in homes and len(homes) < each:
                homes.add(view.recording.scene)
                picked.append(view)
    return picked


def picture_of(view: View, side: int) -> Image.Image:
    """Decode the frame of a view, ``side`` pixels wide."""
    assert view.recording.clip is not None
    _, frame = next(decode_frames(view.recording.clip.path, [view.frame]))
    height, width, _ = frame.shape
    return Image.fromarray(frame).resize((side, round(side * height / width)), Image.Resampling.LANCZOS)


def main() -> None:
    """Read the command line, and write the sheet."""
    parser = argparse.ArgumentParser(description="Draw a contact sheet of rooms of homes.")
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--out", type=Path, default=Path("rooms.jpg"))
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--columns", type=int, default=4)
    parser.add_argument("--side", type=int, default=360)
    given = parser.parse_args()
    folders = sorted(path for path in (given.benchmark / "recordings").iterdir() if not path.name.endswith("-state_1"))
    views = chosen([view for folder in folders for view in views_of(load_recording(folder))], given.each)[: given.most]
    pictures = [picture_of(view, given.side) for view in views]
    tall = max(picture.height for picture in pictures)
    sheet = Image.new("RGB", (given.columns * given.side, -(-len(views) // given.columns) * tall))
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (number % given.columns * given.side, number // given.columns * tall))
    sheet.save(given.out, quality=82)
    print(", ".join(f"{view.type} of {view.recording.scene}" for view in views))


if __name__ == "__main__":
    main()
