"""The motion of the feet through stance and swing."""

from typing import NamedTuple

import numpy as np

from chronotope.world.people.motion.footsteps import Footfall, Strides
from chronotope.world.people.motion.skeleton import ease, hermite
from chronotope.world.people.motion.soles import Sole, bend_of

CLEAR = 0.016  # m for each metre of hip height, least height of the sole in the middle of a swing
EARLY = 0.92  # a swing is fastest a little before its middle
SWING = np.linspace(0.0, 1.0, 41)


class Foot(NamedTuple):
    """The motion of a foot.

    ``ankle`` (T, 3) m; ``yaw``, ``pitch`` and ``bend`` (T,) rad are the direction in which the foot points, how far the
    toes are above the heel, and how far the toes are bent up.
    """

    ankle: np.ndarray
    yaw: np.ndarray
    pitch: np.ndarray
    bend: np.ndarray


def flat_foot(place: np.ndarray, sole: Sole, frames: int) -> Foot:
    """Return a foot that stands flat.

    ``place`` (3,) has x and y in m, and the yaw of the foot in rad.
    """
    height = float(sole.roll(np.array(0.0))[1])
    ankle, yaw = np.tile([*place[:2], height], (frames, 1)), np.full(frames, place[2])
    return Foot(ankle, yaw, np.zeros(frames), np.zeros(frames))


def step_foot(strides: Strides, side: int, start: np.ndarray, sole: Sole, clear: float, count: np.ndarray) -> Foot:
    """Return the motion of a foot at counts (T,) of steps.

    ``start`` (3,) is the place of the foot before its first step. ``clear`` (m) is the least height of a swing.
    """
    base, yaw = np.tile(start[:2], (len(count), 1)), np.full(len(count), start[2])
    pitch, ahead = np.zeros(len(count)), np.zeros(len(count))
    height, fade = np.full(len(count), float(sole.roll(np.array(0.0))[1])), np.ones(len(count))
    place, before = start[:2], start[2]
    for fall in strides.falls:
        if fall.side != side:
            continue
        peeling = (count >= fall.lift - fall.peel) & (count <= fall.lift)
        share = (count[peeling] - fall.lift + fall.peel) / fall.peel
        pitch[peeling] = -fall.toe * (1 - np.cos(np.pi / 2 * share))
        after = count > fall.lift
        u = np.clip((count[after] - fall.lift) / (fall.strike - fall.lift), 0.0, 1.0)
        base[after], yaw[after] = _carried(strides, fall, place, before, u)
        landing = np.clip((count[after] - fall.strike) / fall.land, 0.0, 1.0)
        pitch[after] = fall.heel * (1 - landing * landing * (3 - 2 * landing))
        place, before = fall.place, fall.yaw
    ahead, height = sole.roll(pitch)
    for fall in strides.falls:
        swinging = (count > fall.lift) & (count < fall.strike)
        if fall.side == side and swinging.any():
            u = (count[swinging] - fall.lift) / (fall.strike - fall.lift)
            pitch[swinging], ahead[swinging], height[swinging], fade[swinging] = _swung(fall, sole, clear, u)
    along = np.column_stack([np.cos(yaw), np.sin(yaw)])
    return Foot(np.column_stack([base + ahead[:, None] * along, height]), yaw, pitch, fade * bend_of(pitch))


def _carried(
    strides: Strides, fall: Footfall, place: np.ndarray, yaw: float, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    # The place on the floor (T, 2) and the yaw (T,) over which a foot swings, for shares u (T,) of the swing.
    early = u**EARLY
    share = early * early * (3 - 2 * early)
    base = place + share[:, None] * (fall.place - place)
    if strides.way is not None and fall.span is not None:  # the foot follows the curve, so that it misses the other
        near, far = strides.way.at(np.array(fall.span))
        low, high = fall.span
        base = base + strides.way.at(low + share * (high - low)) - (near + share[:, None] * (far - near))
    turned = (fall.yaw - yaw + np.pi) % (2 * np.pi) - np.pi
    return base, fall.yaw - (1 - ease(u)) * turned


def _swung(fall: Footfall, sole: Sole, clear: float, u: np.ndarray) -> tuple[np.ndarray, ...]:
    # Pitch, ankle ahead, height of the ankle, and share of the bend of the toes.
    length = fall.strike - fall.lift
    rate = -fall.toe * np.pi / 2 / fall.peel  # of the pitch, for each step, when the foot leaves the floor
    ends = np.array([-fall.toe, fall.heel])
    (a0, a1), (h0, h1) = sole.roll(ends)
    small = 1e-3
    (before, _), (low, _) = sole.roll(ends - small * rate)
    slopes = (a0 - before) / small, (h0 - low) / small

    def at(share: np.ndarray) -> tuple[np.ndarray, ...]:
        pitch = hermite(share, -fall.toe, rate * length, fall.heel, 0.0)
        ahead = hermite(share, a0, slopes[0] * length, a1, 0.0)
        height = hermite(share, h0, slopes[1] * length, h1, 0.0)
        return pitch, ahead, height, 1 - ease(share / 0.5)

    pitch, _, height, fade = at(SWING)
    inner = slice(3, -3)
    lack = clear * np.sin(np.pi * SWING) - height - sole.lowest(pitch, fade * bend_of(pitch))
    raised = max(0.0, float((lack[inner] / _bump(SWING[inner])).max()))
    pitch, ahead, height, fade = at(u)
    return pitch, ahead, height + raised * _bump(u), fade


def _bump(share: np.ndarray) -> np.ndarray:
    return np.sin(np.pi * share) ** 2
