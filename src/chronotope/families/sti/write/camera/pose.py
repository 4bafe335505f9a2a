"""Pose estimation: the camera's later pose, given its first pose."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.motion import hardly_moved, pose_change
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.camera.text import pose_stem, pose_text, printed_pose
from chronotope.families.sti.write.published import published_pose_offsets
from chronotope.families.sti.write.worlds import Worlds
from chronotope.geometry import as_pose, rotation_from_vector
from chronotope.question import Reason, Refused, ratio_text
from chronotope.scene import Camera, Candidate, Item, Place, draw_pose_moments

DECIMALS, PUBLISHED_DECIMALS = 3, 2  # number of decimals of printed poses
LEAST_STEPS = 5  # minimum difference between the positions of two options, in units of the last digit


@dataclass(frozen=True)
class PoseVariant:
    """The camera's pose at a whole second, as one JSON object."""

    worlds: Worlds | None = None
    name: str = "pose"
    task: str = "Pose Estimation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return moments at whole seconds, from 2 s on."""
        return draw_pose_moments(generator, camera.end, count)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> tuple[np.ndarray, np.ndarray]:
        """Return world_T_camera (4, 4) at start and moment, or raise Refused."""
        camera.require_forward()
        return pose_change(camera.track, place.start, place.end)

    def alike(self, camera: Camera, first: Any, second: Any) -> bool:
        """Return False, because the stems name different seconds."""
        return False

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        if self.worlds is None:
            return self._published(generator, camera, candidates[0])
        for candidate in candidates:
            item = self._in_worlds(camera, candidate, self.worlds)
            if item is not None:
                return item
        raise Refused(Reason.NO_DISTRACTORS)

    def _in_worlds(self, camera: Camera, candidate: Candidate, worlds: Worlds) -> Item | None:
        """Make an item whose options are the poses in the five worlds.

        The result is None if one of the poses is not a possible answer, or two poses are too similar.
        """
        place, (first, _) = candidate.place, candidate.value
        piece = camera.track.piece(place.start, place.end)
        poses = worlds.poses(piece, camera.recording.up, place.start, place.end)
        if poses is None or any(hardly_moved(camera.track, first, pose) for pose in poses):
            return None
        apart = np.linalg.norm(poses[:, None, :3, 3] - poses[None, :, :3, 3], axis=-1)[~np.eye(len(poses), dtype=bool)]
        if apart.min() < LEAST_STEPS * 10.0**-DECIMALS:
            return None
        item = self._item(camera, candidate, poses, {"ratio": worlds.ratio})
        return replace(item, tags={"quantity": ("poses",), "spacing": (ratio_text(worlds.ratio),)})

    def _published(self, generator: np.random.Generator, camera: Camera, candidate: Candidate) -> Item:
        first, last = candidate.value
        shifts, turns, facts = published_pose_offsets(generator, first, last, SCALES[camera.kind].nearest)
        rotations = last[:3, :3] @ rotation_from_vector(turns)
        poses = np.concatenate([last[None], as_pose(rotations, last[:3, 3] + shifts)])
        return self._item(camera, candidate, poses, facts)

    def _item(self, camera: Camera, candidate: Candidate, poses: np.ndarray, facts: dict[str, Any]) -> Item:
        """Make an item from ``poses`` (5, 4, 4); the first is correct."""
        published = self.worlds is None
        decimals, from_start = PUBLISHED_DECIMALS if published else DECIMALS, not published
        recording, (first, last) = camera.recording, candidate.value

        def printed(pose: np.ndarray) -> np.ndarray:
            return printed_pose(recording, first, pose, from_start=from_start)

        texts = tuple(pose_text(recording, printed(pose), decimals) for pose in poses)
        if len(set(texts)) < len(texts):
            raise Refused(Reason.NO_DISTRACTORS)
        given = pose_text(recording, printed(first), decimals)
        facts = {"value": printed(last).tolist(), "unit": "m", "given": given} | facts
        stem = pose_stem(recording, given, candidate.place.end, from_start=from_start)
        return Item(candidate.place, stem, texts, 0, facts)
