"""Pose estimation: given the camera's first pose, which is its pose at a later moment? (specification, 6h, 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.families import Profile
from chronotope.families.sti.write.item import Candidate, Item
from chronotope.families.sti.write.measures import hardly_moved, pose_change
from chronotope.families.sti.write.published import published_pose_offsets
from chronotope.families.sti.write.refusal import Code, Refused
from chronotope.families.sti.write.text import pose_stem, pose_text, printed_pose
from chronotope.families.sti.write.track import CameraTrack
from chronotope.families.sti.write.windows import Place, pose_moments
from chronotope.geometry import as_pose, horizontal_basis
from chronotope.question import draw_rotation_offsets, draw_vector_offsets
from chronotope.recording import Kind

__all__ = ["PoseVariant"]

# The angle (rad) between the rotation of an exchangeable option and its nearest.
NEAREST_ROTATION = (float(np.radians(5)), float(np.radians(20)))


@dataclass(frozen=True)
class PoseVariant:
    """The camera's pose at a whole second, as one JSON object."""

    name: str = "pose"
    task: str = "Pose Estimation"

    def places(self, generator: np.random.Generator, track: CameraTrack, count: int) -> list[Place]:
        """Whole seconds from 2 s on."""
        return pose_moments(generator, track.end, count)

    def measure(self, track: CameraTrack, place: Place, profile: Profile) -> tuple[np.ndarray, np.ndarray]:
        """World_T_camera (4, 4) at the start and at the moment; raises Refused."""
        return pose_change(track, place.start, place.end)

    def item(
        self, generator: np.random.Generator, track: CameraTrack, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """See Variant."""
        if profile == "paper":
            return self._published(generator, track, candidates[0])
        up = track.recording.up
        shape = np.eye(3)
        if up is not None:
            shape = np.stack([*horizontal_basis(up), up * track.scale.vertical], axis=1)
        # What drives turns about up only, and so do all its options; the others may turn about any axis.
        axis = up if track.recording.kind is Kind.OUTDOOR else None
        shifts = draw_vector_offsets(generator, track.scale.nearest, shape=shape)
        turns = draw_rotation_offsets(generator, NEAREST_ROTATION, axis=axis)
        for candidate in candidates:
            first, last = candidate.value
            rotations = last[:3, :3] @ turns if axis is None else turns @ last[:3, :3]
            poses = as_pose(rotations, last[:3, 3] + shifts)
            # An option that could not have been asked about would be known to be wrong.
            if not any(hardly_moved(track, first, pose) for pose in poses):
                return self._item(track, candidate, poses, {})
        raise Refused(Code.NO_DISTRACTORS)

    def _published(self, generator: np.random.Generator, track: CameraTrack, candidate: Candidate) -> Item:
        first, last = candidate.value
        shifts, turns, gap, weight = published_pose_offsets(generator, first, last, track.scale.nearest)
        rotations = last[:3, :3] @ Rotation.from_rotvec(turns).as_matrix()
        poses = np.concatenate([last[None], as_pose(rotations, last[:3, 3] + shifts)])
        return self._item(track, candidate, poses, {"adjust": {"e": gap, "w": weight}})

    @staticmethod
    def _item(track: CameraTrack, candidate: Candidate, poses: np.ndarray, facts: dict[str, Any]) -> Item:
        """The right pose is the first of ``poses`` (5, 4, 4)."""
        recording, (first, last) = track.recording, candidate.value
        texts = tuple(pose_text(recording, printed_pose(recording, first, pose)) for pose in poses)
        if len(set(texts)) < len(texts):
            raise Refused(Code.NO_DISTRACTORS)
        given = pose_text(recording, printed_pose(recording, first, first))
        facts = {"value": printed_pose(recording, first, last).tolist(), "unit": "m", "given": given} | facts
        return Item(candidate.place, pose_stem(recording, given, candidate.place.end), texts, 0, facts)
