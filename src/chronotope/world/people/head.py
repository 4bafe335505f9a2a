"""The head of a body: its middle, the line at which hair begins, and the shape of the skull without the ears."""

from functools import cached_property

import numpy as np
from scipy.interpolate import PchipInterpolator, RBFInterpolator

from chronotope.world.people.body import Body
from chronotope.world.people.pack import open_pack

# The line at which hair begins: angle (degrees) from the face, and height over the eyes, as a share of the height of
# the skull over the eyes. It goes over the forehead, down in front of the ear, around it, and down to the nape.
_HAIRLINE = (
    (0, 0.64), (22, 0.66), (42, 0.58), (58, 0.36), (68, 0.10), (74, -0.18), (83, -0.20), (92, 0.06), (106, 0.10),
    (122, -0.18), (138, -0.62), (160, -0.86), (180, -0.90),
)  # fmt: skip
_SMOOTH = 2e-5
_POINTS = 350  # vertices of a head that are enough for the shape of its skull


class Head:
    """The head of one body.

    ``middle`` (3,) m is between the ears, at the height of the eyes; ``rise`` (m) is the height of the skull over the
    eyes. Directions are given by the angle (rad) from the face, to either side, and by the slope (rad) over the level
    of the eyes.
    """

    def __init__(self, body: Body) -> None:
        pack = open_pack()
        self.eyes = np.array(
            [body.vertices[np.unique(pack.faces[name])].mean(axis=0) for name in ("left_eye", "right_eye")]
        )
        skin = np.unique(pack.faces["body"])
        places = body.vertices[skin]
        self.top = float(places[:, 2].max())
        eye = self.eyes.mean(axis=0)
        self.rise = self.top - float(eye[2])
        skull = places[places[:, 2] > eye[2] + 0.2 * self.rise]
        self.middle = np.array([0.5 * (skull[:, 0].min() + skull[:, 0].max()), eye[1], eye[2]])
        ears = pack.masks["ears"][skin] > 0.02
        near = places[:, 2] > eye[2] - 1.25 * self.rise
        # The ears, and the back of the ears, which the mask leaves out, are no skull.
        side = (np.abs(places[:, 1] - eye[1]) > 0.70 * self.rise) & (places[:, 2] < eye[2] + 0.12 * self.rise)
        self._skull = places[near & ~ears & ~side & (places[:, 0] < eye[0] + 0.1 * self.rise)]
        self.ear = float(np.abs(places[ears, 1] - eye[1]).max()) if ears.any() else self.rise

    def angle(self, points: np.ndarray) -> np.ndarray:
        """Return the angles (N,) rad of points (N, 3) from the face: 0 to pi to either side."""
        offset = points - self.middle
        return np.arctan2(np.abs(offset[:, 1]), offset[:, 0])

    def hairline(self, angle: np.ndarray, receding: float = 0.0) -> np.ndarray:
        """Return the heights (N,) m of the hairline at angles (N,) rad.

        ``receding`` (0 to 1) raises the line in front.
        """
        at, height = np.array(_HAIRLINE).T
        line = PchipInterpolator(np.radians(at), height)(np.abs(angle))
        front = np.clip(1 - np.abs(angle) / np.radians(75), 0, 1)
        return self.middle[2] + self.rise * (line + receding * 0.42 * np.minimum(2 * front, 1))

    @cached_property
    def _radius(self) -> RBFInterpolator:
        offset = self._skull[:: max(1, len(self._skull) // _POINTS)] - self.middle
        far = np.linalg.norm(offset, axis=1)
        return RBFInterpolator(offset / far[:, None], far, smoothing=_SMOOTH, kernel="thin_plate_spline")

    def skull(self, angle: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return places (..., 3) m on the skull and the directions (..., 3) to them.

        ``angle`` (...) is signed: positive to the left.
        """
        way = np.stack([np.cos(slope) * np.cos(angle), np.cos(slope) * np.sin(angle), np.sin(slope)], axis=-1)
        far = self._radius(way.reshape(-1, 3)).reshape(way.shape[:-1])
        return self.middle + far[..., None] * way, way
