"""The catalogue's things: closed and outward meshes, true extents, hulls that stand for them, symmetry as claimed."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from chronotope.errors import InputError
from chronotope.world.things import COLOURS, TABLE_KINDS, Thing, draw_thing, draw_twins

NAMES = sorted(TABLE_KINDS)


@pytest.fixture(scope="module")
def drawn() -> dict[str, list[Thing]]:
    """Two things of each category, of their first and last colour."""
    return {
        name: [
            draw_thing(np.random.default_rng([5, number]), name, colour)
            for number, colour in enumerate((TABLE_KINDS[name].colours[0], TABLE_KINDS[name].colours[-1]))
        ]
        for name in NAMES
    }


def points(thing: Thing) -> np.ndarray:
    return np.concatenate([piece.vertices for piece in thing.pieces])


def outline(vertices: np.ndarray, degrees: float = 0.0) -> np.ndarray:
    """How far the vertices, turned about z, reach in many directions: the silhouette from every side."""
    turn = np.radians(degrees)
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    azimuth, elevation = (
        a.ravel() for a in np.meshgrid(np.radians(np.arange(0, 360, 10)), np.radians([-40, 0, 40, 65]))
    )
    ways = np.stack(
        [np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)], axis=1
    )
    return np.max(ways @ rotation @ vertices.T, axis=1)


def test_there_are_enough_kinds_and_enough_with_a_front() -> None:
    assert len(TABLE_KINDS) >= 20
    assert sum(category.symmetry == "none" for category in TABLE_KINDS.values()) >= 8
    for category in TABLE_KINDS.values():
        assert (category.front is not None) == (category.symmetry == "none"), category.name
        assert set(category.colours) <= set(COLOURS), category.name
        assert category.materials, category.name


@pytest.mark.parametrize("name", NAMES)
def test_size_is_the_extent_of_the_vertices_about_the_origin(drawn: dict[str, list[Thing]], name: str) -> None:
    for thing in drawn[name]:
        low, high = points(thing).min(axis=0), points(thing).max(axis=0)
        assert np.array_equal(thing.size, high - low)
        assert np.allclose(low, -high, atol=2e-6)
        assert thing.size[0] >= thing.size[1] - 2e-6
        assert thing.size in TABLE_KINDS[name].sizes
        least, most = TABLE_KINDS[name].sizes.bounds
        assert (least >= 0.009).all() and (most <= 0.48).all() and (most / least >= 1.3).all()


@pytest.mark.parametrize("name", NAMES)
def test_each_piece_is_closed_and_faces_outwards(drawn: dict[str, list[Thing]], name: str) -> None:
    for thing in drawn[name]:
        for piece in thing.pieces:
            assert piece.faces.min() == 0 and piece.faces.max() == len(piece.vertices) - 1
            assert piece.uv is None or piece.uv.shape == (len(piece.vertices), 2)
            assert (piece.uv is None) == (piece.look.texture is None)
            whole = trimesh.Trimesh(np.round(piece.vertices, 7), piece.faces)  # joins what was parted at creases
            sides = np.concatenate([whole.faces[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
            there, back = (np.unique(way, axis=0, return_counts=True) for way in (sides, sides[:, ::-1]))
            assert all(map(np.array_equal, there, back)), "a side of a face has no neighbour that runs against it"
            assert whole.volume > 0, "inside out"
            assert not whole.is_watertight or all(part.volume > 0 for part in whole.split()), "a part is inside out"


@pytest.mark.parametrize("name", NAMES)
def test_a_thing_is_cheap_to_draw_and_its_looks_are_colours(drawn: dict[str, list[Thing]], name: str) -> None:
    for thing in drawn[name]:
        assert sum(len(piece.faces) for piece in thing.pieces) < 20_000
        for piece in thing.pieces:
            assert all(0 <= c <= 1 for c in (*piece.look.colour, piece.look.specular, piece.look.shininess))
            if piece.look.texture is not None:
                assert piece.look.texture.dtype == np.uint8 and piece.look.texture.shape[2:] == (3,)


@pytest.mark.parametrize("name", NAMES)
def test_hulls_cover_the_thing_and_stay_inside_its_box(drawn: dict[str, list[Thing]], name: str) -> None:
    for thing in drawn[name]:
        outside = np.full(len(points(thing)), np.inf)
        for solid in thing.solids:
            assert np.all(np.abs(solid) <= np.array(thing.size) / 2 + 2e-6)
            planes = ConvexHull(solid).equations
            outside = np.minimum(outside, (points(thing) @ planes[:, :3].T + planes[:, 3]).max(axis=1))
        assert outside.max() <= 0.005
        assert min(solid[:, 2].min() for solid in thing.solids) <= -thing.size[2] / 2 + 2e-5, "it would sink in"


@pytest.mark.parametrize("name", NAMES)
def test_a_thing_that_is_put_down_stands_as_it_is_drawn(drawn: dict[str, list[Thing]], name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="needs the extra 'world'")
    thing = drawn[name][0]
    volumes = [ConvexHull(solid).volume for solid in thing.solids]
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1])
    body = spec.worldbody.add_body(pos=[0, 0, thing.size[2] / 2 + 0.001])
    body.add_freejoint()
    for number, (solid, volume) in enumerate(zip(thing.solids, volumes, strict=True)):
        spec.add_mesh(name=f"{number}", uservert=solid.ravel())
        mass = thing.mass * volume / sum(volumes)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"{number}", mass=mass, condim=6, friction=[0.9, 0.02, 0.02]
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
        data.qvel *= 0.95
    upright = np.zeros(9)
    mujoco.mju_quat2Mat(upright, data.qpos[3:7])
    assert upright[8] > np.cos(np.radians(0.8)), "it tilts"
    assert abs(data.qpos[2] - thing.size[2] / 2) < 0.002


@pytest.mark.parametrize("name", NAMES)
def test_symmetry_is_as_claimed(drawn: dict[str, list[Thing]], name: str) -> None:
    turns = {"none": (), "half": (180,), "quarter": (90, 180, 270), "any": (7, 90, 123, 200)}
    for thing in drawn[name]:
        here = outline(points(thing))
        for degrees in turns[thing.symmetry]:
            assert np.abs(outline(points(thing), degrees) - here).max() < 1.2e-3, f"differs when turned by {degrees}"
        if thing.symmetry == "none":
            for degrees in range(90, 271, 15):
                apart = np.abs(outline(points(thing), degrees) - here).max() / max(thing.size)
                assert apart > 0.05, f"alike when turned by {degrees}"
            assert thing.front


@pytest.mark.parametrize("name", NAMES)
def test_mass_is_that_of_such_a_thing(drawn: dict[str, list[Thing]], name: str) -> None:
    for thing in drawn[name]:
        density = thing.mass / np.prod(thing.size)
        assert 0.001 < thing.mass < 6
        assert 10 < density < 1500, f"{density} kg for each m3 of its box"


@pytest.mark.parametrize("name", NAMES)
def test_what_can_bear_things_has_a_flat_top(drawn: dict[str, list[Thing]], name: str) -> None:
    for thing in drawn[name]:
        if thing.support is None:
            continue
        length, width = thing.support
        assert 0 < length <= thing.size[0] and 0 < width <= thing.size[1]
        triangles = np.concatenate([piece.vertices[piece.faces] for piece in thing.pieces])
        for x in np.linspace(-0.49, 0.49, 5) * length:
            for y in np.linspace(-0.49, 0.49, 5) * width:
                assert top_at(triangles, x, y) > thing.size[2] / 2 - 0.002


def top_at(triangles: np.ndarray, x: float, y: float) -> float:
    """The height of the uppermost of triangles (F, 3, 3) over a point, by barycentric coordinates."""
    a, b, c = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    area = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    seen = np.abs(area) > 1e-12
    a, b, c, area = a[seen], b[seen], c[seen], area[seen]
    u = ((x - a[:, 0]) * c[:, 1] - (y - a[:, 1]) * c[:, 0]) / area
    v = (b[:, 0] * (y - a[:, 1]) - b[:, 1] * (x - a[:, 0])) / area
    over = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9)
    return float((a[:, 2] + u * b[:, 2] + v * c[:, 2])[over].max())


@pytest.mark.parametrize("name", NAMES)
def test_the_same_generator_gives_the_same_arrays(drawn: dict[str, list[Thing]], name: str) -> None:
    first, last = drawn[name]
    again = draw_thing(np.random.default_rng([5, 0]), name, TABLE_KINDS[name].colours[0])
    assert (first.label, first.material, first.size, first.mass) == (
        again.label,
        again.material,
        again.size,
        again.mass,
    )
    assert first.size != last.size
    for one, other in zip(first.pieces, again.pieces, strict=True):
        assert np.array_equal(one.vertices, other.vertices) and np.array_equal(one.faces, other.faces)
        assert one.look.colour == other.look.colour
        assert np.array_equal(one.look.texture, other.look.texture)
    assert all(map(np.array_equal, first.solids, again.solids))


def test_a_colour_that_is_not_given_is_drawn_too() -> None:
    colours = {draw_thing(np.random.default_rng(seed), "dumbbell").colour for seed in range(40)}
    assert colours == set(TABLE_KINDS["dumbbell"].colours)


def sizes_of(name: str, count: int) -> np.ndarray:
    """Sizes (count, 3) m for the extents of one sketch."""
    extent, generator = np.array(draw_thing(np.random.default_rng(3), name).size), np.random.default_rng(4)
    return np.array([TABLE_KINDS[name].sizes.draw(generator, extent) for _ in range(count)])


@pytest.mark.parametrize("name", NAMES)
def test_sizes_fill_their_range_evenly_and_proportions_vary(name: str) -> None:
    drawn = sizes_of(name, 2000)
    least, most = TABLE_KINDS[name].sizes.bounds
    assert all(size in TABLE_KINDS[name].sizes for size in drawn)
    for group in TABLE_KINDS[name].sizes.tied.split():
        axis = "xyz".index(group[0])
        where = np.log(drawn[:, axis] / drawn[:, axis].min()) / np.log(
            np.ptp(drawn[:, axis]) / drawn[:, axis].min() + 1
        )
        if name not in ("photo camera", "toy plane", "gift box", "tissue box"):  # longer than wide, so not all even
            assert np.abs(np.histogram(where, 5, (0, 1))[0] / len(drawn) - 0.2).max() < 0.05, group
    if len(TABLE_KINDS[name].sizes.tied.split()) > 1:
        others = np.log(drawn[:, [0, 1]] / drawn[:, 2:])
        assert others.std(axis=0).max() > 0.1, "things of one kind are all the same shape"
    assert (drawn.max(axis=0) / drawn.min(axis=0) > 1.3).all() and (drawn[:, 0] >= drawn[:, 1] * 0.99).all()
    assert most[2] > least[2]


def test_twins_are_one_thing_in_two_sizes() -> None:
    found = 0
    for seed, name in enumerate(NAMES):
        twins = draw_twins(np.random.default_rng(seed), name, TABLE_KINDS[name].colours[0], 1.3)
        if twins is None:
            continue
        found += 1
        small, large = twins
        assert max(large.size) >= 1.3 * max(small.size) - 1e-5 and (np.add(large.size, 3e-6) >= small.size).all()
        assert small.label == large.label and small.material == large.material
        assert [piece.look for piece in small.pieces] == [piece.look for piece in large.pieces]
    assert found > 0.8 * len(NAMES)


def test_what_is_not_in_the_catalogue_is_a_sentence() -> None:
    with pytest.raises(InputError, match=r"no category 'mugg'.*choose one of"):
        draw_thing(np.random.default_rng(0), "mugg")
    with pytest.raises(InputError, match=r"no blue cardboard box.*its colours are brown"):
        draw_thing(np.random.default_rng(0), "cardboard box", "blue")


def lab(colour: tuple[float, float, float]) -> np.ndarray:
    """CIE 1976 L*a*b* of an sRGB colour, white point D65."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(matrix) @ linear / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_no_two_colours_are_near_each_other() -> None:
    assert lab((1.0, 1.0, 1.0)) == pytest.approx([100, 0, 0], abs=0.05)
    for one in COLOURS:
        for other in COLOURS:
            assert one == other or np.linalg.norm(lab(COLOURS[one]) - lab(COLOURS[other])) >= 20, (one, other)


