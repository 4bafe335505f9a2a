"""Containers of homes: hampers, boxes, bins and trolleys."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import (
    BLACK,
    DARK,
    SHUT,
    STEEL,
    board,
    clad,
    hidden,
    pane,
    rod,
    surface,
    tilted,
    top_of,
    vessel,
    wall_solids,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    cylinder,
    ellipsoid,
    extrude,
    loft,
    merge,
    moved,
    ring,
    rounded_rectangle,
    turned,
)
from chronotope.world.things.thing import Look, Paint


def hamper(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a laundry hamper of wicker or cloth, round or square, with a lid."""
    deep, wide, tall = size
    woven, rounded = bool(generator.integers(0, 2)), bool(generator.integers(0, 2))
    corner = 0.45 * deep if rounded else 0.04
    lid_z, wall = tall - 0.03, 0.012
    outer = rounded_rectangle(deep, wide, corner, 6)
    inner = rounded_rectangle(deep - 2 * wall, wide - 2 * wall, corner - wall, 6)
    base = 0.88
    body = clad(vessel([(outer * base, 0), (outer, lid_z), (inner, lid_z), (inner * base, 0.012)]), 0.5)
    lid = clad(moved(extrude(outer, 0.028, 0.006), by=(0, 0, lid_z + 0.016)), 0.5)
    lid = tilted(lid, (-deep / 2 + 0.01, lid_z + 0.002), -100 * state.openness)
    cloth = (
        plain(paint.look.colour, "straw", textures.wicker(generator, (0.85, 0.85, 0.85), 256, 16))
        if woven
        else plain(paint.look.colour, "fabric", textures.fabric(generator, (0.92, 0.92, 0.92), 256))
    )
    y, z = 0.955 * wide / 2, 0.75 * tall
    grips = [rod((-0.06, s * y, z), (0.06, s * y, z), 0.01, 10) for s in (-1, 1)]
    inside = top_of((-deep * 0.3, -wide * 0.3), (deep * 0.3, wide * 0.3), 0.012, tall - 0.06)
    return Model(
        ((merge(body, lid), cloth), (merge(*grips), plain((0.35, 0.22, 0.13), "leather"))),
        (
            *wall_solids(outer, inner * base, 0.0, lid_z, 8),
            np.column_stack([outer * base, np.full(len(outer), 0.0)]).repeat(2, 0)
            + np.tile([[0, 0, 0], [0, 0, 0.012]], (len(outer), 1)),
            lid,
        ),
        hidden((inside,), state.openness < SHUT),
    )


