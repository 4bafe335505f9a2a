"""What the pictures of a walk show, measured with rays before anything is drawn."""

from collections.abc import Iterable

import numpy as np

from chronotope.world.catalogue import Piece
from chronotope.world.kinds.house.home import Home
from chronotope.world.kinds.house.rays import Rays, pieces_of
from chronotope.world.kinds.walk.gaze import SKIPPED

__all__ = ["Seen"]

EVERY = 0.5  # s between the pictures that are examined
RAYS = (28, 21)  # across and down a picture
LEAST = 0.01  # share of a picture that a thing covers if it is seen
TOGETHER = 0.04  # share of a picture that all things cover
SHOWN = 0.97  # least share of the pictures that show a thing
PAIRS = 0.75  # least share of the pictures that show two things
_SHELL = ""


class Seen:
    """Tells whether the cameras of a walk look at things.

    ``shell`` are the pieces of walls, floors and ceilings.
    """

    def __init__(self, home: Home, shell: Iterable[Piece]) -> None:
        self._rays = Rays({_SHELL: shell, **{each.id: pieces_of(each) for each in home}})
        self._things = [each.id for each in home if each.name not in SKIPPED]

    def is_enough(self, cameras: np.ndarray, times: np.ndarray, intrinsics: np.ndarray) -> bool:
        """Check the pictures of cameras (T, 4, 4) at times (T,) s.

        Nearly all must show a thing, and most of them two, so that they can be compared.
        """
        count = max(2, round(float(times[-1]) / EVERY))
        some = np.linspace(0, len(times) - 1, count).astype(int)
        may_lack, may_be_single = (int((1 - share) * count) for share in (SHOWN, PAIRS))
        for camera in cameras[some]:
            shares = self._shares(camera, intrinsics)
            counted = int((shares >= LEAST).sum())
            may_lack -= counted < 1 or shares.sum() < TOGETHER
            may_be_single -= counted < 2
            if may_lack < 0 or may_be_single < 0:
                return False
        return True

    def _shares(self, camera: np.ndarray, intrinsics: np.ndarray) -> np.ndarray:
        """Return the share (N,) of a picture that each thing covers."""
        x, y = (
            (np.arange(count) + 0.5) / count * 2 * middle for count, middle in zip(RAYS, intrinsics[:2, 2], strict=True)
        )
        pixels = np.stack([*np.meshgrid(x, y), np.ones((len(y), len(x)))], axis=-1).reshape(-1, 3)
        ways = pixels @ np.linalg.inv(intrinsics).T @ camera[:3, :3].T
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        met = self._rays.meet(camera[:3, 3].copy(), ways)
        return np.array([(met == name).mean() for name in self._things])
