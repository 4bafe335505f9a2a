"""The frames that show an object best, chosen by the pixels of its identity.

M3-Verse takes the five largest and most central views of each asset. In each state, the quality of a view is 0.7 times
its share of the picture plus 0.3 times (1 - d). d is the distance of the object's pixels from the middle of the
picture, in shares of the width and the height. Of the best views of all states, the five largest are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from chronotope.families.m3.layout import words_of
from chronotope.families.m3.margins import LEAST_PIXELS
from chronotope.recording import Entity, Recording, read_identities

VIEWS = 5
KEYS = ("colour", "shape")  # the attributes that a model describes
_AREA, _CENTRE = 0.7, 0.3
_UNKNOWN = (None, "", "None", "unknown")


@dataclass(frozen=True)
class Place:
    """A saved recording, and its folder."""

    recording: Recording
    folder: Path


@dataclass(frozen=True)
class View:
    """One frame that shows an object.

    ``number`` is the value of the object in identity maps. ``share`` is the share of the picture that the object
    covers, and ``distance`` the distance of its pixels from the middle.
    """

    recording: str
    entity: str
    number: int
    frame: int
    share: float
    distance: float

    @property
    def quality(self) -> float:
        """Return the quality by which the views of one state are chosen."""
        return _AREA * self.share + _CENTRE * (1 - self.distance)


@dataclass(frozen=True)
class Subject:
    """An asset, or an object without an asset, with its type in words and its best views."""

    id: str
    category: str
    views: tuple[View, ...]


def subject_of(recording: Recording, entity: Entity) -> str:
    """Return the name of an object's asset.

    Objects of one asset look the same. An object without an asset is known by its scene and its own id.
    """
    return entity.attributes.get("assetId") or f"{recording.scene or recording.id}/{entity.id}"


def is_simulated(recording: Recording) -> bool:
    """Check whether a recording knows the looks of its things by construction.

    A thing of a simulated world has no colour in its attributes if no single colour fits it.
    """
    return "world" in recording.provenance


def find_subjects(places: Sequence[Place]) -> list[Subject]:
    """Find everything whose colour or shape is unknown, with its best views.

    An object that never covers as many pixels as a seen object is left out. Subjects are sorted by type and id.

    Raises:
        InputError: If an identity map cannot be read.
    """
    kinds: dict[str, str] = {}
    views: dict[str, list[View]] = {}
    for place in places:
        recording = place.recording
        if is_simulated(recording) or recording.identities is None or recording.clip is None:
            continue
        wanted = _wanted(recording)
        for entity in wanted.values():
            kinds.setdefault(subject_of(recording, entity), words_of(entity.category))
        for subject, found in _best_of_state(place, wanted).items():
            views.setdefault(subject, []).extend(found)
    made = [Subject(name, kinds[name], _best(found)) for name, found in views.items()]
    return sorted(made, key=lambda one: (one.category, one.id))


def _wanted(recording: Recording) -> dict[int, Entity]:
    """Return the objects that lack an attribute, by their number in maps."""
    return {
        number: entity
        for number, entity in enumerate(recording.entities, 1)
        if missing_attributes(entity) and not entity.is_person
    }


def missing_attributes(entity: Entity) -> tuple[str, ...]:
    """Return the described attributes that an object lacks."""
    return tuple(key for key in KEYS if entity.attributes.get(key) in _UNKNOWN)


def _best_of_state(place: Place, wanted: Mapping[int, Entity]) -> dict[str, list[View]]:
    """Return the best views of each subject in one state."""
    recording = place.recording
    views: dict[str, list[View]] = {}
    for frame, name in enumerate(recording.identities or ()):
        if name is None:
            continue
        identities = read_identities(place.folder / name)
        for number, share, distance in _sightings(identities):
            if number in wanted and share >= LEAST_PIXELS:
                entity = wanted[number]
                view = View(recording.id, entity.id, number, frame, share, distance)
                views.setdefault(subject_of(recording, entity), []).append(view)
    return {
        subject: sorted(found, key=lambda one: (-one.quality, one.frame, one.entity))[:VIEWS]
        for subject, found in views.items()
    }


def _sightings(identities: np.ndarray) -> list[tuple[int, float, float]]:
    """Find all objects in an identity map.

    Returns the number, the share of the picture and the distance from the middle. ``identities`` is (H, W).
    """
    height, width = identities.shape
    flat = identities.ravel()
    pixels = np.bincount(flat)
    pixels[0] = 0
    numbers = np.flatnonzero(pixels)
    rows, columns = _centres(height, width)
    dx = np.bincount(flat, columns)[numbers] / pixels[numbers] / width - 0.5
    dy = np.bincount(flat, rows)[numbers] / pixels[numbers] / height - 0.5
    shares = pixels[numbers] / flat.size
    return list(zip(numbers.tolist(), shares.tolist(), np.hypot(dx, dy).tolist(), strict=True))


@cache
def _centres(height: int, width: int) -> np.ndarray:
    """Return the centres of all pixels.

    The result has their rows and their columns (2, H * W).
    """
    return (np.indices((height, width)) + 0.5).reshape(2, -1)


def _best(views: Iterable[View]) -> tuple[View, ...]:
    """Return the largest views; of equally large ones, the most central."""
    return tuple(sorted(views, key=lambda one: (-one.share, one.distance, one.recording, one.frame))[:VIEWS])
