"""Garments: what each covers, how loose it is, and how it hangs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from chronotope.world.people.measures import ARM, LEG, Measures
from chronotope.world.people.sheet import NEVER, Sheet, cut, loosened, outside, sheet_of

GAP = 0.005  # share of the stature between two layers of cloth
BARE = 0.42  # share of head and neck from which on a neck is bare
NECK = 0.1  # share of the stature in which the neck passes into the trunk

Layer = Literal["top", "outer", "bottom", "skirt"]
_BETWEEN: dict[Layer, float] = {"skirt": 0.015, "top": 0.06, "outer": 0.06}  # shares of the stature


@dataclass(frozen=True)
class Cut:
    """The measures of a garment; lengths are shares of the stature.

    ``sleeve`` ends along the arm (0 at the shoulder, 1 at the elbow, 2 at the wrist), ``leg`` along the leg (1 at the
    knee, 2 at the ankle). ``hem`` is the height of the lower edge over the hips. ``neck`` is the radius of the opening
    for the neck, and ``deep`` how far this opening goes down in front. ``ease`` is the least distance from the body,
    ``loose`` the further distance at the ends of sleeves and legs, and ``fall`` how steeply the cloth hangs from what
    stands out (0 for straight down, 1 for close to the body). ``open`` is half the width of the opening in front.
    ``collar`` and ``buttons`` are its trims.
    """

    layer: Layer
    sleeve: float = 0.0
    leg: float = 0.0
    hem: float = 0.0
    neck: float = 0.046
    deep: float = 0.0
    ease: float = 0.004
    loose: float = 0.008
    fall: float = 0.4
    open: float = 0.0
    collar: bool = False
    buttons: bool = False


CUTS: dict[str, Cut] = {
    "T-shirt": Cut("top", sleeve=0.62, hem=-0.055, ease=0.005, loose=0.010, fall=0.35),
    "shirt": Cut("top", sleeve=1.93, hem=-0.05, neck=0.042, ease=0.005, loose=0.007, collar=True, buttons=True),
    "pullover": Cut("top", sleeve=1.95, hem=-0.045, ease=0.006, loose=0.008, fall=0.3),
    "jacket": Cut("outer", sleeve=1.97, hem=-0.07, ease=0.013, loose=0.010, fall=0.15, open=0.05, collar=True),
    "dress": Cut("top", sleeve=0.42, hem=0.03, neck=0.053, deep=0.02, ease=0.003, loose=0.005, fall=0.9),
    "trousers": Cut("bottom", leg=1.94, hem=0.06, ease=0.003, loose=0.016),
    "jeans": Cut("bottom", leg=1.93, hem=0.06, ease=0.003, loose=0.010),
    "shorts": Cut("bottom", leg=0.86, hem=0.06, ease=0.003, loose=0.014),
    "skirt": Cut("skirt", leg=0.97, hem=0.07, ease=0.004, loose=0.02),
}  # fmt: skip


def parts_of(noun: str) -> tuple[str, ...]:
    """Return the parts of which a garment is made: a dress has the skirt of its own."""
    return ("skirt", noun) if noun == "dress" else (noun,)


def bounds(measures: Measures, kind: str, points: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the distances (K, N) m of points from the edges of a garment.

    All are positive where the garment covers the body.
    """
    spec, s, body = CUTS[kind], measures.stature, measures.body
    arm, leg = measures.arm_share(shares), measures.along_leg(points)
    height = points[:, 2] - body.joint("Hips")[2] - spec.hem * s
    on_arm = arm > 0.5
    if spec.layer in ("bottom", "skirt"):
        ends = (spec.leg - leg) * measures.length(LEG)
        if spec.layer == "skirt":  # between the legs, too, the edge is level
            knee = body.joint("LeftLeg")[2]
            ends = points[:, 2] - knee - (1 - spec.leg) * measures.length(LEG)
        return np.stack([np.where(on_arm, -NEVER, np.minimum(-height, NEVER)), ends])
    sleeve = np.where(arm > 0.15, (spec.sleeve - measures.along_arm(points)) * measures.length(ARM), NEVER)
    sleeve = np.where(measures.hand_share(shares) > 0.5, -NEVER, sleeve)
    lower = np.where(on_arm, NEVER, height)
    edges = [sleeve, lower, _neckline(measures, spec, points, shares)]
    if spec.open:
        front = points[:, 0] > body.joint("Spine1")[0]
        wider = spec.open * s * np.clip(1.25 - 0.8 * (points[:, 2] - body.joint("Hips")[2]) / (0.3 * s), 0.6, 1.6)
        edges.append(np.where(front & ~on_arm, np.abs(points[:, 1]) - wider, NEVER))
    return np.stack(edges)


