"""VGenST-Bench as asked and scored: prompts, placements, modes, means, statements, and who may not be asked."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.families import CheckedStatement, family
from chronotope.families.vgenst.guard import families_of, guard, writers_of
from chronotope.families.vgenst.protocol import RunSettings, VGenSTProtocol
from chronotope.families.vgenst.tasks import ACTIVE, AXES, CONSTANT, LEVELS, ROLE_CONSTANT, TASKS, axes_of
from chronotope.media import ClipFacts
from chronotope.protocol import (
    Ask,
    FrameOf,
    Image,
    MediaFacts,
    PictureFacts,
    PictureFile,
    Reading,
    Scored,
    Table,
    describe,
)
from chronotope.protocol import Option as OptionPart
from chronotope.protocol import Text as TextPart
from chronotope.question import MediaItem, Option, Question, Variant

PROTOCOL = VGenSTProtocol()
CLIP = "clips/mc/0.mp4"
FRAMES = tuple(f"images/mc/0/frame_{n:02d}.png" for n in range(8))
FACTS = MediaFacts(
    {
        CLIP: ClipFacts(sha256="c" * 64, frames=192, fps=24.0, duration_s=8.0, width=64, height=36),
        **{path: PictureFacts(f"{number:064x}") for number, path in enumerate(FRAMES)},
    }
)
SYSTEM = (
    "You are shown a video and asked a multiple-choice question about it. Reply with the letter of the right option "
    "and nothing else."
)
MC, QC = TASKS[:2]


def question(
    task: str = MC,
    kind: str = "L1-OE",
    number: int = 0,
    *,
    variant: Variant = "base",
    texts: Sequence[str] = ("red", "green", "blue", "grey"),
    answer: int = 1,
    frames: bool = False,
) -> Question:
    """One question; of a variant as the release has it."""
    name = f"{task}-{kind}-{number}".lower()
    shown = list(texts)
    if variant == "none_distractor":
        shown.append("None of these")
    elif variant == "none_answer":
        shown[answer] = "None of these"
    tags = {"type": kind, "level": kind[:2], **axes_of(task)}
    return Question(
        id=name if variant == "base" else f"{name}-{variant}",
        family="vgenst",
        task=task,
        cluster=f"{task}-{number}",
        stem="What colour is the cup?",
        options=tuple(map(Option, shown)),
        answer=() if variant == "open" else (answer,),
        expected=texts[answer] if variant == "open" else None,
        variant=variant,
        base=None if variant == "base" else name,
        media=(MediaItem("video", "frames" if frames else "video", FRAMES if frames else (CLIP,)),),
        tags={key: (value,) for key, value in tags.items()},
    )


def asks(of: Question, **settings: object) -> list[Ask]:
    return PROTOCOL.asks(of, RunSettings.model_validate(settings), FACTS)


def prompt_of(of: Question, **settings: object) -> list[dict[str, object]]:
    chosen = RunSettings.model_validate(settings)
    [ask] = PROTOCOL.asks(of, chosen, FACTS)
    return json.loads(describe(PROTOCOL.parts(ask, of, FACTS)))


def answered(of: Question, reply: Callable[[Ask, list[str]], str | None], **settings: object) -> Scored:
    """Ask a question, answer each ask from the texts shown to it, in order, and score; None is a call that failed."""
    pairs: list[tuple[Ask, Reading | None]] = []
    for ask in asks(of, **settings):
        said = reply(ask, [of.options[index].text or "" for index in ask.placement])
        pairs.append((ask, None if said is None else PROTOCOL.read(ask, of, said, False)))
    return PROTOCOL.score(of, pairs)


def oracle(of: Question) -> Callable[[Ask, list[str]], str]:
    right = of.options[of.answer[0]].text or ""
    return lambda _, shown: "ABCDEF"[shown.index(right)]


def always(letter: str) -> Callable[[Ask, list[str]], str]:
    return lambda *_: letter


# -- asking


def test_the_prompt_to_the_letter() -> None:
    system, *frames, text = prompt_of(question())
    assert system == {"role": "system", "text": SYSTEM}
    assert text == {
        "role": "user",
        "text": "What colour is the cup? A. red, B. green, C. blue, D. grey\n\nThe letter of the right option:",
    }
    indices = [frame["picture"]["frame"] for frame in frames]  # type: ignore[index]
    assert indices == [round(Fraction(191 * i, 15)) for i in range(16)] and indices[0] == 0 and indices[-1] == 191


def test_the_open_prompt_to_the_letter() -> None:
    system, *frames, text = prompt_of(question(variant="open"))
    assert system["text"] == (
        "You are shown a video and asked a question about it. Reply concisely, without explanation."
    )
    assert len(frames) == 16
    assert text == {"role": "user", "text": "What colour is the cup?\n\nYour answer, in a few words:"}


CODE = (
    "You are answering a multiple-choice question about a video scene.\n"
    "Respond with ONLY the letter of the correct option (A, B, C, ...). No explanation, no extra text."
)


def test_the_prompts_of_the_authors_code_to_the_letter() -> None:
    """As eval.py of zinosii/VGenST-Bench sends them; it puts a colon behind the stem of a circular placement."""
    system, *_, text = prompt_of(question(), prompt="code")
    assert system["text"] == CODE
    assert text["text"] == "[QUESTION]\nWhat colour is the cup? A. red, B. green, C. blue, D. grey\n\nAnswer:"
    settings = RunSettings(prompt="code", placement="swap")
    said = [
        json.loads(describe(PROTOCOL.parts(ask, question(), FACTS)))[-1]["text"]
        for ask in PROTOCOL.asks(question(), settings, FACTS)
    ]
    assert said == [
        "[QUESTION]\nWhat colour is the cup? A. red, B. green, C. blue, D. grey\n\nAnswer:",
        "[QUESTION]\nWhat colour is the cup?: A. green, B. red, C. blue, D. grey\n\nAnswer:",
        "[QUESTION]\nWhat colour is the cup?: A. red, B. blue, C. green, D. grey\n\nAnswer:",
        "[QUESTION]\nWhat colour is the cup?: A. red, B. grey, C. blue, D. green\n\nAnswer:",
    ]
    opened = replace(question(variant="open"), stem="What colour is the cup? Answer concisely without explanation.")
    system, *_, text = prompt_of(opened, prompt="code")
    assert system["text"] == (
        "You are answering an open-ended question about a video scene.\nRespond concisely. No explanation."
    )
    assert text["text"] == ("[QUESTION]\nWhat colour is the cup? Answer concisely without explanation.\n\nAnswer:")


def test_released_frames_go_before_the_video() -> None:
    both = replace(question(), media=(*question().media, MediaItem("frames", "frames", FRAMES)))
    for settings in ({}, {"frames": "released"}):
        shown = [part for part in prompt_of(both, **settings) if "picture" in part]
        assert [part["picture"] for part in shown] == [{"file": f"{number:064x}"} for number in range(8)]
    assert len(prompt_of(both, frames=5)) == 7 and "clip" in str(prompt_of(both, frames=5)[1])
    [ask] = asks(both, clips="video")
    assert ask.plans[0] is not None and ask.plans[1] is None
    assert [sorted(part) for part in prompt_of(both, input="blind")] == [["role", "text"]] * 2
    with pytest.raises(InputError, match="--frames released: no frames were released with the clip of"):
        asks(question(), frames="released")


def test_the_number_of_frames_can_be_chosen() -> None:
    assert len(prompt_of(question(), frames=5)) == 7


def test_blind_shows_no_picture() -> None:
    for of in (question(), question(frames=True), question(variant="open", frames=True)):
        assert [sorted(part) for part in prompt_of(of, input="blind")] == [["role", "text"]] * 2


def test_options_are_parts_of_their_own() -> None:
    of = question()
    settings = RunSettings()
    [ask] = PROTOCOL.asks(of, settings, FACTS)
    parts = PROTOCOL.parts(ask, of, FACTS)
    assert [(part.letter, part.text) for part in parts if isinstance(part, OptionPart)] == [
        ("A", "red"),
        ("B", "green"),
        ("C", "blue"),
        ("D", "grey"),
    ]
    assert all(isinstance(part.picture, FrameOf) for part in parts if isinstance(part, Image))
    assert isinstance(parts[0], TextPart) and parts[0].role == "system"


@pytest.mark.parametrize(("count", "shown"), [(None, range(8)), (4, (0, 2, 5, 7)), (3, (0, 4, 7)), (1, (0,))])
def test_extracted_frames_are_shown_in_place_of_a_video(count: int | None, shown: Sequence[int]) -> None:
    of = question(frames=True)
    settings = RunSettings(frames=count)
    [ask] = PROTOCOL.asks(of, settings, FACTS)
    assert ask.plans[0] is not None and ask.plans[0].of_files and ask.plans[0].indices == tuple(shown)
    pictures = [part.picture for part in PROTOCOL.parts(ask, of, FACTS) if isinstance(part, Image)]
    assert [picture.path for picture in pictures if isinstance(picture, PictureFile)] == [FRAMES[n] for n in shown]


def test_frames_are_not_sent_as_a_video() -> None:
    with pytest.raises(InputError, match="leave out --clips video"):
        asks(question(frames=True), clips="video")
    assert len(asks(question(), clips="video")) == 1


@pytest.mark.parametrize("placement", ["swap", "rotate"])
@pytest.mark.parametrize("variant", ["base", "none_distractor", "none_answer"])
@pytest.mark.parametrize("size", [3, 4, 6])
def test_circular_placements(placement: str, variant: Variant, size: int) -> None:
    texts = [f"thing {n}" for n in range(size)]
    for answer in range(size):
        of = question(variant=variant, texts=texts, answer=answer)
        number = len(of.options)
        orders = [ask.placement for ask in asks(of, placement=placement)]
        assert orders[0] == tuple(range(number)) and len(orders) == number == len(set(orders))
        assert all(sorted(order) == list(range(number)) for order in orders)
        assert sorted(order.index(answer) for order in orders) == list(range(number))
        if placement == "swap":
            moved = [sum(place != index for place, index in enumerate(order)) for order in orders]
            assert moved == [0] + [2] * (number - 1)


def test_the_order_shown_is_the_order_told() -> None:
    of = question()
    settings = RunSettings(placement="swap")
    lines = []
    for ask in PROTOCOL.asks(of, settings, FACTS):
        described = json.loads(describe(PROTOCOL.parts(ask, of, FACTS)))
        lines.append(str(described[-1]["text"]).split("\n")[0].partition("? ")[2])
    assert lines == [
        "A. red, B. green, C. blue, D. grey",
        "A. green, B. red, C. blue, D. grey",
        "A. red, B. blue, C. green, D. grey",
        "A. red, B. grey, C. blue, D. green",
    ]


@pytest.mark.parametrize("placement", ["swap", "rotate"])
def test_a_lean_to_a_letter_scores_its_share_and_nothing_circular(placement: str) -> None:
    for variant in ("base", "none_distractor", "none_answer"):
        of = question(variant=variant)
        number = len(of.options)
        for letter in "ABCD":
            metrics = answered(of, always(letter), placement=placement).metrics
            assert metrics["circular"] == metrics["circular_covered"] == 0
            assert metrics["strict"] == pytest.approx(1 / number)
            assert metrics["vanilla"] == float(letter == "B")
        assert answered(of, oracle(of), placement=placement).metrics == {
            "strict": 1,
            "covered": 1,
            "circular": 1,
            "vanilla": 1,
            "vanilla_covered": 1,
            "position": 1,
            "position_covered": 1,
            "circular_covered": 1,
        }


def test_calls_that_failed() -> None:
    of = question()
    right = oracle(of)
    lost = answered(of, lambda ask, shown: None if ask.placement[0] == 1 else right(ask, shown), placement="swap")
    assert lost.metrics["strict"] == 0.75 and lost.metrics["covered"] == 1 and lost.metrics["vanilla"] == 1
    assert lost.metrics["circular"] == 0 and lost.metrics["circular_covered"] is None
    alone = answered(of, lambda *_: None)
    assert alone.metrics["vanilla"] == 0 and alone.metrics["vanilla_covered"] is None
    assert alone.metrics["circular"] is None and alone.metrics["circular_covered"] is None


def test_placements_that_were_not_all_asked_are_not_covered() -> None:
    of = question()
    some = asks(of, placement="swap")[1:3]
    letters = ("A", "C")  # where the right option stands in these two
    pairs = [(ask, PROTOCOL.read(ask, of, letter, False)) for ask, letter in zip(some, letters, strict=True)]
    metrics = PROTOCOL.score(of, pairs).metrics
    assert metrics["circular_covered"] is None and metrics["vanilla"] is None and metrics["strict"] == 1


def test_an_open_answer_waits_for_its_verdict() -> None:
    of = question(variant="open")
    [ask] = asks(of, placement="swap")
    assert ask.placement == ()
    reading = PROTOCOL.read(ask, of, "The answer is: a green one.", False)
    assert reading.options is None and reading.value is not None and "green" in reading.value
    assert reading.right is None
    waiting = PROTOCOL.score(of, [(ask, reading)])
    assert waiting.metrics["strict"] == 0 and waiting.metrics["vanilla_covered"] is None and waiting.chance is None
    judged = PROTOCOL.score(of, [(ask, replace(reading, right=True))])
    assert judged.metrics["vanilla"] == judged.metrics["vanilla_covered"] == 1 and judged.metrics["circular"] is None


# -- means


def scored(of: Question, value: float | None, *, circular: float | None = None, covered: float | None = None) -> Scored:
    metrics = {"strict": value, "covered": covered, "circular": circular, "vanilla": value, "vanilla_covered": covered}
    more = {"circular_covered": circular, "position": value, "position_covered": covered}
    return Scored(of, metrics | more, 1 / len(of.options) if of.answer else None)


def cells(values: Mapping[tuple[str, str], Sequence[float]], variant: Variant = "base") -> list[Scored]:
    return [
        scored(question(task, kind, number, variant=variant), value, covered=value)
        for (task, kind), of in values.items()
        for number, value in enumerate(of)
    ]


HAND = {
    (MC, "L1-OE"): [1, 0],
    (MC, "L1-OA"): [0],
    (MC, "L3-CR"): [1],
    (QC, "L1-OE"): [1, 1, 1, 0],
    (QC, "L3-PR"): [0],
}


def table(name: str, of: Sequence[Table]) -> dict[object, tuple[object, ...]]:
    [found] = [one for one in of if one.name == name]
    assert all(len(line) == len(found.columns) for line in found.rows)
    return {line[0]: line[1:] for line in found.rows}


def test_the_means_by_hand() -> None:
    made = PROTOCOL.tables(cells(HAND))
    by_task = table("Accuracy by task (%), as published", made)
    assert by_task[MC] == (4, 3, pytest.approx(50), pytest.approx(50))
    assert by_task[QC] == (5, 2, pytest.approx(37.5), pytest.approx(60))
    assert by_task["all"] == (9, 5, pytest.approx(43.75), pytest.approx(500 / 9))
    assert by_task[TASKS[2]] == (0, 0, None, None)
    by_level = table("Accuracy by level (%), as published", made)
    assert by_level["L1"] == (7, 3, pytest.approx(125 / 3), pytest.approx(100 / 3), pytest.approx(400 / 7))
    assert by_level["L2"] == (0, 0, None, None, None)
    assert by_level["L3"] == (2, 2, pytest.approx(50), pytest.approx(50), pytest.approx(50))
    by_type = table("Accuracy by type (%), as published", made)
    assert by_type["L1-OE"] == ("object existence", 6, 2, pytest.approx(62.5), pytest.approx(400 / 6))
    by_cell = table("Accuracy by task and type (%), as published", made)
    assert by_cell[QC][0] == pytest.approx(75) and by_cell[QC][1] is None
    [axes] = [one.rows for one in made if one.name == "Accuracy by axis (%), as published"]
    assert ("scale", "figural", 9, 2, pytest.approx(43.75), pytest.approx(500 / 9)) in axes
    assert ("dynamics", "static", 4, 1, pytest.approx(50), pytest.approx(50)) in axes
    assert ("perspective", "exocentric", 0, 0, None, None) in axes
    assert len(axes) == 7


@given(st.data())
def test_the_means_in_another_way(data: st.DataObject) -> None:
    every = [(task, kind) for task, kinds in ACTIVE.items() for kind in kinds]
    chosen = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=12, unique=True))
    values = {cell: data.draw(st.lists(st.integers(0, 1), min_size=1, max_size=4)) for cell in chosen}
    by_task: dict[str, list[float]] = defaultdict(list)
    by_level: dict[str, list[float]] = defaultdict(list)
    pooled: dict[str, list[int]] = defaultdict(list)
    for (task, kind), of in values.items():
        by_task[task].append(100 * mean(of))
        by_level[kind[:2]].append(100 * mean(of))
        pooled[kind] += of
    [mode] = table("Modes (%)", PROTOCOL.mode_tables(cells(values))).values()
    number, macro, micro, *levels = mode[:6]
    assert number == sum(map(len, values.values()))
    assert macro == pytest.approx(mean(map(mean, by_task.values())))
    assert micro == pytest.approx(100 * mean([one for of in values.values() for one in of]))
    assert levels == [pytest.approx(mean(by_level[level])) if level in by_level else None for level in LEVELS]
    told = table("Accuracy by level (%), as published", PROTOCOL.tables(cells(values)))
    for level in by_level:
        expected = mean([100 * mean(of) for kind, of in pooled.items() if kind.startswith(level)])
        assert told[level][3] == pytest.approx(expected)


def test_cells_that_tell_nothing_stand_apart() -> None:
    constant, roles, tells = ("QC_F_EGO_DYN", "L2-IT"), ("CI_F_EXO_STA", "L2-TO"), (QC, "L2-OC")
    assert constant in CONSTANT and roles in ROLE_CONSTANT
    rows = table(
        "Accuracy over informative cells (%), as published",
        PROTOCOL.tables(cells({constant: [1, 1, 1], roles: [1], tells: [0, 1]})),
    )
    assert rows["all cells"][:4] == (6, 3, pytest.approx(87.5), pytest.approx(500 / 6))
    assert rows["informative cells"][:4] == (2, 1, pytest.approx(50), pytest.approx(50))
    assert rows["answer always the same"][:4] == (3, 1, pytest.approx(100), pytest.approx(100))
    assert rows["answer always of one role"][:4] == (1, 1, pytest.approx(100), pytest.approx(100))


def test_a_cell_that_is_not_asked_is_in_no_macro_mean() -> None:
    values = HAND | {(MC, "L3-PR"): [1, 1, 1]}
    by_task = table("Accuracy by task (%), as published", PROTOCOL.tables(cells(values)))
    assert by_task["all"][2] == pytest.approx(43.75) and by_task["all"][3] == pytest.approx(800 / 12)


# -- modes


def run(
    base: float, *, circular: float | None = None, v1: float = 1, v2: float = 0, opened: float | None = 1
) -> list[Scored]:
    """Two questions of each of MC's types, one scoring 1 and the other so that the mean is the one given."""
    made: list[Scored] = []
    for kind in ACTIVE[MC]:
        for number in range(2):
            of = question(MC, kind, number)
            made.append(scored(of, base, circular=circular, covered=base))
            forms: tuple[tuple[Variant, float | None], ...] = (
                ("none_distractor", v1),
                ("none_answer", v2),
                ("open", opened),
            )
            for variant, value in forms:
                if value is not None:
                    made.append(scored(question(MC, kind, number, variant=variant), value, covered=value))
    return made


