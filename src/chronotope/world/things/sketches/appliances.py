"""Appliances of homes: ovens, machines for clothes, televisions and vacuum cleaners."""

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
    cushion,
    hidden,
    hinged,
    pane,
    rod,
    top_of,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    cylinder,
    ellipsoid,
    fillet,
    lathe,
    loft,
    merge,
    moved,
    tube,
    turned,
)
from chronotope.world.things.textures import write
from chronotope.world.things.thing import Look, Paint
from chronotope.world.things.wall_pictures import broadcast


def _display(text: str, colour: tuple[float, float, float] | None) -> np.ndarray:
    # Draw a small display (32, 96, 3) with lit letters, or a dark one.
    dark = np.full((32, 96, 3), (16, 22, 20), np.uint8)
    return dark if colour is None else write(dark, text, colour, (0.08, 0.15, 0.92, 0.85))


def microwave(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a microwave oven; if it is on, its window and its display are lit."""
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    back, face, half, foot = -deep / 2, deep / 2 - 0.056, wide / 2, 0.015
    split = half - 0.15  # the panel with the buttons is to the right
    shell = carcass((back, -half, foot), (face, half, tall), 0.02)
    works = board((back + 0.013, split, foot + 0.02), (face, half - 0.02, tall - 0.02))
    edge = foot + 0.019
    lining = carcass((back + 0.012, -half + 0.019, edge), (face - 0.001, split + 0.001, tall - 0.019), 0.006)
    x, y = (back + face) / 2, (split - half) / 2
    plate = moved(cylinder(0.125, 0.008, "z", 0.002, 28), by=(x, y, foot + 0.036))
    hub = moved(cylinder(0.03, 0.009, "z", 0.001, 16), by=(x, y, foot + 0.029))
    x0, x1 = face + 0.001, face + 0.03
    control = board((x0, split + 0.002, foot), (x1, half, tall))
    door = _oven_door(x0, (-half, split), (foot, tall))
    door, window, dark = (hinged(mesh, (x0, -half), -105 * state.openness) for mesh in door)
    screen = pane((split + 0.02, tall - 0.075), (half - 0.02, tall - 0.035), x1 - 0.001, 0.003)
    feet = [
        board((u - 0.015, v - 0.015, 0), (u + 0.015, v + 0.015, foot))
        for u in (-0.35 * deep, 0.3 * deep)
        for v in (-0.4 * wide, 0.4 * wide)
    ]
    trim = merge(dark, *feet, _buttons(style, x1, split, half, foot, tall))
    z = foot + 0.040
    inside = top_of((x - 0.085, y - 0.085), (x + 0.085, y + 0.085), z, tall - 0.035 - z)
    digits = _display("12 30", (0.3, 1.0, 0.5) if state.on else None)
    return Model(
        (
            (merge(*shell, works, control, door), paint.look),
            (merge(*lining), plain((0.80, 0.80, 0.78) if not state.on else (1.0, 0.88, 0.55), "metal")),
            (merge(plate, hub), plain((0.78, 0.88, 0.90), "glass")),
            (window, plain((1.0, 0.80, 0.35) if state.on else (0.05, 0.05, 0.06), "glass")),
            (trim, DARK if paint.colour != "black" else plain((0.3, 0.3, 0.32), "plastic")),
            (screen, plain((1, 1, 1), "plastic", digits)),
        ),
        (*shell, works, control, door, plate),
        (*hidden((inside,), state.openness < SHUT), top_of((back, -half), (face, half), tall)),
    )


def _oven_door(x: float, across: tuple[float, float], up: tuple[float, float]) -> tuple[Mesh, Mesh, Mesh]:
    # Make the closed door of a microwave oven at ``x``: its slab, its window, and its handle with the inner side.
    (y0, y1), (z0, z1) = across, up
    out, y = x + 0.029, y1 - 0.03
    slab = board((x, y0, z0), (out, y1 - 0.002, z1))
    window = board((out - 0.001, y0 + 0.05, z0 + 0.055), (out + 0.002, y1 - 0.06, z1 - 0.055))
    path = [(out, y, z0 + 0.05), (out + 0.019, y, z0 + 0.05), (out + 0.019, y, z1 - 0.05), (out, y, z1 - 0.05)]
    inner = board((x - 0.002, y0 + 0.04, z0 + 0.04), (x + 0.001, y1 - 0.04, z1 - 0.04))
    return slab, window, merge(tube(fillet(path, 0.012), 0.007, 8), inner)


def _buttons(style: int, x: float, split: float, half: float, foot: float, tall: float) -> Mesh:
    # Make the keys (styles 0 and 1) or the two dials (2) of a microwave oven.
    middle = (split + half) / 2
    if style == 2:
        return merge(
            *(
                moved(cylinder(0.026, 0.016, "x", 0.003, 22), by=(x + 0.007, middle, z))
                for z in (foot + 0.07, foot + 0.16)
            )
        )
    keys = []
    for row in range(5 if style == 0 else 4):
        for column in range(3):
            y, z = middle + (column - 1) * 0.034, foot + 0.035 + row * (0.034 if style == 0 else 0.042)
            keys.append(((x - 0.001, y - 0.013, z - 0.01), (x + 0.003, y + 0.013, z + 0.01)))
    return boards(*keys)


def television(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a television on its foot: a bright picture if it is on, else a black screen."""
    deep, wide, _ = size
    style = int(generator.integers(0, 3))
    picture = broadcast(generator)
    half, foot = wide / 2, 0.06
    tall = foot + 0.585 * wide
    edge = 0.012 + 0.008 * style
    body = cushion((-0.02, -half, foot), (0.02, half, tall), 0.006)
    bulge = cushion((-0.045, -0.6 * half, foot + 0.05), (-0.018, 0.6 * half, 0.7 * tall), 0.012)
    low, high = (-half + edge, foot + edge + 0.012), (half - edge, tall - edge)
    screen = pane(low, high, 0.0195, 0.002)
    if style == 0:
        stand = [
            board((-deep / 2, -0.2 * wide, 0), (deep / 2, 0.2 * wide, 0.014)),
            board((-0.03, -0.06, 0.014), (-0.005, 0.06, foot + 0.06)),
        ]
    elif style == 1:
        stand = [
            rod((s * deep / 2 * 0.96, t * 0.36 * wide, 0.0095), (0, t * 0.34 * wide, foot + 0.006), (0.009, 0.012), 8)
            for s in (-1, 1)
            for t in (-1, 1)
        ]
    else:
        oval = moved(cylinder(1.0, 0.016, "z", 0.0, 32), scale=(deep / 2, 0.22 * wide, 1.0), by=(0, 0, 0.008))
        stand = [oval, rod((-0.01, 0, 0.01), (-0.01, 0, foot + 0.03), 0.026)]
    light = board((0.0195, half - edge - 0.03, foot + 0.006), (0.0212, half - edge - 0.018, foot + 0.012))
    shown = Look((1, 1, 1), 0.0, 0.0, picture, glow=0.4) if state.on else plain((0.02, 0.02, 0.025), "glass")
    dot = Look((0.2, 1.0, 0.3) if state.on else (0.5, 0.05, 0.05), 0, 0)
    return Model(((merge(body, bulge, *stand), paint.look), (screen, shown), (light, dot)), (body, bulge, *stand))


def _front_loader(
    generator: np.random.Generator,
    paint: Paint,
    size: np.ndarray,
    state: HomeState,
    text: str,
    drum: tuple[float, float, float],
) -> Model:
    # Make a machine with a round door before its drum, a dial, and a display with a ``text``.
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    back, face, half, r = -deep / 2, deep / 2 - 0.05, wide / 2, 0.19
    z, top_z = 0.47 * tall, tall - 0.075
    low, high = z - r - 0.03, z + r + 0.03
    case = boards(
        ((back, -half, 0.02), (face, half, low)),
        ((back, -half, high), (face, half, tall)),
        ((back, -half, low), (face - 0.03, -half + 0.03, high)),
        ((back, half, low), (face - 0.03, half - 0.03, high)),
        ((back, -half + 0.03, low), (back + 0.03, half - 0.03, high)),
    )
    plate = _pierced(wide, low, high, r, z, face)
    feet = boards(
        *[
            ((x - 0.02, y - 0.02, 0), (x + 0.02, y + 0.02, 0.02))
            for x in (-0.38 * deep, 0.33 * deep)
            for y in (-0.4 * wide, 0.4 * wide)
        ]
    )
    length = face - back - 0.05
    tub = moved(turned(_cup(r - 0.002, r - 0.02, length), "y", 90), by=(face - 0.002 - length, 0, z))
    sill = board((back + 0.06, -0.08, z - r + 0.021), (face - 0.02, 0.08, z - r + 0.041))
    door = _round_door(face + 0.001, r, z)
    hoop, glass, grip = (hinged(mesh, (face + 0.001, -r - 0.035), -110 * state.openness) for mesh in door)
    y = (0.0, -0.2, 0.2)[style] * wide
    dial = moved(cylinder(0.04, 0.025, "x", 0.005, 24), by=(face + 0.012, y, top_z))
    mark = board((face + 0.024, y - 0.003, top_z + 0.01), (face + 0.0262, y + 0.003, top_z + 0.036))
    y = (0.3, 0.16, -0.12)[style] * wide
    screen = pane((y - 0.075, top_z - 0.025), (y + 0.075, top_z + 0.025), face - 0.001, 0.004)
    flap = _flap(face, half, top_z, style == 0 and text == "WASH")
    inside = top_of((back + 0.08, -0.075), (face - 0.04, 0.075), z - r + 0.041, 1.2 * r)
    digits = _display(text, (0.3, 0.9, 1.0) if state.on else None)
    return Model(
        (
            (merge(plate, case, flap), paint.look),
            (merge(tub, sill), plain(drum, "steel")),
            (merge(hoop, dial), STEEL if paint.colour != "black" else plain((0.5, 0.5, 0.52), "metal")),
            (glass, plain((0.98, 0.75, 0.35) if state.on else (0.10, 0.12, 0.15), "glass")),
            (merge(grip, mark, feet), DARK),
            (screen, plain((1, 1, 1), "plastic", digits)),
        ),
        (*apart(case), sill, merge(hoop, glass)),
        (*hidden((inside,), state.openness < SHUT), top_of((back, -half), (face, half), tall)),
    )


def _flap(face: float, half: float, top_z: float, soap: bool) -> Mesh:
    # Make the drawer for soap at the top left, or the flap of the filter at the lower left.
    if soap:
        return board((face - 0.001, -half + 0.03, top_z - 0.035), (face + 0.005, -half + 0.17, top_z + 0.035))
    return board((face - 0.001, -half + 0.02, 0.04), (face + 0.004, -half + 0.16, 0.12))


def _round_door(x: float, r: float, z: float) -> tuple[Mesh, Mesh, Mesh]:
    # Make the closed round door of a machine at ``x``, about height ``z``: its ring, its glass, its handle.
    hoop = moved(turned(_tyre(r + 0.035, r - 0.045, 0.035), "y", 90), by=(x, 0, z))
    glass = moved(turned(ellipsoid((r - 0.04, r - 0.04, 0.03), 28, 0.5), "y", 90), by=(x + 0.011, 0, z))
    return hoop, glass, cushion((x + 0.019, r - 0.02, z - 0.05), (x + 0.045, r + 0.025, z + 0.05), 0.008)


def _pierced(wide: float, low: float, high: float, r: float, z: float, face: float) -> Mesh:
    # Make a plate with a round hole: the front of a machine, between two heights, its front side at ``face``.
    turn = np.arange(48) * (2 * np.pi / 48)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    half, tall = wide / 2, (high - low) / 2
    square = circle / np.max(np.abs(circle), axis=1, keepdims=True) * [half, tall]
    rings = [
        np.column_stack([o, np.full(48, h)])
        for o, h in ((circle * r, 0.0), (square, 0.0), (square, 0.03), (circle * r, 0.03))
    ]
    mesh = loft(np.array(rings), closed=True)
    v = mesh.vertices
    return mesh._replace(vertices=np.stack([v[:, 2] + face - 0.03, v[:, 0], v[:, 1] + z], axis=1))


def _cup(radius: float, inner: float, length: float) -> Mesh:
    """Make a hollow cylinder that is open at +z."""
    return lathe([(0, 0), (radius, 0), (radius, length), (inner, length), (inner, 0.015), (0, 0.015)], 40)


def _tyre(outer: float, inner: float, length: float) -> Mesh:
    # Make a flat round frame with bevelled edges, from z = 0 to ``length``.
    b = 0.008
    return lathe(
        [(inner, 0), (outer, 0), (outer, length - b), (outer - b, length), (inner + b, length), (inner, length - b)],
        40,
        closed=True,
    )


def washer(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a washing machine."""
    return _front_loader(generator, paint, size, state, "WASH", (0.62, 0.64, 0.67))


def dryer(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a dryer for clothes."""
    return _front_loader(generator, paint, size, state, "DRY", (0.84, 0.84, 0.82))


def stove(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a stove with four burners over an oven; burners that are on glow red."""
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    back, face, half = -deep / 2, deep / 2 - 0.06, wide / 2
    top_z = tall - (0.16 if style != 1 else 0.0)
    z = top_z - 0.012
    body = board((back, -half, 0.06), (face, half, z - 0.02))
    plinth = board((back + 0.02, -half + 0.02, 0), (face - 0.05, half - 0.02, 0.06))
    hob = board((back, -half, z - 0.02), (face + 0.02, half, z))
    guard = [] if style == 1 else [board((back, -half, z), (back + 0.05, half, tall))]
    x = face + 0.001
    door = board((x, -half + 0.005, 0.2), (x + 0.03, half - 0.005, z - 0.14))
    drawer = board((x, -half + 0.005, 0.07), (x + 0.022, half - 0.005, 0.19))
    panel = board((x, -half + 0.005, z - 0.135), (x + 0.018, half - 0.005, z - 0.021))
    window = board((x + 0.029, -half + 0.1, 0.3), (x + 0.0315, half - 0.1, z - 0.27))
    bar = rod((x + 0.05, -half + 0.08, z - 0.19), (x + 0.05, half - 0.08, z - 0.19), 0.009, 10)
    pegs = [
        rod((x + 0.028, s * (half - 0.11), z - 0.19), (x + 0.05, s * (half - 0.11), z - 0.19), 0.007, 8)
        for s in (-1, 1)
    ]
    knobs, marks, knob_x = [], [], x + 0.018
    for y in np.linspace(-0.32, 0.32, 4) * wide:
        knobs.append(moved(cylinder(0.022, 0.03, "x", 0.004, 18), by=(knob_x + 0.012, y, z - 0.078)))
        mark = board((0.0265, -0.003, 0.002), (0.029, 0.003, 0.02))
        marks.append(moved(turned(mark, "x", -60.0 if state.on else 0.0), by=(knob_x, y, z - 0.078)))
    start = back + 0.06
    rings, plates = [], []
    for cx in (start + 0.25 * (face - start), start + 0.76 * (face - start)):
        for cy, r in ((-0.25 * wide, 0.1), (0.25 * wide, 0.085)):
            plates.append(moved(cylinder(r + 0.006, 0.009, "z", 0.001, 24), by=(cx, cy, z + 0.0045)))
            rings += [moved(_coil(share * r), by=(cx, cy, z + 0.006)) for share in (1.0, 0.68, 0.36)]
    parts: list[tuple[Mesh, Look]] = [
        (merge(body, door, drawer, panel, *guard), paint.look),
        (merge(hob, *plates, plinth), BLACK if style != 0 else plain((0.20, 0.20, 0.22), "metal")),
        (window, plain((0.05, 0.05, 0.06), "glass")),
        (merge(bar, *pegs), STEEL),
        (merge(*knobs), DARK if paint.colour != "black" else STEEL),
        (merge(*marks), WHITE if paint.colour != "black" else BLACK),
        (merge(*rings), Look((1.0, 0.22, 0.05), 0, 0, glow=0.6) if state.on else plain((0.30, 0.30, 0.31), "metal")),
    ]
    if guard:
        clock = pane((-0.08, tall - 0.095), (0.08, tall - 0.045), back + 0.049, 0.003)
        parts.append((clock, plain((1, 1, 1), "plastic", _display("18 45", (1.0, 0.35, 0.2) if state.on else None))))
    spots = tuple(
        top_of((cx - 0.055, cy - 0.055), (cx + 0.055, cy + 0.055), z + 0.0105)
        for cx in (start + 0.25 * (face - start), start + 0.76 * (face - start))
        for cy in (-0.25 * wide, 0.25 * wide)
    )
    return Model(tuple(parts), (body, plinth, hob, *plates, *guard, merge(door, bar), panel), spots)


def _coil(radius: float) -> Mesh:
    """Make a flat heating ring about z."""
    return lathe(
        [(radius - 0.012, -0.004), (radius, -0.004), (radius, 0.0045), (radius - 0.012, 0.0045)], 24, closed=True
    )


def vacuum(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an upright vacuum cleaner: a wide foot, a dust box and a long handle."""
    deep, wide, tall = size
    style = int(generator.integers(0, 2))
    a = deep / 2
    head = moved(block((0.17, wide, 0.07), 0.018, corner=0.03), by=(a - 0.085, 0, 0.045))
    strip = board((a - 0.002, -wide / 2 + 0.04, 0.03), (a + 0.0, wide / 2 - 0.04, 0.045))
    wheels = [moved(cylinder(0.045, 0.03, "y", 0.006, 20), by=(-a + 0.0675, s * 0.1, 0.045)) for s in (-1, 1)]
    x = -a + 0.07
    axle = rod((x - 0.01, -0.1, 0.045), (x - 0.01, 0.1, 0.045), 0.012)
    neck = rod((a - 0.1, 0, 0.05), (x + 0.03, 0, 0.17), (0.05, 0.06), 14)
    motor = moved(block((0.15, 0.19, 0.14), 0.03, corner=0.05), by=(x + 0.02, 0, 0.19))
    if style == 0:
        dust = moved(cylinder(0.078, 0.27, "z", 0.012, 24), by=(x + 0.02, 0, 0.385))
        lid = moved(cylinder(0.084, 0.04, "z", 0.01, 24), by=(x + 0.02, 0, 0.535))
    else:
        dust = moved(block((0.15, 0.17, 0.4), 0.06, corner=0.06, taper=0.75), by=(x + 0.015, 0, 0.44))
        lid = moved(block((0.1, 0.1, 0.04), 0.015), by=(x + 0.015, 0, 0.645))
    pole = tube(
        fillet(
            [
                (x - 0.05, 0, 0.15),
                (x - 0.05, 0, tall - 0.16),
                (x + 0.02, 0, tall - 0.03),
                (x + 0.075, 0, tall - 0.03),
                (x + 0.06, 0, tall - 0.13),
                (x - 0.05, 0, tall - 0.19),
            ],
            0.03,
        ),
        0.013,
        10,
    )
    back = board((x - 0.066, -0.03, 0.2), (x - 0.04, 0.03, 0.62))
    hose = tube(
        np.array(
            [
                (x - 0.04 - 0.012 * np.sin(t), 0.05 + 0.05 * np.sin(t), 0.12 + 0.07 * t * 1.6)
                for t in np.linspace(0, np.pi * 1.6, 24)
            ]
        ),
        0.014,
        8,
    )
    glass = plain((0.66, 0.76, 0.80), "glass") if style == 0 else paint.look
    return Model(
        (
            (merge(head, motor, lid), paint.look),
            (dust, glass),
            (merge(pole, hose, *wheels, axle, back), DARK),
            (merge(neck, strip), plain((0.45, 0.45, 0.47), "plastic")),
        ),
        (head, merge(motor, dust, lid), pole, *wheels, neck),
    )
