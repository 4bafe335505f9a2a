"""Fixtures of bathrooms: toilets, bathtubs and basins."""

import numpy as np

from chronotope.world.catalogue.colours import plain
from chronotope.world.catalogue.homes.joinery import (
    BLACK,
    STEEL,
    board,
    cushion,
    front,
    hidden,
    rod,
    surface,
    tilted,
    top_of,
    vessel,
    wall_solids,
    wooden,
)
from chronotope.world.catalogue.homes.kind import HomeKind, HomeState, Model
from chronotope.world.catalogue.mesh import (
    Mesh,
    block,
    cylinder,
    ellipsoid,
    extrude,
    fillet,
    lathe,
    loft,
    merge,
    moved,
    rounded_rectangle,
    tube,
)
from chronotope.world.catalogue.things import Look, Paint

__all__ = ["KINDS"]

_OPENED = frozenset({"openness"})
_WATER = plain((0.62, 0.78, 0.86), "glass")


def _oval(back: float, ahead: float, half: float, count: int = 32) -> np.ndarray:
    """Make the outline (N, 2) of a toilet bowl from x = ``back`` to ``ahead``, its widest place behind the middle."""
    turn = np.arange(count) * (2 * np.pi / count)
    middle = back + 0.42 * (ahead - back)
    x = np.where(np.cos(turn) > 0, middle + (ahead - middle) * np.cos(turn), middle + (middle - back) * np.cos(turn))
    return np.stack([x, half * np.sin(turn)], axis=1)