def box(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a cardboard box with four flaps."""
    deep, wide, tall = size
    text = str(generator.choice(["FRAGILE", "BOOKS", "KITCHEN", "THIS UP", "TOYS"]))
    card = plain((1, 1, 1), "cardboard", textures.cardboard(generator))
    print_ = textures.write(textures.cardboard(generator), text, (0.15, 0.12, 0.1), (0.1, 0.3, 0.9, 0.55))
    wall, top = 0.005, tall - 0.011
    a, b = deep / 2 - 0.001, wide / 2
    sides = [
        board((-a, -b, 0), (-a + wall, b, top)), board((a - wall, -b, 0), (a, b, top)),
        board((-a + wall, -b, 0), (a - wall, -b + wall, top)), board((-a + wall, b - wall, 0), (a - wall, b, top)),
        board((-a + wall, -b + wall, 0), (a - wall, b - wall, wall)),
    ]  # fmt: skip
    angle = 205 * state.openness
    reach = min(a, b) - 0.002
    flaps = []
    for sign in (1, -1):
        short = board((sign * (a - 0.003), -b + 0.003, 0.0), (sign * (a - 0.003 - reach), b - 0.003, 0.004))
        flaps.append(
            moved(turned(moved(short, by=(-sign * a, 0, 0)), "y", sign * angle), by=(sign * a, 0, top + 0.0005))
        )
        long = board((-a, sign * (b - 0.0), 0), (a, sign * 0.001, 0.004))
        flaps.append(
            moved(turned(moved(long, by=(0, -sign * b, 0)), "x", -sign * angle), by=(0, sign * b, top + 0.0055))
        )
    tape = board((-a + 0.004, -0.03, top + 0.0100), (a - 0.004, 0.03, top + 0.0106)) if state.openness < 0.02 else None
    label = pane((-0.42 * wide, 0.12 * tall), (0.42 * wide, 0.88 * top), a - 0.0005, 0.001)
    parts: list[tuple[Mesh, Look]] = [(merge(*sides, *flaps), card), (label, plain((1, 1, 1), "cardboard", print_))]
    if tape is not None:
        parts.append((tape, plain((0.80, 0.68, 0.45), "plastic")))
    inside = top_of((-a + 0.01, -b + 0.01), (a - 0.01, b - 0.01), wall, top - wall - 0.015)
    return Model(tuple(parts), (*sides, *flaps), hidden((inside,), state.openness < SHUT))


def garbage_can(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bin for garbage: open and round, square with a bag, or with a swinging lid."""
    deep, wide, tall = size
    style, wall, lip, base = int(generator.integers(0, 3)), 0.008, 0.965, 0.76
    if style == 2:
        return _swing_bin(deep, wide, tall, paint)
    if style == 0:
        radius = min(deep, wide) / 2
        outer, inner = ring(radius, 28)[:, :2], ring(radius - wall, 28)[:, :2]
    else:
        outer = rounded_rectangle(deep, wide, 0.06, 4)
        inner = rounded_rectangle(deep - 2 * wall, wide - 2 * wall, 0.06 - wall, 4)
    collar = tall - 0.03
    outside = [(outer * base, 0), (outer * lip, collar), (outer, collar), (outer, tall)]
    body = vessel([*outside, (inner, tall), (inner * lip, collar), (inner * base, 0.01)])
    if style == 1:
        trim = _bag(outer, inner, tall)
        look = plain((0.10, 0.10, 0.11) if paint.colour != "black" else (0.9, 0.9, 0.92), "plastic")
    else:
        trim = _recycling(tall * 0.5, outer[:, 0].max() * (base + (lip - base) * 0.52))
        look = plain((0.95, 0.95, 0.93) if paint.colour != "white" else (0.1, 0.45, 0.2), "paper")
    x, y = 0.27 * base * deep, 0.27 * base * wide
    inside = top_of((-x, -y), (x, y), 0.01, tall)
    floor = np.column_stack([np.tile(outer * base, (2, 1)), np.repeat([0.0, 0.01], len(outer))])
    solids = (*_slanted(outer, inner, base, tall), floor)
    return Model(((body, paint.look), (trim, look)), solids, hidden((inside,), False))


def _bag(outer: np.ndarray, inner: np.ndarray, tall: float) -> Mesh:
    # Make the edge of a garbage bag that hangs over the rim of a bin.
    outer = outer * (0.99 + 0.006 * np.sin(np.arange(len(outer)) * 2.3)[:, None])
    low, high = 0.8 * tall - 0.001, tall
    return vessel(
        [(outer, low), (outer * 1.004, high), (inner * 0.975, high), (inner * 0.975, 0.97 * tall)], closed=True
    )


def _slanted(outer: np.ndarray, inner: np.ndarray, base: float, tall: float, count: int = 8) -> tuple[np.ndarray, ...]:
    """Cut a wall that narrows downwards by ``base`` into solids."""
    made = wall_solids(outer, inner, 0.0, tall, count)
    return tuple(points * np.where(points[:, 2:] < tall / 2, [[base, base, 1]], 1.0) for points in made)


def _recycling(z: float, x: float) -> Mesh:
    """Make the sign of three bent arrows, upright at ``x``."""
    arrow = extrude(
        [
            (-0.035, 0.018),
            (0.012, 0.018),
            (0.012, 0.006),
            (0.035, 0.027),
            (0.012, 0.048),
            (0.012, 0.036),
            (-0.035, 0.036),
        ],
        0.01,
    )
    flat = merge(*(turned(arrow, "z", 120 * k) for k in range(3)))
    return moved(turned(turned(flat, "x", 90), "z", 90), by=(x, 0, z))


def _swing_bin(deep: float, wide: float, tall: float, paint: Paint) -> Model:
    """Make a closed bin, whose hood has a swinging lid in front."""
    body = moved(block((deep, wide, 0.74 * tall), 0.012, corner=0.05, taper=1.0), by=(0, 0, 0.37 * tall))
    hood = moved(block((deep, wide, 0.26 * tall), 0.012, corner=0.05, taper=0.66), by=(0, 0, 0.87 * tall - 0.001))
    seam = moved(block((deep - 0.006, wide - 0.006, 0.012), 0.0, corner=0.05), by=(0, 0, 0.742 * tall))
    rise, run = 0.26 * tall, 0.17 * deep
    slope = float(np.degrees(np.arctan2(run, rise)))
    flap = moved(
        turned(turned(block((0.2 * tall, 0.62 * wide, 0.012), 0.003, corner=0.02), "y", 90), "y", -slope),
        by=(deep / 2 - run * 0.5 + 0.001, 0, 0.87 * tall),
    )
    tone = plain(shade(paint.look.colour, 0.45 if paint.colour != "black" else 1.3), "plastic")
    return Model(((merge(body, hood), paint.look), (merge(flap, seam), tone)), (body, hood))


def cart(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a trolley with three trays, a handle and four wheels."""
    deep, wide, tall = size
    look = surface(generator, paint)
    a, b = deep / 2 - 0.02, wide / 2 - 0.02
    posts = [rod((sx * a, sy * b, 0.07), (sx * a, sy * b, tall - 0.12), 0.012) for sx in (-1, 1) for sy in (-1, 1)]
    wheels = [
        moved(cylinder(0.04, 0.024, "y", 0.006, 20), by=(sx * (a - 0.02), sy * b, 0.04))
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    bar = rod((-a, b, tall - 0.03), (a, b, tall - 0.03), 0.013)
    arms = [rod((s * a, b, tall - 0.13), (s * a, b, tall - 0.03), 0.012) for s in (-1, 1)]
    trays, shelves, solids = [], [], []
    levels = np.linspace(0.14, tall - 0.2, 3)
    for k, z in enumerate(levels):
        made = [board((-a, -b, z - 0.015), (a, b, z))]
        made += [board((s * a, -b, z), (s * (a - 0.012), b, z + 0.05)) for s in (-1, 1)]
        made += [board((-a + 0.012, s * b, z), (a - 0.012, s * (b - 0.012), z + 0.05)) for s in (-1, 1)]
        trays += made
        solids += made
        clear = np.inf if k == 2 else levels[k + 1] - z - 0.03
        shelves.append(top_of((-a + 0.03, -b + 0.03), (a - 0.03, b - 0.03), z, clear))
    metal = STEEL if paint.colour != "white" else DARK
    return Model(
        ((merge(*trays), look), (merge(*posts, bar, *arms), metal), (merge(*wheels), BLACK)),
        (*solids, *posts, *wheels, merge(bar, *arms)),
        tuple(shelves),
    )


def garbage_bag(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a full garbage bag.

    The bag is a wrinkled sack that is tied at the top, with two ears above the knot.
    """
    deep, wide, tall = (float(each) for each in size)
    folds, phase = int(generator.integers(11, 16)), float(generator.uniform(0, 6))
    turn = np.arange(60) * (2 * np.pi / 60)
    lumps = 0.05 * np.sin(2 * turn + phase) + 0.035 * np.sin(3 * turn + 2 * phase)
    rings = []
    for share, reach, pleat in (
        (0.0, 0.62, 0.01), (0.04, 0.86, 0.02), (0.2, 0.98, 0.02), (0.42, 1.0, 0.02), (0.6, 0.84, 0.04),
        (0.72, 0.52, 0.09), (0.79, 0.2, 0.16), (0.83, 0.1, 0.1),
    ):  # fmt: skip
        radius = reach * (1 + lumps * reach + pleat * np.sin(folds * turn)) / 1.12
        rings.append(np.stack([0.5 * deep * radius * np.cos(turn), 0.5 * wide * radius * np.sin(turn),
                               np.full(60, share * tall)], axis=1))  # fmt: skip
    sack = loft(np.array(rings))
    knot = moved(ellipsoid((0.07 * deep, 0.07 * deep, 0.035 * tall), 14), by=(0, 0, 0.84 * tall))
    ears = [
        moved(
            turned(ellipsoid((0.028, 0.075 * wide, 0.1 * tall), 14), "x", s * 38), by=(0, -s * 0.1 * wide, 0.90 * tall)
        )
        for s in (-1, 1)
    ]
    top = max(float(ear.vertices[:, 2].max()) for ear in ears)
    ears = [
        ear._replace(vertices=np.minimum(ear.vertices, [np.inf, np.inf, tall])) if top > tall else ear for ear in ears
    ]
    strap = plain((0.82, 0.10, 0.10), "plastic") if generator.random() < 0.6 else paint.look
    gloss = Look(paint.look.colour, 0.7, 0.6)
    return Model(((merge(sack, *ears), gloss), (knot, strap)), (sack,))