def test_one_row_a_mode() -> None:
    rows = table("Modes (%)", PROTOCOL.mode_tables(run(0.75, circular=0.5, v1=0.8, v2=0.25, opened=0.6)))
    expected = {
        "Base, vanilla": (0.75, 25),
        "Base, circular": (0.5, 100 / 256),
        "Base, mean over placements": (0.75, 25),
        "V1, None of these added": (0.8, 20),
        "V2, None of these right": (0.25, 25),
        "V1 and V2, both right": (0.2, 5),
        "V3, open-ended": (0.6, None),
    }
    assert list(rows) == list(expected)
    for name, (value, chance) in expected.items():
        number, *means = rows[name][:6]
        assert number == 16 and means == [pytest.approx(100 * value)] * 5
        assert rows[name][-1] == (None if chance is None else pytest.approx(chance))


def test_modes_are_never_mixed() -> None:
    one = table("Modes (%)", PROTOCOL.mode_tables(run(0.75, circular=0.5, v1=0.8, v2=0.25, opened=0.6)))
    for change, touched in (
        ({"circular": 0.1}, {"Base, circular"}),
        ({"v1": 0.4}, {"V1, None of these added", "V1 and V2, both right"}),
        ({"v2": 0.9}, {"V2, None of these right", "V1 and V2, both right"}),
        ({"opened": 0.0}, {"V3, open-ended"}),
        ({"base": 0.9}, {"Base, vanilla", "Base, mean over placements"}),
    ):
        settings = {"base": 0.75, "circular": 0.5, "v1": 0.8, "v2": 0.25, "opened": 0.6} | change
        other = table("Modes (%)", PROTOCOL.mode_tables(run(**settings)))  # type: ignore[arg-type]
        assert {name for name in one if one[name] != other[name]} == touched


