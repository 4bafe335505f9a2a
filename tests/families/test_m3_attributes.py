"""The describer's views, pictures and words: what a model is shown, and what is taken from its replies."""

import asyncio
import io
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from m3_homes import laid_home
from PIL import Image

from chronotope.families import WriteContext
from chronotope.families.m3 import FAMILY, BuildOptions
from chronotope.families.m3.attributes import Described, Describing, Place, Subject, find_subjects
from chronotope.families.m3.attributes.prompts import (
    COMPARE,
    CONSOLIDATE,
    FUNCTION,
    Description,
    Look,
    Profile,
    Purpose,
    function_of_type,
)
from chronotope.families.m3.attributes.view_pictures import GROUND, SIDE, cut_out, outlined
from chronotope.families.m3.looks import COLOURS, SHAPES, are_alike, basic_colour, basic_shape
from chronotope.media import encode_picture
from chronotope.recording import Clip, Entity, Kind, Recording, write_identities

WIDTH, HEIGHT, FRAMES = 64, 48, 14
THINGS = (
    ("Mug|1", "Mug", {"assetId": "Mug_3"}),
    ("Mug|2", "Mug", {"assetId": "Mug_3"}),
    ("CoffeeTable|1", "CoffeeTable", {}),
    ("Vase|1", "Vase", {"colour": "red", "shape": "round"}),
    ("Vase|2", "Vase", {"colour": "red"}),
)


def shown_place(folder: Path, name: str, seed: int) -> Place:
    """A recording of random rectangles that cover each other; some frames have no map."""
    generator = np.random.default_rng(seed)
    files: list[str | None] = []
    (folder / name / "identities").mkdir(parents=True)
    for frame in range(FRAMES):
        identities = np.zeros((HEIGHT, WIDTH), np.uint8)
        for number in generator.permutation(len(THINGS)) + 1:
            left, top = generator.integers(0, WIDTH - 1), generator.integers(0, HEIGHT - 1)
            wide, high = generator.integers(0, 24, 2)
            identities[top : top + high, left : left + wide] = number
        files.append(f"identities/{frame:06d}.png" if generator.random() < 0.9 else None)
        if files[-1] is not None:
            write_identities(folder / name / files[-1], identities)
    pose = np.eye(4)
    entities = tuple(Entity(each, each, kind, (1, 1, 1), pose[None], told) for each, kind, told in THINGS)
    recording = Recording(
        name, Kind.INDOOR, "test", np.arange(FRAMES) / 3, np.tile(pose, (FRAMES, 1, 1)), np.ones(FRAMES, bool),
        clip=Clip(folder / "none.mp4", "", 3.0, WIDTH, HEIGHT), identities=tuple(files), scene="home",
        entities=entities,
    )  # fmt: skip
    return Place(recording, folder / name)


