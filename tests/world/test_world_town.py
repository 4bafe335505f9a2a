"""Landmarks from the air: real sizes, few triangles, their ground left free by the town, and seen from far above."""

from functools import cache

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.things import Piece, Thing
from chronotope.world.town import FROM_ABOVE, LANDMARKS, Clearing, draw_landmark, draw_town

# Length of the longer side and height (m), written down from real examples: football stadiums, parish churches, the
# Louvre's pyramid, roundabouts of 60 m with the ends of their roads, pools of 50 m, office towers, moated castles, ...
REAL = {
    "stadium": ((200, 320), (20, 60)), "church": ((60, 120), (45, 110)), "pyramid": ((60, 110), (18, 40)),
    "roundabout": ((90, 150), (5, 15)), "swimming pool": ((70, 120), (2, 10)),
    "tower with a helipad": ((50, 90), (60, 130)), "castle": ((80, 150), (25, 50)), "bridge": ((100, 250), (25, 70)),
    "fountain": ((50, 100), (6, 20)), "tennis courts": ((60, 100), (2, 5)), "hedge maze": ((40, 90), (2, 8)),
    "lighthouse": ((60, 130), (30, 60)), "windmill": ((25, 50), (22, 40)), "water tower": ((15, 45), (30, 60)),
    "big wheel": ((50, 90), (45, 80)),
}  # fmt: skip
QUALITY = Quality("fast", 320, 180, 10, (1.0, 1.0), 0, 0, 20)


@cache
def drawn(kind: str, seed: int = 0) -> Thing:
    return draw_landmark(np.random.default_rng([5, seed]), kind)


def area_from_above(pieces: tuple[Piece, ...]) -> float:
    """The area of all faces that look upwards, as projected to the ground."""
    total = 0.0
    for piece in pieces:
        a, b, c = (piece.vertices[piece.faces[:, k], :2] for k in range(3))
        cross = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
        total += cross[cross > 0].sum() / 2
    return total


def test_at_least_ten_are_named_from_straight_above() -> None:
    assert set(REAL) == set(LANDMARKS) and len(FROM_ABOVE) >= 10 and set(FROM_ABOVE) < set(LANDMARKS)


@pytest.mark.parametrize("kind", LANDMARKS)
def test_a_landmark_has_a_real_size_few_triangles_and_faces_outwards(kind: str) -> None:
    for seed in range(2):
        thing = drawn(kind, seed)
        (short, long), (low, high) = REAL[kind]
        assert short <= max(thing.size[:2]) <= long and low <= thing.size[2] <= high
        everything = np.concatenate([piece.vertices for piece in thing.pieces])
        assert np.allclose(everything.max(axis=0), -everything.min(axis=0), atol=2e-3)
        assert sum(len(piece.faces) for piece in thing.pieces) < 12_000 and len(thing.pieces) <= 16
        for piece in thing.pieces:
            corners = piece.vertices[piece.faces]
            assert np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) > 0, "inside out"
            assert (piece.uv is None) == (piece.look.texture is None)
        ground = max(thing.pieces, key=lambda piece: np.prod(np.ptp(piece.vertices[:, :2], axis=0)))
        assert area_from_above((ground,)) > 0.4 * thing.size[0] * thing.size[1]


@pytest.mark.usefixtures("drawable")
def test_from_150_m_a_landmark_covers_its_share_of_the_picture() -> None:
    focal = float(intrinsics_of(50, 320, 180)[1, 1])
    above = np.eye(4)
    above[:3, :3], above[2, 3] = np.diag([1, -1, -1]), 150
    for kind in ("church", "castle", "swimming pool"):
        thing, pose = drawn(kind), np.eye(4)
        pose[2, 3] = thing.size[2] / 2
        town = draw_town(np.random.default_rng(1), 300, (Clearing(0, 0, 0.6 * max(thing.size)),))
        with open_renderer(FilmSet((Placement("a", thing, pose),), town, near=5, far=900), QUALITY, focal) as renderer:
            seen = renderer.draw(above)
        expected = thing.size[0] * thing.size[1] * (focal / 150) ** 2
        assert 0.9 * expected < (seen.identities == 1).sum() < 1.8 * expected
        assert np.nanmax(seen.depth) == pytest.approx(150, abs=0.2), "the ground"
        assert np.isfinite(seen.depth).all()


