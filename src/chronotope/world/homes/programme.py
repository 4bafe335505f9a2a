"""The furniture of each type of room, in the order in which it is placed."""

from dataclasses import dataclass
from typing import Literal

Where = Literal["edge", "corner", "along", "middle", "anywhere"]


@dataclass(frozen=True)
class Item:
    """One piece of furniture that a room may get.

    ``chance`` is the probability that it is placed if there is room. ``front`` (m) is the depth of the free area before
    it. ``beside`` names an object type next to which it stands, on the same wall; ``before`` one that it faces.
    ``bears`` names an object type that is placed on it; ``tall`` furniture never stands before windows, nor does high
    furniture, unless ``before_windows``. The type of a room cannot be told without ``needed`` furniture: other pieces
    and places are tried until one fits.
    """

    name: str
    where: Where = "edge"
    chance: float = 1.0
    front: float = 0.5
    beside: str | None = None
    before: str | None = None
    bears: str | None = None
    tall: bool = False
    before_windows: bool = False
    needed: bool = False


@dataclass(frozen=True)
class WallItem:
    """One thing that may hang on a wall; ``low`` (m) is the height of its lower edge.

    ``above`` names an object type over which it hangs.
    """

    name: str
    low: tuple[float, float]
    chance: float = 1.0
    above: str | None = None


ROOM_FURNITURE: dict[str, tuple[Item, ...]] = {
    "Kitchen": (
        Item("CounterTop", "corner", front=0.8),
        Item("Fridge", "edge", front=0.8, tall=True),
        Item("StoveBurner", "edge", front=0.7),
        Item("CounterTop", "edge", front=0.8),
        Item("DiningTable", "middle", 0.6, front=0.0),
        Item("Chair", "anywhere", 0.95, 0.0, before="DiningTable"),
        Item("Chair", "anywhere", 0.95, 0.0, before="DiningTable"),
        Item("Chair", "anywhere", 0.7, 0.0, before="DiningTable"),
        Item("Chair", "anywhere", 0.5, 0.0, before="DiningTable"),
        Item("GarbageCan", "corner", 0.8, 0.0),
        Item("GarbageBag", "corner", 0.2, 0.0),
        Item("Cabinet", "edge", 0.5, 0.6),
        Item("ShelvingUnit", "edge", 0.4, tall=True),
        Item("Stool", "edge", 0.3, 0.0),
        Item("SideTable", "edge", 0.35),
        Item("CounterTop", "edge", 0.4, 0.7),
        Item("Box", "corner", 0.25, 0.0),
        Item("HousePlant", "corner", 0.3, 0.0),
    ),
    "LivingRoom": (
        Item("Sofa", "edge", front=0.9),
        Item("TVStand", "edge", 0.9, 0.6, bears="Television"),
        Item("CoffeeTable", "anywhere", 0.85, 0.0, before="Sofa"),
        Item("ArmChair", "edge", 0.8, 0.5),
        Item("DiningTable", "middle", 0.45, 0.0),
        Item("Chair", "anywhere", 0.9, 0.0, before="DiningTable"),
        Item("Chair", "anywhere", 0.9, 0.0, before="DiningTable"),
        Item("ShelvingUnit", "edge", 0.6, tall=True),
        Item("SideTable", "edge", 0.6, 0.3),
        Item("FloorLamp", "corner", 0.7, 0.0, tall=True),
        Item("Dresser", "edge", 0.4, 0.5),
        Item("Desk", "edge", 0.3, 0.7),
        Item("Chair", "anywhere", 0.9, 0.0, before="Desk"),
        Item("HousePlant", "corner", 0.7, 0.0),
        Item("ArmChair", "edge", 0.4, 0.4),
        Item("Ottoman", "edge", 0.3, 0.0),
        Item("DogBed", "edge", 0.2, 0.0),
        Item("Box", "corner", 0.3, 0.0),
        Item("GarbageCan", "corner", 0.25, 0.0),
        Item("Chair", "anywhere", 0.6, 0.0, before="DiningTable"),
        Item("Chair", "anywhere", 0.4, 0.0, before="DiningTable"),
        Item("SideTable", "edge", 0.5, 0.3),
        Item("ShelvingUnit", "edge", 0.4, tall=True),
        Item("HousePlant", "corner", 0.5, 0.0),
        Item("FloorLamp", "corner", 0.3, 0.0, tall=True),
        Item("BasketBall", "corner", 0.2, 0.0),
        Item("Footstool", "edge", 0.25, 0.0),
    ),
    "Bedroom": (
        Item("Bed", "edge", front=0.5, needed=True),
        Item("SideTable", "edge", 0.8, 0.3, beside="Bed"),
        Item("SideTable", "edge", 0.4, 0.3, beside="Bed"),
        Item("Dresser", "edge", 0.8, 0.6),
        Item("Desk", "edge", 0.5, 0.7),
        Item("Chair", "anywhere", 0.95, 0.0, before="Desk"),
        Item("ShelvingUnit", "edge", 0.3, tall=True),
        Item("LaundryHamper", "corner", 0.4, 0.3),
        Item("FloorLamp", "corner", 0.3, 0.0, tall=True),
        Item("ArmChair", "edge", 0.25, 0.4),
        Item("Safe", "corner", 0.15, 0.4),
        Item("GarbageCan", "corner", 0.4, 0.0),
        Item("Boots", "edge", 0.3, 0.0),
        Item("BasketBall", "corner", 0.25, 0.0),
        Item("BaseballBat", "edge", 0.15, 0.0),
        Item("Box", "corner", 0.3, 0.0),
        Item("VacuumCleaner", "corner", 0.15, 0.0),
        Item("HousePlant", "corner", 0.3, 0.0),
        Item("Cabinet", "edge", 0.35, 0.5),
        Item("Stool", "edge", 0.25, 0.0),
        Item("Footstool", "edge", 0.2, 0.0),
    ),
    "Bathroom": (
        Item("Toilet", "edge", front=0.5),
        Item("Sink", "edge", front=0.6),
        Item("Bathtub", "corner", 0.7, 0.4),
        Item("WashingMachine", "corner", 0.4, 0.5),
        Item("Dresser", "edge", 0.15, 0.5),
        Item("LaundryHamper", "corner", 0.35, 0.3),
        Item("GarbageCan", "corner", 0.6, 0.0),
        Item("Plunger", "corner", 0.4, 0.0),
        Item("ScrubBrush", "corner", 0.3, 0.0),
        Item("SideTable", "edge", 0.4, 0.3),
        Item("Cabinet", "edge", 0.4, 0.4),
        Item("Stool", "edge", 0.2, 0.0),
    ),
}

