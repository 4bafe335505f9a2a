"""Showers: doors, curtains and heads."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import (
    BLACK,
    DARK,
    JET,
    STEEL,
    board,
    boards,
    cushion,
    hinged,
    plated,
    rod,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    cylinder,
    fillet,
    loft,
    merge,
    moved,
    tube,
)
from chronotope.world.things.thing import Look, Paint

_FROSTED = plain((0.72, 0.84, 0.86), "glass")


def shower_door(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a door of frosted glass in a metal frame; it turns on its left or right post."""
    deep, wide, tall = size
    left, style = bool(generator.integers(0, 2)), int(generator.integers(0, 3))
    half, t = wide / 2, 0.03
    metal = STEEL if style != 1 else BLACK
    frame = [board((-deep / 2, s * half, 0), (deep / 2, s * (half - t), tall)) for s in (-1, 1)]
    frame += [board((-deep / 2, -half + t, z), (deep / 2, half - t, z + t)) for z in (0.0, tall - t)]
    glass = board((-0.005, -half + t + 0.02, t + 0.02), (0.005, half - t - 0.02, tall - t - 0.02))
    low, high = (-half + t + 0.002, t + 0.004), (half - t - 0.002, tall - t - 0.004)
    w = 0.022
    border = [
        board((-0.01, low[0], low[1]), (0.01, low[0] + w, high[1])),
        board((-0.01, high[0] - w, low[1]), (0.01, high[0], high[1])),
    ]
    border += [board((-0.01, low[0] + w, z), (0.01, high[0] - w, z + w)) for z in (low[1], high[1] - w)]
    grip_y = (half - t - 0.07) * (1 if left else -1)
    grip = tube(
        fillet([(0.0, grip_y, 0.9), (0.016, grip_y, 0.9), (0.016, grip_y, 1.2), (0.0, grip_y, 1.2)], 0.015), 0.008, 8
    )
    stripes = (
        boards(
            *[
                ((-0.0062, low[0] + w + 0.002, z), (0.0062, high[0] - w - 0.002, z + 0.03))
                for z in np.arange(0.6, 1.5, 0.09)
            ]
        )
        if style == 2
        else boards(((-0.0062, low[0] + w + 0.002, 0.7), (0.0062, high[0] - w - 0.002, 1.3)))
    )
    hinge, way = ((0.0, low[0]), -1) if left else ((0.0, high[0]), 1)
    glass, grip, stripes, *border = (
        hinged(mesh, hinge, way * 100 * state.openness) for mesh in (glass, grip, stripes, *border)
    )
    return Model(
        ((merge(*frame, *border, grip), metal), (glass, _FROSTED), (stripes, plain((0.86, 0.92, 0.93), "glass"))),
        (*frame, merge(glass, *border), grip),
    )


def pleats(
    low: float, high: float, depth: float, tall: float, folds: int, base: float = 0.0, flare: float = 1.0
) -> Mesh:
    """Make hanging cloth in waves.

    The cloth hangs between y = ``low`` and ``high``, is ``depth`` deep in all, and goes up from z = ``base``.
    """
    y = np.linspace(low, high, folds * 8 + 1)
    wave = np.sin(np.linspace(0, 2 * np.pi * folds, len(y)))
    rings = []
    for z, share in ((base, 1.0), (base + 0.5 * (tall - base), 0.8), (tall, 0.55)):
        x = (depth / 2 - 0.002) * wave * share * flare
        near, far = np.stack([x + 0.002, y], axis=1), np.stack([x - 0.002, y], axis=1)
        outline = np.concatenate([near, far[::-1]])
        rings.append(np.column_stack([outline, np.full(len(outline), z)]))
    return _strip(np.array(rings), len(y))


def _strip(rings: np.ndarray, half: int) -> Mesh:
    # Join the rings of thin cloth, whose ends are strips between the two sides of ``half`` points each.
    body = loft(rings, closed=True)
    around = 2 * half + 1
    wall = body.faces[np.all(body.faces < len(rings) * around, axis=1)]
    k = np.arange(half - 1)
    lid = np.concatenate(
        [np.stack([k, k + 1, 2 * half - 2 - k], axis=1), np.stack([k, 2 * half - 2 - k, 2 * half - 1 - k], axis=1)]
    )
    first = (len(rings) - 1) * around
    faces = np.concatenate([wall, lid[:, ::-1], lid + first])
    return body._replace(faces=faces)


