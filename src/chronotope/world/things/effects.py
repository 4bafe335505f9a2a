"""States that many small things share (dirt, shards, slices, liquids), and sketches without a size, for homes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from chronotope.world.things.kind import HomeState, Model, extent_of
from chronotope.world.things.mesh import Mesh, cylinder, ellipsoid, extrude, merge, moved, turned
from chronotope.world.things.thing import Look, Paint

LIQUIDS = {"water": (0.45, 0.68, 0.90), "coffee": (0.20, 0.11, 0.06), "wine": (0.42, 0.03, 0.10)}
_STAIN, _CRUST = np.array((0.26, 0.17, 0.08)), np.array((0.72, 0.56, 0.34))  # on light and on dark things
DARK = 0.3  # mean of the colour of a dark thing
_PICTURE = 64  # px

Sketch = Callable[[np.random.Generator, Paint, np.ndarray, HomeState], Model]


def adapted(
    sketch: Callable[[np.random.Generator, Paint], Model],
    change: Callable[[np.random.Generator, Paint, np.ndarray, HomeState, Model], Model] | None = None,
) -> Sketch:
    """Make a sketch for homes from a sketch without a size.

    The thing is scaled to the wanted size and stands on z = 0. ``change`` then shows its state.
    """

    def made(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
        draft = sketch(generator, paint)
        low, high = extent_of(draft)
        scale = size / (high - low)
        middle = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])

        def placed(points: np.ndarray) -> np.ndarray:
            return (points - middle) * scale

        model = Model(
            tuple((mesh._replace(vertices=placed(mesh.vertices)), look) for mesh, look in draft.parts),
            tuple(placed(solid.vertices if isinstance(solid, Mesh) else solid) for solid in draft.solids),
        )
        return model if change is None else change(generator, paint, size, state, model)

    return made


def soiled(generator: np.random.Generator, paint: Paint, model: Model) -> Model:
    """Cover a model with stains.

    Parts with a picture of their own stay clean, except for the painted parts.
    """
    child = int(generator.integers(2**31))

    def dirty(look: Look) -> Look:
        if look.texture is not None and look is not paint.look:
            return look
        return replace(
            look, colour=(1.0, 1.0, 1.0), texture=_stains(np.random.default_rng(child), np.array(look.colour))
        )

    return replace(model, parts=tuple((mesh, dirty(look)) for mesh, look in model.parts))


def _stains(generator: np.random.Generator, colour: np.ndarray) -> np.ndarray:
    """Draw a picture (h, w, 3) uint8 of stains on a colour."""
    y, x = np.mgrid[:_PICTURE, :_PICTURE] / _PICTURE
    share = np.zeros((_PICTURE, _PICTURE))
    for _ in range(14):
        cx, cy, radius = generator.uniform(0, 1), generator.uniform(0, 1), generator.uniform(0.05, 0.16)
        away = np.hypot((x - cx + 0.5) % 1 - 0.5, (y - cy + 0.5) % 1 - 0.5)
        share = np.maximum(share, np.clip(1.6 - 1.6 * away / radius, 0, 0.92))
    stain = _STAIN if colour.mean() > DARK else _CRUST
    mixed = (1 - share[..., None]) * colour + share[..., None] * stain
    return np.rint(255 * np.clip(mixed, 0, 1)).astype(np.uint8)


def shards(generator: np.random.Generator, look: Look, size: np.ndarray, count: int = 9) -> Model:
    """Break a thing into flat pieces that lie where it stood.

    A larger piece is in the middle.
    """
    length, width, _ = size
    parts: list[Mesh] = []
    for number in range(count):
        angle = np.sort(generator.uniform(0, 2 * np.pi, 5) * 0.2 + np.arange(5) * 2 * np.pi / 5)
        radius = (0.30 if number == 0 else float(generator.uniform(0.10, 0.2))) * min(length, width)
        outline = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius
        thick = 0.004 + 0.004 * float(generator.random())
        towards = 2 * np.pi * number / max(count - 1, 1)
        away = 0.0 if number == 0 else 0.36
        middle = np.array([away * length * np.cos(towards), away * width * np.sin(towards), thick / 2])
        parts.append(moved(turned(extrude(outline, thick), "z", float(generator.uniform(0, 360))), by=middle))
    body = merge(*parts)
    return Model(((body, look),), tuple(part.vertices for part in parts))


def filled(model: Model, liquid: str | None, radius: float, x: float, height: float) -> Model:
    """Show a liquid in a model, as a level disc.

    The middle of the disc is at ``x`` and ``height`` (m).
    """
    if liquid is None:
        return model
    disc = moved(cylinder(radius, 0.004, "z", 0.0, 28), by=(x, 0, height))
    return replace(model, parts=(*model.parts, (disc, Look(LIQUIDS[liquid], 0.6, 0.8))))


def half_and_slices(size: np.ndarray, skin: Look, flesh: Look, count: int = 3) -> Model:
    """Cut a round thing.

    The larger part lies with its cut upwards, and slices lie beside it.
    """
    length, width, height = size
    low = moved(ellipsoid((0.34 * length, 0.42 * width, 0.42 * height), 24), by=(-0.16 * length, 0, 0.42 * height))
    kept = low._replace(vertices=np.minimum(low.vertices, [np.inf, np.inf, 0.5 * height]))
    cut = moved(cylinder(1.0, 0.003, "z", 0.0, 28), scale=(0.30 * length, 0.38 * width, 1.0))
    parts: list[tuple[Mesh, Look]] = [(kept, skin), (moved(cut, by=(-0.16 * length, 0, 0.5 * height)), flesh)]
    slices: list[Mesh] = []
    for number in range(count):
        disc = moved(cylinder(1.0, 0.006, "z", 0.0015, 24), scale=(0.16 * length, 0.22 * width, 1.0))
        slices.append(moved(disc, by=(0.34 * length, (number - 1) * 0.3 * width, 0.003 + 0.0061 * number)))
    parts.append((merge(*slices), flesh))
    return Model(tuple(parts), (kept.vertices, *(each.vertices for each in slices)))
