"""How STI-Bench is asked of local models, how the authors' script reads replies, and the tables of a run."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.families import family
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.statements import STATEMENTS
from chronotope.families.sti.tasks import SCENES, TASKS
from chronotope.media import ClipFacts
from chronotope.protocol import Ask, Image, MediaFacts, Scored, Text, as_videos
from chronotope.protocol import Option as Shown
from chronotope.question import MediaItem, Option, Question, Window

STI = STIProtocol()
LETTERS = "ABCDE"
SPEEDS = ("0.30m/s", "0.44m/s", "0.15m/s", "0.61m/s", "0.24m/s")
COURSES = ("move forward 10.00m", "move forward 12.00m", "turn left 40°", "Left", "stop for 3s")


def question(options):
    return Question("q", "sti", "Speed & Acceleration", "c", "How fast?", tuple(map(Option, options)), (0,))


def letters(reply, options=SPEEDS, placement=(0, 1, 2, 3, 4)):
    """What the authors' script and ours take a reply for; "?" is unread."""
    ask, asked = Ask("q", "q", placement, ()), question(options)
    readings = STI.read_as_published(ask, asked, reply), STI.read(ask, asked, reply, False)
    return "".join(
        "?" if one.options is None else "".join(LETTERS[placement.index(i)] for i in one.options) for one in readings
    )


@pytest.mark.parametrize(
    ("reply", "published", "strict"),
    [
        # the table of the specification
        ("C 0.15m/s", "?", "C"),
        ("B. 12.3 m", "?", "B"),
        ("The option closest to my estimate is D.", "C", "D"),
        ("**D**", "?", "D"),
        ("d", "?", "D"),
        ("(A) is too long, so (C)", "A", "?"),
        ("(A) is too long, so (C). The answer is C.", "A", "C"),
        ("Answer: Cannot be determined", "C", "?"),
        ("", "?", "?"),
        ("The answer is a bit unclear.", "?", "?"),
        ("Option B: 0.44m/s", "B", "B"),
        ("E) 0.24m/s", "?", "E"),
        # tags, boxes, thinking
        ("It moves. <answer>(c)</answer>", "C", "C"),
        (r"So \boxed{D}, not A", "A", "D"),
        ("<think>A or B. The answer is A</think>E", "E", "E"),
        ("<think>The answer is A", "A", "?"),
        # texts
        ("It moves at 0.61 m/s.", "?", "D"),
        ("Between 0.61m/s and 0.24m/s.", "?", "?"),
        # what only the authors' script takes for an answer
        ("The camera hardly moves.\nMy guess would be C", "C", "?"),
        ("The other cars are slow.\nI take B", "B", "?"),
        ("The camera hardly moves.\nIt may be C or D", "D", "?"),
        ("A person walks.", "?", "?"),
        ("F", "?", "?"),
        ("Based on the frames, Easily seen", "?", "?"),
        # a letter and another option's text
        ("C 0.44m/s", "?", "?"),
        ("C. 0.44m/s", "?", "?"),
    ],
)
def test_readers(reply, published, strict):
    assert letters(reply) == published + strict


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("Ans='B'", "B"),
        ("Ans = e of course", "E"),
        ("A is correct; C was not.", "A"),
        ("Not the first.\nb)\nThe rest is slower", "B"),
        ("ANSWER = Every", "E"),
        ("So it is d", "?"),
        ("Answer: B, but (C) is near", "C"),  # brackets come before all else
        ("option b, or Answer: A", "A"),
        ("(F) or ABCDE", "E"),
    ],
)
def test_the_six_patterns_of_the_authors_and_the_last_character(reply, read):
    assert letters(reply)[0] == read


@pytest.mark.parametrize("reply", ["A move forward 12.00m", "A. turn left 40°", "C: Left", "(B) stop for 3s"])
def test_a_letter_and_another_options_text_is_no_answer_of_ours(reply):
    assert letters(reply, COURSES)[1] == "?"


@pytest.mark.parametrize("placement", list(itertools.permutations(range(5)))[::17])
def test_the_placement_is_undone(placement):
    for shown, letter in zip(placement, LETTERS, strict=True):
        for reply in (letter, f"({letter.lower()})", f"Answer: {letter}", f"It is slow.\nIt must be {letter}"):
            reading = STI.read_as_published(Ask("q", "q", placement, ()), question(SPEEDS), reply)
            assert reading.options == {shown}, reply


@given(st.text() | st.lists(st.sampled_from([*"ABCDEFa (){}.:\n", "answer", "is", "option", *SPEEDS])).map("".join))
def test_no_reply_brings_the_published_reader_down(reply):
    reading = STI.read_as_published(Ask("q", "q", (3, 1, 0, 4, 2), ()), question(SPEEDS), reply)
    assert reading.options is None or len(reading.options) == 1


