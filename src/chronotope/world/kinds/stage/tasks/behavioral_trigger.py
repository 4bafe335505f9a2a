"""BT: a lane from a drone behind a vehicle; something comes onto the lane, and the vehicle stops or lets it pass."""

from dataclasses import dataclass

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.recording import Event, Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.kinds.stage.cast import draw_actor
from chronotope.world.kinds.stage.graph.tasks.behavioral_trigger import BRAKE, BtGraph, Hazard
from chronotope.world.kinds.stage.graph.vocabulary import WALKING
from chronotope.world.kinds.stage.movers import TYPES, driven, moves_of
from chronotope.world.kinds.stage.open_air import daylight_of, draw_lane, sky_light
from chronotope.world.kinds.stage.staged import Staged, place_of, standing
from chronotope.world.people.motion import Stand, Turn, Walk, perform
from chronotope.world.people.motion.acts import Act
from chronotope.world.quality import Quality
from chronotope.world.street import STREET_KINDS, draw_fixture, draw_vehicle, on_road, straight_lane
from chronotope.world.street.level_lane import HALF

FIELD, DOWN = 43.6, np.radians(30.0)  # degrees, vertical field of the drone, and how far it looks down
BEHIND, UP = 8.0, 6.0  # m from the middle of the agent to the drone
PACE = (6.6, 7.2)  # m/s, of the agent
REACT, BRAKING, GAIN = 0.15, 5.2, 3.6  # s until the agent brakes, and m/s2
SHORT, PAUSE, AFTER = 3.0, 0.9, 0.3  # m before the hazard; least s of a stop, and s from a free lane to going on
CLEAR = 0.7  # m beside the lane at which the hazard has left it
SPEEDS = {"rolling": 3.0, "cart": 2.3, "person": 2.0}  # m/s, of hazards
START, SLOWING = 6.5, 1.9  # m from the middle where a hazard waits, and over which it comes to rest
BESIDE, ALONG = 2.85, 2.0  # m from the middle to the bystander, and ahead of the agent when it brakes
LATER = 0.6  # s from a free lane until an agent that does not react comes by
FAR, DEPTH_SCALE, WINDOW = 110.0, 580.0, 24.0  # m; steps per m; m
REACH = 26.0, 75.0  # m of lane behind the start of the agent, and before the crossing way
DIGITS = 6


@dataclass(frozen=True)
class Plan:
    """The times and places of what happens.

    ``along`` (T,) m is the way of the agent, and ``crossing`` (m) the x at which the hazard crosses the lane. The
    hazard comes to rest on the lane if it ``stays``, and reaches it at ``brake`` (s).
    """

    along: np.ndarray
    crossing: float
    stays: bool
    brake: float


