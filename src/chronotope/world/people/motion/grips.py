"""Grips: how a hand takes hold of a thing, with fingers that touch its surface."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.errors import InputError
from chronotope.world.people.motion.hands import Hand
from chronotope.world.people.motion.skeleton import about, framed
from chronotope.world.people.motion.surfaces import Surface

CLOSED = np.array([1.25, 1.35, 0.75])  # rad, bends of a closed finger, knuckle first
OPEN = np.array([-0.2, 0.02, 0.02])
THUMB_OPEN, THUMB_CLOSED = -0.5, 0.8  # rad, bend of the thumb
THUMB_BENDS = (-0.45, -0.25, -0.05, 0.15, 0.35)
TOUCH = 0.001  # m; a finger closes until it is as near as this
FAR = 0.004  # m; a fingertip that is nearer than this touches
SLAB = 0.012  # m, half the height of the part of a thing between the fingers
DIRECTIONS = np.radians(np.arange(0.0, 180.0, 4.0))
ROLLS = np.radians(np.arange(0.0, 360.0, 15.0))
OUTLINE = 120  # directions
AWAY = 0.03  # m; a hold this far from the middle of a thing is as bad as an uncomfortable wrist
LIFTS = (0.0, 0.01, 0.02)  # m
ABOVE = 0.004  # m, least height of a hand above what a thing stands on
GOOD = 0.6  # a grip that is worse than the best possible one by this is good enough
FULL = 5.0  # worth of a grip that all fingers touch
MOST_DISCOMFORT = 4.0
FEW, MANY = 24, 72  # of the most comfortable places of the hand, how many are tried first, and in all
WRIST, FOREARM = np.radians(45.0), np.radians(75.0)  # a comfortable bend of the wrist, and turn of the forearm


@dataclass(frozen=True, eq=False)
class Grip:
    """A hold of a thing.

    ``hand`` (4, 4) is the pose thing_T_hand. ``curls`` (5, 3) rad close the fingers on the thing, and ``spread`` (5, 3)
    open them. ``touching`` (5,) states which fingertips touch, thumb first. ``approach`` (3,) is the direction, in the
    frame of the hand, in which the hand comes.
    """

    hand: np.ndarray
    curls: np.ndarray
    spread: np.ndarray
    touching: np.ndarray
    approach: np.ndarray


def find_grip(hand: Hand, surface: Surface, pose: np.ndarray, neutral: np.ndarray, name: str) -> Grip:
    """Find a hold of a thing that stands at a pose (4, 4).

    ``neutral`` (3, 3) is the direction of the hand if neither the wrist nor the forearm is turned. ``name`` names the
    thing in errors.

    Raises:
        InputError: If the hand cannot hold the thing, mostly because it is too wide.
    """
    places = surface.points @ pose[:3, :3].T + pose[:3, 3]
    ground = float(places[:, 2].min())
    spans = _spans(places, 0.05 * hand.length)
    outline = _outline(places)
    pinched = _best([place for span in spans for place in _pinched(hand, *span, neutral, outline)])
    wraps = _best([place for span in spans for place in _wraps(hand, *span, neutral)])
    if ground + 0.33 * hand.length > places[:, 2].max():
        wraps = []
    few = pinched[:FEW] + wraps[:FEW]
    best = _best_grip(hand, surface, pose, ground, few)
    if best is None:
        best = _best_grip(hand, surface, pose, ground, pinched[FEW:] + wraps[FEW:])
    narrowest = min(float(width.min()) for _, _, width in spans)
    if best is None:
        raise InputError(
            f"{name}: one hand cannot hold it; it is {100 * narrowest:.0f} cm wide where it is narrowest",
            expected="a thing at most about half as wide as a hand is long, and free of others",
        )
    return best


class _Place(NamedTuple):
    # A place of a hand that is tried: rotation, place of the wrist, how far the thumb is opposed, and discomfort.
    turn: np.ndarray
    wrist: np.ndarray
    opposed: float
    discomfort: float


def _best_grip(hand: Hand, surface: Surface, pose: np.ndarray, ground: float, candidates: list[_Place]) -> Grip | None:
    floor = np.array([*pose[2, :3], pose[2, 3] - ground])
    best, most = None, -np.inf
    for place in sorted(candidates, key=lambda place: place.discomfort):
        if FULL - GOOD - place.discomfort <= most:
            break
        for lift in LIFTS if best is None else LIFTS[:1]:  # a hand that has no room above the ground is tried higher
            there = _there(pose, place, lift)
            _, worth = _closed(hand, surface, there, floor, place.opposed, rough=True)
            if worth - place.discomfort <= most:
                continue
            grip, worth = _closed(hand, surface, there, floor, place.opposed)
            if grip is not None and worth - place.discomfort > most:
                best, most = grip, worth - place.discomfort
                break
    return best


def _there(pose: np.ndarray, place: _Place, lift: float) -> np.ndarray:
    # The pose thing_T_hand of a hand at a place, or some metres higher.
    there = np.eye(4)
    there[:3, :3], there[:3, 3] = place.turn, place.wrist + np.array([0.0, 0.0, lift])
    return np.linalg.inv(pose) @ there


def _best(places: list[_Place]) -> list[_Place]:
    return sorted(places, key=lambda place: place.discomfort)[:MANY]


def _spans(places: np.ndarray, least: float) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    # For some heights of a thing: the middles (D, 3), the directions (D, 3), and the widths (D,) in these directions.
    low, high = places[:, 2].min(), places[:, 2].max()
    heights = {round(float(max(z, low + least)), 4) for z in ((low + high) / 2, max(high - 0.02, (low + high) / 2))}
    spans: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for height in sorted(heights):
        flat = places[np.abs(places[:, 2] - min(height, high)) <= SLAB, :2]
        along = np.column_stack([np.cos(DIRECTIONS), np.sin(DIRECTIONS)])
        across = np.column_stack([-along[:, 1], along[:, 0]])
        on, off = flat @ along.T, flat @ across.T
        centre = (on.min(0) + on.max(0))[:, None] / 2 * along + (off.min(0) + off.max(0))[:, None] / 2 * across
        level = np.full(len(along), height)
        spans.append((np.column_stack([centre, level]), np.column_stack([along, 0 * level]), np.ptp(on, axis=0)))
    return spans


def _pinches(hand: Hand) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # The places (N, 3) of the thumb's tip and of the fingers' tips, and how far (N,) the thumb is opposed.
    shut = np.linspace(0.05, 0.7, 14)
    index, middle = (hand.posed(k, shut[:, None] * CLOSED)[:, hand.tip(k)].mean(1) for k in (1, 2))
    fingers = np.concatenate([index, (index + middle) / 2])
    thumbs: list[np.ndarray] = []
    opposed: list[float] = []
    for oppose in (0.5, 0.8, 1.1):
        for bend in THUMB_BENDS:
            thumbs.append(hand.posed(0, np.array([oppose, bend, max(0.0, bend)]))[hand.tip(0)].mean(0))
            opposed.append(oppose)
    number, other = (
        grid.ravel() for grid in np.meshgrid(np.arange(len(thumbs)), np.arange(len(fingers)), indexing="ij")
    )
    return np.array(thumbs)[number], fingers[other], np.array(opposed)[number]


def _outline(places: np.ndarray) -> np.ndarray:
    # The points (N, 3) of a thing that lie farthest in many directions.
    turns = np.arange(OUTLINE) * np.pi * (3 - np.sqrt(5))
    level = 1 - (2 * np.arange(OUTLINE) + 1) / OUTLINE
    round_ = np.sqrt(1 - level**2)
    ways = np.column_stack([round_ * np.cos(turns), round_ * np.sin(turns), level])
    return places[np.unique((places @ ways.T).argmax(0))]


def _pinched(
    hand: Hand, middle: np.ndarray, along: np.ndarray, width: np.ndarray, neutral: np.ndarray, outline: np.ndarray
) -> list[_Place]:
    # Places at which a thing lies between the tips of the thumb and of the fingers: the most comfortable ones.
    thumb, fingers, opposed = _pinches(hand)
    pad = 0.04 * hand.length
    gap = np.linalg.norm(fingers - thumb, axis=1) - 2 * pad
    fits = np.abs(gap[None] - width[:, None])
    pairs = [(d, p) for d in range(len(width)) for p in np.argsort(fits[d])[:6] if fits[d, p] < 0.008]
    if not pairs:
        return []
    direction, pinch = np.array(pairs).T
    direction, pinch = np.tile(direction, 2), np.tile(pinch, 2)
    towards = along[direction] * np.repeat([1.0, -1.0], len(pairs))[:, None]
    start = framed((fingers - thumb)[pinch], np.broadcast_to(hand.palm, (len(pinch), 3)))
    end = framed(towards, np.broadcast_to([0.0, 0.0, 1.0], (len(pinch), 3)))
    turns = end[:, None] @ about(0, ROLLS) @ np.swapaxes(start, -1, -2)[:, None]
    wrists = middle[direction][:, None] - (turns @ ((thumb + fingers) / 2)[pinch][:, None, :, None])[..., 0]
    turns, wrists = turns.reshape(-1, 3, 3), wrists.reshape(-1, 3)
    index = np.repeat(np.arange(len(pinch)), len(ROLLS))
    # The palm moves away from a thing that would be in it; the tips then hold the nearer part of the thing.
    palm = turns @ hand.palm
    thick = float((hand.back @ hand.palm).max())
    away = np.maximum(0.0, thick + 0.004 - ((palm @ outline.T).min(1) - (palm * wrists).sum(1)))
    wrists = wrists - away[:, None] * palm
    tips = np.stack([thumb[pinch], fingers[pinch]], 1)[index]
    low = (
        np.minimum(
            (turns[:, None, 2] @ np.concatenate([hand.back, hand.knuckles.reshape(-1, 3)]).T)[:, 0].min(1),
            np.einsum("nj,nkj->nk", turns[:, 2], tips).min(1) - pad,
        )
        + wrists[:, 2]
        - outline[:, 2].min()
    )
    wide = width[direction][index] - width.min()
    discomfort = _discomfort(hand, turns, neutral) + 20 * wide + 150 * np.maximum(0.0, ABOVE - low) + (away / AWAY) ** 2
    return _apart(turns, wrists, opposed[pinch][index], discomfort)


def _wraps(hand: Hand, middle: np.ndarray, along: np.ndarray, width: np.ndarray, neutral: np.ndarray) -> list[_Place]:
    # Places at which the palm lies at the side of an upright thing, and the fingers are wrapped around it.
    places: list[_Place] = []
    start = framed(hand.palm, hand.thumb)
    thick = float((hand.back @ hand.palm).max())
    for sign in (1.0, -1.0):
        for lean in np.radians((-20.0, 0.0, 20.0, 40.0)):
            for reach in (0.42, 0.5):
                upright = np.broadcast_to([0.0, 0.0, 1.0], along.shape)
                turns = framed(sign * along, upright) @ about(0, -lean) @ start.T
                centre = reach * hand.length * hand.fingers
                offset = turns @ centre + sign * along * (thick + 0.003 + width[:, None] / 2)
                discomfort = _discomfort(hand, turns, neutral) + 10 * np.maximum(0.0, width - 0.4 * hand.length)
                places += _apart(turns, middle - offset, np.full(len(turns), 0.9), discomfort)
    return places


def _discomfort(hand: Hand, turns: np.ndarray, neutral: np.ndarray) -> np.ndarray:
    # How far rotations (N, 3, 3) of the hand bend the wrist and turn the forearm: 1 is as far as is comfortable.
    way, palm = turns @ hand.fingers, turns @ hand.palm
    straight, facing = neutral @ hand.fingers, neutral @ hand.palm
    bent = np.arccos(np.clip(way @ straight, -1, 1))
    level = facing - way * (way @ facing)[:, None]
    turned = np.arccos(np.clip((level * palm).sum(1) / np.maximum(1e-6, np.linalg.norm(level, axis=1)), -1, 1))
    return (bent / WRIST) ** 2 + (turned / FOREARM) ** 2


def _apart(turns: np.ndarray, wrists: np.ndarray, opposed: np.ndarray, discomfort: np.ndarray) -> list[_Place]:
    # The most comfortable places, whose directions differ by at least 18 degrees.
    chosen: list[int] = []
    for number in np.argsort(discomfort, kind="stable"):
        if discomfort[number] > MOST_DISCOMFORT or len(chosen) == MANY // 2:
            break
        if all(np.trace(turns[number].T @ turns[other]) < 2.9 for other in chosen):
            chosen.append(int(number))
    return [_Place(turns[k], wrists[k], float(opposed[k]), float(discomfort[k])) for k in chosen]


def _closed(
    hand: Hand, surface: Surface, there: np.ndarray, floor: np.ndarray, oppose: float, rough: bool = False
) -> tuple[Grip | None, float]:
    # The grip with the hand at a pose thing_T_hand, and its worth, which is greater if more fingertips touch. The plane
    # on which the thing stands is ``floor`` (4,).
    back = hand.back @ there[:3, :3].T + there[:3, 3]
    if surface.rough(back).min() < 0.002:
        return None, -np.inf
    curls, spread, touching = np.zeros((5, 3)), np.zeros((5, 3)), np.zeros(5, bool)
    for finger in range(5):
        if (finger == 1 and not touching[0]) or (finger == 4 and not touching[1:].any()):
            return None, -np.inf
        curl, near = None, np.inf
        # A thumb that has no room is opposed less.
        for opposed in (oppose, 0.6 * oppose, 0.3 * oppose) if finger == 0 else (oppose,):
            start, ways = _ways(finger, opposed)
            spread[finger] = start
            curl, near = _close(hand, surface, there, finger, start, ways, rough)
            if curl is not None and near <= FAR:
                break
        if curl is None:
            return None, -np.inf
        curls[finger], touching[finger] = curl, near <= FAR
    if not touching[0] or not touching[1:3].any() or touching[1:].sum() < 2:
        return None, -np.inf
    idle = [k for k in range(1, 5) if not touching[k]]
    busy = [k for k in range(1, 5) if touching[k]]
    for finger in [] if rough else idle:  # fingers that touch nothing lie beside their neighbours, if there is room
        beside = curls[min(busy, key=lambda k, finger=finger: abs(k - finger))]
        points = hand.posed(finger, beside) @ there[:3, :3].T + there[:3, 3]
        curls[finger] = beside if surface.distance(points).min() > TOUCH else np.minimum(curls[finger], beside)
    bends = np.linspace(0.0, 1.0, 2 if rough else 11)[:, None]
    for finger in range(5):  # the fingers open as far as there is room above what the thing stands on
        ways = curls[finger] + bends * (spread[finger] - curls[finger])
        points = hand.posed(finger, ways) @ there[:3, :3].T + there[:3, 3]
        free = (points @ floor[:3] + floor[3]).min(1) > 0.0
        if not free[0]:
            return None, -np.inf
        spread[finger] = ways[len(free) - 1 if free.all() else int(np.argmin(free)) - 1]
    approach = hand.palm + 0.35 * hand.fingers
    return Grip(there, curls, spread, touching, approach / np.linalg.norm(approach)), FULL - 0.6 * float(
        5 - touching.sum()
    ) - float(not touching[1])


def _ways(finger: int, oppose: float) -> tuple[np.ndarray, list[np.ndarray]]:
    # The open curl (3,), and the ways in which the joints close one after the other, from the knuckle outwards.
    if finger == 0:
        start = np.array([oppose, THUMB_OPEN, 0.0])
        return start, [np.array([0.0, THUMB_CLOSED - THUMB_OPEN, 0.8]), np.array([0.0, 0.0, 1.0])]
    return OPEN, [CLOSED - OPEN, np.array([0.0, 1.2, 0.9]), np.array([0.0, 0.0, 0.9])]


def _close(
    hand: Hand,
    surface: Surface,
    there: np.ndarray,
    finger: int,
    start: np.ndarray,
    ways: list[np.ndarray],
    rough: bool,
) -> tuple[np.ndarray | None, float]:
    # The curl of a finger that closes until it touches, joint after joint, and the distance (m) of its tip.
    tip, thin = hand.tip(finger), slice(None, None, 2 if rough else 1)

    def near(curl: np.ndarray, rough: bool = rough) -> np.ndarray:
        points = hand.posed(finger, curl)[..., thin, :] @ there[:3, :3].T + there[:3, 3]
        return surface.rough(points) if rough else surface.distance(points)

    curl, most = start, np.array([2.0, 1.7, 1.2])
    if near(curl).min() < 0:
        return None, np.inf
    for way in ways:
        shares = np.linspace(0.0, 1.0, 15)
        shares = shares[(curl + shares[:, None] * way <= most).all(1)]
        least = near(curl + shares[:, None] * way, rough=True).min(1)
        hits = np.flatnonzero(least < TOUCH)
        last = int(hits[0]) if len(hits) else len(shares) - 1
        low, high = shares[max(0, last - 1)] if len(hits) else shares[last], shares[last]
        for _ in range(4 if rough else 7):
            half = (low + high) / 2
            low, high = (low, half) if near(curl + half * way).min() < TOUCH else (half, high)
        if near(curl + low * way).min() < 0:
            low = 0.0
        curl = curl + low * way
        if near(curl)[tip[thin]].min() <= FAR or not len(hits):
            break
    return curl, float(near(curl)[tip[thin]].min())
