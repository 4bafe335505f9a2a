"""Fruit, and food in its packing."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import legible, plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    curve,
    ellipsoid,
    fillet,
    lathe,
    merge,
    moved,
    panel,
    tube,
    turned,
)
from chronotope.world.things.thing import Look, Paint

_STALK = (0.30, 0.20, 0.10)
_CREAM = (0.95, 0.92, 0.84)


def _ripe(paint: Paint) -> Look:
    """Return the paint of a fruit: green becomes lighter."""
    if paint.colour != "green":
        return paint.look
    return plain((0.38 + 0.3 * (paint.look.colour[0] - 0.1), 0.62, 0.13), paint.material)


def apple(generator: np.random.Generator, paint: Paint) -> Model:
    """Return an apple standing on its blossom end, with its stalk."""
    radius, height = 0.038, generator.uniform(0.062, 0.068)
    side = curve(
        [
            (0.0, 0.006),
            (0.010, 0.0),
            (0.021, 0.004),
            (0.033, 0.022),
            (radius, height * 0.62),
            (0.031, height * 0.93),
            (0.017, height),
            (0.006, height * 0.94),
            (0.0, height * 0.86),
        ],
        26,
    )
    body = lathe(side)
    stalk = lathe(
        [
            (0, height * 0.84),
            (0.0018, height * 0.84),
            (0.0016, height + 0.009),
            (0.0024, height + 0.014),
            (0, height + 0.014),
        ],
        10,
    )
    return Model(((body, _ripe(paint)), (stalk, plain(_STALK, "wood"))), (body, stalk))


def pear(generator: np.random.Generator, paint: Paint) -> Model:
    """Return an upright pear with its stalk."""
    height = generator.uniform(0.092, 0.102)
    side = curve(
        [
            (0.0, 0.004),
            (0.010, 0.0),
            (0.024, 0.006),
            (0.0345, 0.026),
            (0.031, height * 0.48),
            (0.019, height * 0.74),
            (0.0145, height * 0.90),
            (0.008, height * 0.99),
            (0.0, height),
        ],
        28,
    )
    body = lathe(side)
    stalk = lathe(
        [
            (0, height * 0.97),
            (0.0018, height * 0.97),
            (0.0016, height + 0.012),
            (0.0028, height + 0.018),
            (0, height + 0.018),
        ],
        10,
    )
    return Model(
        ((body, _ripe(paint)), (stalk, plain(_STALK, "wood"))),
        (body.vertices[body.vertices[:, 2] < height * 0.50], body.vertices[body.vertices[:, 2] > height * 0.40], stalk),
    )


def banana(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a banana lying on its side: stalk towards +x."""
    bend = generator.uniform(1.15, 1.4)
    turn = np.linspace(-bend / 2, bend / 2, 22)
    reach = 0.17 / bend
    path = np.column_stack([reach * np.sin(turn), -reach * np.cos(turn), np.zeros(22)])
    share = np.linspace(0, 1, 22)
    thick = np.interp(
        share,
        [0, 0.03, 0.14, 0.45, 0.78, 0.90, 0.95, 1.0],
        [0.006, 0.009, 0.0165, 0.0195, 0.0175, 0.010, 0.0062, 0.0058],
    )
    path[:, 2] = np.maximum(thick, 0.0078)  # the underside is level
    body = tube(path, thick, 10)
    ahead = path[-1] - path[-2]
    stalk = tube(np.array([path[-1] - ahead * 0.3, path[-1] + ahead * 2.4]), [0.0060, 0.0072], 10)
    cut = tube(np.array([path[-1] + ahead * 2.3, path[-1] + ahead * 2.7]), [0.0074, 0.0070], 10)
    tip = moved(ellipsoid(0.0072, 14), by=path[0])
    return Model(
        (
            (body, paint.look),
            (stalk, plain((0.62, 0.62, 0.18), "fruit")),
            (merge(cut, tip), plain((0.18, 0.12, 0.06), "fruit")),
        ),
        (
            *(
                body.vertices[np.abs(np.arctan2(body.vertices[:, 0], -body.vertices[:, 1]) - m) < bend * 0.14]
                for m in np.linspace(-0.42, 0.42, 5) * bend
            ),
            merge(stalk, cut),
            tip,
        ),
    )


