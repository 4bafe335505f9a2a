"""Named things: patches of their colour, followed through the frames, with positions in space."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.audit.attacks.sight.clip import SeenClip
from chronotope.audit.attacks.sight.colours import Patch, colour_of, patches
from chronotope.audit.attacks.sight.structure import Structure
from chronotope.audit.attacks.size_by_name import head_noun

LOOKS = 15  # maximum number of frames of a clip in which things are searched for
LEAST_POINTS = 2  # minimum number of reconstructed points in a patch, which give its depth
SAME_PLACE = 0.09  # patches of two frames are one thing if their distance in space is below this share of the depth
FARTHEST = 1.7  # maximum depth, as a multiple of the usual depth: farther patches belong to the room
MIDDLE = 0.25  # the middle of a picture, as a share of its width and height
# The usual ratio of height to width by noun. The ratio distinguishes things of the same colour.
ASPECTS = {
    "book": 0.3, "notebook": 0.3, "laptop": 0.6, "tablet": 0.2, "plate": 0.25, "keyboard": 0.2, "calculator": 0.3,
    "bottle": 2.8, "vase": 1.8, "candle": 2.0, "trophy": 1.6, "figurine": 1.6, "can": 1.4, "tin": 1.4, "lamp": 1.6,
    "car": 0.55, "train": 0.7, "locomotive": 0.7, "wheelbarrow": 0.6, "dumbbell": 0.5, "brick": 0.6, "duck": 0.9,
    "forklift": 0.9, "camera": 0.8, "mug": 0.95, "cup": 0.9, "bowl": 0.5, "pot": 0.8, "clock": 1.2, "pear": 1.4,
    "apple": 1.0, "dice": 1.0, "die": 1.0, "reindeer": 1.3, "jug": 1.2, "teapot": 0.8, "bank": 0.8, "bear": 1.2,
    "cactus": 1.5, "plant": 1.4, "box": 0.8, "holder": 1.4, "extinguisher": 2.4, "hat": 0.5, "banana": 0.4,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class SeenThing:
    """A named thing: its position (3,) in the world of the reconstruction, and its patches by frame."""

    place: np.ndarray
    patches: dict[int, Patch]


@dataclass(frozen=True, eq=False)
class _Sighting:
    frame: int
    patch: Patch
    place: np.ndarray


def find_thing(clip: SeenClip, structure: Structure, phrase: str) -> SeenThing | None:
    """Return the thing named by a phrase such as "the red mug".

    Returns None if the thing is not found. Patches of the thing's colour are clustered in space, and the cluster with
    the best shape is chosen.
    """
    key = ("thing", id(structure), phrase)
    if key not in clip.kept:
        clip.kept[key] = _find(clip, structure, phrase)
    found = clip.kept[key]
    return found if isinstance(found, SeenThing) else None


def find_things(clip: SeenClip, structure: Structure, phrases: Sequence[str]) -> list[SeenThing] | None:
    """Return the things named by all phrases.

    Returns None if a thing is not found, or if two phrases give the same thing.
    """
    found = [find_thing(clip, structure, phrase) for phrase in phrases]
    things = [thing for thing in found if thing is not None]
    if len(things) < len(phrases):
        return None
    same = [
        float(np.linalg.norm(one.place - other.place)) < 1e-9
        for number, one in enumerate(things)
        for other in things[:number]
    ]
    return None if any(same) else things


def _find(clip: SeenClip, structure: Structure, phrase: str) -> SeenThing | None:
    colour = colour_of(phrase)
    if colour is None:
        return None
    clusters = _clusters(_sightings(clip, structure, colour))
    if not clusters:
        return None
    noun = head_noun(phrase)
    if "larger" in phrase or "largest" in phrase:
        best = max(clusters[:3], key=lambda ones: _extent(structure, ones))
    elif "smaller" in phrase or "smallest" in phrase:
        best = min(clusters[:2], key=lambda ones: _extent(structure, ones))
    else:
        best = max(clusters, key=lambda ones: _fit(noun, ones))
    place = np.median([one.place for one in best], axis=0)
    return SeenThing(place, {one.frame: one.patch for one in sorted(best, key=lambda one: one.patch.area)})


def _sightings(clip: SeenClip, structure: Structure, colour: str) -> list[_Sighting]:
    """Return patches of a colour with their positions in space.

    Only some frames are searched.
    """
    key = ("sightings", id(structure), colour)
    if key in clip.kept:
        return clip.kept[key]  # type: ignore[return-value]
    found: list[_Sighting] = []
    frames = np.unique(np.linspace(0, len(clip.frames) - 1, min(LOOKS, len(clip.frames))).round().astype(int))
    limit = FARTHEST * _usual_depth(structure)
    for frame in frames.tolist():
        shown = np.flatnonzero(np.isfinite(structure.pixels[frame, :, 0]) & np.isfinite(structure.points[:, 0]))
        pixels, seen = structure.pixels[frame, shown], structure.camera(frame, structure.points[shown])
        for patch in patches(clip.frames[frame], colour)[:8]:
            inside = patch.holds(pixels)
            if inside.sum() < LEAST_POINTS:
                continue
            depth = float(np.median(seen[inside, 2]))
            if not 0 < depth < limit:
                continue
            place = structure.rays(patch.middle[None])[0] * depth
            pose = structure.poses[frame]
            found.append(_Sighting(frame, patch, pose[:3, :3] @ place + pose[:3, 3]))
    clip.kept[key] = found
    return found


def _usual_depth(structure: Structure) -> float:
    """Return the median depth of points in the middle of the pictures."""
    size = np.array(structure.size)
    depths: list[np.ndarray] = []
    for frame in range(0, len(structure.poses), 3):
        near = (np.abs(structure.pixels[frame] - size / 2) < MIDDLE * size).all(axis=1)
        shown = np.flatnonzero(near & np.isfinite(structure.points[:, 0]))
        depths.append(structure.camera(frame, structure.points[shown])[:, 2])
    together = np.concatenate(depths) if depths else np.empty(0)
    if not len(together):
        together = structure.camera(0, structure.points[np.isfinite(structure.points[:, 0])])[:, 2]
    return float(np.median(together))


def _clusters(sightings: Sequence[_Sighting]) -> list[list[_Sighting]]:
    """Group sightings that are close in space, largest area first."""
    left = list(sightings)
    clusters: list[list[_Sighting]] = []
    while left:
        middle = max(left, key=lambda one: sum(other.patch.area for other in left if _near(one, other)))
        together = [other for other in left if _near(middle, other)]
        left = [other for other in left if not _near(middle, other)]
        clusters.append(together)
    most = max((len(ones) for ones in clusters), default=0)
    kept = [ones for ones in clusters if len(ones) >= max(2, most // 5)] or clusters[:1]
    return sorted(kept, key=lambda ones: -sum(one.patch.area for one in ones))


def _near(one: _Sighting, other: _Sighting) -> bool:
    apart = float(np.linalg.norm(one.place - other.place))
    return apart < SAME_PLACE * max(float(np.linalg.norm(one.place)), 1e-9)


def _extent(structure: Structure, ones: Sequence[_Sighting]) -> float:
    """Return the median size of patches in space.

    The size is in units of the reconstruction.
    """
    sizes = [
        np.sqrt(one.patch.area) * structure.camera(one.frame, one.place[None])[0, 2] / structure.focal for one in ones
    ]
    return float(np.median(sizes))


def _fit(noun: str, ones: Sequence[_Sighting]) -> float:
    """Rate a cluster by its visible share and its shape.

    The shape is compared with the usual shape of things with this noun.
    """
    seen = np.log(sum(one.patch.area for one in ones))
    if noun not in ASPECTS:
        return float(seen)
    boxes = [one.patch.box for one in ones]
    aspect = np.median([(bottom - top + 1) / (right - left + 1) for left, top, right, bottom in boxes])
    return float(seen - 2.5 * abs(np.log(aspect / ASPECTS[noun])))