WALL_THINGS: dict[str, tuple[WallItem, ...]] = {
    "Kitchen": (
        WallItem("LightSwitch", (1.1, 1.1)),
        WallItem("Painting", (1.3, 1.5), 0.6),
        WallItem("Shelf", (1.45, 1.6), 0.8),
        WallItem("Shelf", (1.45, 1.6), 0.5),
    ),
    "LivingRoom": (
        WallItem("LightSwitch", (1.1, 1.1)),
        WallItem("Painting", (1.2, 1.45), 0.9, above="Sofa"),
        WallItem("Painting", (1.2, 1.5), 0.8),
        WallItem("Painting", (1.2, 1.5), 0.6),
        WallItem("Painting", (1.2, 1.5), 0.4),
        WallItem("Shelf", (1.3, 1.6), 0.7),
        WallItem("Shelf", (1.3, 1.6), 0.4),
        WallItem("Mirror", (0.9, 1.1), 0.2),
    ),
    "Bedroom": (
        WallItem("LightSwitch", (1.1, 1.1)),
        WallItem("Painting", (1.3, 1.5), 0.8),
        WallItem("Painting", (1.3, 1.5), 0.4),
        WallItem("Poster", (1.1, 1.4), 0.5),
        WallItem("Mirror", (0.9, 1.1), 0.4),
        WallItem("Shelf", (1.3, 1.6), 0.7),
        WallItem("Shelf", (1.3, 1.6), 0.3),
    ),
    "Bathroom": (
        WallItem("LightSwitch", (1.1, 1.1)),
        WallItem("Mirror", (1.15, 1.25), 0.9, above="Sink"),
        WallItem("TowelHolder", (1.0, 1.2), 0.8),
        WallItem("HandTowelHolder", (1.0, 1.2), 0.6),
        WallItem("ToiletPaperHanger", (0.65, 0.75), 0.9),
        WallItem("ShowerHead", (1.9, 2.0), 0.4),
        WallItem("Shelf", (1.3, 1.6), 0.6),
        WallItem("Painting", (1.3, 1.5), 0.3),
    ),
}

WINDOW_THINGS: dict[str, tuple[tuple[str, float], ...]] = {
    "Kitchen": (("Blinds", 0.4),),
    "LivingRoom": (("Curtains", 0.6), ("Blinds", 0.3)),
    "Bedroom": (("Curtains", 0.6), ("Blinds", 0.6)),
    "Bathroom": (("Blinds", 0.3),),
}
"""What may hang before each window, in the order in which it is tried, with its probability."""
