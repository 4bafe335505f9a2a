"""How two hands take a group of parts between them, where to stand for it, and the way of the group."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.geometry import invert
from chronotope.world.furniture.filmed.situation import Situation, deepest
from chronotope.world.people.motion import Hold
from chronotope.world.people.motion.acts import Side
from chronotope.world.people.motion.arms import arm_length
from chronotope.world.people.motion.grips import CLOSED, OPEN
from chronotope.world.people.motion.hands import Hand
from chronotope.world.people.motion.posture import Build
from chronotope.world.people.motion.skeleton import about, framed

HEADINGS = np.radians(np.arange(0.0, 360.0, 45.0))
SHARES = (0.5, 0.3, 0.7, 0.15, 0.85)  # places across a group where hands are tried
PITCHES = ((0.75, 10.0), (0.35, 35.0), (-np.inf, 60.0))  # from a height (m) on, how far (degrees) fingers point down
WIDEST = 0.95  # m between two hands
SQUARE = 0.94  # least cosine between a palm and the surface
PALM = 0.45  # share of the length of a hand at which its palm touches
TIPS, STEEP = 0.94, np.radians(78.0)  # the same for the tips of the fingers, and how far they then point down
EDGE = 0.06  # m, least distance of a hand from the near edge
SLIDE, PART = (0.15, 0.2), 0.7  # m by which a group is pushed, and the largest part of it
ALIKE = 5  # grasps from the same heading that are tried
SIDES: tuple[Side, Side] = ("Left", "Right")
LIES = {"palms": 0.0, "tips": 0.25, "stacked": 0.5, "pushed": 0.9}  # how hands lie, with the cost of it
SKIN = 0.0015  # m between a palm and the surface
DEEP = 0.004  # m by which skin may be in what is there
BODY, CLEAR = 0.17, 0.03  # m, radius of the body at the floor, and its distance from the product
BELT = 1.0  # m; what is lower is in the way of the body
SPOTS = np.arange(0.40, 1.0, 0.05)  # m from the place of the hands to the person
BACK = 0.30  # m before its place, from where a group moves straight
WALK = 0.7  # m, of the last steps before the product
SWAY = (0.03, 0.02)  # m by which a step moves what is carried: aside, and up or down
CARRIED_UP = (1.1, 1.3)  # heights of what is carried, as shares of the height of the hips
EASY = 0.92  # reach of an upright person, as a share of the length of the arm
CARRIED_AHEAD, FREE = 0.40, 0.22  # m; FREE is the distance of what is carried from the body's axis
FARTHEST_AHEAD, HIGHEST = 0.60, 1.55  # m
OVER = 0.06  # m above what is there and above the floor


@dataclass(frozen=True, eq=False)
class Grasp:
    """How a person brings a group.

    ``heading`` (rad) is that of the person, and ``spot`` (2,) m where the person stands at the end. ``holds`` have the
    poses of the hands in the world while the group is in its place. ``ways`` are possible sequences (N, 3) m of offsets
    of the group from its place: the first is where it is carried. ``held`` are the parts that the hands touch. A group
    that ``is_pushed`` already lies partly in its place, and the person does not walk.
    """

    heading: float
    spot: np.ndarray
    holds: dict[Side, Hold]
    held: dict[Side, int]
    ways: tuple[np.ndarray, ...]
    is_pushed: bool


class _Try(NamedTuple):
    # Hands that are tried: the axes ahead, across and up, where the line between the hands enters and leaves the group,
    # and the parts that it meets there, and how the hands lie.
    cost: float
    heading: float
    axes: tuple[np.ndarray, np.ndarray, np.ndarray]
    centre: np.ndarray
    low: tuple[float, int]
    high: tuple[float, int]
    lie: str


def grasps(situation: Situation, build: Build, most: int = 24) -> Iterator[Grasp]:
    """Yield the possible grasps of a group, the most natural ones first, and at most ``most``."""
    tries = sorted(
        (one for heading in HEADINGS for lie in LIES for one in _tries(situation, float(heading), lie)),
        key=lambda one: one.cost,
    )
    found: Counter[tuple[float, str]] = Counter()
    for one in tries:
        # What fails on one side of a group often fails with all hands on this side.
        alike = (one.heading, one.lie)
        if found[alike] < ALIKE and (grasp := _grasp(situation, build, one)) is not None:
            yield grasp
            found[alike] += 1
        if found.total() == most:
            return


def _tries(situation: Situation, heading: float, lie: str) -> Iterator[_Try]:
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    left, up = np.array([-ahead[1], ahead[0], 0.0]), np.array([0.0, 0.0, 1.0])
    across, other = (up, left) if lie == "stacked" else (left, up)
    toward, middle = situation.toward, _middle(situation)
    if lie == "pushed":
        if toward @ ahead > 0.9:
            yield from _pushes(situation, heading, (ahead, left, up))
        return
    points = np.concatenate(situation.moving)
    cost = LIES[lie] + (0.8 * (1.0 - float(toward @ ahead)) if abs(toward[2]) < 0.5 else 0.4)
    spans = [(float((points @ axis).min()), float((points @ axis).max())) for axis in (ahead, other)]
    front = _front(situation, ahead, left)
    tried: set[tuple[float, float]] = set()
    for shares in itertools.product(SHARES, SHARES):
        u, v = (
            round(max(low + share * (high - low), low + min(EDGE, 0.5 * (high - low))), 4)
            for share, (low, high) in zip(shares, spans, strict=True)
        )
        if (u, v) in tried:
            continue
        tried.add((u, v))
        sides = _sides(situation, (ahead, other, across), (u, v))
        if sides is None or sides[1][0] - sides[0][0] > WIDEST:
            continue
        low, high = sides
        centre = u * ahead + v * other
        place = centre + (low[0] + high[0]) / 2 * across
        off = float(np.linalg.norm((place - middle)[:2])) + 0.5 * abs(float(place[2] - middle[2]))
        beside = (front[:, 1] < place @ left + BODY) & (front[:, 2] > place @ left - BODY)
        reach = max(float(place @ ahead) - near for near in [float(place @ ahead), *front[beside, 0].tolist()]) + BODY
        if reach > SPOTS[-1]:
            continue
        more = off + 0.6 * (high[0] - low[0]) + 2.0 * max(reach - SPOTS[0], 0.0)
        yield _Try(cost + more, heading, (ahead, across, up), centre, low, high, lie)


def _front(situation: Situation, ahead: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the near, the right and the left end (N, 3) of each low solid."""
    low = [solid for solid in (*situation.still, *situation.moving) if solid[:, 2].min() < BELT]
    return np.array([((one @ ahead).min(), (one @ left).min(), (one @ left).max()) for one in low])


