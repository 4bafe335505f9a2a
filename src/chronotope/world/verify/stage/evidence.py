"""What the gates of stages measure in a recording: who is seen where, when the camera rests, and what was planned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.stage.arrows import Ways, read_arrows

STILL = 1e-6  # largest change of a pose from frame to frame while the camera rests
TURNING = 15.0  # degrees after which a turn has begun
FULL_LINES = 720  # lines of the picture for which numbers of pixels are stated
AFTER = 0.6  # s after the begin of an event, when one sees what it does
PROTOCOLS = (8, 16, 32)  # frames that a protocol samples from a clip


@dataclass(eq=False)
class Evidence:
    """The plan of a stage as JSON data, and what was measured in its frames.

    ``counts`` (T, E) are pixels of each entity, ``columns`` (T, E) the mean column of its pixels as a share of the
    width, NaN if it is not seen, and ``cut`` (T, E) says whether it reaches the edge of the picture. ``arrows`` (T) are
    read from the lines of the sign, if the plan has one. ``kept`` are some whole frames: the first, the last, one in
    the middle of each phase, two at the begin of each event of the plan, and one in which the camera begins to turn.
    """

    recording: Recording
    graph: Mapping[str, Any]
    scenario: Mapping[str, Any]
    episode: Mapping[str, Any]
    counts: list[np.ndarray] = field(default_factory=list[np.ndarray])
    columns: list[np.ndarray] = field(default_factory=list[np.ndarray])
    cut: list[np.ndarray] = field(default_factory=list[np.ndarray])
    arrows: list[Ways] = field(default_factory=list[Ways])
    kept: dict[int, Frame] = field(default_factory=dict[int, Frame])
    _lines: int = 0

    def note(self, frame: Frame) -> None:
        """Measure a frame."""
        entities = len(self.recording.entities)
        height, width = frame.identities.shape
        self._lines = height
        columns, cut = np.full(entities, np.nan), np.zeros(entities, bool)
        for index, region in enumerate(frame.regions):
            if region is None:
                continue
            shown = frame.identities[region] == index + 1
            columns[index] = (region[1].start + np.flatnonzero(shown.any(axis=0)).mean()) / width
            cut[index] = (
                region[0].start == 0 or region[1].start == 0 or region[0].stop == height or region[1].stop == width
            )
        self.counts.append(frame.counts[1 : entities + 1])
        self.columns.append(columns)
        self.cut.append(cut)
        if self.entries and frame.picture is not None:
            self.arrows.append(read_arrows(frame, self.index["sign"] + 1, len(self.entries)))
        if frame.index in self.wanted:
            self.kept[frame.index] = frame

    @cached_property
    def wanted(self) -> frozenset[int]:
        """Return the numbers of the frames that are kept."""
        times = self.recording.times
        phases = self.scenario["phases"]
        moments = [(phase["t0"] + min(phase["t1"], times[-1])) / 2 for phase in phases]
        begins = [event["t0"] for phase in phases for event in phase["events"]]
        moments += [begin + later for begin in begins for later in (0.0, AFTER)]
        return frozenset({0, len(times) - 1, self.turning, *(int(np.abs(times - t).argmin()) for t in moments)})

    @cached_property
    def turning(self) -> int:
        """Return the number of the frame in which the camera has turned by some degrees, or 0."""
        return int(np.argmax(np.abs(self.heading - self.heading[0]) > TURNING))

    @property
    def lines(self) -> int:
        """Return the height of the picture (px)."""
        return self._lines or FULL_LINES

    def pixels(self, at_full: float) -> float:
        """Convert a number of pixels at 720 lines to this picture."""
        return at_full * (self.lines / FULL_LINES) ** 2

    @cached_property
    def seen(self) -> np.ndarray:
        """Return the pixels (T, E) of each entity."""
        return np.array(self.counts)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return the places of entities by their ids."""
        return {entity.id: place for place, entity in enumerate(self.recording.entities)}

    @cached_property
    def objects(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the objects of the graph by their ids."""
        return {each["id"]: each for each in self.graph["objects"]}

    @cached_property
    def entries(self) -> list[Mapping[str, str]]:
        """Return the entries of the sign from top to bottom: each has a ``text`` and an ``arrow``."""
        looks = self.objects.get("sign", {}).get("attributes", {})
        return [looks[key] for key in ("entry_A", "entry_B", "entry_C") if looks.get(key)]

    def by_role(self, *roles: str) -> list[Mapping[str, Any]]:
        """Return the objects of the graph with one of these roles."""
        return [each for each in self.graph["objects"] if each["role"] in roles]

    def parts(self, name: str) -> list[int]:
        """Return the places of the entities that belong to an object of the graph."""
        return [self.index[each["id"]] for each in self.episode["entities"] if each["object"] == name]

    def entity(self, name: str) -> Entity:
        """Return the entity with an id."""
        return self.recording.entities[self.index[name]]

    def of_object(self, name: str) -> np.ndarray:
        """Return the pixels (T,) of all parts of an object."""
        return self.seen[:, self.parts(name)].sum(axis=1)

    def places(self, name: str) -> np.ndarray:
        """Return where (T, 3) m an entity is: its frame, or its root if it is articulated."""
        entity = self.entity(name)
        poses = entity.poses if entity.body is None else entity.body.poses[:, 0]
        return np.broadcast_to(poses[:, :3, 3], (len(self.recording.times), 3))

    def rates(self, values: np.ndarray) -> np.ndarray:
        """Return the change (T - 1, ...) per second of values (T, ...)."""
        return (np.diff(values, axis=0).T / np.diff(self.recording.times)).T

    def mean_column(self, name: str, frames: np.ndarray) -> float:
        """Return the mean column of an entity in some frames, as a share of the width.

        The result is NaN if the entity is not seen.
        """
        shown = np.array(self.columns)[frames, self.index[name]]
        return float(np.nanmean(shown)) if np.isfinite(shown).any() else float("nan")

    def fraction(self, name: str) -> np.ndarray:
        """Return the visible fraction (T,) of an entity."""
        found = self.entity(name).visible_fraction
        return np.zeros(len(self.recording.times)) if found is None else found

    @cached_property
    def resting(self) -> np.ndarray:
        """Return in which frames (T,) the camera is where it was or will be in a neighbouring frame."""
        moved = np.abs(np.diff(self.recording.world_T_camera, axis=0)).max(axis=(1, 2)) > STILL
        return ~(np.r_[True, moved] & np.r_[moved, True])

    def holds(self, shortest: float = 0.4) -> list[np.ndarray]:
        """Return the frames of each rest of the camera that lasts ``shortest`` s or more."""
        edges = np.flatnonzero(np.diff(np.r_[False, self.resting, False].astype(int)))
        runs = [np.arange(a, b) for a, b in edges.reshape(-1, 2)]
        times = self.recording.times
        return [run for run in runs if times[run[-1]] - times[run[0]] >= shortest]

    def phase(self, name: str) -> np.ndarray:
        """Return the numbers of the frames of a phase."""
        phase = next(each for each in self.scenario["phases"] if each["name"] == name)
        times = self.recording.times
        return np.flatnonzero((times >= phase["t0"] - 1e-9) & (times < phase["t1"] - 1e-9))

    def sampled(self, count: int) -> np.ndarray:
        """Return the frames that a protocol samples."""
        return np.linspace(0, len(self.recording.times) - 1, count).round().astype(int)

    @cached_property
    def pitch(self) -> np.ndarray:
        """Return the elevation (T,) of the camera's view, in degrees: 90 is straight up."""
        return np.degrees(np.arcsin(np.clip(self.recording.world_T_camera[:, 2, 2], -1, 1)))

    @cached_property
    def heading(self) -> np.ndarray:
        """Return the direction (T,) of the camera's view in degrees, clockwise from +y, without jumps."""
        forward = self.recording.world_T_camera[:, :2, 2]
        return np.degrees(np.unwrap(np.arctan2(forward[:, 0], forward[:, 1])))

    @property
    def focal(self) -> float:
        """Return the focal length (px)."""
        assert self.recording.intrinsics is not None
        return float(self.recording.intrinsics[1, 1])

    def low_of(self, name: str) -> float:
        """Return the height (m) on which an upright entity stands."""
        entity = self.entity(name)
        return float(entity.poses[0][2, 3] - entity.size[2] / 2)


def named(value: Any) -> str:
    """Return the label of one thing of a content, such as "red apple" for "red apples"."""
    return str(value).removesuffix("s")


def listed(names: Sequence[str]) -> str:
    """Return names in one text."""
    return ", ".join(names) or "nothing"
