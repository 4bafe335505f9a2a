"""What a video of a home shows: the objects that are seen, when they are seen, and the visits to the rooms."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from chronotope.families.m3.layout import Layout, words_of
from chronotope.families.m3.looks import DESCRIBED
from chronotope.families.m3.margins import LEAST_PIXELS, Margins
from chronotope.recording import Entity, Recording, room_at, rooms_along
from chronotope.scene import Visit, merged_visits, picture_share

LEAST_FRAMES = 5  # frames in which an object is seen before it is asked about
LEAST_VISIT = 3  # frames; a shorter visit belongs to a neighbouring visit


def parts_of_assets(names: Collection[str]) -> dict[str, set[str]]:
    """Return, for the id of each object, all parts of its asset."""
    assets: dict[str, set[str]] = {}
    for name in names:
        assets.setdefault(name.partition("___")[0], set()).add(name)
    return {name: set(assets[name.partition("___")[0]]) for name in names}


def longest_run(flags: np.ndarray) -> int:
    """Return the length of the longest run of true values.

    ``flags`` is (T,).
    """
    return max((sum(1 for _ in run) for is_true, run in groupby(flags.tolist()) if is_true), default=0)


@dataclass(frozen=True, eq=False)
class ObservedThing:
    """An object of a state.

    ``frames`` (T,) is true for frames in which the object is seen, and ``clear`` (T,) for frames in which it is seen
    clearly. The first frame, the last frame and the number of frames have two values each: one counts each glimpse of
    the object, the other counts clear views only.
    """

    entity: Entity
    type: str
    room: str | None
    frames: np.ndarray
    clear: np.ndarray

    @property
    def id(self) -> str:
        """Return the id of its entity."""
        return self.entity.id

    @property
    def is_seen(self) -> bool:
        """Check whether it is seen long enough for questions."""
        return int(np.count_nonzero(self.clear)) >= LEAST_FRAMES

    @cached_property
    def counts(self) -> tuple[int, int]:
        """Return the numbers of frames of all views and of clear ones."""
        return int(np.count_nonzero(self.frames)), int(np.count_nonzero(self.clear))

    @cached_property
    def firsts(self) -> tuple[int, int]:
        """Return the frames of the first view and the first clear one."""
        return int(np.argmax(self.frames)), int(np.argmax(self.clear))

    @cached_property
    def lasts(self) -> tuple[int, int]:
        """Return the frames of the last view and the last clear one."""
        end = len(self.frames) - 1
        return end - int(np.argmax(self.frames[::-1])), end - int(np.argmax(self.clear[::-1]))

    @cached_property
    def run(self) -> int:
        """Return the largest number of consecutive clear views."""
        return longest_run(self.clear)

    @cached_property
    def place(self) -> np.ndarray:
        """Return the middle (3,) m of its box."""
        return self.entity.pose_at(0)[:3, 3]

    @property
    def volume(self) -> float:
        """Return the volume (m3) of its box."""
        length, width, height = self.entity.size
        return length * width * height

    @cached_property
    def extent(self) -> float:
        """Return the height (m) that its box takes up in the world."""
        return float(np.abs(self.entity.pose_at(0)[2, :3]) @ np.array(self.entity.size))

    @property
    def is_furniture(self) -> bool:
        """Check whether a person cannot carry it away."""
        return self.entity.attributes.get("role") == "furniture"

    def is_described(self, key: str) -> bool:
        """Check whether a model described an attribute."""
        return key in self.entity.attributes.get(DESCRIBED, "").split(", ")

    def told(self, key: str) -> str | None:
        """Return an attribute, or None if it is unknown."""
        value = self.entity.attributes.get(key)
        return None if value in (None, "", "None", "unknown") else value


@dataclass(frozen=True, eq=False)
class Observed:
    """One state of a home, as far as its video shows it.

    ``known`` has, by id, all objects of which any frame shows a part. ``things`` are the things that are seen long
    enough for questions. A name must fit no other known object, because a viewer may have noticed it.
    """

    recording: Recording
    layout: Layout
    margins: Margins

    @cached_property
    def known(self) -> dict[str, ObservedThing]:
        """Return every object of which at least one pixel is shown."""
        found: dict[str, ObservedThing] = {}
        for entity in self.recording.entities:
            pixels = entity.visible_pixels
            if pixels is not None and pixels.any() and np.isfinite(entity.pose_at(0)).all():
                share = picture_share(entity, self._picture)
                frames, clear = share >= LEAST_PIXELS, share >= self.margins.view
                found[entity.id] = ObservedThing(
                    entity, words_of(entity.category), self._room_of(entity), frames, clear
                )
        return found

    @cached_property
    def things(self) -> dict[str, ObservedThing]:
        """Return the objects that are seen long enough for questions."""
        return {name: thing for name, thing in self.known.items() if thing.is_seen}

    @cached_property
    def rooms(self) -> tuple[str | None, ...]:
        """Return the room of the camera in each frame."""
        return rooms_along(self.layout.rooms, self.recording.world_T_camera[:, :2, 3])

    @cached_property
    def visits(self) -> tuple[Visit, ...]:
        """Return the visits to rooms, without visits of very few frames."""
        return merged_visits(self.rooms, LEAST_VISIT)

    @cached_property
    def stay(self) -> dict[str, int]:
        """Return the number of frames in each room."""
        return {room.id: self.rooms.count(room.id) for room in self.layout.rooms}

    def visit_count(self, room: str) -> int:
        """Return the number of visits to a room."""
        return sum(visit.room == room for visit in self.visits)

    def longest_visit(self, room: str) -> int:
        """Return the number of frames of the longest visit to a room."""
        return max((visit.frames for visit in self.visits if visit.room == room), default=0)

    def children(self, parent: str) -> list[ObservedThing]:
        """Return the known objects directly on or in an object."""
        return self._children.get(parent, [])

    def holds(self, low: str, high: str) -> bool:
        """Check whether an object carries another one, directly or not.

        Parts of one asset count as if they carried each other.
        """
        if low.partition("___")[1] and low.partition("___")[0] == high.partition("___")[0]:
            return True
        return low in self._carriers.get(high, ())

    def are_related(self, one: str, other: str) -> bool:
        """Check whether one of two objects carries the other.

        Parts of one asset count as if they carried each other.
        """
        return one == other or other in self.relatives.get(one, ())

    @cached_property
    def relatives(self) -> dict[str, frozenset[str]]:
        """Return, for the id of each object, the ids of all related objects.

        Two objects are related as in `are_related`. Each object is also related to itself.
        """
        found = parts_of_assets(self._carriers)
        for name, carriers in self._carriers.items():
            found[name] |= carriers
            for carrier in carriers:
                found.setdefault(carrier, {carrier}).add(name)
        return {name: frozenset(others) for name, others in found.items()}

    @cached_property
    def _children(self) -> dict[str, list[ObservedThing]]:
        found: dict[str, list[ObservedThing]] = {}
        for thing in self.known.values():
            if thing.entity.parent is not None:
                found.setdefault(thing.entity.parent, []).append(thing)
        return found

    @cached_property
    def _carriers(self) -> dict[str, frozenset[str]]:
        """Return, for the id of each object, the ids of all objects that carry it.

        A carrier may carry the object directly or through other objects.
        """
        parents = {entity.id: entity.parent for entity in self.recording.entities}
        found: dict[str, frozenset[str]] = {}
        for name in parents:
            carriers: set[str] = set()
            parent = parents[name]
            while parent is not None and parent not in carriers:
                carriers.add(parent)
                parent = parents.get(parent)
            found[name] = frozenset(carriers)
        return found

    @cached_property
    def _picture(self) -> float:
        """Return the number of pixels of a picture."""
        clip, matrix = self.recording.clip, self.recording.intrinsics
        if clip is not None:
            return clip.width * clip.height
        assert matrix is not None, "a recording without a clip has intrinsics"
        centre = matrix.reshape(-1, 3, 3)[0]
        return 4 * float(centre[0, 2] * centre[1, 2])

    def _room_of(self, entity: Entity) -> str | None:
        told = entity.attributes.get("room")
        return told if told in self.layout.by_id else room_at(self.layout.rooms, entity.pose_at(0)[:2, 3])
