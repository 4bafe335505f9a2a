"""How questions name things: by their kind alone, so that no question of a clip answers which things it shows."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from chronotope.families.vgenst.write.entries import Entry, thing

ROLES: Mapping[str, tuple[str, ...]] = {
    "MC": ("container",), "CI": ("container_A", "container_B"), "CM": ("effector_1", "effector_2"),
    "DE": ("landmark_1", "landmark_2", "landmark_3"), "IO": ("target", "distractor"),
    "HO": ("obj_lowest", "obj_middle", "obj_highest", "obj_distractor"), "RV": ("slower", "faster"),
    "BT": ("agent", "distractor", "trigger"),
}  # fmt: skip
"""The things about whose existence strict questions ask, and which all other questions name by their kinds."""


def kind_of(entry: Entry) -> str:
    """Return the label of an entry without its colour, or without that of the clothes."""
    return entry.label.removeprefix(f"{entry.colour} ").removesuffix(f" in the {entry.colour} T-shirt")


def kinds_of(graph: Any, hidden: Collection[str]) -> dict[str, str]:
    """Return the kinds of things by their labels, where nothing else in the scene has the same kind.

    ``hidden`` are nouns of things that are in the picture without being in the graph.
    """
    labels = [item.label for item in graph.objects]
    found: dict[str, str] = {}
    for item in graph.of_role(*ROLES.get(graph.task, ())):
        kind = kind_of(thing(item))
        shared = [label for label in labels if re.search(rf"\b{re.escape(kind)}\b", label)]
        if kind != item.label and len(shared) == 1 and kind not in hidden:
            found[item.label] = kind
    return found


def by_kinds(text: str, kinds: Mapping[str, str]) -> str:
    """Write the kinds of things in place of their labels."""
    for label, kind in kinds.items():
        text = text.replace(label, kind)
    return text
