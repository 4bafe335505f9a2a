"""Rules with ids, and the faults that they report."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chronotope.world.kinds.stage.graph.vocabulary import apart


class Violation(NamedTuple):
    """A fault of a graph or a scenario: the rule, the path in the JSON, and what was found and expected there.

    ``hint`` says how to mend the fault.
    """

    rule: str
    path: str
    found: str
    expected: str
    hint: str


TOLD = 3  # faults that are told in a message


def told_faults(broken: Sequence[Violation]) -> str:
    """Describe faults of a graph: the first ones in full, and the number of the others."""
    faults = [f"{v.rule} at {v.path}: found {v.found}, expected: {v.expected} ({v.hint})" for v in broken[:TOLD]]
    if len(broken) > TOLD:
        faults.append(f"and {len(broken) - TOLD} more")
    return f"the scene graph has {len(broken)} {'fault' if len(broken) == 1 else 'faults'}: {'; '.join(faults)}"


SIDES = re.compile(r"\b(left|right)\b(?! behind)")
CLOSED = {"lid", "lidded", "closed", "covered", "sealed"}  # words of a container that nobody looks into

Fault = tuple[str, Any]
Check = Callable[..., Iterator[Fault]]


@dataclass(frozen=True)
class Rule:
    """A rule: its id, what it expects, how to mend a fault, and the function that finds faults.

    The function yields the path and the found value of each fault.
    """

    id: str
    expected: str
    hint: str
    check: Check

    def violations(self, *of: Any) -> Iterator[Violation]:
        """Yield the faults of a graph, or of a graph and its scenario."""
        for path, found in self.check(*of):
            yield Violation(self.id, path, str(found), self.expected, self.hint)


@dataclass(frozen=True)
class Rulebook:
    """The rules of one task, or the rules of all tasks."""

    name: str
    rules: list[Rule] = field(default_factory=list)

    def rule(self, number: str, expected: str, hint: str) -> Callable[[Check], Check]:
        """Add a function to the rules; its id is the rulebook's name and ``number``."""

        def add(check: Check) -> Check:
            self.rules.append(Rule(f"{self.name}.{number}", expected, hint, check))
            return check

        return add

    def violations(self, *of: Any) -> Iterator[Violation]:
        """Yield the faults that any rule of the book finds."""
        for rule in self.rules:
            yield from rule.violations(*of)


def counted(graph: Any, expected: dict[str, int | tuple[int, int]]) -> Iterator[Fault]:
    """Yield a fault for each unknown role, and each role with a wrong number of objects."""
    for role, count in expected.items():
        low, high = (count, count) if isinstance(count, int) else count
        found = len(graph.of_role(role))
        if not low <= found <= high:
            yield "objects", f"{found} objects with the role {role!r}"
    for index, each in enumerate(graph.objects):
        if each.role not in expected:
            yield f"objects.{index}.role", each.role


def first_side(text: str) -> str | None:
    """Return the side that a text names first, or None; what is left behind is on no side."""
    found = SIDES.search(text.lower())
    return found[1] if found else None


def alike_colours(graph: Any) -> Iterator[Fault]:
    """Yield a fault for each object whose colour may be taken for that of an earlier one."""
    seen: list[str] = []
    for index, each in enumerate(graph.objects):
        if any(not apart(colour, each.attributes.color) for colour in seen):
            yield f"objects.{index}.attributes.color", each.attributes.color
        seen.append(each.attributes.color)
