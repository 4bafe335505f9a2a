"""The set of a film: things at their positions, surroundings, and lights."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from chronotope.world.rig import Rig
from chronotope.world.slabs import slab
from chronotope.world.things import Look, Piece, Thing

PANEL = 0.004  # m, thickness of a ceiling lamp


@dataclass(frozen=True, eq=False)
class LookChange:
    """A visible change of a thing: from frame ``frame`` on, its property ``key`` has the value ``value``.

    ``looks`` maps the indices of pieces to the looks that they have from then on. It is empty if a rig shows the
    change, such as a lid that opens.
    """

    frame: int
    key: str
    value: str
    looks: Mapping[int, Look] = field(default_factory=dict[int, Look])


@dataclass(frozen=True, eq=False)
class Placement:
    """A thing in the world; ``parent`` is the id of its support.

    ``role`` is "thing", or "furniture" for a support. ``path`` contains the poses (T, 4, 4) of a moving thing, one for
    each frame; ``pose`` is then the first pose. ``attributes`` are further facts about the thing, such as its states.
    If the thing is articulated, ``rig`` moves its pieces, and ``pose`` and ``path`` are the pose of its frame.
    ``changes`` are the visible changes of the thing during the clip, in the order of time.
    """

    id: str
    thing: Thing
    pose: np.ndarray
    parent: str | None = None
    role: str = "thing"
    path: np.ndarray | None = None
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    rig: Rig | None = None
    changes: tuple[LookChange, ...] = ()

    @property
    def moves(self) -> bool:
        """Check whether the thing or a part of it moves."""
        return self.path is not None or self.rig is not None

    def looking_as(self, frame: int) -> "Placement":
        """Return the thing with the looks that it has in a frame, and without later changes."""
        looks = {
            piece: look for change in self.changes if change.frame <= frame for piece, look in change.looks.items()
        }
        if not self.changes:
            return self
        pieces = [replace(piece, look=looks.get(number, piece.look)) for number, piece in enumerate(self.thing.pieces)]
        return replace(self, thing=replace(self.thing, pieces=tuple(pieces)), changes=())

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


@dataclass(frozen=True)
class Daylight:
    """The sun and the sky over a set outdoors.

    ``towards`` is the unit vector to the sun. ``window`` (m) is half the side of the square around the camera's view in
    which the engine's own sun casts shadows; baked sunlight casts them everywhere.
    """

    towards: tuple[float, float, float]
    window: float = 30.0


@dataclass(frozen=True, eq=False)
class FilmSet:
    """All visible parts of a scene; z is up, in metres.

    Only surfaces between ``near`` and ``far`` (m) are drawn. ``shadowed`` is the share of a lamp's cone for which
    shadows are computed: a smaller share gives finer shadows. Under baked light, ``lamps`` replace ``lights`` and
    ``ambient``. A set with ``daylight`` is outdoors: the sun and the sky light it at each quality.
    """

    placements: tuple[Placement, ...]
    backdrop: tuple[Piece, ...] = ()
    lights: tuple[Light, ...] = ()
    ambient: tuple[float, float, float] = field(default=(0.42, 0.42, 0.42))
    near: float = 0.15
    far: float = 10.0
    shadowed: float = 0.3
    lamps: tuple[CeilingLamp, ...] = ()
    daylight: Daylight | None = None

    @property
    def has_movers(self) -> bool:
        """Check whether a thing of the set moves."""
        return any(placement.moves for placement in self.placements)

    @property
    def stages(self) -> tuple[tuple[int, "FilmSet"], ...]:
        """Return the parts of the clip in which all things that stand still look the same.

        Each part has its first frame and the set in this part, without the things that move.
        """
        still = [placement for placement in self.placements if not placement.moves]
        frames = sorted({0} | {change.frame for placement in still for change in placement.changes if change.looks})
        if len(frames) == 1 and not self.has_movers:
            return ((0, self),)
        return tuple(
            (frame, replace(self, placements=tuple(each.looking_as(frame) for each in still))) for frame in frames
        )
