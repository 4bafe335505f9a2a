"""Open containers: what lies in them is hidden from the side and seen from above; their room is as measured."""

from functools import cache

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from chronotope.errors import InputError
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.things import (
    CONTAINERS,
    HOME_KINDS,
    STAGE_KINDS,
    TABLE_KINDS,
    Container,
    Thing,
    draw_container,
    draw_liquid,
    draw_thing,
)
from chronotope.world.things.mesh import ellipsoid
from chronotope.world.things.open_tops import measured
from chronotope.world.things.thing import Look, finished

QUALITY = Quality("fast", 160, 120, 10, (1.0, 1.0), 0, 0, 20)
FOCAL = float(intrinsics_of(40, 160, 120)[1, 1])
NEW = ("tub", "waste bin", "flowerpot", "open tin", "open crate", "oil drum", "hat box", "barrel")
# Width and height (cm) of such goods, written down from shops: flexible tubs of 5 to 26 l, bins of 8 to 20 l, clay pots
# of 12 to 24 cm, tins of 400 to 850 ml, fruit crates, drums of 20 to 30 l, hat boxes, casks of 5 to 20 l.
REAL = {
    "tub": ((25, 45), (16, 35)), "waste bin": ((18, 32), (23, 38)), "flowerpot": ((11, 26), (10, 24)),
    "open tin": ((7, 10.5), (8, 15.5)), "open crate": ((19, 45), (14, 30)), "oil drum": ((25, 36), (30, 50)),
    "hat box": ((25, 45), (12, 26)), "barrel": ((18, 35), (24, 45)),
}  # fmt: skip


@cache
def containers(kind: str) -> list[Container]:
    return [draw_container(np.random.default_rng([7, seed]), kind) for seed in range(2)]


def sampled(thing: Thing, count: int = 15_000) -> np.ndarray:
    """Points (N, 3) m all over a thing."""
    whole = trimesh.util.concatenate([trimesh.Trimesh(p.vertices, p.faces, process=False) for p in thing.pieces])
    return np.asarray(trimesh.sample.sample_surface(whole, count, seed=1)[0])


def test_the_eight_are_of_stages_only() -> None:
    assert set(NEW) <= set(CONTAINERS) and {"mug", "jug", "bucket"} <= set(CONTAINERS)
    assert not {*NEW, "orange"} & set(TABLE_KINDS) and not {kind.noun for kind in HOME_KINDS.values()} & {
        *NEW,
        "orange",
    }
    assert {"mug", "jug", "bucket", *NEW, "orange"} == set(STAGE_KINDS)


@pytest.mark.parametrize("kind", CONTAINERS)
def test_the_room_in_a_container_is_where_its_surface_is_not(kind: str) -> None:
    for container in containers(kind):
        points = sampled(container.thing) - (*container.axis, 0.0)
        out = np.hypot(points[:, 0], points[:, 1])
        low, high = container.floor + 0.06 * container.depth, container.rim - 0.002
        between = (points[:, 2] > low) & (points[:, 2] < high)
        nearest = np.sort(out[between])[:5].mean()
        assert container.radius - 0.0015 < nearest < 1.06 * container.radius + 0.003
        floor = points[(out < 0.5 * container.radius) & (points[:, 2] < container.rim - 0.4 * container.depth), 2].max()
        assert floor == pytest.approx(container.floor, abs=0.002)
        a, b = container.half
        inside = between & (np.abs(points[:, 0]) < a - 0.0015) & (np.abs(points[:, 1]) < b - 0.0015)
        assert not inside.any() and min(a, b) > 0.6 * container.radius
        assert container.depth > 0.5 * container.thing.size[2] and container.depth > container.radius


def ball(radius: float) -> Thing:
    piece = finished(ellipsoid(radius), Look((0.9, 0.4, 0.1), 0.0, 0.0))
    return Thing("ball", "orange", "rubber", (piece,), (2 * radius,) * 3, "any", None, 0.1, (piece.vertices,), None)


def photograph(
    container: Container, content: Thing, place: np.ndarray, views: list[tuple[float, float]]
) -> list[np.ndarray]:
    """The identities in views from (elevation, azimuth), all as far from the middle of the rim as ``distance`` says."""
    at = np.eye(4)
    at[:3, 3] = place
    film_set = FilmSet(
        (Placement("container", container.thing, np.eye(4)), Placement("content", content, at)), near=0.02
    )
    target = np.array([*container.axis, container.rim])
    with open_renderer(film_set, QUALITY, FOCAL) as renderer:
        shown = []
        for elevation, azimuth in views:
            across = np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth)
            eye = target + distance(container) * np.array([*across, np.sin(elevation)])
            shown.append(renderer.draw(look_at(eye[None], target[None])[0]).identities)
    return shown


def distance(container: Container) -> float:
    return 3.0 * max(container.thing.size)