def best_again(places: list[Place], ids: set[str]) -> list[tuple[str, int, int]]:
    """The five best views of the objects with some ids, pixel by pixel."""
    chosen = []
    for place in places:
        views = []
        for frame, name in enumerate(place.recording.identities or ()):
            if name is None:
                continue
            with Image.open(place.folder / name) as picture:
                wide, high = picture.size
                values = np.asarray(picture).ravel().tolist()
            for number, entity in enumerate(place.recording.entities, 1):
                own = [place for place, value in enumerate(values) if value == number]
                if entity.id not in ids or len(own) < 40 / (1024 * 768) * wide * high:
                    continue
                x = sum(place % wide + 0.5 for place in own) / len(own)
                y = sum(place // wide + 0.5 for place in own) / len(own)
                d = math.sqrt(((x - wide / 2) / wide) ** 2 + ((y - high / 2) / high) ** 2)
                quality = 0.7 * len(own) / (wide * high) + 0.3 * (1 - d)
                views.append((quality, len(own), d, place.recording.id, frame, number))
        chosen += sorted(views, key=lambda one: -one[0])[:5]
    ordered = sorted(chosen, key=lambda one: (-one[1], one[2]))[:5]
    return [(recording, frame, number) for *_, recording, frame, number in ordered]


@pytest.mark.parametrize("seed", range(4))
def test_the_five_best_views_are_found_again_pixel_by_pixel(tmp_path: Path, seed: int) -> None:
    places = [shown_place(tmp_path, f"state_{state}", 10 * seed + state) for state in range(2)]
    subjects = find_subjects(places)
    assert [(one.id, one.category) for one in subjects] == [
        ("home/CoffeeTable|1", "coffee table"), ("Mug_3", "mug"), ("home/Vase|2", "vase"),
    ]  # fmt: skip
    ids = ({"CoffeeTable|1"}, {"Mug|1", "Mug|2"}, {"Vase|2"})
    for subject, own in zip(subjects, ids, strict=True):
        found = [(view.recording, view.frame, view.number) for view in subject.views]
        assert len(found) == 5 and found == best_again(places, own)


def test_simulated_recordings_and_recordings_without_maps_have_nothing_to_describe(tmp_path: Path) -> None:
    place = shown_place(tmp_path, "state_0", 1)
    assert find_subjects([place])
    for change in ({"provenance": {"world": "house"}}, {"identities": None}, {"clip": None}):
        assert find_subjects([Place(replace(place.recording, **change), place.folder)]) == []


def test_an_object_is_outlined_around_its_pixels_and_shown_alone() -> None:
    picture = np.full((90, 120, 3), (40, 90, 60), np.uint8)
    mask = np.zeros((90, 120), bool)
    mask[20:40, 30:70] = True
    mask[25:30, 40:50] = False  # a hole
    with Image.open(io.BytesIO(cut_out(picture, mask).data)) as opened:
        alone = np.asarray(opened)
    assert max(alone.shape[:2]) == SIDE
    is_ground = (alone == GROUND).all(axis=2)
    # The margin and the hole are ground, in the proportions of the object.
    assert is_ground[0].all() and is_ground[:, 0].all() and is_ground[-1].all() and is_ground[:, -1].all()
    assert (~is_ground).mean() == pytest.approx(mask.sum() / ((20 + 6) * (40 + 6)), abs=0.01)
    drawn = np.asarray(Image.open(io.BytesIO(outlined(picture, mask).data)), int)
    is_red = drawn[..., 0] - drawn[..., 1:].max(axis=2) > 90
    assert is_red[19, 30:70].mean() > 0.9 and is_red[20:40, 70].mean() > 0.9
    assert not is_red[22:24, 34:66].any() and not is_red[60:].any()
    large = np.full((600, 700, 3), 9, np.uint8)
    with Image.open(io.BytesIO(cut_out(large, np.ones((600, 700), bool)).data)) as opened:
        assert opened.size == (700, 600)


@pytest.mark.parametrize(
    ("said", "meant"),
    [("red", "red"), ("Dark brown", "brown"), ("off-white", "white"), ("gray", "grey"), ("silver", "grey"),
     ("black and white", None), ("beige", None), ("blue-green", None), ("wooden", None), ("", None), (None, None)],
)  # fmt: skip
def test_free_words_become_basic_colours_or_none(said: str | None, meant: str | None) -> None:
    assert basic_colour(said) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Rectangular", "rectangular"), ("box-shaped", "rectangular"), ("L-shaped", "L-shaped"), ("circular", "round"),
     ("round and flat", None), ("elegant", None), (None, None)],
)  # fmt: skip
def test_free_words_become_basic_shapes_or_none(said: str | None, meant: str | None) -> None:
    assert basic_shape(said) == meant


def test_vocabularies_have_the_sizes_of_the_specification() -> None:
    assert len(set(COLOURS)) == 12 and len(set(SHAPES)) == 14
    assert all(basic_colour(word) == word for word in COLOURS) and all(basic_shape(word) == word for word in SHAPES)
    assert are_alike("round", "oval") and not are_alike("red", "blue") and not are_alike("red", "red")


def test_an_attribute_is_known_only_if_both_passes_name_it() -> None:
    subject = Subject("Mug_3", "mug", ())
    first = Profile(color="dark red", shape="cylindrical")
    assert Described(subject, "", first, Look(colour="red", shape="round")).agreed == {"colour": "red"}
    assert Described(subject, "", first, Look(colour=None, shape="cylindrical")).agreed == {"shape": "cylindrical"}
    assert Described(subject, "", Profile(), Look(colour="red", shape="round")).agreed == {}
    assert Described(subject, "", first, None).agreed == {}


