"""What the pictures of a stage show: places of things in views, and things that no graph names."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.recording import Recording, read_identities

EPISODE = "episode.json"
# Parts of the picture: the least and the greatest share of its width, and of its height.
PARTS = {
    "left": ((0, 1 / 3), (0, 1)), "center": ((1 / 3, 2 / 3), (0, 1)), "right": ((2 / 3, 1), (0, 1)),
    "left half": ((0, 1 / 2), (0, 1)), "right half": ((1 / 2, 1), (0, 1)), "top half": ((0, 1), (0, 1 / 2)),
}  # fmt: skip

Place = tuple[float, float]


@dataclass(frozen=True)
class SceneSight:
    """Where the objects of a graph are in the views of a clip, and the nouns of all other things in it.

    ``places`` maps the id of an object of the graph to the middle of its visible part, as shares of the width and of
    the height of the picture, in each view in which it is seen: "first", "last", and "entry", its first frame.
    """

    places: Mapping[str, Mapping[str, Place]]
    nouns: frozenset[str]

    def confirm(self, seen: Iterable[tuple[str, str, str]]) -> None:
        """Check that things are in the parts of the views where a question says.

        Raises:
            Refused: If a thing is elsewhere in the picture.
        """
        for name, view, part in seen:
            place = self.places.get(name, {}).get(view)
            if place is None or not all(low <= at <= high for at, (low, high) in zip(place, PARTS[part], strict=True)):
                raise Refused(Code.NOT_AS_SEEN)


def sight_of(recording: Recording, folder: Path | None) -> SceneSight | None:
    """Return what the masks of a stage show, or None if the recording has no masks."""
    inside = None if folder is None else folder / "recordings" / recording.id
    if inside is None or not (inside / EPISODE).is_file() or not recording.identities:
        return None
    told = json.loads((inside / EPISODE).read_text("utf-8"))["entities"]
    objects = {entity["id"]: entity["object"] for entity in told}
    nouns = frozenset(entity["asset"] for entity in told if entity["object"] is None)
    places: dict[str, dict[str, Place]] = {}
    for view, frame in (("first", 0), ("last", len(recording.times) - 1)):
        mask = read_identities(inside / str(recording.identities[frame]))
        for number, entity in enumerate(recording.entities, 1):
            if objects.get(entity.id) is not None and (mask == number).any():
                places.setdefault(objects[entity.id], {})[view] = _middle(mask == number)
    for number, entity in enumerate(recording.entities, 1):
        if objects.get(entity.id) is None or entity.visible_pixels is None or not entity.visible_pixels.any():
            continue
        mask = read_identities(inside / str(recording.identities[int(np.argmax(entity.visible_pixels > 0))]))
        if (mask == number).any():
            places.setdefault(objects[entity.id], {})["entry"] = _middle(mask == number)
    return SceneSight(places, nouns)


def _middle(mask: np.ndarray) -> Place:
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    return float(columns.mean() + 0.5) / width, float(rows.mean() + 0.5) / height
