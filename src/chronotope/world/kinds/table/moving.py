"""Things that move on a table: a ball rolls, a toy car drives, a wind-up toy walks.

The thing moves along a curve on the table's top. The speed of the thing differs between tables by a factor of up to
five. No other thing is placed on its path, so there are no collisions. The thing is in motion at the start of the clip,
either because it was pushed or because it has its own drive.
"""

from dataclasses import dataclass
from math import pi, radians

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.world.film_set import Placement
from chronotope.world.grounds import Ground, footprint_of
from chronotope.world.things import TABLE_KINDS, Thing, draw_thing

SPEEDS = (0.05, 0.25)  # m/s, average during the motion
LEAST_SECONDS = 3.2  # s, shortest duration of the motion
LONGEST = 0.2  # m, largest side of a moving thing; a larger thing would need too much space
TURNS = {  # the range of the bend's radius, m; the largest angle of the bend, rad
    "rolls": ((1e3, 1e3), 2 * pi),
    "drives": ((0.25, 1.2), pi),
    "runs": ((0.11, 0.2), np.inf),
    "walks": ((0.10, 0.3), np.inf),
}
# the noun of each type that moves, with the verb of its motion
MOVERS = {kind.noun: verb for verb in TURNS for kind in TABLE_KINDS.values() if kind.moves == verb}
ATTEMPTS, PLACES = 6, 60
SAMPLES = 48  # number of footprints along the path that must be free
SWAY = radians(3.5)  # tilt of a walking thing to each side
STRIDE = 0.3  # length of a step, as a share of the thing's length
DIGITS = 6  # as in ``settle``


@dataclass(frozen=True, eq=False)
class _Way:
    """A level path: an arc, or almost a straight line.

    ``start`` is (2,) m, ``heading`` (rad) is the heading at the start, ``bend`` is in 1/m (positive to the left), and
    ``length`` is in m.
    """

    start: np.ndarray
    heading: float
    bend: float
    length: float

    def at(self, gone: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (N, 2) m and headings (N,) after ``gone`` (N,) m."""
        turned = self.heading + self.bend * gone
        across = np.stack([np.sin(turned) - np.sin(self.heading), np.cos(self.heading) - np.cos(turned)], axis=1)
        return self.start + across / self.bend, turned


def add_mover(
    generator: np.random.Generator, times: np.ndarray, ground: Ground, name: str | None = None
) -> Placement | None:
    """Add a thing that moves over the ground at times (T,) s.

    The path of the thing is marked as taken. The result is None if no free path gives a long enough motion.
    """
    for _ in range(ATTEMPTS):
        category = name or str(generator.choice(list(MOVERS)))
        thing = draw_thing(generator, category)
        low, high = np.log(SPEEDS)
        speed, seconds = float(np.exp(generator.uniform(low, high))), float(times[-1])
        if max(thing.size) > LONGEST or seconds <= 0:
            continue
        way = _free_way(generator, thing, ground, MOVERS[category], speed, seconds)
        if way is not None:
            gone = _gone(generator, times, MOVERS[category], way.length, way.length / speed)
            path = _poses(generator, thing, MOVERS[category], way, gone, ground.middle[2])
            return Placement("", thing, path[0], ground.owner, path=path)
    return None


def _free_way(
    generator: np.random.Generator, thing: Thing, ground: Ground, manner: str, speed: float, seconds: float
) -> _Way | None:
    """Find a path on which the thing meets no other thing.

    The path is long enough for the whole clip at this speed, or shorter if there is not enough space.
    """
    (least, most), most_turned = TURNS[manner]
    sides = np.array(thing.size[:2]) * (1.0 if manner != "walks" else 1.06)
    for attempt in range(PLACES):
        radius = float(np.exp(generator.uniform(np.log(least), np.log(most))))
        longest = min(speed * seconds, most_turned * radius, 4 * ground.half.max())
        length = longest * (1.0 if attempt < PLACES // 3 else float(generator.uniform(0.4, 1.0)))
        if length < speed * min(LEAST_SECONDS, seconds):
            continue
        bend = float(generator.choice([-1.0, 1.0])) / radius
        start = ground.middle[:2] + ground.turned @ generator.uniform(-ground.half, ground.half)
        way = _Way(start, float(generator.uniform(-pi, pi)), bend, length)
        once = min(length, 2 * pi * radius)  # a second round on the same circle needs no more space
        places, headings = way.at(np.linspace(0, once, SAMPLES))
        marks = [footprint_of(sides, place, heading) for place, heading in zip(places, headings, strict=True)]
        if all(ground.holds(mark) for mark in marks) and not any(ground.meets(mark) for mark in marks):
            ground.taken += marks
            return way
    return None


def _gone(generator: np.random.Generator, times: np.ndarray, manner: str, length: float, seconds: float) -> np.ndarray:
    """Return the distance (T,) m along the path at each time.

    The thing moves for ``seconds`` and rests afterwards. A pushed thing slows down continuously. A thing with its own
    drive brakes smoothly if it stops.
    """
    share = np.clip(times / seconds, 0, 1)
    slowing = 1.0 if seconds < times[-1] - 1e-6 else float(generator.uniform(0.2, 0.9))
    if manner in ("runs", "walks"):
        slowing = 0.0
    gone = length * (share + slowing * share * (1 - share))
    if manner in ("runs", "walks") and seconds < times[-1] - 1e-6:
        gone = length * _braked(share)
    return gone


def _braked(share: np.ndarray, last: float = 0.12) -> np.ndarray:
    """Return the distances (0 to 1) for braking near the end."""
    speed = 1 / (1 - last / 2)
    left = np.clip(1 - share, 0, 1)
    return np.where(left > last, speed * share, 1 - speed * left**2 / (2 * last))


def _poses(
    generator: np.random.Generator, thing: Thing, manner: str, way: _Way, gone: np.ndarray, top: float
) -> np.ndarray:
    """Return the poses (T, 4, 4) of a thing on its path."""
    places, headings = way.at(gone)
    zero = np.zeros(len(gone))
    poses = np.tile(np.eye(4), (len(gone), 1, 1))
    height = np.full(len(gone), thing.size[2] / 2)
    if manner == "rolls":
        first = Rotation.from_quat(generator.normal(size=4))
        axis = np.stack([-np.sin(headings), np.cos(headings), zero], axis=1)
        turns = Rotation.from_rotvec(axis * (gone / height)[:, None]) * first
    else:
        turns = Rotation.from_euler("z", headings[:, None])
        if manner == "walks":
            pace = np.gradient(gone) / max(float(np.gradient(gone).max()), 1e-12)
            sway = SWAY * np.clip(2 * pace, 0, 1) * np.sin(pi * gone / (STRIDE * thing.size[0]))
            turns = turns * Rotation.from_euler("x", sway[:, None])
            points = np.concatenate([piece.vertices for piece in thing.pieces])
            height = np.array([-(turn[2] @ points.T).min() for turn in turns.as_matrix()])
    poses[:, :3, :3] = turns.as_matrix()
    poses[:, :2, 3] = places
    poses[:, 2, 3] = top + height
    poses[:, :3, 3] = np.round(poses[:, :3, 3], DIGITS)
    return poses
