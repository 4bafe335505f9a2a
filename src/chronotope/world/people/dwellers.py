"""People who live in a home that is filmed: they stand or walk to and fro, and never block the way of the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.geometry.polygons import inside
from chronotope.recording import Event
from chronotope.world.film_set import Placement
from chronotope.world.people.motion import Performance, Stand, Walk, perform
from chronotope.world.people.motion.acts import Act
from chronotope.world.people.person import Person
from chronotope.world.people.random_person import draw_person

WALKS = 0.65  # share of the people who walk
TRIES = 60  # plans for a person, of which the one that is seen longest is taken
ENOUGH = 0.5  # of the frames; a plan that is seen so long is taken at once
CLEAR, APART = 0.75, 0.8  # m, least distance from the camera, and from another person
SEEN_FROM = (1.0, 7.0)  # m, distances at which a person is well seen
HALF = 0.9  # m, height of the middle of a person
SPEEDS = (0.7, 1.2)  # m/s
LENGTHS = (1.2, 5.0)  # m, of the way to and fro
PAUSES = (0.3, 2.0)  # s, before and between walks
BESIDE = 0.19  # m, largest distance of a way from a free place


@dataclass(frozen=True, eq=False)
class Stage:
    """What the people of a clip must know of it.

    ``times`` (T,) s and ``cameras`` (T, 4, 4) are those of the frames, and ``intrinsics`` (3, 3) px with the ``size``
    (width, height) px those of the camera. ``spots`` (N, 2) m are free places on the floor, and ``floors`` the polygons
    of the rooms.
    """

    times: np.ndarray
    cameras: np.ndarray
    intrinsics: np.ndarray
    size: tuple[int, int]
    spots: np.ndarray
    floors: Sequence[np.ndarray]


def draw_people(generator: np.random.Generator, count: int) -> tuple[Person, ...]:
    """Draw people of whom no two have the same name."""
    people: dict[str, Person] = {}
    while len(people) < count:
        person = draw_person(generator)
        people.setdefault(person.thing.label, person)
    return tuple(people.values())


def dwell(
    generator: np.random.Generator, people: Sequence[Person], stage: Stage
) -> tuple[tuple[Placement, ...], tuple[Event, ...]]:
    """Let people stand or walk where the camera sees them.

    People for whom there is no room are left out.
    """
    placements: list[Placement] = []
    events: list[Event] = []
    for number, person in enumerate(people, 1):
        name = f"person-{number}"
        best: Performance | None = None
        most = 0.0
        for _ in range(TRIES):
            planned = _plan(generator, person, stage, name)
            if planned is None or not _is_clear(planned, stage, placements):
                continue
            seen = _share_seen(planned.path, stage)
            if seen > most:
                best, most = planned, seen
            if seen >= ENOUGH:
                break
        if best is not None:
            placements.append(best.placement(name, person))
            events += best.events
    return tuple(placements), tuple(sorted(events, key=lambda event: (event.start, event.end, event.agent or "")))


def _plan(generator: np.random.Generator, person: Person, stage: Stage, name: str) -> Performance | None:
    """Draw what a person does; the result is None if the drawn way is not free."""
    first = stage.spots[generator.integers(len(stage.spots))]
    if generator.random() >= WALKS:
        towards = stage.cameras[generator.integers(len(stage.cameras)), :2, 3] - first
        heading = float(np.arctan2(towards[1], towards[0])) + float(generator.uniform(-1.2, 1.2))
        return perform(
            person, stage.times, [Stand(float(np.ptp(stage.times)))], start=np.array([*first, heading]), agent=name
        )
    last = stage.spots[generator.integers(len(stage.spots))]
    way = np.array([first, last])
    if not LENGTHS[0] <= np.linalg.norm(last - first) <= LENGTHS[1] or not _is_free(way, stage.spots):
        return None
    speed, heading = float(generator.uniform(*SPEEDS)), float(np.arctan2(*(last - first)[::-1]))
    acts: list[Act] = []
    while len(acts) < 2 or _at_least(acts) < np.ptp(stage.times):
        acts += [Stand(float(generator.uniform(*PAUSES))), Walk(way, speed)]
        way = way[::-1]
    return perform(person, stage.times, acts, start=np.array([*first, heading]), agent=name)


def _at_least(acts: Sequence[Act]) -> float:
    """Return the time (s) that acts take at least."""
    return sum(
        act.seconds if isinstance(act, Stand) else float(np.linalg.norm(act.way[1] - act.way[0])) / act.speed
        for act in acts
        if isinstance(act, Stand | Walk)
    )


def _is_free(way: np.ndarray, spots: np.ndarray) -> bool:
    """Check that free places lie all along a straight way (2, 2) m."""
    count = int(np.linalg.norm(way[1] - way[0]) / 0.1) + 2
    points = way[0] + np.linspace(0, 1, count)[:, None] * (way[1] - way[0])
    return bool((np.linalg.norm(points[:, None] - spots[None], axis=2).min(axis=1) <= BESIDE).all())


def _is_clear(planned: Performance, stage: Stage, others: Sequence[Placement]) -> bool:
    """Check that a person meets neither the camera nor another person."""
    place = planned.path[:, :2, 3]
    away = np.linalg.norm(place - stage.cameras[:, :2, 3], axis=1).min()
    apart = [np.linalg.norm(place - other.poses[:, :2, 3], axis=1).min() for other in others]
    return away >= CLEAR and min(apart, default=np.inf) >= APART


def _share_seen(path: np.ndarray, stage: Stage) -> float:
    """Return the share of frames in which the camera sees a person, at poses (T, 4, 4)."""
    middle = path[:, :3, 3] + [0.0, 0.0, HALF]
    own = np.einsum("ti,tij->tj", middle - stage.cameras[:, :3, 3], stage.cameras[:, :3, :3])
    with np.errstate(divide="ignore", invalid="ignore"):
        pixels = (own / own[:, 2:]) @ stage.intrinsics[:2].T
    width, height = stage.size
    seen = (own[:, 2] >= SEEN_FROM[0]) & (own[:, 2] <= SEEN_FROM[1])
    seen &= (pixels[:, 0] > 0.1 * width) & (pixels[:, 0] < 0.9 * width) & (pixels[:, 1] > 0) & (pixels[:, 1] < height)
    together = np.zeros(len(path), bool)
    for floor in stage.floors:
        together |= inside(middle[:, :2], floor) & inside(stage.cameras[:, :2, 3], floor)
    return float((seen & together).mean())
