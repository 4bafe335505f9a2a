"""Facts about the object types of homes: in which rooms they are, what can be done with them, and what they hold.

The facts are statistics over the assets and the hand-built scenes of the Python package ``procthor`` 0.0.1.dev2
(Apache-2.0), by the object types of AI2-THOR.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("object_types.json")
_FUNCTIONS = Path(__file__).with_name("functions.json")


@dataclass(frozen=True)
class TypeFacts:
    """The facts about one object type.

    ``rooms`` has a weight of 1 or 2 for each type of room in which the type occurs. ``several`` is True if a room may
    have more than one. ``flags`` are the capability flags. ``holds`` is the share of the receptacles of this type that
    hold at least one object of another type.
    """

    rooms: dict[str, int]
    several: bool
    flags: frozenset[str]
    holds: dict[str, float]

    def has(self, flag: str) -> bool:
        """Check whether the type has a capability flag."""
        return flag in self.flags


@cache
def _table() -> dict[str, TypeFacts]:
    rows = json.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        name: TypeFacts(
            rooms=row.get("rooms", {}),
            several=row.get("several", False),
            flags=frozenset(row["flags"]),
            holds=row.get("holds", {}),
        )
        for name, row in rows.items()
    }


def facts_of(name: str) -> TypeFacts:
    """Return the facts about an object type.

    Raises:
        KeyError: If the type is unknown.
    """
    return _table()[name]


def is_known(name: str) -> bool:
    """Check whether there are facts about an object type."""
    return name in _table()


@cache
def _functions() -> dict[str, str]:
    return json.loads(_FUNCTIONS.read_text(encoding="utf-8"))


def function_of(name: str) -> str:
    """Return what things of an object type are for.

    The words, at most five, complete "an object which is". Every type of the catalogue of homes has them.

    Raises:
        KeyError: If the catalogue has no such type.
    """
    return _functions()[name]
