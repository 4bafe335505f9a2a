"""The set of a film: things at their positions, surroundings, and lights."""

from dataclasses import dataclass, field

import numpy as np

from chronotope.world.slabs import slab
from chronotope.world.things import Look, Piece, Thing

PANEL = 0.004  # m, thickness of a ceiling lamp


@dataclass(frozen=True, eq=False)
class Placement:
    """A thing in the world; ``parent`` is the id of its support.

    ``role`` is "thing", or "furniture" for a support. ``path`` contains the poses (T, 4, 4) of a moving thing, one for
    each frame; ``pose`` is then the first pose. ``attributes`` are further facts about the thing, such as its states.
    """

    id: str
    thing: Thing
    pose: np.ndarray
    parent: str | None = None
    role: str = "thing"
    path: np.ndarray | None = None
    attributes: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def poses(self) -> np.ndarray:
        """Return the poses (T, 4, 4), one for each frame.

        For a thing that does not move, the result is (1, 4, 4).
        """
        return self.pose[None] if self.path is None else self.path


@dataclass(frozen=True)
class Light:
    """A lamp that lights a set."""

    position: tuple[float, float, float]
    direction: tuple[float, float, float]
    diffuse: tuple[float, float, float]
    shadows: bool = False


@dataclass(frozen=True)
class CeilingLamp:
    """A thin, bright panel under a ceiling; only baked light has it.

    ``place`` (m) is the middle of the upper side of the panel, and ``side`` (m) is its length and its width. ``glow``
    is the light of the panel, in units of a bright sky.
    """

    place: tuple[float, float, float]
    side: float
    glow: float

    @property
    def piece(self) -> Piece:
        """Return the panel in world coordinates."""
        x, y, z = self.place
        return slab(
            (self.side, self.side, PANEL), (x, y, z - PANEL / 2), Look((1.0, 0.93, 0.84), 0.0, 0.0, glow=self.glow)
        )


@dataclass(frozen=True, eq=False)
class FilmSet:
    """All visible parts of a scene; z is up, in metres.

    Only surfaces between ``near`` and ``far`` (m) are drawn. ``shadowed`` is the share of a lamp's cone for which
    shadows are computed: a smaller share gives finer shadows. Under baked light, ``lamps`` replace ``lights`` and
    ``ambient``.
    """

    placements: tuple[Placement, ...]
    backdrop: tuple[Piece, ...] = ()
    lights: tuple[Light, ...] = ()
    ambient: tuple[float, float, float] = field(default=(0.42, 0.42, 0.42))
    near: float = 0.15
    far: float = 10.0
    shadowed: float = 0.3
    lamps: tuple[CeilingLamp, ...] = ()
