"""VI: two people around a pillar, seen from high above; one of them walks into or out of the other's sight."""

from dataclasses import replace

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import CeilingLamp, FilmSet, Light, Placement
from chronotope.world.kinds.stage.cast import draw_actor
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.visibility_change import ViGraph, hours_of
from chronotope.world.kinds.stage.lines_of_sight import eyes_of, share_in_sight
from chronotope.world.kinds.stage.sets import AROUND, OUTDOORS, draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of, standing
from chronotope.world.people import Person
from chronotope.world.people.motion import LookAt, Performance, Stand, Walk, perform, seconds_needed
from chronotope.world.people.motion.acts import Act
from chronotope.world.quality import Quality
from chronotope.world.slabs import corners_of, slab
from chronotope.world.street.fixtures import draw_fixture
from chronotope.world.things import Look, Thing, textures
from chronotope.world.things.colour_table import COLOUR_TABLE
from chronotope.world.things.thing import size_of

CIRCLE = 2.5  # m, radius of the circle of the clock points
THICK, FOOT, TALL, PLATE = 1.4, 1.48, 2.2, 0.12  # m, of the pillar: its shaft, foot and cap, height, and their heights
PALE, GREY = 0.3, 0.42  # share of grey in the colour of the stone, and the grey
AWAY, AIM, FIELD = 9.4, 0.5, 40.0  # m and degrees: the camera's distance from the middle at a height, and its field
ASIDE = 0.35  # m, by which the camera is beside the middle, so that a picture is not its own mirror image
ROOM, HEIGHT = (-6.6, -4.7, 6.6, 4.4), 10.2  # m
FREE = 3.4  # m, radius of the circle without furniture
CORNERS = ((-4.5, 2.3), (4.6, 2.1), (4.5, -1.5), (-4.4, -1.6))  # m, of what stands around an open place
NEAR = 0.5  # m
SUNNY = 12.0  # m, half the side of the square in which the sun casts shadows
DEPTH_SCALE = 4000.0  # steps per m
GLOW = 22.0  # of each lamp under the high ceiling, in units of a bright sky
EYES = 0.93  # share of a person's height
# The start of a way, from the direction to the middle: below, to the top and from the top. There, the pillar hides
# what is nearer to it.
TURN_IN, TO_TOP, FROM_TOP = np.radians(35.0), np.radians(52.0), np.radians(78.0)
TURN_OUT = np.radians(30.0)  # end of a way, from the direction to the middle
GLANCE = 0.6  # s, between two looks at a person who walks
EARLY, LATE = 0.1, 0.15  # s, between a phase and the walk in it
TRIES, ENOUGH = 12, 0.02  # s, allowed difference of the time of a walk
SPEEDS = (0.45, 2.1)  # m/s


def lay(generator: np.random.Generator, graph: ViGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; 12 o'clock is at +y, which is up in the picture."""
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, ROOM, HEIGHT)
    setting = replace(setting, props=tuple(prop for prop in setting.props if _is_aside(prop)))
    by_role = {each.role: each for each in graph.objects}
    pillar = standing("occluder", _pillar(generator, by_role["occluder"].attributes.color), (0.0, 0.0, 0.0), 0.0)
    people = {role: draw_actor(generator, by_role[role].attributes) for role in ("observer", "target")}
    hours = {role: hours_of(by_role[role].attributes.position) for role in people}
    mover = "observer" if graph.params.mover == "Observer_Moves" else "target"
    walked = _walk(people[mover], mover, hours, graph, times)
    other = "target" if mover == "observer" else "observer"
    stood = _stand(people[other], other, hours[other][0], walked.path[:, :3, 3], times)
    done = {mover: walked, other: stood}
    placements: list[Placement] = [pillar, *(done[role].placement(role, people[role]) for role in people)]
    eyes = eyes_of(people["observer"], done["observer"])
    seen = share_in_sight(eyes, people["target"], done["target"], pillar)
    film_set = set_of(setting, placements, near=NEAR)
    film_set = _open_air(generator, place, film_set) if place in OUTDOORS else _lit(film_set)
    return Staged(
        film_set=film_set,
        camera=_camera(graph, times),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.OUTDOOR if place in OUTDOORS else Kind.INDOOR,
        parts={role: role for role in ("occluder", "observer", "target")},
        depth_scale=DEPTH_SCALE,
        events=tuple(sorted((*walked.events, *stood.events), key=lambda e: (e.start, e.end, e.agent or ""))),
        facts={"sight": np.round(seen, 4).tolist()},
    )


def spot(hour: int) -> np.ndarray:
    """Return the place (2,) m of a clock point."""
    return CIRCLE * _direction(hour)


def _direction(hour: int) -> np.ndarray:
    angle = np.radians(30.0 * hour)
    return np.array([np.sin(angle), np.cos(angle)])


def _is_aside(prop: Placement) -> bool:
    """Check that nobody who walks on the circle comes to a piece of furniture."""
    corners = corners_of(prop.thing.size, (0.0, 0.0, 0.0)) @ prop.pose[:3, :3].T + prop.pose[:3, 3]
    low, high = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
    return float(np.linalg.norm(np.clip(0.0, low, high))) > FREE


def _walk(
    person: Person, role: str, hours: dict[str, tuple[int, int]], graph: ViGraph, times: np.ndarray
) -> Performance:
    """Let the mover walk during the phase of the movement; an observer looks where the target is."""
    phase = scenario_of(graph).phase("movement")
    way = _way(*hours[role])
    start = np.array([*way[0], float(np.arctan2(*(way[1] - way[0])[::-1]))])
    seconds = phase.t1 - phase.t0 - EARLY - LATE
    speed = _speed(person, way, start, seconds)
    wait = phase.t0 + EARLY
    acts: list[Act] = [Walk(way, speed)]
    if role == "observer":
        eye = EYES * person.height
        acts = [LookAt(np.array([*spot(hours["target"][0]), eye]), GLANCE), Stand(wait - GLANCE), *acts]
    else:
        acts = [Stand(wait), *acts]
    return perform(person, times, acts, start=start, agent=role, complete=True)


