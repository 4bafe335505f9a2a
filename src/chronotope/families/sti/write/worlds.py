"""Other worlds: the wrong options of all questions about motion in one clip.

A reader of all questions about a clip could find, without the clip, the options that are consistent with each other.
Therefore five sets of options are consistent: one set from the true world, and one from each of four other worlds. In
another world, all lengths are multiplied by one factor, and all turns by a second factor. Each of the five worlds is
equally likely to be the true world, also for a reader who knows the usual speeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import degrees

import numpy as np

from chronotope.families.sti.measure.motion import turn
from chronotope.families.sti.scale import SCALES, SPEEDS, Usual
from chronotope.families.sti.write.factors import COUNT, draw_factors
from chronotope.geometry import (
    as_pose,
    elevation,
    forward_of,
    heading,
    rotation_from_vector,
    rotation_vector,
)
from chronotope.question import ANGLES, RATIOS, Refused, rungs_by_chance
from chronotope.recording import Kind
from chronotope.scene import Camera, Piece, SceneView, Track, draw_windows

WINDOWS = 120  # number of windows of a clip for measuring turns, which must fit the ladder of angles
TOLERANCE = 0.12  # the angle between options may differ from an angle of the ladder by at most this share
LARGEST_TURN = 160.0  # largest turn that an option may state, in degrees
LEAST_TURN = 10.0  # degrees; smallest turn that an option may state
FLATTEST = (0.6, 3.0)  # range of this ratio: smallest option of a turn / angle between neighbouring options
STEEPEST = np.radians(80)  # rad; maximum pitch: steeper viewing directions have no clear heading
_GRID = 0.1  # s; step for integrating the camera's path in another world


@dataclass(frozen=True, eq=False)
class Worlds:
    """Five worlds of a clip; the first is the true world.

    - ``lengths`` (5,) are the factors for all lengths, speeds and accelerations. If the factors are sorted, neighbours
      have the ratio ``ratio``.
    - ``turns`` (5,) are the factors for all turns. If the factors are sorted, neighbours have equal distances.
    - ``angle`` is the angle (degrees) between neighbouring options of a turn. ``angle`` is None if the clip has no
      turns with five possible options.
    """

    lengths: np.ndarray
    turns: np.ndarray
    ratio: float
    angle: float | None

    def values(self, value: float) -> np.ndarray:
        """Return a length, speed or acceleration (5,), one value per world."""
        return value * self.lengths

    @cached_property
    def _step(self) -> float:
        """Return the difference between neighbouring factors of turns."""
        return float(np.diff(np.sort(self.turns)).mean())

    def sizes_of_turn(self) -> tuple[np.ndarray, int]:
        """Return five sizes (5,) of a turn, and the true rank.

        The sizes are in degrees and in ascending order; `fits_ladder` compares options with them. The array is empty
        if the clip has no turns with five possible options.
        """
        ordered = np.sort(self.turns)
        sizes = np.zeros(0) if self.angle is None else ordered * self.angle / self._step
        return sizes, int(np.abs(ordered - 1).argmin())

    def turned(self, change: float) -> np.ndarray | None:
        """Return a turn (5,) in degrees, one value per world.

        The result is None if the angle between neighbours is not the clip's ``angle``, or a turn is too large or small.
        """
        sizes, _ = self.sizes_of_turn()
        options = change * self.turns
        return options if len(sizes) and fits_ladder(np.sort(np.abs(options)), sizes) else None

    def poses(self, piece: Piece, up: np.ndarray | None, start: float, end: float) -> np.ndarray | None:
        """Return world_T_camera (5, 4, 4) at ``end`` (s) in the five worlds.

        All worlds have the same pose at ``start`` (s). From there, the camera repeats each small motion of the true
        camera, in its own frame. But all distances are multiplied by the factor for lengths, and all changes of heading
        and pitch are multiplied by the factor for turns. If ``up`` is None, heading and pitch are undefined; the angle
        of each small rotation is then multiplied by the factor for turns. The result is None if the camera of a world
        would look nearly straight up or down.
        """
        times = np.linspace(start, end, max(2, round((end - start) / _GRID) + 1))
        true = piece.poses_at(times)
        found = []
        for length, change in zip(self.lengths, self.turns, strict=True):
            rotations = _turned_more(true[:, :3, :3], change, up)
            if rotations is None:
                return None
            # The translation from each pose to the next, in the camera frame of the first of the two poses.
            steps = np.einsum("tba,tb->ta", true[:-1, :3, :3], np.diff(true[:, :3, 3], axis=0))
            moved = np.einsum("tab,tb->ta", rotations[:-1], steps).sum(axis=0)
            found.append(as_pose(rotations[-1], true[0, :3, 3] + length * moved))
        return np.array(found)


def fits_ladder(options: np.ndarray, sizes: np.ndarray) -> bool:
    """Check whether options (5,) of a turn are near ``sizes``, and neither too small nor too large.

    The options are sizes in ascending order. ``sizes`` (5,) are the sizes of turns that suit the clip. All values are
    in degrees.
    """
    near = abs(options[0] / sizes[0] - 1) <= TOLERANCE
    return bool(near and options[0] >= LEAST_TURN and options[-1] <= LARGEST_TURN)


def _turned_more(rotations: np.ndarray, factor: float, up: np.ndarray | None) -> np.ndarray | None:
    """Multiply the changes of rotations (T, 3, 3) since the first rotation.

    The result is None if the camera would look nearly straight up or down.
    """
    if up is None:
        increments = rotation_vector(np.einsum("tba,tbc->tac", rotations[:-1], rotations[1:]))
        found = [rotations[0]]
        for small in rotation_from_vector(factor * increments):
            found.append(found[-1] @ small)
        return np.array(found)
    forward = forward_of(as_pose(rotations, np.zeros((len(rotations), 3))))
    azimuth, pitch = np.unwrap(heading(forward, up)), elevation(forward, up)
    pitched = (factor - 1) * (pitch - pitch[0])
    if np.abs(pitch).max() > STEEPEST or np.abs(pitch + pitched).max() > STEEPEST:
        return None
    # The pitch changes about the horizontal axis, then the heading about the up axis, so the horizon stays level.
    sideways = np.cross(forward, up)
    sideways /= np.linalg.norm(sideways, axis=1, keepdims=True)
    tilted = rotation_from_vector(pitched[:, None] * sideways) @ rotations
    return rotation_from_vector(((factor - 1) * (azimuth - azimuth[0]))[:, None] * up) @ tilted


def draw_worlds(
    generator: np.random.Generator,
    camera: Camera,
    scene: SceneView | None = None,
    ratios: Sequence[float] = RATIOS,
    ranks: tuple[int, int] | None = None,
) -> Worlds:
    """Choose the five worlds of a clip at random.

    For turns, the true world has each rank among the five worlds with equal probability. For lengths, a reader who
    knows the usual speeds of the camera, and of the moving things of ``scene``, finds each of the five worlds equally
    likely. ``ranks`` are the ranks of the true world for lengths and for turns, if they are not drawn here.
    """
    place, turned = ranks or generator.integers(COUNT, size=2).tolist()
    ratio, lengths = draw_factors(generator, partial(_usual, _speeds(camera, scene)), ratios, place)
    angle, turns = _turns(generator, camera, turned)
    # Factors for lengths and for turns are paired at random, except in the true world.
    others = generator.permutation(np.delete(turns, np.flatnonzero(turns == 1)[:1]))
    wrong = generator.permutation(np.delete(lengths, np.flatnonzero(lengths == 1)[:1]))
    return Worlds(np.concatenate([[1.0], wrong]), np.concatenate([[1.0], others]), ratio, angle)


def _usual(speeds: Sequence[tuple[float, Usual]], factors: np.ndarray) -> np.ndarray:
    """Multiply all speeds by each factor; return their joint likelihood."""
    each = [usual.likelihood(speed, factors) for speed, usual in speeds]
    return np.prod(each, axis=0) if each else np.ones_like(factors)


def _speeds(camera: Camera, scene: SceneView | None) -> list[tuple[float, Usual]]:
    """Return mean speeds (m/s), each with its distribution of usual speeds.

    The result contains the camera and each moving thing, if their speeds are known.
    """
    scale = SCALES[camera.kind]
    drawn = camera.recording.provenance
    course = str(drawn.get("manner", drawn.get("road")))
    usual = SPEEDS.get(camera.recording.source, {}).get(course, scale.camera_speed)
    found = [(_mean_speed(camera.track), usual)]
    if scene is not None and scale.thing_speed is not None:
        names = [thing.entity.id for thing in scene.things]
        found += [(_mean_speed(scene.track(name)), scale.thing_speed) for name in names if not scene.rests(name)]
    return [(speed, usual) for speed, usual in found if speed > 0]


def _mean_speed(track: Track) -> float:
    """Return the mean speed (m/s) in motion, or 0 if unknown."""
    way = seconds = 0.0
    for piece in track.pieces:
        times = np.arange(piece.smoothed.times[0], piece.smoothed.times[-1], _GRID)
        steps = np.linalg.norm(np.diff(piece.positions(times), axis=0), axis=1)
        moving = steps > track.limits.slow * _GRID
        way, seconds = way + steps[moving].sum(), seconds + _GRID * moving.sum()
    return way / seconds if seconds else 0.0


def _turns(generator: np.random.Generator, camera: Camera, rank: int) -> tuple[float | None, np.ndarray]:
    """Choose factors for turns, and the angle between options, at random.

    The five options are k, k + 1, ..., k + 4 times the angle. The factor k is independent of the ``rank`` of the true
    turn, so a set of options does not reveal the rank. An angle is used only if, for each of the five options, the clip
    has a turn of nearly the same size. If no angle can be used, None is returned for the angle.
    """
    sizes = _sizes_of_turns(generator, camera)
    for angle in rungs_by_chance(generator, ANGLES):
        smallest = float(generator.uniform(*FLATTEST))
        wanted = angle * (smallest + np.arange(COUNT))
        if wanted[0] < LEAST_TURN or wanted[-1] > LARGEST_TURN or len(sizes) == 0:
            continue
        if (np.abs(sizes[:, None] / wanted - 1) <= TOLERANCE).any(axis=0).all():
            return angle, _turn_factors(smallest, rank)
    return None, _turn_factors(float(generator.uniform(*FLATTEST)), rank)


def _turn_factors(smallest: float, rank: int) -> np.ndarray:
    factors = (smallest + np.arange(COUNT)) / (smallest + rank)
    factors[rank] = 1.0  # without rounding errors
    return factors


def _sizes_of_turns(generator: np.random.Generator, camera: Camera) -> np.ndarray:
    """Return the sizes (K,) of turns, in degrees, in some windows."""
    sizes: list[float] = []
    if camera.kind is Kind.DESKTOP:
        return np.array(sizes)
    try:
        windows = draw_windows(generator, camera.end, WINDOWS, whole=True)
    except Refused:
        return np.array(sizes)
    for window in windows:
        try:
            camera.require_forward()
            sizes.append(abs(degrees(turn(camera.track, camera.up(), window.start, window.end))))
        except Refused:
            continue
    return np.array(sizes)
