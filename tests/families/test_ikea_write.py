"""The questions of IKEA-Bench: what is asked, what is right, what is drawn and what is refused."""

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageFilter
from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.families.ikea.options import BuildOptions
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.tasks import TASKS
from chronotope.families.ikea.write import select, write
from chronotope.families.ikea.write.choice import cyclic_run, nearest
from chronotope.families.ikea.write.item import PHRASES
from chronotope.families.ikea.write.look import alike, look
from chronotope.recording.procedure import Procedure, Segment, Step, Take
from ikea_annotations import build, context, draw, plain, procedure, without_clips

PROFILES = ["strict", "paper"]


@pytest.fixture(scope="module")
def stool(tmp_path_factory):
    return plain(tmp_path_factory.mktemp("stool"), 6, 3)


def of_task(written, task):
    return [question for question in written.questions if question.task == task]


def step_of_image(path):
    return int(re.search(r"step_(\d+)\.", path)[1])


def step_of_clip(item):
    """The helper's videos show step n from 10 n s on."""
    return round(item.start / 10)


# The published distractors.


def test_nearest_takes_two_neighbours_and_one_of_the_next_three():
    drawn = {tuple(nearest(np.random.default_rng(seed), 0, range(10))) for seed in range(200)}
    assert drawn == {(1, 2, 3), (1, 2, 4), (1, 2, 5)}
    drawn = {tuple(nearest(np.random.default_rng(seed), 5, range(10))) for seed in range(200)}
    assert drawn == {(4, 6, 3), (4, 6, 7), (4, 6, 2)}


def test_nearest_takes_all_where_there_are_few():
    generator = np.random.default_rng(0)
    assert nearest(generator, 1, [0, 1, 2, 3]) == [0, 2, 3]
    assert nearest(generator, 2, [0, 1, 2]) == [1, 0]
    assert nearest(generator, 4, [0, 2]) == [2, 0]  # the right one has no diagram


# The distractors that tell nothing.


@given(st.sets(st.integers(0, 40), min_size=3, max_size=14), st.integers(2, 4), st.integers(1, 2))
def test_given_a_run_each_member_is_equally_likely_to_be_right(numbers, count, stride):
    """Exactly: all that can be drawn for each right one, counted."""

    class Rank:
        def __init__(self, value):
            self.value = value

        def integers(self, high):
            assert high == count
            return self.value

    if count * stride > len(numbers):
        return
    drawn = Counter(
        (tuple(cyclic_run(Rank(rank), right, sorted(numbers), count, stride)), right)
        for right in numbers
        for rank in range(count)
    )
    for members in {members for members, _ in drawn}:
        assert len(set(members)) == count
        assert len({drawn[members, right] for right in members}) == 1
        assert not any(drawn[members, right] for right in numbers - set(members))


def test_without_the_current_step_no_two_options_follow_one_another(tmp_path):
    long = plain(tmp_path, 11, 2)
    questions = of_task(build([long], "strict", tasks="T4", include_current_step=False)[0], "T4")
    assert len(questions) == 20
    for question in questions:
        steps = sorted(question.provenance["option_steps"])
        assert min(np.diff(steps)) >= 2
        assert question.provenance["steps"][0] not in steps
    short = plain(tmp_path, 8, 1, "short")
    assert build([short], "strict", tasks="T4", include_current_step=False)[0].refusals["T4"]["FEW_OPTIONS"] == 7


def test_the_current_step_stands_among_the_options_like_any_other(stool):
    questions = of_task(build([stool], "strict")[0], "T4")
    among = [question.provenance["steps"][0] in question.provenance["option_steps"] for question in questions]
    assert any(among)
    assert not all(among)
    assert not any(0 in question.provenance["option_steps"] for question in questions)  # follows no step
    for question in of_task(build([stool], "paper")[0], "T4"):
        assert question.provenance["steps"][0] not in question.provenance["option_steps"]


def test_steps_that_no_video_shows_are_no_options_under_strict(tmp_path):
    steps = [Step(n, path, path) for n in range(7) if (path := draw(tmp_path / f"step_{n}.png", n))]
    made = procedure("p", "p", "Chair", steps, (1, 1, 1, 1, 1, 0, 0), tmp_path)
    for question in build([made], "strict")[0].questions:
        shown = set(question.provenance.get("option_steps", ()))
        assert shown <= ({1, 2, 3, 4, 5} if question.task == "T4" else {0, 1, 2, 3, 4})


