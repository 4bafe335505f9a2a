"""Spatial relation: the viewing direction of a camera, relative to its vehicle."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.boxes import MOUNTS, mount_of
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.write.camera.text import STEMS
from chronotope.question import Refused
from chronotope.scene import Camera, Candidate, Item, Place


@dataclass(frozen=True)
class Mount:
    """The viewing direction of a vehicle's camera: Front, Front-Left, Front-Right, Left or Right.

    Every question has these five options.
    """

    name: str = "mount"
    task: str = "Spatial Relation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return the whole clip."""
        return [Place(0.0, camera.end)]

    def measure(self, camera: Camera, place: Place, profile: Profile) -> str:
        """Return the word, or raise Refused."""
        if camera.recording.camera_mount is None or camera.recording.clip is None:
            raise Refused(Code.NO_VEHICLE)
        return mount_of(camera.recording.camera_mount)

    def alike(self, camera: Camera, first: str, second: str) -> bool:
        """Return False, because there is only one answer."""
        return True

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        candidate = candidates[0]
        facts = {"value": candidate.value, "unit": "word"}
        return Item(candidate.place, STEMS[self.name], MOUNTS, MOUNTS.index(candidate.value), facts)
