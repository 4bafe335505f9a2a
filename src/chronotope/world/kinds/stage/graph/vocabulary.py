"""The words of graphs that are drawn: kinds of things with their colours and materials, from the catalogue.

Graphs for other uses, such as prompts for video models, may have any words.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chronotope.io import read_yaml
from chronotope.world.things.colour_table import COLOUR_TABLE

if TYPE_CHECKING:
    from chronotope.world.things.kind import Kind


class Item(NamedTuple):
    """A kind of thing with the colours and materials that it can have."""

    colours: tuple[str, ...]
    materials: tuple[str, ...] = ()


class Content(NamedTuple):
    """What a container can hold: a thing with its colour, or a liquid, and the word for its colour."""

    noun: str
    colour: str


class Reaction(NamedTuple):
    """How an effector is drawn and reacts.

    ``kind`` is that of an articulated thing, ``key`` the state that changes, ``values`` those at rest and in the
    reaction, and ``opens`` the joints that open. Further joints turn.
    """

    kind: str
    key: str
    values: tuple[str, str]
    opens: tuple[str, ...]


_WORDS: Mapping[str, Any] = read_yaml(Path(__file__).with_name("vocabulary.yaml"))


def _lists(name: str) -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(words) for key, words in _WORDS[name].items()}


EMPTY = "Empty"
CONTENTS: Mapping[str, Content] = {name: Content(*words) for name, words in _WORDS["contents"].items()}
LIQUIDS = tuple[str, ...](_WORDS["liquids"])
LEAKY = tuple[str, ...](_WORDS["leaky"])
TOO_WIDE = _lists("too wide")
WIDE = tuple[str, ...](_WORDS["wide"])
SHALLOW = tuple[str, ...](_WORDS["shallow"])
FROM_ABOVE = tuple[str, ...](_WORDS["from above"])
LYING = tuple[str, ...](_WORDS["lying"])
LEVEL_THINGS = _lists("levels")
ANYWHERE = tuple[str, ...](_WORDS["anywhere"])
TABLE_TOPS = _lists("table tops")
WALKING = tuple[str, ...](_WORDS["walking"])
PERSONS = tuple[str, ...](_WORDS["persons"])
BODIES = _lists("bodies")
GROWN = tuple(who for who, (_, age) in BODIES.items() if age != "child")
TROUSERS = tuple[str, ...](_WORDS["trousers"])
CLOTH_COLOURS = tuple[str, ...](_WORDS["cloth colours"])
PLACEMENTS = ("floor", "board at hip height", "top board")  # of HO, from the lowest level to the highest
ROOFS: Mapping[str, tuple[str, str]] = {name: (colour, shape) for name, (colour, shape) in _WORDS["roofs"].items()}
CATEGORY_ROOFS = _lists("category roofs")
BROAD_ROOFS = tuple[str, ...](_WORDS["broad roofs"])
DESTINATIONS = _lists("destinations")
REACTIONS: Mapping[str, Reaction] = {
    name: Reaction(row["kind"], row["key"], tuple(row["values"]), tuple(row["opens"]))
    for name, row in _WORDS["reactions"].items()
}
EXITS = "Not indicated on sign"


@cache
def items(catalogue: str) -> Mapping[str, Item]:
    """Return the kinds of a catalogue by noun."""
    from chronotope.world.street import STREET_KINDS  # imports all sketches
    from chronotope.world.things.object_types import HOME_KINDS, STAGE_KINDS, TABLE_KINDS

    tables = {**TABLE_KINDS, **STAGE_KINDS}
    homes = {kind.noun: kind for kind in HOME_KINDS.values()}
    streets = {row.kind.noun: row.kind for row in STREET_KINDS.values()}

    def of(nouns: Sequence[str], kinds: "Mapping[str, Kind]") -> dict[str, Item]:
        return {
            n: Item(tuple(dict.fromkeys(kinds[n].colours)), tuple(dict.fromkeys(kinds[n].materials))) for n in nouns
        }

    def of_colours(name: str, *materials: str) -> dict[str, Item]:
        return {noun: Item(colours, materials) for noun, colours in _lists(name).items()}

    made = {
        "containers": lambda: of(_WORDS["containers"], tables),
        "tall containers": lambda: {f"tall {n}": item for n, item in of(_WORDS["tall"], tables).items()},
        "things from above": lambda: of(FROM_ABOVE, tables),
        "things in a hand": lambda: of(_WORDS["in a hand"], tables),
        "counted things": lambda: of(_WORDS["counted"], tables),
        "things on levels": lambda: of([n for level in LEVEL_THINGS.values() for n in level], tables),
        "large things": lambda: of(_WORDS["corridor ends"], homes),
        "tables": lambda: {"table": Item(tuple(TABLE_TOPS), ("wood", "painted wood", "stone"))},
        "persons": lambda: {who: Item(CLOTH_COLOURS) for who in PERSONS},
        "triggers": lambda: of_colours("triggers"),
        "effectors": lambda: of_colours("effectors"),
        "vehicles": lambda: of(_WORDS["vehicles"], streets),
        "agents": lambda: of(_WORDS["agents"], streets),
        "bystanders": lambda: of(_WORDS["bystanders"], streets),
        "hazards": lambda: {**of(_WORDS["rolling"], streets), **{who: Item(CLOTH_COLOURS) for who in WALKING}},
        "landmarks": lambda: {noun: Item((colour,)) for noun, (colour, _) in ROOFS.items()},
        "occluders": lambda: of_colours("occluders", "stone"),
    }
    return made[catalogue]()


@cache
def words(catalogue: str) -> tuple[str, ...]:
    """Return all words of a catalogue, for the schema of graphs that are drawn."""
    if catalogue == "colours":
        return tuple(dict.fromkeys(c for kind in _KINDS for item in items(kind).values() for c in item.colours))
    if catalogue == "materials":
        return tuple(dict.fromkeys(m for kind in _KINDS for item in items(kind).values() for m in item.materials))
    if catalogue == "contents":
        return (EMPTY, *CONTENTS)
    if catalogue == "destinations":
        return tuple(dict.fromkeys(text for texts in DESTINATIONS.values() for text in texts))
    if catalogue == "roof colours":
        return tuple(dict.fromkeys(colour for colour, _ in ROOFS.values()))
    if catalogue == "placements":
        return PLACEMENTS
    if catalogue == "rooftops":
        return tuple(shape for _, shape in ROOFS.values())
    return tuple(items(catalogue))


_KINDS = (
    "containers", "things from above", "things in a hand", "counted things", "things on levels", "large things",
    "tables", "persons", "triggers", "effectors", "vehicles", "agents",
    "bystanders", "hazards", "landmarks", "occluders",
)  # fmt: skip


def apart(first: str, second: str) -> bool:
    """Check whether two colours have different names that nobody takes for each other."""
    one, other = COLOUR_TABLE.get(first), COLOUR_TABLE.get(second)
    alike = (one.alike if one else ()) + (other.alike if other else ())
    return first != second and first not in alike and second not in alike


def with_a(label: str) -> str:
    """Return a label after "a" or "an"."""
    return f"{'an' if label[0] in 'aeiou' else 'a'} {label}"


def draw_items(
    generator: np.random.Generator, catalogue: str, count: int, among: Sequence[str] | None = None
) -> list[tuple[str, str]]:
    """Draw nouns with colours; all nouns are different, and nobody takes two of the colours for each other."""
    kinds = {noun: item for noun, item in items(catalogue).items() if among is None or noun in among}
    for _ in range(200):
        nouns = [str(noun) for noun in generator.choice(list(kinds), count, replace=False)]
        colours = [str(generator.choice(kinds[noun].colours)) for noun in nouns]
        if all(apart(a, b) for k, a in enumerate(colours) for b in colours[:k]):
            return list(zip(nouns, colours, strict=True))
    raise AssertionError(f"no {count} kinds of {catalogue} with unlike colours were found")


def draw_material(generator: np.random.Generator, catalogue: str, noun: str) -> str:
    """Draw one of the materials of a kind."""
    return str(generator.choice(items(catalogue)[noun].materials))
