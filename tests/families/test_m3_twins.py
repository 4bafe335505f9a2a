"""Twins of M3-Verse's questions: the second opinion answers them from the altered recordings."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from m3_homes import laid_home
from m3_oracle import Oracle
from test_m3_write import written, written_about

from chronotope.families.m3.tasks import NONE
from chronotope.families.m3.twins import POWERS, SCALE, twin
from chronotope.families.twinning import NoTwin, TwinContext, lettered
from chronotope.question import MediaItem, Question
from chronotope.recording import ALTERATIONS, Alteration, Recording, Scene
from chronotope.recording.alterations import altered
from tiers import complete_after

FINAL = ("sliced", "broken", "cooked", "used_up")
HOMES = complete_after(1, [(41, 3), (12, 4), (7, 6), (5, 5), (3, None)])


def plain(scene: Scene) -> Scene:
    """The home with crates, on which nothing is printed, in place of books, boxes and screens.

    Nothing changes for good either.
    """
    before = {one.id: one.attributes for one in scene.recordings[0].entities}

    def changed(recording: Recording) -> Recording:
        entities = [
            replace(
                one,
                category="crate" if one.category in lettered() else one.category,
                attributes=one.attributes
                | {key: before[one.id][key] for key in FINAL if key in before.get(one.id, {})},
            )
            for one in recording.entities
        ]
        return replace(recording, entities=tuple(entities))

    return replace(scene, recordings=tuple(map(changed, scene.recordings)))


def twin_scene(scene: Scene, alteration: Alteration) -> Scene:
    recordings = [altered(one, alteration) for one in scene.recordings]
    return Scene("twin", tuple(recordings[::-1] if alteration == "reversed" else recordings), scene.changes)


def twins(scene: Scene, questions: list[Question], alteration: Alteration, refused: Counter) -> Iterator[tuple]:
    context = TwinContext(alteration, {one.id: one for one in plain(scene).recordings})
    for question in questions:
        try:
            yield question, twin(question, context)
        except NoTwin as why:
            refused[str(why)] += 1


@cache
def asked(seed: int, rooms: int | None) -> list[Question]:
    return list(written(seed, rooms, per_subtask=20).questions)


@pytest.mark.parametrize(("seed", "rooms"), HOMES)
@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_answers_are_those_of_the_altered_home(seed: int, rooms: int | None, alteration: Alteration) -> None:
    scene = laid_home(seed, rooms)
    questions = asked(seed, rooms)
    oracle, count, refused = Oracle(twin_scene(scene, alteration)), 0, Counter()
    for _, new in twins(scene, questions, alteration, refused):
        oracle.check(replace(new, stem=new.stem.removeprefix(f"{SCALE} ")))
        count += 1
    assert count + refused.total() == len(questions)
    assert count >= (80 if alteration == "double_size" else 0.9 * len(questions)), (count, refused)


def test_words_options_and_answer_change_with_the_videos() -> None:
    scene = laid_home(41, 3)
    questions = [
        replace(one, media=tuple(MediaItem(role, "video", (f"{role}.mp4",)) for role in ("before", "after")))
        for one in asked(41, 3)
    ]
    made = {name: list(twins(scene, questions, name, Counter())) for name in ("reversed", "double_size")}
    names = {(old.tags["subtask"][0], new.tags["subtask"][0]) for old, new in made["reversed"]}
    assert ("lost_visible_objects", "new_visible_objects") in names
    moved = 0
    for old, new in made["reversed"]:
        assert [item.paths for item in new.media] == [("after.mp4",), ("before.mp4",)]
        assert [item.role for item in new.media] == ["before", "after"]
        assert new.recordings == old.recordings[::-1]
        moved += old.options == new.options and old.answer != new.answer
    assert moved >= 5  # the same words, and another answer
    for old, new in made["double_size"]:
        assert old.tags["subtask"][0] in POWERS and new.stem == f"{SCALE} {old.stem}" and new.answer == old.answer
        assert all(
            (one.text == other.text) == (one.text == NONE) for one, other in zip(old.options, new.options, strict=True)
        )


def test_what_would_be_odd_has_no_twin() -> None:
    scene = laid_home(41, 3)
    cases: list[tuple[Alteration, str]] = [("mirrored", "lettering"), ("reversed", "cannot be undone")]
    for alteration, words in cases:
        context = TwinContext(alteration, {one.id: one for one in scene.recordings})
        with pytest.raises(NoTwin, match=words):
            twin(asked(41, 3)[0], context)


def test_an_unlettered_home_can_be_mirrored() -> None:
    """Its questions have twins with the same answers, which a second opinion finds in the mirrored home."""
    scene = laid_home(42, 3, unlettered=True)
    context = TwinContext("mirrored", {one.id: one for one in scene.recordings})
    oracle = Oracle(twin_scene(scene, "mirrored"))
    questions = list(written_about(scene).questions)[::4]
    for question in questions:
        new = twin(question, context)
        assert new.provenance["alteration"] == "mirrored"
        oracle.check(new)
        assert (new.stem, new.options, new.answer) == (question.stem, question.options, question.answer)
    assert len({question.task for question in questions}) >= 4 and len(questions) >= 60
    shown = {one.category: one.attributes for home in scene.recordings for one in home.entities}
    screens = [about for name, about in shown.items() if name in lettered()]
    assert screens and all(about["on"] == "False" for about in screens)  # a kitchen has a stove with a clock
    lit = [
        replace(home, entities=tuple(replace(one, attributes=one.attributes | {"on": "True"}) for one in home.entities))
        for home in scene.recordings
    ]
    with pytest.raises(NoTwin, match="lettering"):
        twin(question, TwinContext("mirrored", {one.id: one for one in lit}))
