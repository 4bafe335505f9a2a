"""Streets: furniture at real sizes, a plain street, and the page about them."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.street import STREET_KINDS, draw_fixture, fixture_types, street_backdrop, street_set
from chronotope.world.street.backdrop import KERB, LANE
from chronotope.world.street.fixtures import Fixture

PAGE = Path(__file__).parents[2] / "docs" / "streets.md"
# Length, width, height (m): makers' catalogues of street furniture (benches, bins to EN 840, bollards), lamp posts of
# residential streets, signal posts, shelters of bus stops, young street trees.
REAL = {
    "Bench": ((0.5, 0.8), (1.2, 2.2), (0.7, 0.95)),
    "StreetLamp": ((0.8, 2.5), (0.2, 0.5), (4.0, 8.0)),
    "FireHydrant": ((0.25, 0.5), (0.3, 0.6), (0.6, 1.1)),
    "LitterBin": ((0.35, 0.6), (0.35, 0.6), (0.8, 1.3)),
    "WheelieBin": ((0.5, 0.8), (0.45, 0.65), (0.9, 1.15)),
    "Bollard": ((0.08, 0.25), (0.08, 0.25), (0.7, 1.2)),
    "TrafficLight": ((0.2, 0.6), (0.3, 0.6), (2.8, 4.0)),
    "TrafficCone": ((0.25, 0.5), (0.25, 0.5), (0.45, 0.9)),
    "Mailbox": ((0.4, 0.6), (0.15, 0.3), (1.0, 1.3)),
    "Barrier": ((0.2, 0.5), (3.0, 5.0), (0.9, 1.3)),
    "Railing": ((0.03, 0.1), (1.5, 2.5), (0.9, 1.2)),
    "BusStop": ((1.2, 2.0), (3.0, 4.8), (2.3, 3.0)),
    "Fountain": ((1.5, 3.5), (1.5, 3.5), (1.0, 2.2)),
    "Tree": ((2.5, 8.0), (2.5, 8.0), (4.0, 12.0)),
    "Conifer": ((1.5, 5.0), (1.5, 5.0), (4.0, 12.0)),
    "Hedge": ((0.4, 1.0), (1.5, 4.0), (0.8, 1.8)),
    "MarkerPost": ((0.08, 0.2), (0.05, 0.15), (0.9, 1.2)),
    "BeachBall": ((0.4, 0.65), (0.4, 0.65), (0.4, 0.65)),
    "Bush": ((0.8, 2.0), (0.8, 2.0), (0.6, 1.6)),
}


@cache
def fixture(kind: str) -> Fixture:
    return draw_fixture(np.random.default_rng(2), kind)


def test_all_types_have_a_real_size_to_be_compared_with() -> None:
    assert set(fixture_types()) == set(REAL)


@pytest.mark.parametrize("kind", fixture_types())
def test_furniture_is_of_real_size_closed_and_named(kind: str) -> None:
    made = fixture(kind)
    row = STREET_KINDS[kind].kind
    for side, (low, high) in zip(made.thing.size, REAL[kind], strict=True):
        assert low <= side <= high, f"{kind} {made.thing.size}"
    assert np.array(made.thing.size) in row.sizes
    assert made.thing.category == row.noun and made.thing.label.endswith(row.noun) and made.thing.colour in row.colours
    assert sum(len(piece.faces) for piece in made.thing.pieces) <= 15_000
    for piece in made.thing.pieces:
        places, which = np.unique(np.round(piece.vertices, 6), axis=0, return_inverse=True)
        faces = which.ravel()[piece.faces]
        faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        count = len(places)
        assert np.array_equal(np.sort(edges @ [count, 1]), np.sort(edges[:, ::-1] @ [count, 1])), kind
        a, b, c = places[faces].transpose(1, 0, 2)
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0


def test_one_lamp_of_a_traffic_light_is_lit() -> None:
    lit = set()
    for seed in range(12):
        made = draw_fixture(np.random.default_rng(seed), "TrafficLight")
        lenses = [piece for piece in made.thing.pieces if np.ptp(piece.vertices[:, 2]) < 0.3]
        bright = [max(lens.look.colour) > 0.9 for lens in sorted(lenses, key=lambda lens: -lens.vertices[:, 2].max())]
        assert len(bright) == 3 and sum(bright) == 1
        lit.add(bright.index(True))
    assert lit == {0, 1, 2}


def test_bad_names_are_refused() -> None:
    with pytest.raises(InputError, match="no street furniture 'Statue': choose one of Bench"):
        draw_fixture(np.random.default_rng(0), "Statue")
    with pytest.raises(InputError, match="no pink bench: its colours are brown, green, black"):
        draw_fixture(np.random.default_rng(0), "Bench", "pink")


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_a_street_has_lanes_kerbs_pavements_and_houses_on_both_sides(lanes: int) -> None:
    street = street_set(np.random.default_rng(1), 90.0, lanes)
    assert len(street.lanes) == lanes and np.diff(street.lanes) == pytest.approx(LANE)
    boxes = np.array([[piece.vertices.min(axis=0), piece.vertices.max(axis=0)] for piece in street.pieces])
    low, high = boxes[:, 0], boxes[:, 1]
    # Nothing but paint is above the carriageway, and the paint is between the lanes.
    for y in street.lanes:
        over = (low[:, 1] < y + 1.2) & (high[:, 1] > y - 1.2) & (low[:, 0] < 40) & (high[:, 0] > -40)
        assert high[over, 2].max() < 0.02 and (low[over, 2] < 0).sum() == 1
    for y in street.pavements:
        under = (low[:, 1] < y) & (high[:, 1] > y) & (low[:, 0] < -40) & (high[:, 0] > 40)
        assert high[under, 2].max() == pytest.approx(KERB)
    houses = (high[:, 2] > 5) & (np.abs(low[:, 0]) < 46)
    edge = max(street.pavements)
    for side in (-1, 1):
        row = boxes[houses & (np.sign(low[:, 1] + high[:, 1]) == side) & (np.abs(low[:, 1] + high[:, 1]) > 2 * edge)]
        assert row[:, 0, 0].min() <= -45 and row[:, 1, 0].max() >= 45
        assert np.abs(row[:, :, 1]).min() > edge + 0.8
    facades = [
        piece.look.texture for piece in street.pieces if piece.look.texture is not None and len(piece.faces) == 12
    ]
    assert len(facades) > 8
    again = street_backdrop(np.random.default_rng(1), 90.0, lanes)
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(street.pieces, again, strict=True))


def test_a_house_front_has_glass_above_its_ground_and_sky_is_up() -> None:
    street = street_set(np.random.default_rng(3), 60.0)
    house = max(street.pieces, key=lambda piece: piece.vertices[:, 2].max() if piece.look.texture is not None else 0)
    points, uv = house.vertices, house.uv
    assert uv is not None and uv[points[:, 2] < 0.1, 1] == pytest.approx(0) and uv[:, 1].max() == pytest.approx(1)
    assert np.ptp(house.look.texture.reshape(-1, 3), axis=0).min() > 80


def test_the_examples_of_the_page_work(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), {})
    told = capsys.readouterr().out
    assert "red car" in told and "wheel_rear_right" in told and "(41, 5, 4, 4)" in told and "(80, 4, 4)" in told


def test_the_page_counts_the_models_of_the_library() -> None:
    from chronotope.world.forge import read_models

    street = read_models().street
    vehicles = [name for name in street.values() if STREET_KINDS[name].use == "vehicle"]
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{len(vehicles)} vehicles" in text and f"and {len(street) - len(vehicles)} benches" in text
    assert f"All {len(vehicles)} vehicles have all of their wheels" in text
