"""The programme of each type of room: its furniture, and the things on its walls and before its windows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from chronotope.io import read_yaml
from chronotope.world.things import HOME_KINDS

Where = Literal["edge", "corner", "along", "middle", "anywhere"]


@dataclass(frozen=True)
class Item:
    """One piece of furniture that a room may get.

    ``chance`` is the probability that the piece is placed if there is room. ``front`` (m) is the depth of the free area
    before the piece. ``beside`` names an object type next to which the piece stands, on the same wall. ``before`` names
    an object type that the piece faces, and ``away`` (m) is the distance from it, which is random if ``away`` is None.
    ``bears`` names an object type that is placed on the piece. ``tall`` furniture never stands before windows; other
    high furniture stands there only if ``before_windows`` is true. A person could not tell the type of a room without
    its ``needed`` furniture, so other pieces and places are tried until one fits.
    """

    type: str
    where: Where = "edge"
    chance: float = 1.0
    front: float = 0.5
    beside: str | None = None
    before: str | None = None
    bears: str | None = None
    tall: bool = False
    before_windows: bool = False
    needed: bool = False
    away: float | None = None


@dataclass(frozen=True)
class WallItem:
    """One thing that may hang on a wall; ``low`` (m) is the height of its lower edge.

    ``above`` names an object type over which the thing hangs.
    """

    type: str
    low: tuple[float, float]
    chance: float = 1.0
    above: str | None = None


@dataclass(frozen=True)
class WindowItem:
    """One thing that may hang before a window."""

    type: str
    chance: float = 1.0


@dataclass(frozen=True)
class Programme:
    """The things that a type of room may have, in the order in which they are placed or tried."""

    furniture: tuple[Item, ...]
    walls: tuple[WallItem, ...]
    windows: tuple[WindowItem, ...]


def programme_of(room: str, rows: Mapping[str, list[dict[str, Any]]]) -> Programme:
    """Make the programme of a room of its lists and of the types with places there."""
    own = [
        (kind, {"type": name, **kind.use.places[room]}) for name, kind in HOME_KINDS.items() if room in kind.use.places
    ]
    walls = [*rows["walls"], *(row for kind, row in own if kind.mount == "wall")]
    return Programme(
        furniture=tuple(
            Item(**row) for row in [*rows["furniture"], *(row for kind, row in own if kind.mount != "wall")]
        ),
        walls=tuple(WallItem(**row | {"low": tuple(row["low"])}) for row in walls),
        windows=tuple(WindowItem(**row) for row in rows["windows"]),
    )


PROGRAMMES: dict[str, Programme] = {
    room: programme_of(room, rows) for room, rows in read_yaml(Path(__file__).with_name("rooms.yaml")).items()
}
"""The programme of each type of room."""
