"""The JSON format of ProcTHOR houses.

The axes of a house file are left-handed (`chronotope.world.left_handed`); lengths are in m, and angles in degrees.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from chronotope.errors import InputError
from chronotope.io import read_json
from chronotope.io.fields import first_fault
from chronotope.world.left_handed import Vector, from_left_handed, from_vector, to_left_handed, to_vector

EXTERIOR = "exterior"  # the id of the outside in the walls of a house file
# Bounds of what a home can be. The largest houses of ProcTHOR have ten rooms and some hundred objects.
FURTHEST = 1000.0  # m, largest coordinate
WIDEST, LARGEST, HIGHEST = 100.0, 2000.0, 20.0  # m, m² and m: all floors together, and the highest wall
_ROOMS, _WALLS, _CORNERS, _OBJECTS = 100, 5000, 1000, 2000
_MOST = 16 << 20  # bytes of a file


def _checked_name(text: str) -> str:
    if not text.isprintable() or not 0 < len(text) <= 200:
        raise ValueError("is not a name: expected 1 to 200 printable characters")
    return text


Name = Annotated[str, AfterValidator(_checked_name)]
Coordinate = Annotated[float, Field(ge=-FURTHEST, le=FURTHEST)]
Share = Annotated[float, Field(ge=0, le=1)]
Angle = Annotated[float, Field(ge=-1e6, le=1e6)]


def world_yaw(degrees: float) -> float:
    """Convert a yaw of a file (degrees) to the world's (rad)."""
    return float(from_left_handed(np.array([[0.0, 0.0, degrees, 0.0]]))[0, 2])


def file_degrees(yaw: float) -> float:
    """Convert a yaw of the world (rad) to the file's (degrees)."""
    return float(to_left_handed(np.array([[0.0, 0.0, yaw, 0.0]]))[0, 2])


