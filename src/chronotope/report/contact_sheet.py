"""A recording at a glance: frames of its clip with the boxes and names of what is seen in them drawn in."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from chronotope.errors import InputError
from chronotope.files import write_atomically
from chronotope.geometry import Box, corners, invert, project_points, transform_points
from chronotope.media import decode_frames, plan_frames, probe
from chronotope.recording import Entity, Recording

__all__ = ["write_contact_sheet"]

COLUMNS = 3
WIDTH = 640  # px of a frame on the sheet
GAP = 6
COLOURS = ("#ffd23f", "#3bceac", "#ff6b6b", "#5aa9ff", "#f49ac2", "#b9f18c", "#ffa94d", "#c8b6ff", "#ffffff")
INK, PAPER = "#111111", "#222222"
NEAREST = 0.05  # m before the camera; boxes that reach nearer are not drawn

# The corners that each edge joins; corner i has x, y, z negative where bit 2, 1, 0 of i is zero.
EDGES = tuple((i, i | bit) for bit in (4, 2, 1) for i in range(8) if not i & bit)


def write_contact_sheet(recording: Recording, path: Path, frames: int = 6) -> None:
    """Write a JPEG with frames evenly spaced over the clip, entities drawn where they are visible.

    Raises InputError where the recording has no clip.
    """
    if recording.clip is None:
        raise InputError(f"{recording.id}: has no clip, so there is nothing to draw on a contact sheet")
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
    with write_atomically(path) as temporary:
        sheet.save(temporary, "JPEG", quality=90)


def _tile(rgb: np.ndarray, recording: Recording, frame: int, caption: str) -> Image.Image:
    scale = WIDTH / rgb.shape[1]
    tile = Image.fromarray(rgb).resize((WIDTH, round(rgb.shape[0] * scale)), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(tile)
    if recording.valid[frame] and recording.intrinsics is not None:
        for number, entity in enumerate(recording.entities):
            if entity.visible is not None and entity.visible[frame]:
                _draw_entity(draw, recording, entity, frame, scale, COLOURS[number % len(COLOURS)])
    _write(draw, (6, 4), caption, "#ffffff", 18)
    return tile


def _draw_entity(
    draw: ImageDraw.ImageDraw, recording: Recording, entity: Entity, frame: int, scale: float, colour: str
) -> None:
    """The edges of an entity's box and its name above them."""
    pose = entity.poses[frame if len(entity.poses) > 1 else 0]
    points = corners(Box(pose[:3, 3], np.array(entity.size), pose[:3, :3]))
    camera = transform_points(invert(recording.world_T_camera[frame]), points)
    if not np.isfinite(camera).all() or camera[:, 2].min() < NEAREST:
        return
    assert recording.intrinsics is not None, "asked for only where there are some"
    K = recording.intrinsics if recording.intrinsics.ndim == 2 else recording.intrinsics[frame]
    # Pixel centres are whole numbers; Pillow counts from the pixel's corner.
    pixels = (project_points(camera, K) + 0.5) * scale
    for start, end in EDGES:
        draw.line([tuple(pixels[start]), tuple(pixels[end])], fill=colour, width=2)
    top = pixels[pixels[:, 1].argmin()]
    _write(draw, (float(pixels[:, 0].mean()) - 4 * len(entity.label), float(top[1]) - 20), entity.label, colour, 15)


def _write(draw: ImageDraw.ImageDraw, place: tuple[float, float], text: str, colour: str, size: int) -> None:
    font = ImageFont.load_default(size)
    draw.text(place, text, fill=colour, font=font, stroke_width=2, stroke_fill=INK)
