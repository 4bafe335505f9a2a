"""What the second opinions about VGenST-Bench share: a question as text, read by the wordings of its template."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from chronotope.families.vgenst import write
from chronotope.io import read_yaml
from chronotope.question import Question
from chronotope.world.kinds.stage.graph import SceneGraph
from chronotope.world.things.colour_table import COLOUR_TABLE

NUMBERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
COLOURS = "|".join(sorted(COLOUR_TABLE, key=len, reverse=True))
PART_OF_NAMES = {-1: "left", 0: "center", 1: "right"}

Claim = str | Collection[str] | Callable[[str], bool]
"""What is right: a text, some texts, or a check of a text, all in small letters."""


@dataclass(frozen=True)
class Case:
    """A scene graph with a question about it: the words that its stem has, and its options in small letters."""

    graph: SceneGraph
    words: dict[str, str]
    options: tuple[str, ...]

    def thing(self, text: str) -> Any:
        """Find the one object that a text names, with its label or with its noun alone."""
        name = bare(text)
        whole = [thing for thing in self.graph.objects if thing.label.casefold() == name]
        by_noun = [thing for thing in self.graph.objects if thing.label.casefold().endswith(f" {name}")]
        [found] = whole or by_noun
        return found

    def is_shown(self, text: str) -> bool:
        """Check whether any object of the graph has this label."""
        return text in {thing.label.casefold() for thing in self.graph.objects}

    def is_not_shown(self, text: str) -> bool:
        return not self.is_shown(text)


Oracle = Callable[[Case], Claim]
ORACLES: dict[str, Oracle] = {}


def answers(*templates: str) -> Callable[[Oracle], Oracle]:
    """Make a function the oracle of some templates."""

    def add(oracle: Oracle) -> Oracle:
        assert not ORACLES.keys() & set(templates), templates
        ORACLES.update(dict.fromkeys(templates, oracle))
        return oracle

    return add


@cache
def wordings() -> dict[str, list[re.Pattern[str]]]:
    """The wordings of each template as patterns with a group for each word that is filled in."""
    texts: dict[str, list[str]] = read_yaml(Path(write.__file__).with_name("stems.yaml"))
    return {name: [_pattern(text) for text in group] for name, group in texts.items()}


def _pattern(wording: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def group(found: re.Match[str]) -> str:
        again = found[1] in seen
        seen.add(found[1])
        return f"(?P={found[1]})" if again else f"(?P<{found[1]}>.+?)"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", group, re.escape(wording)), re.IGNORECASE)


def case_of(graph: SceneGraph, question: Question) -> tuple[str, Case]:
    """Read a question about a graph, and return its template with the case."""
    [template] = question.tags["template"]
    found = next(match for pattern in wordings()[template] if (match := pattern.fullmatch(question.stem)))
    words = {key: in_full(graph, text) for key, text in found.groupdict().items()}
    texts = tuple(in_full(graph, option.text or "").casefold() for option in question.options)
    return template, Case(graph, words, texts)


def in_full(graph: SceneGraph, text: str) -> str:
    """Write the labels of things in a text that names them by their kinds; a kind after another colour is no name."""
    labels = [thing.label for thing in graph.objects]
    for label in (thing.label for thing in graph.objects if not re.search("surface|anchor", thing.role)):
        kind = re.sub(rf"^({COLOURS}) | in the .+", "", label)
        if sum(kind in other for other in labels) == 1:
            named = rf"\b{label}\b|\b({COLOURS}) {kind}\b|\b{kind} in the\b"
            if not re.search(named, text, re.IGNORECASE):
                text = re.sub(rf"\b{kind}\b", label, text, flags=re.IGNORECASE)
    return text


def bare(text: str) -> str:
    """Leave out the article of a text."""
    return re.sub(r"^(the|an?) ", "", text.casefold())


def with_an(label: str) -> str:
    """Put the article before a label as it is spoken."""
    spoken_with_a_vowel = label[0] in "aeiou" or label.startswith("SUV")
    return f"{'an' if spoken_with_a_vowel else 'a'} {label}"


def side_of(x: float) -> str:
    """Name the side of a place: x goes to the right."""
    assert abs(x) > 1e-6
    return "left" if x < 0 else "right"


def third_of(x: float) -> str:
    """Name the third of the picture of a place: x goes from -1 to 1."""
    return "left" if x < -1 / 3 else "right" if x > 1 / 3 else "center"


def listed(names: Collection[str]) -> str:
    return ", ".join(names).casefold()
