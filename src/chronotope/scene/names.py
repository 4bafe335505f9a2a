"""Names of things: phrases that each fit only one thing of a recording.

A phrase contains the kind and the colour of a thing. If kind and colour do not identify the thing, its material,
its rank in size or its support is added. Material is tried first, then size, then support. A phrase never contains
a digit, "left" or "right". A viewer must be able to identify the thing by looking at the picture. So if a stranger
could confuse two kinds of things (a cup and a mug), the kind alone does not distinguish the things.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.recording import Entity

CLEARLY_LARGER = 1.15  # a thing is called larger if its largest side is longer by at least this factor

# Kinds that a stranger could confuse. Kinds with the same last word (box, cereal box) can also be confused.
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
# Materials that a viewer can recognise in a picture, and their words in names.
MATERIALS = {"wood": "wooden", "straw": "straw", "wicker": "wicker"}
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_PLURALS = {"mouse": "mice", "shelf": "shelves", "loaf": "loaves", "knife": "knives", "die": "dice", "person": "people"}
_PLURALS |= {"cactus": "cacti", "potato": "potatoes", "tomato": "tomatoes"}
# The start of the words after the kind of a thing: "cactus in a blue pot", "pencil holder with pencils".
_AFTER_HEAD = re.compile(r" (?=(?:in|on) (?:a|its) |with |directing |of )")
# States in which a thing no longer has its usual shape. Without the word, a viewer would look for a whole thing.
_SHAPED = ("broken", "sliced")
# Words that stems use for the observer or for every thing. Alone, such a word does not identify a thing.
OF_THE_STEM = {"camera", "car", "driver", "box", "frame", "picture", "thing"}
_FLOORS = {"table", "desk", "floor", "ground"}  # supports that all things share, directly or indirectly


@dataclass(frozen=True)
class Name:
    """A phrase with its article ("the red mug"), and the property that makes it unique.

    ``by`` is the property that makes the phrase unique. ``at`` is the time (s) that the phrase states, or None.
    """

    text: str
    by: Literal["kind", "material", "size", "place", "moment"]
    at: float | None = None


def refer(entities: Sequence[Entity]) -> dict[str, Name]:
    """Return the unique phrases of entities by id.

    An entity without a unique phrase is not in the result. The order of ``entities`` does not matter.
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
    """Find, for each entity, the other entities that its noun could mean.

    The keys of the result are the ids of the entities.
    """
    return {
        entity.id: [other for other in entities if other is not entity and not _told_apart(entity, other)]
        for entity in entities
    }


def is_furniture(entity: Entity) -> bool:
    """Check whether an entity is only a support for other entities.

    Names of other entities can mention a support, but no question asks about a support.
    """
    return entity.attributes.get("role") == "furniture"


def noun_of(entity: Entity) -> str:
    """Return the noun for a thing, without an article.

    The noun is the label with the colour, and says if the thing is broken or sliced. For furniture, the noun is only
    the kind.
    """
    if is_furniture(entity):
        return entity.category
    colour, label = entity.attributes.get("colour"), entity.label
    noun = label if not colour or _says(label, colour) else f"{colour} {label}"
    states = [word for word in _SHAPED if entity.attributes.get(word) == "True" and not _says(noun, word)]
    return " ".join([*states, noun])


def says_too_little(entity: Entity) -> bool:
    """Check whether an entity's noun is empty or ambiguous in a stem.

    A noun is ambiguous if stems use it in another sense. For example, "How far is the camera from the camera" would
    be meaningless.
    """
    noun = noun_of(entity).strip()
    return not noun or noun in OF_THE_STEM


def _says(phrase: str, words: str) -> bool:
    """Check whether a phrase contains certain words."""
    return f" {words} " in f" {phrase} "


def _same_kind(first: Entity, second: Entity) -> bool:
    """Check whether a stranger could confuse the kinds of two things."""
    mine, theirs = _kinds(first), _kinds(second)
    return bool(mine & theirs) or any(mine & group and theirs & group for group in LOOK_ALIKE)


