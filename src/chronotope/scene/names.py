"""Names of things: a phrase that fits only one thing of a recording.

Phrases are tried in this order: kind and colour, material, rank in size, support. A phrase never contains a number,
left or right. It must identify its thing by sight: if a stranger could confuse two kinds of things (a cup, a mug), the
kind alone does not distinguish them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.recording import Entity

__all__ = ["Name", "is_furniture", "noun_of", "refer", "rivals_of", "says_too_little"]

CLEARLY_LARGER = 1.15  # ratio of the largest sides of two things, of which one is called the larger

# Kinds that a stranger may take for one another. Kinds with one last word (box, cereal box) are taken so, too.
LOOK_ALIKE = (
    {"cup", "mug", "glass", "tumbler", "beaker", "teacup", "pencil holder", "flower pot"},
    {"bowl", "dish", "basin", "pot", "plate", "saucer"},
    {"vase", "jar", "urn", "bottle", "flask", "jug", "pitcher", "carafe", "trophy"},
    {"jug", "pitcher", "teapot", "kettle", "can", "coffee pot"},
    {"box", "toolbox", "book", "carton", "brick", "block", "parcel", "radio", "camera"},
    {"cube", "dice", "die", "block", "brick", "box"},
    {"can", "tin", "jar", "candle", "cup", "mug", "holder", "roll"},
    {"apple", "peach", "tomato", "orange", "ball", "pear", "plum", "pumpkin", "lemon"},
    {"laptop", "notebook", "tablet", "book"},
    {"phone", "telephone", "remote control", "calculator"},
    {"bucket", "basket", "bin", "pot"},
    {"plant", "cactus", "flower"},
    {"hat", "cap"},
    {"car", "forklift", "train", "truck", "bus", "vehicle", "van", "trailer", "tram"},
    {"horse", "reindeer", "donkey"},
    {"table", "desk"},
    {"shelf", "stand", "rack", "bench"},
)
# Materials told from any other by sight, and the word for them.
MATERIALS = {"wood": "wooden", "straw": "straw", "wicker": "wicker"}
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_PLURALS = {"mouse": "mice", "shelf": "shelves", "loaf": "loaves", "knife": "knives", "die": "dice", "person": "people"}
_PLURALS |= {"cactus": "cacti"}
# What may follow the word that says what a thing is: "cactus in a blue pot", "person directing traffic".
_AFTER_HEAD = re.compile(r" (?=(?:in|on) (?:a|its) |directing |of )")
# What a stem calls the observer, or says of every thing: alone, these words do not single out a thing in it.
OF_THE_STEM = {"camera", "car", "driver", "box", "frame", "picture", "thing"}
_FLOORS = {"table", "desk", "floor", "ground"}  # everything stands on them, be it at second hand


@dataclass(frozen=True)
class Name:
    """A phrase with its article ("the red mug"), and the property that makes it unique.

    ``time`` (s) is the time in the phrase, or None.
    """

    text: str
    by: Literal["kind", "material", "size", "place", "moment"]
    at: float | None = None


def refer(entities: Sequence[Entity]) -> dict[str, Name]:
    """Return the phrase for each entity that has one, by id.

    The order of ``entities`` does not matter.
    """
    names: dict[str, Name] = {}
    all_rivals = rivals_of(entities)
    spoken_of = [entity for entity in entities if noun_of(entity).strip()]
    for entity in spoken_of:
        rivals = all_rivals[entity.id]
        name = _by_kind(entity, rivals) or _by_material(entity, rivals) or _by_size(entity, rivals)
        if name is not None:
            names[entity.id] = name
    for entity in spoken_of:
        if entity.id not in names:
            name = _by_place(entity, all_rivals[entity.id], names, {other.id: other for other in entities})
            if name is not None:
                names[entity.id] = name
    return names


def rivals_of(entities: Sequence[Entity]) -> dict[str, list[Entity]]:
    """Return the entities that each entity's noun can mean.

    Both are ids.
    """
    return {
        entity.id: [other for other in entities if other is not entity and not _told_apart(entity, other)]
        for entity in entities
    }


def is_furniture(entity: Entity) -> bool:
    """Check whether an entity is only a support for others.

    It is used in their names, and is not asked about.
    """
    return entity.attributes.get("role") == "furniture"


def noun_of(entity: Entity) -> str:
    """Return the name of a thing without article.

    It is the label with the colour; furniture has its kind alone.
    """
    if is_furniture(entity):
        return entity.category
    colour, label = entity.attributes.get("colour"), entity.label
    return label if not colour or _says(label, colour) else f"{colour} {label}"


def says_too_little(entity: Entity) -> bool:
    """Check whether a noun is empty or a word of the stem.

    "How far is the camera from the camera" would be meaningless.
    """
    noun = noun_of(entity).strip()
    return not noun or noun in OF_THE_STEM


def _says(phrase: str, words: str) -> bool:
    """Check whether a phrase contains these words."""
    return f" {words} " in f" {phrase} "


def _same_kind(first: Entity, second: Entity) -> bool:
    """Check whether a stranger could confuse the kinds of two things."""
    mine, theirs = _kinds(first), _kinds(second)
    return bool(mine & theirs) or any(mine & group and theirs & group for group in LOOK_ALIKE)


def _kinds(entity: Entity) -> set[str]:
    """Return the kind of a thing, and its last words.

    The last words can replace it: a cereal box is a box.
    """
    last = (*entity.category.split()[-1:], *_head(noun_of(entity)).split()[-1:])
    return {entity.category, *last}


def _head(noun: str) -> str:
    """Cut the words after the kind of a thing.

    A cactus in a blue pot is a cactus.
    """
    return _AFTER_HEAD.split(noun)[0]


def _told_apart(entity: Entity, other: Entity) -> bool:
    """Check whether an entity's noun can mean no other entity.

    Then its kind or its colour differs visibly.
    """
    if not _same_kind(entity, other):
        return True
    mine, theirs = entity.attributes.get("colour"), other.attributes.get("colour")
    if not mine or not theirs or not _says(noun_of(entity), mine):
        return False
    return mine.split()[-1] != theirs.split()[-1]  # light brown is brown


def _by_kind(entity: Entity, rivals: list[Entity]) -> Name | None:
    """Try "the red mug".

    It must mean neither another thing nor a word of the stem.
    """
    return None if rivals or says_too_little(entity) else Name(f"the {noun_of(entity)}", "kind")


def _by_material(entity: Entity, rivals: list[Entity]) -> Name | None:
    """Try "the red wooden bowl".

    The material must be visible, and no rival may have it.
    """
    mine = entity.attributes.get("material", "")
    noun, kind = noun_of(entity), entity.category
    others = {rival.attributes.get("material", "") for rival in rivals}
    if mine not in MATERIALS or not noun.endswith(kind) or _says(noun, mine) or others & {mine, ""}:
        return None
    return Name(f"the {noun.removesuffix(kind)}{MATERIALS[mine]} {kind}", "material")


def _by_size(entity: Entity, rivals: list[Entity]) -> Name | None:
    """Try "the larger of the two red mugs".

    All things with the same noun must differ clearly.
    """
    noun = noun_of(entity)
    if not 0 < len(rivals) <= len(_NUMBERS) or any(noun_of(rival) != noun for rival in rivals):
        return None
    number = _NUMBERS[len(rivals) - 1]
    if all(_clearly_larger(entity, rival) for rival in rivals):
        rank = "larger" if len(rivals) == 1 else "largest"
    elif all(_clearly_larger(rival, entity) for rival in rivals):
        rank = "smaller" if len(rivals) == 1 else "smallest"
    else:
        return None
    return Name(f"the {rank} of the {number} {_plural(noun)}", "size")


def _clearly_larger(entity: Entity, other: Entity) -> bool:
    """Check whether a thing is clearly larger, and smaller on no side.

    The largest side must be larger by the ratio.
    """
    mine, theirs = sorted(entity.size), sorted(other.size)
    return mine[2] >= CLEARLY_LARGER * theirs[2] and all(a >= b for a, b in zip(mine, theirs, strict=True))


def _plural(noun: str) -> str:
    kind, rest = _head(noun), noun.removeprefix(_head(noun))
    within = re.fullmatch(r" (in|on) (?:a|its) (.+)", rest)
    if rest:
        return _plural(kind) + (f" {within[1]} {_plural(within[2])}" if within else rest)
    first, _, head = noun.rpartition(" ")
    if head in _PLURALS:
        many = _PLURALS[head]
    elif head.endswith(("s", "x", "z", "ch", "sh")):
        many = f"{head}es"
    elif head.endswith("y") and head[-2:-1] not in "aeiou":
        many = f"{head[:-1]}ies"
    else:
        many = f"{head}s"
    return f"{first} {many}".strip()


def _by_place(entity: Entity, rivals: list[Entity], names: dict[str, Name], by_id: dict[str, Entity]) -> Name | None:
    """Try "the red mug on the blue book".

    No rival may be on that support, directly or indirectly.
    """
    support = by_id.get(entity.parent or "")
    if support is None or support.category in _FLOORS or support.id not in names:
        return None
    if names[support.id].by not in ("kind", "material") or any(_rests_on(r, support.id, by_id) for r in rivals):
        return None
    return Name(f"the {noun_of(entity)} on {names[support.id].text}", "place")


def _rests_on(entity: Entity, support: str, by_id: dict[str, Entity]) -> bool:
    """Check whether a thing is on another, directly or indirectly."""
    seen: set[str] = set()
    while entity.parent is not None and entity.parent in by_id and entity.parent not in seen:
        if entity.parent == support:
            return True
        seen.add(entity.parent)
        entity = by_id[entity.parent]
    return False
