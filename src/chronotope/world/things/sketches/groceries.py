"""Food of homes: whole, sliced or cooked."""

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.effects import half_and_slices
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import block, curve, ellipsoid, lathe, merge, moved, turned
from chronotope.world.things.thing import Look, Paint

_FLESH = {"apple": (0.96, 0.93, 0.78), "tomato": (0.93, 0.42, 0.33), "potato": (0.95, 0.90, 0.66)}
_CRUST, _CRUMB = (0.66, 0.42, 0.20), (0.95, 0.88, 0.72)


def apple(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    """Cut an apple into a half and slices."""
    return half_and_slices(size, model.parts[0][1], plain(_FLESH["apple"], "fruit")) if state.sliced else model


def tomato(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a tomato with a green star of leaves."""
    body = moved(ellipsoid((size / 2).tolist(), 24), by=(0, 0, size[2] / 2))
    leaf = merge(
        *(
            turned(
                moved(ellipsoid((0.22 * size[0], 0.05 * size[1], 0.003), 10), by=(0.16 * size[0], 0, size[2])),
                "z",
                k * 72,
            )
            for k in range(5)
        )
    )
    if state.sliced:
        return half_and_slices(size, paint.look, plain(_FLESH["tomato"], "fruit"))
    return Model(((body, paint.look), (leaf, plain((0.18, 0.42, 0.14), "leaf"))), (body.vertices,))


def potato(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a lumpy potato; cooked, it is golden, with dark patches."""
    body = ellipsoid((size / 2).tolist(), 24)
    lumps = generator.uniform(0.9, 1.0, 3)
    waves = 1 - 0.04 * np.sin(body.vertices @ (np.array([70.0, 90.0, 60.0]) * lumps))[:, None] ** 2
    body = moved(body._replace(vertices=body.vertices * waves), by=(0, 0, size[2] / 2))
    body = body._replace(vertices=body.vertices - [0, 0, body.vertices[:, 2].min()])
    # Raw skin is paler than brown paint, and cooked skin darker.
    raw = plain(shade(paint.look.colour, 1.42), "fruit")
    skin = plain((0.30, 0.14, 0.05), "fruit") if state.cooked else raw
    if state.sliced:
        flesh = (0.85, 0.62, 0.25) if state.cooked else _FLESH["potato"]
        return half_and_slices(size, skin, plain(flesh, "fruit"))
    return Model(((body, skin),), (body.vertices,))


def egg(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an egg on its side; a sliced one is white and yolk beside two half shells."""
    radius, length = float(min(size[1], size[2])) / 2, float(size[0])
    profile = curve([(0, -0.5), (0.32, -0.42), (0.5, -0.1), (0.4, 0.25), (0.16, 0.46), (0, 0.5)], 20)
    shell = turned(lathe(profile * [2 * radius, length], 24), "y", 90)
    shell = moved(shell, by=(0, 0, radius))
    if not state.sliced:
        return Model(((shell, paint.look),), (shell.vertices,))
    white = moved(ellipsoid((0.9 * length, 0.9 * length, 0.004), 28), by=(0, 0, 0.004))
    yolk = moved(ellipsoid((0.34 * length, 0.34 * length, 0.012), 24), by=(0, 0, 0.012))
    halves = [
        moved(ellipsoid((radius, radius, 0.6 * radius), 20), by=(x, 0.7 * length, 0.6 * radius))
        for x in (-0.4 * length, 0.4 * length)
    ]
    parts = (
        (white, plain((0.95, 0.95, 0.92), "fruit")),
        (yolk, plain((0.96, 0.70, 0.10), "fruit")),
        (merge(*halves), paint.look),
    )
    return Model(parts, (white.vertices, *(half.vertices for half in halves)))


def bread(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a loaf; sliced, half of it lies as slices; cooked, it is dark."""
    length, width, height = (float(each) for each in size)
    cuts = 3 + int(generator.integers(2))
    crust: Look = plain(shade(_CRUST, 0.45) if state.cooked else _CRUST, "fruit")
    crumb: Look = plain(shade(_CRUMB, 0.6) if state.cooked else _CRUMB, "fruit")

    def loaf(part: float) -> tuple[float, float, float]:
        return part * length, width, height

    if not state.sliced:
        body = moved(block(loaf(1.0), 0.35 * height, 0.2 * width), by=(0, 0, height / 2))
        scores = [
            moved(turned(block((0.012, 0.6 * width, 0.006), 0.002), "z", 25), by=(x * length, 0, height - 0.002))
            for x in (-0.25, 0.0, 0.25)
        ]
        return Model(((body, crust), (merge(*scores), crumb)), (body.vertices,))
    body = moved(block(loaf(0.5), 0.3 * height, 0.2 * width), by=(-0.25 * length, 0, height / 2))
    slices = [
        moved(
            turned(block((0.75 * height, 0.85 * width, 0.014), 0.004, 0.3 * height), "y", 0),
            by=(0.1 * length + 0.09 * length * k, 0, 0.007 + 0.0145 * k),
        )
        for k in range(cuts)
    ]
    return Model(((body, crust), (merge(*slices), crumb)), (body.vertices, *(each.vertices for each in slices)))


def lettuce(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a head of lettuce: a ball with wavy leaves around it."""
    leaves = []
    for number in range(7):
        leaf = ellipsoid((0.30, 0.24, 0.045), 14)
        waves = 0.02 * np.sin(26 * leaf.vertices[:, 1] + number)
        leaf = leaf._replace(vertices=leaf.vertices + np.column_stack([0 * waves, 0 * waves, waves]))
        leaf = turned(turned(leaf, "y", -58), "x", 0)
        leaves.append(turned(moved(leaf, by=(0.22, 0, 0.42)), "z", number * 360 / 7 + float(generator.uniform(-9, 9))))
    core = moved(ellipsoid((0.26, 0.26, 0.34), 18), by=(0, 0, 0.36))
    everything = np.concatenate([mesh.vertices for mesh in (core, *leaves)])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = size / (high - low)
    middle = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    placed = [mesh._replace(vertices=(mesh.vertices - middle) * scale) for mesh in (core, *leaves)]
    pale = plain(shade(paint.look.colour, 1.35), "leaf")
    if state.sliced:
        return half_and_slices(size, paint.look, pale)
    return Model(((placed[0], pale), (merge(*placed[1:]), paint.look)), tuple(mesh.vertices for mesh in placed))
