"""The shape of a body: sex, age, looks, weight and stature as targets of the base mesh."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronotope.world.people.pack import open_pack

Sex = Literal["female", "male"]
AgeGroup = Literal["child", "adult", "old"]
Ancestry = Literal["african", "asian", "caucasian"]

SEXES: tuple[Sex, ...] = ("female", "male")
AGE_GROUPS: tuple[AgeGroup, ...] = ("child", "adult", "old")
ANCESTRIES: tuple[Ancestry, ...] = ("african", "asian", "caucasian")
_TARGETS: dict[AgeGroup, str] = {"child": "child", "adult": "young", "old": "old"}

# Mean and standard deviation (m) of statures. Adults from 20, and old people from 60 years: NHANES 2015 to 2018 (Fryar
# et al., Vital and Health Statistics 3(46), 2021). Children from 6 to 12 years: WHO growth reference 2007.
_STATURES: dict[tuple[Sex, AgeGroup], tuple[float, float]] = {
    ("female", "adult"): (1.62, 0.067),
    ("male", "adult"): (1.76, 0.072),
    ("female", "old"): (1.585, 0.064),
    ("male", "old"): (1.73, 0.069),
}
_CHILD_AGES = (6.0, 12.0)  # years
_CHILD_STATURES: dict[Sex, tuple[tuple[float, float, float, float], tuple[float, float, float, float]]] = {
    "female": ((1.151, 1.266, 1.386, 1.512), (0.051, 0.059, 0.066, 0.069)),  # at 6, 8, 10 and 12 years
    "male": ((1.160, 1.273, 1.378, 1.491), (0.049, 0.056, 0.063, 0.071)),
}
_SPREAD = 1.6  # standard deviations from the mean, at most


@dataclass(frozen=True)
class Build:
    """The description of a body.

    ``ancestry`` has the share of each ancestry; the shares have the sum 1. ``weight`` goes from -1 (thin) through 0
    (average) to 1 (heavy), ``stature`` is in m, without shoes and hair.
    """

    sex: Sex
    age: AgeGroup
    ancestry: Mapping[Ancestry, float]
    weight: float
    stature: float


@dataclass(frozen=True, eq=False)
class Body:
    """The vertices (V, 3) m of the pack and the places (J, 3) m of the joints, for one body.

    The frame is the person's frame: the origin is under the hips, on the level of the naked soles, x is forward, y is
    left, z is up.
    """

    build: Build
    vertices: np.ndarray
    joints: np.ndarray

    def joint(self, name: str) -> np.ndarray:
        """Return the place (3,) m of a joint."""
        return self.joints[open_pack().joint_names.index(name)]


def draw_build(generator: np.random.Generator, sex: Sex, age: AgeGroup, ancestry: Ancestry) -> Build:
    """Draw a body of a sex, an age group and an ancestry.

    A small share of the body is of other ancestries.
    """
    mixed = float(generator.uniform(0, 0.3)), ANCESTRIES[int(generator.integers(len(ANCESTRIES)))]
    shares = dict.fromkeys(ANCESTRIES, 0.0)
    shares[ancestry] += 1 - mixed[0]
    shares[mixed[1]] += mixed[0]
    weight = float(np.clip(generator.normal(-0.1 if age == "child" else 0.05, 0.35), -0.8, 0.9))
    if age == "child":
        years = float(generator.uniform(*_CHILD_AGES))
        means, deviations = _CHILD_STATURES[sex]
        mean, deviation = (float(np.interp(years, (6, 8, 10, 12), row)) for row in (means, deviations))
    else:
        mean, deviation = _STATURES[sex, age]
    stature = mean + deviation * float(np.clip(generator.normal(), -_SPREAD, _SPREAD))
    return Build(sex, age, shares, weight, stature)


def make_body(build: Build) -> Body:
    """Make the body of a build."""
    pack, kind = open_pack(), f"{build.sex}-{_TARGETS[build.age]}"
    heavy = "maxweight" if build.weight > 0 else "minweight"
    shares = {f"{name}-{kind}": share for name, share in build.ancestry.items()}
    shares |= {f"{kind}-averageweight": 1 - abs(build.weight), f"{kind}-{heavy}": abs(build.weight)}
    vertices, joints = _moved(pack.vertices, pack.joints, shares)
    # The target of tall or small bodies has other proportions; what it cannot reach is scaled.
    outside = np.unique(pack.faces["body"])
    top, bottom = outside[vertices[outside, 2].argmax()], outside[vertices[outside, 2].argmin()]
    height = vertices[top, 2] - vertices[bottom, 2]
    name = f"{kind}-{'maxheight' if build.stature > height else 'minheight'}"
    gain = pack.moves[name][top, 2] - pack.moves[name][bottom, 2]
    vertices, joints = _moved(vertices, joints, {name: float(np.clip((build.stature - height) / gain, 0, 1))})
    scale = build.stature / np.ptp(vertices[outside, 2])
    origin = np.array([*joints[0, :2], vertices[outside, 2].min()])
    return Body(build, (vertices - origin) * scale, (joints - origin) * scale)


def _moved(vertices: np.ndarray, joints: np.ndarray, shares: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    pack = open_pack()
    for name, share in shares.items():
        vertices = vertices + share * pack.moves[name]
        joints = joints + share * pack.joint_moves[name]
    return vertices, joints
