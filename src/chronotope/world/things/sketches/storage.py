"""Furniture for storing things: refrigerators, cabinets, dressers, safes and shelves."""

import itertools

import numpy as np

from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import (
    BLACK,
    DARK,
    SHUT,
    STEEL,
    WHITE,
    apart,
    board,
    boards,
    carcass,
    clad,
    front,
    hidden,
    hinged,
    rod,
    surface,
    top_of,
    wooden,
)
from chronotope.world.things.kind import HomeState, Model, Shelf
from chronotope.world.things.mesh import (
    Mesh,
    block,
    cylinder,
    extrude,
    merge,
    moved,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_BRASS = plain((0.70, 0.56, 0.28), "metal")


def fridge(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a refrigerator: freezer above or below, two wings, or one tall door."""
    deep, wide, tall = size
    style, left = int(generator.integers(0, 4)), bool(generator.integers(0, 2))
    back, face, half = -deep / 2, deep / 2 - 0.105, wide / 2
    cut = {0: 0.68, 1: 0.36}.get(style, 0.0) * tall
    low, high = (cut, tall) if style == 1 else (0.05, cut or tall)
    shell = carcass((back, -half, low), (face, half, high), 0.05)
    lining = merge(
        *carcass((back + 0.032, -half + 0.049, low + 0.049), (face - 0.002, half - 0.049, high - 0.049), 0.006)
    )
    solid: list[Mesh] = [*shell]
    outside, grips = [*shell], []
    if style in (0, 1):
        z0, z1 = (cut, tall) if style == 0 else (0.05, cut)
        solid.append(board((back, -half, z0), (face, half, z1)))
        door, grip = _fridge_door(face, -half, half, z0 + 0.004, z1, left, "low" if style == 0 else "high")
        outside += [solid[-1], door]
        grips.append(grip)
    feet = boards(((back + 0.03, -half + 0.03, 0), (face - 0.03, half - 0.03, 0.05)))
    racks, shelves = _fridge_racks(back + 0.04, face - 0.03, half - 0.056, low + 0.055, high - 0.055)
    trays = []
    for y0, y1, on_left in ((-half, 0.0, True), (0.0, half, False)) if style == 2 else ((-half, half, left),):
        door, grip = _fridge_door(face, y0, y1, low, high, on_left, "low" if style == 1 else "high")
        tray = boards(
            *[
                (
                    (face - 0.075, y0 + 0.09, low + f * (high - low)),
                    (face + 0.001, y1 - 0.09, low + f * (high - low) + 0.07),
                )
                for f in (0.15, 0.45, 0.72)
            ]
        )
        panel = board((face - 0.004, y0 + 0.06, low + 0.06), (face + 0.002, y1 - 0.06, high - 0.06))
        hinge, way = ((face, y0), -1) if on_left else ((face, y1), 1)
        door, grip, tray, panel = (hinged(m, hinge, way * 112 * state.openness) for m in (door, grip, tray, panel))
        outside.append(door)
        grips.append(grip)
        solid.append(door)
        trays += [tray, panel] if state.openness else []
    parts = [
        (merge(*outside), paint.look),
        (merge(*grips), DARK if paint.colour != "black" else STEEL),
        (merge(lining, *trays), plain((0.97, 0.98, 0.99), "plastic")),
        (racks, plain((0.72, 0.84, 0.88), "glass")),
        (feet, BLACK),
    ]
    solids = (*solid, feet, *apart(racks))
    return Model(
        tuple(parts), solids, (*hidden(shelves, state.openness < SHUT), top_of((back, -half), (face, half), tall))
    )


def _fridge_door(
    face: float, y0: float, y1: float, z0: float, z1: float, left: bool, grip_at: str
) -> tuple[Mesh, Mesh]:
    # Make a door of a refrigerator, hinged at the left or right, with an upright handle.
    door = clad(
        moved(
            turned(block((z1 - z0 - 0.006, y1 - y0 - 0.004, 0.06), 0.012), "y", 90),
            by=(face + 0.033, (y0 + y1) / 2, (z0 + z1) / 2),
        )
    )
    y = y1 - 0.06 if left else y0 + 0.06
    length = min(0.42, 0.7 * (z1 - z0))
    start = z1 - 0.06 - length if grip_at == "low" and z1 - z0 > 0.6 else z0 + 0.05
    start = start if z1 - z0 < 0.9 else (z0 + z1 - length) / 2
    x = face + 0.092
    bar = rod((x, y, start), (x, y, start + length), 0.011, 10)
    pegs = [rod((face + 0.058, y, z), (x, y, z), 0.009, 8) for z in (start + 0.04, start + length - 0.04)]
    return door, merge(bar, *pegs)


def _fridge_racks(x0: float, x1: float, half: float, low: float, high: float) -> tuple[Mesh, list[Shelf]]:
    # Make the glass shelves of a refrigerator and the drawers for vegetables under them.
    crisper = 0.2
    count = max(2, round((high - low - crisper) / 0.3))
    levels = [low + crisper + k * (high - low - crisper) / count for k in range(count)]
    step = levels[1] - levels[0]
    racks = [((x0, -half, z - 0.012), (x1 - 0.06, half, z)) for z in levels]
    drawers = [
        ((x0 + 0.02, y - half / 2 + 0.012, low + 0.008), (x1 - 0.075, y + half / 2 - 0.012, low + crisper - 0.03))
        for y in (-half / 2, half / 2)
    ]
    shelves = [top_of((x0 + 0.01, -half + 0.01), (x1 - 0.07, half - 0.01), z, step - 0.03) for z in levels]
    return boards(*racks, *drawers), shelves


def cabinet(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a cabinet with one or two doors and shelves behind them."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 4))
    foot = float(generator.choice([0.0, 0.06, 0.14]))
    back, face, half = -deep / 2, deep / 2 - 0.046, wide / 2
    shell = carcass((back, -half, foot), (face, half, tall), 0.02)
    count = max(2, round((tall - foot) / 0.36))
    step = (tall - foot - 0.02) / count
    levels = [foot + 0.02 + k * step for k in range(count)]
    inner = [board((back + 0.014, -half + 0.02, z - 0.018), (face - 0.02, half - 0.02, z)) for z in levels[1:]]
    shelves = [top_of((back + 0.02, -half + 0.025), (face - 0.025, half - 0.025), z, step - 0.03) for z in levels]
    legs = _feet(deep - 0.046, wide, foot, -0.023) if foot else []
    doors, grips = [], []
    wings = [(-half, half, True)] if wide < 0.55 else [(-half, 0.0, True), (0.0, half, False)]
    for y0, y1, left in wings:
        made = front((y0, foot), (y1, tall), face + 0.001, style, "high" if left else "low")
        hinge, way = ((face, y0), -1) if left else ((face, y1), 1)
        door, grip = (hinged(mesh, hinge, way * 108 * state.openness) for mesh in made)
        doors.append(door)
        grips.append(grip)
    top = () if tall > 1.4 else (top_of((back, -half), (face, half), tall),)
    return Model(
        ((merge(*shell, *inner, *doors, *legs), look), (merge(*grips), STEEL if style != 1 else _BRASS)),
        (*shell, *inner, *doors, *legs),
        (*hidden(shelves, state.openness < SHUT), *top),
    )


def _feet(deep: float, wide: float, tall: float, x: float = 0.0) -> list[Mesh]:
    """Make four short feet, thinner towards the floor."""
    a, b = deep / 2 - 0.04, wide / 2 - 0.05
    return [
        rod((x + sx * a, sy * b, 0), (x + sx * (a - 0.012), sy * (b - 0.012), tall + 0.001), (0.013, 0.02))
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]


def dresser(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a chest of drawers, in one column or two."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 4))
    foot = float(generator.choice([0.0, 0.08, 0.16]))
    back, face, half = -deep / 2, deep / 2 - 0.046, wide / 2
    body = board((back, -half + 0.01, foot), (face, half - 0.01, tall - 0.025))
    top = board((back, -half, tall - 0.025), (deep / 2 - 0.022, half, tall))
    columns = 1 if wide < 0.85 else 2 if wide < 1.5 else 3
    rows = max(3, round((tall - foot) / 0.21))
    fronts, grips = [], []
    for column in range(columns):
        for row in range(rows):
            y = -half + 0.014 + np.array([column, column + 1]) * (wide - 0.028) / columns
            z = foot + 0.012 + np.array([row, row + 1]) * (tall - 0.045 - foot) / rows
            panel, grip = front((y[0], z[0]), (y[1], z[1]), face + 0.001, style, "middle")
            fronts.append(panel)
            grips.append(grip)
    legs = _feet(deep - 0.046, wide, foot, -0.023) if foot else []
    trim = wooden(generator) if look.texture is None and generator.random() < 0.5 else look
    return Model(
        (
            (merge(body, *fronts), look),
            (merge(top, *legs), trim),
            (merge(*grips), STEEL if style in (0, 3) else _BRASS),
        ),
        (merge(body, *fronts), top, *legs),
        (top_of((back, -half), (deep / 2 - 0.022, half), tall),),
    )


def safe(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a strongbox with a dial or keypad, and a thick door."""
    deep, wide, tall = size
    dial = bool(generator.integers(0, 2))
    back, face, half, wall = -deep / 2, deep / 2 - 0.09, wide / 2, 0.035
    low = 0.015  # the height of the feet
    shell = carcass((back, -half, low), (face, half, tall), wall)
    edge = wall - 0.001
    lining = carcass((back + 0.022, -half + edge, low + edge), (face - 0.002, half - edge, tall - edge), 0.005)
    feet = [
        board((x - 0.02, y - 0.02, 0), (x + 0.02, y + 0.02, low))
        for x in (-0.3 * deep - 0.045, 0.3 * deep - 0.045)
        for y in (-0.35 * wide, 0.35 * wide)
    ]
    door = _safe_door(face, wide, tall, dial)
    slab, metal, plate, marks = (hinged(mesh, (face, -half), -110 * state.openness) for mesh in door)
    middle, floor, inner = 0.55 * tall, low + wall + 0.004, half - wall - 0.01
    rack = board((back + 0.03, -inner - 0.008, middle), (face - 0.03, inner + 0.008, middle + 0.008))
    inside = [
        top_of((back + 0.04, -inner), (face - 0.04, inner), floor, middle - floor - 0.005),
        top_of((back + 0.04, -inner), (face - 0.04, inner), middle + 0.008, 0.45 * tall - wall - 0.025),
    ]
    return Model(
        (
            (merge(*shell, slab), paint.look),
            (merge(metal, rack), STEEL if paint.colour != "white" else DARK),
            (plate, BLACK),
            (marks, WHITE),
            (merge(*lining, *feet), DARK),
        ),
        (*shell, slab, rack),
        (*hidden(inside, state.openness < SHUT), top_of((back, -half), (face, half), tall)),
    )


def _safe_door(face: float, wide: float, tall: float, dial: bool) -> tuple[Mesh, Mesh, Mesh, Mesh]:
    # Make the closed door of a safe: its slab, its wheel and bolts, the plate of its lock, and the marks on it.
    half, x, z = wide / 2, face + 0.04, 0.52 * tall
    slab = turned(block((tall - 0.03, wide - 0.008, 0.04), 0.005), "y", 90)
    slab = clad(moved(slab, by=(face + 0.021, 0, 0.0075 + tall / 2)))
    bolt = board((face - 0.025, -half + 0.05, 0.08), (face + 0.002, half - 0.05, tall - 0.065))
    spokes = [turned(rod((0.03, -0.055, 0), (0.03, 0.055, 0), 0.007, 8), "x", 60 * k + 20) for k in range(3)]
    hub = moved(cylinder(0.014, 0.05, "x", 0.002, 16), by=(0.02, 0, 0))
    wheel = moved(merge(hub, *spokes), by=(x, -0.14 * wide, z))
    if dial:
        plate = moved(cylinder(0.045, 0.012, "x", 0.002, 28), by=(x + 0.005, 0.2 * wide, z))
        return slab, merge(wheel, bolt), plate, _dial_marks(x + 0.011, 0.2 * wide, z)
    plate = board((x - 0.001, 0.06 * wide, z - 0.065), (x + 0.006, 0.34 * wide, z + 0.075))
    return slab, merge(wheel, bolt), plate, _keys(x + 0.005, 0.2 * wide, z)


def _dial_marks(x: float, y: float, z: float) -> Mesh:
    """Make the knob and the twelve ticks of a dial."""
    tick = board((0, -0.0015, 0.028), (0.002, 0.0015, 0.040))
    knob = moved(cylinder(0.016, 0.02, "x", 0.002, 16), by=(0.009, 0, 0))
    return moved(merge(knob, *(turned(tick, "x", 30 * k) for k in range(12))), by=(x, y, z))


def _keys(x: float, y: float, z: float) -> Mesh:
    """Make twelve keys under a display."""
    return boards(
        *[
            (
                (x, y - 0.028 + 0.022 * c, z - 0.05 + 0.024 * r),
                (x + 0.004, y - 0.012 + 0.022 * c, z - 0.034 + 0.024 * r),
            )
            for c in range(3)
            for r in range(4)
        ],
        ((x, y - 0.03, z + 0.048), (x + 0.003, y + 0.034, z + 0.066)),
    )


def shelving(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bookcase, a rack with metal posts, or a grid of open cubes."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 3))
    thick, half, back = 0.022, wide / 2, -deep / 2
    count = max(2, round(tall / 0.38))
    foot = 0.06 if style == 0 else 0.02 if style == 2 else 0.12
    levels = np.linspace(foot + thick, tall, count + 1)
    side = thick if style != 1 else 0.0
    flats = [board((back, -half + side, z - thick), (deep / 2, half - side, z)) for z in levels]
    extra: list[Mesh] = []
    columns = [(-half + side, half - side)]
    if style != 1:
        extra += [board((back, s * half, 0), (deep / 2, s * (half - thick), tall)) for s in (-1, 1)]
    if style == 0:
        extra.append(board((back, -half + thick, foot), (back + 0.008, half - thick, tall - thick)))
        extra.append(board((deep / 2 - 0.03, -half + thick, 0), (deep / 2 - 0.012, half - thick, foot)))
    if style == 2 and wide > 0.6:
        cells = max(2, round(wide / 0.4))
        cuts = np.linspace(-half + thick / 2, half - thick / 2, cells + 1)
        for z0, z1 in itertools.pairwise(levels):
            extra += [board((back, y - thick / 2, z0), (deep / 2, y + thick / 2, z1 - thick)) for y in cuts[1:-1]]
        columns = [(a + thick / 2, b - thick / 2) for a, b in itertools.pairwise(cuts)]
    posts = (
        [
            board((sx * deep / 2, sy * half, 0), (sx * (deep / 2 - 0.025), sy * (half - 0.025), tall - 0.001))
            for sx in (-1, 1)
            for sy in (-1, 1)
        ]
        if style == 1
        else []
    )
    margin = 0.03 if style == 1 else 0.012
    shelves = []
    for k, z in enumerate(levels):
        clear = np.inf if k == count else levels[k + 1] - thick - z - 0.01
        spans = [(-half, half)] if k == count else columns
        shelves += [top_of((back + margin, a + margin), (deep / 2 - 0.012, b - margin), z, clear) for a, b in spans]
    parts: list[tuple[Mesh, Look]] = [(merge(*flats, *extra), look)]
    if posts:
        parts.append((merge(*posts), BLACK if paint.colour != "black" else STEEL))
    return Model(tuple(parts), (*flats, *extra, *posts), tuple(shelves))


def shelf(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a shelf on a wall: a thick board, a board on brackets, or an open box."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 3))
    half, thick = wide / 2, 0.022
    if style == 2:
        shell = [
            *carcass((0, -half, 0), (deep, half, tall), thick),
        ]
        shelves = (
            top_of((0.02, -half + thick + 0.005), (deep - 0.01, half - thick - 0.005), thick, tall - 2 * thick - 0.01),
            top_of((0, -half), (deep, half), tall),
        )
        return Model(((merge(*shell), look),), tuple(shell), shelves)
    if style == 0:
        slabs = [
            board((0, -half, tall - 0.045), (deep, half, tall)),
            board((0, -half + 0.05, 0), (0.012, half - 0.05, tall - 0.045)),
        ]
        return Model(((merge(*slabs), look),), tuple(slabs), (top_of((0, -half), (deep, half), tall),))
    flat = board((0, -half, tall - thick), (deep, half, tall))
    arm = tall - thick
    corner = [(0.0, 0.0), (0.018, 0.0), (deep * 0.85, arm - 0.018), (deep * 0.85, arm), (0.0, arm)]
    bracket = turned(extrude(corner, 0.022), "x", 90)
    brackets = [moved(bracket, by=(0, s * half * 0.7, 0)) for s in (-1, 1)]
    metal = BLACK if paint.colour != "black" else STEEL
    return Model(
        ((flat, look), (merge(*brackets), metal)), (flat, *brackets), (top_of((0, -half), (deep, half), tall),)
    )
