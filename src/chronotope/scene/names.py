"""Names of things: phrases that each fit only one thing of a recording.

A phrase contains the kind and the colour of a thing. If kind and colour do not identify the thing, its material,
its rank in size or its support is added. Material is tried first, then size, then support. A phrase never contains
a digit, "left" or "right". A viewer must be able to identify the thing by looking at the picture. So if a stranger
could confuse two kinds of things (a cup and a mug), the kind alone does not distinguish the things.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chronotope.recording import Entity
from chronotope.scene.descriptor import Descriptor, fits_only

CLEARLY_LARGER = 1.15  # a thing is called larger if its largest side is longer by at least this factor

# Kinds that a stranger could confuse. Kinds with the same last word (box, cereal box) can also be confused.
LOOK_ALIKE = (
    {"cup", "mug", "glass", "tumbler", "beaker", "teacup", "pencil holder", "flower pot", "flowerpot"},
    {"bowl", "dish", "basin", "pot", "plate", "saucer"},
    {"vase", "jar", "urn", "bottle", "flask", "jug", "pitcher", "carafe", "trophy"},
    {"jug", "pitcher", "teapot", "kettle", "can", "coffee pot"},
    {"box", "crate", "toolbox", "book", "carton", "brick", "block", "parcel", "radio", "camera"},
    {"cube", "dice", "die", "block", "brick", "box"},
    {"can", "tin", "jar", "candle", "cup", "mug", "holder", "roll"},
    {"apple", "peach", "tomato", "orange", "ball", "pear", "plum", "pumpkin", "lemon"},
    {"laptop", "notebook", "tablet", "book"},
    {"phone", "telephone", "remote control", "calculator"},
    {"bucket", "basket", "bin", "pot", "tub", "flowerpot"},
    {"barrel", "drum", "bin", "cask", "keg"},
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

    ``by`` is this property: kind, material, size, place, or moment. ``at`` is the time (s) that the phrase states, or
    None.
    """

    text: str
    by: str
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
        name = _checked((*_by_kind(entity), *_by_material(entity), *_by_size(entity, rivals)), entity, rivals)
        if name is not None:
            names[entity.id] = name
    by_id = {other.id: other for other in entities}
    for entity in spoken_of:
        if entity.id not in names:
            name = _checked(_by_place(entity, names, by_id), entity, all_rivals[entity.id])
            if name is not None:
                names[entity.id] = name
    return names


def _checked(made: Iterable[Descriptor[Entity]], entity: Entity, rivals: Sequence[Entity]) -> Name | None:
    """Return the first name that fits an entity and none of its rivals, or None."""
    found = next((one for one in made if fits_only(one, entity, (entity, *rivals))), None)
    return None if found is None else Name(found.text, found.kind)


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


def _by_kind(entity: Entity) -> Iterator[Descriptor[Entity]]:
    """Yield a name such as "the red mug", if stems do not use it in another sense."""
    if not says_too_little(entity):
        yield Descriptor(
            "kind", f"the {noun_of(entity)}", lambda other: other is entity or not _told_apart(entity, other)
        )


def _by_material(entity: Entity) -> Iterator[Descriptor[Entity]]:
    """Yield a name such as "the red wooden bowl", if the material is recognisable in a picture."""
    mine = entity.attributes.get("material", "")
    noun, kind = noun_of(entity), entity.category
    if mine in MATERIALS and noun.endswith(kind) and not _says(noun, mine):
        text = f"the {noun.removesuffix(kind)}{MATERIALS[mine]} {kind}"
        yield Descriptor("material", text, lambda other: other.attributes.get("material", "") in (mine, ""))


def _by_size(entity: Entity, rivals: Sequence[Entity]) -> Iterator[Descriptor[Entity]]:
    """Yield names such as "the larger of the two mugs", if all rivals have the same noun."""
    noun = noun_of(entity)
    if not 0 < len(rivals) <= len(_NUMBERS) or any(noun_of(rival) != noun for rival in rivals):
        return
    large, small = ("larger", "smaller") if len(rivals) == 1 else ("largest", "smallest")
    of = f"of the {_NUMBERS[len(rivals) - 1]} {plural(noun)}"
    yield Descriptor("size", f"the {large} {of}", lambda other: not _clearly_larger(entity, other))
    yield Descriptor("size", f"the {small} {of}", lambda other: not _clearly_larger(other, entity))


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


def _by_place(entity: Entity, names: dict[str, Name], by_id: dict[str, Entity]) -> Iterator[Descriptor[Entity]]:
    """Yield a name such as "the mug on the book", if the book itself has a name."""
    support = by_id.get(entity.parent or "")
    if support is None or support.category in _FLOORS or support.id not in names:
        return
    if names[support.id].by in ("kind", "material"):
        text, place = f"the {noun_of(entity)} on {names[support.id].text}", support.id
        yield Descriptor("place", text, lambda other: _rests_on(other, place, by_id))


def _rests_on(entity: Entity, support: str, by_id: dict[str, Entity]) -> bool:
    """Check whether a thing is on a support, directly or indirectly."""
    seen: set[str] = set()
    while entity.parent is not None and entity.parent in by_id and entity.parent not in seen:
        if entity.parent == support:
            return True
        seen.add(entity.parent)
        entity = by_id[entity.parent]
    return False
