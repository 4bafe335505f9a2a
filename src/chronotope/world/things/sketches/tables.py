"""Tables, desks, stands for televisions, and kitchen counters."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain
from chronotope.world.things.joinery import (
    BLACK,
    STEEL,
    apart,
    board,
    boards,
    carcass,
    clad,
    front,
    hidden,
    rod,
    surface,
    top_of,
    wooden,
)
from chronotope.world.things.kind import HomeState, Model, Shelf
from chronotope.world.things.mesh import Mesh, block, extrude, fillet, lathe, merge, moved, tube
from chronotope.world.things.thing import Look, Paint


def _square_legs(deep: float, wide: float, tall: float, thick: float = 0.06) -> list[Mesh]:
    """Make four upright square legs in the corners."""
    a, b = deep / 2, wide / 2
    return [board((sx * a, sy * b, 0), (sx * (a - thick), sy * (b - thick), tall)) for sx in (-1, 1) for sy in (-1, 1)]


def _splayed_legs(deep: float, wide: float, tall: float, thick: float = 0.026) -> list[Mesh]:
    # Make four round legs that lean outwards and get thinner towards the floor.
    a, b = deep / 2 - thick, wide / 2 - thick
    lean = 0.16 * tall
    return [
        rod((sx * a, sy * b, 0), (sx * (a - lean), sy * (b - lean), tall + 0.001), (0.6 * thick, thick))
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]


def _frame_legs(deep: float, wide: float, tall: float, thick: float = 0.03) -> list[Mesh]:
    """Make two metal frames, one at each end."""
    a, b = deep / 2, wide / 2
    made = []
    for sign in (-1, 1):
        y0, y1 = sign * b, sign * (b - thick)
        made += [
            board((-a, y0, thick), (-a + thick, y1, tall)),
            board((a - thick, y0, thick), (a, y1, tall)),
            board((-a, y0, 0), (a, y1, thick)),
        ]
    return made


def _pedestal(deep: float, wide: float, tall: float) -> list[Mesh]:
    """Make one turned column on a round foot."""
    r = 0.32 * min(deep, wide)
    profile = [(0, 0), (r, 0), (r, 0.02), (0.5 * r, 0.05), (0.045, 0.1), (0.035, 0.3 * tall), (0.055, 0.55 * tall)]
    return [clad(lathe([*profile, (0.035, 0.8 * tall), (0.1, tall), (0, tall)], 24))]


def _hairpins(deep: float, wide: float, tall: float) -> list[Mesh]:
    # Make four legs of bent steel bar, whose ends are inside the top.
    a, b, high = deep / 2 - 0.02, wide / 2 - 0.02, tall + 0.015
    made = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            start, end = (sx * (a - 0.11), sy * (b - 0.03), high), (sx * (a - 0.03), sy * (b - 0.11), high)
            bar = tube(fillet([start, (sx * a, sy * b, 0.006), end], 0.03), 0.006, 8)
            made.append(moved(bar, by=(0, 0, -bar.vertices[:, 2].min())))
    return made


def _apron(deep: float, wide: float, top: float, inset: float, tall: float = 0.08) -> Mesh:
    """Make the four rails under the top of a table."""
    a, b, t = deep / 2 - inset, wide / 2 - inset, 0.02
    return boards(
        ((-a, -b, top - tall), (-a + t, b, top)),
        ((a - t, -b, top - tall), (a, b, top)),
        ((-a + t, -b, top - tall), (a - t, -b + t, top)),
        ((-a + t, b - t, top - tall), (a - t, b, top)),
    )


def _slab(deep: float, wide: float, tall: float, thick: float, style: int) -> tuple[Mesh, Shelf]:
    # Make the top of a table: square (0), with round corners (1), or an ellipse (2).
    if style == 2:
        turn = np.arange(40) * (2 * np.pi / 40)
        outline = np.stack([deep / 2 * np.cos(turn), wide / 2 * np.sin(turn)], axis=1)
        top = clad(moved(extrude(outline, thick, 0.004), by=(0, 0, tall - thick / 2)))
        return top, top_of((-0.34 * deep, -0.34 * wide), (0.34 * deep, 0.34 * wide), tall)
    corner = 0.0 if style == 0 else min(0.09, 0.2 * deep)
    if style == 0:
        top = board((-deep / 2, -wide / 2, tall - thick), (deep / 2, wide / 2, tall))
    else:
        top = clad(moved(block((deep, wide, thick), 0.004, corner=corner, steps=4), by=(0, 0, tall - thick / 2)))
    edge = 0.004 + 0.35 * corner
    return top, top_of((-deep / 2 + edge, -wide / 2 + edge), (deep / 2 - edge, wide / 2 - edge), tall)


def dining(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a table for meals, on four kinds of legs."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 5))
    bare, shape = wooden(generator), int(generator.integers(0, 2))
    thick = 0.034
    under = tall - thick
    if style == 4:
        wide = min(wide, 1.25 * deep)
    top, shelf = _slab(deep, wide, tall, thick, 2 if style == 4 else shape if style != 3 else 0)
    metal, beams = BLACK, []
    if style == 0:
        legs, beams = _square_legs(deep - 0.06, wide - 0.06, under, 0.07), [_apron(deep, wide, under, 0.05)]
    elif style == 1:
        legs, beams = _splayed_legs(deep - 0.06, wide - 0.08, under, 0.03), [_apron(deep, wide, under, 0.16, 0.06)]
    elif style == 2:
        legs = _frame_legs(deep - 0.1, wide - 0.2, under, 0.05)
    elif style == 3:
        legs = _trestle(deep, wide, under)
    else:
        legs = _pedestal(deep, wide, under)
    leg_look = metal if style == 2 else look
    top_look = bare if style != 2 and look.texture is None and paint.colour == "white" else look
    return Model(
        ((top, top_look), (merge(*legs, *beams), leg_look)),
        (top, *legs, *(apart(beams[0]) if beams else ())),
        (shelf,),
    )


def _trestle(deep: float, wide: float, tall: float) -> list[Mesh]:
    """Make two crossed ends and a beam between them."""
    made = []
    for y in (-0.36 * wide, 0.36 * wide):
        for sign in (-1, 1):
            side = y + sign * 0.021
            outline = [(-0.42 * deep, 0), (-0.42 * deep + 0.09, 0), (0.42 * deep, tall), (0.42 * deep - 0.09, tall)]
            leg = clad(extrude(outline, 0.04))
            points = leg.vertices
            made.append(
                leg._replace(vertices=np.stack([sign * points[:, 0], side - sign * points[:, 2], points[:, 1]], axis=1))
            )
    made.append(board((-0.03, -0.315 * wide, 0.45 * tall), (0.03, 0.315 * wide, 0.55 * tall)))
    return made


def coffee(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a low table: with a lower shelf, with hairpin legs, round, or with a glass top."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 4))
    if style == 0:
        top, shelf = _slab(deep, wide, tall, 0.03, 0)
        legs = _square_legs(deep - 0.04, wide - 0.04, tall - 0.03, 0.05)
        low = board((-deep / 2 + 0.03, -wide / 2 + 0.072, 0.11), (deep / 2 - 0.03, wide / 2 - 0.072, 0.13))
        lower = top_of((-deep / 2 + 0.04, -wide / 2 + 0.09), (deep / 2 - 0.04, wide / 2 - 0.09), 0.13, tall - 0.17)
        return Model(((merge(top, low, *legs), look),), (top, low, *legs), (shelf, lower))
    if style == 1:
        top, shelf = _slab(deep, wide, tall, 0.03, 1)
        legs = _hairpins(deep - 0.05, wide - 0.08, tall - 0.03)
        return Model(((top, look), (merge(*legs), BLACK)), (top, *legs), (shelf,))
    if style == 2:
        wide = min(wide, 1.3 * deep)
        top, shelf = _slab(deep, wide, tall, 0.03, 2)
        legs = _splayed_legs(0.8 * deep, 0.8 * wide, tall - 0.03, 0.022)
        return Model(((merge(top, *legs), look),), (top, *legs), (shelf,))
    top, shelf = _slab(deep, wide, tall, 0.014, 1)
    legs = _square_legs(deep - 0.05, wide - 0.05, tall - 0.014, 0.03)
    rails = [_apron(deep, wide, tall - 0.014, 0.025, 0.03), _apron(deep, wide, 0.06, 0.025, 0.03)]
    rails = [moved(mesh, scale=(0.995, 0.995, 1)) for mesh in rails]
    return Model(
        (
            (top, plain((0.70, 0.82, 0.82), "glass")),
            (merge(*legs, *rails), STEEL if paint.colour != "black" else BLACK),
        ),
        (top, *legs, *apart(rails[0]), *apart(rails[1])),
        (shelf,),
    )


def side(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a small table: with a drawer, round on a column, or with two levels."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.choice((0, 0, 1, 2, 2)))
    handle = int(generator.integers(0, 4))
    if style == 1:
        wide = deep = min(max(deep, 0.46), wide)
        top, shelf = _slab(deep, wide, tall, 0.024, 2)
        legs = _pedestal(1.3 * deep, 1.3 * wide, tall - 0.024)
        return Model(((merge(top, *legs), look),), (top, *legs), (shelf,))
    top, shelf = _slab(deep, wide, tall, 0.022, 0)
    under = tall - 0.022
    inner = (deep / 2 - 0.05, wide / 2 - 0.02)
    if style == 0:
        case = board((-inner[0], -inner[1], 0.55 * tall), (inner[0], inner[1], under))
        panel, grip = front((-inner[1], 0.55 * tall), (inner[1], under), inner[0] + 0.001, handle, "middle")
        legs = _splayed_legs(2 * inner[0], 2 * inner[1], 0.55 * tall, 0.02)
        return Model(
            ((merge(top, case, panel, *legs), look), (grip, STEEL)), (top, merge(case, panel), *legs), (shelf,)
        )
    legs = _square_legs(deep - 0.02, wide - 0.02, under, 0.035)
    z = 0.3 * tall
    low = board((-deep / 2 + 0.012, -wide / 2 + 0.046, z - 0.018), (deep / 2 - 0.012, wide / 2 - 0.046, z))
    lower = top_of((-deep / 2 + 0.03, -wide / 2 + 0.06), (deep / 2 - 0.03, wide / 2 - 0.06), z, under - z - 0.01)
    return Model(((merge(top, low, *legs), look),), (top, low, *legs), (shelf, lower))


def desk(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a desk: drawers at one side or both, or a plain top on a metal frame."""
    deep, wide, tall = size
    look, style, handle = surface(generator, paint), int(generator.integers(0, 3)), int(generator.integers(0, 4))
    top, shelf = _slab(deep, wide, tall, 0.028, 0)
    under, metal = tall - 0.028, BLACK
    parts: list[tuple[Mesh, Look]] = [(top, look)]
    solids: list[Mesh | np.ndarray] = [top]
    if style == 2:
        legs = _frame_legs(deep - 0.06, wide - 0.08, under, 0.04)
        panel = board((-deep / 2 + 0.04, -wide / 2 + 0.082, 0.5 * tall), (-deep / 2 + 0.055, wide / 2 - 0.082, under))
        return Model((*parts, (merge(*legs, panel), metal)), (*solids, *legs, panel), (shelf,))
    side = max(0.3, 0.24 * wide)
    face, grips, bodies = deep / 2 - 0.055, [], []
    sides = (1,) if style == 0 else (-1, 1)
    for sign in sides:
        y = sorted((sign * (wide / 2 - 0.02), sign * (wide / 2 - 0.02 - side)))
        body = board((-deep / 2 + 0.02, y[0], 0.06), (face, y[1], under))
        bodies.append(merge(body, board((-deep / 2 + 0.05, y[0] + 0.03, 0), (face - 0.03, y[1] - 0.03, 0.06))))
        for z0, z1 in ((0.07, 0.42), (0.42, 0.71), (0.71, 0.995)):
            panel, grip = front((y[0], z0 * under), (y[1], z1 * under), face + 0.001, handle, "middle")
            bodies[-1] = merge(bodies[-1], panel)
            grips.append(grip)
    if style == 0:
        bodies += [m for m in _square_legs(deep - 0.04, wide - 0.04, under, 0.05) if m.vertices[:, 1].max() < 0]
        bodies.append(
            board((-deep / 2 + 0.03, -wide / 2 + 0.07, under - 0.3), (-deep / 2 + 0.045, wide / 2 - side - 0.02, under))
        )
    else:
        bodies.append(
            board((-deep / 2 + 0.03, -wide / 2 + side, under - 0.35), (-deep / 2 + 0.045, wide / 2 - side, under))
        )
    return Model((*parts, (merge(*bodies), look), (merge(*grips), STEEL)), (*solids, *bodies), (shelf,))


