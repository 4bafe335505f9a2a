"""Belongings in homes: books, paper, toys and things for sports."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import BLACK, board, rod, surface
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import along, block, cylinder, ellipsoid, extrude, lathe, merge, moved, tube, turned
from chronotope.world.things.thing import Paint

_STRING = plain((0.93, 0.92, 0.84), "plastic")


def bat(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a baseball bat along x: a thick barrel, a thin handle with tape, and a knob."""
    length, radius = float(size[0]), float(min(size[1], size[2])) / 2
    look = surface(generator, paint)
    stations = [
        (0.0, 0.0),
        (0.0, 0.62),
        (0.02, 0.66),
        (0.03, 0.40),
        (0.32, 0.42),
        (0.5, 0.60),
        (0.68, 0.92),
        (0.8, 1.0),
    ]
    stations += [(0.97, 0.98), (1.0, 0.75), (1.0, 0.0)]
    body = lathe([(share * radius, (at - 0.5) * length) for at, share in stations], 24)
    grip = moved(cylinder(0.45 * radius, 0.26 * length, "z", 0.001, 20), by=(0, 0, -0.335 * length))
    ring = moved(cylinder(1.005 * radius, 0.012, "z", 0.0, 24), by=(0, 0, 0.33 * length))
    body, grip, ring = (moved(along(each, "x"), by=(0, 0, radius)) for each in (body, grip, ring))
    tape = BLACK if paint.colour != "black" else plain((0.8, 0.15, 0.12), "rubber")
    low = min(float(each.vertices[:, 2].min()) for each in (body, grip, ring))
    parts = tuple((moved(mesh, by=(0, 0, -low)), each) for mesh, each in ((body, look), (merge(grip, ring), tape)))
    return Model(parts, (parts[0][0],))


