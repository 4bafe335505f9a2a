"""How M3-Verse is asked and scored: frames, prompts to the letter, partial credit, chance, tables, published rows."""

import asyncio
import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.families import family
from chronotope.families.m3.composition import composition
from chronotope.families.m3.findings import FINDINGS
from chronotope.families.m3.protocol import M3Protocol, RunSettings
from chronotope.make import import_release
from chronotope.media import ClipFacts
from chronotope.models import Limits, baseline
from chronotope.protocol import (
    Ask,
    AskSettings,
    FrameOf,
    Image,
    MediaFacts,
    PictureFacts,
    PictureFile,
    Reading,
    Scored,
    Text,
    Video,
    as_videos,
)
from chronotope.protocol import Option as Offered
from chronotope.question import MediaItem, Option, Question
from m3_released import LENGTHS, NONE, row, write_pictures, write_release

M3 = M3Protocol()
LETTERS = "ABCDEFG"
PATHS = ("clips/h/state_0.mp4", "clips/h/state_1.mp4")
FACTS = MediaFacts(
    {path: ClipFacts(str(n) * 64, 1024, 768, 500 + n, 3.0, (500 + n) / 3.0) for n, path in enumerate(PATHS)}
)


def question(texts=("Kitchen", "Bedroom", "Bathroom"), answer=(0,), **changes: Any) -> Question:
    media = (
        MediaItem("before", "video", (PATHS[0],), "This is the first video:"),
        MediaItem("after", "video", (PATHS[1],), "This is the second video:"),
    )
    known = {"answer": tuple(answer), "multiple": len(answer) > 1, "media": media} | changes
    return Question("q", "m3", "scene_info", "h", "What type of room is it?", tuple(map(Option, texts)), **known)


def asked(of: Question, settings: RunSettings | None = None, facts: Any = None) -> Ask:
    [ask] = M3.asks(of, settings or RunSettings(), FACTS if facts is None else facts)
    return ask


def parts(of: Question, settings: RunSettings | None = None, facts: Any = None) -> list[Any]:
    settings, facts = settings or RunSettings(), FACTS if facts is None else facts
    return M3.parts(asked(of, settings, facts), of, facts)


def text_of(of: list[Any]) -> str:
    """The prompt as one text, each run of frames as {path number of frames}."""
    said = ""
    runs: list[tuple[str, int]] = []
    for part in [*of, Text("")]:
        if isinstance(part, Image):
            assert isinstance(part.picture, FrameOf)
            count = runs[-1][1] if runs and runs[-1][0] == part.picture.path else 0
            assert part.picture.position == count
            runs = [(part.picture.path, count + 1)]
            continue
        said += "".join(f"{{{path} {count}}}" for path, count in runs)
        runs = []
        said += part.shown if isinstance(part, Offered) else part.text
    return said


# The prompt ----------------------------------------------------------------------------------------------------------

# Figure 18: a line for each field.
SINGLE = """\
Your task is to answer questions based on the provided videos and options.
This is the first video:{clips/h/state_0.mp4 200}
This is the second video:{clips/h/state_1.mp4 200}
Question: What type of room is it?
options: A. Kitchen
B. Bedroom
C. Bathroom
Return ONLY the letter(s) corresponding to the correct option(s) (e.g., A, B, C, or A,C for multiple correct answers)
There is only one correct option for this question."""
MULTIPLE = SINGLE.replace(
    "There is only one correct option for this question.", "There are more than one correct option for this question."
)
# Figure 19: the same without the two videos.
BLIND = "\n".join(line for line in SINGLE.splitlines() if "video:" not in line)
JOINED = SINGLE.replace(
    "\nThis is the first video:", "\nBoth videos are given as one stream of frames.\nFrames of the first video:"
).replace("This is the second video:", "Frames of the second video:")


def test_the_prompt_to_the_letter() -> None:
    assert text_of(parts(question())) == SINGLE
    assert text_of(parts(question(answer=(0, 2)))) == MULTIPLE
    assert text_of(parts(question(), RunSettings(input="blind"))) == BLIND
    assert text_of(parts(question(), RunSettings(videos="joined"))) == JOINED


def test_options_can_be_read_without_the_prompt() -> None:
    for answer in ((1,), (0, 2)):
        offered = [part for part in parts(question(answer=answer)) if isinstance(part, Offered)]
        assert [(one.letter, one.text) for one in offered] == [("A", "Kitchen"), ("B", "Bedroom"), ("C", "Bathroom")]
        assert {one.multiple for one in offered} == {len(answer) > 1}


def test_options_are_shown_in_the_placement_of_the_ask() -> None:
    settings = RunSettings(placement="rotate", input="blind")
    shown = [text_of(M3.parts(ask, question(), FACTS)) for ask in M3.asks(question(), settings, FACTS)]
    assert len(shown) == 3 and "A. Bedroom\nB. Bathroom\nC. Kitchen\nReturn" in shown[1]


def test_a_question_without_options_is_asked_openly() -> None:
    of = question((), (), expected="Kitchen", variant="open", base="b")
    said = text_of(parts(of, RunSettings(input="blind")))
    assert said.endswith("\nQuestion: What type of room is it?\nReturn ONLY the answer.") and "options:" not in said
    assert M3.read(asked(of), of, "Kitchen", False).value == "Kitchen"


