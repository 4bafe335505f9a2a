"""The shell of a home: floors, walls, ceilings, doors and windows, for the renderer."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chronotope.world.homes.floor_plan import LEAF, THICKNESS, DoorPlan, FloorPlan, RoomPlan, WindowPlan, inset
from chronotope.world.slabs import slab
from chronotope.world.things import Look, Piece, textures
from chronotope.world.views import draw_view

Colour = tuple[float, float, float]

WHITE: Colour = (1.0, 1.0, 1.0)
HALF = THICKNESS / 2
PAINTS: tuple[Colour, ...] = (
    (0.88, 0.86, 0.80), (0.78, 0.83, 0.80), (0.84, 0.80, 0.72), (0.76, 0.80, 0.84), (0.87, 0.81, 0.77),
    (0.92, 0.92, 0.90), (0.72, 0.76, 0.70), (0.68, 0.73, 0.80), (0.84, 0.74, 0.66), (0.88, 0.84, 0.70),
)  # fmt: skip
TILES: tuple[Colour, ...] = ((0.86, 0.88, 0.88), (0.72, 0.80, 0.82), (0.82, 0.80, 0.74), (0.66, 0.74, 0.72))
STONES: tuple[Colour, ...] = ((0.72, 0.70, 0.66), (0.55, 0.50, 0.45), (0.48, 0.50, 0.52), (0.78, 0.74, 0.64))
CARPETS: tuple[Colour, ...] = ((0.50, 0.44, 0.38), (0.40, 0.42, 0.46), (0.56, 0.50, 0.46), (0.42, 0.36, 0.34))
TRIM = Look((0.93, 0.93, 0.91), 0.2, 0.3)
CEILING = Look((0.95, 0.95, 0.93), 0.0, 0.0)
PAPERED = ("LivingRoom", "Bedroom")  # types of rooms whose walls can have wallpaper
SKIRTING = (0.012, 0.09)  # m, depth and height
HANDLE = Look((0.62, 0.62, 0.60), 0.7, 0.6)
GRIP = (0.12, 0.02, 0.05, 0.02)  # m: length and thickness of a handle, how far it stands out, and its stem
GRIP_AT = (1.02, 0.06)  # m: height of a handle, and its distance from the free edge of the door
FRAME = 0.06  # m, width of the frames of doors and windows
OUT = 0.004  # m, by which frames stand out


class Finish(NamedTuple):
    """The look of a wall or a floor, and the length (m) after which its picture repeats."""

    look: Look
    tile: float


def shell_of(
    generator: np.random.Generator, plan: FloorPlan, finishes: tuple[Finish, Finish] | None = None
) -> tuple[Piece, ...]:
    """Build the shell of a floor plan.

    ``finishes`` are those of all walls and of all floors; by default each room has finishes of its own. Pieces with the
    same look are merged, because fewer pieces are drawn faster.
    """
    door_look = Look(WHITE, 0.25, 0.3, textures.wood(generator, size=256).transpose(1, 0, 2))  # upright grain
    pieces: list[Piece] = []
    trims: list[Piece] = []
    leaves: list[Piece] = []
    handles: list[Piece] = []
    for room in plan.rooms:
        wall, tile = _wall_look(generator, room.type) if finishes is None else finishes[0]
        floor, floor_tile = _floor_look(generator, room.type) if finishes is None else finishes[1]
        boxes = rectangles_of(room.polygon)
        pieces.append(merged([_plate(box, -0.05, floor, floor_tile) for box in boxes]))
        pieces.append(merged([_plate(box, room.height + 0.05, CEILING, 1.0) for box in boxes]))
        pieces.append(merged(list(_walls(plan, room, wall, tile))))
        trims += _skirting(plan, room)
    for door in plan.doors:
        trims += _door_frame(door)
        leaves += _leaf(door, door_look)
        handles += _handles(door)
    for window in plan.windows:
        trims += _window_frame(window)
        pieces.append(_view(generator, window))
    pieces.append(merged(trims))
    if leaves:
        pieces += [merged(leaves), merged(handles)]
    return tuple(pieces)


def merged(pieces: Sequence[Piece]) -> Piece:
    """Join pieces with the same look into one piece."""
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    uvs = [piece.uv for piece in pieces if piece.uv is not None]
    return Piece(
        np.concatenate([piece.vertices for piece in pieces]),
        np.concatenate([piece.faces + start for piece, start in zip(pieces, starts, strict=False)]),
        np.concatenate(uvs) if len(uvs) == len(pieces) else None,
        pieces[0].look,
    )


def rectangles_of(polygon: np.ndarray) -> list[tuple[float, float, float, float]]:
    """Cut a polygon (N, 2) with right angles into rectangles.

    Each rectangle has its lowest x and y, and its highest x and y.
    """
    starts, ends = polygon, np.roll(polygon, -1, axis=0)
    level = np.abs(starts[:, 1] - ends[:, 1]) < 1e-9
    places = np.unique(np.round(polygon[:, 0], 9))
    found = []
    for low, high in pairwise(places.tolist()):
        middle = (low + high) / 2
        crossed = (
            level & (np.minimum(starts[:, 0], ends[:, 0]) < middle) & (np.maximum(starts[:, 0], ends[:, 0]) > middle)
        )
        heights = np.sort(starts[crossed, 1])
        found += [(low, float(bottom), high, float(top)) for bottom, top in heights.reshape(-1, 2)]
    return found


def _wall_look(generator: np.random.Generator, kind: str) -> tuple[Look, float]:
    # Draw the look of a room's walls, and the length (m) after which its picture repeats.
    if kind == "Bathroom":
        colour = TILES[int(generator.integers(len(TILES)))]
        return Look(WHITE, 0.3, 0.4, textures.tiles(generator, colour, size=256)), 1.0
    colour = PAINTS[int(generator.integers(len(PAINTS)))]
    # a copy draws the finish, so that the numbers drawn for all else do not depend on it
    drawn = str(deepcopy(generator).choice(textures.FINISHES))
    finish = drawn if kind in PAPERED else "paint"
    return Look(WHITE, 0.05, 0.05, textures.painted(generator, colour, finish)), 1.3


def _floor_look(generator: np.random.Generator, kind: str) -> tuple[Look, float]:
    drawn = float(generator.random())
    if kind == "Bathroom" or (kind == "Kitchen" and drawn < 0.6):
        colour = STONES[int(generator.integers(len(STONES)))]
        return Look(WHITE, 0.25, 0.35, textures.tiles(generator, colour, size=256)), 1.2
    if kind == "Bedroom" and drawn < 0.5:
        return Look(
            WHITE, 0.0, 0.0, textures.carpet(generator, CARPETS[int(generator.integers(len(CARPETS)))], 256)
        ), 0.9
    return Look(WHITE, 0.2, 0.3, textures.parquet(generator, size=256)), 1.6


def _plate(box: tuple[float, float, float, float], middle: float, look: Look, tile: float) -> Piece:
    """Make a plate of a floor or a ceiling, 0.1 m thick."""
    x0, y0, x1, y1 = box
    return _tiled((x1 - x0, y1 - y0, 0.1), ((x0 + x1) / 2, (y0 + y1) / 2, middle), look, tile)


def _tiled(size: Sequence[float], centre: Sequence[float], look: Look, tile: float) -> Piece:
    """Make an upright box whose picture continues over neighbouring boxes."""
    piece = slab(size, centre, look, tile)
    if piece.uv is None:
        return piece
    low = np.asarray(centre) - np.asarray(size) / 2
    axes = np.repeat(np.array([(1, 2), (1, 2), (0, 2), (0, 2), (0, 1), (0, 1)]), 4, axis=0)
    return Piece(piece.vertices, piece.faces, piece.uv + low[axes] / tile, look)


def _walls(plan: FloorPlan, room: RoomPlan, look: Look, tile: float) -> Iterator[Piece]:
    # Yield the inner halves of a room's walls, with the holes of doors and windows.
    polygon = room.polygon
    for number, (start, end) in enumerate(zip(polygon, np.roll(polygon, -1, axis=0), strict=True)):
        length = float(np.linalg.norm(end - start))
        along = (end - start) / length
        before, after = polygon[number - 1], polygon[(number + 2) % len(polygon)]
        # At a corner that stands out into the room, the two walls leave a gap as wide as half a wall.
        first = -HALF if _turns_right(before, start, end) else 0.0
        last = length + (HALF if _turns_right(start, end, after) else 0.0)
        holes = [
            *(
                (*_range(door.segment, start, along), 0.0, door.height)
                for door in plan.doors
                if _in(door.segment, start, end)
            ),
            *(
                (*_range(win.segment, start, along), win.low, win.high)
                for win in plan.windows
                if _in(win.segment, start, end)
            ),
        ]
        at = first
        for low, high, bottom, top in [*sorted(holes), (last, last, 0.0, room.height)]:
            spans = [(at, low, 0.0, room.height), (low, high, 0.0, bottom), (low, high, top, room.height)]
            for begin, finish, floor, ceiling in spans:
                if finish - begin > 1e-6 and ceiling - floor > 1e-6:
                    yield _wall_box(start, along, (begin, finish), (floor, ceiling), (0.0, HALF), look, tile)
            at = high


def _turns_right(before: np.ndarray, corner: np.ndarray, after: np.ndarray) -> bool:
    one, two = corner - before, after - corner
    return bool(one[0] * two[1] - one[1] * two[0] < 0)


def _in(segment: np.ndarray, start: np.ndarray, end: np.ndarray) -> bool:
    """Check whether an opening lies in a straight wall."""
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    away = np.abs((segment - start) @ np.array([-along[1], along[0]])).max()
    places = (segment - start) @ along
    return bool(away < 1e-6 and places.min() > -1e-6 and places.max() < length + 1e-6)


def _range(segment: np.ndarray, start: np.ndarray, along: np.ndarray) -> tuple[float, float]:
    places = np.sort((segment - start) @ along)
    return float(places[0]), float(places[1])


def _wall_box(
    start: np.ndarray,
    along: np.ndarray,
    across: tuple[float, float],
    heights: tuple[float, float],
    depth: tuple[float, float],
    look: Look,
    tile: float = 1.0,
) -> Piece:
    # Make a box on a wall: its range along the wall, its heights, and its range from the middle line inwards (m).
    inward = np.array([-along[1], along[0]])
    corners = np.array([start + along * a + inward * d for a in across for d in depth])
    low, high = corners.min(axis=0), corners.max(axis=0)
    size = (*(high - low), heights[1] - heights[0])
    return _tiled(size, (*((low + high) / 2), sum(heights) / 2), look, tile)


def _skirting(plan: FloorPlan, room: RoomPlan) -> Iterator[Piece]:
    deep, tall = SKIRTING
    inner = inset(room.polygon, HALF)
    doors = [door.segment for door in plan.doors]
    for start, end, corner, following in zip(
        inner, np.roll(inner, -1, axis=0), room.polygon, np.roll(room.polygon, -1, axis=0), strict=True
    ):
        length = float(np.linalg.norm(end - start))
        along = (end - start) / length
        gaps = sorted(_range(door, start, along) for door in doors if _in(door, corner, following))
        at = 0.0
        for low, high in [*gaps, (length + FRAME, length + FRAME)]:
            if low - FRAME - at > 0.02:
                yield _wall_box(start, along, (at, low - FRAME), (0.0, tall), (0.0, deep), TRIM)
            at = high + FRAME


def _frame(
    segment: np.ndarray, heights: tuple[float, float], sides: tuple[float, float], sill: bool
) -> Iterator[Piece]:
    # Yield the frame of an opening, from one side of its wall to the other.
    width = float(np.linalg.norm(segment[1] - segment[0]))
    along = (segment[1] - segment[0]) / width
    low, high = heights
    for span in ((-FRAME, OUT), (width - OUT, width + FRAME)):
        yield _wall_box(segment[0], along, span, (low, high + FRAME), sides, TRIM)
    yield _wall_box(segment[0], along, (-FRAME, width + FRAME), (high - OUT, high + FRAME), sides, TRIM)
    if sill:
        yield _wall_box(segment[0], along, (-FRAME, width + FRAME), (low - FRAME / 2, low + OUT), sides, TRIM)


def _door_frame(door: DoorPlan) -> Iterator[Piece]:
    # The frame stands out of the wall by different lengths than the skirting, so that no two faces coincide.
    yield from _frame(door.segment, (0.0, door.height), (-HALF - 0.016, HALF + 0.016), sill=False)


def _leaf(door: DoorPlan, look: Look) -> Iterator[Piece]:
    """Yield the leaf of a door."""
    if door.leaf is not None:
        low, high = door.leaf.min(axis=0), door.leaf.max(axis=0)
        yield _tiled((*(high - low), door.height - 0.02), (*((low + high) / 2), door.height / 2), look, 1.0)
    elif door.is_closed:
        width = float(np.linalg.norm(door.segment[1] - door.segment[0]))
        along = (door.segment[1] - door.segment[0]) / width
        yield _wall_box(door.segment[0], along, (0.0, width), (0.0, door.height), (-LEAF / 2, LEAF / 2), look)


def _handles(door: DoorPlan) -> Iterator[Piece]:
    """Yield a handle on each side of the leaf of a door."""
    if door.leaf is not None:
        low, high = door.leaf.min(axis=0), door.leaf.max(axis=0)
        axis = int(np.argmax(high - low))
        start, end = (low + high) / 2, (low + high) / 2
        start[axis], end[axis] = low[axis], high[axis]
        hinge = door.segment.mean(axis=0)
        if np.linalg.norm(start - hinge) > np.linalg.norm(end - hinge):  # the free edge is far from the opening
            start, end = end, start
        thick = float((high - low)[1 - axis])
    elif door.is_closed:
        (start, end), thick = door.segment, LEAF
    else:
        return
    width = float(np.linalg.norm(end - start))
    along = (end - start) / width
    long, deep, out, stem = GRIP
    height, edge = GRIP_AT
    heights = (height - deep / 2, height + deep / 2)
    for side in (-1.0, 1.0):
        for across, depth in (
            ((width - edge - stem, width - edge), (0.0, out)),
            ((width - edge - long, width - edge), (out - deep, out)),
        ):
            reach = sorted(side * (thick / 2 + each) for each in depth)
            yield _wall_box(start, along, across, heights, (reach[0], reach[1]), HANDLE)


def _window_frame(window: WindowPlan) -> Iterator[Piece]:
    yield from _frame(window.segment, (window.low, window.high), (-HALF, HALF + 0.018), sill=True)
    width = float(np.linalg.norm(window.segment[1] - window.segment[0]))
    along = (window.segment[1] - window.segment[0]) / width
    middle = width / 2
    yield _wall_box(
        window.segment[0], along, (middle - 0.025, middle + 0.025), (window.low, window.high), (-0.02, 0.02), TRIM
    )


def _view(generator: np.random.Generator, window: WindowPlan) -> Piece:
    # Make the view through a window, as a picture at the outer side of the wall.
    width = float(np.linalg.norm(window.segment[1] - window.segment[0]))
    along = (window.segment[1] - window.segment[0]) / width
    look = Look(WHITE, 0.0, 0.0, draw_view(generator), glow=1.0)
    inward = np.array([-along[1], along[0]])
    middle = window.segment.mean(axis=0) - inward * (HALF + 0.005)
    tall = window.high - window.low
    flat = slab((0.01, width + 0.1, tall + 0.1), (0, 0, 0), look, max(width, tall) + 0.1)
    turn = np.stack([-inward, [inward[1], -inward[0]]], axis=1)  # the picture's box has its face at -x
    vertices = flat.vertices.copy()
    vertices[:, :2] = vertices[:, :2] @ turn.T + middle
    vertices[:, 2] += (window.low + window.high) / 2
    return Piece(vertices, flat.faces, flat.uv, look)
