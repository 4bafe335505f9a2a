"""Sentences about the page of a step, in the eight dimensions of IKEA-Bench. They follow from the product itself."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from chronotope.world.furniture.product import AssemblyStep, Group, Product, Vector

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_TOOLS = {"screw": "A screwdriver.", "bolt": "A wrench.", "cam": "A screwdriver.", "dowel": "No tool is shown."}
_PLURALS = {"foot": "feet", "shelf": "shelves"}


def describe(product: Product, step: AssemblyStep) -> dict[str, str]:
    """Describe the page of a step; no sentence states its number."""
    joining = step.shown
    new = [_words(product, entry.parts) for entry in joining.entries]
    kinds = Counter(fastener.kind for entry in joining.entries for fastener in entry.fasteners)
    base = _words(product, joining.base)
    ways = list(dict.fromkeys(_way(entry.toward, joining.up) for entry in joining.entries))
    twice = f" The same is done {_COUNTS[len(step.joinings)]} times." if len(step.joinings) > 1 else ""
    brought = _listed(_counted(new))
    # Legs at the front and at the back are legs: each noun is counted once.
    together = _listed(_counted([_last(each) for each in (base, *new)]))
    return {
        "parts": f"{_upper(base)}, and {brought}.",
        "action": f"{_upper(together)} are joined.{twice}",
        "tools": " ".join(dict.fromkeys(_TOOLS[kind] for kind in kinds)) or "No tool is shown.",
        "spatial": f"{_pose(joining.up)} {_upper(brought)} {_are(new)} drawn away from {_its(new)} place.",
        "result": f"{_upper(together)} make one piece.",
        "warnings": "No warning is shown.",
        "fasteners": _upper(_listed([f"{count} {_plural(kind, count)}" for kind, count in kinds.items()]) or "none")
        + ".",
        "arrow_directions": _upper(_listed([f"an arrow points {way}" for way in ways])) + ".",
    }


def _words(product: Product, group: Group) -> str:
    """Return words for a group: its part, or the parts that it consists of."""
    kinds = Counter(product.parts[part].kind for part in group)
    if len(group) == 1:
        return f"a {next(iter(kinds))}"
    return "an assembly made of " + _listed(
        [f"{_number(count)} {_plural(kind, count)}" for kind, count in kinds.items()]
    )


def _last(words: str) -> str:
    return words if words.startswith("an ") else f"a {words.rpartition(' ')[2]}"


def _counted(words: Sequence[str]) -> list[str]:
    """Join equal groups: "a leg" and "a leg" become "two legs"."""
    found = []
    for each, count in Counter(words).items():
        single = each.removeprefix("a ")
        found.append(each if count == 1 else f"{_number(count)} " + (
            single.replace("an assembly", "assemblies") if each.startswith("an ") else _plural(single, count)
        ))  # fmt: skip
    return found


def _number(count: int) -> str:
    return _COUNTS[count] if count < len(_COUNTS) else str(count)


def _plural(noun: str, count: int) -> str:
    first, _, last = noun.rpartition(" ")
    many = _PLURALS.get(last, last + "s")
    return noun if count == 1 else f"{first} {many}".strip()


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


def _are(new: Sequence[str]) -> str:
    return "is" if len(new) == 1 else "are"


def _its(new: Sequence[str]) -> str:
    return "its" if len(new) == 1 else "their"


def _pose(up: Vector) -> str:
    if up[2] > 0.5:
        return "The furniture stands upright."
    return "The furniture is upside down." if up[2] < -0.5 else "The furniture lies on its side."


def _way(toward: Vector, up: Vector) -> str:
    along = float(np.dot(toward, up))
    return "down" if along < -0.5 else "up" if along > 0.5 else "sideways"