def test_videos_without_labels_get_them() -> None:
    bare = question()
    bare = replace(bare, media=tuple(replace(item, label=None) for item in bare.media))
    assert text_of(parts(bare)) == SINGLE
    odd = replace(bare, media=(replace(bare.media[0], role="third"),))
    assert "options.\nThis is the third video:{clips/h/state_0.mp4 200}\nQuestion:" in text_of(parts(odd))


def test_texts_of_the_shared_layout_do_not_run_together() -> None:
    said = "".join(part.text for part in parts(question()) if isinstance(part, Text))
    assert "options.\nThis is the first video:\nThis is the second video:\nQuestion:" in said


# Frames --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("frames", "count"), [(None, 200), (60, 60), (1, 1), (499, 499)])
def test_frames_are_the_middles_of_equal_parts(frames: int | None, count: int) -> None:
    ask = asked(question(), RunSettings(frames=frames))
    for plan, total in zip(ask.plans, (500, 501), strict=True):
        assert plan is not None
        assert list(plan.indices) == [math.floor((Fraction(i) + Fraction(1, 2)) * total / count) for i in range(count)]


@pytest.mark.parametrize("frames", [501, 1000])
def test_both_videos_show_as_many_frames_as_the_shorter_one_has(frames: int) -> None:
    ask = asked(question(), RunSettings(frames=frames))
    assert [len(plan.indices) for plan in ask.plans if plan is not None] == [500, 500]


def test_both_show_equally_many_when_one_is_there_as_pictures() -> None:
    """45 frames of a video, 40 pictures in place of the other, as in releases of both kinds: 40 of each."""
    paths = tuple(f"frames/h/state_0/{n:05d}.png" for n in range(40))
    of = question()
    of = replace(of, media=(replace(of.media[0], kind="frames", paths=paths), of.media[1]))
    facts = MediaFacts({PATHS[1]: ClipFacts("1" * 64, 64, 48, 45, 3.0, 15.0)})
    facts |= {path: PictureFacts(path) for path in paths}
    shown = [part.picture for part in parts(of, RunSettings(), facts) if isinstance(part, Image)]
    of_pictures = [one.path for one in shown if isinstance(one, PictureFile)]
    assert of_pictures == list(paths) and len(shown) == 80


@pytest.mark.parametrize(("size", "wide"), [("448x448", (448, 448)), ("336x448", (448, 336)), ("native", None)])
def test_sizes_are_height_by_width(size: Any, wide: tuple[int, int] | None) -> None:
    ask = asked(question(), RunSettings(size=size))
    assert [plan.size for plan in ask.plans if plan is not None] == [wide, wide]
    assert wide is None or size == "448x448" or Fraction(*wide) == Fraction(1024, 768)  # the shape of the videos


def test_frames_by_rate() -> None:
    ask = asked(question(), RunSettings(rate=1))
    assert ask.plans[0] is not None
    assert list(ask.plans[0].indices) == list(range(0, 500, 3))
    both = asked(question(), RunSettings(rate=1.5))
    assert both.plans[1] is not None and list(both.plans[1].indices) == list(range(0, 501, 2))


def test_pictures_stand_in_for_a_video() -> None:
    paths = tuple(f"frames/h/state_0/{n:05d}.png" for n in range(23))
    of = question()
    of = replace(of, media=(replace(of.media[0], kind="frames", paths=paths), of.media[1]))
    facts = MediaFacts(FACTS | {path: PictureFacts(path) for path in paths})
    settings = RunSettings(frames=7)
    shown = [part.picture for part in parts(of, settings, facts) if isinstance(part, Image)]
    of_pictures = [one.path for one in shown if isinstance(one, PictureFile)]
    assert of_pictures == [paths[math.floor((i + 0.5) * 23 / 7)] for i in range(7)]
    assert sum(isinstance(one, FrameOf) for one in shown) == 7
    shown = [part.picture for part in parts(of, RunSettings(frames=23), facts) if isinstance(part, Image)]
    assert [one.path for one in shown if isinstance(one, PictureFile)] == list(paths)
    with pytest.raises(InputError, match="pictures whose frame rate is unknown: use --frames"):
        M3.asks(of, RunSettings(rate=2), facts)


@given(st.integers(1, 700), st.integers(1, 300))
def test_pictures_and_videos_give_the_same_frames(total: int, count: int) -> None:
    path = PATHS[0]
    clip = MediaFacts({path: ClipFacts("0" * 64, 64, 48, total, 3.0, total / 3)})
    video = question(media=(MediaItem("before", "video", (path,)),))
    paths = tuple(map(str, range(total)))
    pictures = question(media=(MediaItem("before", "frames", paths),))
    settings = RunSettings(frames=count, size="native")
    [ask] = M3.asks(video, settings, clip)
    facts = MediaFacts({one: PictureFacts(one) for one in paths})
    shown = [part.picture for part in parts(pictures, settings, facts) if isinstance(part, Image)]
    assert ask.plans[0] is not None
    assert [int(one.path) for one in shown] == list(ask.plans[0].indices)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (RunSettings(rate=1, frames=60), "--rate: --frames already gives the number"),
        (RunSettings(rate=1, input="blind"), "--rate: no frames are shown with --input blind"),
        (RunSettings(rate=1, clips="video"), "--rate: with --clips video whole videos are sent"),
        (RunSettings(videos="joined", input="blind"), "--videos joined: no frames are shown"),
        (RunSettings(videos="joined", clips="video"), "--videos joined: with --clips video whole videos"),
    ],
)
def test_contradictions_are_refused(settings: RunSettings, words: str) -> None:
    with pytest.raises(InputError, match=words):
        M3.asks(question(), settings, FACTS)


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"rate": 0}, {"rate": -1}, {"size": "448x336"}, {"videos": "both"}, {"frames": 0}):
        with pytest.raises(ValueError, match="validation error"):
            RunSettings.model_validate(wrong)