def scored(task, scene, right):
    asked = replace(question(SPEEDS), task=task, tags={"scene": (scene,)})
    return Scored(asked, {"strict": float(right)}, 0.2, "direct")


def test_tables_give_every_cell_and_averages_over_cells():
    ones = [scored("Pose Estimation", "Indoor", right) for right in (1, 1, 1, 0)]
    ones += [scored("Pose Estimation", "Outdoor", 0), scored("Spatial Relation", "Outdoor", 1)]
    tables = {table.key: table for table in STI.tables(ones)}
    cells = {row[0]: row[1:] for row in tables["by-task-and-scene"].rows}
    assert cells["Pose Estimation"] == (0.0, 75.0, None, 60.0)
    assert cells["Spatial Relation"] == (100.0, None, None, 100.0)
    assert cells["Overall"] == (50.0, 75.0, None, pytest.approx(400 / 6))
    assert cells["Trajectory Description"] == (None,) * 4
    assert tables["macro"].rows == ((80.0, 62.5, pytest.approx(175 / 3)),)
    assert tables["by-task"].rows[0][8] == pytest.approx(400 / 6)  # over questions, as the paper's


def test_the_family_has_a_published_reader():
    assert callable(family("sti").protocol.read_as_published)


@pytest.mark.parametrize(
    ("flags", "words", "chance"),
    [
        (("published-distractors",), ("Left", "Right", "Up", "Down", "Front"), 1 / 4),
        ((), ("Left", "Right", "Up", "Down", "Front"), 1 / 5),
        (("published-distractors",), ("Left", "Up", "Front"), 1 / 3),  # no word's opposite: as any other question
        (("published-distractors",), SPEEDS, 1 / 5),
    ],
)
def test_a_word_whose_opposite_is_missing_is_no_guess_under_the_published_rule(flags, words, chance):
    asked = replace(question(words), flags=flags)
    ask = Ask("q", "q", tuple(range(len(words))), ())
    assert STI.score(asked, [(ask, STI.read(ask, asked, "A", False))]).chance == chance


def test_local_models_see_the_video_first():
    """As the authors' script for them has it: the video, then the words; the other script has them turned."""
    of = replace(question(SPEEDS), media=(MediaItem("clip", "video", ("c.mp4",)),), window=Window(0.0, 2.5))
    facts = MediaFacts({"c.mp4": ClipFacts("0" * 64, 64, 48, 90, 30.0, 3.0)})
    for prompt, clips, order in (
        ("local", "video", "VT"),
        ("local", "frames", "F" * 30 + "T"),
        ("api", "frames", "TF"),
    ):
        settings = RunSettings(prompt=prompt, clips=clips)
        assert settings.max_tokens == {"local": 512, "api": 100}[prompt]
        [ask] = STI.asks(of, settings, facts)
        sent = STI.parts(ask, of, facts)
        sent = as_videos(sent) if clips == "video" else sent
        kinds = ["T" if isinstance(part, Text | Shown) else "F" if isinstance(part, Image) else "V" for part in sent]
        assert "".join(kind for kind, _ in itertools.groupby(kinds)) == order.replace("F" * 30, "F")
        said = "".join(part.shown if isinstance(part, Shown) else getattr(part, "text", "") for part in sent)
        if prompt == "local":
            assert said.startswith("From 0.0 s to 2.5 s. How fast?\n(A) 0.30m/s\n")
            assert said.endswith("(E) 0.24m/s\nPlease output only the option letter!")


def test_what_the_published_tables_show_is_checked_on_a_run():
    ones = [scored("Spatial Relation", "Outdoor", 1), scored("Dimensional Measurement", "Indoor", 1)]
    checked = family("sti").paper.statements(ones)
    assert [one.holds for one in checked] == [False, None, None, None, False, None]
    assert checked[0].figures == "Outdoor 100.0 %, Indoor 100.0 %: +0.0 points"
    assert checked[1].figures == "needs questions of Desktop"
    assert checked[5].figures == "needs questions of 3D Video Grounding"


def test_the_statements_are_counted_from_the_published_tables():
    tables = {table.source: table for table in family("sti").paper.reference().tables}
    counted = [0] * len(STATEMENTS)
    scenes = {row.model: row.values for row in tables["Table 3"].rows}
    for row in tables["Table 2"].rows:
        cells = dict(zip((*TASKS, "Overall"), row.values, strict=False)) | dict(
            zip((*SCENES, "all"), scenes[row.model], strict=True)
        )
        counted = [number + bool(one.decide(cells)[0]) for number, one in zip(counted, STATEMENTS, strict=True)]
    assert [f"({number} of 10" in one.words for number, one in zip(counted, STATEMENTS, strict=True)] == [True] * 6
