"""Places on a body by which clothes are cut: along an arm, along a leg, around the neck."""

import numpy as np

from chronotope.world.people.body import Body
from chronotope.world.people.pack import open_pack

SIDES = ("Left", "Right")
ARM = ("Arm", "ForeArm", "Hand")
LEG = ("UpLeg", "Leg", "Foot")


class Measures:
    """The measures of one body; points are (N, 3) m in the person's frame."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.stature = body.build.stature
        names = open_pack().joint_names
        self.names = names
        self.number = names.index
        self._arms = [k for k, name in enumerate(names) if any(part in name for part in ARM)]
        self.leg_joints = [k for k, name in enumerate(names) if any(part in name for part in (*LEG, "ToeBase"))]
        self._hands = [k for k, name in enumerate(names) if "Hand" in name]

    def arm_share(self, shares: np.ndarray) -> np.ndarray:
        """Return the part (N,) of the shares (N, J) that the joints of the arms have."""
        return shares[:, self._arms].sum(axis=1)

    def hand_share(self, shares: np.ndarray) -> np.ndarray:
        """Return the part (N,) of the shares (N, J) that the joints of the hands have."""
        return shares[:, self._hands].sum(axis=1)

    def along_arm(self, points: np.ndarray) -> np.ndarray:
        """Return how far (N,) along the arm points are.

        0 is the shoulder, 1 the elbow, 2 the wrist.
        """
        return self._along(points, ARM)

    def along_leg(self, points: np.ndarray) -> np.ndarray:
        """Return how far (N,) along the leg points are.

        0 is the hip, 1 the knee, 2 the ankle.
        """
        return self._along(points, LEG)

    def _along(self, points: np.ndarray, limb: tuple[str, str, str]) -> np.ndarray:
        ways = []
        for side in SIDES:
            a, b, c = (self.body.joint(side + part) for part in limb)
            first = (points - a) @ (b - a) / ((b - a) @ (b - a))
            second = (points - b) @ (c - b) / ((c - b) @ (c - b))
            ways.append(np.minimum(first, 1) + np.maximum(second, 0))
        return np.where(points[:, 1] > 0, *ways)

    def axis_of(self, points: np.ndarray, limb: tuple[str, str, str]) -> np.ndarray:
        """Return the nearest places (N, 3) on the bones of a limb."""
        places = []
        for side in SIDES:
            joints = [self.body.joint(side + part) for part in limb]
            ways = []
            for a, b in ((joints[0], joints[1]), (joints[1], joints[2])):
                at = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
                ways.append(a + at[:, None] * (b - a))
            near = [np.linalg.norm(points - way, axis=1) for way in ways]
            places.append(np.where((near[0] < near[1])[:, None], *ways))
        return np.where((points[:, 1] > 0)[:, None], *places)

    def length(self, limb: tuple[str, str, str]) -> float:
        """Return the mean length (m) of the two bones of a limb."""
        a, b, c = (self.body.joint("Left" + part) for part in limb)
        return float(np.linalg.norm(b - a) + np.linalg.norm(c - b)) / 2
