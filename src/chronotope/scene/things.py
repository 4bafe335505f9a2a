"""The things of a recording, prepared once: their names, visibility and positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.geometry import Box, interpolate_pose, invert
from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Kind, Recording
from chronotope.scene.camera import Camera
from chronotope.scene.names import Name, is_furniture, refer
from chronotope.scene.printed import TICK
from chronotope.scene.projection import picture_size
from chronotope.scene.sight import Sight, longest_run, require_clear, shown_of, sight_of, wholly_before
from chronotope.scene.tracks import MotionLimits, Track, thing_track

LEAST_APART = 1.0  # least difference (s) between the time in a name and the time in the question
LONGEST_BETWEEN = 0.2  # s; between two frames at most this far apart, what is measured is nearly what is shown
JUST_AFTER = 0.02  # s; a printed time this close after a frame counts as the time of the frame
_EPSILON = 1e-6  # s


@dataclass(frozen=True, eq=False)
class Thing:
    """An entity that questions can ask about, with its name and visibility.

    The name is None if no unique name was found.
    """

    entity: Entity
    name: Name | None
    sight: Sight


@dataclass(frozen=True, eq=False)
class SceneView:
    """The things of a recording, ordered by id, and its camera.

    ``supports`` are the entities that no question asks about (``is_furniture``).
    """

    observer: Camera
    things: tuple[Thing, ...]
    supports: tuple[Thing, ...] = ()

    @property
    def recording(self) -> Recording:
        """Return the recording of the scene."""
        return self.observer.recording

    @property
    def kind(self) -> Kind:
        """Return the size class of the scene."""
        return self.observer.kind

    @property
    def limits(self) -> MotionLimits:
        """Return the limits of motion for a scene of this size class."""
        return self.observer.limits

    @cached_property
    def _by_id(self) -> dict[str, Thing]:
        return {thing.entity.id: thing for thing in (*self.supports, *self.things)}

    @cached_property
    def picture(self) -> tuple[int, int] | None:
        """Return the width and height (px) of the pictures, or None."""
        return picture_size(self.recording)

    @cached_property
    def nameless(self) -> frozenset[str]:
        """Return the ids of the things without a name."""
        return frozenset(thing.entity.id for thing in self.things if thing.name is None)

    def thing(self, name: str) -> Thing:
        """Return the thing or support with this id."""
        return self._by_id[name]

    def phrase(self, entity: str) -> str:
        """Return the name of the thing with this id.

        Raises:
            Refused: If the thing has no name.
        """
        return self.called((entity,))[0]

    def called(self, names: Sequence[str]) -> list[str]:
        """Return the names of the things with these ids, in order.

        Raises:
            Refused: If a thing has no name. The reason is NOT_VISIBLE if one of the things is never visible,
            otherwise NOT_UNIQUE.
        """
        found = [self.thing(name).name for name in names]
        if any(name is None for name in found):
            ever = all(self.thing(name).sight.ever for name in names)
            raise Refused(Reason.NOT_UNIQUE if ever else Reason.NOT_VISIBLE)
        return [name.text for name in found if name is not None]

    def states_a_moment(self, name: str) -> bool:
        """Check whether the name of a thing states a time."""
        found = self.thing(name).name
        return found is not None and found.at is not None

    def refuse_telling_names(self, names: Sequence[str], time: float, *ways: str) -> None:
        """Check that no name reveals its thing's position at ``time`` (s).

        Raises:
            Refused: If one of ``ways`` is the property that makes a name unique (``Name.by``), or if a name states a
                time less than ``LEAST_APART`` s from ``time``.
        """
        for name in (self.thing(one).name for one in names):
            if name is not None and (name.by in ways or (name.at is not None and abs(name.at - time) < LEAST_APART)):
                raise Refused(Reason.NOT_UNIQUE)

    def up(self) -> np.ndarray:
        """Return the unit vector (3,) that points up in the world.

        Raises:
            Refused: If the up direction is unknown (NO_GRAVITY).
        """
        return self.observer.up()

    def window(self, names: Sequence[str]) -> tuple[float, float] | None:
        """Return the longest interval (s) with all things clearly visible.

        The result is None if the things are never clearly visible together.
        """
        clear = np.logical_and.reduce([self.thing(name).sight.clear for name in names])
        return longest_run(self.recording.times, clear)

    def might_be_seen(self, names: Sequence[str], least: float) -> bool:
        """Check whether another graphics driver could show all things long enough.

        The things must be visible together for ``least`` s.
        """
        possible = np.logical_and.reduce([self.thing(name).sight.possible for name in names])
        run = longest_run(self.recording.times, possible)
        return run is not None and run[1] - run[0] >= least - _EPSILON

    def require_window(self, names: Sequence[str], least: float) -> None:
        """Check that all things are clearly visible together for ``least`` s.

        Raises:
            Refused: If the things are not clearly visible together for this time. The reason is OCCLUDED if the things
                are possibly visible together for this time (``might_be_seen``), otherwise NOT_VISIBLE.
        """
        run = self.window(names)
        if run is None or run[1] - run[0] < least - _EPSILON:
            raise Refused(Reason.OCCLUDED if self.might_be_seen(names, least) else Reason.NOT_VISIBLE)

    def printed_window(self, names: Sequence[str]) -> tuple[float, float]:
        """Return the rounded time window in which things are visible.

        The window is rounded outwards to 0.1 s, but stays inside the clip. If the things are never clearly visible
        together, the window is the whole clip.
        """
        run = self.window(names)
        if run is None:
            return 0.0, self.observer.end
        first, last = np.floor(run[0] / TICK + _EPSILON) * TICK, np.ceil(run[1] / TICK - _EPSILON) * TICK
        return round(float(first), 1), round(min(float(last), self.observer.end), 1)

    def distances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return each thing's distance (N, K) m from the camera over time.

        The distance is infinite if no part of the thing is in the picture, and zero if the position of the thing is
        unknown. The function also returns the printed times (K,) s, and an array (N, K) bool that is True if the
        thing is clearly visible.
        """
        before = self._samples[:, 0]
        cameras = self._cameras[:, :3, 3]
        distances, clear = [], []
        for thing in self.things:
            sight = thing.sight
            centres = np.broadcast_to(thing.entity.poses, (len(self.recording.times), 4, 4))[before, :3, 3]
            away = np.nan_to_num(np.linalg.norm(centres - cameras, axis=1), nan=0.0)
            distances.append(np.where(sight.shown[self._samples].any(axis=1), away, np.inf))
            seen = sight.clear & sight.shown
            if self.picture is None:
                seen = seen & wholly_before(thing.entity, self.recording)
            clear.append(seen[self._samples].all(axis=1) & (away > 0) & self._pictured)
        return self._ticks, np.array(distances), np.array(clear)

    @cached_property
    def clear_at(self) -> np.ndarray:
        """Return which things are clearly visible at printed times.

        The result is (N, K) bool, with N things in their order.
        """
        clear = [thing.sight.clear[self._samples].all(axis=1) & self._pictured for thing in self.things]
        return np.array(clear, bool).reshape(len(self.things), len(self._ticks))

    def together(self, names: Sequence[str]) -> bool:
        """Check whether things are clearly visible together.

        The things are one thing or two, at any printed time.
        """
        first, last = self._rows[names[0]], self._rows[names[-1]]
        return bool(self._shared[first, last])

    @cached_property
    def ids(self) -> frozenset[str]:
        """Return the ids of the things."""
        return frozenset(self._rows)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {thing.entity.id: row for row, thing in enumerate(self.things)}

    @cached_property
    def _shared(self) -> np.ndarray:
        """Return which pairs of things are clearly visible together.

        The result is (N, N) bool, for any printed time.
        """
        clear = self.clear_at.astype(np.float32)
        return clear @ clear.T > 0

    def moments(self, names: Sequence[str]) -> np.ndarray:
        """Return the printed times (s) at which all things are clearly visible."""
        clear = np.logical_and.reduce([self.thing(name).sight.clear for name in names])
        return self._ticks[clear[self._samples].all(axis=1) & self._pictured]

    @cached_property
    def _pictured(self) -> np.ndarray:
        """Return at which printed times (K,) bool a frame shows the scene.

        Between two frames that are far apart in time, the camera may have made a step or a turn, so no frame shows what
        is measured there. Only the printed times at which such a frame begins count.
        """
        before, after = self.recording.times[self._samples].T
        return (after - before <= LONGEST_BETWEEN + _EPSILON) | (self._ticks - before <= JUST_AFTER)

    @cached_property
    def _ticks(self) -> np.ndarray:
        return np.round(np.arange(round(self.observer.end / TICK) + 1) * TICK, 1)

    @cached_property
    def _samples(self) -> np.ndarray:
        """Return the samples (K, 2) before and after each printed time.

        The two samples are the same if a sample has exactly the printed time.
        """
        return np.stack([self._around(float(time)) for time in self._ticks])

    def _around(self, time: float) -> np.ndarray:
        times = self.recording.times
        before = int(np.searchsorted(times, time + _EPSILON, side="right")) - 1
        after = int(np.searchsorted(times, time - _EPSILON, side="left"))
        return np.clip([before, after], 0, len(times) - 1)

    def require_seen(self, names: Sequence[str], time: float) -> None:
        """Check that all these things are clearly visible at a ``time`` (s).

        Raises:
            Refused: If a thing is not clearly visible (OCCLUDED or NOT_VISIBLE).
        """
        for name in names:
            require_clear(self.thing(name).sight, self._around(time))

    def camera(self, time: float) -> np.ndarray:
        """Return world_T_camera (4, 4) at a printed time (s).

        The pose is the source's pose without smoothing, because the question is about a single frame, not about a
        motion.

        Raises:
            Refused: If no pose is known at this time (INVALID_POSE).
        """
        pose = self._cameras[round(time / TICK)]
        if np.isnan(pose).any():
            raise Refused(Reason.INVALID_POSE)
        return pose

    @cached_property
    def _cameras(self) -> np.ndarray:
        """Return world_T_camera (K, 4, 4) at all printed times.

        An unknown pose is NaN.
        """
        poses = np.full((len(self._ticks), 4, 4), np.nan)
        for piece in self.observer.track.pieces:
            covered = np.array([piece.covers(time, time) for time in self._ticks])
            at = np.clip(self._ticks[covered], piece.times[0], piece.times[-1])
            poses[covered] = interpolate_pose(piece.times, piece.poses, at)
        return poses

    def box(self, name: str, time: float) -> Box:
        """Return a thing's box in the world at a ``time`` (s).

        Raises:
            Refused: If the pose of the thing is unknown at this time (INVALID_POSE).
        """
        entity = self.thing(name).entity
        beside = self._around(time)
        poses = np.stack([entity.pose_at(k) for k in beside])
        if not np.isfinite(poses).all():
            raise Refused(Reason.INVALID_POSE)
        pose = poses[0]
        if len(entity.poses) > 1 and beside[0] != beside[1]:
            pose = interpolate_pose(self.recording.times[beside], poses, [time])[0]
        return Box(pose[:3, 3], np.array(entity.size), pose[:3, :3])

    def first_seen(self, name: str) -> float:
        """Return the first printed time (s) with the thing clearly visible.

        If the thing is never clearly visible, the result is the time of its first known pose.
        """
        moments = self.moments((name,))
        if len(moments):
            return float(moments[0])
        known = _known(self.thing(name).entity)
        return float(self.recording.times[int(np.argmax(known))]) if len(known) > 1 else 0.0

    def seen_box(self, name: str, time: float) -> Box:
        """Return a thing's box in the camera's frame at ``time`` (s)."""
        return moved(invert(self.camera(time)), self.box(name, time))

    def track(self, name: str) -> Track:
        """Return the track of the centre of a thing's box."""
        if name not in self._tracks:
            self._tracks[name] = thing_track(self.recording, self.thing(name).entity)
        return self._tracks[name]

    @cached_property
    def _tracks(self) -> dict[str, Track]:
        return {}

    def rests(self, name: str) -> bool:
        """Check whether the pose of a thing never changes."""
        poses = self.thing(name).entity.poses
        return bool((np.nanmax(poses, axis=0) - np.nanmin(poses, axis=0)).max() <= _EPSILON)

    def require_rest(self, names: Sequence[str]) -> None:
        """Check that the poses of these things never change.

        Raises:
            Refused: If a thing moves (MOVES).
        """
        for name in names:
            if not self.rests(name):
                raise Refused(Reason.MOVES)


