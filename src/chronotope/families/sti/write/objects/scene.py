"""The things of a recording, prepared once for every question: their names, when they are seen, where they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.families import Refused
from chronotope.families.sti.measure import Track, track_of
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import Scale
from chronotope.families.sti.write.camera import Camera
from chronotope.families.sti.write.objects.refer import Name, is_furniture, refer
from chronotope.families.sti.write.objects.sight import (
    Sight,
    longest_run,
    require_clear,
    shown_of,
    sight_of,
    wholly_before,
)
from chronotope.families.sti.write.windows import TICK
from chronotope.geometry import Box, interpolate_pose, invert
from chronotope.recording import Entity, Recording

__all__ = ["Scene", "Thing", "scene_of"]

LEAST_APART = 1.0  # s between the time that a name states and the time that is asked about
_EPSILON = 1e-6  # s


@dataclass(frozen=True, eq=False)
class Thing:
    """An entity that may be asked about, what it is called (None where nothing singles it out), and when it is seen."""

    entity: Entity
    name: Name | None
    sight: Sight


@dataclass(frozen=True, eq=False)
class Scene:
    """The things of a recording, in the order of their ids, and the camera's way among them."""

    observer: Camera
    things: tuple[Thing, ...]

    @property
    def recording(self) -> Recording:
        """See Subject."""
        return self.observer.recording

    @property
    def scale(self) -> Scale:
        """See Subject."""
        return self.observer.scale

    @cached_property
    def _by_id(self) -> dict[str, Thing]:
        return {thing.entity.id: thing for thing in self.things}

    @cached_property
    def picture(self) -> tuple[int, int] | None:
        """Width and height (px) of the pictures, where known."""
        return picture_size(self.recording)

    @cached_property
    def nameless(self) -> frozenset[str]:
        """The ids of things that nothing singles out."""
        return frozenset(thing.entity.id for thing in self.things if thing.name is None)

    def thing(self, name: str) -> Thing:
        """The thing with this id."""
        return self._by_id[name]

    def phrase(self, entity: str) -> str:
        """See Subject."""
        return self.called((entity,))[0]

    def called(self, names: Sequence[str]) -> list[str]:
        """The phrase for each of these ids; refused where one has none."""
        found = [self.thing(name).name for name in names]
        if any(name is None for name in found):
            ever = all(self.thing(name).sight.ever for name in names)
            raise Refused(Code.NOT_UNIQUE if ever else Code.NOT_VISIBLE)
        return [name.text for name in found if name is not None]

    def states_a_moment(self, name: str) -> bool:
        """Whether only a stated time singles a thing out."""
        found = self.thing(name).name
        return found is not None and found.at is not None

    def refuse_telling_names(self, names: Sequence[str], time: float, *ways: str) -> None:
        """Refused where the name of one of these things tells where it is: by such a way, or at about the same time."""
        for name in (self.thing(one).name for one in names):
            if name is not None and (name.by in ways or (name.at is not None and abs(name.at - time) < LEAST_APART)):
                raise Refused(Code.NOT_UNIQUE)

    def up(self) -> np.ndarray:
        """Unit vector (3,) away from the ground, in the world; refused where it is not known."""
        return self.observer.up()

    def window(self, names: Sequence[str]) -> tuple[float, float] | None:
        """First and last time (s) of the longest stretch in which all these things are clearly seen."""
        clear = np.logical_and.reduce([self.thing(name).sight.clear for name in names])
        return longest_run(self.recording.times, clear)

    def might_be_seen(self, names: Sequence[str], least: float) -> bool:
        """Whether another driver might see all these things together for at least so long (s)."""
        possible = np.logical_and.reduce([self.thing(name).sight.possible for name in names])
        run = longest_run(self.recording.times, possible)
        return run is not None and run[1] - run[0] >= least - _EPSILON

    def require_window(self, names: Sequence[str], least: float) -> None:
        """Refused unless all these things are clearly seen together for at least so long (s)."""
        run = self.window(names)
        if run is None or run[1] - run[0] < least - _EPSILON:
            raise Refused(Code.OCCLUDED if self.might_be_seen(names, least) else Code.NOT_VISIBLE)

    def printed_window(self, names: Sequence[str]) -> tuple[float, float]:
        """The window of ``names`` as printed, floored and ceiled to 0.1 s inside the clip; the whole clip without."""
        run = self.window(names)
        if run is None:
            return 0.0, self.observer.end
        first, last = np.floor(run[0] / TICK + _EPSILON) * TICK, np.ceil(run[1] / TICK - _EPSILON) * TICK
        return round(float(first), 1), round(min(float(last), self.observer.end), 1)

    def distances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The printed times (K,) s, the distance (N, K) m of each thing from the camera then, and where it is clear.

        The distance is infinite where nothing of a thing is in the picture, and zero where its place is not known.
        """
        before = self._samples[:, 0]
        cameras = self._cameras[:, :3, 3]
        distances, clear = [], []
        for thing in self.things:
            poses, sight = thing.entity.poses, thing.sight
            centres = poses[before if len(poses) > 1 else np.zeros_like(before), :3, 3]
            away = np.nan_to_num(np.linalg.norm(centres - cameras, axis=1), nan=0.0)
            distances.append(np.where(sight.shown[self._samples].any(axis=1), away, np.inf))
            seen = sight.clear & sight.shown
            if self.picture is None:
                seen = seen & wholly_before(thing.entity, self.recording)
            clear.append(seen[self._samples].all(axis=1) & (away > 0))
        return self._ticks, np.array(distances), np.array(clear)

    def moments(self, names: Sequence[str]) -> np.ndarray:
        """The printed times (s) at which all these things are clearly seen."""
        clear = np.logical_and.reduce([self.thing(name).sight.clear for name in names])
        return self._ticks[clear[self._samples].all(axis=1)]

    @cached_property
    def _ticks(self) -> np.ndarray:
        return np.round(np.arange(round(self.observer.end / TICK) + 1) * TICK, 1)

    @cached_property
    def _samples(self) -> np.ndarray:
        """The samples (K, 2) on either side of each printed time; both the same where a sample lies on it."""
        return np.stack([self._around(float(time)) for time in self._ticks])

    def _around(self, time: float) -> np.ndarray:
        times = self.recording.times
        before = int(np.searchsorted(times, time + _EPSILON, side="right")) - 1
        after = int(np.searchsorted(times, time - _EPSILON, side="left"))
        return np.clip([before, after], 0, len(times) - 1)

    def require_seen(self, names: Sequence[str], time: float) -> None:
        """Refused unless all these things are clearly seen at one time."""
        for name in names:
            require_clear(self.thing(name).sight, self._around(time))

    def camera(self, time: float) -> np.ndarray:
        """World_T_camera (4, 4) at a printed time: the source's own, not smoothed, because a frame is asked about.

        Refused where no pose is known.
        """
        pose = self._cameras[round(time / TICK)]
        if np.isnan(pose).any():
            raise Refused(Code.INVALID_POSE)
        return pose

    @cached_property
    def _cameras(self) -> np.ndarray:
        """World_T_camera (K, 4, 4) at all printed times, NaN where no pose is known."""
        poses = np.full((len(self._ticks), 4, 4), np.nan)
        for piece in self.observer.track.pieces:
            covered = np.array([piece.covers(time, time) for time in self._ticks])
            at = np.clip(self._ticks[covered], piece.times[0], piece.times[-1])
            poses[covered] = interpolate_pose(piece.times, piece.poses, at)
        return poses

    def box(self, name: str, time: float) -> Box:
        """A thing's box in the world at one time; refused where its pose is not known then."""
        entity = self.thing(name).entity
        pose = entity.poses[0]
        if len(entity.poses) > 1:
            before, after = self._around(time)
            if not np.isfinite(entity.poses[[before, after]]).all():
                raise Refused(Code.INVALID_POSE)
            pose = entity.poses[before]
            if before != after:
                beside = [before, after]
                pose = interpolate_pose(self.recording.times[beside], entity.poses[beside], [time])[0]
        return Box(pose[:3, 3], np.array(entity.size), pose[:3, :3])

    def first_seen(self, name: str) -> float:
        """The first printed time (s) at which a thing is clearly seen; of its first known pose where it never is."""
        moments = self.moments((name,))
        if len(moments):
            return float(moments[0])
        known = _known(self.thing(name).entity)
        return float(self.recording.times[int(np.argmax(known))]) if len(known) > 1 else 0.0

    def seen_box(self, name: str, time: float) -> Box:
        """A thing's box in the frame of the camera at one time."""
        return moved(invert(self.camera(time)), self.box(name, time))

    def track(self, name: str) -> Track:
        """A thing's way: its box's centre."""
        if name not in self._tracks:
            entity, recording, scale = self.thing(name).entity, self.recording, self.scale
            known = _known(entity)
            self._tracks[name] = track_of(recording.times, entity.poses, known, recording.fps, scale, scale.still_thing)
        return self._tracks[name]

    @cached_property
    def _tracks(self) -> dict[str, Track]:
        return {}

    def rests(self, name: str) -> bool:
        """Whether a thing has one pose only."""
        poses = self.thing(name).entity.poses
        return bool((np.nanmax(poses, axis=0) - np.nanmin(poses, axis=0)).max() <= _EPSILON)

    def require_rest(self, names: Sequence[str]) -> None:
        """Refused where one of these things has more than one pose."""
        for name in names:
            if not self.rests(name):
                raise Refused(Code.MOVES)


