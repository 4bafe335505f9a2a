"""The things that the pictures of a walk show, measured with rays before anything is drawn."""

from collections.abc import Iterable

import numpy as np

from chronotope.world.homes.home import Home
from chronotope.world.homes.rays import Rays, pieces_of
from chronotope.world.things import Piece

EVERY = 0.5  # s between the pictures that are examined
RAYS = (32, 24)  # across and down a picture
LEAST = 0.008  # share of a picture that a thing covers if it is seen
TOGETHER = 0.06  # share of a picture that all things cover
SHOWN, PAIRS = 0.97, 0.75  # least shares of the pictures that show a thing, and two things
CLEAR, MOMENTS = 3, 3  # rays that meet a thing that is clearly seen, and pictures in which it must be wholly inside
_SHELL = ""


class Seen:
    """Tells how well the cameras of a walk look at things.

    ``shell`` are the pieces of walls, floors and ceilings. Things on walls count as a part of the wall.
    """

    def __init__(self, home: Home, shell: Iterable[Piece]) -> None:
        self._rays = Rays({_SHELL: shell, **{each.id: pieces_of(each) for each in home}})
        self._things = np.array([each.id for each in home])
        self._stands = np.array([each.made.kind.mount != "wall" for each in home])

    def count(self, cameras: np.ndarray, times: np.ndarray, intrinsics: np.ndarray) -> int:
        """Return how many things the cameras clearly see.

        The cameras are (T, 4, 4) at times (T,) s. A thing counts if it is seen for long enough to be compared.

        The number is 0 if the cameras look at walls too often: nearly all pictures must show a thing, and most pictures
        must show two.
        """
        moments = max(2, round(float(times[-1]) / EVERY))
        may_lack, may_be_single = (int((1 - share) * moments) for share in (SHOWN, PAIRS))
        clear = np.zeros(len(self._things), int)
        for camera in cameras[np.linspace(0, len(times) - 1, moments).astype(int)]:
            met = self._picture(camera, intrinsics)
            is_met = met[..., None] == self._things
            shares = is_met.mean(axis=(0, 1))[self._stands]
            seen = int((shares >= LEAST).sum())
            may_lack -= seen < 1 or shares.sum() < TOGETHER
            may_be_single -= seen < 2
            if may_lack < 0 or may_be_single < 0:
                return 0
            rim = is_met[[0, -1]].any(axis=(0, 1)) | is_met[:, [0, -1]].any(axis=(0, 1))
            clear += (is_met.sum(axis=(0, 1)) >= CLEAR) & ~rim
        return int((clear >= MOMENTS).sum())

    def _picture(self, camera: np.ndarray, intrinsics: np.ndarray) -> np.ndarray:
        """Return the id of the thing that each ray (rows, columns) meets first."""
        middle = intrinsics[:2, 2]
        x, y = ((np.arange(count) + 0.5) / count * 2 * half for count, half in zip(RAYS, middle, strict=True))
        pixels = np.stack([*np.meshgrid(x, y), np.ones((len(y), len(x)))], axis=-1).reshape(-1, 3)
        ways = pixels @ np.linalg.inv(intrinsics).T @ camera[:3, :3].T
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        return self._rays.meet(camera[:3, 3].copy(), ways).reshape(len(y), len(x))
