"""Toys."""

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    curve,
    cylinder,
    ellipsoid,
    extrude,
    fillet,
    lathe,
    loft,
    merge,
    moved,
    slices,
    tube,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_BLACK, _GREY, _PALE = (0.06, 0.06, 0.07), (0.50, 0.52, 0.55), (0.92, 0.92, 0.88)


def sideways(outline: list[tuple[float, float]], width: float, bevel: float = 0.0) -> Mesh:
    """Extrude an outline of (x, z) along y.

    The outline is counter-clockwise with x to the right and z up.
    """
    return turned(extrude(np.array(outline), width, bevel), "x", 90)


def _dark(paint: Paint) -> Look:
    return plain(_BLACK if paint.colour != "black" else (0.55, 0.55, 0.57), "plastic")


def toy_car(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a toy car: front (pale lamps) towards +x, red lamps behind."""
    width = generator.uniform(0.068, 0.074)
    lower = sideways(
        [
            (-0.078, 0.012),
            (0.078, 0.012),
            (0.080, 0.024),
            (0.076, 0.035),
            (0.038, 0.041),
            (-0.062, 0.043),
            (-0.080, 0.038),
        ],
        width,
        0.004,
    )
    cabin = sideways([(-0.062, 0.040), (0.040, 0.040), (0.014, 0.068), (-0.046, 0.068)], width * 0.86, 0.004)
    panes = [
        sideways([(-0.052, 0.044), (-0.016, 0.044), (-0.016, 0.064), (-0.042, 0.064)], width * 0.86 + 0.0015),
        sideways([(-0.011, 0.044), (0.028, 0.044), (0.011, 0.064), (-0.011, 0.064)], width * 0.86 + 0.0015),
        sideways([(0.020, 0.0635), (0.0375, 0.0445), (0.0395, 0.0445), (0.022, 0.0635)], width * 0.70),
        sideways([(-0.0585, 0.0455), (-0.0495, 0.0635), (-0.0515, 0.0635), (-0.0605, 0.0455)], width * 0.70),
    ]
    wheels, hubs = [], []
    for x in (-0.047, 0.047):
        for side in (-1, 1):
            where = (x, side * (width / 2 - 0.004), 0.016)
            wheels.append(moved(cylinder(0.016, 0.014, "y", 0.002, 20), by=where))
            hubs.append(moved(cylinder(0.0085, 0.0156, "y", 0.001, 12), by=where))
    lamps = [moved(ellipsoid((0.004, 0.008, 0.006), 14), by=(0.0775, y * width, 0.030)) for y in (-0.33, 0.33)]
    tails = [moved(ellipsoid((0.003, 0.008, 0.005), 14), by=(-0.0795, y * width, 0.033)) for y in (-0.33, 0.33)]
    bumpers = [moved(block((0.006, width * 0.92, 0.008), 0.002), by=(x, 0, 0.016)) for x in (-0.080, 0.080)]
    red = plain((0.75, 0.05, 0.05), "plastic") if paint.colour != "red" else plain((0.35, 0.02, 0.02), "plastic")
    return Model(
        (
            (merge(lower, cabin), paint.look),
            (merge(*panes), plain((0.16, 0.20, 0.25), "glass")),
            (merge(*wheels), plain((0.07, 0.07, 0.07), "rubber")),
            (merge(*hubs, *bumpers), plain((0.72, 0.72, 0.74), "steel")),
            (merge(*lamps), plain((1.0, 0.97, 0.80), "glass")),
            (merge(*tails), red),
        ),
        (merge(lower, *lamps, *tails, *bumpers, *hubs), merge(cabin, *panes), merge(*wheels)),
    )


def toy_train(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a steam engine: boiler and chimney towards +x, cab behind."""
    frame = moved(block((0.20, 0.062, 0.014), 0.002), by=(0, 0, 0.030))
    boiler = moved(cylinder(0.029, 0.125, "x", 0.004), by=(0.034, 0, 0.064))
    cab = moved(block((0.064, 0.068, 0.068), 0.003), by=(-0.064, 0, 0.070))
    roof = moved(block((0.080, 0.080, 0.009), 0.004), by=(-0.064, 0, 0.108))
    panes = [
        moved(block((0.034, 0.070, 0.026), 0.002), by=(-0.064, 0, 0.085)),
        moved(block((0.066, 0.044, 0.020), 0.002), by=(-0.064, 0, 0.087)),
    ]
    chimney = moved(
        lathe(
            fillet(
                [(0, 0), (0.009, 0), (0.009, 0.022), (0.017, 0.036), (0.012, 0.036), (0.010, 0.030), (0, 0.030)], 0.003
            ),
            28,
        ),
        by=(0.070, 0, 0.088),
    )
    dome = moved(ellipsoid((0.013, 0.013, 0.018), 20), by=(0.022, 0, 0.090))
    bands = [moved(cylinder(0.0300, 0.005, "x", 0.001), by=(x, 0, 0.064)) for x in (-0.008, 0.048)]
    face = moved(cylinder(0.021, 0.006, "x", 0.002, 28), by=(0.097, 0, 0.064))
    lamp = moved(cylinder(0.008, 0.012, "x", 0.002, 20), by=(0.099, 0, 0.072))
    guard = sideways([(0.094, 0.012), (0.124, 0.008), (0.124, 0.012), (0.098, 0.036), (0.094, 0.036)], 0.058, 0.001)
    wheels, hubs = [], []
    for x, radius in ((-0.070, 0.024), (-0.018, 0.024), (0.034, 0.018), (0.076, 0.018)):
        for side in (-1, 1):
            where = (x, side * 0.034, radius)
            wheels.append(moved(cylinder(radius, 0.010, "y", 0.002, 20), by=where))
            hubs.append(moved(cylinder(radius * 0.35, 0.013, "y", 0.001, 10), by=where))
    trim = plain((0.86, 0.66, 0.20) if paint.colour not in ("yellow", "orange") else (0.75, 0.10, 0.10), "metal")
    return Model(
        (
            (merge(boiler, cab), paint.look),
            (merge(frame, roof, chimney, guard), _dark(paint)),
            (merge(*wheels, face), plain((0.20, 0.20, 0.22), "metal")),
            (merge(dome, *bands, *hubs, lamp), trim),
            (merge(*panes), plain((0.75, 0.86, 0.92), "glass")),
        ),
        (merge(frame, guard, face), boiler, merge(cab, roof, *panes), chimney, dome, lamp, merge(*wheels, *hubs)),
    )


def toy_plane(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a propeller plane on its wheels: nose towards +x."""
    z = 0.060
    share = curve([(-0.120, 0.007), (-0.080, 0.015), (0.0, 0.026), (0.060, 0.029), (0.098, 0.026), (0.106, 0.018)], 18)
    hull = tube(
        np.column_stack([share[:, 0], np.zeros(18), z + 0.08 * np.maximum(-share[:, 0] - 0.02, 0)]), share[:, 1], 24
    )

    def wing(root: float, tip: float, span: float, sweep: float, thick: float) -> Mesh:
        outline = [
            (-root / 2, -0.001),
            (-tip / 2 - sweep, -span / 2),
            (tip / 2 - sweep, -span / 2),
            (root / 2, 0.0),
            (tip / 2 - sweep, span / 2),
            (-tip / 2 - sweep, span / 2),
            (-root / 2, 0.001),
        ]
        return extrude(fillet(np.array([*outline, outline[0]]), 0.014, 3)[1:], thick, thick * 0.3)

    span = generator.uniform(0.205, 0.22)
    wings = moved(wing(0.060, 0.044, span, 0.004, 0.009), by=(0.030, 0, z - 0.012))
    tail = moved(wing(0.036, 0.026, 0.084, 0.004, 0.007), by=(-0.104, 0, z + 0.010))
    fin = sideways([(-0.122, z + 0.008), (-0.084, z + 0.008), (-0.108, z + 0.052), (-0.126, z + 0.052)], 0.007, 0.002)
    canopy = moved(ellipsoid((0.030, 0.017, 0.020), 24), by=(0.018, 0, z + 0.022))
    spinner = moved(
        turned(lathe(curve([(0.0135, 0), (0.011, 0.010), (0.0, 0.018)], 8), 20), "y", 90),
        by=(0.107, 0, z),
    )
    blades = merge(
        *(
            moved(
                turned(moved(ellipsoid((0.0025, 0.0075, 0.030), 14), by=(0, 0, 0.028)), "x", k * 180 + 20),
                by=(0.112, 0, z),
            )
            for k in range(2)
        )
    )
    wheels = merge(
        *(moved(cylinder(0.014, 0.010, "y", 0.002, 22), by=(0.058, y, 0.014)) for y in (-0.032, 0.032)),
        moved(cylinder(0.008, 0.007, "y", 0.001, 16), by=(-0.106, 0, 0.008)),
    )
    legs = merge(
        *(tube(np.array([[0.052, y * 0.5, z - 0.018], [0.058, y, 0.014]]), 0.0036, 8) for y in (-0.032, 0.032)),
        tube(np.array([[-0.098, 0, z - 0.004], [-0.106, 0, 0.008]]), 0.003, 8),
    )
    accent = (
        paint.look if generator.random() < 0.5 else plain(_PALE if paint.colour != "white" else _GREY, paint.material)
    )
    return Model(
        (
            (merge(hull, wings), paint.look),
            (merge(tail, fin), accent),
            (canopy, plain((0.20, 0.28, 0.36), "glass")),
            (merge(wheels, blades), plain((0.09, 0.09, 0.09), "rubber")),
            (merge(legs, spinner), plain((0.72, 0.72, 0.74), "steel")),
        ),
        (merge(hull, spinner), wings, tail, fin, canopy, blades, merge(wheels, legs)),
    )


def toy_boat(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a sailing boat on a flat keel: bow towards +x.

    The mast of the boat has two sails.
    """

    def outline(share: float, z: float) -> np.ndarray:
        half = curve([(-0.10, 0.030), (-0.03, 0.040), (0.04, 0.033), (0.115, 0.0)], 14) * [1, share]
        half[:, 0] *= 0.86 + 0.14 * share
        both = np.concatenate([half[::-1], half[:-1] * [1, -1]])
        return np.column_stack([both, np.full(len(both), z)])

    hull = loft(
        np.array(
            [
                outline(s, z)
                for s, z in ((0.50, 0), (0.72, 0.010), (0.90, 0.026), (1.0, 0.046), (0.95, 0.047), (0.90, 0.0405))
            ]
        )
    )
    stripe = loft(
        np.array([outline(s, z) for s, z in ((0.955, 0.0335), (1.003, 0.034), (1.012, 0.039), (0.955, 0.0395))])
    )
    cabin = moved(block((0.055, 0.036, 0.022), 0.005), by=(-0.045, 0, 0.050))
    height = generator.uniform(0.205, 0.235)
    mast = moved(cylinder(0.0042, height - 0.035, "z", 0.001, 14), by=(0.015, 0, (height + 0.035) / 2))
    boom = tube(np.array([[0.016, 0, 0.078], [-0.088, 0, 0.078]]), 0.003, 10)

    def sail(corners: list[tuple[float, float]]) -> Mesh:
        body = sideways([tuple(p) for p in fillet(np.array([*corners, corners[0]]), 0.004, 2)[1:].tolist()], 0.003)
        bulge = np.sin(np.clip((body.vertices[:, 2] - 0.075) / (height - 0.09), 0, 1) * np.pi) * 0.006
        return body._replace(vertices=body.vertices + np.stack([0 * bulge, bulge, 0 * bulge], axis=1))

    main = sail([(-0.084, 0.084), (0.009, 0.084), (0.009, height - 0.006)])
    jib = sail([(0.022, 0.064), (0.108, 0.056), (0.022, height - 0.022)])
    cloth = plain(paint.look.colour, "fabric")
    pale = cloth if generator.random() < 0.5 else plain((0.95, 0.94, 0.90), "fabric")
    wood = plain((0.62, 0.43, 0.25), "wood")
    return Model(
        ((hull, paint.look), (main, cloth), (jib, pale), (merge(mast, boom, stripe, cabin), wood)),
        (merge(hull, stripe), cabin, mast, main, jib, boom),
    )


def rubber_duck(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a bath duck: orange beak towards +x, tail up behind."""
    body = ellipsoid((0.050, 0.038, 0.034), 32, flattened=0.12)
    vertices = body.vertices.copy()
    back = np.clip(-vertices[:, 0] - 0.012, 0, None)
    vertices[:, 2] += 14 * back**2 * (vertices[:, 2] > -0.018)
    vertices[:, 1] *= 1 - 9 * back
    body = moved(body._replace(vertices=vertices), by=(0, 0, 0.026))
    head = moved(ellipsoid((0.028, 0.027, 0.027), 28), by=(0.024, 0, 0.074))
    wings = [
        moved(turned(ellipsoid((0.028, 0.008, 0.017), 20), "y", 12), by=(-0.008, side * 0.034, 0.036))
        for side in (-1, 1)
    ]
    upper = moved(turned(ellipsoid((0.016, 0.014, 0.0055), 20), "y", -12), by=(0.054, 0, 0.072))
    lower = moved(turned(ellipsoid((0.012, 0.011, 0.004), 20), "y", 10), by=(0.050, 0, 0.0655))
    eyes = merge(*(moved(ellipsoid(0.0048, 14), by=(0.043, side * 0.0165, 0.082)) for side in (-1, 1)))
    beak = plain((0.96, 0.42, 0.05) if paint.colour not in ("orange", "red") else (0.98, 0.82, 0.15), "rubber")
    dark = plain(_BLACK if paint.colour != "black" else (0.95, 0.95, 0.95), "plastic")
    return Model(
        ((merge(body, head, *wings), paint.look), (merge(upper, lower), beak), (eyes, dark)),
        (body, *wings, merge(head, eyes), merge(upper, lower)),
    )


def piggy_bank(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a round pig with a slot: snout towards +x."""
    z = 0.062
    body = moved(ellipsoid((0.068, 0.052, 0.050), 36), by=(0, 0, z))
    snout = moved(cylinder(0.0205, 0.030, "x", 0.004, 28), by=(0.070, 0, z + 0.004))
    nostrils = merge(
        *(moved(ellipsoid((0.003, 0.0036, 0.0055), 12), by=(0.085, y, z + 0.005)) for y in (-0.008, 0.008))
    )
    eyes = merge(*(moved(ellipsoid(0.0052, 14), by=(0.056, y, z + 0.026)) for y in (-0.020, 0.020)))
    legs = merge(
        *(
            moved(cylinder(0.0145, 0.034, "z", 0.002, 22), by=(x, y, 0.017))
            for x in (-0.034, 0.036)
            for y in (-0.026, 0.026)
        )
    )
    ear = lathe([(0, 0), (0.016, 0), (0.013, 0.012), (0.0, 0.032)], 20)
    ears = merge(
        *(
            moved(
                turned(turned(moved(ear, scale=(0.45, 1, 1)), "y", 18), "x", -side * 24),
                by=(0.036, side * 0.025, z + 0.038),
            )
            for side in (-1, 1)
        )
    )
    turn = np.linspace(0, 3.2 * np.pi, 26)
    tail = tube(
        np.column_stack([-0.066 - 0.0045 * turn / np.pi, 0.008 * np.cos(turn), z + 0.014 + 0.008 * np.sin(turn)]),
        0.0032,
        8,
    )
    slot = moved(block((0.034, 0.0045, 0.003), 0.001), by=(-0.004, 0, z + 0.0493))
    dark = plain(_BLACK if paint.colour != "black" else (0.9, 0.9, 0.9), "plastic")
    nose = plain(shade(paint.look.colour, 0.82 if paint.colour != "black" else 1.35), paint.material)
    return Model(
        ((merge(body, legs, ears, tail), paint.look), (snout, nose), (merge(nostrils, eyes, slot), dark)),
        (merge(body, slot), merge(snout, nostrils), legs, ears, tail, eyes),
    )


def teddy_bear(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a sitting bear with legs stretched out: face towards +x."""
    body = moved(ellipsoid((0.058, 0.062, 0.076), 24, flattened=0.06), by=(0, 0, 0.0669))
    head = moved(ellipsoid((0.050, 0.056, 0.050), 24), by=(0.008, 0, 0.180))
    ears = merge(*(moved(ellipsoid((0.012, 0.021, 0.021), 14), by=(0.004, y, 0.226)) for y in (-0.042, 0.042)))
    inner = merge(*(moved(ellipsoid((0.006, 0.013, 0.013), 12), by=(0.0125, y, 0.226)) for y in (-0.042, 0.042)))
    muzzle = moved(ellipsoid((0.024, 0.027, 0.020), 16), by=(0.050, 0, 0.170))
    nose = moved(ellipsoid((0.007, 0.010, 0.0065), 14), by=(0.0735, 0, 0.176))
    eyes = merge(*(moved(ellipsoid((0.005, 0.0065, 0.0065), 14), by=(0.052, y, 0.196)) for y in (-0.021, 0.021)))
    limbs, pads = [], []
    for y in (-1, 1):
        leg = np.array([[0.010, y * 0.036, 0.031], [0.060, y * 0.050, 0.029], [0.124, y * 0.058, 0.029]])
        limbs.append(tube(curve(leg, 8), [0.027, 0.0285, 0.029, 0.029, 0.029, 0.029, 0.029, 0.027], 14))
        limbs.append(moved(ellipsoid((0.017, 0.026, 0.033), 16), by=(0.122, y * 0.058, 0.033)))
        pads.append(moved(ellipsoid((0.006, 0.017, 0.022), 12), by=(0.1355, y * 0.059, 0.034)))
        arm = np.array([[0.000, y * 0.050, 0.118], [0.030, y * 0.078, 0.096], [0.062, y * 0.076, 0.076]])
        limbs.append(tube(curve(arm, 8), [0.018, 0.020, 0.021, 0.021, 0.021, 0.021, 0.019, 0.012], 12))
    lighter = plain(shade(paint.look.colour, 1.45) if paint.colour != "white" else (0.80, 0.70, 0.56), "fabric")
    return Model(
        (
            (merge(body, head, ears, *limbs), paint.look),
            (merge(inner, muzzle, *pads), lighter),
            (merge(nose, eyes), plain((0.05, 0.04, 0.04), "plastic")),
        ),
        (
            body,
            merge(head, eyes),
            merge(ears, inner),
            merge(muzzle, nose),
            merge(limbs[0], limbs[1], pads[0]),
            *slices(limbs[2], (0, 0.097, 1)),
            merge(limbs[3], limbs[4], pads[1]),
            *slices(limbs[5], (0, 0.097, 1)),
        ),
    )


def toy_brick(generator: np.random.Generator, paint: Paint) -> Model:
    """Sketch a building brick: two rows of two to four studs."""
    pitch, height, columns = 0.016, 0.0192, int(generator.integers(2, 5))
    body = moved(block((columns * pitch, 2 * pitch, height), 0.0006), by=(0, 0, height / 2))
    studs = [
        moved(
            cylinder(0.0049, 0.005, "z", 0.0004, 24),
            by=((i - (columns - 1) / 2) * pitch, (j - 0.5) * pitch, height + 0.0022),
        )
        for i in range(columns)
        for j in range(2)
    ]
    return Model(((merge(body, *studs), paint.look),), (body, merge(*studs)))


def die(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a die with its pips; opposite faces add up to seven."""
    side = 0.05
    body = block((side, side, side), 0.006, steps=4)
    spots = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
        6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
    }
    pip = cylinder(0.0048, 0.001, "z", 0.0, 18)
    pips = []
    for number, (axis, degrees) in {
        1: ("x", 0),
        6: ("x", 180),
        2: ("x", 90),
        5: ("x", -90),
        3: ("y", 90),
        4: ("y", -90),
    }.items():
        pips += [turned(moved(pip, by=(0.0135 * i, 0.0135 * j, side / 2)), axis, degrees) for i, j in spots[number]]
    light = paint.colour in ("white", "yellow", "orange", "pink")
    return Model(
        ((body, paint.look), (merge(*pips), plain(_BLACK if light else (0.96, 0.96, 0.94), "plastic"))),
        (merge(body, *pips),),
    )


def ball(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a rubber ball; some have a pale band round the middle."""
    body = ellipsoid(0.05, 40)
    parts = [(body, paint.look)]
    if generator.random() < 0.6:
        rise = np.linspace(-0.16, 0.16, 7)
        band = np.stack([0.0502 * np.cos(rise), 0.0502 * np.sin(rise)], axis=1)
        pale = (0.94, 0.94, 0.9) if paint.colour != "white" else (0.10, 0.30, 0.60)
        parts.append((lathe(np.concatenate([band, band[::-1] * 0.97]), closed=True), plain(pale, paint.material)))
    return Model(tuple(parts), (body,))