def test_both_forms_must_be_right_on_the_same_question() -> None:
    made: list[Scored] = []
    for number, (v1, v2) in enumerate([(1, 0), (0, 1), (1, 1), (1, None)]):
        made.append(scored(question(number=number, variant="none_distractor"), v1))
        if v2 is not None:
            made.append(scored(question(number=number, variant="none_answer"), v2))
    rows = table("Modes (%)", PROTOCOL.mode_tables(made))
    assert rows["V1 and V2, both right"][:3] == (3, pytest.approx(100 / 3), pytest.approx(100 / 3))
    assert rows["V1, None of these added"][0] == 4 and rows["V2, None of these right"][0] == 3


def test_what_was_not_read_is_in_strict_alone() -> None:
    made = [scored(question(number=n), value, covered=cover) for n, (value, cover) in enumerate([(1, 1), (0, None)])]
    row = table("Modes (%)", PROTOCOL.mode_tables(made))["Base, vanilla"]
    assert row[:3] == (2, 50, 50) and row[6:9] == (1, 100, 100)


def test_the_gaps_are_of_the_questions_that_both_modes_have() -> None:
    made = run(0.75, circular=0.5, v1=0.8, v2=0.25, opened=None)
    alone = scored(question(QC, "L1-OE"), 0.0, covered=0.0)  # a base question without any other form
    rows = table("Gaps (points)", PROTOCOL.mode_tables([*made, alone]))
    assert rows["Base, vanilla - circular"] == (16, pytest.approx(25), pytest.approx(25))
    assert rows["Base, vanilla - V2"] == (16, pytest.approx(50), pytest.approx(50))
    assert rows["V1 - V2"] == (16, pytest.approx(55), pytest.approx(55))
    assert "Base, vanilla - V3" not in rows


