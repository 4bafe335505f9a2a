"""Pose estimation: the camera's later pose, given its first pose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.motion import hardly_moved, pose_change
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.camera.text import pose_stem, pose_text, printed_pose
from chronotope.families.sti.write.published import published_pose_offsets
from chronotope.geometry import as_pose, rotation_from_vector
from chronotope.question import (
    Reason,
    Refused,
    compose_poses,
    draw_angle_offsets,
    draw_rotation_offsets,
    draw_scalar_offsets,
    draw_vector_offsets,
)
from chronotope.scene import Camera, Candidate, Item, Place, draw_pose_moments

__all__ = ["PoseVariant"]

# The angle (rad) between the rotation of an exchangeable option and its nearest.
NEAREST_ROTATION = (float(np.radians(5)), float(np.radians(20)))
PRINTED_STEP = 0.01  # m; poses are printed with two decimals
DRAWS = 16  # sets drawn for one question before it is given up


@dataclass(frozen=True)
class PoseVariant:
    """The camera's pose at a whole second, as one JSON object."""

    name: str = "pose"
    task: str = "Pose Estimation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return whole seconds from 2 s on."""
        return draw_pose_moments(generator, camera.end, count)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> tuple[np.ndarray, np.ndarray]:
        """Return world_T_camera (4, 4) at start and moment; raises Refused."""
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
            Refused: If there is none.
        """
        if profile == "paper":
            return self._published(generator, camera, candidates[0])
        if camera.recording.up is None:
            return self._scattered(generator, camera, candidates)
        return self._steered(generator, camera, candidates, camera.recording.up)

    def _scattered(self, generator: np.random.Generator, camera: Camera, candidates: Sequence[Candidate]) -> Item:
        """Scatter options about a hidden centre, in any direction.

        They cannot contradict the world, because nothing is known about it.
        """
        shifts = draw_vector_offsets(generator, SCALES[camera.kind].nearest, step=PRINTED_STEP)
        turns = draw_rotation_offsets(generator, NEAREST_ROTATION)
        for candidate in candidates:
            first, last = candidate.value
            poses = compose_poses(last, shifts, turns)
            # An option that could not have been asked about would be known to be wrong.
            if not any(hardly_moved(camera.track, first, pose) for pose in poses):
                return self._item(camera, candidate, poses, {})
        raise Refused(Reason.NO_DISTRACTORS)

    def _steered(
        self, generator: np.random.Generator, camera: Camera, candidates: Sequence[Candidate], up: np.ndarray
    ) -> Item:
        """Make options that keep height and tilt.

        They differ in the length of the path and in the turn about the up axis. Motion along a curve ends in a
        direction half-way between the two headings, so each option's direction turns by half of its turn. So neither
        this law nor height nor tilt distinguishes an option from the others. Lengths and turns are chosen by the gaps
        rule and paired at random; one pair is the correct one.
        """
        low, high = SCALES[camera.kind].nearest
        ways = [_horizontal(candidate, up) for candidate in candidates]
        farthest = max(ways)
        for draw in range(DRAWS):
            widest = low * (high / low) ** (1 - draw / DRAWS)
            lengths = draw_scalar_offsets(generator, (low, widest))
            sharpest = min(NEAREST_ROTATION[1], widest / max(farthest, low))
            turns = draw_angle_offsets(generator, (sharpest / 4, sharpest))
            right = int(generator.integers(len(lengths)))
            turns = generator.permutation(turns)
            lengths, turns = lengths - lengths[right], turns - turns[right]
            if farthest - low < np.ptp(lengths):
                continue
            for candidate, way in zip(candidates, ways, strict=True):
                if way + lengths.min() < low:
                    continue
                poses = _steer(candidate, up, np.roll(lengths, -right), np.roll(turns, -right))
                if _apart(poses, SCALES[camera.kind].nearest):
                    return self._item(camera, candidate, poses, {})
        raise Refused(Reason.NO_DISTRACTORS)

    def _published(self, generator: np.random.Generator, camera: Camera, candidate: Candidate) -> Item:
        first, last = candidate.value
        shifts, turns, facts = published_pose_offsets(generator, first, last, SCALES[camera.kind].nearest)
        rotations = last[:3, :3] @ rotation_from_vector(turns)
        poses = np.concatenate([last[None], as_pose(rotations, last[:3, 3] + shifts)])
        return self._item(camera, candidate, poses, facts)

    @staticmethod
    def _item(camera: Camera, candidate: Candidate, poses: np.ndarray, facts: dict[str, Any]) -> Item:
        """Make a pose item; ``poses`` (5, 4, 4) begin with the answer."""
        recording, (first, last) = camera.recording, candidate.value
        texts = tuple(pose_text(recording, printed_pose(recording, first, pose)) for pose in poses)
        if len(set(texts)) < len(texts):
            raise Refused(Reason.NO_DISTRACTORS)
        given = pose_text(recording, printed_pose(recording, first, first))
        facts = {"value": printed_pose(recording, first, last).tolist(), "unit": "m", "given": given} | facts
        return Item(candidate.place, pose_stem(recording, given, candidate.place.end), texts, 0, facts)


def _horizontal(candidate: Candidate, up: np.ndarray) -> float:
    """Return the camera's horizontal displacement (m)."""
    first, last = candidate.value
    chord = last[:3, 3] - first[:3, 3]
    return float(np.linalg.norm(chord - (chord @ up) * up))


def _steer(candidate: Candidate, up: np.ndarray, lengths: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Return poses (5, 4, 4) with changed lengths and headings.

    Horizontal paths are longer by ``lengths`` (m), headings differ by ``turns``.
    """
    first, last = candidate.value
    chord = last[:3, 3] - first[:3, 3]
    along = chord - (chord @ up) * up
    way = np.linalg.norm(along)
    directions = rotation_from_vector(turns[:, None] / 2 * up) @ (along / way)
    positions = first[:3, 3] + (chord @ up) * up + directions * (way + lengths)[:, None]
    return as_pose(rotation_from_vector(turns[:, None] * up) @ last[:3, :3], positions)


def _apart(poses: np.ndarray, nearest: tuple[float, float]) -> bool:
    """Check that nearest neighbours of printed positions are in the range."""
    printed = np.round(poses[:, :3, 3] / PRINTED_STEP) * PRINTED_STEP
    closest = (np.linalg.norm(printed[:, None] - printed, axis=-1) + np.diag(np.full(len(poses), np.inf))).min(axis=1)
    return bool(closest.min() >= nearest[0] - 1e-9 and closest.max() <= nearest[1] + 1e-9)
