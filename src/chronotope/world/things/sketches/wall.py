"""Things on walls and for decoration: pictures, curtains, blinds, plants and statues."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import (
    BLACK,
    STEEL,
    board,
    boards,
    clad,
    pane,
    rod,
    surface,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    curve,
    cylinder,
    ellipsoid,
    lathe,
    loft,
    merge,
    moved,
    tube,
    turned,
)
from chronotope.world.things.sketches.showers import pleats
from chronotope.world.things.thing import Paint
from chronotope.world.things.wall_pictures import painted, printed


def painting(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a painting in a frame, perhaps with a white mount."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 3))
    width = int(np.clip(200 * wide / max(wide, tall), 96, 200))
    picture = painted(generator, int(np.clip(200 * tall / max(wide, tall), 96, 200)), width)
    border = (0.03, 0.018, 0.05)[style]
    half = wide / 2
    frame = boards(
        ((0, -half, 0), (deep, -half + border, tall)),
        ((0, half - border, 0), (deep, half, tall)),
        ((0, -half + border, 0), (deep, half - border, border)),
        ((0, -half + border, tall - border), (deep, half - border, tall)),
    )
    mount = 0.06 if style == 1 else 0.0
    back = board((0, -half + border, border), (0.45 * deep, half - border, tall - border))
    inner = border + mount
    canvas = pane((-half + inner, inner), (half - inner, tall - inner), 0.45 * deep - 0.001, 0.0025)
    white = plain((0.94, 0.93, 0.89), "paper")
    return Model(((frame, look), (back, white), (canvas, plain((1, 1, 1), "paper", picture))), (merge(frame, canvas),))


def poster(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a poster without a frame, held by four strips of tape or two bars."""
    deep, wide, tall = size
    bars = bool(generator.integers(0, 2))
    picture = printed(generator, 224, int(224 * wide / tall))
    sheet = pane((-wide / 2, 0), (wide / 2, tall), 0.0, 0.002)
    if bars:
        held = boards(*[((0, -wide / 2, z), (deep, wide / 2, z + 0.014)) for z in (0.0, tall - 0.014)])
    else:
        a, b = wide / 2 - 0.03, tall / 2 - 0.02
        held = boards(
            *[
                ((0.0019, s * a - 0.03, tall / 2 + t * b - 0.02), (0.0027, s * a + 0.03, tall / 2 + t * b + 0.02))
                for s in (-1, 1)
                for t in (-1, 1)
            ]
        )
    tone = plain((0.10, 0.10, 0.11), "wood") if bars else plain((0.86, 0.82, 0.62), "plastic")
    return Model(((sheet, plain((1, 1, 1), "paper", picture)), (held, tone)), (sheet,))