def _stand(person: Person, role: str, hour: int, other: np.ndarray, times: np.ndarray) -> Performance:
    """Let a person stand and face the middle.

    An observer follows the ``other`` person at (T, 3) m with the eyes.
    """
    way = -_direction(hour)
    start = np.array([*spot(hour), float(np.arctan2(way[1], way[0]))])
    acts: list[Act] = [Stand(float(times[-1]))]
    if role == "observer":
        lift = np.array([0.0, 0.0, EYES * person.height])
        looks = np.arange(0.0, times[-1] - GLANCE, GLANCE)
        acts = [LookAt(other[int(np.searchsorted(times, at + GLANCE))] + lift, GLANCE) for at in looks]
    return perform(person, times, acts, start=start, agent=role)


def _way(first: int, last: int) -> np.ndarray:
    """Return a smooth way (N, 2) m between two clock points.

    Both ends lead towards the middle, so that people do not turn their backs to each other.
    """
    start, end = spot(first), spot(last)
    turn = 1 if (last - first) % 12 <= 6 else -1  # clockwise from above
    inward = FROM_TOP if start[1] > CIRCLE / 2 else TO_TOP if end[1] > CIRCLE / 2 else TURN_IN
    leave, arrive = _turned(-_direction(first), turn * inward), _turned(-_direction(last), -turn * TURN_OUT)
    pull = 1.3 * float(np.linalg.norm(end - start))
    u = np.linspace(0, 1, 60)[:, None]
    one, two = 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u
    return one * start + two * pull * leave + (1 - one) * end + (u**3 - u**2) * pull * arrive


def _turned(direction: np.ndarray, angle: float) -> np.ndarray:
    """Turn a direction (2,) counter-clockwise by an angle (rad)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * direction[0] - s * direction[1], s * direction[0] + c * direction[1]])


def _speed(person: Person, way: np.ndarray, start: np.ndarray, seconds: float) -> float:
    """Find the speed (m/s) with which a walk takes some seconds."""
    low, high = SPEEDS
    speed = (low + high) / 2
    for _ in range(TRIES):
        speed = (low + high) / 2
        over = seconds_needed(person, [Walk(way, speed)], start=start) - seconds
        if abs(over) < ENOUGH:
            break
        low, high = (speed, high) if over > 0 else (low, speed)
    return speed


def _pillar(generator: np.random.Generator, colour: str) -> Thing:
    """Make a square pillar of stone with a foot and a cap."""
    red, green, blue = (PALE * GREY + (1 - PALE) * np.array(COLOUR_TABLE[colour].srgb)).tolist()
    face = textures.brick(generator, (red, green, blue))
    stone, smooth = Look((1.0, 1.0, 1.0), 0.05, 0.1, face), Look((red, green, blue), 0.05, 0.1)
    shaft = TALL - 2 * PLATE
    middle = (TALL - PLATE) / 2
    pieces = (
        slab((THICK, THICK, shaft), (0, 0, 0), stone, 2.8, 0.004),
        slab((FOOT, FOOT, PLATE), (0, 0, -middle), smooth, 1.0, 0.004),
        slab((FOOT, FOOT, PLATE), (0, 0, middle), smooth, 1.0, 0.004),
    )
    solid = np.concatenate([piece.vertices for piece in pieces])
    return Thing("pillar", colour, "stone", pieces, size_of(pieces), "quarter", None, 5000.0, (solid,), None)


def _lit(film_set: FilmSet) -> FilmSet:
    """Light a high hall from above and from one side."""
    place = np.array([-3.2, -3.6, HEIGHT - 1.0])
    x, y, z = (-place / np.linalg.norm(place)).tolist()
    lights = (
        Light((-3.2, -3.6, HEIGHT - 1.0), (x, y, z), (0.50, 0.49, 0.46), shadows=True),
        Light((1.0, 0.0, HEIGHT - 0.5), (0.0, 0.05, -1.0), (0.18, 0.18, 0.18)),
    )
    lamps = tuple(CeilingLamp((x, y, HEIGHT), 0.9, GLOW) for x in (-3.6, 3.6) for y in (-2.6, 2.4))
    return replace(film_set, lights=lights, lamps=lamps)


def _open_air(generator: np.random.Generator, place: str, film_set: FilmSet) -> FilmSet:
    """Put things around an open place, and let the sun cast their shadows."""
    props: list[Placement] = []
    for kind, (x, y) in zip(AROUND[place], CORNERS, strict=True):
        thing = draw_fixture(generator, kind).thing
        name = f"prop-{len(props) + 1}-{kind.lower()}"
        props.append(standing(name, thing, (x, y, 0.0), float(np.arctan2(-y, -x))))
    assert film_set.daylight is not None, "a set outdoors has daylight"
    placements = (*film_set.placements, *(replace(prop, role="furniture") for prop in props))
    return replace(film_set, placements=placements, daylight=replace(film_set.daylight, window=SUNNY))


def _camera(graph: ViGraph, times: np.ndarray) -> np.ndarray:
    down = np.radians(graph.camera_movement.pitch_down)
    side = -ASIDE if graph.params.observer_side == "Left" else ASIDE
    target = np.array([side, 0.0, AIM])
    place = target + AWAY * np.array([0.0, -np.cos(down), np.sin(down)])
    return look_at(np.tile(place, (len(times), 1)), np.tile(target, (len(times), 1)))