def _kinds(entity: Entity) -> set[str]:
    """Return a thing's kind, and the last words of kind and noun.

    A last word can replace the kind: a cereal box is a box.
    """
    last = (*entity.category.split()[-1:], *_head(noun_of(entity)).split()[-1:])
    return {entity.category, *last}


def _head(noun: str) -> str:
    """Remove the words after the kind of a thing from its noun.

    For example, a cactus in a blue pot is a cactus.
    """
    return _AFTER_HEAD.split(noun)[0]


def _told_apart(entity: Entity, other: Entity) -> bool:
    """Check whether an entity's noun cannot mean the other entity.

    The noun cannot mean the other entity if the two entities differ visibly in kind or colour.
    """
    if not _same_kind(entity, other):
        return True
    mine, theirs = entity.attributes.get("colour"), other.attributes.get("colour")
    if not mine or not theirs or not _says(noun_of(entity), mine):
        return False
    return mine.split()[-1] != theirs.split()[-1]  # light brown counts as brown


def _by_kind(entity: Entity, rivals: list[Entity]) -> Name | None:
    """Return a name such as "the red mug", or None.

    The name must not fit another thing, and must not be a word that stems use in another sense.
    """
    return None if rivals or says_too_little(entity) else Name(f"the {noun_of(entity)}", "kind")


def _by_material(entity: Entity, rivals: list[Entity]) -> Name | None:
    """Return a name such as "the red wooden bowl", or None.

    The material must be recognisable in a picture, and no rival can have the same material.
    """
    mine = entity.attributes.get("material", "")
    noun, kind = noun_of(entity), entity.category
    others = {rival.attributes.get("material", "") for rival in rivals}
    if mine not in MATERIALS or not noun.endswith(kind) or _says(noun, mine) or others & {mine, ""}:
        return None
    return Name(f"the {noun.removesuffix(kind)}{MATERIALS[mine]} {kind}", "material")


def _by_size(entity: Entity, rivals: list[Entity]) -> Name | None:
    """Return a name such as "the larger of the two mugs".

    The result is None unless all things with the same noun differ clearly in size.
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
    return Name(f"the {rank} of the {number} {plural(noun)}", "size")


def _clearly_larger(entity: Entity, other: Entity) -> bool:
    """Check whether a thing is clearly larger than another thing.

    The largest side must be larger by the factor ``CLEARLY_LARGER``, and no side may be smaller.
    """
    mine, theirs = sorted(entity.size), sorted(other.size)
    return mine[2] >= CLEARLY_LARGER * theirs[2] and all(a >= b for a, b in zip(mine, theirs, strict=True))


def plural(noun: str) -> str:
    """Return the plural of a noun.

    The words after the kind stay: two rolls of toilet paper.
    """
    kind, rest = _head(noun), noun.removeprefix(_head(noun))
    within = re.fullmatch(r" (in|on) (?:a|its) (.+)", rest)
    if rest:
        return plural(kind) + (f" {within[1]} {plural(within[2])}" if within else rest)
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
    """Return a name such as "the mug on the book", or None.

    No rival can be on the same support, directly or indirectly.
    """
    support = by_id.get(entity.parent or "")
    if support is None or support.category in _FLOORS or support.id not in names:
        return None
    if names[support.id].by not in ("kind", "material") or any(_rests_on(r, support.id, by_id) for r in rivals):
        return None
    return Name(f"the {noun_of(entity)} on {names[support.id].text}", "place")


def _rests_on(entity: Entity, support: str, by_id: dict[str, Entity]) -> bool:
    """Check whether a thing is on a support, directly or indirectly."""
    seen: set[str] = set()
    while entity.parent is not None and entity.parent in by_id and entity.parent not in seen:
        if entity.parent == support:
            return True
        seen.add(entity.parent)
        entity = by_id[entity.parent]
    return False
