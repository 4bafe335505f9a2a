"""What has to be undone before a mistake can be put right."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.world.furniture.course.course import entries_of
from chronotope.world.furniture.possible import passes, touch
from chronotope.world.furniture.product import Entry, Group, Product


@dataclass(frozen=True)
class Wrong:
    """A group that is wrong, and what belongs there.

    ``there`` is the group in the wrong place, or None if something is only left out. ``missing`` are the entries that
    the manual shows instead.
    """

    there: Entry | None
    missing: tuple[Entry, ...]


def steps_to_undo(right: Product, built: Product, wrong: Wrong, later: Sequence[int]) -> tuple[int, ...]:
    """Return which of the ``later`` steps have to be undone before a mistake is put right.

    Steps are undone at least in part. What is in the way of a group on its way out, or of the right one on its way in,
    has to be taken off before, also what was fastened to it later, and what then is joined to nothing.
    """
    units = [(number, entry) for number in later for entry in _units(built, number, wrong)]
    taken: list[Entry] = [] if wrong.there is None else [wrong.there]
    taken += [entry for _, entry in units if entry not in taken and _meets(right, wrong.missing, built, entry.parts)]
    there = {part for _, entry in units for part in entry.parts}
    there |= {part for number in later for joining in built.steps[number].joinings for part in joining.joined}
    while True:
        gone = {part for entry in taken for part in entry.parts}
        more = [
            entry for _, entry in units
            if entry not in taken
            and (
                _meets(built, taken, built, entry.parts)
                or not _is_held(built, entry.parts, there - gone)
                or any(_is_held(built, entry.parts, set(one.parts)) for one in _before(entry, taken, units))
            )
        ]  # fmt: skip
        if not more:
            break
        taken += more
    return tuple(number for number in later if any(of == number and entry in taken for of, entry in units))


def _before(entry: Entry, taken: Sequence[Entry], units: Sequence[tuple[int, Entry]]) -> list[Entry]:
    """Return which of the entries that are taken off came before another entry."""
    order = [one for _, one in units]
    return [one for one in taken if one in order and order.index(one) < order.index(entry)]


def _units(built: Product, number: int, wrong: Wrong) -> list[Entry]:
    """Return the groups that a step brought in, and the base of the wrong group."""
    units = [entry for _, entry in entries_of(built.steps[number])]
    for joining in built.steps[number].joinings:
        for entry in joining.entries:
            if wrong.there is not None and set(wrong.there.parts) < set(entry.parts):
                x, y, z = entry.toward
                units.append(Entry(joining.base, (-x, -y, -z)))
    return units


def _meets(moving: Product, entries: Sequence[Entry], still: Product, group: Group) -> bool:
    """Check whether groups on their way in or out meet another group."""
    both = Product(still.category, still.name, (*still.parts, *moving.parts), ())
    first = len(still.parts)
    return any(passes(both, first + part, other, entry) for entry in entries for part in entry.parts for other in group)


def _is_held(built: Product, group: Group, others: set[int]) -> bool:
    return any(touch(built, part, other) for part in group for other in others - set(group))