# What is right.


@pytest.mark.parametrize("profile", PROFILES)
def test_the_right_option_is_what_the_clip_and_the_pictures_say(stool, profile):
    written = build([stool], profile, cap=10**6)[0]
    for question in written.questions:
        right = question.options[question.answer[0]]
        shown = step_of_clip(question.media[0]) if question.task != "D2" else None
        if question.task == "T1":
            assert step_of_image(right.image) == shown
        elif question.task == "T2":
            assert (right.text == "Yes") == (step_of_image(question.media[1].paths[0]) == shown)
        elif question.task == "T3":
            assert right.text == f"Step {shown + 1}"
        elif question.task == "T4":
            assert step_of_image(right.image) == shown + 1
        elif question.task == "D1":
            assert (right.text == "Same") == (step_of_clip(question.media[1]) == shown)
        else:
            steps = {item.label: step_of_image(item.paths[0]) for item in question.media}
            assert [steps[label] for label in right.text.split(" -> ")] == sorted(steps.values())
            wrong = {option.text for option in question.options} - {right.text}
            assert all([steps[label] for label in text.split(" -> ")] != sorted(steps.values()) for text in wrong)
        texts = [option.text or option.image for option in question.options]
        assert len(set(texts)) == len(texts) == (2 if question.task in ("T2", "D1") else 4)
        assert question.stem in PHRASES[question.task]


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_shown_is_laid_out_for_the_protocol(stool, profile):
    roles = {
        "T1": ["video"],
        "T2": ["video", "diagram"],
        "T3": ["video"] + ["diagram"] * 6,
        "T4": ["video"],
        "D1": ["clip_a", "clip_b"],
        "D2": ["diagram"] * 3,
    }
    told = context([stool], profile)
    for question in build([stool], profile)[1].questions:
        assert [item.role for item in question.media] == roles[question.task]
        assert all(path in set(told.media.values()) for item in question.media for path in item.paths)
        for item in question.media:
            assert (item.kind == "video") == (item.end is not None)
        if question.task == "T3":
            assert [item.label for item in question.media[1:]] == [f"Step {n}" for n in range(1, 7)]
        if question.task == "D2":
            assert [item.label for item in question.media] == ["Image 1", "Image 2", "Image 3"]
        assert question.cluster == ("Chair/stool" if profile == "strict" else "stool")
        assert question.tags["product"] == ("stool",)
        assert question.tags["category"] == ("Chair",)
        assert ("step" in question.tags) == (question.task not in ("D1", "D2"))
        assert ("polarity" in question.tags) == (question.task in ("T2", "D1"))
        assert question.provenance["procedure"] == "chair-stool"
        if "option_steps" in question.provenance:
            steps = question.provenance["option_steps"]
            assert steps[question.answer[0]] == question.provenance["answer_step"]


def test_clips_of_a_step_are_in_the_order_in_which_the_source_lists_them(stool):
    """Of the pairs that show one step the first of the step's own list is Clip A, whichever take is the product's."""
    steps = [replace(step, takes=("video2", "video0", "video1")) if step.number == 1 else step for step in stool.steps]
    turned = replace(stool, steps=tuple(steps))

    def pairs(made, step):
        of = of_task(build([made], "paper", tasks="D1")[0], "D1")
        return {tuple(one.provenance["takes"]) for one in of if one.provenance["steps"] == [step, step]}

    assert pairs(turned, 1) == {("video2", "video0"), ("video2", "video1"), ("video0", "video1")}
    assert pairs(turned, 2) == pairs(stool, 1) == {("video0", "video1"), ("video0", "video2"), ("video1", "video2")}


def test_strict_compares_different_videos_on_either_side(stool):
    pairs = of_task(build([stool], "strict", tasks="D1")[0], "D1")
    assert all(len(set(question.provenance["takes"])) == 2 for question in pairs)
    steps = [question.provenance["steps"] for question in pairs if question.tags["polarity"] == ("negative",)]
    assert all(abs(a - b) == 1 for a, b in steps)
    assert 0.2 < np.mean([a < b for a, b in steps]) < 0.8
    published = of_task(build([stool], "paper", tasks="D1")[0], "D1")
    assert any(len(set(question.provenance["takes"])) == 1 for question in published)
    count = Counter(question.tags["polarity"][0] for question in published)
    assert count == {"positive": 6 * 3, "negative": 5 * 9}


