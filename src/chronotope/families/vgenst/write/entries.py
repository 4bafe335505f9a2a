"""What options name: things with their kind and colour, and the check that nobody takes two of them for each other."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from chronotope.world.kinds.stage.graph.vocabulary import apart


class Entry(NamedTuple):
    """A thing or a word that an option names; ``noun`` and ``colour`` are empty where they play no part."""

    label: str
    noun: str = ""
    colour: str = ""


def thing(item: Any) -> Entry:
    """Return the entry of an object of a graph, whose looks have a colour and perhaps a type."""
    looks = getattr(item, "attributes", None) or item.visual_attributes
    return Entry(item.label, getattr(looks, "type", item.label), getattr(looks, "color", ""))


def person(item: Any) -> Entry:
    """Return the entry of a person: only the colour of the clothes tells people apart for certain."""
    return Entry(item.label, "", item.attributes.color)


def colour(word: str) -> Entry:
    """Return the entry of a colour."""
    return Entry(word, "", word)


def unlike(first: Entry, second: Entry) -> bool:
    """Check whether nobody takes one entry for the other: other heads of the nouns, and colours far apart."""
    one, other = first.label.casefold(), second.label.casefold()
    if one in other or other in one:
        return False
    heads = [entry.noun.split()[-1] if entry.noun else "" for entry in (first, second)]
    if all(heads) and heads[0] == heads[1]:
        return False
    return not (first.colour and second.colour) or apart(first.colour, second.colour)


def all_unlike(entries: Iterable[Entry]) -> bool:
    """Check whether no two entries can be taken for each other."""
    seen: list[Entry] = []
    for entry in entries:
        if not all(unlike(entry, other) for other in seen):
            return False
        seen.append(entry)
    return True
