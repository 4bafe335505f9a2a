"""The layout of a scene by a kind of world: a set, and the camera that films the set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chronotope.recording import Change, Event, Kind, Room
from chronotope.world.film_set import FilmSet


@dataclass(frozen=True)
class Plan:
    """A scene that is not drawn: its length (s), its provenance, and the texts that say what happens, by file name."""

    kind: Kind
    seconds: float
    provenance: Mapping[str, Any]
    files: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Ego:
    """The vehicle that carries the camera.

    ``pose`` contains world_T_vehicle (T, 4, 4), ``mount`` is vehicle_T_camera (4, 4), and ``velocity`` (T, 3) m/s is in
    world coordinates.
    """

    pose: np.ndarray
    mount: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True, eq=False)
class Shot:
    """A set and a camera that films it.

    ``times`` (T,) s are the times of the frames, at the frame rate of the quality. ``camera`` contains the poses
    world_T_camera (T, 4, 4) with OpenCV axes, and ``intrinsics`` is (3, 3) px. ``kind`` is the kind of the recording.
    ``state`` names the state of the scene if it has several. ``depth_scale`` is the number of steps per metre in the
    16-bit depth pictures. With 10,000 steps per metre, the largest depth is 6.5 m. ``provenance`` describes the random
    choices for readers. ``rooms`` are the rooms of a home. ``files`` are texts, by file name, that are written beside
    the recording. ``licence`` is the licence of the clip. ``events`` are what happens during the clip. ``ego`` is the
    vehicle that carries the camera, if there is one. ``is_baked`` is false for a set that is too large for baked light,
    such as a town: then it has the light of the engine at each quality.
    """

    film_set: FilmSet
    times: np.ndarray
    camera: np.ndarray
    intrinsics: np.ndarray
    kind: Kind
    state: str | None = None
    depth_scale: float = 10_000.0
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])
    rooms: tuple[Room, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    licence: str = "CC0-1.0"
    events: tuple[Event, ...] = ()
    ego: Ego | None = None
    is_baked: bool = True


@dataclass(frozen=True, eq=False)
class Shots:
    """A shot for each state of a scene, and the changes between states.

    ``notes`` are sentences for the user, such as the parts of a file that could not be used.
    """

    states: tuple[Shot, ...]
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
