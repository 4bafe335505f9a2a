"""What the module of a task returns: a set with the things of the graph, and the camera's path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.recording import Event, Kind
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.kinds.stage.graph import POOLS, TASKS, SceneGraph
from chronotope.world.kinds.stage.sets import Setting
from chronotope.world.shot import Ego
from chronotope.world.things import Thing

NEAR, FAR = 0.06, 30.0  # m
SUNNY_FAR = 120.0  # m; the sun of the engine is 60 m away


@dataclass(frozen=True, eq=False)
class Staged:
    """A scene of a graph: ``parts`` maps the ids of placements to the id of their object in the graph.

    ``facts`` are further facts of the layout for the episode record, such as the places of supports. ``ego`` is the
    vehicle that carries the camera, if there is one.
    """

    film_set: FilmSet
    camera: np.ndarray
    intrinsics: np.ndarray
    kind: Kind
    parts: Mapping[str, str]
    depth_scale: float = 2000.0
    events: tuple[Event, ...] = ()
    is_baked: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ego: Ego | None = None


def place_of(graph: SceneGraph) -> tuple[str, tuple[str, ...]]:
    """Return the set of a graph's theme and its tones, or a living room."""
    theme = POOLS[TASKS[graph.task].theme_pool].named(graph.scene_meta.theme)
    return ("living room", ("pale",)) if theme is None or theme.set is None else (theme.set, theme.palette)


def standing(name: str, thing: Thing, place: Sequence[float], yaw: float, parent: str | None = None) -> Placement:
    """Place an upright thing; ``place`` (x, y, z) m is the point under the middle of its box."""
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_vector(np.array([0.0, 0.0, yaw]))
    pose[:3, 3] = np.round([place[0], place[1], place[2] + thing.size[2] / 2], 6)
    return Placement(name, thing, pose, parent)


def set_of(
    setting: Setting,
    placements: Sequence[Placement],
    near: float = NEAR,
    far: float | None = None,
    shadowed: float = 0.6,
) -> FilmSet:
    """Put things into a setting.

    Outdoors, the view reaches to the sun by default, so that the sun casts shadows.
    """
    if far is None:
        far = FAR if setting.daylight is None else SUNNY_FAR
    return FilmSet(
        (*placements, *setting.props), setting.backdrop, setting.lights, setting.ambient, near, far, shadowed,
        setting.lamps, setting.daylight,
    )  # fmt: skip
