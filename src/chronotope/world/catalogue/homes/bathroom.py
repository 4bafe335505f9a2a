"""Fixtures of bathrooms: toilets, bathtubs, basins, showers, mirrors and holders."""

import numpy as np

from chronotope.world.catalogue.colours import plain
from chronotope.world.catalogue.homes.joinery import (
    BLACK,
    STEEL,
    board,
    boards,
    cushion,
    front,
    hidden,
    hinged,
    mapped,
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

__all__ = ["KINDS", "pleats"]

_OPENED = frozenset({"openness"})
_WATER = plain((0.62, 0.78, 0.86), "glass")
_FROSTED = plain((0.72, 0.84, 0.86), "glass")


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
    seat = vessel(
        [
            (outer * 1.0, rim_z + 0.004),
            (outer, rim_z + 0.022),
            (_oval(back + 0.07, ahead - 0.08, b - 0.075), rim_z + 0.022),
            (_oval(back + 0.07, ahead - 0.08, b - 0.075), rim_z + 0.004),
        ]
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


def _shower_door(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
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
    """Make hanging cloth in waves between y = ``low`` and ``high``, ``depth`` deep in all, from z = ``base`` up."""
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
    """Join the rings of thin cloth, whose ends are strips between the two sides of ``half`` points each."""
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


def _shower_curtain(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
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
    """Draw the cloth of a shower curtain (128, 128, 3): dots, stripes or waves."""
    y, x = np.mgrid[:128, :128] / 128
    inked = (
        np.hypot(x - 0.5, y - 0.5) < 0.22,
        np.abs(x - 0.5) < 0.14,
        np.abs(y - 0.5 - 0.15 * np.sin(2 * np.pi * x)) < 0.1,
    )[style]
    ground = np.array([0.95, 0.96, 0.96]) if paint.colour != "white" else np.array([0.35, 0.62, 0.72])
    return np.rint(255 * np.where(inked[..., None], paint.look.colour, ground)).astype(np.uint8)


def _mirror(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a mirror in a frame: square, round or with an arch. A dirty mirror has smears and drops."""
    _, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 3))
    spots = generator.uniform(0, 1, (60, 3))
    deep = float(size[0])
    border = 0.035
    outline = _mirror_outline(wide, tall, style)
    inner = outline * [(wide - 2 * border) / wide, (tall - 2 * border) / tall]
    frame = loft(
        np.array(
            [
                np.column_stack([o, np.full(len(o), z)])
                for o, z in ((outline, 0.0), (outline, deep), (inner, deep), (inner, 0.0))
            ]
        ),
        closed=True,
    )
    back = extrude(inner * 1.004, 0.6 * deep)
    frame, glass = _upright(frame, tall / 2), moved(_upright(back, tall / 2), by=(0.3 * deep, 0, 0))
    glass = mapped(glass, (-wide / 2, 0), (wide / 2, tall))
    picture = _reflection(spots if state.dirty else None)
    return Model(((frame, look), (glass, plain((1, 1, 1), "glass", picture))), (frame,))


def _upright(mesh: Mesh, z: float) -> Mesh:
    """Turn a level picture (x right, y up) upright, facing +x, its middle at height ``z``."""
    v = mesh.vertices
    return mesh._replace(vertices=np.stack([v[:, 2], v[:, 0], v[:, 1] + z], axis=1))


def _mirror_outline(wide: float, tall: float, style: int) -> np.ndarray:
    if style == 0:
        return rounded_rectangle(wide, tall, 0.01, 1)
    if style == 1:
        turn = np.arange(40) * (2 * np.pi / 40)
        return np.stack([wide / 2 * np.cos(turn), tall / 2 * np.sin(turn)], axis=1)
    turn = np.linspace(0, np.pi, 20)
    rise = min(wide / 2, 0.45 * tall)
    arch = np.stack([wide / 2 * np.cos(turn), tall / 2 - rise + rise * np.sin(turn)], axis=1)
    return np.concatenate([arch, [[-wide / 2, -tall / 2], [wide / 2, -tall / 2]]])


def _reflection(spots: np.ndarray | None) -> np.ndarray:
    """Draw silvered glass with slanted glints (192, 192, 3), with smears and drops at ``spots`` (N, 3)."""
    y, x = np.mgrid[:192, :192] / 192
    glint = np.exp(-(((x + y - 0.75) / 0.09) ** 2)) + 0.7 * np.exp(-(((x + y - 1.02) / 0.03) ** 2))
    values = np.array([0.62, 0.70, 0.74]) * (1.12 - 0.25 * y)[..., None] + 0.28 * glint[..., None]
    if spots is not None:
        for cx, cy, share in spots:
            r = 0.012 + 0.04 * share**3
            values[np.hypot(x - cx, y - cy) < r] = (0.45, 0.38, 0.27)
            values[(np.abs(x - cx) < 0.3 * r) & (y > cy) & (y < cy + 5 * r)] = (0.50, 0.43, 0.32)
    return np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)


def _towel_holder(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a rail for towels on two posts."""
    deep, wide, tall = size
    style, half, z = int(generator.integers(0, 3)), wide / 2, tall / 2
    metal = plain(paint.look.colour, "metal") if paint.colour in ("black", "golden") else STEEL
    x = deep - 0.011
    if style == 2:
        bars = [board((x - 0.011, -half, z - 0.011), (x + 0.011, half, z + 0.011))]
        plates = [board((0, s * half, 0), (0.01, s * (half - tall), tall)) for s in (-1, 1)]
    else:
        bars = [rod((x, -half + 0.001, z), (x, half - 0.001, z), 0.009)]
        plates = [
            moved(cylinder(tall / 2, 0.012, "x", 0.003, 24), by=(0.006, s * (half - tall / 2), z)) for s in (-1, 1)
        ]
    if style == 1:
        bars.append(rod((0.5 * x, -half + 0.001, z), (0.5 * x, half - 0.001, z), 0.007))
    posts = [rod((0.004, s * (half - tall / 2), z), (x, s * (half - tall / 2), z), 0.009) for s in (-1, 1)]
    return Model(((merge(*bars, *plates, *posts), metal),), (*bars, *plates, *posts))


def _hand_towel_holder(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a ring for a hand towel, round or square, that hangs from a post."""
    deep, wide, tall = size
    metal = plain(paint.look.colour, "metal") if paint.colour in ("black", "golden") else STEEL
    square, r = bool(generator.integers(0, 2)), 0.006
    x, post = deep - 0.012, 0.024
    plate = moved(cylinder(post, 0.012, "x", 0.003, 24), by=(0.006, 0, tall - post))
    arm = rod((0.004, 0, tall - post), (deep, 0, tall - post), 0.010)
    a, middle = wide / 2 - r, (tall - post) / 2
    if square:
        outline = rounded_rectangle(2 * a, tall - post - 2 * r, 0.015, 3)
    else:
        turn = np.arange(32) * (2 * np.pi / 32)
        outline = np.stack([a * np.cos(turn), (middle - r) * np.sin(turn)], axis=1)
    path = np.column_stack([np.full(len(outline), x), outline[:, 0], outline[:, 1] + middle])
    hoop = tube(path, r, 8, closed=True, up=(1.0, 0, 0))
    return Model(((merge(plate, arm, hoop), metal),), (plate, arm, hoop))


def _paper_hanger(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a hanger for toilet paper: an open arm, a bar between two posts, or an arm under a cover."""
    deep, wide, tall = size
    metal = plain(paint.look.colour, "metal") if paint.colour in ("black", "golden") else STEEL
    style, half, r = int(generator.integers(0, 3)), wide / 2, 0.008
    x, z = deep - 0.012, 0.012
    if style == 1:
        posts = [cushion((0, s * half, 0), (deep, s * (half - 0.02), 0.05), 0.006) for s in (-1, 1)]
        made = [*posts, rod((x - 0.006, -half + 0.01, 0.025), (x - 0.006, half - 0.01, 0.025), 0.009)]
        made += [board((0, s * half, 0.05), (0.012, s * (half - 0.02), tall)) for s in (-1, 1)]
        return Model(((merge(*made), metal),), tuple(made))
    plate = moved(cylinder(0.024, 0.012, "x", 0.003, 24), by=(0.006, -half + 0.024, tall - 0.024))
    path = [
        (0.004, -half + 0.024, tall - 0.024),
        (x, -half + 0.024, tall - 0.024),
        (x, -half + 0.024, z),
        (x, half - 0.004, z),
    ]
    arm = tube(fillet(path, 0.02), r, 10)
    tip = moved(ellipsoid(0.011, 12), by=(x, half - 0.011, z))
    made = [plate, arm, tip]
    if style == 2:
        made += [
            board((0, -half, tall - 0.006), (deep, half, tall)),
            board((deep - 0.004, -half, tall - 0.05), (deep, half, tall - 0.006)),
        ]
    return Model(((merge(*made), metal),), tuple(made))


_METALS = ("white", "white", "black", "golden")

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
    HomeKind(
        "ShowerDoor",
        "shower door",
        ("white",),
        ("glass",),
        ((0.04, 0.05), (0.75, 0.95), (1.9, 2.05)),
        _shower_door,
        front="its handle",
        shows=_OPENED,
        density=200,
    ),
    HomeKind(
        "ShowerCurtain",
        "shower curtain",
        ("blue", "green", "white", "red", "purple", "orange"),
        ("fabric",),
        ((0.08, 0.11), (1.2, 1.6), (1.8, 1.938)),
        _shower_curtain,
        symmetry="half",
        shows=_OPENED,
        density=20,
    ),
    HomeKind(
        "Mirror",
        "mirror",
        ("brown", "white", "black", "golden"),
        ("wood",),
        ((0.018, 0.03), (0.5, 0.8), (0.6, 0.95)),
        _mirror,
        mount="wall",
        front="its glass",
        shows=frozenset({"dirty"}),
        density=300,
    ),
    HomeKind(
        "TowelHolder",
        "towel rail",
        _METALS,
        ("steel",),
        ((0.08, 0.112), (0.5, 0.66), (0.04, 0.05)),
        _towel_holder,
        mount="wall",
        front="its rail",
        density=200,
    ),
    HomeKind(
        "HandTowelHolder",
        "towel ring",
        _METALS,
        ("steel",),
        ((0.045, 0.055), (0.15, 0.18), (0.18, 0.21)),
        _hand_towel_holder,
        mount="wall",
        front="its ring",
        density=100,
    ),
    HomeKind(
        "ToiletPaperHanger",
        "toilet paper holder",
        _METALS,
        ("steel",),
        ((0.08, 0.11), (0.16, 0.2), (0.09, 0.12)),
        _paper_hanger,
        mount="wall",
        front="its arm",
        density=100,
    ),
)
