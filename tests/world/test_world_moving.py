"""What moves is drawn where it is, in each kind of light: against rays and matrices of this test's own."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from moving_set import (
    FRAMES,
    INTRINSICS,
    LAMP_ON,
    QUALITY,
    RADIUS,
    TIMES,
    at,
    ball,
    cameras,
    chest,
    film_set,
    lamp,
    stick,
    thing_of,
    truth_of,
)

from chronotope.recording import Event, Kind, load_recording
from chronotope.world.camera import look_at
from chronotope.world.film import film
from chronotope.world.film_set import Daylight, FilmSet, Placement
from chronotope.world.light import DETAILS, bake_states
from chronotope.world.render import open_renderer
from chronotope.world.shot import Ego, Shot
from chronotope.world.slabs import slab
from chronotope.world.things import Look

pytestmark = pytest.mark.usefixtures("drawable")
FOCAL = float(INTRINSICS[1, 1])
EVERYTHING = (chest(), stick(), ball(), lamp())


@pytest.fixture(scope="module")
def classic():
    """Each frame of the set with all four things, without baked light."""
    with open_renderer(film_set(*EVERYTHING), QUALITY, FOCAL) as renderer:
        return [renderer.draw(camera, frame) for frame, camera in enumerate(cameras(moving=True))]


def mesh_of(placement: Placement, frame: int) -> trimesh.Trimesh:
    if placement.rig is not None:
        truth = truth_of(placement)
        return trimesh.Trimesh(truth.posed(frame), truth.faces, process=False)
    [piece] = placement.thing.pieces
    pose = placement.poses[min(frame, len(placement.poses) - 1)]
    return trimesh.Trimesh(piece.vertices @ pose[:3, :3].T + pose[:3, 3], piece.faces, process=False)


@pytest.mark.parametrize("frame", [0, 5, 11])
def test_each_pixel_shows_the_posed_mesh_that_its_ray_meets(classic, frame) -> None:
    camera = cameras(moving=True)[frame]
    rows, columns = (grid.ravel() for grid in np.mgrid[2:118:4, 2:158:4])
    ways = np.linalg.solve(INTRINSICS, np.stack([columns, rows, np.ones(len(rows))])).T
    ways, start = ways @ camera[:3, :3].T, np.tile(camera[:3, 3], (len(rows), 1))
    nearest, meant = np.full(len(rows), np.inf), np.zeros(len(rows), int)
    for value, placement in enumerate(EVERYTHING, 1):
        places, rays, _ = mesh_of(placement, frame).ray.intersects_location(start, ways, multiple_hits=False)
        depth = (places - camera[:3, 3]) @ camera[:3, 2]
        closer = depth < nearest[rays]
        nearest[rays[closer]], meant[rays[closer]] = depth[closer], value
    drawn = classic[frame]
    shown, depth = drawn.identities[rows, columns], drawn.depth[rows, columns]
    assert (shown != meant).mean() < 0.012  # outlines
    same = (shown == meant) & (meant > 0)
    assert same.sum() > 30 and np.abs(depth[same] - nearest[same]).max() < 0.004
    assert set(meant) == {0, 1, 2, 3, 4}


def test_a_still_camera_sees_still_things_alike_and_movers_differently() -> None:
    with open_renderer(film_set(*EVERYTHING), QUALITY, FOCAL) as renderer:
        first, last, again = (renderer.draw(cameras()[0], frame) for frame in (0, FRAMES - 1, 0))
    assert np.array_equal(first.rgb, again.rgb) and np.array_equal(first.identities, again.identities)
    still = (first.identities == 0) & (last.identities == 0)
    assert np.array_equal(first.depth[still], last.depth[still])
    for value in (1, 2, 3):
        assert ((first.identities == value) != (last.identities == value)).sum() > 20
    assert np.array_equal(first.identities == 4, last.identities == 4)


def test_a_lamp_lights_at_its_frame_and_not_before() -> None:
    with open_renderer(film_set(*EVERYTHING), QUALITY, FOCAL) as renderer:
        drawn = [renderer.draw(cameras()[0], frame) for frame in range(FRAMES)]
    levels = [float(each.rgb[each.identities == 4].mean()) for each in drawn]
    assert np.ptp(levels[:LAMP_ON]) < 3 and np.ptp(levels[LAMP_ON:]) < 3
    assert levels[LAMP_ON] - levels[LAMP_ON - 1] > 25


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("film")
    pose = np.tile(np.eye(4), (FRAMES, 1, 1))
    shot = Shot(
        film_set(*EVERYTHING), TIMES, cameras(), INTRINSICS, Kind.DESKTOP,
        events=(Event("move", 0.0, float(TIMES[-1]), object="ball"),),
        ego=Ego(pose, at(0, 0, 1), np.zeros((FRAMES, 3))),
    )  # fmt: skip
    film(shot, "moving", "try", np.random.default_rng(0), QUALITY, folder)
    return load_recording(folder / "recordings" / "moving")


def test_a_recording_holds_bodies_events_changes_and_the_vehicle(recording) -> None:
    assert recording.events == (Event("move", 0.0, float(TIMES[-1]), object="ball"),)
    assert recording.vehicle_pose is not None and recording.camera_mount is not None
    by_id = {entity.id: entity for entity in recording.entities}
    assert [(change.frame, change.key, change.value) for change in by_id["lamp"].changes] == [(LAMP_ON, "on", "true")]
    assert by_id["ball"].body is None and len(by_id["ball"].poses) == FRAMES
    for placement in (chest(), stick()):
        body, truth = by_id[placement.id].body, truth_of(placement)
        assert body is not None and body.joints == placement.rig.joints
        assert np.abs(body.vertices - truth.vertices).max() < 1e-6 and np.array_equal(body.faces, truth.faces)
        assert np.array_equal(body.poses, placement.rig.path) and np.abs(body.weights.sum(axis=1) - 1).max() < 1e-5


def test_the_box_of_an_articulated_thing_is_that_of_its_whole_motion(recording) -> None:
    for placement in (chest(), stick()):
        [entity] = [each for each in recording.entities if each.id == placement.id]
        pose = entity.pose_at(0)
        every = np.concatenate([truth_of(placement).posed(frame) for frame in range(FRAMES)])
        own = (every - pose[:3, 3]) @ pose[:3, :3]
        assert np.abs(own.max(axis=0) - np.array(entity.size) / 2).max() < 1e-4
        assert np.abs(own.min(axis=0) + np.array(entity.size) / 2).max() < 1e-4


def test_visible_fractions_of_a_bent_stick_stay_whole(recording) -> None:
    """The points on a soft thing bend with it; rigid points would leave the picture of it."""
    [entity] = [each for each in recording.entities if each.id == "stick"]
    assert entity.visible_fraction is not None and (entity.visible_fraction > 0.75).all()


@pytest.fixture(scope="module")
def stages():
    pytest.importorskip("embreex")
    scene = film_set(*EVERYTHING)
    views = [(cameras(), INTRINSICS)]
    return scene, list(bake_states([each for _, each in scene.stages], views, DETAILS["coarse"]))


@pytest.fixture(scope="module")
def photo(stages):
    scene, baked = stages
    quality = replace(QUALITY, shadow_map=0, baked=True)
    with open_renderer(scene, quality, FOCAL, baked) as renderer:
        return [renderer.draw(cameras()[0], frame) for frame in range(FRAMES)]


def test_a_mover_leaves_nothing_behind_under_baked_light(stages, photo) -> None:
    """Where the ball was first, the picture of the last frame is that of the empty floor."""
    scene, baked = stages
    empty = replace(scene, placements=tuple(each for each in scene.placements if each.id == "lamp"))
    quality = replace(QUALITY, shadow_map=0, baked=True)
    with open_renderer(replace(empty, placements=(lamp(),)), quality, FOCAL, baked) as renderer:
        bare = [renderer.draw(cameras()[0], frame) for frame in (0, FRAMES - 1)]
    was = (photo[0].identities == 3) & (photo[-1].identities == 0)
    assert was.sum() > 60
    assert np.abs(photo[-1].rgb[was].astype(int) - bare[1].rgb[was]).mean() < 2
    assert np.abs(photo[0].rgb[was].astype(int) - bare[0].rgb[was]).mean() > 20


def test_the_shadow_under_the_ball_moves_with_it(photo) -> None:
    """The ring of floor around the foot of the ball is darker than when the ball is elsewhere."""

    def floor_near(frame: int, centre: np.ndarray) -> np.ndarray:
        camera = cameras()[0]
        rows, columns = np.mgrid[0 : QUALITY.height, 0 : QUALITY.width]
        rays = np.linalg.solve(INTRINSICS, np.stack([columns.ravel(), rows.ravel(), np.ones(rows.size)])).T
        points = camera[:3, 3] + photo[frame].depth.ravel()[:, None] * (rays @ camera[:3, :3].T)
        near = np.linalg.norm(points[:, :2] - centre, axis=1) < 1.5 * RADIUS
        return (near & (np.abs(points[:, 2]) < 0.004)).reshape(rows.shape) & (photo[frame].identities == 0)

    for frame, other in ((0, LAMP_ON - 1), (FRAMES - 1, LAMP_ON)):
        centre = ball().poses[frame][:2, 3]
        ring = floor_near(frame, centre) & floor_near(other, centre)
        assert ring.sum() > 15
        assert photo[other].rgb[ring].mean() - photo[frame].rgb[ring].mean() > 12


def test_a_lamp_that_lights_lights_the_floor_beside_it(photo) -> None:
    """The floor beside the lamp, which nothing else touches, is brighter from the frame of the change on."""
    spot = np.zeros((QUALITY.height, QUALITY.width), bool)
    rows, columns = np.nonzero(photo[0].identities == 4)
    spot[rows.max() + 1 : rows.max() + 4, columns.min() : columns.max()] = True
    levels = [float(each.rgb[spot & (each.identities == 0)].mean()) for each in photo]
    assert np.ptp(levels[:LAMP_ON]) < 2 and levels[LAMP_ON] - levels[LAMP_ON - 1] > 5


def test_identities_do_not_depend_on_the_light(photo) -> None:
    with open_renderer(film_set(*EVERYTHING), QUALITY, FOCAL) as renderer:
        for frame in (0, 7):
            drawn = renderer.draw(cameras()[0], frame)
            assert np.array_equal(drawn.identities, photo[frame].identities)
            assert np.array_equal(drawn.depth, photo[frame].depth)


HEIGHT, TOWARDS = 2.0, np.array([0.5, -0.3, 0.6]) / np.linalg.norm([0.5, -0.3, 0.6])


def outdoors(moving: bool) -> FilmSet:
    """A post on a plain, in the sun; it moves from -6 m to its place if ``moving``."""
    floor = slab((60, 60, 0.1), (0, 0, -0.05), Look((0.6, 0.6, 0.58), 0.0, 0.0))
    post = thing_of("post", slab((0.3, 0.3, HEIGHT), (0, 0, 0), Look((0.8, 0.7, 0.3), 0.0, 0.0)))
    path = np.stack([at(x, 1.0, HEIGHT / 2) for x in (-6.0, 0.0)])
    placed = Placement("post", post, path[-1]) if not moving else Placement("post", post, path[0], path=path)
    return FilmSet(
        (placed,), (floor,), (), (0.42, 0.44, 0.48), 0.1, 100.0, daylight=Daylight(tuple(TOWARDS.tolist()), 15.0)
    )


@pytest.mark.parametrize(("is_baked", "moving"), [(False, False), (False, True), (True, False), (True, True)])
def test_the_sun_outdoors_draws_shadows_where_geometry_says(is_baked: bool, moving: bool) -> None:
    scene, baked = outdoors(moving), ()
    camera = look_at(np.array([[0.0, -4.0, 12.0]]), np.array([[0.0, 1.0, 0.0]]))
    if is_baked:
        pytest.importorskip("embreex")
        baked = list(bake_states([each for _, each in scene.stages], [(camera, INTRINSICS)], DETAILS["coarse"]))
    with open_renderer(scene, replace(QUALITY, shadow_map=2048), FOCAL, baked) as renderer:
        drawn = renderer.draw(camera[0], 1)

    def brightness(points: np.ndarray) -> np.ndarray:
        own = (points - camera[0, :3, 3]) @ camera[0, :3, :3]
        pixels = np.rint((own / own[:, 2:]) @ INTRINSICS.T).astype(int)
        assert (drawn.identities[pixels[:, 1], pixels[:, 0]] == 0).all()
        return drawn.rgb[pixels[:, 1], pixels[:, 0]].mean(axis=1)

    along = -TOWARDS[:2] / TOWARDS[2]  # of the shadow, for each metre of height
    middle, side = np.array([0.0, 1.0]), np.array([-along[1], along[0]]) / np.linalg.norm(along)
    inside = np.array([middle + share * HEIGHT * along for share in (0.4, 0.6, 0.8)])
    beside = np.concatenate([inside + 0.6 * side, inside - 0.6 * side, [middle + 1.3 * HEIGHT * along]])
    shaded, sunny = (brightness(np.column_stack([points, np.zeros(len(points))])) for points in (inside, beside))
    assert shaded.max() < 0.85 * sunny.min()


def test_a_camera_looks_straight_down_with_a_given_right_side() -> None:
    camera = look_at(np.array([[0.0, 0.0, 5.0]]), np.zeros((1, 3)), right=(0.0, 1.0, 0.0))[0]
    assert np.allclose(camera[:3, :3], np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]]).T)
    with pytest.raises(ValueError, match="straight up or down"):
        look_at(np.array([[0.0, 0.0, 5.0]]), np.zeros((1, 3)))