def _toilet(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a toilet with a tank; the lid turns up against the tank."""
    deep, wide, tall = size
    style, rim_z = int(generator.integers(0, 3)), 0.42
    seat_look = (paint.look, plain((0.5, 0.32, 0.18), "wood"), plain((0.12, 0.12, 0.13), "plastic"))[
        int(generator.choice([0, 0, 1, 2]))
    ]
    a, b = deep / 2, 0.78 * wide / 2
    back, ahead = -a + 0.24, a
    outer, inner = _oval(back, ahead, b), _oval(back + 0.05, ahead - 0.05, b - 0.05)
    foot = _oval(back + 0.02, ahead - 0.16, 0.62 * b)
    bowl = vessel(
        [
            (foot, 0), (foot, 0.06), (_oval(back + 0.03, ahead - 0.2, 0.52 * b), 0.16), (_oval(back + 0.01, ahead - 0.06, 0.85 * b), 0.3),
            (outer, rim_z - 0.04), (outer, rim_z), (inner, rim_z), (inner, rim_z - 0.03),
            (_oval(back + 0.14, ahead - 0.15, 0.45 * b), rim_z - 0.18), (_oval(back + 0.16, ahead - 0.17, 0.4 * b), rim_z - 0.2),
        ]
    )  # fmt: skip
    water = moved(extrude(_oval(back + 0.13, ahead - 0.14, 0.46 * b), 0.004), by=(0, 0, rim_z - 0.165))
    neck = cushion((-a + 0.02, -0.5 * b, 0.0 if style != 2 else 0.2), (back + 0.08, 0.5 * b, rim_z - 0.02), 0.03)
    tank_b = wide / 2
    corner = (0.03, 0.09, 0.01)[style]
    tank = moved(
        block((0.2, 2 * tank_b - 0.02, tall - rim_z - 0.02), 0.01, corner=corner, taper=1.0),
        by=(-a + 0.11, 0, (tall + rim_z - 0.04) / 2),
    )
    cap = moved(block((0.22, 2 * tank_b, 0.03), 0.008, corner=corner + 0.01), by=(-a + 0.11, 0, tall - 0.015))
    button = (
        moved(cylinder(0.022, 0.03, "x", 0.003, 20), by=(-a + 0.215, 0.6 * tank_b, tall - 0.1))
        if style == 0
        else moved(cylinder(0.035, 0.012, "z", 0.003, 24), by=(-a + 0.11, 0, tall - 0.0061))
    )
    lever = (
        rod((-a + 0.225, 0.6 * tank_b, tall - 0.1), (-a + 0.23, 0.6 * tank_b - 0.08, tall - 0.105), 0.007, 8)
        if style == 0
        else button
    )
    seat = loft(
        np.array(
            [
                np.column_stack([o, np.full(len(o), z)])
                for o, z in (
                    (outer, rim_z + 0.004),
                    (outer, rim_z + 0.022),
                    (_oval(back + 0.07, ahead - 0.08, b - 0.075), rim_z + 0.022),
                    (_oval(back + 0.07, ahead - 0.08, b - 0.075), rim_z + 0.004),
                )
            ]
        ),
        closed=True,
    )
    lid = moved(extrude(outer, 0.018, 0.005), by=(0, 0, rim_z + 0.035))
    lid = tilted(lid, (back - 0.002 + 0.02, rim_z + 0.026), -98 * state.openness)
    top = tall if style == 0 else tall + 0.0
    shelf = top_of((-a + 0.02, -tank_b + 0.05), (-a + 0.2, tank_b - 0.05) if style == 0 else (-a + 0.2, -0.05), top)
    solids = (
        bowl.vertices[bowl.vertices[:, 2] < 0.31],
        *wall_solids(outer, inner, 0.28, rim_z + 0.022, 8),
        neck,
        merge(tank, cap),
        lid,
    )
    return Model(
        (
            (merge(bowl, neck, tank, cap), paint.look),
            (merge(seat, lid), seat_look),
            (water, _WATER),
            (merge(button, lever) if style == 0 else button, STEEL),
        ),
        solids,
        (shelf,),
    )


def _bathtub(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bathtub: with straight panels, oval on a plinth, or on four feet."""
    deep, wide, tall = size - [0, 0, 0.112]
    style = int(generator.integers(0, 3))
    lift = 0.12 if style == 2 else 0.0
    corner = 0.03 if style == 0 else deep / 2
    steps = 6
    outer = rounded_rectangle(deep, wide, corner, steps)
    inner = rounded_rectangle(deep - 0.14, wide - 0.18, max(corner - 0.07, 0.16), steps)
    base = 1.0 if style == 0 else 0.82
    floor = lift + 0.09
    rim = [
        (outer, tall - 0.03),
        (outer, tall),
        (inner, tall),
        (inner * 0.97, tall - 0.06),
        (inner * 0.86, floor + 0.06),
        (inner * 0.78, floor),
    ]
    shell = (outer * 0.985, tall - 0.035) if style == 0 else (outer * 0.94, tall - 0.035)
    foot = (outer * 0.985 if style == 0 else outer * base * 0.94, lift)
    wall = [foot, shell] if style == 0 else [foot, (outer * 0.9, lift + 0.4 * (tall - lift)), shell]
    tub = vessel([*wall, *rim])
    y, z = -wide / 2 + 0.05, tall - 0.002
    spout = tube(
        fillet([(0, y, z), (0, y, z + 0.11), (0, y + 0.14, z + 0.11), (0, y + 0.14, z + 0.07)], 0.04), 0.016, 10
    )
    taps = [
        merge(
            moved(cylinder(0.016, 0.05, "z", 0.003, 14), by=(s * 0.11, y, z + 0.025)),
            moved(cylinder(0.03, 0.014, "z", 0.005, 10), by=(s * 0.11, y, z + 0.055)),
        )
        for s in (-1, 1)
    ]
    drain = moved(cylinder(0.025, 0.004, "z", 0.001, 20), by=(0, -0.25 * wide, floor + 0.001))
    parts: list[tuple[Mesh, Look]] = [(tub, paint.look), (merge(spout, *taps, drain), STEEL)]
    feet = []
    if style == 2:
        feet = [
            merge(
                moved(ellipsoid((0.04, 0.04, 0.035), 14), by=(sx * 0.28 * deep, sy * 0.32 * wide, 0.035)),
                rod(
                    (sx * 0.28 * deep, sy * 0.32 * wide, 0.04),
                    (sx * 0.24 * deep, sy * 0.29 * wide, lift + 0.03),
                    (0.03, 0.045),
                    10,
                ),
            )
            for sx in (-1, 1)
            for sy in (-1, 1)
        ]
        parts.append((merge(*feet), plain((0.70, 0.56, 0.28), "metal")))
    reach = 0.5 if style == 0 else 0.36
    inside = top_of(
        (-reach * (deep - 0.14) * 0.5, -0.2 * wide), (reach * (deep - 0.14) * 0.5, 0.3 * wide), floor, tall - floor
    )
    bottom = np.concatenate([np.column_stack([outer * base * 0.94, np.full(len(outer), h)]) for h in (lift, floor)])
    return Model(
        tuple(parts),
        (*wall_solids(outer, inner, lift + 0.02, tall, 12), bottom, *feet, spout),
        hidden((inside,), False),
    )


def _tap(x: float, z: float) -> Mesh:
    """Make the body of a basin's tap on a rim at height ``z``, with its spout towards +x."""
    stem = moved(cylinder(0.02, 0.03, "z", 0.003, 16), by=(x, 0, z + 0.014))
    neck = tube(
        fillet([(x, 0, z), (x, 0, z + 0.12), (x + 0.11, 0, z + 0.12), (x + 0.11, 0, z + 0.085)], 0.05), 0.011, 10
    )
    lever = rod((x, 0, z + 0.11), (x - 0.02, 0, z + 0.165), (0.009, 0.006), 8)
    return merge(stem, neck, lever)


def _sink(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a wash basin: on a column, on a cupboard, or on two legs."""
    deep, wide, tall = size
    style, handle, wood = int(generator.integers(0, 3)), int(generator.integers(0, 4)), surface(generator, paint)
    bare = wooden(generator)
    tall_rim = tall - 0.165
    a = deep / 2
    corner = (0.16, 0.02, 0.05)[style]
    outer = rounded_rectangle(deep, wide, corner, 5)
    inner = rounded_rectangle(deep - 0.17, wide - 0.12, max(corner - 0.03, 0.06), 5) + (0.035, 0)
    floor = tall_rim - 0.13
    bottom = tall_rim - 0.16
    centre = np.array([0.035, 0.0])
    narrow = (outer * (0.62 if style == 0 else 0.98), bottom)
    basin = vessel(
        [
            narrow,
            (outer, tall_rim - 0.05),
            (outer, tall_rim),
            (inner, tall_rim),
            ((inner - centre) * 0.92 + centre, tall_rim - 0.04),
            ((inner - centre) * 0.7 + centre, floor),
        ]
    )
    drain = moved(cylinder(0.02, 0.004, "z", 0.001, 18), by=(0.035, 0, floor - 0.0016))
    tap = _tap(-a + 0.06, tall_rim - 0.001)
    china = paint.look if paint.material != "wood" else plain((0.95, 0.95, 0.94), "porcelain")
    metal: list[Mesh] = [tap, drain]
    parts: list[tuple[Mesh, Look]] = []
    solids: list[Mesh | np.ndarray] = [
        *wall_solids(outer, inner, bottom, tall_rim, 8),
        np.column_stack([np.concatenate([outer, outer]) * 0.62, np.repeat([bottom, floor], len(outer))]),
    ]
    if style == 0:
        r = 0.085
        column = moved(
            lathe(
                [
                    (0, 0),
                    (r * 1.5, 0),
                    (r * 1.5, 0.03),
                    (r, 0.12),
                    (0.8 * r, 0.5 * bottom),
                    (r, 0.85 * bottom),
                    (1.5 * r, bottom + 0.005),
                    (0, bottom + 0.005),
                ],
                28,
            ),
            by=(-0.02, 0, 0),
        )
        parts.append((merge(basin, column), china))
        solids.append(column)
    elif style == 1:
        case = board((-a + 0.005, -wide / 2 + 0.01, 0.1), (a - 0.06, wide / 2 - 0.01, bottom))
        plinth = board((-a + 0.01, -wide / 2 + 0.03, 0), (a - 0.1, wide / 2 - 0.03, 0.1))
        doors, grips = zip(
            *[
                front((p, 0.1), (q, bottom), a - 0.059, handle, side)
                for p, q, side in ((-wide / 2 + 0.01, 0.0, "high"), (0.0, wide / 2 - 0.01, "low"))
            ],
            strict=True,
        )
        parts += [(basin, china), (merge(case, *doors), bare), (plinth, BLACK)]
        metal += grips
        solids += [case, plinth, *doors]
    else:
        legs = [
            rod((a - 0.06, s * (wide / 2 - 0.06), 0), (a - 0.06, s * (wide / 2 - 0.06), bottom + 0.002), 0.015)
            for s in (-1, 1)
        ]
        bar = rod((a - 0.06, -wide / 2 + 0.06, 0.35), (a - 0.06, wide / 2 - 0.06, 0.35), 0.01)
        rear = [
            rod((-a + 0.03, s * (wide / 2 - 0.06), 0), (-a + 0.03, s * (wide / 2 - 0.06), bottom + 0.002), 0.015)
            for s in (-1, 1)
        ]
        parts.append((basin, china))
        metal += [*legs, bar, *rear]
        solids += [*legs, bar, *rear]
    parts.append((merge(*metal), STEEL))
    del wood
    inside = top_of(
        (0.05, -0.25 * (wide - 0.12)), (0.035 + 0.3 * (deep - 0.17), 0.25 * (wide - 0.12)), floor, tall_rim - floor
    )
    return Model(tuple(parts), tuple(solids), hidden((inside,), False))


KINDS: tuple[HomeKind, ...] = (
    HomeKind(
        "Toilet",
        "toilet",
        ("white",),
        ("porcelain",),
        ((0.862, 0.9), (0.529, 0.54), (0.946, 0.98)),
        _toilet,
        front="the front of its bowl",
        shows=_OPENED,
        density=150,
    ),
    HomeKind(
        "Bathtub",
        "bathtub",
        ("white", "white", "pink", "green"),
        ("porcelain",),
        ((0.72, 0.82), (1.5, 1.75), (0.64, 0.72)),
        _bathtub,
        symmetry="half",
        along="its taps",
        density=120,
    ),
    HomeKind(
        "Sink",
        "sink",
        ("white",),
        ("porcelain",),
        ((0.44, 0.52), (0.52, 0.72), (0.96, 1.04)),
        _sink,
        front="its free side",
        density=120,
    ),
)
