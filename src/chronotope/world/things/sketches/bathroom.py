"""Fixtures of bathrooms: toilets, bathtubs and basins."""

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import (
    BLACK,
    STEEL,
    board,
    cushion,
    front,
    hidden,
    rod,
    tilted,
    top_of,
    vessel,
    wall_solids,
    wooden,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    cylinder,
    ellipsoid,
    extrude,
    fillet,
    lathe,
    merge,
    moved,
    rounded_rectangle,
    tube,
)
from chronotope.world.things.thing import Look, Paint

_WATER = plain((0.62, 0.78, 0.86), "glass")


def _oval(back: float, ahead: float, half: float, count: int = 32) -> np.ndarray:
    # Make the outline (N, 2) of a toilet bowl from x = ``back`` to ``ahead``, its widest place behind the middle.
    turn = np.arange(count) * (2 * np.pi / count)
    middle = back + 0.42 * (ahead - back)
    x = np.where(np.cos(turn) > 0, middle + (ahead - middle) * np.cos(turn), middle + (middle - back) * np.cos(turn))
    return np.stack([x, half * np.sin(turn)], axis=1)


def toilet(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a toilet with a tank; the lid turns up against the tank."""
    deep, wide, tall = size
    style, rim_z = int(generator.integers(0, 3)), 0.42
    seat_look = (paint.look, plain((0.5, 0.32, 0.18), "wood"), plain((0.12, 0.12, 0.13), "plastic"))[
        int(generator.choice([0, 0, 1, 2]))
    ]
    a, b = deep / 2, 0.78 * wide / 2
    back, ahead = -a + 0.24, a
    outer, inner = _oval(back, ahead, b), _oval(back + 0.05, ahead - 0.05, b - 0.05)
    bowl = _bowl(back, ahead, b, rim_z)
    water = moved(extrude(_oval(back + 0.13, ahead - 0.14, 0.46 * b), 0.004), by=(0, 0, rim_z - 0.165))
    neck = cushion((-a + 0.02, -0.5 * b, 0.0 if style != 2 else 0.2), (back + 0.08, 0.5 * b, rim_z - 0.02), 0.03)
    tank, flush = _tank(-a + 0.11, wide / 2, rim_z - 0.02, tall, style)
    hole = _oval(back + 0.07, ahead - 0.08, b - 0.075)
    low, high = rim_z + 0.004, rim_z + 0.022
    seat = vessel([(outer, low), (outer, high), (hole, high), (hole, low)], closed=True)
    lid = moved(extrude(outer, 0.018, 0.005), by=(0, 0, rim_z + 0.035))
    lid = tilted(lid, (back + 0.018, rim_z + 0.026), -91 * state.openness)
    # a button is on the lid of the tank, and a lever is on its front
    shelf = top_of((-a + 0.02, -wide / 2 + 0.05), (-a + 0.2, wide / 2 - 0.05 if style == 0 else -0.05), tall)
    foot = bowl.vertices[bowl.vertices[:, 2] < 0.31]
    return Model(
        (
            (merge(bowl, neck, tank), paint.look),
            (merge(seat, lid), seat_look),
            (water, _WATER),
            (flush, STEEL),
        ),
        (foot, *wall_solids(outer, inner, 0.28, high, 8), neck, tank, lid),
        (shelf,),
    )


def _bowl(back: float, ahead: float, half: float, rim_z: float) -> Mesh:
    # Make the bowl of a toilet on its foot, from x = ``back`` to ``ahead``.
    outer, inner = _oval(back, ahead, half), _oval(back + 0.05, ahead - 0.05, half - 0.05)
    foot = _oval(back + 0.02, ahead - 0.16, 0.62 * half)
    return vessel(
        [
            (foot, 0),
            (foot, 0.06),
            (_oval(back + 0.03, ahead - 0.2, 0.52 * half), 0.16),
            (_oval(back + 0.01, ahead - 0.06, 0.85 * half), 0.3),
            (outer, rim_z - 0.04),
            (outer, rim_z),
            (inner, rim_z),
            (inner, rim_z - 0.03),
            (_oval(back + 0.14, ahead - 0.15, 0.45 * half), rim_z - 0.18),
            (_oval(back + 0.16, ahead - 0.17, 0.4 * half), rim_z - 0.2),
        ]
    )


def _tank(x: float, half: float, low: float, tall: float, style: int) -> tuple[Mesh, Mesh]:
    # Make the tank of a toilet about ``x``, and its lever (style 0) or button.
    corner = (0.03, 0.09, 0.01)[style]
    body = moved(
        block((0.2, 2 * half - 0.02, tall - low - 0.02), 0.01, corner=corner), by=(x, 0, (tall + low - 0.02) / 2)
    )
    cap = moved(block((0.22, 2 * half, 0.03), 0.008, corner=corner + 0.01), by=(x, 0, tall - 0.015))
    if style:
        return merge(body, cap), moved(cylinder(0.035, 0.012, "z", 0.003, 24), by=(x, 0, tall - 0.0061))
    y, z = 0.6 * half, tall - 0.1
    knob = moved(cylinder(0.022, 0.03, "x", 0.003, 20), by=(x + 0.105, y, z))
    return merge(body, cap), merge(knob, rod((x + 0.115, y, z), (x + 0.12, y - 0.08, z - 0.005), 0.007, 8))


def bathtub(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bathtub: with straight panels, oval on the floor, or on four feet."""
    deep, wide, tall = size - (0, 0, 0.125)  # the taps are above the rim
    style = int(generator.integers(0, 3))
    lift = 0.12 if style == 2 else 0.0
    floor = lift + 0.09
    corner = 0.03 if style == 0 else deep / 2
    outer = rounded_rectangle(deep, wide, corner, 6)
    inner = rounded_rectangle(deep - 0.14, wide - 0.18, max(corner - 0.07, 0.16), 6)
    base = 0.94 if style == 0 else 0.77
    if style == 0:
        wall = [(outer * 0.985, lift), (outer * 0.985, tall - 0.035)]
    else:
        wall = [(outer * base, lift), (outer * 0.9, lift + 0.4 * (tall - lift)), (outer * 0.94, tall - 0.035)]
    rim = [(outer, tall - 0.03), (outer, tall), (inner, tall), (inner * 0.97, tall - 0.06)]
    tub = vessel([*wall, *rim, (inner * 0.86, floor + 0.06), (inner * 0.78, floor)])
    taps = _bath_taps(-wide / 2 + 0.05, tall - 0.002)
    drain = moved(cylinder(0.025, 0.004, "z", 0.001, 20), by=(0, -0.25 * wide, floor + 0.001))
    parts: list[tuple[Mesh, Look]] = [(tub, paint.look), (merge(taps, drain), STEEL)]
    feet = _claw_feet(deep, wide, lift) if style == 2 else []
    if feet:
        parts.append((merge(*feet), plain((0.70, 0.56, 0.28), "metal")))
    reach = (0.25 if style == 0 else 0.18) * (deep - 0.14)
    inside = top_of((-reach, -0.2 * wide), (reach, 0.3 * wide), floor, tall - floor)
    bottom = np.concatenate([np.column_stack([outer * base, np.full(len(outer), h)]) for h in (lift, floor)])
    solids = (*wall_solids(outer, inner, lift + 0.02, tall, 12), bottom, *feet, taps)
    return Model(tuple(parts), solids, hidden((inside,), False))


def _bath_taps(y: float, z: float) -> Mesh:
    # Make the spout and two taps on the rim of a bathtub; the water runs towards +y.
    path = [(0, y, z), (0, y, z + 0.11), (0, y + 0.14, z + 0.11), (0, y + 0.14, z + 0.07)]
    made = [tube(fillet(path, 0.04), 0.016, 10)]
    for x in (-0.11, 0.11):
        made.append(moved(cylinder(0.016, 0.05, "z", 0.003, 14), by=(x, y, z + 0.025)))
        made.append(moved(cylinder(0.03, 0.014, "z", 0.005, 10), by=(x, y, z + 0.055)))
    return merge(*made)


def _claw_feet(deep: float, wide: float, lift: float) -> list[Mesh]:
    """Make four round feet that carry a bathtub."""
    feet = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            x, y = sx * 0.28 * deep, sy * 0.32 * wide
            ball = moved(ellipsoid((0.04, 0.04, 0.035), 14), by=(x, y, 0.035))
            leg = rod((x, y, 0.04), (sx * 0.24 * deep, sy * 0.29 * wide, lift + 0.03), (0.03, 0.045), 10)
            feet.append(merge(ball, leg))
    return feet


def _tap(x: float, z: float) -> Mesh:
    # Make the body of a basin's tap on a rim at height ``z``, with its spout towards +x.
    stem = moved(cylinder(0.02, 0.03, "z", 0.003, 16), by=(x, 0, z + 0.014))
    neck = tube(
        fillet([(x, 0, z), (x, 0, z + 0.12), (x + 0.11, 0, z + 0.12), (x + 0.11, 0, z + 0.085)], 0.05), 0.011, 10
    )
    lever = rod((x, 0, z + 0.11), (x - 0.02, 0, z + 0.165), (0.009, 0.006), 8)
    return merge(stem, neck, lever)


def sink(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a wash basin: on a column, on a cupboard, or on four legs."""
    deep, wide, tall = size
    style, handle, wood = int(generator.integers(0, 3)), int(generator.integers(0, 4)), wooden(generator)
    rim_z = tall - 0.165  # the tap is above the rim
    bottom, floor, a = rim_z - 0.16, rim_z - 0.13, deep / 2
    corner = (0.16, 0.02, 0.05)[style]
    outer = rounded_rectangle(deep, wide, corner, 5)
    bowl = rounded_rectangle(deep - 0.17, wide - 0.12, max(corner - 0.03, 0.06), 5)
    middle = (0.035, 0.0)  # the rim is wider behind the bowl, for the tap
    inner = bowl + middle
    foot = outer * (0.62 if style == 0 else 0.98)
    basin = vessel(
        [
            (foot, bottom),
            (outer, rim_z - 0.05),
            (outer, rim_z),
            (inner, rim_z),
            (bowl * 0.92 + middle, rim_z - 0.04),
            (bowl * 0.7 + middle, floor),
        ]
    )
    drain = moved(cylinder(0.02, 0.004, "z", 0.001, 18), by=(0.035, 0, floor - 0.0016))
    metal = [_tap(-a + 0.06, rim_z - 0.001), drain]
    parts: list[tuple[Mesh, Look]] = [(basin, paint.look)]
    beneath: list[Mesh] = []
    if style == 0:
        beneath = [_column(bottom + 0.005)]
        parts.append((beneath[0], paint.look))
    elif style == 1:
        case, plinth, grips = _cupboard(deep, wide, bottom, handle)
        beneath = [case, plinth]
        parts += [(case, wood), (plinth, BLACK)]
        metal.append(grips)
    else:
        b = wide / 2 - 0.06
        beneath = [rod((x, y, 0), (x, y, bottom + 0.002), 0.015) for x in (0.03 - a, a - 0.06) for y in (-b, b)]
        beneath.append(rod((a - 0.06, -b, 0.35), (a - 0.06, b, 0.35), 0.01))
        metal += beneath
    parts.append((merge(*metal), STEEL))
    under = np.column_stack([np.tile(outer * 0.62, (2, 1)), np.repeat([bottom, floor], len(outer))])
    reach = 0.22 * (wide - 0.12)
    inside = top_of((0.05, -reach), (0.035 + 0.26 * (deep - 0.17), reach), floor, rim_z - floor)
    solids = (*wall_solids(outer, inner, bottom, rim_z, 8), under, *beneath)
    return Model(tuple(parts), solids, hidden((inside,), False))


def _column(tall: float) -> Mesh:
    """Make the round foot of a wash basin."""
    r = 0.085
    profile = [(0, 0), (1.5 * r, 0), (1.5 * r, 0.03), (r, 0.12), (0.8 * r, 0.5 * tall), (r, 0.85 * tall)]
    return moved(lathe([*profile, (1.5 * r, tall), (0, tall)], 28), by=(-0.02, 0, 0))


def _cupboard(deep: float, wide: float, tall: float, handle: int) -> tuple[Mesh, Mesh, Mesh]:
    # Make the cupboard under a wash basin: its body with two doors, its plinth, its handles.
    a, b = deep / 2, wide / 2 - 0.01
    case = board((-a + 0.005, -b, 0.1), (a - 0.06, b, tall))
    plinth = board((-a + 0.01, -b + 0.02, 0), (a - 0.1, b - 0.02, 0.1))
    left, left_grip = front((-b, 0.1), (0.0, tall), a - 0.059, handle, "high")
    right, right_grip = front((0.0, 0.1), (b, tall), a - 0.059, handle, "low")
    return merge(case, left, right), plinth, merge(left_grip, right_grip)
