"""Writer of the questions of D2: what is the correct order of three diagrams?"""

from collections.abc import Sequence
from itertools import permutations

from chronotope.families import Refused
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write.item import Flag, Item, diagram_flags
from chronotope.families.ikea.write.manual import Manual
from chronotope.question import MediaItem, Option

Triplet = tuple[int, int, int]

WRONG = 3


def windows(manual: Manual) -> Sequence[Triplet]:
    """Return all sequences of three steps in a row.

    With the profile ``strict``, the sequences are made from all steps. With the profile ``paper``, they are made from
    the steps that have a diagram.
    """
    numbers = manual.numbers if manual.strict else manual.usable
    return list(zip(numbers, numbers[1:], numbers[2:], strict=False))


def ordering(manual: Manual, triplet: Triplet) -> Item:
    """Write a D2 question: what is the correct order of three diagrams?

    The options are the correct order and three of the five other orders. The diagrams are shown in one of six orders
    with equal probability. The order of the manual is one of the six orders, because otherwise the option "Image 1 ->
    Image 2 -> Image 3" would never be correct.
    """
    is_gapless = triplet[2] - triplet[0] == 2
    if manual.strict:
        for number in triplet:
            if fault := manual.fault(number):
                raise Refused(fault)
        if not is_gapless:
            raise Refused(Code.NOT_CONSECUTIVE)
    name = manual.name("D2", triplet[0])
    displayed = [triplet[int(place)] for place in manual.draws.of(name, "display").permutation(3)]
    right = tuple(displayed.index(number) for number in triplet)
    others = [order for order in permutations(range(3)) if order != right]
    drawn = manual.draws.of(name, "options").choice(len(others), WRONG, replace=False)
    options = [right, *(others[int(place)] for place in drawn)]
    media = tuple(
        MediaItem("diagram", "image", (manual.diagrams[number].path,), f"Image {place}")
        for place, number in enumerate(displayed, 1)
    )
    flags = diagram_flags(manual, triplet) | (set() if is_gapless else {Flag.GAP_IN_SEQUENCE})
    facts = {"steps": displayed, "rule": "three in a row, displayed in any of six orders"}
    return Item("D2", name, media, tuple(Option(_words(order)) for order in options), (), {}, frozenset(flags), facts)


def _words(order: Sequence[int]) -> str:
    return " -> ".join(f"Image {place + 1}" for place in order)