def test_a_town_leaves_clearings_and_the_river_free_and_has_few_pieces() -> None:
    spots = (Clearing(0, 0, 90), Clearing(170, -60, 45))
    pieces = draw_town(np.random.default_rng(2), 330, spots, river=-200)
    assert len(pieces) < 24 and sum(len(piece.faces) for piece in pieces) < 60_000
    for piece in pieces:
        if np.ptp(piece.vertices[:, 1]) > 700:  # the ground and the river itself
            continue
        corners = piece.vertices[piece.faces].mean(axis=1)
        for spot in spots:
            away = np.hypot(corners[:, 0] - spot.x, corners[:, 1] - spot.y)
            assert away.min() > spot.radius - 6, "a pavement may reach a little into it"
        assert np.abs(corners[:, 0] + 200).min() > 22
    built = np.concatenate([piece.vertices for piece in pieces])
    tall = built[built[:, 2] > 2.5]
    assert len(tall) > 10_000 and 6 < np.percentile(tall[:, 2], 90) < 25
    quarters = [((tall[:, 0] > 0) == right) & ((tall[:, 1] > 0) == up) for right in (0, 1) for up in (0, 1)]
    assert min(quarter.sum() for quarter in quarters) > 1000, "all sides are built"


def test_the_same_generator_gives_the_same_landmarks_and_town() -> None:
    for kind in LANDMARKS:
        again = draw_landmark(np.random.default_rng([5, 0]), kind)
        for one, other in zip(drawn(kind).pieces, again.pieces, strict=True):
            assert np.array_equal(one.vertices, other.vertices) and np.array_equal(one.look.texture, other.look.texture)
    towns = [draw_town(np.random.default_rng(3), 200) for _ in range(2)]
    for one, other in zip(*towns, strict=True):
        assert np.array_equal(one.vertices, other.vertices)


def test_the_ways_of_a_maze_join_all_its_cells() -> None:
    """Cells are flooded in the picture of its hedges: every cell is reached from the first."""
    thing = drawn("hedge maze")
    hedges = thing.pieces[1]
    count, cell = 11, 5.2
    boxes = hedges.vertices[hedges.faces].reshape(-1, 12, 3, 3)  # every box has twelve faces
    low, high = boxes.min(axis=(1, 2))[:, :2], boxes.max(axis=(1, 2))[:, :2]
    middles = (np.arange(count) - (count - 1) / 2) * cell
    shift = np.mean([low.min(axis=0), high.max(axis=0)], axis=0)

    def is_open(first: np.ndarray, second: np.ndarray) -> bool:
        middle = (first + second) / 2 + shift
        return not ((low < middle) & (middle < high)).all(axis=1).any()

    reached, ahead = {(0, 0)}, [(0, 0)]
    while ahead:
        x, y = ahead.pop()
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = min(there) >= 0 and max(there) < count and there not in reached
            if inside and is_open(middles[[x, y]], middles[list(there)]):
                reached.add(there)
                ahead.append(there)
    assert len(reached) == count * count


def test_what_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(InputError, match="no landmark 'volcano': choose one of stadium"):
        draw_landmark(np.random.default_rng(0), "volcano")
    for half in (50, 5000):
        with pytest.raises(InputError, match="choose from 110 to 1000 m"):
            draw_town(np.random.default_rng(0), half)


def test_casters_are_inside_their_buildings_and_ground_casts_nothing() -> None:
    """A caster reaches no further than its piece, except down at eaves, and that of a flat plan is below the plan."""
    for kind in ("church", "castle", "stadium"):
        for piece in drawn(kind).pieces:
            assert piece.caster is not None and piece.caster.shape == piece.vertices.shape
            low, high = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
            if high[2] - low[2] < 0.3 and (high - low)[:2].min() > 20:
                assert piece.caster[:, 2].max() < low[2]
                continue
            assert (piece.caster.min(axis=0) > low - 0.6).all() and (piece.caster.max(axis=0) < high + 0.01).all()
            assert np.ptp(piece.caster, axis=0).prod() > 0.5 * np.ptp(piece.vertices, axis=0).prod(), (
                "shadows keep their size"
            )