class Script:
    """Answers every call, and keeps the names of the calls and the sizes of comparisons."""

    def __init__(self) -> None:
        self.stages: Counter[str] = Counter()
        self.compared: list[tuple[str, int]] = []
        self.asked_for: list[str] = []

    async def ask(self, stage, name, parts, form):
        self.stages[stage.kind] += 1
        if stage is COMPARE:
            self.compared.append((name.partition("--")[0], len(form.model_fields)))
            return form(**{each: Profile(color="red") for each in form.model_fields})
        if stage is FUNCTION:
            self.asked_for.append(name.partition("--")[0])
            return Purpose(function=f"used as {name.partition('--')[0]}")
        if issubclass(form, Description):
            assert stage is not CONSOLIDATE or ("1. " in parts[0] and "2. " in parts[0])
            return None if "bad" in name else form(description="same" if "alike" in name else name)
        return Look(colour="red", shape=None)

    def require_answers(self) -> None:
        self.stages["checked"] += 1


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (2, [2]), (10, [10]), (11, [5, 6]), (31, [7, 8, 8, 8])])
def test_objects_of_one_type_are_compared_in_balanced_batches(count: int, sizes: list[int]) -> None:
    script, picture = Script(), encode_picture(np.zeros((8, 8, 3), np.uint8))
    subjects = [Subject(f"Mug_{number}", "mug", ()) for number in range(count)]
    subjects += [Subject("alike", "vase", ()), Subject("bad", "vase", ())]
    done: list[tuple[int, int]] = []
    work = Describing(script, lambda _: [(picture, picture)] * 3, 4, lambda *told: done.append(told))
    found = asyncio.run(work.describe(subjects))
    assert [one.subject.id for one in found] == [one.id for one in subjects]
    assert sorted(size for kind, size in script.compared if kind == "mug") == sizes
    assert [size for kind, size in script.compared if kind == "vase"] == [1], "nothing is known of the bad one"
    assert script.stages["describe"] == 3 * (count + 2) and script.stages["validate"] == count + 2
    assert script.stages["checked"] == 2, "before the comparisons, and at the end"
    assert script.stages["summary"] == count, "equal texts need no call"
    assert [one.agreed for one in found] == [{"colour": "red"}] * (count + 1) + [{}]
    assert sorted(script.asked_for) == ["mug", "vase"], "one call for each type"
    assert [one.function for one in found] == ["used as mug"] * count + ["used as vase"] * 2
    assert done[-1][0] == done[-1][1] and done == sorted(done, key=lambda told: told[0])


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Used to drink from.", "used to drink from"), ("An object which is used for  sitting", "used for sitting"),
     ("“food”", "food"), ("used to keep warm drinks in", None), (" . ", None), ("An object which is", None)],
)  # fmt: skip
def test_a_function_has_one_to_five_words_that_complete_the_sentence(said: str, meant: str | None) -> None:
    if meant is None:
        with pytest.raises(ValueError, match="expected 1 to 5 words"):
            Purpose(function=said)
        return
    assert Purpose(function=said).function == meant
    request = function_of_type("egg")
    assert "purpose of an egg?" in request and "at most 5 words" in request and "An object which is" in request


@pytest.mark.slow
def test_questions_about_described_looks_are_marked_and_unknown_looks_are_not_asked_about() -> None:
    home = laid_home(11, 3)
    known = {one.id: one.attributes["colour"] for one in home.recordings[0].entities if "colour" in one.attributes}
    described, unknown = sorted(known)[::3], sorted(known)[1::3]

    def seen(entity: Entity) -> Entity:
        told = {key: value for key, value in entity.attributes.items() if key != "colour" or entity.id not in unknown}
        return replace(entity, attributes=told | ({"described": "colour, shape"} if entity.id in described else {}))

    recordings = tuple(replace(one, entities=tuple(map(seen, one.entities))) for one in home.recordings)
    context = WriteContext(5, "paper", BuildOptions(per_subtask=100))
    written = FAMILY.build.write(replace(home, recordings=recordings), context).questions
    asked = [one.provenance for one in written if one.tags["subtask"] == ("object_color",)]
    marked = {one["subjects"][0]: "described" in one["truth_values"] for one in asked}
    assert any(marked.values()) and not all(marked.values()) and not marked.keys() & set(unknown)
    assert all(is_marked == (name in described) for name, is_marked in marked.items())
    names = {word for one in written for word in one.stem.split()}
    assert names & {"red", "blue", "white", "brown", "black", "green"}, "known colours are used in names"