def lay(generator: np.random.Generator, graph: BtGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; the agent drives from the origin along +x."""
    place, tones = place_of(graph)
    agent, bystander, hazard = (graph.of_role(role)[0] for role in ("agent", "distractor", "trigger"))
    vehicle = draw_vehicle(generator, TYPES[agent.attributes.type], agent.attributes.color)
    pace = float(generator.uniform(*PACE)) * BRAKE / graph.params.brake  # so the bystander is in the first view
    plan = plan_of(graph, pace, vehicle.thing.size[0] / 2, times)
    side = 1 if graph.params.trigger_side == "left" else -1
    mover, events = draw_hazard(generator, hazard, plan, side, times)
    lane = straight_lane((0.0, 0.0, 0.0), (plan.crossing + FAR, 0.0, 0.0))
    path = on_road(vehicle, lane.poses(plan.along, vehicle.axles))
    static = draw_fixture(generator, TYPES[bystander.attributes.type], bystander.attributes.color).thing
    beside = 1 if graph.params.distractor_position == "left" else -1
    at = pace * (graph.params.brake + REACT) + ALONG
    aside = standing("distractor", static, (at, beside * BESIDE, 0.0), -beside * np.pi / 2)
    pieces, props = draw_lane(generator, place, tones, (-REACH[0], plan.crossing + REACH[1]), plan.crossing)
    props = [each for each in props if np.hypot(*(each.pose[:2, 3] - aside.pose[:2, 3])) > 1.6]
    middle = path[:, :3, 3]
    eye = np.column_stack([middle[:, 0] - BEHIND, middle[:, 1], np.full(len(times), UP)])
    return Staged(
        film_set=FilmSet(
            (driven("agent", vehicle, path), aside, mover, *props), pieces, (), sky_light(tones), 0.3, FAR,
            daylight=daylight_of(generator, tones, WINDOW, 0.5),
        ),
        camera=look_at(eye, eye + np.array([np.cos(DOWN), 0.0, -np.sin(DOWN)])),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.OUTDOOR,
        parts={"agent": "agent", "distractor": "distractor", "trigger": "trigger"},
        depth_scale=DEPTH_SCALE,
        events=tuple(sorted((*moves_of("agent", path, times), *events), key=lambda event: (event.start, event.kind))),
        facts={"lane_half": HALF, "crossing": round(plan.crossing, DIGITS), "forward": [1.0, 0.0]},
    )  # fmt: skip


def plan_of(graph: BtGraph, pace: float, half: float, times: np.ndarray) -> Plan:
    """Plan the way of an agent of half a length (m) with a pace (m/s)."""
    reaction, brake = graph.params.reaction_type, graph.params.brake
    brakes = brake + REACT
    kind = kind_of(graph.of_role("trigger")[0].attributes.type)
    free = brake + (2 * HALF + CLEAR) / SPEEDS[kind]
    if reaction == "No_Reaction":
        return Plan(pace * times, pace * (free + LATER) + half, stays=False, brake=brake)
    stop = brakes + pace / BRAKING
    slowed = np.clip(times - brakes, 0, pace / BRAKING)
    along = pace * np.minimum(times, stop) - BRAKING * slowed**2 / 2
    crossing = pace * brakes + pace**2 / BRAKING / 2 + half + SHORT
    if reaction == "Wait_and_Resume":
        gone = np.clip(times - max(free + AFTER, stop + PAUSE), 0, None)
        gaining = np.minimum(gone, pace / GAIN)
        along = along + GAIN * gaining**2 / 2 + pace * (gone - gaining)
    return Plan(along, crossing, stays=reaction == "Full_Stop", brake=brake)


def kind_of(noun: str) -> str:
    """Return how a hazard moves: as a "person", a "cart" or "rolling"."""
    if noun in WALKING:
        return "person"
    return "cart" if STREET_KINDS[TYPES[noun]].use == "cart" else "rolling"


def draw_hazard(
    generator: np.random.Generator, hazard: Hazard, plan: Plan, side: int, times: np.ndarray
) -> tuple[Placement, tuple[Event, ...]]:
    """Draw the hazard with its motion and its events.

    ``side`` is 1 if the hazard comes from the left of the agent, and -1 if it comes from the right.
    """
    kind = kind_of(hazard.attributes.type)
    if kind == "person":
        return _walked(generator, hazard, plan, side, times)
    name = TYPES[hazard.attributes.type]
    gone = run(times, SPEEDS[kind], plan)
    if kind == "cart":
        cart = draw_vehicle(generator, name, hazard.attributes.color)
        way = straight_lane((plan.crossing, side * START, 0.0), (plan.crossing, -side * START, 0.0))
        path = on_road(cart, way.poses(gone, cart.axles))
        placed = driven("trigger", cart, path)
    else:
        ball = draw_fixture(generator, name, hazard.attributes.color).thing
        path = rolling(ball.size[2] / 2, gone, plan.crossing, side)
        placed = Placement("trigger", ball, path[0], path=path)
    return placed, moves_of("trigger", path, times)


def run(times: np.ndarray, speed: float, plan: Plan) -> np.ndarray:
    """Return how far (T,) m a hazard has rolled; it reaches the lane at ``plan.brake``.

    A hazard that ``stays`` comes to rest in the middle of the lane, and any other one beyond the other border.
    """
    rest = START if plan.stays else 2 * START - 0.3
    slow = speed**2 / 2 / SLOWING  # m/s2
    even = rest - SLOWING
    t = np.clip(times - (plan.brake - (START - HALF) / speed), 0, None)
    late = np.clip(t - even / speed, 0, speed / slow)
    return np.round(speed * np.minimum(t, even / speed) + speed * late - slow * late**2 / 2, DIGITS)


def rolling(radius: float, gone: np.ndarray, x: float, side: int) -> np.ndarray:
    """Return the poses (T, 4, 4) of a ball that rolls across the lane without slipping."""
    poses = np.tile(np.eye(4), (len(gone), 1, 1))
    still = np.zeros(len(gone))
    poses[:, :3, :3] = rotation_from_vector(np.column_stack([side * gone / radius, still, still]))
    poses[:, :3, 3] = np.column_stack([still + x, side * (START - gone), still + radius])
    return poses


def _walked(
    generator: np.random.Generator, hazard: Hazard, plan: Plan, side: int, times: np.ndarray
) -> tuple[Placement, tuple[Event, ...]]:
    """Let a person walk onto the lane, and on to the other side unless the person stays.

    Who stays turns to the vehicle, since nobody stops on a lane without a look at what comes.
    """
    person = draw_actor(generator, hazard.attributes)
    end = 0.1 if plan.stays else -START
    walk = Walk(np.array([[plan.crossing, side * START], [plan.crossing, side * end]]), SPEEDS["person"])
    step = times[1] - times[0]
    longer = np.concatenate([np.arange(round(2 * START / SPEEDS["person"] / step), 0, -1) * -step, times])
    alone = perform(person, longer, [walk], agent="trigger")
    away = np.abs(alone.path[:, 1, 3])
    there = int(np.argmax(away <= HALF))  # the first frame on the lane
    at = np.interp(HALF, away[[there, there - 1]], longer[[there, there - 1]])
    acts: list[Act] = [Stand(float(np.floor((plan.brake - at) / step + 0.5) * step)), walk]
    acts += [Turn(np.pi)] if plan.stays else []
    here = np.array([plan.crossing, side * START, -side * np.pi / 2])
    acted = perform(person, longer, acts, start=here, agent="trigger").since(times)
    return acted.placement("trigger", person), acted.events
