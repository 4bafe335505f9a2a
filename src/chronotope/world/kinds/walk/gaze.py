"""The gaze of a person on a walk: at one thing after another, for one to three seconds each."""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.geometry.polygons import inside
from chronotope.world.homes.home import Home

STEP = 0.1  # s between the moments at which a look is chosen
HOLD = (1.0, 2.6)  # s, of a look at one thing
SMOOTH = 0.45  # s, standard deviation of the mean over headings
AWAY = (1.4, 4.5)  # m, to a thing that is looked at
ASIDE = np.radians(90.0)  # largest angle between a look and the way
TURN = np.radians(60.0)  # typical angle between one look and the next
LEAST = 0.1  # least size of a thing as a share of its distance
HEIGHTS = (0.05, 2.1)  # m, of the middle of a thing
FASTEST = np.radians(75.0)  # per second, of turns


def gaze(
    generator: np.random.Generator, home: Home, eyes: np.ndarray, ahead: np.ndarray, times: np.ndarray
) -> np.ndarray | None:
    """Draw the yaw (T,) rad, unwrapped, of a person who looks around.

    ``eyes`` (T, 2) m are the places of the camera and ``ahead`` (T,) rad the direction of the way at ``times`` (T,) s.
    Where nothing can be looked at, the person looks ahead. Returns None if the person would have to turn too fast.
    """
    every = max(1, round(STEP / float(times[1] - times[0])))
    moments = np.arange(0, len(times), every)
    bearing, dwelt = _looks(home, eyes[moments], ahead[moments])
    raw = np.empty(len(moments))
    at, yaw = 0, float(ahead[0])
    while at < len(moments):
        hold = max(1, round(float(generator.uniform(*HOLD)) / STEP))
        chosen = _choice(generator, bearing[at], np.minimum(dwelt[at], hold), yaw)
        until = min(at + (hold // 2 if chosen is None else min(int(dwelt[at, chosen]), hold)), len(moments))
        until = max(until, at + 1)
        raw[at:until] = ahead[moments[at:until]] if chosen is None else bearing[at:until, chosen]
        at, yaw = until, float(raw[until - 1])
    smooth = gaussian_filter1d(np.unwrap(raw), SMOOTH / STEP, mode="nearest")
    yaw_of = gaussian_filter1d(np.interp(times, times[moments], smooth), every, mode="nearest")
    return None if np.abs(np.diff(yaw_of)).max() > FASTEST * (times[1] - times[0]) else yaw_of


def _looks(home: Home, eyes: np.ndarray, ahead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the directions (K, N) rad of N things from K places.

    The second result (K, N) is the number of moments, from each place on, in which each thing can be looked at without
    a break. Things on walls are left out: a person who looks at them sees a wall.
    """
    things = [each for each in home if each.made.kind.mount != "wall"]
    places = np.array([each.thing_pose[:3, 3] for each in things]).reshape(-1, 3)
    sizes = np.array([np.sqrt(np.prod(np.sort(each.made.thing.size)[1:])) for each in things])
    offset = places[None, :, :2] - eyes[:, None]
    away = np.linalg.norm(offset, axis=2)
    bearing = np.arctan2(offset[..., 1], offset[..., 0])
    rooms = {room.id: inside(eyes, room.polygon) for room in home.plan.rooms}
    here = np.stack([rooms[each.room] for each in things], axis=1) if things else np.zeros((len(eyes), 0), bool)
    can = here & (away > AWAY[0]) & (away < AWAY[1]) & (sizes > LEAST * away)
    can &= (
        (places[:, 2] > HEIGHTS[0]) & (places[:, 2] < HEIGHTS[1]) & (np.abs(_wrapped(bearing - ahead[:, None])) < ASIDE)
    )
    dwelt = np.zeros(can.shape, int)
    for at in range(len(eyes) - 1, -1, -1):
        dwelt[at] = np.where(can[at], 1 + (dwelt[at + 1] if at + 1 < len(eyes) else 0), 0)
    return bearing, dwelt


def _choice(generator: np.random.Generator, bearing: np.ndarray, dwelt: np.ndarray, yaw: float) -> int | None:
    """Choose a thing (of N) to look at.

    Things that can be looked at for long, and that are not far aside, are preferred.
    """
    weight = dwelt * np.exp(-0.5 * (_wrapped(bearing - yaw) / TURN) ** 2)
    total = weight.sum()
    return int(generator.choice(len(weight), p=weight / total)) if total > 1e-6 else None


def _wrapped(angle: np.ndarray) -> np.ndarray:
    return (angle + np.pi) % (2 * np.pi) - np.pi
