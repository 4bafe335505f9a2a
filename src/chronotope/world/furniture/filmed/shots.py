"""The shots of a take: a room with the parts of a product, and a person who brings one group after the other."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.recording import Event, Kind
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.furniture.course.course import Course
from chronotope.world.furniture.filmed.bringing import Bringing, bring
from chronotope.world.furniture.filmed.cameras import WORN_FIELD, Camera, Work, camera_path
from chronotope.world.furniture.filmed.clutter import Taken, draw_things, place_clutter
from chronotope.world.furniture.filmed.grasps import SIDES
from chronotope.world.furniture.filmed.pauses import draw_pause
from chronotope.world.furniture.filmed.situation import Situation, situations
from chronotope.world.furniture.product import Group, Part, Product
from chronotope.world.interiors.surroundings import draw_lights, draw_room
from chronotope.world.people.motion.posture import build_of
from chronotope.world.people.person import Person
from chronotope.world.people.random_person import draw_person
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.thing import Piece, Thing, finished, size_of

WALLS = (3.05, 3.25)  # m
CORNER = 2.35  # m, of the corners of the room where parts wait
EYE, AWAY = (1.6, 1.9), (3.4, 3.7)  # m, height of the camera, and its distance from the middle of the room
AIM, FRAME = (0.25, 0.3), (0.5, 0.62)  # height at which the camera looks, and half of what it sees: share, and m more
AMBIENT = (0.55, 0.55, 0.54)
TALL = 1.68  # m; a smaller person does not reach across all furniture
SEEN = np.radians(55.0)  # a person this far aside does not hide what it does
OBLIQUE = np.radians(30.0)  # best before or behind the side: straight from there, what is held across is seen end on
DEPTH_SCALE = 5000.0
PERSON = "person"
EVERY = 3  # frames; every so many, the space that a shot needs is looked at
GRID = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=3)))  # points of a box


@dataclass(frozen=True, eq=False)
class Scenery:
    """What all shots of a take have in common.

    ``half`` (2,) m is half of the sides of the room, ``extent`` (m) the longest side of the product, ``things`` lie and
    stand around, and ``seed`` determines their places and the pauses.
    """

    person: Person
    backdrop: tuple[Piece, ...]
    half: np.ndarray
    lights: tuple[Light, ...]
    azimuth: float
    eye: float
    away: float
    camera: Camera
    extent: float
    things: tuple[tuple[Thing, bool], ...]
    seed: int

    @property
    def aim(self) -> float:
        """Return the height (m) at which the camera looks."""
        return AIM[0] * self.extent + AIM[1]

    @property
    def field(self) -> float:
        """Return the vertical field of view (degrees)."""
        if self.camera == "worn":
            return WORN_FIELD
        return float(2 * np.degrees(np.arctan((FRAME[0] * self.extent + FRAME[1]) / self.away)))


@dataclass(frozen=True, eq=False)
class Scene:
    """One shot of a take: the group that comes in a step, and the shot.

    ``person`` is the person with the motion of the shot.
    """

    step: int
    situation: Situation
    shot: Shot
    person: Placement
    camera: Camera


def draw_scenery(generator: np.random.Generator, product: Product, camera: Camera) -> Scenery:
    """Draw a room with what lies and stands in it, a person, and the place of the camera."""
    extent = float(np.ptp(np.concatenate([part.points for part in product.parts]), axis=0).max())
    backdrop, half = draw_room(generator, WALLS, has_rug=False)
    person = draw_person(generator, age="adult")
    while person.height < TALL:
        person = draw_person(generator, age="adult")
    azimuth = np.pi / 4 + np.pi / 2 * int(generator.integers(4)) + float(generator.uniform(-0.12, 0.12))
    return Scenery(
        person, backdrop, half, draw_lights(generator, azimuth, 0.3), azimuth,
        float(generator.uniform(*EYE)), float(generator.uniform(*AWAY)), camera, extent,
        tuple(draw_things(generator)), int(generator.integers(2**31)),
    )  # fmt: skip


def thing_of(part: Part) -> tuple[Thing, np.ndarray]:
    """Return a part as a thing, and its place (3,) m in the product."""
    middle = np.round((part.points.min(axis=0) + part.points.max(axis=0)) / 2, 6)
    pieces = tuple(finished(Mesh(shape.vertices - middle, shape.faces, shape.uv), part.look) for shape in part.shapes)
    solids = tuple(solid - middle for solid in part.solids)
    thing = Thing(part.kind, None, "wood", pieces, size_of(pieces), "none", None, part.mass, solids, None, "{category}")
    return thing, middle


def scenes(course: Course, scenery: Scenery, quality: Quality) -> list[Scene]:
    """Return the shots of a take, in the order of its steps.

    Raises:
        RefusedError: If the person cannot bring a group.
    """
    found = list(_bare(course, scenery, quality))
    placed = place_clutter(
        np.random.default_rng([scenery.seed, 2]), scenery.things, scenery.half, scenery.backdrop, _taken(found, scenery)
    )

    def with_clutter(scene: Scene) -> Scene:
        film_set = scene.shot.film_set
        film_set = replace(film_set, placements=(*film_set.placements, *placed))
        return replace(scene, shot=replace(scene.shot, film_set=film_set))

    return [with_clutter(scene) for scene in found]


def _taken(found: Sequence[Scene], scenery: Scenery) -> Taken:
    """Return the space that all shots need."""
    points, eyes, seen = [], [], []
    for scene in found:
        own = {one.id: one for one in scene.shot.film_set.placements}
        assert scene.person.rig is not None, "a person has joints"
        joints = scene.person.rig.path[::EVERY, :, :3, 3]
        points.append(joints.reshape(-1, 3))
        hands = [scenery.person.joints.index(f"{side}Hand") for side in SIDES]
        looks = [joints[:, hands]]
        for part in range(len(scene.situation.product.parts)):
            one = own[f"part-{part}"]
            corners = GRID * np.array(one.thing.size) / 2
            poses = one.poses[::EVERY] if part in scene.situation.entry.parts else one.poses[:1]
            places = corners @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]
            points.append(places.reshape(-1, 3))
            if part in (*scene.situation.entry.parts, *scene.situation.there):
                looks.append(np.broadcast_to(places, (len(joints), *places.shape[1:])))
        shown = np.concatenate(looks, axis=1)
        seen.append(shown.reshape(-1, 3))
        eyes.append(np.repeat(scene.shot.camera[::EVERY, :3, 3], shown.shape[1], axis=0))
    return Taken(np.concatenate(points)[:, :2], np.concatenate(eyes), np.concatenate(seen))


def _bare(course: Course, scenery: Scenery, quality: Quality) -> Iterator[Scene]:
    """Yield the shots in a room without clutter."""
    product, build = course.product, build_of(scenery.person)
    generator = np.random.default_rng([scenery.seed, 1])
    made = [thing_of(part) for part in product.parts]
    built: set[Group] = {(part,) for part in range(len(product.parts))}
    for number in course.order:
        if number not in course.shown:
            built = _joined(built, [joining.joined for joining in product.steps[number].joinings])
            continue
        brought = [
            (situation, bring(situation, scenery.person, build, quality.fps, PERSON, draw_pause(generator)))
            for joining in product.steps[number].joinings
            for situation in situations(product, joining)
        ]
        turn = _turned(_yaw([each.heading for _, each in brought], scenery.azimuth))
        for situation, bringing in brought:
            here = tuple(sorted({*situation.there, *situation.entry.parts}))
            waiting = sorted(group for group in built if not set(here) & set(group))
            poses = dict.fromkeys(here, turn @ situation.pose)
            for group, pose in zip(waiting, _waiting(product, waiting, scenery.azimuth), strict=True):
                poses |= dict.fromkeys(group, pose)
            yield _scene(number, situation, bringing, turn, made, poses, scenery, quality)
            built = _joined(built, [here])


def _joined(built: set[Group], groups: Sequence[Group]) -> set[Group]:
    """Return what lies in the room after some groups are joined."""
    own = {part for group in groups for part in group}
    return {group for group in built if not own & set(group)} | set(groups)


def _turned(yaw: float) -> np.ndarray:
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    return turn


def _yaw(headings: list[float], azimuth: float) -> float:
    """Return the turn (rad) of the product with which the person mostly stands beside the view."""
    yaws = np.radians(np.arange(0.0, 360.0, 15.0))
    stands = np.array(headings)[None] + np.pi + yaws[:, None] - azimuth
    aside = np.abs((stands + np.pi) % (2 * np.pi) - np.pi)
    off = np.abs(np.abs(aside - np.pi / 2) - OBLIQUE)
    worth = np.minimum(aside / SEEN, 1.0) - 0.1 * off - 0.02 * aside  # rather before what comes than behind it
    return float(yaws[(worth.min(axis=1) + 0.3 * worth.mean(axis=1)).argmax()])


def _waiting(product: Product, groups: list[Group], azimuth: float) -> list[np.ndarray]:
    """Return the poses world_T_product (4, 4) of groups that wait, lying on piles in corners of the room."""
    corners = [azimuth + np.pi / 2 * k for k in (1, 3)]
    order = sorted(
        range(len(groups)), key=lambda k: (-np.prod(np.sort(np.ptp(product.points(groups[k]), axis=0))[1:]), k)
    )
    heights, poses = [0.0] * len(corners), {}
    for number in order:
        points = product.points(groups[number])
        extent = np.ptp(points, axis=0)
        axes = np.argsort(extent)[::-1]
        turn = np.zeros((3, 3))
        turn[[0, 1, 2], axes] = 1.0  # the longest side along x, the shortest upright
        if np.linalg.det(turn) < 0:
            turn[0] *= -1
        corner = int(np.argmin(heights))
        pose = _turned(corners[corner] + np.pi / 2)
        pose[:3, :3] = pose[:3, :3] @ turn
        low, high = (points @ pose[:3, :3].T).min(axis=0), (points @ pose[:3, :3].T).max(axis=0)
        place = CORNER * np.sqrt(2) * np.array([np.cos(corners[corner]), np.sin(corners[corner])])
        pose[:2, 3] = place - (low[:2] + high[:2]) / 2
        pose[2, 3] = heights[corner] - low[2]
        heights[corner] += float(high[2] - low[2])
        poses[number] = pose
    return [poses[number] for number in range(len(groups))]


def _scene(
    number: int,
    situation: Situation,
    bringing: Bringing,
    turn: np.ndarray,
    made: list[tuple[Thing, np.ndarray]],
    poses: dict[int, np.ndarray],
    scenery: Scenery,
    quality: Quality,
) -> Scene:
    done = bringing.performance
    done = replace(done, path=turn @ done.path, joints=turn @ done.joints)
    frames = len(done.path)
    placements: list[Placement] = []
    for part, (thing, middle) in enumerate(made):
        pose = poses[part].copy()
        pose[:3, 3] += pose[:3, :3] @ middle
        path = None
        if part in situation.entry.parts:
            path = np.tile(pose, (frames, 1, 1))
            path[:, :3, 3] += bringing.offsets @ turn[:3, :3].T
        placements.append(Placement(f"part-{part}", thing, pose if path is None else path[0], path=path))
    person = done.placement(PERSON, scenery.person)
    film_set = FilmSet(
        (*placements, person), scenery.backdrop, scenery.lights, AMBIENT, near=0.1, far=12.0, shadowed=0.6,
    )  # fmt: skip
    times = np.arange(frames) / quality.fps
    points = np.concatenate(situation.moving)
    comes = ((points.min(axis=0) + points.max(axis=0)) / 2 + bringing.offsets) @ turn[:3, :3].T
    work = Work(done.joints[:, scenery.person.joints.index("Head")], done.path, comes)
    shot = Shot(
        film_set, times, camera_path(scenery, work, quality.fps),
        intrinsics_of(scenery.field, quality.width, quality.height), Kind.INDOOR,
        depth_scale=DEPTH_SCALE, events=tuple(_named(event, turn) for event in bringing.events),
    )  # fmt: skip
    placed = replace(situation, pose=turn @ situation.pose)
    return Scene(number, placed, shot, person, scenery.camera)


def _named(event: Event, turn: np.ndarray) -> Event:
    """Return an event in the turned world, with the id of its part."""
    if event.object is not None:
        return replace(event, object=f"part-{event.object}")
    if "point" not in event.parameters:
        return event
    point = turn[:3, :3] @ np.array(event.parameters["point"], float)
    return replace(event, parameters={**event.parameters, "point": np.round(point, 6).tolist()})
