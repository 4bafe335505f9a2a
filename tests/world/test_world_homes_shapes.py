"""The shapes and functions of things of homes; shapes against the widths of their outlines in all directions."""

import numpy as np
import pytest

from chronotope.world.things import HOME_KINDS, HomeState, draw_home_thing

ANGLES = np.radians(np.arange(0, 180, 15))
WAYS = np.stack([np.cos(ANGLES), np.sin(ANGLES)])
TYPES = [
    "CoffeeTable",
    "SideTable",
    "Stool",
    "Plate",
    "Painting",
    "Mirror",
    "Fridge",
    "Box",
    "ToiletPaper",
    "BasketBall",
]


def likeness(points):
    """How far the widths of an outline are from those of an ellipse and of a rectangle of its size."""
    widths = np.ptp(points @ WAYS, axis=0)
    a, b = np.ptp(points, axis=0)
    round_ = np.hypot(a * WAYS[0], b * WAYS[1])
    boxed = a * np.abs(WAYS[0]) + b * np.abs(WAYS[1])
    return [np.abs(widths / each - 1).max() for each in (round_, boxed)]


def outlines(thing, side):
    points = np.concatenate([piece.vertices for piece in thing.pieces])
    if side == "top":
        return [points[points[:, 2] > 0.76 * points[:, 2].max(), :2]]  # the middle of the box is at zero
    return [points[:, 1:]] if side == "front" else [points[:, :2], points[:, 1:], points[:, ::2]]


@pytest.mark.parametrize("name", TYPES)
def test_shapes_are_those_of_the_outlines(name) -> None:
    drawn = [draw_home_thing(name, seed) for seed in range(8)]
    told = [made.shape for made in drawn]
    assert set(told) - {None}
    for made in drawn:
        seen = outlines(made.thing, HOME_KINDS[name].use.shape_from)
        rounded, boxed = np.array([likeness(each) for each in seen]).T
        sides = np.sort(np.ptp(seen[0], axis=0) if len(seen) == 1 else made.thing.size)
        if made.shape in ("round", "oval", "spherical"):
            assert rounded.max() < 0.04
        elif made.shape in ("square", "rectangular", "cubic"):
            assert boxed.max() < 0.12
        elif made.shape == "cylindrical":
            assert rounded[0] < 0.04 and boxed[1:].max() < 0.12
        if made.shape in ("round", "square", "spherical", "cubic"):
            assert sides[-1] < 1.07 * sides[0]
        if made.shape in ("oval", "rectangular"):
            assert sides[-1] > 1.19 * sides[0]


def test_every_type_has_a_function_of_at_most_five_words() -> None:
    told = {name: kind.use.purpose.split() for name, kind in HOME_KINDS.items()}
    assert all(1 < len(words) <= 5 and words[0] in ("used", "eaten", "worn") for words in told.values())


def test_a_thing_whose_state_hides_its_shape_has_none() -> None:
    seed = next(seed for seed in range(9) if draw_home_thing("Box", seed).shape)
    assert draw_home_thing("Box", seed, HomeState(openness=1.0)).shape is None
    assert draw_home_thing("Sofa", 0).shape is None  # nobody calls a sofa by its shape