def cupcake(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a small cake with whirled cream and a cherry.

    The colour in the cake's name is the colour of its pleated paper case.
    """
    height = generator.uniform(0.036, 0.041)
    case = lathe(
        [(0, 0), (0.0235, 0), (0.034, height), (0.031, height), (0.030, height - 0.002), (0, height - 0.002)], 80
    )
    pleat = 1 + 0.025 * np.cos(np.arctan2(case.vertices[:, 1], case.vertices[:, 0]) * 20)[:, None] * [1, 1, 0]
    case = case._replace(vertices=case.vertices * pleat)
    crumb = lathe(
        [
            (0, height - 0.004),
            (0.0312, height - 0.003),
            (0.034, height + 0.003),
            (0.030, height + 0.007),
            (0, height + 0.008),
        ]
    )
    whirls = [(0, height + 0.004)]
    for number, radius in enumerate((0.0285, 0.0225, 0.0155, 0.0085)):
        turn = np.linspace(-1.2, 1.2, 6)
        whirls += [
            (radius - 0.004 + 0.0045 * np.cos(a), height + 0.009 + 0.0085 * number + 0.0045 * np.sin(a)) for a in turn
        ]
    top = height + 0.040
    cream = lathe([*whirls, (0, top)], 32)
    cherry = moved(ellipsoid(0.0085, 20), by=(0, 0, top + 0.005))
    stalk = tube(np.array([(0, 0, top + 0.012), (0, 0, top + 0.024)]), 0.0009, 6)
    icing = shade(paint.look.colour, generator.uniform(1.0, 1.2))
    return Model(
        (
            (case, paint.look),
            (crumb, plain((0.74, 0.50, 0.25), "paper")),
            (cream, plain(icing, "wax")),
            (cherry, plain((0.72, 0.04, 0.10), "fruit")),
            (stalk, plain(_STALK, "wood")),
        ),
        (case, crumb, cream, merge(cherry, stalk)),
    )


def pumpkin(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a ribbed pumpkin with its stalk."""
    flat = generator.uniform(0.68, 0.82)
    polar = np.linspace(np.pi, 0, 19)
    body = lathe(np.stack([0.1 * np.sin(polar), 0.1 * flat * (np.cos(polar) - 0.16 * np.cos(polar) ** 9)], axis=1), 96)
    around = np.arctan2(body.vertices[:, 1], body.vertices[:, 0])
    ribs = 1 - 0.075 * np.abs(np.cos(6 * around)) ** 7
    body = body._replace(vertices=body.vertices * np.stack([ribs, ribs, 0.97 + 0.03 * ribs], axis=1))
    top = 0.1 * flat * 0.80
    stalk = lathe(
        [
            (0, top - 0.006),
            (0.019, top - 0.004),
            (0.011, top + 0.010),
            (0.009, top + 0.030),
            (0.012, top + 0.036),
            (0, top + 0.037),
        ],
        16,
    )
    return Model(((body, paint.look), (stalk, plain((0.30, 0.34, 0.14), "wood"))), (body, stalk))


def tin_can(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a tin: ribbed steel ends and a paper label.

    The name is printed three times around the label.
    """
    radius, height = 0.037, generator.uniform(0.10, 0.115)
    ends = lathe(
        fillet(
            [
                (0, 0.003),
                (radius - 0.003, 0.003),
                (radius - 0.003, 0),
                (radius + 0.001, 0),
                (radius + 0.001, 0.004),
                (radius - 0.0006, 0.006),
                (radius - 0.0006, height - 0.006),
                (radius + 0.001, height - 0.004),
                (radius + 0.001, height),
                (radius - 0.003, height),
                (radius - 0.003, height - 0.003),
                (0, height - 0.003),
            ],
            0.0008,
            2,
        )
    )
    band = lathe(
        [(radius - 0.003, 0.008), (radius, 0.008), (radius, height - 0.008), (radius - 0.003, height - 0.008)],
        48,
        closed=True,
    )
    letters = legible(paint)
    sheet = textures.paper(generator, paint.look.colour, (128, 384))
    word = str(generator.choice(["SOUP", "BEANS", "PEAS", "TOMATO", "CORN"]))
    for k in range(3):
        sheet = textures.write(sheet, word, letters, ((k + 0.14) / 3, 0.30, (k + 0.86) / 3, 0.58))
    sheet[12:18] = sheet[92:112] = textures.ink(letters)
    band = _outside(band)
    return Model(
        ((ends, plain((0.74, 0.74, 0.76), "steel")), (band, Look((1, 1, 1), 0.15, 0.3, sheet))),
        (merge(ends, band),),
    )


def _outside(band: Mesh) -> Mesh:
    """Make a label as a closed band, with its picture upright.

    The picture extends from the top of the label to its bottom.
    """
    z = band.vertices[:, 2]
    return band._replace(uv=np.column_stack([band.uv[:, 0], (z.max() - z) / np.ptp(z)]))


def milk_carton(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a carton with a gable, its ridge along x.

    The name of the carton is on the broad sides beneath the slopes.
    """
    side, height, slope = 0.073, generator.uniform(0.16, 0.185), 0.036
    body = moved(block((side + 0.002, side, height), 0.0015), by=(0, 0, height / 2))
    roof = moved(_prism(side + 0.001, side - 0.002, slope), by=(0, 0, height - 0.0005))
    fin = moved(block((side + 0.002, 0.0035, 0.020), 0.0008), by=(0, 0, height + slope + 0.007))
    pale = _CREAM if paint.colour != "white" else (0.25, 0.45, 0.80)
    sheet = textures.paper(generator, pale, (160, 120))
    letters = paint.look.colour if paint.colour != "white" else (0.96, 0.96, 0.96)
    sheet = textures.write(sheet, "MILK", letters, (0.10, 0.16, 0.90, 0.44))
    y, x = np.mgrid[:160, :120]
    sheet[y > 118 + 8 * np.sin(x / 10)] = textures.ink(paint.look.colour)
    label = moved(panel(side - 0.006, height * 0.62), by=(0, 0.0004 - side / 2, height * 0.46))
    labels = merge(label, turned(label, "z", 180))
    return Model(
        ((merge(body, roof, fin), paint.look), (labels, Look((1, 1, 1), 0.1, 0.2, sheet))),
        (merge(body, labels), roof, fin),
    )


def _prism(length: float, width: float, height: float) -> Mesh:
    """Return a gable roof on z = 0, its ridge along x."""
    mesh = block((length, width, height))
    vertices = mesh.vertices.copy()
    vertices[vertices[:, 2] > 0, 1] *= 0.02
    vertices[:, 2] += height / 2
    return mesh._replace(vertices=vertices)
