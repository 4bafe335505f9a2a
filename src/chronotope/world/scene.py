"""What a simulated scene is: things in their places, what surrounds them, and the lights."""

from dataclasses import dataclass, field

import numpy as np

from chronotope.world.catalogue import Piece, Thing

__all__ = ["Light", "Placement", "Scene"]


@dataclass(frozen=True, eq=False)
class Placement:
    """A thing in the world: ``pose`` (4, 4) is world_T_thing, ``parent`` the id of what it rests on.

    ``role`` is "thing", or "furniture" for what things stand on.
    """

    id: str
    thing: Thing
    pose: np.ndarray
    parent: str | None = None
    role: str = "thing"


@dataclass(frozen=True)
class Light:
    """A lamp: where it is (m), where it shines, its strength (sRGB 0..1), whether it throws shadows."""

    position: tuple[float, float, float]
    direction: tuple[float, float, float]
    diffuse: tuple[float, float, float]
    shadows: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that a camera could see; z is up, metres. ``backdrop`` are pieces in world coordinates."""

    placements: tuple[Placement, ...]
    backdrop: tuple[Piece, ...] = ()
    lights: tuple[Light, ...] = ()
    ambient: tuple[float, float, float] = field(default=(0.42, 0.42, 0.42))