def test_the_drop_between_levels() -> None:
    values: dict[tuple[str, str], list[float]] = {(MC, "L1-OE"): [1, 1], (MC, "L1-OA"): [0], (MC, "L3-CR"): [0.25]}
    rows = table("Gaps (points)", PROTOCOL.mode_tables(cells(values)))
    assert rows["Base, vanilla: L1 - L3"] == (4, pytest.approx(25), pytest.approx(200 / 3 - 25))


def test_every_whole_run_fills_every_table() -> None:
    values = {(task, kind): [1.0, 0.0] for task, kinds in ACTIVE.items() for kind in kinds}
    made = PROTOCOL.tables(cells(values))
    assert [one.name for one in made] == [
        f"Accuracy {words} (%), as published"
        for words in ("by task", "by task and type", "by type", "by level", "by axis", "over informative cells")
    ]
    assert [line[2] for line in made[0].rows[:-1]] == [8, 9, 8, 8, 7, 8, 7, 7, 8, 12, 8, 8]
    assert [line[2] for line in made[3].rows] == [32, 45, 21]
    assert sum(cell is None for line in made[1].rows for cell in line) == 144 - 98
    assert {line[1] for line in made[4].rows} == {value for of in AXES.values() for value in of.values()}


# -- statements


def held(made: Sequence[Scored]) -> dict[str, CheckedStatement]:
    chosen = family("vgenst").paper.statements
    assert chosen is not None
    return {one.words: one for one in chosen(made)}


