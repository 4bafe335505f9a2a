"""What is filmed: things in their places, what surrounds them, and the lights."""

from dataclasses import dataclass, field

import numpy as np

from chronotope.world.catalogue import Piece, Thing

__all__ = ["FilmSet", "Light", "Placement"]


@dataclass(frozen=True, eq=False)
class Placement:
    """Place a thing in the world; ``parent`` is the id of what it rests on.

    ``role`` is "thing", or "furniture" for what things stand on. ``path`` holds the poses (T, 4, 4) of a thing that
    moves, one for each frame; ``pose`` is then the first of them.
    """

    id: str
    thing: Thing
    pose: np.ndarray
    parent: str | None = None
    role: str = "thing"
    path: np.ndarray | None = None

    @property
    def poses(self) -> np.ndarray:
        """Return the poses (T, 4, 4), one for each frame.

        A thing that stays has (1, 4, 4).
        """
        return self.pose[None] if self.path is None else self.path


@dataclass(frozen=True)
class Light:
    """A lamp."""

    position: tuple[float, float, float]
    direction: tuple[float, float, float]
    diffuse: tuple[float, float, float]
    shadows: bool = False


@dataclass(frozen=True, eq=False)
class FilmSet:
    """Everything that a camera could see; z is up, metres.

    Nothing is drawn that is nearer than ``near`` or farther than ``far`` (m). ``shadowed`` is the share of a lamp's
    cone in which there are shadows: the smaller it is, the finer they are.
    """

    placements: tuple[Placement, ...]
    backdrop: tuple[Piece, ...] = ()
    lights: tuple[Light, ...] = ()
    ambient: tuple[float, float, float] = field(default=(0.42, 0.42, 0.42))
    near: float = 0.15
    far: float = 10.0
    shadowed: float = 0.3
