"""Wrong options about colours are clearly other colours, by the formula of CIEDE2000."""

from itertools import combinations

import numpy as np
import pytest

from chronotope.families.m3.looks import are_alike
from chronotope.world.things.colours import COLOURS, lab

# Pairs of CIE Lab colours with their differences, as published with the formula (Sharma, Wu and Dalal, 2005, table 1).
PUBLISHED = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 2.8361, -74.02), (50, 0, -82.7485), 3.4412),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((50, 2.5, 0), (61, -5, 29), 22.8977),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
]


def difference(one, other) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    grown = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25.0**7))
    c1, c2 = np.hypot(a1 * grown, b1), np.hypot(a2 * grown, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * grown)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turned = 0.0 if grey else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if grey else (h1 + turned / 2) % 360
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cosines = zip((-0.17, 0.24, 0.32, -0.2), (1, 2, 3, 4), (-30, 0, 6, -63), strict=True)
    t = 1 + sum(share * np.cos(np.radians(times * hue + shift)) for share, times, shift in cosines)
    rotation = (
        -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    )
    in_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    in_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    in_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turned / 2)) / (1 + 0.015 * chroma * t)
    return float(np.sqrt(in_light**2 + in_chroma**2 + in_hue**2 + rotation * in_chroma * in_hue))


@pytest.mark.parametrize(("one", "other", "published"), PUBLISHED)
def test_the_formula_gives_the_published_differences(one, other, published) -> None:
    assert difference(one, other) == pytest.approx(published, abs=1e-4)
    assert difference(other, one) == pytest.approx(published, abs=1e-4)


def test_colours_that_are_offered_together_differ_by_twenty() -> None:
    seen = {name: lab(np.array(colour)) for name, colour in COLOURS.items()}
    near = {frozenset(pair) for pair in combinations(seen, 2) if difference(*(seen[name] for name in pair)) < 20}
    assert near and all(are_alike(*pair) for pair in near)