def levelled(high: float, low: float, variant: Variant = "base") -> list[Scored]:
    """MC's questions, L1 and L2 at one value, L3 at another."""
    return cells({(MC, kind): [low if kind.startswith("L3") else high] * 2 for kind in ACTIVE[MC]}, variant)


def test_a_run_that_agrees_with_all_that_it_tells() -> None:
    base = [replace(one, metrics=one.metrics | {"circular": 0.3}) for one in levelled(0.9, 0.5)]
    made = [
        *base,
        *levelled(0.91, 0.52, "none_distractor"),
        *levelled(0.4, 0.1, "none_answer"),
        *levelled(0.8, 0.1, "open"),
    ]
    found = held(made)
    assert [one.holds for one in found.values()] == [None, True, True, True, True, True]
    assert found["Accuracy falls sharply from L1 to L3."].figures == (
        "L1 90.0 %, L3 50.0 %: -40.0 points (sharply: 10 or more)"
    )
    assert "vanilla 85.0 %, circular 30.0 %: -55.0 points" in found["Vanilla exceeds circular for every model."].figures
    assert all("2605.22570" in one.source for one in found.values())


def test_a_run_that_agrees_with_none() -> None:
    base = [replace(one, metrics=one.metrics | {"circular": 0.6}) for one in levelled(0.6, 0.6)]
    made = [
        *base,
        *levelled(0.3, 0.3, "none_distractor"),
        *levelled(0.6, 0.6, "none_answer"),
        *levelled(0.6, 0.6, "open"),
    ]
    assert [one.holds for one in held(made).values()] == [None, False, False, False, False, False]