@pytest.mark.parametrize("name", NAMES)
def test_the_box_of_a_thing_is_the_smallest_or_something_shows_how_it_is_turned(
    drawn: dict[str, list[Thing]], name: str
) -> None:
    """The smallest box by trying angles: a jug measured along its handle is longer than the least box around it."""
    for thing in drawn[name]:
        ground, tried = points(thing)[:, :2], []
        for angle in np.radians(np.arange(0, 90, 0.5)):
            across = np.ptp(ground @ [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], axis=0)
            tried.append((across.prod(), *np.sort(across)))
        _, width, length = min(tried)
        off = np.abs(np.sort(thing.size[:2]) - [width, length]).max()
        if thing.box == "smallest":
            assert off < 0.0035, (thing.label, off)
        else:
            assert off > 0.0005, (thing.label, off)
            assert thing.box in ("unclear", f"lined up with {thing.front or thing.along}")
            assert thing.box != "unclear" or (thing.front is None and thing.symmetry != "none")
    assert {one.box for one in drawn["jug"]} == {"lined up with its handle"}
    assert {one.box for one in drawn["trophy"]} == {"lined up with its two handles"}
    assert {one.box for one in drawn["book"]} == {"smallest"}


def test_things_are_called_what_people_call_them(drawn: dict[str, list[Thing]]) -> None:
    plants = {draw_thing(np.random.default_rng(seed), "potted plant", "blue").label for seed in range(12)}
    assert plants == {"cactus in a blue pot", "plant in a blue pot"}
    assert {one.label for one in drawn["die"]} == {"red die", "black die"}
    assert drawn["candle"][0].label == "red candle"
