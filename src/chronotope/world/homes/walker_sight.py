"""The part of a home that a walk shows, and the size at which a change is seen in it."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from chronotope.world.homes.home import Home, HomeObject
from chronotope.world.homes.rays import Rays, pieces_of
from chronotope.world.homes.scenery import FIELD
from chronotope.world.things import Piece

SIDE = 448  # px, height of the picture in which pixels are counted
PIXELS = 200  # least number of pixels of another colour by which a change is noticed
FRAMES = 4  # least number of frames of a walk in which it is noticed
STANDS_OUT = 0.65  # least share of a thing that differs in colour from the surface behind it
CONTRAST = 14.0  # least difference of two colours that a person notices at a glance, in CIE Lab
NEAREST, WIDEST = 0.25, 0.95  # m, and share of half the picture: nearer or farther out, a thing is not looked at
MOST = 10  # frames that are examined
ACROSS = 15  # rays along the longer side of a thing
_SHELL = ""  # the name of walls, floors and ceilings among the groups of pieces
_FOCAL = SIDE / 2 / np.tan(np.radians(FIELD / 2))


class Sight:
    """Measures which parts of a home, and which changes, can be seen on walks.

    ``shell`` are the pieces of walls, floors and ceilings, and ``cameras`` the poses (T, 4, 4) of each walk. All
    pictures are taken as squares.
    """

    def __init__(self, home: Home, shell: Iterable[Piece], cameras: Sequence[np.ndarray]) -> None:
        self._shell, self._cameras = tuple(shell), cameras
        self._home, self._rays = home, self._cast_into(home)

    def _cast_into(self, home: Home) -> Rays:
        return Rays({_SHELL: self._shell, **{each.id: pieces_of(each) for each in home}})

    def now_in(self, home: Home) -> None:
        """Look at the home after a change of it."""
        self._home, self._rays = home, self._cast_into(home)

    def notices(self, thing: HomeObject) -> bool:
        """Check whether a person would notice that a thing is missing.

        The person would have to notice this on each of the walks.
        """
        return self.tells_apart({thing.id: thing}, {thing.id: None})

    def tells_apart(self, before: Mapping[str, HomeObject | None], after: Mapping[str, HomeObject | None]) -> bool:
        """Check whether a person notices the difference of each changed object.

        ``before`` and ``after`` have the changed objects by their ids; the value is None if the object does not exist
        in this state. A difference is noticed if it covers PIXELS in FRAMES of each walk, both where the object was and
        where it is now. If the object comes, goes or moves, most of it must also have another colour than the surface
        behind it.
        """
        sides = [
            Rays(groups) if (groups := {n: pieces_of(each) for n, each in side.items() if each is not None}) else None
            for side in (before, after)
        ]
        for name in before:
            places = [each for each in (before[name], after[name]) if each is not None]
            stays = len(places) == 2 and np.array_equal(places[0].pose, places[1].pose)
            corners = [_corners(each) for each in places]
            for place in [np.concatenate(corners)] if stays else corners:
                least = 0.0 if stays else STANDS_OUT
                if not all(self._is_noticed(each, place, before.keys(), sides, least) for each in self._cameras):
                    return False
        return True

    def _is_noticed(
        self,
        cameras: np.ndarray,
        corners: np.ndarray,
        changed: Iterable[str],
        sides: Sequence[Rays | None],
        least: float,
    ) -> bool:
        """Check whether enough frames show a difference.

        The ``sides`` are the changed things before and after the change, seen on one walk. Of the pixels that show a
        changed thing, the share ``least`` must differ, or more.
        """
        left_out, noticed = tuple(changed), 0
        views = self._views(cameras, corners, left_out)
        for number, view in enumerate(views):
            pixels, share = self._difference(cameras[view], corners, left_out, sides)
            noticed += pixels >= PIXELS and share >= least
            if noticed >= FRAMES:
                return True
            if noticed + len(views) - number - 1 < FRAMES:
                return False
        return False

    def _views(self, cameras: np.ndarray, corners: np.ndarray, left_out: Sequence[str]) -> np.ndarray:
        """Return the numbers of frames that see a place.

        The frames are the nearest frames from which the place inside the corners is seen.
        """
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle = (low + high) / 2
        local = np.einsum("tij,ti->tj", cameras[:, :3, :3], middle - cameras[:, :3, 3])
        bound = WIDEST * SIDE / 2 / _FOCAL
        shown = (local[:, 2] > NEAREST) & (np.abs(local[:, :2]) < bound * local[:, 2:]).all(axis=1)
        seen = np.flatnonzero(shown)
        towards = cameras[seen, :3, 3] - middle
        away = np.linalg.norm(towards, axis=1)
        free = np.zeros(len(seen), bool)
        for point in (middle, np.array([*middle[:2], 0.1 * low[2] + 0.9 * high[2]])):
            ways = cameras[seen, :3, 3] - point
            length = np.linalg.norm(ways, axis=1)
            met, _ = self._rays.cast(point, ways / length[:, None], left_out)
            free |= met > length
        order = np.argsort(away[free], kind="stable")
        return seen[free][order][:MOST]

    def _difference(
        self, camera: np.ndarray, corners: np.ndarray, left_out: Sequence[str], sides: Sequence[Rays | None]
    ) -> tuple[float, float]:
        """Count the pixels that differ between two sides.

        Only pixels of one picture that lie inside the corners count. The second result is the share of these differing
        pixels in all pixels that show a changed thing.
        """
        local = (corners - camera[:3, 3]) @ camera[:3, :3]
        places = local[:, :2] / np.maximum(local[:, 2:], NEAREST / 2) * _FOCAL
        low = np.clip(places.min(axis=0), -SIDE / 2, SIDE / 2)
        high = np.clip(places.max(axis=0), -SIDE / 2, SIDE / 2)
        count = np.maximum(np.rint((high - low) / max((high - low).max(), 1e-9) * ACROSS), 1).astype(int)
        x, y = (low[k] + (np.arange(count[k]) + 0.5) / count[k] * (high[k] - low[k]) for k in (0, 1))
        pixels = np.stack([*np.meshgrid(x, y), np.full((len(y), len(x)), _FOCAL)], axis=-1).reshape(-1, 3)
        ways = pixels @ camera[:3, :3].T
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        eye = camera[:3, 3].copy()
        behind = self._rays.cast(eye, ways, left_out)
        shades, is_changed = [], np.zeros(len(ways), bool)
        for away, shade in (behind if rays is None else rays.cast(eye, ways) for rays in sides):
            is_front = away < behind[0]
            is_changed |= is_front
            shades.append(np.where(is_front[:, None], shade, behind[1]))
        differs = np.linalg.norm(shades[0] - shades[1], axis=1) >= CONTRAST
        share = float(differs.sum() / max(is_changed.sum(), 1))
        return float(differs.mean() * np.prod(high - low)), share


def _corners(thing: HomeObject) -> np.ndarray:
    """Return the corners (8, 3) m of the box of an object."""
    outline, (low, high) = thing.footprint(), thing.heights()
    return np.concatenate([np.column_stack([outline, np.full(4, height)]) for height in (low, high)])
