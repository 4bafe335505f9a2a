"""Questions of M3-Verse about homes: a second opinion, the forms of the questions, and the same bytes."""

from collections import Counter
from dataclasses import replace

import pytest
from m3_homes import laid_home, leaving_out
from m3_oracle import Oracle

from chronotope.families import WriteContext
from chronotope.families.m3 import FAMILY, BuildOptions
from chronotope.families.m3.select import select
from chronotope.families.m3.shares import mostly_empty
from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import INTER, NONE, TASKS
from chronotope.families.m3.write import (
    agent_explore,
    multi_states,
    object_changes,
    object_info,
    scene_info,
    writer,
)
from chronotope.recording import Scene
from chronotope.scene import plural
from tiers import complete_after

SMALL = [(41, 3), (12, 4)]


def written(seed, rooms, profile="strict", per_subtask=3, number=7):
    return written_about(laid_home(seed, rooms), profile, per_subtask, number)


def written_about(scene, profile="strict", per_subtask=3, number=7):
    clips = {one.id: f"clips/{one.id}.mp4" for one in scene.recordings}
    return FAMILY.build.write(scene, WriteContext(number, profile, BuildOptions(per_subtask=per_subtask), clips))


@pytest.mark.parametrize("profile", ["strict", "paper"])
@pytest.mark.parametrize(("seed", "rooms"), SMALL)
def test_every_answer_follows_from_the_recordings(seed, rooms, profile) -> None:
    questions = written(seed, rooms, profile, per_subtask=20).questions
    oracle = Oracle(laid_home(seed, rooms))
    assert len(questions) > 100
    for question in questions:
        oracle.check(question)


def test_the_second_opinion_notices_a_wrong_answer() -> None:
    oracle = Oracle(laid_home(*SMALL[0]))
    for question in written(*SMALL[0], per_subtask=1).questions:
        wrong = (question.answer[0] + 1) % len(question.options)
        with pytest.raises(AssertionError):
            oracle.check(replace(question, answer=(wrong,), multiple=False))


MAY_BE_EMPTY = {name for name, row in SUBTASKS.items() if row.may_be_empty}
VISITED = {"rooms_visited_both_states", "rooms_visited_only_state1", "rooms_visited_only_state2"}


@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_a_room_that_one_video_leaves_out_is_asked_about(profile, monkeypatch) -> None:
    monkeypatch.setattr(writer, "SUBTASKS", {name: SUBTASKS[name] for name in VISITED})
    whole = laid_home(*SMALL[0])
    asked = {name: [] for name in VISITED}
    for room in whole.recordings[0].rooms:
        scene = leaving_out(whole, 1, room.id)
        oracle = Oracle(scene)
        for number in range(4):
            for one in written_about(scene, profile, number=number).questions:
                oracle.check(one)
                asked[one.tags["subtask"][0]].append(one.tags["hallucination"])
    assert ("no",) in asked["rooms_visited_only_state1"] and ("no",) in asked["rooms_visited_both_states"]
    assert set(asked["rooms_visited_only_state2"]) == {("yes",)}


def test_a_home_of_four_rooms_has_all_questions_about_visited_rooms(monkeypatch) -> None:
    """Every sixth home of a set has four rooms, so that these rare subtasks are in every set."""
    names = {*VISITED, "room_visit_count_comparison"}
    monkeypatch.setattr(writer, "SUBTASKS", {name: SUBTASKS[name] for name in names})
    whole, counted = laid_home(*SMALL[1]), 0
    for room in whole.recordings[0].rooms:
        scene = leaving_out(whole, 1, room.id)
        oracle = Oracle(scene)
        asked = Counter()
        for number in range(6):
            for one in written_about(scene, number=number).questions:
                oracle.check(one)
                asked[one.tags["subtask"][0]] += 1
        assert set(asked) >= VISITED and min(asked.values()) >= 3, (room.id, asked)
        counted += "room_visit_count_comparison" in asked
    assert counted >= 2


def test_the_rooms_that_both_videos_visit_are_asked_about_as_published_or_refused_with_the_reason() -> None:
    strict, paper = (written(*SMALL[0], profile, per_subtask=20) for profile in ("strict", "paper"))
    assert not any(one.tags["subtask"][0] in VISITED for one in strict.questions)
    assert all(strict.refusals[name] == {"ALL_VISITED": 1} for name in VISITED)
    [both] = [one for one in paper.questions if one.tags["subtask"] == ("rooms_visited_both_states",)]
    assert len(both.answer) == len(both.options) - 1 >= 3  # all but the option that none is correct


@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_rooms_and_homes_without_a_change_are_asked_about_what_changed(profile) -> None:
    whole = laid_home(*SMALL[0])
    before, after = whole.recordings
    still = Scene(whole.id, (before, replace(before, id=after.id, state=after.state)), ())
    made = written_about(still, profile, per_subtask=20).questions
    oracle = Oracle(still)
    empty = [one for one in made if one.tags["subtask"][0] in MAY_BE_EMPTY - VISITED]
    assert {one.tags["subtask"][0] for one in empty} >= {"attribute_changed_objects", "new_visible_objects"}
    for one in empty:
        oracle.check(one)
        assert one.tags["hallucination"] == ("yes",) and one.options[one.answer[0]].text == NONE
    of_both = {one.tags["subtask"] for one in select(made, WriteContext(7, profile, BuildOptions())).questions}
    assert ("attribute_changed_objects",) in of_both