class _Entry(BaseModel):
    # Unknown keys are kept, so that a file that is read and written loses nothing.
    model_config = ConfigDict(
        extra="allow", allow_inf_nan=False, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


class Point(_Entry):
    """A point in the axes of the file (m)."""

    x: Coordinate
    y: Coordinate = 0.0
    z: Coordinate = 0.0

    @classmethod
    def of(cls, place: np.ndarray) -> Self:
        """Make a point of a position in the world.

        ``place`` (2,) or (3,) is in m.
        """
        return cls(**to_vector(place if len(place) > 2 else np.append(place, 0.0)))

    @property
    def world(self) -> np.ndarray:
        """Return the position (3,) m in the world."""
        return from_vector(Vector(x=self.x, y=self.y, z=self.z))


class Turn(_Entry):
    """Angles about the axes of the file (degrees)."""

    x: Angle = 0.0
    y: Angle = 0.0
    z: Angle = 0.0


class RoomEntry(_Entry):
    """A room with its type and its floor."""

    id: Name
    room_type: str
    floor_polygon: tuple[Point, ...] = Field(min_length=3, max_length=_CORNERS)


class WallEntry(_Entry):
    """One side of a wall: two points of its lower edge and two of its upper edge, in any order.

    If a wall is empty, there is no wall in this place: two rooms are open to each other.
    """

    id: Name
    room_id: Name
    polygon: tuple[Point, ...] = Field(min_length=4, max_length=4)
    empty: bool = False

    @property
    def lower(self) -> np.ndarray:
        """Return the ends (2, 2) m of the lower edge.

        The ends are in the world, in the order of the file.
        """
        heights = [point.y for point in self.polygon]
        first = 0 if heights[0] <= heights[2] else 2  # the outer sides of ProcTHOR have the upper edge first
        return np.array([self.polygon[first].world[:2], self.polygon[first + 1].world[:2]])

    @property
    def height(self) -> float:
        """Return the height of the upper edge (m)."""
        return max(point.y for point in self.polygon)


class OpeningEntry(_Entry):
    """A door or a window.

    ``hole_polygon`` has two opposite corners of the hole: x along the first wall from its first point, and y upwards.
    """

    id: Name
    room0: Name
    room1: Name
    wall0: Name
    wall1: Name | None = None
    hole_polygon: tuple[Point, ...] = Field(min_length=2, max_length=2)
    asset_id: str | None = None
    asset_position: Point | None = None
    openable: bool = False
    openness: Share | None = None
    chronotope: dict[str, Any] | None = None


class _StateEntry(BaseModel):
    """The state of an object, with the fields of `HomeState`."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    openness: Share = 0.0
    on: bool = False
    dirty: bool = False
    sliced: bool = False
    broken: bool = False
    cooked: bool = False
    liquid: Literal["water", "coffee", "wine"] | None = None
    used_up: bool = False


class Own(_Entry):
    """The fields of an object that only Chronotope writes, in order to build exactly the same object again."""

    seed: int = Field(ge=0, lt=2**63)
    room: Name
    shelf: int = Field(default=0, ge=0)
    state: dict[str, Any] = Field(default_factory=dict)
    asset: str | None = None

    @field_validator("state")
    @classmethod
    def _check_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        try:
            return _StateEntry.model_validate(state).model_dump(exclude_unset=True)
        except ValidationError as error:
            raise ValueError(first_fault(error)) from None


class ObjectEntry(_Entry):
    """An object, with the objects on and in it. ``position`` is the middle of its box."""

    id: Name
    asset_id: str
    position: Point
    rotation: Turn = Field(default_factory=Turn)
    kinematic: bool = False
    children: tuple["ObjectEntry", ...] = Field(default=(), max_length=_OBJECTS)
    openness: Share | None = None
    is_on: bool | None = None
    is_dirty: bool | None = None
    chronotope: Own | None = None

    @property
    def type(self) -> str:
        """Return the object type, which begins the id."""
        return self.id.partition("|")[0]


class Agent(_Entry):
    """The first pose of the agent."""

    position: Point
    rotation: Turn = Field(default_factory=Turn)
    horizon: float = 0.0
    standing: bool = True


class UsedAsset(_Entry):
    """An asset that a house has, with its licence and the words that name its author."""

    id: str
    licence: str
    attribution: str


class AssetsEntry(_Entry):
    """The folder of assets of a house, by the hash of its index, and its assets in the house."""

    sha256: str
    used: tuple[UsedAsset, ...] = ()


class Metadata(_Entry):
    """Facts about the complete house."""

    agent: Agent | None = None
    room_spec_id: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    assets: AssetsEntry | None = None


class HouseDocument(_Entry):
    """A house as in a file of ProcTHOR."""

    rooms: tuple[RoomEntry, ...] = Field(min_length=1, max_length=_ROOMS)
    walls: tuple[WallEntry, ...] = Field(max_length=_WALLS)
    doors: tuple[OpeningEntry, ...] = Field(default=(), max_length=_WALLS)
    windows: tuple[OpeningEntry, ...] = Field(default=(), max_length=_WALLS)
    objects: tuple[ObjectEntry, ...] = Field(default=(), max_length=_OBJECTS)
    procedural_parameters: dict[str, Any] = Field(default_factory=dict)
    metadata: Metadata = Field(default_factory=Metadata)

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        rooms = [room.id for room in self.rooms]
        if len(set(rooms)) < len(rooms):
            raise ValueError("two rooms have the same id")
        walls = {wall.id for wall in self.walls}
        for opening in (*self.doors, *self.windows):
            for room in (opening.room0, opening.room1):
                if room not in rooms:
                    raise ValueError(f"{opening.id} names the room {room!r}, and there is no such room")
            if opening.wall0 not in walls:
                raise ValueError(f"{opening.id} names the wall {opening.wall0!r}, and there is no such wall")
        counts = Counter(entry.id for entry in self.every_object())
        if counts.total() > _OBJECTS:
            raise ValueError(f"the house has {counts.total():,} objects, expected at most {_OBJECTS:,}")
        if twice := next((name for name, count in counts.items() if count > 1), None):
            raise ValueError(f"two objects have the id {twice!r}")
        return self

    def every_object(self) -> Iterator[ObjectEntry]:
        """Yield all objects, each before the objects on it."""
        left = list(reversed(self.objects))
        while left:
            entry = left.pop()
            yield entry
            left += reversed(entry.children)

    def text(self) -> str:
        """Return the text of the file.

        Keys are sorted, and numbers have nine decimals.
        """
        plain = self.model_dump(by_alias=True, exclude_none=True, mode="json")
        return json.dumps(_rounded(plain), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9) + 0.0  # -0.0 becomes 0.0
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def read_house(path: Path) -> HouseDocument:
    """Read the house of a file.

    Raises:
        InputError: If the file cannot be read or is not a house. The message names the file and the key.
    """
    found = read_json(path, most=_MOST)
    try:
        house = HouseDocument.model_validate(found)
        house.text().encode()  # unknown keys are kept, so their values must be such that they can be written
    except ValidationError as error:
        raise InputError(f"{path}: is not a ProcTHOR house: {first_fault(error)}") from error
    except (ValueError, TypeError) as error:  # also UnicodeEncodeError, of halves of a character
        why = "a text has half of a character" if isinstance(error, UnicodeError) else str(error)
        raise InputError(f"{path}: is not a ProcTHOR house: {why}") from error
    except RecursionError as error:
        raise InputError(f"{path}: is not a ProcTHOR house: objects are nested too deeply") from error
    return house