def shower_curtain(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a curtain on rings along a rod; an open curtain is gathered at one end."""
    deep, wide, tall = size
    folds, dots = int(generator.integers(9, 13)), int(generator.integers(0, 3))
    half, rod_z = wide / 2, tall - 0.03
    bar = rod((0, -half, rod_z), (0, half, rod_z), 0.013)
    ends = [moved(cylinder(0.03, 0.02, "y", 0.004, 20), by=(0, s * (half - 0.01), rod_z)) for s in (-1, 1)]
    low = -half + 0.03
    high = low + (wide - 0.06) * (1 - 0.78 * state.openness)
    cloth = pleats(low, high, deep, rod_z - 0.045, folds)
    cloth = cloth._replace(
        uv=np.stack(
            [(cloth.vertices[:, 1] - low) / (high - low) * 6, -cloth.vertices[:, 2] * 6 / (wide - 0.06)], axis=1
        )
    )
    picture = _curtain_picture(paint, dots)
    places = np.linspace(low + 0.03, high - 0.03, folds)
    turn = np.arange(12) * (2 * np.pi / 12)
    rings = [
        tube(
            np.stack([0.022 * np.cos(turn), np.full(12, y), rod_z - 0.012 + 0.034 * np.sin(turn)], axis=1),
            0.0025,
            5,
            closed=True,
        )
        for y in places
    ]
    return Model(
        ((cloth, plain((1, 1, 1), "fabric", picture)), (merge(bar, *ends, *rings), STEEL)),
        (np.array([(x, y, z) for x in (-deep / 2, deep / 2) for y in (low, high) for z in (0, rod_z - 0.045)]), bar),
    )


def _curtain_picture(paint: Paint, style: int) -> np.ndarray:
    # Draw the cloth of a shower curtain (128, 128, 3): dots, stripes or waves.
    y, x = np.mgrid[:128, :128] / 128
    inked = (
        np.hypot(x - 0.5, y - 0.5) < 0.22,
        np.abs(x - 0.5) < 0.14,
        np.abs(y - 0.5 - 0.15 * np.sin(2 * np.pi * x)) < 0.1,
    )[style]
    ground = np.array([0.95, 0.96, 0.96]) if paint.colour != "white" else np.array([0.35, 0.62, 0.72])
    return np.rint(255 * np.where(inked[..., None], paint.look.colour, ground)).astype(np.uint8)


def shower(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a shower: a rail, a head and a hose, or a wide plate on an arm."""
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    metal = plated(paint)
    r = wide / 2
    valve = [
        cushion((0, -0.1, 0.006), (0.05, 0.1, 0.046), 0.015),
        *(moved(cylinder(0.026, 0.05, "y", 0.005, 18), by=(0.0265, s * 0.1, 0.026)) for s in (-1, 1)),
    ]
    valve = [moved(m, scale=(1, min(1.0, r / 0.126), 1)) for m in valve]
    pipe = tube(
        fillet(
            [(0.025, 0, 0.035), (0.025, 0, tall - 0.02), (deep - r, 0, tall - 0.02), (deep - r, 0, tall - 0.07)], 0.05
        ),
        0.010,
        10,
    )
    clamp = [rod((0, 0, z), (0.025, 0, z), 0.012, 10) for z in (0.35, tall - 0.2)]
    z = tall - 0.08
    head = (
        moved(cylinder(r, 0.02, "z", 0.005, 36), by=(deep - r, 0, z))
        if style != 1
        else cushion((deep - 2 * r, -r, z - 0.01), (deep, r, z + 0.01), 0.006)
    )
    holes = moved(cylinder(0.85 * r, 0.003, "z", 0.0, 28), by=(deep - r, 0, z - 0.0105))
    made = [*valve, pipe, *clamp, head]
    parts: list[tuple[Mesh, Look]] = [(merge(*made), metal), (holes, DARK)]
    if style == 2:
        hose = tube(
            np.array([(0.06, 0.05 * np.sin(t) + 0.02, 0.03 + 0.5 * t / np.pi) for t in np.linspace(0, np.pi, 20)]),
            0.008,
            8,
        )
        parts.append((hose, plain((0.6, 0.6, 0.62), "metal")))
    if state.on:
        parts.append((_jets(deep - r, r, z - 0.01), JET))
    return Model(tuple(parts), tuple(made))


def _jets(x: float, radius: float, high: float) -> Mesh:
    # Make thin jets of water that fall from a round head about ``x`` at the height ``high``.
    made = []
    for share, count in ((0.3, 4), (0.75, 9)):
        for turn in np.arange(count) * 2 * np.pi / count:
            u, v = share * radius * np.cos(turn), share * radius * np.sin(turn)
            made.append(rod((x + 1.35 * u, 1.35 * v, 0), (x + u, v, high), (0.004, 0.003), 6))
    return merge(*made)
