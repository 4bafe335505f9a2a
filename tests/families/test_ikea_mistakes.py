"""Questions about takes with mistakes: what is asked, what is right, and that nothing but the video tells it."""

from collections import Counter
from dataclasses import replace

import pytest

from chronotope.errors import InputError
from chronotope.families.ikea.write import select, write
from chronotope.families.ikea.write.mistakes import KINDS, UNDOINGS
from chronotope.recording import MISTAKES, Mistake, Procedure, Segment, Take
from chronotope.recording.procedures import load_procedure, save_procedure
from ikea_annotations import build, context, plain


def with_mistakes(made: Procedure) -> Procedure:
    """A manual with one more take for each kind of mistake and each answer to what has to be undone."""
    takes: list[Take] = []
    for kind in MISTAKES:
        for number, undo in enumerate(((), (1,), (2,), (1, 2))):
            shown = (2, 1) if kind == "wrong_order" else (1, 2)
            segments = tuple(Segment(step, 10.0 * at, 10.0 * at + 9) for at, step in enumerate(shown))
            undone = None if kind == "wrong_order" else undo
            mistake = Mistake(kind, 2 if kind == "wrong_order" else 1, ("3",), 4.0, 8.0, undone)
            takes.append(Take(f"{kind}-{number}", made.takes[0].clip, segments, 10.0, mistake))
    return replace(made, takes=(*made.takes, *takes))


@pytest.fixture(scope="module")
def stool(tmp_path_factory):
    return with_mistakes(plain(tmp_path_factory.mktemp("stool"), 6, 8))


def of_task(written, task):
    return [question for question in written.questions if question.task == task]


def test_both_answers_of_e1_show_the_same_diagrams(stool):
    questions = of_task(build([stool], "extended")[0], "E1")
    shown = {side: Counter(q.provenance["shown_step"] for q in questions if q.tags["polarity"] == (side,))
             for side in ("positive", "negative")}  # fmt: skip
    assert shown["positive"] == shown["negative"]
    assert sum(shown["positive"].values()) == 8  # a video without a mistake is used once
    clips = [(q.media[0].paths, q.media[0].start, q.provenance["takes"][0]) for q in questions]
    assert len(set(clips)) == len(clips)
    for question in questions:
        is_wrong = question.provenance["takes"][0] in {take.id for take in stool.takes if take.mistake is not None}
        assert question.options[question.answer[0]].text == ("No" if is_wrong else "Yes")


def test_each_option_of_e2_and_e3_is_equally_often_right(stool):
    written = select(build([stool], "extended")[0].questions, context([stool], "extended"))
    for task, options in (("E2", tuple(KINDS.values())), ("E3", UNDOINGS)):
        questions = of_task(written, task)
        assert {tuple(sorted(option.text or "" for option in q.options)) for q in questions} == {tuple(sorted(options))}
        right = Counter(question.options[question.answer[0]].text for question in questions)
        assert set(right) == set(options)
        assert len(set(right.values())) == 1
        letters = Counter(question.answer[0] for question in questions)
        assert len(letters) > 2


def test_the_answers_follow_from_the_mistake(stool):
    mistakes = {take.id: take.mistake for take in stool.takes}
    for question in build([stool], "extended")[0].questions:
        mistake = mistakes[question.provenance["takes"][0]] if question.task in ("E2", "E3") else None
        if mistake is None:
            continue
        right = question.options[question.answer[0]].text
        if question.task == "E2":
            assert right == KINDS[mistake.kind]
        else:
            assert right == UNDOINGS[[(), (1,), (2,), (1, 2)].index(mistake.undo)]
        assert [item.label for item in question.media[1:]] == [f"Step {n}" for n in range(1, 7)]
        assert (question.media[0].start, question.media[0].end) == (0.0, 19.0)


def test_takes_with_mistakes_are_in_no_other_task(stool):
    for profile in ("strict", "paper", "extended"):
        for question in build([stool], profile)[0].questions:
            if question.task[0] in "TD":
                assert not any("_" in take for take in question.provenance.get("takes", ()))


def test_only_the_extended_profile_asks_about_mistakes(stool):
    assert not any(question.task[0] == "E" for question in build([stool], "strict")[0].questions)
    with pytest.raises(InputError, match="only --profile extended has questions about mistakes"):
        write(stool, context([stool], "strict", tasks="T1,E2"))


def test_a_mistake_without_a_partner_is_not_asked_about(stool):
    alone = replace(stool, takes=tuple(take for take in stool.takes if take.mistake is not None))
    written = build([alone], "extended")[0]
    assert not of_task(written, "E1")
    assert written.refusals["E1"]["NO_PARTNER"] == 24


def test_the_file_of_a_manual_keeps_mistakes(stool, tmp_path):
    takes = tuple(replace(take, clip=None) for take in stool.takes)
    save_procedure(replace(stool, takes=takes), tmp_path)
    assert load_procedure(tmp_path).takes == takes