def test_at_most_half_of_the_questions_of_a_subtask_have_nothing_to_find() -> None:
    questions = [one for home in SMALL for one in written(*home, per_subtask=20).questions]
    chosen = mostly_empty(questions, 7)
    for name in MAY_BE_EMPTY:
        kept = [one for one in questions if one.tags["subtask"] == (name,) and one.id not in chosen]
        empty = sum(one.tags["hallucination"] == ("yes",) for one in kept)
        assert empty <= max(1, len(kept) - empty)


@pytest.mark.slow
@pytest.mark.parametrize("seed", complete_after(1, range(6)))
def test_every_answer_follows_from_the_recordings_of_many_homes(seed) -> None:
    oracle = Oracle(laid_home(118 + seed))
    for profile in ("strict", "paper"):
        for question in written(118 + seed, None, profile, per_subtask=20, number=seed).questions:
            oracle.check(question)


def test_plurals_are_those_of_english() -> None:
    nouns = ["shelf", "safe", "knife", "box", "tomato", "bus", "dish", "city", "key", "roll of toilet paper", "vase"]
    expected = ["shelves", "safes", "knives", "boxes", "tomatoes", "buses", "dishes", "cities", "keys"]
    assert [plural(each) for each in nouns] == [*expected, "rolls of toilet paper", "vases"]


def test_questions_have_the_form_of_their_subtask() -> None:
    questions = [one for home in SMALL for one in written(*home, per_subtask=20).questions]
    for one in questions:
        row = SUBTASKS[one.tags["subtask"][0]]
        texts = [option.text for option in one.options]
        assert (NONE in texts) == row.lists_none
        least = 3 if row.least == row.most == 4 else row.least  # of three possible pairs of states
        assert least <= len(texts) <= row.most, one.id
        assert one.tags["capability"] == row.capabilities
        assert [item.role for item in one.media] == ["before", "after"]
        assert "{" not in one.stem and "None" not in one.stem


def test_every_subtask_with_words_has_one_writer_and_every_category_a_module() -> None:
    worded = {name for name, row in SUBTASKS.items() if row.template}
    assert set(writer.WRITERS) == worded == set(SUBTASKS) - {"position_change_detection"}
    modules = (scene_info, object_info, agent_explore, object_changes, multi_states)
    assert [{SUBTASKS[name].category for name in module.WRITERS} for module in modules] == [{task} for task in TASKS]
    assert sum(len(module.WRITERS) for module in modules) == len(worded)


def test_the_same_seed_gives_the_same_questions_and_another_seed_gives_others() -> None:
    first, again, other = (written(*SMALL[0], number=number).questions for number in (7, 7, 8))
    assert first == again
    assert {one.stem for one in first} != {one.stem for one in other}


@pytest.mark.parametrize(
    ("profile", "hallucination", "inter"),
    [("strict", None, 0.5155), ("strict", 0.1, 0.6), ("paper", None, None), ("paper", 0.4, 0.3)],
)
def test_the_selection_has_the_wanted_shares_of_states_and_hallucinations(profile, hallucination, inter) -> None:
    homes = *SMALL, (11, 3)  # the third one is also that of the builds
    questions = [one for home in homes for one in written(*home, profile, per_subtask=20).questions]
    options = BuildOptions(per_subtask=100, hallucination=hallucination, inter_state=inter)
    kept = select(questions, WriteContext(7, profile, options)).questions
    both = sum(one.tags["state_type"] == (INTER,) for one in kept) / len(kept)
    assert both == pytest.approx(inter or 0.5155, abs=0.005)
    if hallucination is not None or profile == "paper":
        false = sum(one.tags["hallucination"] == ("yes",) for one in kept) / len(kept)
        assert false == pytest.approx(hallucination or 0.232, abs=0.005)
    assert {one.tags["subtask"] for one in kept} == {one.tags["subtask"] for one in questions}
    assert len(kept) > 150


@pytest.mark.parametrize(("profile", "wanted"), [("strict", None), ("strict", 0.1), ("paper", None)])
def test_the_selection_has_the_wanted_share_of_hallucinations_and_balanced_places(profile, wanted) -> None:
    questions = [one for home in SMALL for one in written(*home, profile, per_subtask=20).questions]
    context = WriteContext(7, profile, BuildOptions(per_subtask=100, hallucination=wanted))
    kept = select(questions, context)
    share = sum(one.tags["hallucination"] == ("yes",) for one in kept.questions) / len(kept.questions)
    if wanted is not None or profile == "paper":
        assert share == pytest.approx(wanted or 0.232, abs=0.005)
    else:
        assert {one.tags["subtask"] for one in kept.questions} == {one.tags["subtask"] for one in questions}
    assert len(kept.questions) + sum(sum(each.values()) for each in kept.refusals.values()) == len(questions)
    oracles = {laid_home(*home).id: Oracle(laid_home(*home)) for home in SMALL}
    for one in kept.questions:
        oracles[one.cluster].check(one)
    groups: dict[tuple, Counter] = {}
    for one in kept.questions:
        if not one.multiple and not one.provenance["sorted"]:
            key = one.tags["subtask"], len(one.options), one.tags["hallucination"]
            groups.setdefault(key, Counter())[one.answer[0]] += 1
    for (_, count, _), places in groups.items():
        assert max(places.values()) - min(places[place] for place in range(count)) <= 1