def _known(entity: Entity) -> np.ndarray:
    """Find the samples in which the pose of an entity is known.

    The result is (T,) bool, or (1,) bool for an entity that does not move.
    """
    return np.asarray(np.isfinite(entity.poses).all(axis=(1, 2)))


def moved(change: np.ndarray, box: Box) -> Box:
    """Apply a rigid transform (4, 4) to a box."""
    return Box(change[:3, :3] @ box.centre + change[:3, 3], box.size, change[:3, :3] @ box.rotation)


def scene_of(observer: Camera) -> SceneView:
    """Return the things that questions can ask about.

    Questions can ask about all entities except supports. A name distinguishes a thing from all other things that
    are ever in the picture. A thing has no name in the result if its name would have to state a time;
    ``view_of`` names such things, too.
    """
    recording = observer.recording
    size = picture_size(recording)
    pixels = None if size is None else size[0] * size[1]
    shown = {entity.id: shown_of(entity, recording, size) for entity in recording.entities}
    sights = {e.id: sight_of(e, len(recording.times), pixels, shown[e.id]) for e in recording.entities}
    names = refer([e for e in recording.entities if is_furniture(e) or sights[e.id].ever])
    found = [Thing(e, names.get(e.id), sights[e.id]) for e in sorted(recording.entities, key=lambda entity: entity.id)]
    things, supports = (tuple(one for one in found if is_furniture(one.entity) == kind) for kind in (False, True))
    return SceneView(observer, things, supports)
