"""Small fittings of homes: mirrors, holders, taps and switches."""

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import (
    JET,
    board,
    cushion,
    mapped,
    plated,
    rod,
    surface,
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
    loft,
    merge,
    moved,
    rounded_rectangle,
    tube,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_CARD = plain((0.66, 0.50, 0.33), "cardboard")


def mirror(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a mirror in a frame, square, round or with an arch; a dirty one has smears."""
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
    # Turn a level picture (x right, y up) upright, facing +x, its middle at height ``z``.
    v = mesh.vertices
    return mesh._replace(vertices=np.stack([v[:, 2], v[:, 0], v[:, 1] + z], axis=1))


def _mirror_outline(wide: float, tall: float, style: int) -> np.ndarray:
    # Make the outline (N, 2) of a mirror: a rectangle (0), an ellipse (1) or an arch (2).
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
    # Draw silvered glass with slanted glints (192, 192, 3), with smears and drops at ``spots`` (N, 3).
    y, x = np.mgrid[:192, :192] / 192
    glint = np.exp(-(((x + y - 0.75) / 0.09) ** 2)) + 0.7 * np.exp(-(((x + y - 1.02) / 0.03) ** 2))
    values = np.array([0.62, 0.70, 0.74]) * (1.12 - 0.25 * y)[..., None] + 0.28 * glint[..., None]
    if spots is not None:
        for cx, cy, share in spots:
            r = 0.012 + 0.04 * share**3
            values[np.hypot(x - cx, y - cy) < r] = (0.45, 0.38, 0.27)
            values[(np.abs(x - cx) < 0.3 * r) & (y > cy) & (y < cy + 5 * r)] = (0.50, 0.43, 0.32)
    return np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)


def towel_holder(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a rail for towels on two posts."""
    deep, wide, tall = size
    style, half, z = int(generator.integers(0, 3)), wide / 2, tall / 2
    metal = plated(paint)
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


def hand_towel_holder(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a ring for a hand towel, round or square, that hangs from a post."""
    deep, wide, tall = size
    metal = plated(paint)
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


def paper_hanger(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a hanger for toilet paper: an arm, perhaps under a cover, or a bar between posts.

    The brown core of a used roll is on it, so that its purpose can be seen.
    """
    deep, wide, tall = size
    metal = plated(paint)
    style, half, r = int(generator.integers(0, 3)), wide / 2, 0.008
    x, z = deep - 0.012, 0.012
    if style == 1:
        posts = [cushion((0, s * half, 0), (deep, s * (half - 0.02), 0.05), 0.006) for s in (-1, 1)]
        made = [*posts, rod((x - 0.006, -half + 0.01, 0.025), (x - 0.006, half - 0.01, 0.025), 0.009)]
        made += [board((0, s * half, 0.05), (0.012, s * (half - 0.02), tall)) for s in (-1, 1)]
        core = _core(x - 0.006, 0.025, half - 0.032)
        return Model(((merge(*made), metal), (core, _CARD)), (*made, core))
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
    core = _core(x, z, half - 0.036)
    low = -min(0.0, float(core.vertices[:, 2].min()))
    made, core = [moved(each, by=(0, 0, low)) for each in made], moved(core, by=(0, 0, low))
    return Model(((merge(*made), metal), (core, _CARD)), (*made, core))


def _core(x: float, z: float, half: float) -> Mesh:
    """Make the core of a used roll around a bar along y."""
    profile = np.array([(0.0185, -half), (0.021, -half), (0.021, half), (0.0185, half)])
    return moved(turned(lathe(profile, 24, closed=True), "x", 90), by=(min(x, x + 0.012 - 0.021), 0, z - 0.008))


def faucet(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a tap on a rim, with one lever, two handles or a high bow; water may run."""
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    metal = plated(paint)
    x, end = -deep / 2 + 0.03, deep / 2 - 0.012
    high = tall if style == 2 else 0.72 * tall
    z = high - 0.012
    plate = cushion(
        (x - 0.028, -wide / 2 if style == 1 else -0.03, 0), (x + 0.03, wide / 2 if style == 1 else 0.03, 0.014), 0.005
    )
    if style == 0:
        plate = moved(cylinder(0.03, 0.02, "z", 0.004, 24), by=(x, 0, 0.01))
    drop = z - (0.05 if style != 2 else 0.35 * tall)
    path = fillet([(x, 0, 0.005), (x, 0, z), (end, 0, z), (end, 0, drop)], 0.03 if style != 2 else 0.5 * (end - x), 6)
    spout = tube(path, 0.0115, 12)
    if style == 1:
        knobs = [
            merge(
                rod((x, s * (wide / 2 - 0.03), 0.01), (x, s * (wide / 2 - 0.03), 0.06), 0.012),
                moved(cylinder(0.022, 0.024, "z", 0.005, 8), by=(x, s * (wide / 2 - 0.03), 0.07)),
            )
            for s in (-1, 1)
        ]
    elif style == 0:
        knobs = [
            rod((x, 0, z - 0.004), (x - 0.0, 0, z + 0.03), (0.017, 0.014)),
            rod((x, 0, z + 0.026), (x + 0.05, 0, tall - 0.008), (0.009, 0.006), 8),
        ]
    else:
        across = rod((x, 0.03 - wide / 2, 0.05), (x, wide / 2 - 0.03, 0.05), 0.012)
        levers = [
            rod((x, s * (wide / 2 - 0.03), 0.045), (x, s * (wide / 2 - 0.006), 0.11), (0.009, 0.006), 8)
            for s in (-1, 1)
        ]
        knobs = [across, *levers]
    parts: list[tuple[Mesh, Look]] = [(merge(plate, spout, *knobs), metal)]
    if state.on:
        jet = rod((end, 0, 0.001), (end, 0, drop + 0.004), (0.0075, 0.009), 12)
        splash = moved(cylinder(0.022, 0.004, "z", 0.001, 20), by=(end - 0.01, 0, 0.002))
        parts.append((merge(jet, splash), JET))
    return Model(tuple(parts), (plate, spout, *knobs))


def switch(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a light switch: a rocker that tilts, and a dot that is lit if it is on."""
    deep, wide, tall = size
    style = int(generator.integers(0, 3))
    plate = turned(turned(block((wide, tall, 0.4 * deep), 0.002, corner=0.008), "x", 90), "z", 90)
    plate = moved(plate, by=(0.2 * deep, 0, tall / 2))
    rim = 0.1 * wide  # the raised field of the plate is inside it
    field = board((0.3 * deep, rim - wide / 2, 0.06 * tall), (0.415 * deep, wide / 2 - rim, 0.94 * tall))
    tilt = 9.0 if state.on else -9.0
    half_y, half_z = (0.2 * wide, 0.26 * tall) if style != 1 else (0.07 * wide, 0.14 * tall)
    rocker = board((-0.002, -half_y, -half_z), (0.004, half_y, half_z))
    if style == 1:
        rocker, tilt = rod((0, 0, 0), (deep * 0.58, 0, 0), (0.006, 0.005), 10), -38.0 if state.on else 38.0
    rocker = moved(turned(rocker, "y", tilt), by=(0.42 * deep, 0, tall / 2))
    if style != 1:
        rocker = moved(rocker, by=(min(0.0, deep - float(rocker.vertices[:, 0].max())), 0, 0))
    well = board(
        (0.39 * deep, -half_y - 0.004, tall / 2 - half_z - 0.004),
        (0.42 * deep, half_y + 0.004, tall / 2 + half_z + 0.004),
    )
    light = board((0.39 * deep, -0.008, 0.1 * tall), (0.45 * deep, 0.008, 0.1 * tall + 0.016))
    dot = Look((0.25, 1.0, 0.3), 0, 0) if state.on else plain((0.35, 0.12, 0.10), "plastic")
    key = plain(shade(paint.look.colour, 0.9 if paint.colour != "black" else 1.25), "plastic")
    is_black = paint.colour == "black"
    raised, gap = (plain(shade(paint.look.colour, by), "plastic") for by in ((1.12, 0.5) if is_black else (0.96, 0.55)))
    parts = ((plate, paint.look), (field, raised), (well, gap), (rocker, key), (light, dot))
    return Model(parts, (plate, rocker))