def test_both_answers_of_t2_are_asked_of_the_same_clips_under_strict(stool):
    questions = of_task(build([stool], "strict", tasks="T2")[0], "T2")
    by_answer = {
        polarity: sorted(
            (question.provenance["takes"], question.provenance["steps"])
            for question in questions
            if question.tags["polarity"] == (polarity,)
        )
        for polarity in ("positive", "negative")
    }
    assert by_answer["positive"] == by_answer["negative"] != []


# What is drawn.


def test_a_seed_gives_the_same_questions_in_any_order_and_another_seed_others(tmp_path):
    made = [plain(tmp_path, 5, 2, name) for name in ("stool", "bench")]
    for profile in PROFILES:
        one = build(made, profile)[1].questions
        other = build(made[::-1], profile)[1].questions
        assert sorted(one, key=lambda q: q.id) == sorted(other, key=lambda q: q.id)
        assert {q.id: q.options for q in one} != {q.id: q.options for q in build(made, profile, seed=8)[1].questions}


def test_fewer_tasks_give_the_same_questions_of_these(stool):
    all_of_them = build([stool], "strict")[1].questions
    some = build([stool], "strict", tasks="d2, T1")[1].questions
    assert some == tuple(question for question in all_of_them if question.task in ("T1", "D2"))


@pytest.mark.parametrize("task", ["T1", "T2", "T3", "T4", "D1", "D2"])
def test_every_letter_is_right_equally_often_over_seeds(stool, task):
    letters = Counter()
    for seed in range(40):
        letters.update(q.answer[0] for q in build([stool], "strict", seed, tasks=task, cap=20)[1].questions)
    n, k = sum(letters.values()), len(letters)
    assert k == (2 if task in ("T2", "D1") else 4)
    assert all(abs(count / n - 1 / k) < 4 * np.sqrt((1 / k) * (1 - 1 / k) / n) for count in letters.values())


def test_every_sentence_is_drawn(stool):
    drawn = {q.stem for seed in range(12) for q in build([stool], "strict", seed)[1].questions}
    assert drawn == {phrase for task in TASKS for phrase in PHRASES[task]}
    assert [len(PHRASES[task]) for task in ("T1", "T2", "T3", "T4", "D1", "D2")] == [4, 2, 3, 2, 2, 2]
    assert all(phrase.count("?") == 1 for phrase in drawn)


def test_a_cap_is_kept_and_more_contain_fewer(stool):
    few = build([stool], "strict", cap=5)[1]
    more = build([stool], "strict", cap=9)[1]
    for task, n, wider in (("T2", 5, 9), ("D1", 5, 9)):
        assert len(of_task(few, task)) == 2 * n
        assert len(of_task(more, task)) == 2 * wider
        assert {q.id for q in of_task(few, task)} <= {q.id for q in of_task(more, task)}
    assert select((), context([stool], "strict")).questions == ()


# What is refused.


def test_blank_and_repeated_diagrams_are_refused_under_strict_and_flagged_under_paper(tmp_path):
    paths = [draw(tmp_path / f"step_{n}.png", n) for n in range(8)]
    Image.new("L", (90, 70), 255).save(paths[0])
    Image.open(paths[2]).resize((200, 200)).save(paths[3])  # the same drawing, larger
    made = procedure("p", "p", "Chair", [Step(n, path, path) for n, path in enumerate(paths)], (1,) * 8, tmp_path)
    candidates, kept = build([made], "strict")
    assert candidates.refusals["T1"] == {"BLANK_DIAGRAM": 1, "DUPLICATE_DIAGRAM": 2}
    assert candidates.refusals["T4"] == {"DUPLICATE_DIAGRAM": 2, "LAST_STEP": 1}
    assert candidates.refusals["D2"] == {"BLANK_DIAGRAM": 1, "DUPLICATE_DIAGRAM": 3}
    shown = {path for q in kept.questions for item in q.media if item.kind == "image" for path in item.paths}
    shown |= {option.image for q in kept.questions for option in q.options if option.image}
    assert {step_of_image(path) for path in shown} == {1, 4, 5, 6, 7}
    published = build([made], "paper")[1].questions
    for question in published:
        pictures = [path for item in question.media if item.kind == "image" for path in item.paths]
        steps = {step_of_image(path) for path in [*pictures, *(o.image for o in question.options if o.image)]}
        assert ("blank_diagram" in question.flags) == (0 in steps)
        against = steps | ({step_of_clip(question.media[0])} if question.task == "T2" else set())
        assert ("duplicate_diagram" in question.flags) == ({2, 3} <= against)


