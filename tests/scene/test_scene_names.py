"""What things are called: whatever phrase a thing gets, a stranger who reads it finds that thing and no other."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.recording import Entity
from chronotope.scene import refer
from chronotope.scene.names import CLEARLY_LARGER, MATERIALS

COLOURS = ("red", "blue", "brown")
CATEGORIES = ("mug", "cup", "box", "cereal box", "book", "bowl", "ball", "toy car")
# Kinds that a reader of this test would not dare to tell apart by their names alone.
ALIKE = ({"mug", "cup"}, {"box", "cereal box", "book"})
NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}


def thing(name, category, colour="red", material="plastic", size=0.1, parent=None, label=None):
    attributes = {key: value for key, value in (("colour", colour), ("material", material)) if value}
    label = label or (f"{colour} {category}" if colour else category)
    sides = (size, size * 0.8, size * 0.5) if isinstance(size, float) else size
    return Entity(name, label, category, sides, np.eye(4)[None], attributes, parent)


def furniture(category):
    return replace(thing(category, category, "brown"), attributes={"role": "furniture", "colour": "brown"})


def could_be_called(entity, noun):
    """Whether a stranger may take a thing for what "red mug" or "mug" names: kinds that look alike are one to them."""
    words = noun.split()
    colour = words[0] if words[0] in COLOURS else None
    adjective = {shown: name for name, shown in MATERIALS.items()}.get(words[1] if colour else words[0])
    kind = " ".join(words[bool(colour) + bool(adjective) :])
    mine = entity.category
    same = mine == kind or any(mine in group and kind in group for group in ALIKE)
    if not same:
        return False
    if colour and entity.attributes.get("colour", colour) != colour:
        return False
    return not adjective or entity.attributes.get("material", adjective) == adjective


def singular(many):
    return {"boxes": "box"}.get(many.split()[-1], many.split()[-1].removesuffix("s"))


def stands_on(entity, support, entities):
    while entity.parent is not None:
        if entity.parent == support.id:
            return True
        entity = next(other for other in entities if other.id == entity.parent)
    return False


def denoted(text, entities):
    """All entities that a phrase may be meant for, by a grammar of its own."""
    phrase = text.removeprefix("the ")
    ranked = re.fullmatch(r"(larger|largest|smaller|smallest) of the (\w+) (.*)", phrase)
    if ranked:
        rank, number, many = ranked.groups()
        noun = " ".join([*many.split()[:-1], singular(many)])
        group = [entity for entity in entities if could_be_called(entity, noun)]
        assert len(group) == NUMBERS[number], (text, [entity.id for entity in group])
        assert (len(group) == 2) == (rank in ("larger", "smaller"))
        sides = [max(entity.size) for entity in group]
        best = max(sides) if rank.startswith("larg") else min(sides)
        if rank.startswith("larg"):
            return [e for e, side in zip(group, sides, strict=True) if side > best / CLEARLY_LARGER]
        return [e for e, side in zip(group, sides, strict=True) if side < best * CLEARLY_LARGER]
    if " on the " in phrase:
        noun, place = phrase.split(" on the ", 1)
        supports = denoted(f"the {place}", entities)
        assert len(supports) == 1
        return [e for e in entities if could_be_called(e, noun) and stands_on(e, supports[0], entities)]
    return [entity for entity in entities if could_be_called(entity, phrase)]


@st.composite
def scenes(draw):
    entities = [furniture("table"), furniture("shelf")]
    for index in range(draw(st.integers(1, 9))):
        parents = ["table", "shelf", *(e.id for e in entities if e.category in ("box", "book"))]
        entities.append(
            thing(
                f"thing-{index}",
                draw(st.sampled_from(CATEGORIES)),
                draw(st.sampled_from([*COLOURS, None])),
                draw(st.sampled_from(["plastic", "wood", "glass", None])),
                draw(st.floats(0.05, 0.3)),
                draw(st.sampled_from(parents)),
            )
        )
    return draw(st.permutations(entities))


@given(scenes())
def test_no_phrase_denotes_two_things(entities):
    names = refer(entities)
    for name, found in names.items():
        assert [entity.id for entity in denoted(found.text, entities)] == [name], found.text
        assert not re.search(r"\d|\bleft\b|\bright\b", found.text) and len(found.text) < 80
    assert len({found.text for found in names.values()}) == len(names)
    assert names == refer(entities[::-1])


@given(scenes())
def test_what_is_alone_of_its_kind_has_a_name(entities):
    names = refer(entities)
    for entity in entities:
        rivals = [other for other in entities if other is not entity and could_be_called(other, entity.category)]
        if not rivals and entity.label != "box":
            assert names[entity.id].by == "kind"


@pytest.mark.parametrize("word", ["camera", "box", "car", "frame"])
def test_a_word_of_the_stem_alone_is_no_name(word):
    # "How far is the camera from the centre of the camera?", "the upright box that just holds the box"
    assert texts(thing("a", word, None), thing("b", "mug")) == {"b": "the red mug"}
    assert texts(thing("a", word), thing("b", "mug"))["a"] == f"the red {word}"
    assert texts(thing("a", f"toy {word}", None))["a"] == f"the toy {word}"
    pair = thing("a", word, None, size=0.1), thing("b", word, None, size=0.2)
    assert set(texts(*pair)) == {"a", "b"}


@pytest.mark.parametrize(("label", "category"), [("", ""), (" ", "mug"), ("", "mug")])
def test_what_is_called_nothing_has_no_name(label, category):
    nameless = [replace(thing(name, "mug", None), label=label, category=category) for name in "ab"]
    larger = replace(nameless[1], size=(1.0, 1.0, 1.0))
    assert texts(nameless[0], larger, thing("c", "bowl")) == {"c": "the red bowl"}


def texts(*entities):
    return {name: found.text for name, found in refer(entities).items()}


def test_colour_and_kind_come_first():
    assert texts(thing("a", "mug"), thing("b", "mug", "blue"), thing("c", "apple", None)) == {
        "a": "the red mug",
        "b": "the blue mug",
        "c": "the apple",
    }


def test_kinds_that_look_alike_need_a_colour_of_their_own():
    assert texts(thing("a", "mug"), thing("b", "cup", "blue")) == {"a": "the red mug", "b": "the blue cup"}
    assert texts(thing("a", "mug"), thing("b", "cup")) == {}
    assert texts(thing("a", "book"), thing("b", "cereal box")) == {}
    assert texts(thing("a", "mug", None), thing("b", "cup", "blue")) == {}


def test_shades_of_a_colour_are_one_colour():
    shades = thing("a", "box", "light brown"), thing("b", "box", "brown"), thing("c", "box", "dark blue")
    assert texts(*shades) == {"c": "the dark blue box"}


def test_then_the_material_that_is_seen():
    wooden = thing("a", "bowl", material="wood")
    assert texts(wooden, thing("b", "bowl", material="plastic")) == {"a": "the red wooden bowl"}
    # What is no wooden bowl may still be any bowl: it has a name only where it differs in another way.
    assert texts(wooden, thing("b", "bowl", material="wood")) == {}
    assert texts(wooden, thing("b", "bowl", material=None)) == {}


def test_then_the_rank_in_size():
    pair = thing("a", "mug", size=0.10), thing("b", "mug", size=0.12)
    assert texts(*pair) == {"a": "the smaller of the two red mugs", "b": "the larger of the two red mugs"}
    near = thing("a", "mug", size=0.10), thing("b", "mug", size=0.114)
    assert texts(*near) == {}
    three = thing("a", "box", size=0.1), thing("b", "box", size=0.2), thing("c", "box", size=0.3)
    assert texts(*three) == {"a": "the smallest of the three red boxes", "c": "the largest of the three red boxes"}
    # Longer but flatter is not larger.
    flat = thing("a", "box", size=(0.3, 0.1, 0.02)), thing("b", "box", size=(0.2, 0.2, 0.2))
    assert texts(*flat) == {}


def test_then_what_it_stands_on():
    table, shelf = furniture("table"), furniture("shelf")
    book = thing("book", "book", "blue", parent="table")
    on_book, on_shelf = thing("a", "mug", parent="book"), thing("b", "mug", parent="shelf")
    assert texts(table, shelf, book, on_book, on_shelf) == {
        "table": "the table",
        "shelf": "the shelf",
        "book": "the blue book",
        "a": "the red mug on the blue book",
        "b": "the red mug on the shelf",
    }
    # Everything stands on the table in the end.
    assert "c" not in texts(table, shelf, on_shelf, thing("c", "mug", parent="table"))
    # The mug on the book is on the shelf, too.
    on_shelf_book = replace(book, parent="shelf")
    assert texts(table, shelf, on_shelf_book, on_book, on_shelf)["a"] == "the red mug on the blue book"
    assert "b" not in texts(table, shelf, on_shelf_book, on_book, on_shelf)


def test_plurals():
    for kind, many in (
        ("box", "boxes"),
        ("mouse", "mice"),
        ("toy", "toys"),
        ("pony", "ponies"),
        ("toy car", "toy cars"),
        ("die", "dice"),
        ("candle in its holder", "candles in holders"),
    ):
        names = texts(thing("a", kind, size=0.1), thing("b", kind, size=0.2))
        assert names["b"] == f"the larger of the two red {many}"


def test_a_name_says_that_a_thing_is_in_pieces():
    """Of a broken plate there are only shards to be seen: who looks for a plate does not find it."""
    plate = thing("a", "plate", "blue")
    for state in ("broken", "sliced"):
        changed = replace(plate, attributes={**plate.attributes, state: "True"})
        assert texts(changed) == {"a": f"the {state} blue plate"}
        assert texts(replace(plate, attributes={**plate.attributes, state: "False"})) == {"a": "the blue plate"}
        other = thing("b", "plate", "blue", size=0.2)
        assert texts(changed, other) == {}  # a plate in pieces may still be taken for a plate
        assert texts(changed, replace(other, attributes=changed.attributes))["b"] == (
            f"the larger of the two {state} blue plates"
        )


def test_what_stands_in_a_thing_is_part_of_its_name():
    """The height of a pencil holder is that of its pencils, so the name says that they belong to it."""
    holder = thing("a", "pencil holder", "black", label="black pencil holder with pencils")
    assert texts(holder) == {"a": "the black pencil holder with pencils"}
    assert texts(holder, thing("b", "candle holder", "black")) == {}  # pencils do not change its kind
    larger = replace(holder, id="b", size=(0.2, 0.16, 0.1))
    assert texts(holder, larger)["b"] == "the larger of the two black pencil holders with pencils"


def test_what_follows_a_noun_tells_nothing_of_its_kind():
    """A cactus in a blue pot is no pot, and may be taken for another plant in a blue pot."""
    cactus = thing("a", "potted plant", "blue", label="cactus in a blue pot")
    assert texts(cactus, thing("b", "pot", "blue")) == {"a": "the cactus in a blue pot", "b": "the blue pot"}
    assert texts(cactus, thing("b", "potted plant", "blue", label="plant in a blue pot", size=0.1)) == {}
    larger = thing("b", "potted plant", "blue", label="cactus in a blue pot", size=0.2)
    assert texts(cactus, larger)["b"] == "the larger of the two cacti in blue pots"