def test_a_run_that_tells_little() -> None:
    found = held(cells({(MC, "L1-OE"): [1, 0]}))
    assert [one.holds for one in found.values()] == [None] * 6
    assert "--placement swap" in found["Vanilla exceeds circular for every model."].figures
    assert [one.holds for one in held([]).values()] == [None] * 6


def test_unjudged_answers_tell_nothing() -> None:
    opened = [
        replace(one, metrics=one.metrics | {"vanilla_covered": None}) if number else one
        for number, one in enumerate(levelled(0.8, 0.1, "open"))
    ]
    found = held([*levelled(0.9, 0.5), *opened])["Open-ended widens the L1-L3 gap."]
    assert found.holds is None and found.figures == "only 1 of 16 open answers were judged: use --judge"


def test_a_drop_is_told_over_the_same_questions() -> None:
    """V2 of the hard questions alone is no drop against all of them."""
    made = [*levelled(0.9, 0.2), *cells({(MC, "L3-CR"): [0.2, 0.2]}, "none_answer")]
    found = held(made)["V2 drops dramatically."]
    assert found.holds is False and "vanilla 20.0 %, V2 20.0 %" in found.figures


# -- the guard


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anthropic/claude-sonnet-4-6", {"Claude"}),
        ("anthropic/next", {"Claude"}),
        ("openrouter/anthropic/claude-3.5-haiku", {"Claude"}),
        ("endpoint/Claude-Opus-4.7", {"Claude"}),
        ("endpoint/my_claude_proxy", {"Claude"}),
        ("openai/gpt-5-mini", {"GPT"}),
        ("openai/o3", {"GPT"}),
        ("endpoint/gpt4o", {"GPT"}),
        ("google/gemini-2.5-pro", {"Gemini"}),
        ("transformers/Qwen/Qwen2.5-VL-7B-Instruct", {"Qwen"}),
        ("endpoint/qwen3-vl", {"Qwen"}),
        ("transformers/deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", {"DeepSeek", "Qwen"}),
        ("openrouter/meta-llama/llama-3.2-90b-vision", {"Llama"}),
        ("transformers/OpenGVLab/InternVL3-8B", {"InternVL"}),
        ("transformers//home/google/models/mine", set()),
        ("baseline/random", set()),
        ("endpoint/unheard-of", set()),
        ("endpoint/co3d-model", set()),
    ],
)
def test_the_family_of_a_name(name: str, expected: set[str]) -> None:
    assert families_of(name) == expected