def test_the_same_drawing_is_known_again_and_another_is_not(tmp_path):
    paths = [draw(tmp_path / f"{n}.png", n) for n in range(6)]
    for path in paths:
        with Image.open(path) as picture:
            changed = {
                "jpeg": picture.convert("L"),
                "smaller": picture.resize((60, 60), Image.Resampling.BOX),
                "blurred": picture.filter(ImageFilter.GaussianBlur(1)),
                "margins": _with_margins(picture),
            }
        for name, other in changed.items():
            other.save(tmp_path / f"other.{'jpg' if name == 'jpeg' else 'png'}")
            assert alike(look(path), look(tmp_path / f"other.{'jpg' if name == 'jpeg' else 'png'}")), name
    looks = [look(path) for path in paths]
    assert not any(alike(a, b) for a, b in combinations(looks, 2))
    Image.new("L", (50, 50), 255).save(tmp_path / "blank.png")
    blank = look(tmp_path / "blank.png")
    assert blank.blank
    assert not alike(blank, blank)


def _with_margins(picture):
    wide = Image.new("L", (140, 150), 255)
    wide.paste(picture, (30, 10))
    return wide


def test_windows_with_a_gap_are_refused_under_strict_and_flagged_under_paper(tmp_path):
    steps = [Step(n, path, path) for n in (0, 1, 2, 4) if (path := draw(tmp_path / f"step_{n}.png", n))]
    made = procedure("p", "p", "Chair", steps, (1, 1, 1, 1), tmp_path)
    candidates, _ = build([made], "strict", tasks="D2")
    assert len(candidates.questions) == 1
    assert candidates.refusals == {"D2": {"NOT_CONSECUTIVE": 1}}
    flags = sorted(question.flags for question in build([made], "paper", tasks="D2")[1].questions)
    assert flags == [(), ("gap_in_sequence",)]


def test_videos_that_are_not_there_are_counted(stool):
    written = write(without_clips(stool), context([stool], "strict"))
    assert {question.task for question in written.questions} == {"D2"}
    assert {task: written.refusals[task] for task in ("T1", "T2", "T3", "T4")} == {
        task: {"NO_CLIP": 18} for task in ("T1", "T2", "T3", "T4")
    }


def test_a_take_that_shows_a_step_twice_gives_two_questions(tmp_path):
    made = plain(tmp_path, 5, 1)
    take = made.takes[0]
    again = replace(made, takes=(replace(take, segments=(*take.segments, Segment(1, 60.0, 66.0))),))
    written = build([again], "strict", tasks="T1,D1")[0]
    assert len(of_task(written, "T1")) == 6
    assert len({question.id for question in written.questions}) == len(written.questions)
    assert not of_task(written, "D1")  # both are of one video


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("profile", PROFILES)
def test_short_manuals_are_refused_and_never_fail(tmp_path, steps, profile):
    drawn = [Step(n, path, path) for n in range(steps) if (path := draw(tmp_path / f"step_{n}.png", n))]
    takes = [
        Take(f"t{k}", tmp_path / f"t{k}.mp4", tuple(Segment(n, 10.0 * n, 10.0 * n + 5) for n in range(steps)))
        for k in range(2)
    ]
    made = Procedure("p", "p", "Chair", "made up", tuple(drawn), tuple(takes))
    candidates, kept = build([made], profile)
    tasks = {question.task for question in kept.questions}
    assert tasks <= {"T2", "D1", *(("D2",) if steps == 3 else ()), *(("T1", "T3") if profile == "paper" else ())}
    assert all(code in Code.meanings() for codes in candidates.refusals.values() for code in codes)


def test_every_code_has_a_meaning():
    assert set(Code.meanings()) == set(Code)


def test_bad_options_get_a_sentence(stool):
    with pytest.raises(ValidationError, match="there is no task 'T5'; expected one or more of T1, T2, T3, T4, D1, D2"):
        BuildOptions(tasks="T1,T5")
    with pytest.raises(InputError, match="--tasks E1: only --profile extended"):
        write(stool, context([stool], "strict", tasks="E1"))


def test_a_damaged_diagram_is_named(tmp_path):
    made = plain(tmp_path, 3, 1)
    made.steps[1].diagram.write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"step_1\.png: cannot be read as a picture"):
        write(made, context([made], "strict"))