def test_whole_videos_stand_in_their_places() -> None:
    sent = as_videos(parts(question(), RunSettings(clips="video")))
    kinds = [type(part).__name__ for part in sent]
    assert kinds == ["Text", "Text", "Video", "Text", "Video", "Text", "Text", *["Option"] * 3, "Text"]
    assert [part.path for part in sent if isinstance(part, Video)] == list(PATHS)
    assert isinstance(sent[1], Text) and sent[1].text == "\nThis is the first video:"


# Through the engine --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("bench")
    release = write_release(folder / "release", [row(n) for n in range(12)], scenes=("scene_0", "scene_1"))
    write_pictures(release, "scene_2")
    return import_release("m3", release, folder / "bench").benchmark


# Of 23 pictures 20 are shown, the middles of equal parts: as many as there are of the other video.
LEFT_OUT = [
    f"frames/scene_2/state_1/{n:05d}.png" for n in range(23) if n not in {(2 * i + 1) * 23 // 40 for i in range(20)}
]


@pytest.mark.parametrize("clips", ["frames", "video"])
def test_the_engine_plans_both_videos(bench: Any, clips: Any) -> None:
    plan = make_plan(bench, family("m3"), RunSettings(clips=clips), Selection(), Limits())
    assert len(plan.asks) == 12
    for ask in plan.asks:
        of = plan.questions[ask.question]
        sent = plan.parts(ask)
        pictures, videos = ([part for part in sent if isinstance(part, kind)] for kind in (Image, Video))
        if clips == "video" and of.cluster != "scene_2":
            assert [part.path for part in videos] == [item.paths[0] for item in of.media] and not pictures
        else:
            assert len(pictures) == 2 * min(LENGTHS) and not videos
        every = {path for item in of.media for path in item.paths}
        assert set(plan.prompts[ask.id].files) == (every if len(every) == 2 else every - set(LEFT_OUT))


def test_too_many_frames_for_a_model_are_a_sentence_before_the_run(bench: Any) -> None:
    with pytest.raises(
        InputError, match="shows 40 pictures, but the model accepts at most 32: show fewer with --frames 16"
    ):
        make_plan(bench, family("m3"), RunSettings(), Selection(), Limits(pictures=32))
    make_plan(bench, family("m3"), RunSettings(frames=16), Selection(), Limits(pictures=32))


# Scores --------------------------------------------------------------------------------------------------------------


def subsets(letters: str) -> list[str]:
    return ["".join(one) for one in chain.from_iterable(combinations(letters, k) for k in range(len(letters) + 1))]


def credit(right: str, said: str) -> float:
    """The rule in letters: each letter said earns an equal part of one, a wrong one takes all."""
    earned = 0.0
    for letter in said:
        if letter not in right:
            return 0.0
        earned += 1 / len(right)
    return earned


@pytest.mark.parametrize("size", range(2, 8))
def test_every_truth_against_every_reply(size: int) -> None:
    letters = LETTERS[:size]
    for right in subsets(letters)[1:]:
        of = question([f"{n}.5 m" for n in range(size)], [letters.index(letter) for letter in right], media=())
        ask = Ask("q", "q", tuple(range(size)), ())
        for said in subsets(letters):
            reading = Reading(frozenset(map(letters.index, said)), "first_line") if said else None
            scored = M3.score(of, [(ask, reading)])
            assert scored.metrics["strict"] == pytest.approx(credit(right, said)), (right, said)


def test_every_reply_in_letters_is_read() -> None:
    """Over all placements of a few questions: what is said in letters is what is scored."""
    draw = random.Random(7)
    texts = [f"{n}.25 m" for n in range(6)]
    ask = Ask("q", "q", (4, 2, 0, 5, 1, 3), ())
    for right in subsets(LETTERS[:6])[1:]:
        of = question(texts, [LETTERS.index(letter) for letter in right], media=())
        shown = "".join(sorted(LETTERS[ask.placement.index(LETTERS.index(letter))] for letter in right))
        for reply in (",".join(shown), ", ".join(shown), shown, f"Answer: {', '.join(shown)}", " and ".join(shown)):
            reading = M3.read(ask, of, reply, False)
            assert M3.score(of, [(ask, reading)]).metrics["strict"] == 1.0, (right, reply)
        wrong = draw.choice([letter for letter in LETTERS[:6] if letter not in shown] or ["G"])
        worse = M3.read(ask, of, ",".join(sorted(shown + wrong)), False)
        assert M3.score(of, [(ask, worse)]).metrics["strict"] == 0.0
        if len(shown) > 1:
            part = M3.read(ask, of, shown[0], False)
            assert M3.score(of, [(ask, part)]).metrics["strict"] == pytest.approx(1 / len(shown))


@pytest.mark.parametrize(
    ("reply", "earned", "read"),
    [
        *((said, 1.0, True) for said in ("A,C", "C, A", "AC", "A C", "A and C", "(A), (C)", "[A, C]", "A,A,C", "A\nC")),
        *((said, 1.0, True) for said in ("Answer: A, C.", "**A, C**", "<think>B, no: D</think>A,C", "a,c")),
        *((said, 0.5, True) for said in ("A", "C.", "(A)", "Answer: C", "The answer is A.")),
        *((said, 0.0, True) for said in ("B", "A,B", "ABC", "A, C and D", "ABCDE")),
        *((said, 0.0, False) for said in ("A,F", "AZ", "", "None of them.", "<think>A,C")),
    ],
)
def test_replies_in_the_forms_of_the_specification(reply: str, earned: float, read: bool) -> None:
    of = question([f"{n} m" for n in range(5)], (0, 2), media=())
    ask = Ask("q", "q", (0, 1, 2, 3, 4), ())
    metrics = M3.score(of, [(ask, M3.read(ask, of, reply, False))]).metrics
    assert metrics["strict"] == earned and metrics["covered"] == (earned if read else None)


@pytest.mark.parametrize("size", range(2, 8))
def test_chance_is_what_the_policy_reaches(size: int) -> None:
    letters = LETTERS[:size]
    for count in range(1, size + 1):
        of = question([f"{n} m" for n in range(size)], range(count), media=())
        replies = [one for one in subsets(letters) if (len(one) == 1 if count == 1 else len(one) >= 2)]
        mean = sum(Fraction(credit(letters[:count], one)).limit_denominator(100) for one in replies) / len(replies)
        assert M3.score(of, []).chance == pytest.approx(float(mean))


@pytest.mark.parametrize(("size", "answer"), [(5, (2,)), (5, (0, 1, 3)), (4, (1, 2))])
def test_the_random_baseline_reaches_it(size: int, answer: tuple[int, ...]) -> None:
    of = question([f"{n} m" for n in range(size)], answer)
    settings, model = RunSettings(input="blind"), baseline("baseline/random")
    ask = asked(of, settings)

    async def replies() -> list[str]:
        async with model.open(M3.parts(ask, of, FACTS), None) as session:
            return [(await session.ask([], None, seed=str(n))).text or "" for n in range(1500)]

    ones = [M3.score(of, [(ask, M3.read(ask, of, reply, False))]) for reply in asyncio.run(replies())]
    assert all(one.metrics["covered"] is not None for one in ones)
    assert sum(one.metrics["strict"] or 0 for one in ones) / len(ones) == pytest.approx(ones[0].chance, abs=0.03)


# Tables --------------------------------------------------------------------------------------------------------------


def scored(value: float | None, state: str, capabilities: str, **more: Any) -> Scored:
    names = {"S": "spatial", "T": "temporal", "A": "attribute", "R": "reasoning"}
    texts, answer = more.get("texts", 4), more.get("answer", (0,))
    tags = {"state_type": (state,), "capability": tuple(names[one] for one in capabilities)}
    tags |= {"hallucination": (more.get("hall", "no"),), "subtask": (more.get("subtask", "room_type"),)}
    of = question([f"{n} m" for n in range(texts)], answer, media=(), tags=tags)
    of = replace(of, id=f"q{more.get('n', 0)}", task=more.get("task", "scene_info"))
    return Scored(of, {"strict": value or 0.0, "covered": value}, 1 / texts, "direct")


ONES = [
    scored(1.0, "intra-state", "SR", n=0),
    scored(0.5, "intra-state", "S", n=1, answer=(0, 1)),
    scored(0.0, "intra-state", "TAR", n=2, hall="yes", texts=5),
    scored(1.0, "inter-states", "ST", n=3, task="object_changes", subtask="movement_distance"),
    scored(None, "inter-states", "ATR", n=4, task="object_changes", subtask="cat", texts=2),
    scored(0.25, "inter-states", "", n=5, hall="yes", task="object_changes", subtask="old_receptacle"),
]
TABLES = {table.name: table for table in M3.tables(ONES)}


def test_table_2_by_hand() -> None:
    table = TABLES["Score by state and capability (%)"]
    [cells] = table.rows
    assert dict(zip(table.columns, cells, strict=True)) == {
        "Overall": pytest.approx(100 * 2.75 / 6),
        "Intra avg": pytest.approx(50.0),
        "Intra spatial": pytest.approx(75.0),
        "Intra temporal": 0.0,
        "Intra attribute": 0.0,
        "Intra reasoning": pytest.approx(50.0),
        "Inter avg": pytest.approx(100 * 1.25 / 3),
        "Inter spatial": 100.0,
        "Inter temporal": 50.0,
        "Inter attribute": 0.0,
        "Inter reasoning": 0.0,
    }
    chance = dict(zip(table.columns, TABLES["Chance by state and capability (%)"].rows[0], strict=True))
    assert chance["Overall"] == pytest.approx(100 * (4 * 0.25 + 0.2 + 0.5) / 6)
    assert chance["Inter attribute"] == pytest.approx(50.0)


def test_table_3_by_hand() -> None:
    table = TABLES["Hallucination (%)"]
    assert table.columns == ("Hall", "Fac", "Fac - Hall")
    assert table.rows == ((pytest.approx(12.5), pytest.approx(62.5), pytest.approx(50.0)),)
    assert M3.tables(ONES[:1])[1].rows == ((None, 100.0, None),)


def test_replies_that_choose_no_option_by_hand() -> None:
    listed = ("1 m", "2 m", NONE)
    asks = [
        (question(listed, (2,)), "yes", ["C", "C", "A", "I cannot tell."]),  # right twice of four
        (question(listed, (0,)), "no", ["C", "A"]),
        (question(("1 m", "2 m", "3 m", NONE), (0, 1)), "no", ["A,D", "A"]),
        (question(("1 m", "2 m"), (0,)), "no", ["A"]),
    ]
    ones: list[Scored] = []
    for number, (of, hall, replies) in enumerate(asks):
        of = replace(of, id=f"q{number}", tags={"hallucination": (hall,), "state_type": ("intra-state",)})
        ones += [M3.score(of, [(asked(of), M3.read(asked(of), of, reply, False))]) for reply in replies]
    [table] = [table for table in M3.tables(ones) if table.key == "none-chosen"]
    assert table.columns == ("Questions about", "Questions", "Score", "Chance", "Chose none")
    assert [(cells[0], cells[1], cells[2], cells[4]) for cells in table.rows] == [
        ("hallucination", 1, 50.0, 50.0),
        ("factual, offered", 2, pytest.approx(100 * (1 + 0.5) / 4), 50.0),
        ("factual, not offered", 1, 100.0, None),
    ]
    several = M3.score(
        asks[0][0], [(asked(asks[0][0]), M3.read(asked(asks[0][0]), asks[0][0], "C", False)), (asked(asks[0][0]), None)]
    )
    assert several.metrics["chose_none"] == 1.0  # of the replies
    assert "chose_none" not in M3.score(asks[0][0], [(asked(asks[0][0]), None)]).metrics


def test_the_distribution_by_hand() -> None:
    questions = [one.question for one in ONES]
    shares = {(one.group, one.value): one for one in composition([*questions, replace(questions[0], variant="open")])}
    assert (shares["state", "intra-state"].count, shares["state", "intra-state"].total) == (3, 6)
    assert shares["state", "intra-state"].percent == 50.0 and shares["hallucination", "yes"].percent == 100 / 3
    assert (shares["hallucination", "yes"].paper, shares["options", "4"].paper) == (23.2, None)
    assert {value: one.count for (group, value), one in shares.items() if group == "capability"} == {
        "spatial": 3,
        "temporal": 3,
        "attribute": 2,
        "reasoning": 3,
        "unknown": 1,
    }
    assert {value: one.count for (group, value), one in shares.items() if group == "options"} == {
        "2": 1,
        "4": 4,
        "5": 1,
    }
    assert {value: one.count for (group, value), one in shares.items() if group == "answers"} == {
        "single": 5,
        "multiple": 1,
    }
    assert {value: one.count for (group, value), one in shares.items() if group == "subtask"} == {
        "room_type": 3,
        "movement_distance": 1,
        "old_receptacle": 1,
        "cat": 1,
    }
    by_state = {(group, value): (one.count, one.total) for (group, value), one in shares.items()}
    assert by_state["capability, intra-state", "spatial"] == (2, 3)
    assert by_state["capability, inter-states", "temporal"] == (2, 3)
    assert by_state["hallucination, by category", "scene_info"] == (1, 3)
    assert by_state["hallucination, by category", "object_changes"] == (1, 3)
    assert composition([])[0].percent == 0.0


def test_the_shares_by_state_follow_from_table_2() -> None:
    """In each row, the overall score is the mean of both, weighted by the shares; the human row is an exception."""
    paper = {one.value: one.paper for one in composition([]) if one.group == "state"}
    for line in TABLE_2.strip().splitlines():
        name, overall, intra, inter = (part.strip() for part in line.split("|"))
        mean = (paper["intra-state"] * float(intra.split()[0]) + paper["inter-states"] * float(inter.split()[0])) / 100
        assert name == "Human" or mean == pytest.approx(float(overall), abs=0.02), name


def test_breakdowns_by_hand() -> None:
    assert TABLES["Score by category (%)"].rows == (
        ("scene_info", 3, 50.0, pytest.approx(70 / 3), 0.0),
        ("object_changes", 3, pytest.approx(125 / 3), pytest.approx(100 / 3), pytest.approx(100 / 3)),
    )
    assert [cells[:3] for cells in TABLES["Score by subtask (%)"].rows] == [
        ("room_type", 3, 50.0),
        ("movement_distance", 1, 100.0),
        ("old_receptacle", 1, 25.0),
        ("cat", 1, 0.0),
    ]
    assert [cells[:3] for cells in TABLES["Score by options (%)"].rows] == [
        ("2", 1, 0.0),
        ("4", 4, pytest.approx(68.75)),
        ("5", 1, 0.0),
    ]
    by_answers = {cells[0]: cells[1:] for cells in TABLES["Score by answers (%)"].rows}
    assert by_answers["multiple"] == (1, 50.0, 25.0, 0.0) and by_answers["single"][:2] == (5, pytest.approx(45.0))


def test_nothing_scored_makes_empty_tables() -> None:
    for table in M3.tables([]):
        assert all(cell is None for cells in table.rows for cell in cells)


# Published results ---------------------------------------------------------------------------------------------------
# The specification's tables of section 11.1, copied from there.

TABLE_2 = """
Human | 89.75 | 90.42 83.39 91.98 90.89 87.91 | 89.29 88.26 90.06 92.25 88.79
Random | 24.14 | 22.52 21.76 22.61 22.39 22.67 | 25.66 24.72 26.27 22.93 25.54
Gemini-2.5-pro (thinking budget: 128) | 36.21 | 36.49 40.02 34.75 45.07 29.65 | 35.94 38.79 35.81 41.35 33.41
GPT-5 (reasoning effort: low) | 45.14 | 45.21 46.82 46.58 51.2 38.27 | 45.07 46.81 46.65 46.51 42.37
WeThink-Qwen2.5VL-7B | 18.24 | 15.14 17.21 14.59 20.25 14.07 | 21.14 25.9 21.17 21.55 19.96
Video-R1-7B | 28.58 | 28.55 30.32 29.97 31.82 24.58 | 28.61 30.94 29.58 27.97 29.1
Video-XL-2 | 30.59 | 28.81 29.4 29.58 30.02 25.61 | 32.25 35.38 32.63 30.71 33.16
MiniCPM-V-4.5 | 31.68 | 30.36 30.3 32.89 31.25 27.61 | 32.92 34.33 34.75 31.28 33.53
InternVideo2.5-8B | 33.3 | 32.95 34.18 32.76 37.49 27.48 | 33.62 35.14 34.56 37.23 34.62
VideoLLaMA3-7B | 35.87 | 33.64 33.37 35.26 37.13 29.81 | 37.97 41.2 37.26 42.82 39.13
LLaVA-OneVision-1.5-8B | 32.83 | 28.33 28.74 27.67 30.07 26.28 | 37.05 34.29 36.73 43.37 36.72
InternVL3.5-2B-Instruct | 32.8 | 25.7 27.7 25.06 25.9 24.18 | 39.47 40.22 36.53 51.71 40.86
InternVL3.5-4B-Instruct | 35.47 | 33.12 32.99 33.39 34.17 30.52 | 37.68 39.78 34.62 45.51 38.78
InternVL3.5-8B-Instruct | 31.04 | 30.89 31.35 33.2 31.86 27.97 | 31.17 32.47 33.93 32.01 32.14
Qwen3-VL-2B-Instruct | 31.35 | 29.96 30.78 31.24 30.99 25.7 | 32.65 34.73 31.85 36.52 34.34
Qwen3-VL-4B-Instruct | 38.78 | 36.28 35.21 39.04 38.29 30.64 | 41.13 41.54 40.2 52.17 39.81
Qwen3-VL-8B-Instruct | 35.87 | 35.35 33.29 38.56 40.82 32.71 | 36.35 40.06 37.77 36.33 36.05
Qwen3-VL-235B | 38.6 | 36.53 37.74 37.88 39.38 31.82 | 40.55 39.4 39.92 44.93 41.85
"""
TABLE_3 = """
Gemini-2.5-pro 43.89/33.89/-10; GPT-5 38.44/47.16/8.72; WeThink-Qwen2.5VL-7B 26.66/15.7/-10.96;
InternVL3.5-2B-Instruct 39.47/30.79/-8.68; InternVL3.5-4B-Instruct 39.76/34.18/-5.58;
Qwen3-VL-4B-Instruct 33.43/40.39/6.96; LLaVA-OneVision-1.5-8B 26.51/34.73/8.22;
Qwen3-VL-2B-Instruct 22.83/33.92/11.09; VideoLLaMA3-7B 23.71/39.54/15.83; Video-XL-2 17.97/34.39/16.42;
Qwen3-VL-235B 24.15/42.96/18.81; Qwen3-VL-8B-Instruct 17.67/41.35/23.68; Video-R1-7B 7.51/34.93/27.42;
InternVideo2.5-8B 11.49/39.87/28.38; MiniCPM-V-4.5 8.84/38.57/29.73; InternVL3.5-8B-Instruct 2.5/39.63/37.13
"""
# Its file of results, which has more: vision-blind rows, and the cells by capability of Tables 7 and 8.
TABLE_2_BLIND = """
Qwen3-0.6B | 18.92 | 18.88 22.25 17.24 16.98 18.33 | 18.95 21.26 19.68 18.32 19.04
Qwen3-1.7B | 25.34 | 25.51 28.74 22.66 31.24 21.77 | 25.18 31 24.84 20.93 26.7
Qwen3-4B | 27.51 | 29.2 32.91 25.32 33.47 26.81 | 25.93 29.85 26.12 22.61 25.82
Qwen3-8B | 30.83 | 29.39 31.66 26.19 32.36 29.69 | 32.17 32.65 29.58 32.87 34.2
Qwen3-14B | 33.78 | 30.21 31.28 27.03 32.7 31.65 | 37.14 41.77 35.27 36.37 36.21
Qwen3-32B | 33.76 | 31.91 33.53 28.77 34.63 32.04 | 35.5 40.86 33.42 33.94 35.56
"""
TABLE_7 = """
InternVL3.5-4B-Instruct | 35.47 | 32.63 32.99 33.39 34.17 30.52 | 38.46 39.78 34.62 45.51 38.78
InternVL3.5-4B-Instruct-clip50 | 38.08 | 32.27 34.14 30.62 33.39 31.14 | 44.32 46.15 40.45 51.95 44.14
InternVL3.5-4B-Instruct-clip100 | 38.37 | 32.31 33.41 30.9 33.87 31.5 | 44.86 47.58 41.07 51.54 44.47
InternVL3.5-4B-Instruct-clip200 | 38.67 | 31.65 33.58 30.52 30.55 31.38 | 45.78 47.21 42.11 54.25 45.26
InternVL3.5-8B-Instruct | 31.04 | 31.01 31.35 33.2 31.86 27.97 | 32.81 32.47 33.93 32.01 32.14
InternVL3.5-8B-Instruct-clip50 | 37.62 | 32.25 33.68 30.65 33.18 31.66 | 44.53 48.99 40.33 51.65 43.34
InternVL3.5-8B-Instruct-clip100 | 38.53 | 32.49 33.77 31.26 32.56 32.27 | 45.77 50.11 42.59 50.02 44.77
InternVL3.5-8B-Instruct-clip200 | 36.9 | 31.8 33.34 29.84 33.83 30.75 | 43.09 46.05 39.33 49.95 42.42
Qwen3-VL-4B-Instruct | 38.05 | 34.84 34.42 36.95 39.35 30.36 | 41.77 40.65 40.38 53.24 39
Qwen3-VL-4B-Instruct-clip100 | 38.69 | 34.93 36.52 33.08 36.47 34.01 | 42.15 45.25 38.94 48.07 41.23
Qwen3-VL-4B-Instruct-clip200 | 38.48 | 34.29 35.83 32.9 35.33 33.32 | 42.67 45.12 39.32 49.67 41.82
Qwen3-VL-8B-Instruct | 35.87 | 35.82 33.29 38.56 40.82 32.71 | 37.46 40.06 37.77 36.33 36.05
Qwen3-VL-8B-Instruct-clip200 | 38.54 | 34.06 35.18 32.3 36.43 33.05 | 42.95 45.55 39.68 50.63 41.61
"""
TABLE_8 = """
InternVL3.5-4B-Instruct | 35.47 | 32.63 32.99 33.39 34.17 30.52 | 38.46 39.78 34.62 45.51 38.78
InternVL3.5-4B-Instruct+HCTR | 38.67 | 31.65 33.58 30.52 30.55 31.38 | 45.78 47.21 42.11 54.25 45.26
InternVL3.5-4B-Instruct+Qwen3-0.6B | 25.79 | 24.68 26.01 23.66 28.09 22.06 | 28.31 30.11 27.62 27.32 28.42
InternVL3.5-4B-Instruct+Qwen3-4B | 36.35 | 31.62 33.54 29.34 32.09 31.47 | 40.41 43.02 38.08 45.03 39.39
InternVL3.5-4B-Instruct+Qwen3-8B | 35.92 | 31.2 32.52 29.82 31.1 31.16 | 40.43 43.83 37.58 44.5 39.73
InternVL3.5-4B-Instruct+Qwen3-14B | 34.28 | 29.89 30.89 27.14 30.65 31 | 36.55 37.97 34.27 42.11 35.76
InternVL3.5-4B-Instruct+Qwen3-32B | 37.15 | 31.35 33.33 28.96 32.24 30.96 | 41.49 42.94 38.66 48.25 40.78
InternVL3.5-8B-Instruct | 31.04 | 31.01 31.35 33.2 31.86 27.97 | 32.81 32.47 33.93 32.01 32.14
InternVL3.5-8B-Instruct+HCTR | 38.53 | 32.49 33.77 31.26 32.56 32.27 | 45.77 50.11 42.59 50.02 44.77
InternVL3.5-8B-Instruct+Qwen3-0.6B | 25.95 | 26.5 26.91 26.55 29.34 24.21 | 27.26 29.86 26.5 26.84 26.69
InternVL3.5-8B-Instruct+Qwen3-4B | 36.26 | 31.94 34.33 29.64 31.17 32.08 | 40.29 42.83 37.56 45.83 39.33
InternVL3.5-8B-Instruct+Qwen3-8B | 36.12 | 31.51 33.88 29.11 31.24 31.44 | 40.74 43.85 37.55 46.03 40.06
InternVL3.5-8B-Instruct+Qwen3-14B | 33.84 | 29.18 32.63 25.04 29.62 29.18 | 36.48 37.76 34.15 41.96 35.89
InternVL3.5-8B-Instruct+Qwen3-32B | 36.34 | 31.36 33.9 27.92 32.46 31.24 | 40.4 42.19 37.02 48.04 39.68
"""
BLIND_MODELS = ["Qwen3-0.6B", "Qwen3-1.7B", "Qwen3-4B", "Qwen3-8B", "Qwen3-14B", "Qwen3-32B"]


def published() -> dict[str, Any]:
    reference = family("m3").paper.reference
    assert reference is not None
    return {table.source: table for table in reference().tables}


def read(printed: str) -> list[tuple[str, list[float]]]:
    """Models with their cells, in the order printed."""
    lines = [line.split(" | ") for line in printed.strip().splitlines()]
    return [(model, [float(cell) for cell in " ".join(cells).split()]) for model, *cells in lines]


def rows_of(source: str) -> list[tuple[str, list[Any]]]:
    return [(of.model, list(of.values)) for of in published()[source].rows]


def test_table_2_is_as_printed() -> None:
    human_and_random, models = read(TABLE_2)[:2], read(TABLE_2)[2:]
    assert rows_of("Table 2") == [*human_and_random, *read(TABLE_2_BLIND), *models]
    assert [of.model for of in published()["Table 2"].rows if of.group == "vision-blind"] == BLIND_MODELS


def test_table_3_is_as_printed() -> None:
    printed = [one.rsplit(" ", 1) for one in TABLE_3.strip().replace(";\n", "; ").split("; ")]
    assert rows_of("Table 3") == [(model, [float(cell) for cell in cells.split("/")]) for model, cells in printed]


@pytest.mark.parametrize(("source", "printed"), [("Table 7", TABLE_7), ("Table 8", TABLE_8)])
def test_tables_7_and_8_are_as_printed(source: str, printed: str) -> None:
    assert rows_of(source) == read(printed)
    assert published()[source].own == ("by-state" if source == "Table 7" else None)


def test_every_model_is_the_mean_of_its_averages_and_the_human_row_is_not() -> None:
    off = {
        of.model: of.values[0] - (0.4845 * of.values[1] + 0.5155 * of.values[6])
        for of in published()["Table 2"].rows
        if abs(of.values[0] - (0.4845 * of.values[1] + 0.5155 * of.values[6])) > 0.015
    }
    assert set(off) == {"Human"}


def test_hallucination_shares_follow_from_the_overall_score() -> None:
    overall = {of.model.split(" (")[0]: of.values[0] for of in published()["Table 2"].rows}
    for of in published()["Table 3"].rows:
        hall, fac, gap = of.values
        assert gap == pytest.approx(fac - hall, abs=0.011)
        assert overall[of.model] == pytest.approx(0.2315 * hall + 0.7685 * fac, abs=0.06), of.model
    notes = " ".join(published()["Table 3"].notes)
    means = [sum(of.values[place] for of in published()["Table 3"].rows) / 16 for place in range(3)]
    assert all(f"{mean:.2f}"[:-1] in notes for mean in means)


def test_frames_shown_are_those_of_the_paper() -> None:
    frames = {of.model: of.frames for of in published()["Table 2"].rows}
    assert {model for model, shown in frames.items() if shown == 60} == {
        "VideoLLaMA3-7B",
        *(f"InternVL3.5-{size}B-Instruct" for size in (2, 4, 8)),
    }
    without = {"Human", "Random", *BLIND_MODELS, "Gemini-2.5-pro (thinking budget: 128)", "Qwen3-VL-235B"}
    assert {model for model, shown in frames.items() if shown is None} == without
    assert sum(shown == 200 for shown in frames.values()) == 10


def test_published_tables_have_the_columns_of_ours() -> None:
    ours = {table.key: table.columns for table in M3.tables([])}
    for table in published().values():
        names = tuple(column.name for column in table.columns)
        if table.own is not None:
            assert names == ours[table.own] and table.decimals == 2
        assert table.overall in names


def test_the_released_set_invents_no_counts() -> None:
    reference = family("m3").paper.reference
    assert reference is not None
    released = reference().released
    assert released.total == 2932 and released.clips == 540


def test_the_settings_are_those_of_every_family_and_its_own() -> None:
    assert set(RunSettings.model_fields) == {*AskSettings.model_fields, "rate", "size", "videos"}


def test_the_numbers_in_findings_are_counted_from_the_published_tables() -> None:
    columns = [column.name for column in published()["Table 2"].columns]
    groups = {of.model: of.group for of in published()["Table 2"].rows}
    cells = {model.split(" (")[0]: dict(zip(columns, values, strict=True)) for model, values in rows_of("Table 2")}
    models = [name.split(" (")[0] for name, group in groups.items() if group in ("proprietary", "open")]
    text = max(cells[name]["Overall"] for name, group in groups.items() if group == "vision-blind")

    def extreme(state: str, capability: str, best: Any) -> int:
        kinds = {name: f"{state} {name}" for name in ("spatial", "temporal", "attribute", "reasoning")}
        own = kinds[capability]
        return sum(best(kinds.values(), key=lambda kind: cells[model][kind]) == own for model in models)

    hctr = {model: dict(zip(columns, values, strict=True)) for model, values in rows_of("Table 7")}
    direct = {of.model: of.group for of in published()["Table 7"].rows}
    gains = [
        (hctr[model]["Overall"] > hctr[base]["Overall"], hctr[model]["Inter avg"] > hctr[base]["Inter avg"])
        for model, base in direct.items()
        if model != base
    ]
    counted = {
        "random guesses": (sum(cells[m]["Overall"] > cells["Random"]["Overall"] for m in models), 16, "models"),
        "with the videos": (sum(cells[m]["Overall"] > text for m in models), 16, "models"),
        "both videos score": (sum(cells[m]["Inter avg"] > cells[m]["Intra avg"] for m in models), 16, "models"),
        "With one video, attribute": (extreme("Intra", "attribute", max), 16, "models"),
        "With one video, reasoning": (extreme("Intra", "reasoning", min), 16, "models"),
        "With both videos, attribute": (extreme("Inter", "attribute", max), 16, "models"),
        "missing things": (sum(hall < fac for _, (hall, fac, _) in rows_of("Table 3")), 16, "models"),
        "asking directly": (sum(overall for overall, _ in gains), len(gains), "rows"),
        "HCTR gains": (sum(both for _, both in gains), len(gains), "rows"),
    }
    for words, (count, of, noun) in counted.items():
        [finding] = [one for one in FINDINGS if words in one.words]
        assert f"({count} of {of} {noun}" in finding.words
        assert "section 11.1" in finding.source
    for series in ("InternVL3.5", "Qwen3-VL"):
        sizes = {name: cells[name]["Overall"] for name in cells if name.startswith(series)}
        assert sizes[f"{series}-8B-Instruct"] < sizes[f"{series}-4B-Instruct"]
    assert family("m3").paper.findings == FINDINGS


@pytest.mark.parametrize(
    ("reply", "several", "kept"),
    [("A", False, 1.0), ("A, B", False, 0.0), ("A", True, 0.0), ("A, B", True, 1.0), ("A,B,C", True, 1.0),
     ("I cannot tell.", True, 0.0), ("I cannot tell.", False, 0.0)],
)  # fmt: skip
def test_a_reply_keeps_the_form_if_it_has_as_many_letters_as_asked_for(reply: str, several: bool, kept: float) -> None:
    of = question(answer=(0, 1) if several else (0,))
    made = M3.score(of, [(asked(of), M3.read(asked(of), of, reply, False))])
    assert made.metrics["format_kept"] == kept
    assert "format_kept" not in M3.score(of, [(asked(of), None)]).metrics, "no reply has no form"