def test_who_wrote_the_questions_is_not_asked() -> None:
    told = guard("anthropic/claude-opus-4-7", None, RunSettings(), [question()])
    assert told is not None and "Claude" in told and "--allow-self-eval" in told
    assert guard("openai/gpt-5-mini", None, RunSettings(), [question()]) is None  # a validator wrote nothing
    assert guard("baseline/random", "anthropic/claude-sonnet-4-6", RunSettings(), [question()]) is None
    assert guard("anthropic/claude-opus-4-7", None, RunSettings(allow_self_eval=True), [question()]) is None


def test_the_metadata_goes_before_the_paper() -> None:
    models = {"qa_generator_model": "gpt-5", "qa_validator": "qwen3", "video_model": "google/veo-3.1-fast"}
    of = replace(question(), provenance={"models": models})
    assert writers_of([of]) == [("qa_generator_model", "gpt-5")]
    assert guard("openai/gpt-5-mini", None, RunSettings(), [of]) is not None
    for model in ("anthropic/claude-opus-4-7", "google/gemini-2.5-pro", "endpoint/qwen3-vl"):
        assert guard(model, None, RunSettings(), [of]) is None
    assert guard("anthropic/claude-opus-4-7", None, RunSettings(), [of, question()]) is not None
    pictures = replace(question(), provenance={"models": {"video_model": "google/veo-3.1-fast"}})
    assert guard("anthropic/claude-opus-4-7", None, RunSettings(), [pictures]) is not None
    assert guard("google/gemini-2.5-pro", None, RunSettings(), [pictures]) is None


def test_all_writers_of_a_role_are_guarded() -> None:
    first, second = (
        replace(question(number=number), provenance={"models": {"qa_generator": model}})
        for number, model in enumerate(("gpt-5", "gemini-2.5-pro"))
    )
    for model in ("openai/gpt-4o", "google/gemini-2.5-flash"):
        assert guard(model, None, RunSettings(), [first, second]) is not None


def test_a_model_is_not_judged_by_its_own_family() -> None:
    told = guard("openai/gpt-4o", "openai/gpt-5-mini", RunSettings(), [question()])
    assert told is not None and "judged by openai/gpt-5-mini" in told
    assert guard("endpoint/mine", "endpoint/mine", RunSettings(), [question()]) is not None
    assert guard("endpoint/mine", "endpoint/other", RunSettings(), [question()]) is None
    assert guard("openai/gpt-4o", "openai/gpt-5-mini", RunSettings(allow_self_eval=True), [question()]) is None


def test_the_family_brings_it_all() -> None:
    found = family("vgenst")
    assert found.guard is guard and found.build.write is not None and found.tasks == TASKS
    assert found.RunSettings is RunSettings and found.release.read is not None
