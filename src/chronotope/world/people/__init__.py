"""People: bodies, clothes, hair and joints, made from the CC0 data of MakeHuman (see LICENCE.md)."""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.world.people.forearm import arm_of, forearm_of
    from chronotope.world.people.person import Garment, Person
    from chronotope.world.people.random_person import draw_person

__all__ = ["Garment", "Person", "arm_of", "draw_person", "forearm_of"]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".random_person": ("draw_person",),
        ".forearm": ("arm_of", "forearm_of"),
        ".person": ("Garment", "Person"),
    },
)