def _pushes(situation: Situation, heading: float, axes: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Iterator[_Try]:
    """Yield hands that push at the near side of a group, at equal distances from its middle."""
    ahead, left, up = axes
    points, middle = np.concatenate(situation.moving), _middle(situation)
    side, level = float((points @ left).max() + (points @ left).min()) / 2, points[:, 2]
    for half, share in itertools.product((0.12, 0.2, 0.07), (0.5, 0.35, 0.65)):
        height = float(level.min() + share * np.ptp(level))
        hits = [_sides(situation, (left, up, ahead), (side + sign * half, height)) for sign in (1, -1)]
        if hits[0] is not None and hits[1] is not None and abs(hits[0][0][0] - hits[1][0][0]) < 1e-3:
            (front, part), (_, other) = hits[0][0], hits[1][0]
            centre = front * ahead + side * left + height * up
            cost = LIES["pushed"] + abs(height - float(middle[2]))
            yield _Try(cost, heading, (ahead, left, up), centre, (-half, other), (half, part), "pushed")


def _grasp(situation: Situation, build: Build, one: _Try) -> Grasp | None:
    """Return the grasp of a try, or None if something is in the way."""
    ahead, across, _ = one.axes
    holds = _holds(build, one)
    if _blocked(situation, build, holds):
        return None
    place = one.centre + (one.low[0] + one.high[0]) / 2 * across
    pushed = one.lie == "pushed"
    spot = _spot(situation, ahead, place, (-_slide(situation) if pushed else 0.0) * situation.toward)
    if spot is None:
        return None
    heights = [share * build.standing for share in CARRIED_UP]
    ways = _slides(situation) if pushed else _ways(situation, ahead, place, spot, heights)
    ways = tuple(way for way in ways if pushed or _carries(build, holds, spot, one.heading, way[0]))
    if not ways:
        return None
    parts = (one.low[1], one.high[1])
    held: dict[Side, int] = dict(zip(SIDES, parts if one.lie == "stacked" else parts[::-1], strict=True))
    return Grasp(one.heading, spot, holds, held, ways, pushed)


def _carries(build: Build, holds: dict[Side, Hold], spot: np.ndarray, heading: float, carried: np.ndarray) -> bool:
    """Check that an upright person gets to both hands where the group is carried."""
    skeleton = build.skeleton
    for side, hold in holds.items():
        shoulder = skeleton.place(f"{side}Arm") - skeleton.place("Hips") + [0.0, 0.0, build.standing]
        at = about(2, np.array(heading)) @ shoulder + [*spot, 0.0]
        if np.linalg.norm(hold.pose[:3, 3] + carried - at) > EASY * arm_length(skeleton, side):
            return False
    return True


def _slides(situation: Situation) -> tuple[np.ndarray, ...]:
    """Return the way of a group that already lies partly in its place, if it can lie there."""
    way = np.array([-_slide(situation) * situation.toward, np.zeros(3)])
    return (way,) if _slide(situation) >= SLIDE[0] and not situation.passes(way) else ()


def _slide(situation: Situation) -> float:
    """Return how far (m) a group is pushed."""
    return min(SLIDE[1], PART * float(np.ptp(np.concatenate(situation.moving) @ situation.toward)))


def _middle(situation: Situation) -> np.ndarray:
    parts = [situation.product.parts[part] for part in situation.entry.parts]
    middle = np.average([part.middle for part in parts], axis=0, weights=[part.mass for part in parts])
    return situation.pose[:3, :3] @ middle + situation.pose[:3, 3]


def _sides(
    situation: Situation, axes: tuple[np.ndarray, np.ndarray, np.ndarray], at: tuple[float, float]
) -> tuple[tuple[float, int], tuple[float, int]] | None:
    """Return where a line enters and leaves a group, each with the part.

    The line is along the third axis. The result is None if a surface there is askew.
    """
    found: list[tuple[float, float, float, float, int]] = []
    solids = iter(situation.own_planes)
    start = at[0] * axes[0] + at[1] * axes[1]
    for part in situation.entry.parts:
        for _ in situation.product.parts[part].solids:
            planes = next(solids)
            slope, rest = planes[:, :3] @ axes[2], planes[:, :3] @ start + planes[:, 3]
            if (rest[np.abs(slope) < 1e-9] > -1e-6).any():
                continue
            with np.errstate(divide="ignore"):
                cuts = -rest / slope
            enters, leaves = np.where(slope < -1e-9, cuts, -np.inf), np.where(slope > 1e-9, cuts, np.inf)
            first, last = int(enters.argmax()), int(leaves.argmin())
            if enters[first] < leaves[last] - 1e-6:
                found.append((enters[first], -slope[first], leaves[last], slope[last], part))
    if not found:
        return None
    low, high = min(found, key=lambda one: one[0]), max(found, key=lambda one: one[2])
    if min(low[1], high[3]) < SQUARE:
        return None
    return (low[0], low[4]), (high[2], high[4])


def _holds(build: Build, one: _Try) -> dict[Side, Hold]:
    """Return the poses in the world of two flat hands that lie on a group."""
    ahead, across, up = one.axes
    pitch = np.radians(next(angle for least, angle in PITCHES if one.centre[2] >= least))
    fingers = {
        "palms": np.cos(pitch) * ahead - np.sin(pitch) * up,
        "tips": np.cos(STEEP) * ahead - np.sin(STEEP) * up,
        "stacked": ahead,
        "pushed": up,
    }[one.lie]
    holds: dict[Side, Hold] = {}
    for number, side in enumerate(SIDES):
        hand = build.hands[number]
        is_high = (side == "Right") if one.lie == "stacked" else (side == "Left")
        outward = -ahead if one.lie == "pushed" else across if is_high else -across
        turn = framed(-outward, fingers) @ framed(hand.palm, hand.fingers).T
        thick = float((hand.back @ hand.palm).max())
        pose = np.eye(4)
        pose[:3, :3] = turn
        share = TIPS if one.lie == "tips" else PALM
        pose[:3, 3] = (
            one.centre
            + (one.high[0] if is_high else one.low[0]) * across
            + (thick + SKIN) * outward
            - turn @ (share * hand.length * hand.fingers)
        )
        holds[side] = Hold(pose, _flat(hand, thick))
    return holds


def _flat(hand: Hand, thick: float) -> np.ndarray:
    """Bend the fingers (5, 3) until they touch the plane on which the palm lies."""
    curls = np.zeros((5, 3))
    shares = np.linspace(0.0, 0.6, 25)[:, None]
    for finger in range(1, 5):
        ways = OPEN + shares * (CLOSED - OPEN)
        deep = (hand.posed(finger, ways) @ hand.palm).max(axis=1)
        free = np.flatnonzero(deep <= thick)
        curls[finger] = ways[free[-1] if len(free) else 0]
    thumb = np.stack([np.array([-0.3 + 0.05 * k, -0.4, 0.0]) for k in range(12)])
    deep = (hand.posed(0, thumb) @ hand.palm).max(axis=1)
    free = np.flatnonzero(deep <= thick)
    curls[0] = thumb[free[-1] if len(free) else 0]
    return curls


def skin_of(build: Build, side: int, hold: Hold) -> np.ndarray:
    """Return points (N, 3) of the skin of a hand that holds."""
    hand = build.hands[side]
    points = [hand.back[::6], *(hand.posed(finger, hold.curls[finger])[::6] for finger in range(5))]
    return np.concatenate(points) @ hold.pose[:3, :3].T + hold.pose[:3, 3]


def _blocked(situation: Situation, build: Build, holds: dict[Side, Hold]) -> bool:
    """Check whether hands have no room while the group is in its place, or shortly before."""
    for number, hold in enumerate(holds.values()):
        points = skin_of(build, number, hold)
        if points[:, 2].min() < 0.002 or deepest(points, situation.own_planes) > DEEP:
            return True
        for back in (0.0, 0.5 * BACK, BACK):
            if deepest(points - back * situation.toward, situation.planes) > DEEP:
                return True
    return False


def _spot(situation: Situation, ahead: np.ndarray, place: np.ndarray, first: np.ndarray) -> np.ndarray | None:
    """Return the nearest free spot (2,) m before a place, or None.

    ``first`` is the offset at which a group begins.
    """
    moving = [solid + offset for solid in situation.moving for offset in (np.zeros(3), first)]
    low = [solid[:, :2] for solid in (*situation.still, *moving) if solid[:, 2].min() < BELT]
    place = place + first
    for away in SPOTS:
        spot = place[:2] - away * ahead[:2]
        if all(_distance(spot, corners) >= BODY + CLEAR for corners in low):
            return spot
    return None


def _distance(spot: np.ndarray, corners: np.ndarray) -> float:
    """Return about how far (m) a spot is from the smallest box around corners (N, 2)."""
    centred = corners - corners.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred + 1e-9 * np.diag([1.0, 2.0]))
    own, at = corners @ axes, spot @ axes
    beyond = np.maximum(np.maximum(own.min(axis=0) - at, at - own.max(axis=0)), 0.0)
    return float(np.hypot(*beyond))


