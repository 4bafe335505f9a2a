"""Baked light: against independent solutions, without dark seams, with the depth and identities of every quality."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world import require_embree
from chronotope.world.camera import look_at
from chronotope.world.film_set import PANEL, CeilingLamp, FilmSet, Placement
from chronotope.world.light import Baked, bake, bake_states
from chronotope.world.light.bake import light_states
from chronotope.world.light.cells import cells_of
from chronotope.world.light.detail import COARSE, FINE
from chronotope.world.light.gather import INNER, solve
from chronotope.world.light.paint import SIDE, pack
from chronotope.world.light.rays import hemisphere, turned_to
from chronotope.world.light.sun import DARK
from chronotope.world.light.surfaces import encoded, linear, surfaces_of
from chronotope.world.light.tone import glossy, toned
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.slabs import corners_of, slab
from chronotope.world.things import Look, Thing
from chronotope.world.views import VIEWS, draw_view

pytest.importorskip("embreex")

ROOM, LAMP, GLOW = 2.4, 0.4, 3.0  # m, m, and the radiance of the lamp
GREY = Look((float(encoded(np.array(0.5))),) * 3, 0.0, 0.0)  # half of the light comes back
PHOTO = Quality("photo", 160, 120, 10, (1.0, 1.0), 0, 4, 20, baked=True)
FOCAL = 90.0
DIRECT = replace(FINE, bounces=0)


def room(look=GREY, thick=0.1):
    """The six plates of a closed room about the origin; each plate reaches under its neighbours."""
    wide, away = ROOM + 2 * thick, (ROOM + thick) / 2
    return tuple(
        slab(np.where(np.arange(3) == axis, thick, wide), away * sign * np.eye(3)[axis], look)
        for axis in range(3)
        for sign in (-1, 1)
    )


def box(number, size, centre, colour=(0.8, 0.8, 0.8)):
    pose = np.eye(4)
    pose[:3, 3] = centre
    piece = slab(size, (0, 0, 0), Look(colour, 0.0, 0.0))
    thing = Thing("box", str(number), "wood", (piece,), size, "half", None, 1.0, (corners_of(size, (0, 0, 0)),), None)
    return Placement(f"box-{number}", thing, pose)


def furnished(*placements):
    lamp = CeilingLamp((0.0, 0.0, ROOM / 2), LAMP, GLOW)
    return FilmSet(tuple(placements), room(), near=0.02, lamps=(lamp,))


CHANGED, STILL = (
    (box(0, (0.4, 0.4, 0.5), (x, 0.6, -ROOM / 2 + 0.25)) for x in (-0.7, 0.6)),
    box(1, (0.3, 0.3, 0.3), (0.0, -0.6, -ROOM / 2 + 0.15), (0.1, 0.1, 0.1)),
)
BEFORE, AFTER = (furnished(each, STILL) for each in CHANGED)


@pytest.fixture(scope="module")
def empty():
    return next(light_states([furnished()]))


@pytest.fixture(scope="module")
def two():
    return list(light_states([BEFORE, AFTER]))


def on_walls(light):
    """The lit points of the room itself, their irradiance and the area of each."""
    mine = light.is_shell & (light.points.piece < 6)
    inner = (np.abs(light.points.places[mine]) < ROOM / 2 + 1e-6).all(axis=1)
    return light.points.places[mine][inner], light.points.normals[mine][inner], light.soft[mine, 0][inner]


def factors(start, facing, ends, ways, area):
    """Form factors from points to the middles of patches."""
    away = ends[None] - start[:, None]
    square = (away**2).sum(axis=2) + 1e-12
    here = np.maximum((away * facing[:, None]).sum(axis=2), 0)
    there = np.maximum(-(away * ways[None]).sum(axis=2), 0)
    return here * there / square**2 * area / np.pi


def radiosity(here, facing, bounces, count=15):
    """Irradiance of points of the room from form factors between patches, without rays."""
    step = (np.arange(count) + 0.5) / count - 0.5
    one, two = (each.ravel() * ROOM for each in np.meshgrid(step, step, indexing="ij"))
    flat = np.full(len(one), ROOM / 2)
    places, normals = [], []
    for axis in range(3):
        for sign in (-1, 1):
            places.append(np.roll(np.column_stack([sign * flat, one, two]), axis, axis=1))
            normals.append(np.tile(-sign * np.eye(3)[axis], (len(one), 1)))
    places, normals = np.concatenate(places), np.concatenate(normals)
    x, y = (each.ravel() * LAMP / ROOM for each in (one, two))
    lamp = np.column_stack([x, y, np.full(len(x), ROOM / 2 - PANEL)])
    down = np.tile([0.0, 0.0, -1.0], (len(x), 1))
    ways = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    rim = LAMP / 2 * ways + [0, 0, ROOM / 2 - PANEL / 2]  # its narrow sides light the walls, too

    def direct(start, normal):
        below = factors(start, normal, lamp, down, LAMP**2 / len(x)).sum(axis=1)
        return np.pi * GLOW * (below + factors(start, normal, rim, ways, LAMP * PANEL).sum(axis=1))

    def between(start, normal):
        share = factors(start, normal, places, normals, (ROOM / count) ** 2)
        return share / share.sum(axis=1, keepdims=True)  # the room is closed

    total, links = direct(places, normals), between(places, normals)
    first = total
    for _ in range(bounces - 1):
        total = first + 0.5 * links @ total
    return direct(here, facing) + 0.5 * between(here, facing) @ total


def test_a_closed_room_has_the_light_of_an_independent_radiosity_solution(empty):
    here, facing, light = on_walls(empty)
    inside = (np.abs(here) < 0.42 * ROOM).sum(axis=1) == 2  # form factors between middles are rough in the corners
    inside &= (np.abs(here[:, :2]) > 0.3).any(axis=1) | (here[:, 2] < 0)  # not behind the lamp
    chosen = np.random.default_rng(0).choice(np.flatnonzero(inside), 900, replace=False)
    error = light[chosen] / radiosity(here[chosen], facing[chosen], FINE.bounces) - 1
    assert abs(error.mean()) < 0.01 and np.abs(error).std() < 0.03, (error.mean(), error.std())
    assert np.abs(error).max() < 0.15


def test_all_light_of_the_lamp_is_found_and_the_walls_give_back_half_of_it_with_each_bounce(empty):
    points, light = empty.points, empty.soft[:, 0]
    wall = points.piece < 6
    drawn = points.of >= 0
    cell = np.repeat(np.arange(len(empty.cells)), empty.cells.shape.prod(axis=1))
    inner = np.abs(empty.cells.origin + empty.cells.sides.sum(axis=1) / 2).max(axis=1) < ROOM / 2 + 1e-6
    per_place = empty.cells.areas / empty.cells.shape.prod(axis=1)
    area = np.bincount(points.of[drawn], (per_place * inner)[cell[drawn]], minlength=len(points))
    # a plate reaches 0.1 m under its neighbours, where no place is lit
    lit = wall & empty.is_lit & (area > 0)
    mean = np.average(light[lit], weights=area[lit])
    power = np.pi * GLOW * (LAMP**2 + 4 * LAMP * PANEL)
    wanted = power * sum(0.5**bounce for bounce in range(FINE.bounces + 1)) / (6 * ROOM**2)
    assert mean == pytest.approx(wanted, rel=0.03)


def test_the_floor_under_the_lamp_has_the_light_of_a_square_in_closed_form():
    light = next(light_states([furnished()], DIRECT))
    here, facing, found = on_walls(light)
    middle = (np.abs(here[:, :2]) < 0.07).all(axis=1) & (facing[:, 2] > 0.9)
    side = LAMP / 2 / (ROOM - 0.004)
    share = 4 / np.pi * side / np.sqrt(1 + side**2) * np.arctan(side / np.sqrt(1 + side**2))
    assert middle.sum() == 9  # all sets of rays
    assert found[middle].mean() == pytest.approx(np.pi * GLOW * share, rel=0.02)
    np.testing.assert_allclose(found[middle], np.pi * GLOW * share, rtol=0.1)


def test_light_grows_with_bounces_and_stays_below_its_limit():
    generator = np.random.default_rng(0)
    direct = generator.uniform(0, 1, (300, 3))
    seen = generator.integers(0, 300, (300, 64))
    seen[generator.random(seen.shape) < 0.02] = INNER
    colour = generator.uniform(0.1, 0.8, (300, 3))
    totals = [solve(direct, seen, colour, np.zeros(3), bounces).max() for bounces in range(12)]
    gains = np.diff([solve(direct, seen, colour, np.zeros(3), bounces).sum() for bounces in (1, 3, 6, 11)])
    assert (gains > 0).all() and (np.diff(gains) < 0).all()
    assert max(totals) < direct.max() / (1 - colour.max())


def test_the_shadow_of_a_moved_thing_is_gone(two, empty):
    before, after = two
    old, new = np.array([-0.7, 0.6]), np.array([0.6, 0.6])

    def around(light, place):
        here, facing, found = on_walls(light)
        ring = np.abs(np.abs(here[:, :2] - place).max(axis=1) - 0.26) < 0.06
        return found[ring & (facing[:, 2] > 0.9)].mean()

    free = around(empty, old)
    assert around(before, old) < 0.85 * free and around(after, new) < 0.85 * around(empty, new)
    assert around(after, old) == pytest.approx(free, rel=0.06)  # the other boxes take a little light everywhere


def test_two_states_have_the_light_of_baking_each_one_alone(two):
    """Rays that are remembered change next to nothing, and nothing at all far from the edges of shadows."""
    for film_set, light in zip((BEFORE, AFTER), two, strict=True):
        [alone] = light_states([film_set])
        keys = [
            np.column_stack([np.round(each.points.places, 6), np.round(each.points.normals, 3)])
            for each in (light, alone)
        ]
        order = [np.lexsort(key.T) for key in keys]
        assert np.array_equal(keys[0][order[0]], keys[1][order[1]])
        one, two = light.soft[order[0]], alone.soft[order[1]]
        # which points see a lamp at all is decided by a few rays, in front of different things: some penumbrae differ
        assert (np.abs(one - two) > 1e-4 * two + 1e-5).mean() < 3e-3
        np.testing.assert_allclose(one, two, rtol=0.06, atol=1e-5)


def test_light_is_coarser_only_where_no_camera_looks():
    up = look_at(np.array([[0.0, 0.0, -0.3]]), np.array([[0.01, 0.0, 1.0]]))
    intrinsics = np.array([[FOCAL, 0.0, 80.0], [0.0, FOCAL, 60.0], [0.0, 0.0, 1.0]])
    light, plain = (next(light_states([BEFORE], DIRECT, views)) for views in ([(up, intrinsics)], ()))
    count = len(light.is_seen)
    mine, every = (np.bincount(each.points.piece, minlength=count) for each in (light, plain))
    assert plain.is_seen.all() and 0 < light.is_seen.sum() < count
    assert (mine[light.is_seen] == every[light.is_seen]).all()
    assert (mine[~light.is_seen] < every[~light.is_seen]).all() and len(light.points) < 0.7 * len(plain.points)


def test_coarse_light_is_that_of_fine_light_but_softer(two):
    """On the floor and the walls: as bright, with the same shadows, from far fewer points."""
    [light] = light_states([BEFORE], COARSE)
    here, facing, found = on_walls(two[0])
    there, ways, rough = on_walls(light)
    assert len(rough) < 0.3 * len(found)
    assert rough.mean() == pytest.approx(found.mean(), rel=0.1)
    key, wanted = (np.column_stack([place, 3 * way]) for place, way in ((there, ways), (here, facing)))
    nearest = np.argmin(((key[:, None] - wanted[None]) ** 2).sum(axis=2), axis=1)
    assert np.corrcoef(rough, found[nearest])[0, 1] > 0.9


def test_small_things_that_no_camera_sees_take_no_part_in_coarse_light():
    """A camera that looks up sees neither box: both are left out of light, but not out of the picture."""
    up = look_at(np.array([[0.0, 0.0, -0.3]]), np.array([[0.01, 0.0, 1.0]]))
    intrinsics = np.array([[FOCAL, 0.0, 80.0], [0.0, FOCAL, 60.0], [0.0, 0.0, 1.0]])
    lit, plain = next(bake_states([BEFORE], [(up, intrinsics)], COARSE)).sheets
    assert len(plain.faces) == 2 * 12 and len(lit.faces) == 7 * 12  # two boxes; six plates and a lamp
    assert plain.picture.shape == (1, 2, 3) and plain.picture[0, 0].min() > plain.picture[0, 1].max() > 20
    assert len(next(bake_states([BEFORE], detail=COARSE)).sheets) == 1


def test_a_home_has_daylight_behind_all_windows():
    for name, view in VIEWS.items():
        picture = view(np.random.default_rng(3))
        assert linear(np.clip(picture, 0, 1)).mean() > 1.1 * DARK, name
    pictures = [draw_view(np.random.default_rng(seed)) for seed in range(20)]
    assert min(linear(picture / 255).mean() for picture in pictures) > DARK


def test_the_same_set_gives_the_same_bytes():
    for one, two in zip(bake(BEFORE).sheets, bake(BEFORE).sheets, strict=True):
        assert one.picture.tobytes() == two.picture.tobytes() and one.uv.tobytes() == two.uv.tobytes()


def views(count=6):
    angle = np.arange(count) * 2 * np.pi / count
    eyes = np.column_stack([0.9 * np.cos(angle), -0.1 + 0.7 * np.sin(angle), np.linspace(-0.3, 0.7, count)])
    return look_at(eyes, np.tile([0.0, 0.1, -0.5], (count, 1)))


@pytest.mark.usefixtures("drawable")
def test_depth_and_identities_are_those_of_fast():
    fast = replace(PHOTO, name="fast", samples=0, baked=False)
    with open_renderer(BEFORE, fast, FOCAL) as renderer:
        plain = [renderer.draw(pose) for pose in views()]
    coarse = next(bake_states([BEFORE], detail=COARSE))
    photo, lit = [], []
    for baked, pictures in ((bake(BEFORE), photo), (coarse, lit)):
        with open_renderer(BEFORE, PHOTO, FOCAL, [baked]) as renderer:
            pictures += [renderer.draw(pose) for pose in views()]
    for one, two in zip([*plain, *plain], [*photo, *lit], strict=True):
        assert one.depth.tobytes() == two.depth.tobytes() and one.identities.tobytes() == two.identities.tobytes()
        assert one.rgb.tobytes() != two.rgb.tobytes()
    assert {int(value) for each in photo for value in np.unique(each.identities)} == {0, 1, 2}


@pytest.mark.usefixtures("drawable")
def test_a_page_with_a_single_triangle_is_drawn():
    """The ground of a street can fill a page alone."""
    first, *others = bake(BEFORE).sheets
    alone, rest = (replace(first, faces=faces) for faces in (first.faces[:1], first.faces[1:]))
    alone = replace(alone, vertices=first.vertices[:3], uv=first.uv[:3])
    pictures = []
    for sheets in ((first, *others), (alone, rest, *others)):
        with open_renderer(BEFORE, PHOTO, FOCAL, [Baked(sheets)]) as renderer:
            pictures.append(np.array([renderer.draw(pose).rgb for pose in views()], int))
    assert np.abs(pictures[0] - pictures[1]).max() <= 1


@pytest.mark.usefixtures("drawable")
def test_no_seam_is_dark_and_no_black_thing_is_a_hole():
    """A floor of four plates under walls that stand on it; a black box on one of them."""
    walls = room()
    plates = tuple(
        slab((ROOM / 2 + 0.1, ROOM / 2 + 0.1, 0.1), (x, y, -ROOM / 2 - 0.05), GREY)
        for x in (-(ROOM / 4 + 0.05), ROOM / 4 + 0.05)
        for y in (-(ROOM / 4 + 0.05), ROOM / 4 + 0.05)
    )
    black = box(0, (0.3, 0.3, 0.3), (0.6, 0.6, -ROOM / 2 + 0.15), (0.03, 0.03, 0.03))
    film_set = replace(furnished(black), backdrop=(*walls[:4], *plates, walls[5]))
    down = look_at(np.array([[0.02, 0.01, 0.9]]), np.array([[0.0, 0.0, -1.0]]))
    with open_renderer(film_set, PHOTO, 60.0, [bake(film_set)]) as renderer:
        drawn = renderer.draw(down[0])
    picture = linear(drawn.rgb.mean(axis=2) / 255)
    floor = np.abs(drawn.depth - (0.9 + ROOM / 2)) < 0.01
    assert floor.sum() > 3000
    for axis in (0, 1):
        one, two, three = (np.roll(picture, shift, axis) for shift in (1, 0, -1))
        level = floor & np.roll(floor, 1, axis) & np.roll(floor, -1, axis) & (drawn.identities == 0)
        assert (two[level] > 0.93 * np.minimum(one, three)[level]).all()
    hole = picture[drawn.identities == 1]
    assert len(hole) > 50 and hole.min() > 0.004


def test_black_is_not_a_hole_and_bright_is_not_burnt():
    assert toned(glossy(np.array(0.0)) * 0.4) > 0.1
    values = toned(np.array([0.0, 0.2, 1.0, 3.0]))
    assert (np.diff(values) > 0.02).all() and values[0] < 1e-9 and values[-1] < 1.0
    assert np.allclose(linear(encoded(np.linspace(0, 1, 50))), np.linspace(0, 1, 50), atol=1e-6)


def test_directions_are_even_and_turn_with_the_normal():
    ways = hemisphere(512, 3)
    assert np.allclose(np.linalg.norm(ways, axis=1), 1) and ways[:, 2].mean() == pytest.approx(2 / 3, abs=0.005)
    assert np.abs(ways[:, :2].mean(axis=0)).max() < 0.01
    generator = np.random.default_rng(1)
    normals = generator.normal(size=(40, 3))
    normals[:2] = (0, 0, 1), (0, 0, -1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    turned = turned_to(normals, np.broadcast_to(ways, (40, *ways.shape)))
    assert np.allclose(np.einsum("nrd,nd->nr", turned, normals), ways[:, 2], atol=1e-5)
    assert np.allclose(np.linalg.norm(turned, axis=2), 1, atol=1e-5)


def test_cells_cover_their_triangles_exactly():
    generator = np.random.default_rng(2)
    surfaces = surfaces_of([slab((0.5, 0.3, 0.2), (1, 2, 3), GREY), slab((1.0, 1.0, 0.1), (0, 0, 0), GREY)])
    loose = generator.normal(size=(30, 3))
    surfaces = replace(
        surfaces,
        vertices=np.concatenate([surfaces.vertices, loose]),
        normals=np.concatenate([surfaces.normals, loose]),
        uv=np.concatenate([surfaces.uv, loose[:, :2]]),
        faces=np.concatenate([surfaces.faces, len(surfaces.vertices) + np.arange(30).reshape(-1, 3)]),
        piece=np.concatenate([surfaces.piece, np.ones(10, int)]),
    )
    cells = cells_of(surfaces, np.array([0.1, 0.2]))
    assert len(cells) == 12 + 10  # each face of a box is one cell
    corners = cells.origin[cells.cell][:, None] + np.einsum("fkn,fnd->fkd", cells.places, cells.sides[cells.cell])
    assert np.allclose(corners, surfaces.vertices[surfaces.faces])
    total = 2 * (0.15 + 0.1 + 0.06) + 2 + 0.4
    crossed = np.cross(loose[1::3] - loose[::3], loose[2::3] - loose[::3])
    assert cells.areas.sum() == pytest.approx(total + np.linalg.norm(crossed, axis=1).sum() / 2)


def test_rectangles_are_packed_without_overlap():
    generator = np.random.default_rng(3)
    sizes = np.concatenate([generator.integers(2, 40, (300, 2)), [[900, 4000], [SIDE, 700]]])
    page, places, heights = pack(sizes, generator.random(len(sizes)))
    taken = [np.zeros((height, SIDE), np.uint8) for height in heights]
    for number, (row, column), (height, width) in zip(page, places, sizes, strict=True):
        taken[number][row : row + height, column : column + width] += 1
    assert max(each.max() for each in taken) == 1
    assert sum(int(each.sum()) for each in taken) == int(sizes.prod(axis=1).sum())
    with pytest.raises(ValueError, match="does not fit"):
        pack(np.array([[SIDE + 1, 2]]), np.zeros(1))


def test_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "embreex.rtcore_scene", None)
    with pytest.raises(InputError, match=r"pip install 'chronotope\[world\]'"):
        require_embree()
    with pytest.raises(InputError, match="photo"):
        next(bake_states([BEFORE]))