def tv_stand(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a low stand with open compartments between doors or drawers."""
    deep, wide, tall = size
    look, style, handle = surface(generator, paint), int(generator.integers(0, 3)), int(generator.integers(0, 4))
    back, face, half, t = -deep / 2, deep / 2 - 0.046, wide / 2, 0.022
    foot = (0.04, 0.13, 0.08)[style]
    shell = list(carcass((back, -half, foot), (face, half, tall), t))
    if style == 1:
        legs = _splayed_legs(deep - 0.05, wide - 0.04, foot, 0.02)
    else:
        legs = [board((back + 0.02, -half + 0.03, 0), (face - 0.03, half - 0.03, foot))]
    cut = half / 3 if style != 2 else half / 2
    walls = [board((back + 0.014, s * cut - t / 2, foot + t), (face, s * cut + t / 2, tall - t)) for s in (-1, 1)]
    middle = foot + t + 0.5 * (tall - foot - 2 * t)
    open_ = [(-cut + t / 2, cut - t / 2)] if style != 2 else [(-half + t, -cut - t / 2), (cut + t / 2, half - t)]
    shut = [(-half, -cut), (cut, half)] if style != 2 else [(-cut, cut)]
    flats = [board((back + 0.014, a, middle - 0.009), (face - 0.01, b, middle + 0.009)) for a, b in open_]
    fronts, grips = [], []
    for a, b in shut:
        place = "middle" if style == 2 else "high" if a < 0 else "low"
        panel, grip = front((a, foot), (b, tall), face + 0.001, handle, place)
        fronts.append(panel)
        grips.append(grip)
    inside = []
    for a, b in open_:
        for z, clear in ((foot + t, middle - foot - t - 0.02), (middle + 0.009, tall - t - middle - 0.02)):
            inside.append(top_of((back + 0.03, a + 0.01), (face - 0.02, b - 0.01), z, clear))
    return Model(
        ((merge(*shell, *legs, *walls, *flats, *fronts), look), (merge(*grips), STEEL)),
        (*shell, *legs, *walls, *flats, *fronts),
        (top_of((back, -half), (face, half), tall), *inside),
    )


def counter(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a kitchen counter: doors and drawers under a top of stone or wood, perhaps a sink."""
    deep, wide, tall = size
    look, handle = surface(generator, paint), int(generator.integers(0, 4))
    stone, bare = bool(generator.integers(0, 2)), wooden(generator)
    tone = ((0.90, 0.89, 0.87), (0.30, 0.30, 0.32), (0.62, 0.58, 0.54))[int(generator.integers(0, 3))]
    marble = textures.marble(generator, tone, 256)
    with_sink = bool(generator.integers(0, 3) == 0) and wide > 1.4
    back, face, half, t = -deep / 2, deep / 2 - 0.05, wide / 2, 0.04
    under = tall - t
    plinth = board((back + 0.01, -half + 0.01, 0), (face - 0.06, half - 0.01, 0.1))
    bowl = 0.26  # m, half the width of the sink's basin
    case = boards(((back, -half, 0.1), (face, half, under - (0.2 if with_sink else 0.0))))
    rims = [((back, -half, under - 0.2), (face, -bowl, under)), ((back, bowl, under - 0.2), (face, half, under))]
    rims += [
        ((back, -bowl, under - 0.2), (back + 0.09, bowl, under)),
        ((face - 0.06, -bowl, under - 0.2), (face, bowl, under)),
    ]
    case = merge(case, boards(*rims)) if with_sink else case
    fronts, grips = [], []
    count = max(1, round(wide / 0.55))
    edges = np.linspace(-half, half, count + 1)
    for k in range(count):
        z = [0.1, 0.1 + 0.74 * (under - 0.1), under] if k % 2 == 0 else [0.1, 0.4, 0.66, under]
        for row in range(len(z) - 1):
            door = k % 2 == 0 and row == 0
            place = "middle" if not door else "high" if k % 4 == 0 else "low"
            panel, grip = front((edges[k], z[row]), (edges[k + 1], z[row + 1]), face + 0.001, handle, place)
            fronts.append(panel)
            grips.append(grip)
    tops, shelves, steel = _worktop(back, deep / 2, half, under, tall, bowl if with_sink else 0.0)
    parts: list[tuple[Mesh, Look]] = [
        (merge(case, *fronts), look),
        (merge(*tops), plain((1, 1, 1), "ceramic", marble) if stone else bare),
        (merge(*grips), STEEL),
        (plinth, BLACK),
    ]
    if steel:
        parts.append((merge(*steel), STEEL))
    return Model(tuple(parts), (*apart(case), plinth, *fronts, *tops, *steel), shelves)


def _worktop(
    back: float, edge: float, half: float, low: float, high: float, bowl: float
) -> tuple[list[Mesh], tuple[Shelf, ...], list[Mesh]]:
    # Make the top of a counter from ``low`` to ``high``, with a basin of half width ``bowl`` in it if not 0.
    if not bowl:
        return [board((back, -half, low), (edge, half, high))], (top_of((back, -half), (edge, half), high),), []
    x0, x1, floor, t = back + 0.1, edge - 0.13, low - 0.15, 0.006
    tops = [
        board((back, -half, low), (edge, -bowl, high)),
        board((back, bowl, low), (edge, half, high)),
        board((back, -bowl, low), (x0, bowl, high)),
        board((x1, -bowl, low), (edge, bowl, high)),
    ]
    top = high + 0.0005
    steel = [
        board((x0, -bowl, floor - t), (x1, bowl, floor)),
        board((x0, -bowl, floor), (x0 + t, bowl, top)),
        board((x1 - t, -bowl, floor), (x1, bowl, top)),
        board((x0 + t, -bowl, floor), (x1 - t, -bowl + t, top)),
        board((x0 + t, bowl - t, floor), (x1 - t, bowl, top)),
    ]
    shelves = (
        top_of((back, -half), (edge, -bowl - 0.01), high),
        top_of((back, bowl + 0.01), (edge, half), high),
        *hidden((top_of((x0 + 0.1, -bowl + 0.03), (x1 - 0.03, bowl - 0.03), floor, 0.2),), False),
    )
    return tops, shelves, steel
