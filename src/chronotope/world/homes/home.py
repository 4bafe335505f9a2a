"""A home in one state: its floor plan, and the objects in it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.world.film_set import Placement
from chronotope.world.grounds import overlap
from chronotope.world.homes.assets import Asset, Assets
from chronotope.world.homes.floor_plan import FloorPlan, within
from chronotope.world.things import HOME_KINDS, HomeState, HomeThing, Shelf, draw_home_thing
from chronotope.world.things.kind import Use


@lru_cache(maxsize=512)
def _thing(name: str, seed: int, state: HomeState) -> HomeThing:
    return draw_home_thing(name, seed, state)


def pose_at(place: np.ndarray, yaw: float) -> np.ndarray:
    """Return the pose (4, 4) of an upright model.

    ``place`` (3,) m is its origin, and ``yaw`` (rad) its direction.
    """
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_vector(np.array([0.0, 0.0, yaw]))
    pose[:3, 3] = np.round(place, 6)
    return pose


@dataclass(frozen=True, eq=False)
class HomeObject:
    """An object at its place.

    ``name`` is its object type, and ``seed`` decides its shape. ``pose`` (4, 4) is world_T_model. ``parent`` is the id
    of the receptacle that carries the object, or None if the object stands on the floor or hangs on a wall. ``shelf``
    is the number of the shelf of the parent on which the object stands. ``asset`` is the shape of an object without a
    built-in shape.
    """

    id: str
    name: str
    seed: int
    room: str
    pose: np.ndarray
    state: HomeState = field(default_factory=HomeState)
    parent: str | None = None
    shelf: int = 0
    asset: Asset | None = None

    @property
    def made(self) -> HomeThing:
        """Return the shape of the object in its state."""
        return _thing(self.name, self.seed, self.state) if self.asset is None else self.asset.made

    @property
    def shows(self) -> frozenset[str]:
        """Return the names of the states that the object's shape can show."""
        return HOME_KINDS[self.name].shows if self.asset is None else self.asset.shows

    @property
    def asset_id(self) -> str:
        """Return the name of the object's shape."""
        return f"{self.name}_{self.seed}" if self.asset is None else self.asset.entry.id

    @property
    def use(self) -> Use:
        """Return the use of the object's type in homes."""
        return HOME_KINDS[self.name].use

    @property
    def shelves(self) -> tuple[Shelf, ...]:
        """Return the shelves of the object in the frame of its model."""
        return self.made.shelves

    @property
    def thing_pose(self) -> np.ndarray:
        """Return world_T_thing (4, 4).

        The origin of the thing's frame is the middle of its box.
        """
        return self.made.pose(self.pose)

    @property
    def yaw(self) -> float:
        """Return the direction of the object (rad)."""
        return float(np.arctan2(self.pose[1, 0], self.pose[0, 0]))

    def can(self, flag: str, shown: str | None = None) -> bool:
        """Check whether the object has a capability that a person can see.

        ``shown`` is the state that belongs to the capability, if the capability has a state.
        """
        return flag in self.use.flags and (shown is None or shown in self.shows)

    def visible_states(self) -> dict[str, str]:
        """Return the states that a person can see, as text."""
        return {key: str(value) for key, value in asdict(self.state).items() if key in self.shows}

    def footprint(self) -> np.ndarray:
        """Return the corners (4, 2) m of the object's box from above.

        The corners are in world coordinates.
        """
        pose, (length, width, _) = self.thing_pose, self.made.thing.size
        corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * (length / 2, width / 2)
        return corners @ pose[:2, :2].T + pose[:2, 3]

    def heights(self) -> tuple[float, float]:
        """Return the lowest and the highest z (m) of the object's box."""
        middle, half = self.thing_pose[2, 3], self.made.thing.size[2] / 2
        return float(middle - half), float(middle + half)

    def meets(self, other: "HomeObject") -> bool:
        """Check whether the boxes of two objects overlap."""
        (low, high), (bottom, top) = self.heights(), other.heights()
        return low < top and bottom < high and overlap(self.footprint(), other.footprint())


@dataclass(frozen=True, eq=False)
class Home:
    """The objects of a home by their ids, receptacles before the things that they carry.

    New objects may have shapes of ``assets``. If the home is ``unlettered``, no change brings letters into it.
    """

    plan: FloorPlan
    objects: dict[str, HomeObject]
    assets: Assets | None = None
    unlettered: bool = False

    def __iter__(self) -> Iterator[HomeObject]:
        return iter(self.objects.values())

    def children(self, parent: str) -> list[HomeObject]:
        """Return the objects directly on or in a receptacle."""
        return [each for each in self if each.parent == parent]

    def has_room_for(self, placed: HomeObject) -> bool:
        """Check that an object stays inside its room and meets nothing.

        Objects that carry each other may meet.
        """
        if not within(placed.footprint(), self.plan.by_id[placed.room].inner):
            return False
        others = (each for each in self if each.id != placed.id)
        return not any(
            placed.meets(other) and not self.carries(placed.id, other) and not self.carries(other.id, placed)
            for other in others
        )

    def carries(self, low: str | None, high: HomeObject) -> bool:
        """Check whether an object carries another one, directly or not."""
        parent = high.parent
        while parent is not None and parent != low:
            parent = self.objects[parent].parent
        return parent is not None

    def with_object(self, changed: HomeObject) -> "Home":
        """Return the home with one object added.

        An object with the same id is replaced.
        """
        return replace(self, objects={**self.objects, changed.id: changed})

    def without(self, name: str) -> "Home":
        """Return the home without one object."""
        return replace(self, objects={key: each for key, each in self.objects.items() if key != name})

    def used_assets(self) -> list[dict[str, str]]:
        """Return id, licence and attribution of each asset in the home."""
        used = {each.asset.entry.id: each.asset.entry for each in self if each.asset is not None}
        return [used[name].rights for name in sorted(used)]

    def licence(self) -> str:
        """Return the licences of a clip of the home."""
        return "; ".join(sorted({"CC0-1.0", *(each["licence"] for each in self.used_assets())}))

    def provenance(self) -> dict[str, Any]:
        """Return the facts about the home for a recording."""
        found: dict[str, Any] = {"rooms": len(self.plan.rooms), "objects": len(self.objects)}
        if self.assets is not None:
            found["assets"] = {"sha256": self.assets.sha256, "used": self.used_assets()}
        return found

    def placements(self) -> tuple[Placement, ...]:
        """Return the objects for the renderer."""
        return tuple(
            Placement(
                id=each.id,
                thing=each.made.thing,
                pose=each.thing_pose,
                parent=each.parent,
                role="thing" if each.can("pickupable") else "furniture",
                attributes={
                    "room": each.room,
                    "function": each.use.purpose,
                    **_shape(each.made),
                    **each.visible_states(),
                },
            )
            for each in self
        )


def _shape(made: HomeThing) -> dict[str, str]:
    return {} if made.shape is None else {"shape": made.shape}
