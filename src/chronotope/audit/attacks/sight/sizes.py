"""Sizes of things and the ground, in units of the reconstruction, and the unit's length from a stated scale."""

from collections.abc import Sequence

import numpy as np

from chronotope.audit.attacks.sight.clip import SeenClip
from chronotope.audit.attacks.sight.motion import Path, upward
from chronotope.audit.attacks.sight.structure import Structure
from chronotope.audit.attacks.sight.things import SeenThing, find_thing
from chronotope.audit.attacks.stems import Fact

PLANES = 300  # number of random planes that are tried for the ground
LEVEL = np.cos(np.radians(15))  # minimum cosine of the angle between the ground's normal and the up direction
THICK = 0.02  # maximum distance of a point that counts as on a plane, as a share of the usual depth
ROUND = 0.5  # in a view from above, a thing's depth times this factor is added to the height of its outline
LEAST_SHARE = 0.12  # minimum share of the points below the camera that are on the ground


def size_of(structure: Structure, thing: SeenThing, kind: str) -> float | None:
    """Measure a height, width, length or diameter, or return None.

    Extents in pixels are converted to lengths with the depth of the thing's middle. In a view from above, a height is
    foreshortened, and the depth of the thing adds to its extent in the picture. Both effects are corrected; the second
    correction assumes a round top.
    """
    up = upward(structure)
    widths: list[float] = []
    heights: list[float] = []
    for frame, patch in thing.patches.items():
        if patch.touches(structure.size):
            continue
        seen = structure.camera(frame, thing.place[None])[0]
        left, top, right, bottom = patch.box
        scale = seen[2] / structure.focal
        across, down = (right - left + 1) * scale, (bottom - top + 1) * scale
        steep = abs(float(up @ (structure.poses[frame][:3, :3] @ (seen / np.linalg.norm(seen)))))
        level = np.sqrt(max(1 - steep**2, 1e-6))
        widths.append(across)
        heights.append((down - ROUND * across * steep) / level if kind == "height" else down)
    if not widths:
        return None
    if kind == "height":
        value = float(np.median(heights))
    elif kind == "length":
        value = float(np.percentile(widths, 85))
    elif kind == "width":
        value = float(np.percentile(widths, 15))
    else:
        value = float(np.median(widths))
    return value if value > 0 else None


def unit_of(clip: SeenClip, structure: Structure, path: Path | None, facts: Sequence[Fact]) -> float | None:
    """Return the length (m) of a unit of the reconstruction.

    The length follows from the facts that the stem states. Returns None if there are no such facts.
    """
    units: list[float] = []
    for fact in facts:
        measured: float | None = None
        if fact.kind == "displacement" and path is not None:
            measured = path.measured("displacement", fact.start, fact.end, None)
        elif fact.kind == "camera-height" and path is not None:
            measured = height_above_ground(clip, structure, path.place(fact.start))
        elif fact.kind in ("height", "diameter"):
            thing = find_thing(clip, structure, fact.who)
            measured = None if thing is None else size_of(structure, thing, fact.kind)
        if measured is not None and measured > 1e-9:
            units.append(fact.value / measured)
    return float(np.median(units)) if units else None


def height_above_ground(clip: SeenClip, structure: Structure, place: np.ndarray) -> float | None:
    """Return the height of a point (3,) above the ground.

    Returns None if no ground is found. The ground is the horizontal plane that contains the most points below the
    camera. It must contain at least the share ``LEAST_SHARE`` of these points.
    """
    key = ("ground", id(structure))
    if key not in clip.kept:
        clip.kept[key] = _ground(structure)
    plane = clip.kept[key]
    if not isinstance(plane, np.ndarray):
        return None
    height = float(plane[:3] @ place + plane[3])
    return height if height > 0 else None


def _ground(structure: Structure) -> np.ndarray | None:
    """Fit the ground's plane (4,), normal and offset, by random samples."""
    up = upward(structure)
    points = structure.points[np.isfinite(structure.points[:, 0])]
    below = points[(points - structure.poses[:, :3, 3].mean(axis=0)) @ up < 0]
    if len(below) < 12:
        return None
    depth = float(np.median(np.linalg.norm(below - structure.poses[:, :3, 3].mean(axis=0), axis=1)))
    generator = np.random.default_rng(0)
    planes: list[tuple[int, np.ndarray]] = []
    for _ in range(PLANES):
        corner = below[generator.choice(len(below), 3, replace=False)]
        normal = np.cross(corner[1] - corner[0], corner[2] - corner[0])
        length = float(np.linalg.norm(normal))
        if length < 1e-12 or abs(normal @ up) / length < LEVEL:
            continue
        normal *= np.sign(normal @ up) / length
        plane = np.append(normal, -normal @ corner[0])
        planes.append((int((np.abs(below @ normal + plane[3]) < THICK * depth).sum()), plane))
    count, plane = max(planes, key=lambda one: one[0], default=(0, None))
    return plane if count >= LEAST_SHARE * len(below) else None
