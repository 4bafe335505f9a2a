"""Questions about one property of an object in both states."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from chronotope.families.m3.observed import ObservedThing
from chronotope.families.m3.write.drafting import Choice, Draft, Pen, thinned
from chronotope.families.m3.write.listing import list_one
from chronotope.question import Reason

POSSIBLE = 3  # pairs of states of a property whose change cannot be undone
UNCHANGED = 5  # unchanged objects that are asked about if no object changed


@dataclass(frozen=True)
class Property:
    """A property: the words for its values, and whether a change can be undone.

    ``keys`` are the names that the attribute has in recordings. ``words`` are the words for false and true, but for
    openness the words for 0, for values between 0 and 1, and for 1, and for a liquid the names of the liquids. If
    ``can_return`` is false, a change from the second word to the first is impossible.
    """

    keys: tuple[str, ...]
    words: tuple[str, ...]
    can_return: bool = True

    def key_of(self, thing: ObservedThing) -> str | None:
        """Return the name of the object's attribute for this property, or None."""
        return next((key for key in self.keys if key in thing.entity.attributes), None)

    def word(self, thing: ObservedThing) -> str | None:
        """Return the word for an object's value, or None."""
        key = self.key_of(thing)
        if key is None:
            return None
        told = thing.entity.attributes[key].casefold()
        if self.words == LIQUIDS:
            return told if told in LIQUIDS else "empty"
        if len(self.words) == len(_OPEN):
            return self.words[_degree(float(told))]
        return self.words[told == "true"]


def _degree(openness: float) -> int:
    return 0 if openness <= 0 else 2 if openness >= 1 else 1


LIQUIDS = ("empty", "water", "coffee", "wine")
_OPEN = ("fully closed", "partially open", "fully open")

PROPERTIES = {
    "openness_state_comparison": Property(("openness",), _OPEN),
    "toggle_state_comparison": Property(("on", "isToggled"), ("off", "on")),
    "cleanliness_state_comparison": Property(("dirty", "isDirty"), ("clean", "dirty")),
    "cooking_state_comparison": Property(("cooked", "isCooked"), ("uncooked", "cooked"), can_return=False),
    "liquid_state_comparison": Property(("liquid", "fillLiquid"), LIQUIDS),
    "breaking_state_comparison": Property(("broken", "isBroken"), ("intact", "broken"), can_return=False),
    "slicing_state_change": Property(("sliced", "isSliced"), ("whole", "sliced"), can_return=False),
    "usage_state_change": Property(("used_up", "isUsedUp"), ("available", "used up"), can_return=False),
}
"""The property of each subtask."""


def compare_states(pen: Pen, asked: Property) -> Iterator[Draft | None]:
    """Ask about changed objects, and about as many unchanged ones.

    A broken thing never becomes intact. Except with ``paper``, such pairs are not options, because
    a reader would know that they are wrong.
    """
    if not asked.can_return and not pen.paper:
        pen = replace(pen, row=replace(pen.row, least=POSSIBLE, most=POSSIBLE))
    before, after = pen.homes.states
    changed: list[tuple[str, str, str]] = []
    unchanged: list[tuple[str, str, str]] = []
    for name in pen.shuffled(pen.homes.common):
        words = asked.word(before.things[name]), asked.word(after.things[name])
        if words[0] is not None and words[1] is not None:
            (unchanged if words[0] == words[1] else changed).append((name, words[0], words[1]))
    chosen = pen.shuffled([*changed, *unchanged[: len(changed) or UNCHANGED]])
    for name, old, new in chosen if pen.paper else thinned(chosen, lambda one: one[1:]):
        text = pen.lasting(name)
        if text is None:
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        listed = list_one(pen, _option(old, new), _wrong(pen, asked, old, new))
        yield pen.ask(listed, [name], {"before": old, "after": new}, object=text)


def _option(old: str, new: str) -> Choice:
    if old == new:
        return Choice(f"{old} in both videos")
    return Choice(f"{old} in the first video and {new} in the second video")


def _wrong(pen: Pen, asked: Property, old: str, new: str) -> list[Choice]:
    pairs = pen.shuffled(list(product(asked.words, repeat=2)))
    if not asked.can_return and not pen.paper:
        pairs = [pair for pair in pairs if pair != asked.words[::-1]]
    return [_option(*pair) for pair in pairs if pair != (old, new)]
