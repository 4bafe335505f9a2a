"""Contact sheets of recordings: frames with the boxes and the labels of visible entities."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from chronotope.errors import InputError
from chronotope.geometry import EDGES
from chronotope.io import write_atomically
from chronotope.media import decode_frames, plan_frames, probe
from chronotope.recording import Recording
from chronotope.scene import corner_pixels

COLUMNS = 3
WIDTH = 640  # width of a frame on the sheet, px
GAP = 6
COLOURS = ("#ffd23f", "#3bceac", "#ff6b6b", "#5aa9ff", "#f49ac2", "#b9f18c", "#ffa94d", "#c8b6ff", "#ffffff")
INK, PAPER = "#111111", "#222222"
RIM = 2  # margin around a text, px

# If a label would cover another label, it is moved by one of these steps (px). Short steps are tried first.
STEPS = np.stack(np.meshgrid(np.arange(-120, 121, 6), np.arange(-96, 97, 3)), axis=-1).reshape(-1, 2)
STEPS = STEPS[np.argsort(np.hypot(*STEPS.T), kind="stable")]


def write_contact_sheet(recording: Recording, path: Path, frames: int = 6) -> None:
    """Write a contact sheet of a recording as a JPEG file."""
    sheet = contact_sheet(recording, frames)
    with write_atomically(path) as temporary:
        sheet.save(temporary, "JPEG", quality=90)


def contact_sheet(recording: Recording, frames: int = 6) -> Image.Image:
    """Draw frames of a recording with boxes and labels.

    ``frames`` is the number of frames, which are spaced evenly over the clip. Each frame shows the boxes and the labels
    of the entities that are visible in it.

    Raises:
        InputError: If the recording has no clip.
    """
    if recording.clip is None:
        raise InputError(f"{recording.id}: has no clip, so there is no contact sheet")
    plan = plan_frames(probe(recording.clip.path), "endpoints", count=frames)
    tiles = [
        _tile(rgb, recording, index, f"t = {time:.1f} s")
        for (index, rgb), time in zip(decode_frames(recording.clip.path, plan.indices), plan.times, strict=True)
    ]
    columns = min(COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    wide, high = tiles[0].size
    sheet = Image.new("RGB", (columns * (wide + GAP) + GAP, rows * (high + GAP) + GAP), PAPER)
    for number, tile in enumerate(tiles):
        sheet.paste(tile, (GAP + number % columns * (wide + GAP), GAP + number // columns * (high + GAP)))
    return sheet


def _tile(rgb: np.ndarray, recording: Recording, frame: int, caption: str) -> Image.Image:
    scale = WIDTH / rgb.shape[1]
    tile = Image.fromarray(rgb).resize((WIDTH, round(rgb.shape[0] * scale)), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(tile)
    labels: list[tuple[np.ndarray, str, str]] = []
    for number, entity in enumerate(recording.entities):
        if entity.visible is not None and entity.visible[frame]:
            pixels, colour = corner_pixels(recording, entity, frame), COLOURS[number % len(COLOURS)]
            if pixels is not None:
                # Pixel centres are whole numbers; Pillow counts from the pixel's corner.
                pixels = (pixels + 0.5) * scale
                for start, end in EDGES:
                    draw.line([tuple(pixels[start]), tuple(pixels[end])], fill=colour, width=2)
                labels.append((np.array([pixels[:, 0].mean(), pixels[:, 1].min()]), entity.label, colour))
    taken = [_write(draw, np.array([6.0, 4.0]), caption, "#ffffff", 18)]
    # Labels are drawn after all boxes, so that no edge crosses a name.
    for top, text, colour in labels:
        size = _extent(draw, text, 15)
        place = _free_place(top - size * (0.5, 1) - (0, 2), size, np.array(tile.size), taken)
        nearest = np.clip(top, place, place + size)
        if np.linalg.norm(nearest - top) > size[1]:  # a line connects a distant label to its box
            draw.line([tuple(nearest), tuple(top)], fill=colour, width=1)
        taken.append(_write(draw, place, text, colour, 15))
    return tile


def _free_place(wanted: np.ndarray, size: np.ndarray, room: np.ndarray, taken: Sequence[np.ndarray]) -> np.ndarray:
    """Find the free position for a label that is nearest to ``wanted``.

    Returns the upper left corner (2,) px of the label. At the returned position, the label is inside ``room`` and
    covers no other label. ``taken`` has the corners (2, 2) of the other labels. If there is no free position nearby,
    the label covers other labels.
    """
    places = np.clip(wanted + STEPS, 0, room - size)
    free = [((places >= other[1]) | (places + size <= other[0])).any(axis=1) for other in taken]
    return places[np.argmax(np.logical_and.reduce(free))]


def _extent(draw: ImageDraw.ImageDraw, text: str, size: int) -> np.ndarray:
    """Return width and height (2,) px of a text with its margin."""
    return np.array(draw.textbbox((RIM, 0), text, font=ImageFont.load_default(size), stroke_width=RIM)[2:], float)


def _write(draw: ImageDraw.ImageDraw, place: np.ndarray, text: str, colour: str, size: int) -> np.ndarray:
    """Draw a text; return the corners (2, 2) px of its area."""
    font = ImageFont.load_default(size)
    at = (float(place[0]) + RIM, float(place[1]))
    draw.text(at, text, fill=colour, font=font, stroke_width=RIM, stroke_fill=INK)
    return np.stack([place, place + _extent(draw, text, size)])
