"""The motion of people: walks, turns, looks, grasps and other acts, without slides of the feet."""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.world.people.motion.acts import (
        Act,
        Bear,
        Carry,
        Fit,
        Grasp,
        Hold,
        LookAt,
        Place,
        Press,
        Rise,
        Sit,
        Stand,
        Turn,
        Walk,
    )
    from chronotope.world.people.motion.performance import Performance, perform, seconds_needed
    from chronotope.world.people.motion.riding import Contacts, ride

__all__ = [
    "Act",
    "Bear",
    "Carry",
    "Contacts",
    "Fit",
    "Grasp",
    "Hold",
    "LookAt",
    "Performance",
    "Place",
    "Press",
    "Rise",
    "Sit",
    "Stand",
    "Turn",
    "Walk",
    "perform",
    "ride",
    "seconds_needed",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".acts": (
            "Act",
            "Bear",
            "Carry",
            "Fit",
            "Grasp",
            "Hold",
            "LookAt",
            "Place",
            "Press",
            "Rise",
            "Sit",
            "Stand",
            "Turn",
            "Walk",
        ),
        ".performance": ("Performance", "perform", "seconds_needed"),
        ".riding": ("Contacts", "ride"),
    },
)