def _known(entity: Entity) -> np.ndarray:
    """Where an entity's pose is known: (T,) bool, or (1,) for one that rests."""
    return np.asarray(np.isfinite(entity.poses).all(axis=(1, 2)))


def moved(change: np.ndarray, box: Box) -> Box:
    """A box under a rigid change (4, 4) of its frame."""
    return Box(change[:3, :3] @ box.centre + change[:3, 3], box.size, change[:3, :3] @ box.rotation)


def picture_size(recording: Recording) -> tuple[int, int] | None:
    """Width and height (px) of a recording's pictures: the clip's, else as the principal point suggests; or None."""
    if recording.clip is not None:
        return recording.clip.width, recording.clip.height
    if recording.intrinsics is None:
        return None
    centre = recording.intrinsics.reshape(-1, 3, 3)[0, :2, 2]
    return round(2 * float(centre[0]) + 1), round(2 * float(centre[1]) + 1)


def scene_of(observer: Camera) -> Scene:
    """The things that may be asked about: every entity that is not there for others to stand on.

    Names tell a thing from all others that are ever in the picture; see ``names_at_moments`` for those without one.
    """
    recording = observer.recording
    size = picture_size(recording)
    pixels = None if size is None else size[0] * size[1]
    shown = {entity.id: shown_of(entity, recording, size) for entity in recording.entities}
    sights = {e.id: sight_of(e, len(recording.times), pixels, shown[e.id]) for e in recording.entities}
    names = refer([e for e in recording.entities if is_furniture(e) or sights[e.id].ever])
    entities = sorted((e for e in recording.entities if not is_furniture(e)), key=lambda entity: entity.id)
    return Scene(observer, tuple(Thing(e, names.get(e.id), sights[e.id]) for e in entities))