def _ways(
    situation: Situation, ahead: np.ndarray, place: np.ndarray, spot: np.ndarray, usual: Sequence[float]
) -> tuple[np.ndarray, ...]:
    """Return free ways of a group from where it is carried to its place.

    ``usual`` (m) are the heights at which it is carried if nothing is in the way. The last steps are free, too.
    """
    points = np.concatenate(situation.moving)
    near = float(place @ ahead - (points @ ahead).min())  # how far the group reaches towards the person
    low = float(place[2] - points[:, 2].min())
    ahead_of = max(CARRIED_AHEAD, FREE + near)
    if ahead_of > FARTHEST_AHEAD:
        return ()
    before = -BACK * situation.toward
    top = max(float(solid[:, 2].max()) for solid in situation.still) + OVER + low
    found: list[np.ndarray] = []
    for high in (*(max(each, low + OVER) for each in usual), top):
        carried = np.array([*(spot + ahead_of * ahead[:2]), high]) - place
        if high > HIGHEST or (found and high == top):
            continue
        if situation.passes(np.array([carried - WALK * ahead, carried]), SWAY):
            continue
        over = max(carried[2], before[2], top - place[2])
        turns = [[before], [np.array([*carried[:2], before[2]]), before], [np.array([*before[:2], carried[2]]), before]]
        if situation.toward[2] < -0.5:
            turns[1:] = [[np.array([*carried[:2], over]), np.array([0.0, 0.0, over])]]
        ways = [np.array([carried, *turn, np.zeros(3)]) for turn in turns]
        found += [way for way in ways if not situation.passes(way)][:2]
    return tuple(found)


def relative_holds(grasp: Grasp, pose: np.ndarray) -> dict[Side, Hold]:
    """Return the holds in the frame of the group, whose pose (4, 4) is given."""
    return {side: Hold(invert(pose) @ hold.pose, hold.curls) for side, hold in grasp.holds.items()}