def curtains(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make two curtains on a rod; open ones are drawn to the sides of the window."""
    deep, wide, tall = size
    style, folds = int(generator.integers(0, 3)), int(generator.integers(5, 8))
    tone = paint.look.colour
    if style == 0:
        cloth = textures.fabric(generator, tone, 128, 24)
    elif style == 1:
        cloth = textures.stripes(generator, tone, shade(tone, 1.6 if paint.colour != "white" else 0.7), 8, 128, True)
    else:
        cloth = textures.tiles(generator, tone, shade(tone, 1.4 if paint.colour != "white" else 0.8), 128, 4)
    rod_z, half, x = tall - 0.03, wide / 2, deep / 2
    bar = rod((x, -half + 0.02, rod_z), (x, half - 0.02, rod_z), 0.012)
    knobs = [moved(ellipsoid(0.026, 14), by=(x, s * (half - 0.026), rod_z)) for s in (-1, 1)]
    hooks = [rod((0, s * 0.8 * half, rod_z), (x, s * 0.8 * half, rod_z), 0.009, 8) for s in (-1, 1)]
    share = float(generator.uniform(0.16, 0.22))
    share += (1 - state.openness) * (0.485 - share)
    parts: list[Mesh] = []
    for s in (-1, 1):
        low, high = sorted((s * (half - 0.05), s * (half - 0.05 - share * wide)))
        mesh = moved(pleats(low, high, deep, rod_z + 0.02, folds), by=(x, 0, 0))
        parts.append(mesh._replace(uv=np.stack([(mesh.vertices[:, 1] - low) * 6, -mesh.vertices[:, 2] * 2.5], axis=1)))
    solids = [
        np.array(
            [
                (u, y, z)
                for u in (0.0, deep)
                for y in (m.vertices[:, 1].min(), m.vertices[:, 1].max())
                for z in (0, rod_z)
            ]
        )
        for m in parts
    ]
    metal = STEEL if style else BLACK
    return Model(
        ((merge(*parts), plain((1, 1, 1), "fabric", cloth)), (merge(bar, *knobs, *hooks), metal)), (*solids, bar)
    )


def blinds(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make blinds: slats, or cloth on a roll; open blinds are drawn up."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 2))
    half, head = wide / 2, 0.045
    case = board((0, -half, tall - head), (deep, half, tall))
    drop = (tall - head) * (1 - 0.84 * state.openness)
    low = tall - head - drop
    cord = rod(
        (deep - 0.004, half - 0.06, tall - head - 0.55 * (tall - head)),
        (deep - 0.004, half - 0.06, tall - head),
        0.003,
        6,
    )
    if style == 1:
        cloth = board((0.4 * deep, -half + 0.015, low), (0.4 * deep + 0.002, half - 0.015, tall - head))
        weight = board((0.4 * deep - 0.006, -half + 0.01, low), (0.4 * deep + 0.008, half - 0.01, low + 0.025))
        return Model(
            ((merge(cloth), look), (merge(case, weight, cord), plain(shade(paint.look.colour, 0.8), "plastic"))),
            (case, cloth),
        )
    count = max(12, round((tall - head) / 0.045))
    slats = []
    for z in np.linspace(low + 0.025, tall - head - 0.004, count):
        slat = board((-0.45 * deep, -half + 0.01, -0.0012), (0.45 * deep, half - 0.01, 0.0012))
        slats.append(moved(turned(slat, "y", 52.0 * (1 - state.openness)), by=(deep / 2, 0, z)))
    foot = board((0.25 * deep, -half + 0.01, low), (0.75 * deep, half - 0.01, low + 0.012))
    tapes = boards(
        *[
            ((deep - 0.0022, s * 0.6 * half - 0.012, low), (deep - 0.0012, s * 0.6 * half + 0.012, tall - head))
            for s in (-1, 1)
        ]
    )
    return Model(
        ((merge(*slats, case, foot), look), (merge(tapes, cord), plain(shade(paint.look.colour, 0.72), "fabric"))),
        (
            case,
            np.array(
                [
                    (x, y, z)
                    for x in (0.1 * deep, 0.9 * deep)
                    for y in (-half + 0.01, half - 0.01)
                    for z in (low, tall - head)
                ]
            ),
        ),
    )


_LEAVES = ((0.16, 0.42, 0.16), (0.24, 0.50, 0.20), (0.12, 0.34, 0.20), (0.34, 0.52, 0.22))


def _leaf(length: float, width: float, bend: float, tip: float = 0.0) -> Mesh:
    # Make a leaf from the origin along +x, which rises and then bends down by ``bend`` (rad).
    t = np.linspace(0, 1, 7)
    half = np.maximum(width / 2 * np.sin(np.pi * np.clip(t, 0.02, 0.985)) ** 0.8, tip)
    step = length / 6 * np.stack([np.cos(-bend * t), np.zeros(7), np.sin(-bend * t)], axis=1)
    spine = np.concatenate([[[0, 0, 0]], np.cumsum(step[:-1], axis=0)])
    rings = []
    for centre, h in zip(spine, half, strict=True):
        rings.append(centre + np.array([(0, -h, 0.12 * h), (0, 0, -0.0022), (0, h, 0.12 * h), (0, 0, 0.0016)]))
    return loft(np.array(rings))


def _sprout(leaf: Mesh, height: float, rise: float, turn: float) -> Mesh:
    # Place a leaf at a height, raised by ``rise`` and turned by ``turn`` (degrees).
    return moved(turned(turned(leaf, "y", -rise), "z", turn), by=(0, 0, height))


def plant(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a plant in a pot: upright blades, broad leaves on stalks, or a small tree."""
    deep, wide, tall = size
    style, bulged = int(generator.integers(0, 3)), bool(generator.integers(0, 2))
    tone = plain(_LEAVES[int(generator.integers(0, 4))], "leaf")
    reach = 0.5 * min(deep, wide)
    r, pot_z = 0.6 * reach, 0.28 * tall
    pot = _pot(r, pot_z, bulged)
    soil = moved(cylinder(0.8 * r, 0.012, "z", 0.0, 24), by=(0, 0, pot_z - 0.026))
    turns = np.arange(15) * 137.5 + generator.uniform(0, 360)  # degrees; leaves grow at the golden angle
    jitter = generator.uniform(-1, 1, (15, 2))
    leaves, stems = (_blades, _stalks, _tree)[style](reach, pot_z, tall - pot_z, turns, jitter)
    points = leaves.vertices
    low, high = points[:, 2].min(), points[:, 2].max()
    for axis, half in ((0, deep / 2), (1, wide / 2)):  # the leaves reach equally far to both sides of the pot
        column = points[:, axis]
        points[:, axis] = np.where(column > 0, column * half / column.max(), -column * half / column.min())
    points[:, 2] += (points[:, 2] - low) / (high - low) * (tall - high)
    parts = [(pot, paint.look), (soil, plain((0.16, 0.11, 0.07), "clay")), (leaves, tone)]
    if stems:
        parts.append((merge(*stems), plain((0.36, 0.28, 0.16) if style == 2 else (0.22, 0.40, 0.16), "leaf")))
    return Model(tuple(parts), (pot, points[points[:, 2] > pot_z + 0.25 * (tall - pot_z)]))


def _pot(r: float, tall: float, bulged: bool) -> Mesh:
    # Make a flower pot, straight or bulged, with its inner floor below the rim.
    inside = [(0.84 * r, tall), (0.8 * r, tall - 0.03), (0, tall - 0.03)]
    if bulged:
        return lathe([(0, 0), (0.7 * r, 0), (0.98 * r, 0.4 * tall), (0.92 * r, tall - 0.02), (r, tall), *inside], 32)
    return lathe([(0, 0), (0.72 * r, 0), (r, tall), *inside], 32)


def _blades(reach: float, low: float, up: float, turns: np.ndarray, jitter: np.ndarray) -> tuple[Mesh, list[Mesh]]:
    """Make upright blades that grow from the soil at height ``low``."""
    leaves = []
    for k, turn in enumerate(turns):
        length = up * (0.72 + 0.13 * (k % 3) + 0.02 * jitter[k, 0])
        leaves.append(_sprout(_leaf(length, 0.055 + 0.1 * reach, 0.15), low - 0.04, 74 + 10 * jitter[k, 1], turn))
    return merge(*leaves), []


def _stalks(reach: float, low: float, up: float, turns: np.ndarray, jitter: np.ndarray) -> tuple[Mesh, list[Mesh]]:
    """Make broad leaves, each on its own stalk, and the stalks."""
    leaves, stems = [], []
    for k, turn in enumerate(turns[:12]):
        z, out = low + up * (0.2 + 0.05 * k), 0.42 * reach * (1 - 0.045 * k)
        x, y = out * np.cos(np.radians(turn)), out * np.sin(np.radians(turn))
        bend = (0.35 * x, 0.35 * y, low + 0.6 * (z - low))
        stems.append(tube(curve([(0, 0, low - 0.03), bend, (x, y, z)], 5), 0.005, 6))
        leaf = _sprout(_leaf(0.62 * reach, 0.42 * reach, 0.9), 0, 32 + 12 * jitter[k, 1], turn)
        leaves.append(moved(leaf, by=(x, y, z)))
    return merge(*leaves), stems


def _tree(reach: float, low: float, up: float, turns: np.ndarray, jitter: np.ndarray) -> tuple[Mesh, list[Mesh]]:
    """Make the leaves of a small tree, and its stem."""
    stem = tube(curve([(0, 0, low - 0.03), (0.02, 0.01, low + 0.3 * up), (-0.01, 0, low + 0.72 * up)], 6), 0.013, 8)
    leaves = []
    for k, turn in enumerate(np.concatenate([turns, turns + 60, turns + 200])):
        share = (k % 15) / 14
        leaf = _leaf((0.95 - 0.35 * share) * reach, 0.2 * reach, 0.75)
        leaves.append(_sprout(leaf, low + up * (0.38 + 0.5 * share), 28 + 16 * jitter[k % 15, 1] + 18 * share, turn))
    return merge(*leaves), [stem]


def statue(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a small statue on a base: a bust, a standing figure, or an elephant."""
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    look = paint.look
    if paint.material == "clay":
        look = plain((1, 1, 1), "ceramic", textures.marble(generator, shade(paint.look.colour, 1.0), 128))
    base_z = 0.12 * tall
    unit = tall - base_z
    made = (_bust, _figure, _elephant)[style]()
    points = made.vertices
    low, high = points.min(axis=0), points.max(axis=0)
    scale = min(unit / (high[2] - low[2]), 0.96 * deep / (high[0] - low[0]), 0.96 * wide / (high[1] - low[1]))
    body = moved(made, by=-np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]]))
    body = moved(body, scale=scale, by=(0, 0, base_z - 0.002))
    a, b = (np.minimum(np.ptp(body.vertices, axis=0)[:2] / 2 + 0.012, (deep / 2, wide / 2))).tolist()
    base = board((-a, -b, 0), (a, b, base_z))
    dark = plain((0.16, 0.13, 0.11), "wood") if paint.colour != "black" else plain((0.85, 0.84, 0.80), "ceramic")
    return Model(((clad(body, 0.4) if look.texture is not None else body, look), (base, dark)), (base, body))


def _bust() -> Mesh:
    # Make a head with shoulders, its face towards +x, about 1 m high.
    chest = moved(ellipsoid((0.2, 0.36, 0.3), 26, 0.5), by=(0, 0, 0.0))
    neck = rod((0, 0, 0.15), (0.02, 0, 0.5), (0.12, 0.1), 18)
    head = moved(ellipsoid((0.19, 0.155, 0.24), 26), by=(0.03, 0, 0.68))
    nose = moved(ellipsoid((0.05, 0.03, 0.07), 12), by=(0.22, 0, 0.67))
    brow = moved(ellipsoid((0.04, 0.11, 0.03), 14), by=(0.185, 0, 0.75))
    chin = moved(ellipsoid((0.06, 0.06, 0.05), 14), by=(0.15, 0, 0.5))
    lips = moved(ellipsoid((0.02, 0.05, 0.018), 12), by=(0.2, 0, 0.575))
    ears = [moved(ellipsoid((0.04, 0.02, 0.06), 12), by=(0.0, s * 0.155, 0.68)) for s in (-1, 1)]
    hair = [
        moved(ellipsoid(0.062, 10), by=(0.13 * np.cos(k) - 0.02, 0.13 * np.sin(k), 0.86 - 0.02 * np.cos(k)))
        for k in np.arange(8) * np.pi / 4
    ]
    return merge(
        chest,
        neck,
        head,
        nose,
        brow,
        chin,
        lips,
        *ears,
        *hair,
        moved(ellipsoid((0.14, 0.13, 0.1), 14), by=(-0.03, 0, 0.86)),
    )


def _figure() -> Mesh:
    # Make a standing person in a long dress with one arm raised, towards +x, about 1 m high.
    dress = lathe(
        [(0, 0), (0.19, 0), (0.16, 0.2), (0.09, 0.52), (0.115, 0.66), (0.1, 0.74), (0.045, 0.79), (0, 0.79)], 28
    )
    head = moved(ellipsoid((0.062, 0.055, 0.075), 18), by=(0.01, 0, 0.885))
    neck = rod((0, 0, 0.77), (0.005, 0, 0.84), 0.03, 12)
    bun = moved(ellipsoid(0.036, 12), by=(-0.06, 0, 0.91))
    raised = tube(curve([(0, 0.09, 0.74), (0.05, 0.19, 0.8), (0.06, 0.17, 1.0)], 8), np.linspace(0.033, 0.02, 8), 10)
    lowered = tube(
        curve([(0, -0.09, 0.74), (0.04, -0.17, 0.58), (0.12, -0.1, 0.48)], 8), np.linspace(0.033, 0.02, 8), 10
    )
    ball = moved(ellipsoid(0.05, 14), by=(0.06, 0.17, 1.04))
    return merge(dress, head, neck, bun, raised, lowered, ball)


def _elephant() -> Mesh:
    """Make an elephant that faces +x, about 1 m high."""
    body = moved(ellipsoid((0.42, 0.27, 0.3), 28), by=(-0.05, 0, 0.6))
    head = moved(ellipsoid((0.2, 0.18, 0.2), 22), by=(0.42, 0, 0.75))
    trunk = tube(
        curve([(0.55, 0, 0.72), (0.68, 0, 0.5), (0.7, 0, 0.3), (0.82, 0, 0.22)], 12), np.linspace(0.09, 0.04, 12), 12
    )
    legs = [rod((x, s * 0.15, 0), (x, s * 0.14, 0.5), (0.1, 0.115), 16) for x in (-0.28, 0.2) for s in (-1, 1)]
    ears = [moved(ellipsoid((0.16, 0.03, 0.19), 18), by=(0.33, s * 0.22, 0.72)) for s in (-1, 1)]
    tusks = [
        tube(
            curve([(0.56, s * 0.09, 0.62), (0.68, s * 0.11, 0.54), (0.78, s * 0.1, 0.58)], 6),
            np.linspace(0.03, 0.012, 6),
            8,
        )
        for s in (-1, 1)
    ]
    tail = tube(curve([(-0.45, 0, 0.66), (-0.53, 0, 0.5), (-0.52, 0, 0.34)], 6), 0.02, 8)
    return merge(body, head, trunk, *legs, *ears, *tusks, tail)