def _neckline(measures: Measures, spec: Cut, points: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the distances (N,) m from an ellipsoid around the neck, which leans forward."""
    s, low = measures.stature, spec.deep * measures.stature
    centre = measures.body.joint("Neck") + np.array([0.012 * s + 0.3 * low, 0, 0.012 * s - 0.5 * low])
    radii = np.array([spec.neck * s, spec.neck * s, spec.neck * s + 0.8 * low])
    offset = points - centre
    offset[:, 2] = np.minimum(offset[:, 2] + 0.45 * offset[:, 0], 0)
    edge = (np.linalg.norm(offset / radii, axis=1) - 1) * radii[0]
    head = shares[:, measures.number("Head")]
    # The neck itself is free, too, also if it is thick and short, as with children; and so is the head.
    bare = (BARE - head - shares[:, measures.number("Neck")]) * NECK * s
    return np.where(head > 0.4, -NEVER, np.minimum(edge, bare))


def make_garment(measures: Measures, kind: str, generator: np.random.Generator, under: Sequence[Sheet] = ()) -> Sheet:
    """Make a garment of a body that is worn over others; its edges are raw."""
    spec, s = CUTS[kind], measures.stature
    sheet = sheet_of(measures.body, "skirt" if spec.layer == "skirt" else "cloth")
    for number in range(len(bounds(measures, kind, sheet.anchor, sheet.shares))):
        sheet = cut(sheet, bounds(measures, kind, sheet.anchor, sheet.shares)[number])
    sheet = loosened(sheet, spec.ease * s, 12)
    if spec.layer in ("top", "outer"):
        sheet = _hang(measures, sheet, spec)
    sheet = _widen(measures, sheet, spec, generator)
    for other in under:
        sheet = outside(sheet, other, GAP * s)
    return _swinging(measures, sheet, _BETWEEN[spec.layer] * s) if spec.layer in _BETWEEN else sheet


def _swinging(measures: Measures, sheet: Sheet, between: float) -> Sheet:
    """Let the cloth around both legs follow each thigh wholly, and span the gap ``between`` (m) them.

    Cloth that follows a thigh in part only would be pierced by it.
    """
    legs = measures.leg_joints
    shares, total = sheet.shares.copy(), sheet.shares[:, legs].sum(axis=1)
    to_left = np.clip(0.5 + sheet.anchor[:, 1] / between, 0, 1)
    to_left = to_left**2 * (3 - 2 * to_left)
    shares[:, legs] = 0.0
    shares[:, measures.number("LeftUpLeg")] = total * to_left
    shares[:, measures.number("RightUpLeg")] = total * (1 - to_left)
    return replace(sheet, shares=shares)


def _hang(measures: Measures, sheet: Sheet, spec: Cut) -> Sheet:
    """Let the cloth of the trunk hang from what stands out, such as the chest or the belly."""
    points = sheet.vertices
    trunk = (measures.arm_share(sheet.shares) < 0.3) & (points[:, 2] < measures.body.joint("LeftArm")[2])
    axis = measures.body.joint("Spine1")[0]
    inner = points[trunk] - np.array([axis, 0, 0])
    angle, radius = np.arctan2(inner[:, 1], inner[:, 0]), np.hypot(inner[:, 0], inner[:, 1])
    apart = np.abs((angle[:, None] - angle[None] + np.pi) % (2 * np.pi) - np.pi)
    higher = inner[None, :, 2] - inner[:, None, 2]
    hanging = np.where((apart < 0.16) & (higher > 0), radius[None] - spec.fall * higher, 0).max(axis=1)
    wider = np.maximum(hanging, radius)
    moved = points.copy()
    moved[np.flatnonzero(trunk), :2] += inner[:, :2] * (wider / radius - 1)[:, None]
    for _ in range(4):
        moved[trunk] = 0.5 * moved[trunk] + 0.5 * (sheet.links @ moved)[trunk]
    return replace(sheet, vertices=moved)


def _widen(measures: Measures, sheet: Sheet, spec: Cut, generator: np.random.Generator) -> Sheet:
    """Widen sleeves, legs and skirts towards their ends, with folds."""
    points, s = sheet.vertices, measures.stature
    if spec.layer == "skirt":
        at = np.clip(measures.along_leg(sheet.anchor) / spec.leg, 0, 1)
        axis = np.column_stack(
            [np.full(len(points), measures.body.joint("Hips")[0]), np.zeros(len(points)), points[:, 2]]
        )
        folds, deep = 9, 0.010
    elif spec.layer == "bottom":
        at = np.clip((measures.along_leg(sheet.anchor) - 0.1) / (spec.leg - 0.1), 0, 1)
        axis, folds, deep = measures.axis_of(points, LEG), 3, 0.002
    else:
        on_arm = measures.arm_share(sheet.shares)
        at = np.clip((measures.along_arm(sheet.anchor) - 0.1) / (spec.sleeve - 0.1), 0, 1) * np.clip(
            2 * on_arm - 0.6, 0, 1
        )
        axis, folds, deep = measures.axis_of(points, ARM), 3, 0.002
    ray = points - axis
    radius = np.linalg.norm(ray, axis=1, keepdims=True)
    turn = np.arctan2(ray[:, 0], ray[:, 1] * np.sign(points[:, 1]) if spec.layer != "skirt" else ray[:, 1])
    phase = generator.uniform(0, 2 * np.pi, 2)
    wave = np.sin(folds * turn + phase[0]) + 0.5 * np.sin((folds + 2) * turn + phase[1] + 3 * at)
    gain = at * s * (spec.loose + deep * wave)
    return replace(sheet, vertices=points + ray / np.maximum(radius, 1e-9) * gain[:, None])


def covered(measures: Measures, kinds: Sequence[str], points: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return how far (N,) m points of the skin are inside garments; what is negative is not covered."""
    return np.max([bounds(measures, kind, points, shares).min(axis=0) for kind in kinds], axis=0)