@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("kind", CONTAINERS)
def test_contents_are_hidden_from_the_side_and_seen_from_above(kind: str) -> None:
    container = containers(kind)[0]
    radius = min(0.75 * container.radius, 0.42 * container.depth)
    place = np.array([*container.axis, container.floor + radius + 0.0005])
    views = [(0.02, 0.3), (0.02, 1.9), (0.02, 4.2), (np.radians(86), 0.4)]
    *sides, above = photograph(container, ball(radius), place, views)
    for side in sides:
        assert (side == 1).sum() > 100 and not (side == 2).any()
    whole = np.pi * (FOCAL * radius / (distance(container) + container.rim - place[2])) ** 2
    assert 0.6 * whole < (above == 2).sum() < 1.1 * whole


@pytest.mark.usefixtures("drawable")
def test_a_liquid_is_a_level_disc_between_the_walls() -> None:
    for kind in ("jug", "bucket", "open crate", "hat box"):
        container = containers(kind)[1]
        around = sampled(container.thing) - (*container.axis, 0.0)
        for liquid, level in (("water", 0.3), ("coffee", 0.7)):
            disc, place = draw_liquid(container, liquid, level)
            points = disc.pieces[0].vertices + place
            assert points[:, 2].max() == pytest.approx(container.floor + level * container.depth, abs=1e-5)
            assert np.ptp(points[:, 2]) < 0.003
            near = np.abs(around[:, 2] - points[:, 2].mean()) < 0.003
            assert near.sum() > 20
            wall, radius = np.hypot(*around[near, :2].T).min(), disc.size[0] / 2
            assert radius < wall + 2e-3 and radius > 0.9 * wall - 1e-3
            assert disc.label == liquid
    (seen,) = photograph(container, disc, place, [(np.radians(80), 0.3)])
    assert (seen == 2).sum() > 200


@pytest.mark.parametrize("kind", REAL)
def test_sizes_are_those_of_real_goods(kind: str) -> None:
    (narrow, wide), (low, high) = REAL[kind]
    least, most = 100 * STAGE_KINDS[kind].sizes.bounds
    assert narrow <= least[:2].min() and most[:2].max() <= wide and low <= least[2] and most[2] <= high
    for container in containers(kind):
        thing = container.thing
        assert thing.size in STAGE_KINDS[kind].sizes and thing.size[0] >= thing.size[1] - 2e-6 and 0.03 < thing.mass < 8


@pytest.mark.parametrize("kind", [*NEW, "orange"])
def test_its_meshes_are_closed_and_its_solids_leave_the_opening_free(kind: str) -> None:
    thing = draw_thing(np.random.default_rng([7, 0]), kind)
    everything = np.concatenate([piece.vertices for piece in thing.pieces])
    assert np.allclose(everything.max(axis=0), -everything.min(axis=0), atol=2e-6)
    outside = np.full(len(everything), np.inf)
    for piece in thing.pieces:
        whole = trimesh.Trimesh(np.round(piece.vertices, 7), piece.faces)
        sides = np.concatenate([whole.faces[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        there, back = (np.unique(way, axis=0, return_counts=True) for way in (sides, sides[:, ::-1]))
        assert all(map(np.array_equal, there, back)) and whole.volume > 0
    for solid in thing.solids:
        planes = ConvexHull(solid).equations
        outside = np.minimum(outside, (everything @ planes[:, :3].T + planes[:, 3]).max(axis=1))
    assert outside.max() < 0.006
    if kind == "orange":
        return
    container = measured(thing)
    turns = np.linspace(0, 2 * np.pi, 17)
    rings = [
        (share * container.radius * np.cos(t), share * container.radius * np.sin(t))
        for t in turns
        for share in (0.2, 0.85)
    ]
    free = np.array(
        [
            (*np.add(container.axis, ring), container.floor + up * container.depth)
            for ring in rings
            for up in (0.12, 0.9)
        ]
    )
    for solid in thing.solids:
        planes = ConvexHull(solid).equations
        assert (free @ planes[:, :3].T + planes[:, 3]).max(axis=1).min() > -1e-3, "something fills the opening"


def test_the_same_generator_gives_the_same_container() -> None:
    for kind in ("bucket", "waste bin", None):
        first, again = (draw_container(np.random.default_rng(4), kind) for _ in range(2))
        assert first.thing.label == again.thing.label and first.half == again.half and first.rim == again.rim
        for one, other in zip(first.thing.pieces, again.thing.pieces, strict=True):
            assert np.array_equal(one.vertices, other.vertices) and np.array_equal(one.look.texture, other.look.texture)
    assert len({draw_container(np.random.default_rng(seed)).thing.category for seed in range(8)}) > 3


def test_what_does_not_exist_is_a_sentence() -> None:
    generator = np.random.default_rng(0)
    with pytest.raises(InputError, match="no open container 'sack': choose one of mug"):
        draw_container(generator, "sack")
    with pytest.raises(InputError, match="no purple barrel"):
        draw_container(generator, "barrel", "purple")
    with pytest.raises(InputError, match="has no open top"):
        measured(draw_thing(generator, "die"))
    with pytest.raises(InputError, match="no liquid 'milk'"):
        draw_liquid(draw_container(generator, "mug"), "milk", 0.5)
    with pytest.raises(InputError, match=r"level of 1.2"):
        draw_liquid(draw_container(generator, "mug"), "water", 1.2)
