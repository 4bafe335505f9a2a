"""The ground truth of a clip (camera, entities and events), in one format for all sources.

Units are metres, seconds and radians. The camera axes are the axes of OpenCV: x right, y down, z forward.
``world_T_camera`` maps camera coordinates to world coordinates.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.geometry import Axes, Box

PERSON = "person"  # the category of people


class Kind(StrEnum):
    """The size class of a scene, which determines units, limits and ranges in questions."""

    DESKTOP = "desktop"
    INDOOR = "indoor"
    OUTDOOR = "outdoor"


@dataclass(frozen=True)
class Clip:
    """The pictures of a recording as one video file.

    ``path`` is absolute in memory. On disk, ``path`` is relative to the folder of the benchmark or of the
    recording. Frame k of the clip is sample k of the recording.
    """

    path: Path
    sha256: str
    fps: float
    width: int
    height: int


@dataclass(frozen=True)
class StateChange:
    """A state change: from frame ``frame`` on, property ``key`` of the entity has the value ``value``."""

    frame: int
    key: str
    value: str


@dataclass(frozen=True, eq=False)
class Body:
    """The surface of an articulated entity and the poses of its joints.

    ``vertices`` (V, 3) m and ``faces`` (F, 3) are the surface at rest. ``rest`` (J, 4, 4) contains the poses of the
    joints at rest, in the coordinates of the vertices. ``poses`` (T, J, 4, 4) is world_T_joint. Each vertex is moved by
    the joints ``bones`` (V, K) with the weights ``weights`` (V, K), whose sum is 1 (linear blend skinning). ``joints``
    are the names of the joints; the first joint is the root.
    """

    joints: tuple[str, ...]
    vertices: np.ndarray
    faces: np.ndarray
    bones: np.ndarray
    weights: np.ndarray
    rest: np.ndarray
    poses: np.ndarray

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.joints)} joints, {len(self.faces)} triangles>"


@dataclass(frozen=True, eq=False)
class Entity:
    """A thing that has a usual name, such as a chair or a car.

    Arrays over time have one row for each of the T samples of the recording. ``poses`` is world_T_entity, with the box
    centre as origin. Its shape is (T, 4, 4), or (1, 4, 4) for a thing that does not move. ``size`` is (length, width,
    height) in m, along the x, y and z axes of the entity. ``size_range`` is the smallest and the largest length, width
    and height (m) that a thing of this name can have in its world. It is None if the source does not state this range.
    If the entity is articulated, ``body`` is its surface with its joints; ``poses`` and ``size`` then describe a box
    around its whole motion, in the frame of its root.
    """

    id: str
    label: str
    category: str
    size: tuple[float, float, float]
    poses: np.ndarray
    attributes: dict[str, str] = field(default_factory=dict)
    parent: str | None = None
    symmetry: str | None = None
    visible: np.ndarray | None = None  # (T,) bool, as stated by the source
    visible_pixels: np.ndarray | None = None  # (T,) int
    visible_fraction: np.ndarray | None = None  # (T,) in [0, 1]
    box2d: np.ndarray | None = None  # (T, 4) x0 y0 x1 y1 px, NaN if the entity is not in the picture
    points: np.ndarray | None = None  # (N, 3) m, in the entity's own frame
    label_speed: np.ndarray | None = None  # (T, 3) m/s in world coordinates, from the source's annotators
    size_range: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    changes: tuple[StateChange, ...] = ()
    body: Body | None = None

    def __repr__(self) -> str:
        size = " x ".join(f"{length:.3g}" for length in self.size)
        return f"<{type(self).__name__} {self.id!r}: {self.label}, {size} m{', moves' if len(self.poses) > 1 else ''}>"

    @property
    def is_person(self) -> bool:
        """Check whether the entity is a person."""
        return self.category == PERSON

    def pose_at(self, k: int) -> np.ndarray:
        """Return world_T_entity (4, 4) in frame ``k``.

        The matrix is NaN if the pose is unknown.
        """
        return self.poses[k if len(self.poses) > 1 else 0]

    def box_at(self, k: int) -> Box | None:
        """Return the entity's box in the world in frame ``k``.

        The result is None if the entity's pose is unknown.
        """
        pose = self.pose_at(k)
        return Box(pose[:3, 3], np.array(self.size), pose[:3, :3]) if np.isfinite(pose).all() else None


@dataclass(frozen=True, eq=False)
class Room:
    """A room of a house: its type, floor, and connected rooms.

    The floor is a polygon (N, 2) m in the world's ground plane.
    """

    id: str
    type: str
    floor: np.ndarray
    connections: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id!r}: {self.type}>"


@dataclass(frozen=True)
class Event:
    """An event with its start time and end time (s)."""

    kind: str
    start: float
    end: float
    agent: str | None = None
    object: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Recording:
    """A clip and its ground truth, or a camera trajectory without a clip.

    ``times`` (T,) s starts at zero and increases strictly. ``world_T_camera`` is (T, 4, 4). A sample's matrix is
    NaN if its ``valid`` is False. ``native_axes`` are the camera axes that the source uses. ``native_axes`` is None
    if the poses belong to a body whose forward direction is unknown.

    ``gravity`` is the direction in which things fall, as a unit vector in world coordinates. ``gravity`` is None if the
    source does not state this direction. Without gravity, questions that need the up direction are refused; the
    direction is never guessed.

    ``depth`` and ``identities`` have the path of a file for each sample, relative to the recording's folder. The path
    is None if the sample has no file. ``depth_scale`` is the number of depth steps per metre. ``velocity`` is the
    vehicle's velocity in world coordinates as the source states it, NaN if unknown.
    """

    id: str
    kind: Kind
    source: str
    times: np.ndarray
    world_T_camera: np.ndarray  # noqa: N815
    valid: np.ndarray
    clip: Clip | None = None
    gravity: np.ndarray | None = None
    intrinsics: np.ndarray | None = None  # (3, 3) or (T, 3, 3) px
    distortion: np.ndarray | None = None
    native_axes: Axes | None = Axes.OPENCV
    depth: tuple[str | None, ...] | None = None
    identities: tuple[str | None, ...] | None = None
    depth_scale: float | None = None
    scene: str | None = None  # recordings of one scene in different states share this name
    state: str | None = None
    vehicle_pose: np.ndarray | None = None  # (T, 4, 4) world_T_vehicle
    camera_mount: np.ndarray | None = None  # (4, 4) vehicle_T_camera
    velocity: np.ndarray | None = None  # (T, 3) m/s
    entities: tuple[Entity, ...] = ()
    rooms: tuple[Room, ...] = ()
    events: tuple[Event, ...] = ()
    licence: str | None = None
    provenance: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [str(self.kind), f"{len(self.times)} frames"]
        if len(self.times) > 1:
            parts.append(f"{self.times[-1] - self.times[0]:.1f} s")
        several = {
            "entity": (self.entities, "entities"),
            "room": (self.rooms, "rooms"),
            "event": (self.events, "events"),
        }
        parts += [f"{len(of)} {one if len(of) == 1 else many}" for one, (of, many) in several.items() if of]
        if self.clip is None:
            parts.append("no clip")
        return f"<{type(self).__name__} {self.id!r}: {', '.join(parts)}>"

    @property
    def up(self) -> np.ndarray | None:
        """Return the unit vector (3,) that points up, or None."""
        return None if self.gravity is None else -self.gravity

    def camera_at(self, k: int) -> np.ndarray:
        """Return world_T_camera (4, 4) in frame ``k``.

        The matrix is NaN if the pose is unknown.
        """
        return self.world_T_camera[k]

    def intrinsics_at(self, k: int) -> np.ndarray | None:
        """Return the intrinsics (3, 3) px in frame ``k``, or None."""
        if self.intrinsics is None or self.intrinsics.ndim == 2:
            return self.intrinsics
        return self.intrinsics[k]

    @property
    def fps(self) -> float | None:
        """Return the number of samples per second, or None for one sample."""
        if self.clip is not None:
            return self.clip.fps
        return None if len(self.times) < 2 else float((len(self.times) - 1) / (self.times[-1] - self.times[0]))