def racket(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a tennis racket flat along x: an oval frame with strings, a throat and a handle."""
    length, width, tall = (float(each) for each in size)
    thick, middle = 0.011, tall / 2
    a, b = 0.26 * length, width / 2 - thick
    head = length / 2 - a - thick
    turn = np.arange(36) * (2 * np.pi / 36)
    path = np.stack([head + a * np.cos(turn), b * np.sin(turn), np.full(36, middle)], axis=1)
    frame = tube(path, np.full((36, 2), (thick, 0.9 * thick)), 10, closed=True)
    neck = -0.06 * length
    throat = [
        rod((head - 0.86 * a, s * 0.5 * b, middle), (neck, s * 0.012, middle), (0.010, 0.011), 10) for s in (-1, 1)
    ]
    butt = moved(cylinder(tall / 2, 0.35 * length, "x", 0.004, 8), by=(-length / 2 + 0.175 * length, 0, middle))
    shaft = rod(
        (neck - 0.005, 0, middle), (-length / 2 + 0.34 * length, 0, middle), np.minimum((0.019, 0.016), 0.47 * tall), 12
    )
    across = [
        rod(
            (x + head, -b * np.sqrt(1 - (x / a) ** 2), middle),
            (x + head, b * np.sqrt(1 - (x / a) ** 2), middle),
            0.0013,
            4,
        )
        for x in np.linspace(-0.82 * a, 0.82 * a, 11)
    ]
    down = [
        rod(
            (head - a * np.sqrt(1 - (y / b) ** 2), y, middle),
            (head + a * np.sqrt(1 - (y / b) ** 2), y, middle),
            0.0013,
            4,
        )
        for y in np.linspace(-0.8 * b, 0.8 * b, 9)
    ]
    parts = (
        (merge(frame, *throat, shaft), paint.look),
        (butt, BLACK if paint.colour != "black" else plain((0.85, 0.85, 0.82), "rubber")),
        (merge(*across, *down), _STRING),
    )
    return Model(parts, (frame, butt, shaft))


_DARK, _PALE = (0.09, 0.09, 0.10), (0.95, 0.94, 0.90)


def book(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    """Open a book: two halves of white pages side by side on the open cover."""
    if state.openness <= 0:
        return model
    deep, wide, tall = (float(each) for each in size)
    thick = max(0.6 * tall, 0.012)
    cover = board((-deep / 2, -wide, 0), (deep / 2, wide, 0.003))
    # Each half rises from the edge, is highest near the middle, and falls into the fold.
    rise = [(0.004, 0.35), (0.12, 0.85), (0.32, 1.0), (0.62, 0.72), (0.95, 0.42)]
    pages, lines = [], []
    for side in (-1, 1):
        outline = [(side * at * wide, 0.003 + high * thick) for at, high in rise]
        outline = [(side * 0.004, 0.003), *outline, (side * 0.95 * wide, 0.003)]
        half = extrude(np.array(outline[::-side]), 0.94 * deep)
        y, z, x = half.vertices.T
        pages.append(half._replace(vertices=np.column_stack([x, y, z])))
        for at in np.linspace(-0.36, 0.36, 9).tolist():
            start, end = (
                np.array([at * deep, side * a * wide, 0.0034 + h * thick]) for a, h in ((0.36, 0.965), (0.86, 0.5))
            )
            lines.append(rod(tuple(start), tuple(end), 0.0016, 4))
    middle = np.mean([page.vertices[:, 0].max() + page.vertices[:, 0].min() for page in pages]) / 2
    pages = [moved(page, by=(-float(middle), 0, 0)) for page in pages]
    photo = rod(
        (0.2 * deep, -0.42 * wide, 0.0042 + 0.92 * thick), (0.2 * deep, -0.82 * wide, 0.0042 + 0.53 * thick), 0.0016, 4
    )
    parts = (
        (cover, paint.look),
        (merge(*pages), plain(_PALE, "paper")),
        (merge(*lines, photo), plain((0.35, 0.35, 0.36), "paper")),
    )
    return Model(parts, (cover.vertices, *(page.vertices for page in pages)))


def pillow(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a soft pillow with thin edges."""
    body = block((1.0, 1.0, 1.0), 0.12, 0.10, steps=4)
    x, y = body.vertices[:, 0], body.vertices[:, 1]
    full = (1 - (2 * np.abs(x)) ** 4) * (1 - (2 * np.abs(y)) ** 4)
    flat = body.vertices * np.column_stack([np.ones((len(x), 2)), 0.15 + 0.85 * np.clip(full, 0, 1)])
    body = moved(body._replace(vertices=flat * size), by=(0, 0, size[2] / 2))
    body = body._replace(vertices=body.vertices - [0, 0, body.vertices[:, 2].min()])
    return Model(((body, paint.look),), (body.vertices,))


def newspaper(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a folded newspaper with a headline, columns and a picture."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, height), 0.004), by=(0, 0, height / 2))
    marks = [board((-0.42 * length, -0.42 * width, height), (-0.32 * length, 0.42 * width, height + 0.0006))]
    marks += [
        board((x * length, y * width, height), (x * length + 0.006, (y + 0.24) * width, height + 0.0006))
        for x in np.linspace(-0.22, 0.42, 8).tolist()
        for y in (-0.42, -0.12)
    ]
    photo = board((-0.2 * length, 0.18 * width, height), (0.25 * length, 0.44 * width, height + 0.0006))
    tint = plain((0.45, 0.52, 0.60), "paper")
    return Model(
        ((body, plain((0.88, 0.87, 0.83), "paper")), (merge(*marks), plain((0.2, 0.2, 0.21), "paper")), (photo, tint)),
        (body.vertices,),
    )


def stick(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a pen or pencil that lies along x.

    One of its twelve edges is below, so that the stick touches its support.
    """
    length, radius = float(size[0]), float(min(size[1], size[2])) / 2
    shaft = rod((-length / 2, 0, radius), (0.36 * length, 0, radius), radius, 12)
    tip = rod((0.36 * length, 0, radius), (length / 2, 0, radius), (radius, 0.15 * radius), 12)
    return Model(((shaft, paint.look), (tip, plain((0.85, 0.70, 0.45), "wood"))), (shaft.vertices, tip.vertices))


def card(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bank card with a golden chip and a dark stripe."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, height), 0, 0.004), by=(0, 0, height / 2))
    chip = board((-0.3 * length, -0.12 * width, height), (-0.12 * length, 0.12 * width, height + 0.0006))
    line = board((-0.45 * length, -0.4 * width, height), (0.45 * length, -0.25 * width, height + 0.0006))
    return Model(
        ((body, paint.look), (chip, plain((0.85, 0.68, 0.25), "metal")), (line, plain(_DARK, "plastic"))),
        (body.vertices,),
    )


def ball(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an orange basketball with black seams."""
    radius = float(size.min()) / 2
    ball = ellipsoid(radius, 28)
    seam = lathe(
        np.array(
            [(radius - 0.002, -0.003), (radius + 0.0006, -0.003), (radius + 0.0006, 0.003), (radius - 0.002, 0.003)]
        ),
        32,
        closed=True,
    )
    seams = merge(seam, turned(seam, "x", 90), turned(seam, "y", 90))
    by = (0, 0, radius + 0.0006)
    return Model(
        ((moved(ball, by=by), plain((0.86, 0.42, 0.14), "rubber")), (moved(seams, by=by), plain(_DARK, "rubber"))),
        (moved(ball, by=by).vertices,),
    )
