"""VGenST-Bench and M3-Verse from their released form over real HTTP: each way of asking, with planted abilities."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hardness_tools import Service, asked, assert_whole, chronotope, knowing, run_words

import m3_released
import vgenst_released
from chronotope.evaluate.score import Scores, open_run, score_run
from chronotope.media import encode_clip
from chronotope.question import open_benchmark

NONE = "None of these"
LETTERS = "ABCDEFG"
FPS, WIDTH, HEIGHT = 6, 128, 64
STYLES = 10

Start = Callable[..., Service]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start services of an ability that know something; they end with the module."""
    with knowing("hardness_modes_server.py", tmp_path_factory) as start:
        yield start


def barred(clip: int, frame: int) -> np.ndarray:
    """A picture whose eight bars are four bits of the clip and four of the frame."""
    bits = [number >> place & 1 for number in (clip, frame) for place in range(4)]
    row = np.repeat(np.array(bits, np.uint8) * 200 + 20, WIDTH // 8)
    return np.broadcast_to(row[None, :, None], (HEIGHT, WIDTH, 3)).copy()


def write_barred(path: Path, clip: int, frames: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    encode_clip([barred(clip, frame) for frame in range(frames)], path, FPS)


def scores_of(run: Path) -> Scores:
    assert_whole(run)
    return score_run(open_run(run))


def texts_of(request: dict[str, Any]) -> list[str]:
    return [token for token in request["tokens"] if isinstance(token, str)]


def pictures_of(request: dict[str, Any]) -> list[list[int]]:
    """Clip, frame, width and height of each picture of a request."""
    return [token for token in request["tokens"] if not isinstance(token, str)]


# VGenST-Bench: four clips and a copy of one, three tasks, 26 questions of three or four options, each in four forms

MC, RV, BT = "MC_F_EGO_STA", "RV_E_EGO_DYN", "BT_E_EXO_DYN"
FRAMES, SHOWN = 11, (0, 5, 10)  # of each clip, and which of them three are
# What may be true, and how the oracle says it where it is not given options. Stems are the same of every clip, so that
# only who sees the clip can know; some texts look like letters or like other options.
WORDS = {
    "L1-OE": ("What is there?", "a red vase|un vase rouge;a tin box|une boîte;a candle|une bougie;a bowl|un bol"),
    "L1-OA": ("Which colour has it?", "green|vert;dark green|vert foncé;yellow|jaune;grey, then blue|gris puis bleu"),
    "L2-IT": ("Which one is it in the end?", "A|l'un;B|l'autre;both A and B|les deux;the third|le troisième"),
    "L2-CM": ("How does the camera move?", "forward|avance;back|recule;not at all|immobile;in a circle|tourne"),
    "L2-SL": ("What stands where?", "A behind B|A derrière;B behind A|B derrière;A on B|A dessus;B on A|B dessus"),
    "L3-PT": ("Where would the driver see it?", "ahead|devant;behind|derrière;below|dessous;above|dessus"),
    "L3-CR": ("What if nobody had come?", "it falls|tombe;it stays|reste;it turns|pivote;it burns|brûle"),
}
CUE = "Answer concisely without explanation."  # of open questions, as released
COMMON = ("L1-OE", "L1-OA", "L2-IT", "L2-CM", "L3-CR")
CLIPS = {(MC, 0): 1, (MC, 1): 1, (MC, 2): 2, (RV, 3): 3, (BT, 5): 4}  # the second is a copy of the first


@dataclass(frozen=True)
class Row:
    """A released row: what is asked of a clip, with the options of the base question."""

    task: str
    idx: int
    kind: str
    texts: tuple[str, ...]
    answer: int

    @property
    def clip(self) -> int:
        return CLIPS[self.task, self.idx]

    @property
    def stem(self) -> str:
        return WORDS[self.kind][0]

    @property
    def place(self) -> str:
        return f"{self.clip}|{self.stem}"

    @property
    def right(self) -> str:
        return self.texts[self.answer]

    def form(self, name: str) -> tuple[list[str], int]:
        """Options and the right one's index of base, v1 and v2."""
        texts = list(self.texts) + [NONE] * (name == "v1")
        if name == "v2":
            texts[self.answer] = NONE
        return texts, self.answer

    def released(self) -> dict[str, Any]:
        base, v1, v2 = (vgenst_released.form(self.stem, *self.form(name)) for name in ("base", "v1", "v2"))
        asked = {"question": f"{self.stem} {CUE}", "expected_answer": self.right}
        return {
            **{"idx": self.idx, "theme": f"place_{self.idx}", "qa_type": self.kind},
            **{"sample_id": f"{self.task}_{self.idx}_{self.kind}", "base": base},
            **{"variant_NoT_distractor": v1, "variant_NoT_answer": v2, "variant_open_ended": asked},
        }


@cache
def rows() -> tuple[Row, ...]:
    """Six questions of each clip, and two of the copy that are those of its original, word for word."""
    generator = np.random.default_rng(5)
    made = []
    for (task, idx), more in {(MC, 0): "L2-SL", (MC, 2): "L2-SL", (RV, 3): "L3-PT", (BT, 5): "L3-PT"}.items():
        for kind in (*COMMON, more):
            words = [pair.partition("|")[0] for pair in WORDS[kind][1].split(";")]
            size = 3 + len(made) % 2
            texts = tuple(str(text) for text in generator.permutation(words)[:size])
            made.append(Row(task, idx, kind, texts, len(made) // 2 % size))
    copies = [Row(MC, 1, row.kind, row.texts, row.answer) for row in made[:6] if row.kind in ("L1-OE", "L3-CR")]
    return tuple(made + copies)


def french(row: Row, text: str) -> str:
    return dict(pair.split("|") for pair in WORDS[row.kind][1].split(";"))[text]


@pytest.fixture(scope="module")
def vgenst(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark folder that ``chronotope import`` makes of the release; tests only read it."""
    place = tmp_path_factory.mktemp("vgenst")
    release = place / "release"
    for task in (MC, RV, BT):
        own = [row.released() for row in rows() if row.task == task]
        vgenst_released.write_table(release / "qa" / f"{task}.parquet", own)
    for (task, idx), clip in CLIPS.items():
        path = release / "videos" / task / "videos" / f"{idx}_place_{idx}.mp4"
        if idx == 1:
            os.link(path.with_name("0_place_0.mp4"), path)
        else:
            write_barred(path, clip, FRAMES)
    told = chronotope("import", "vgenst", release, "--out", place / "bench", "--json")
    assert told.code == 0, told.err
    questions = open_benchmark(place / "bench").questions
    assert len(questions) == 4 * len(rows()) == 104 and not any(question.flags for question in questions)
    return place / "bench"


def knowledge(said: dict[str, str]) -> dict[str, Any]:
    """What a service knows: what is right of each clip, and what it says where it has nothing to choose from."""
    return {"right": {row.place: [row.right] for row in rows()}, "said": said}


def in_own_words() -> dict[str, str]:
    """Right: word for word, or so that only a judge knows."""
    return {row.place: french(row, row.right) if number % 2 else row.right for number, row in enumerate(rows()[:24])}


def mistaken() -> dict[str, str]:
    """In words that only a judge knows, and wrong of one task."""
    return {row.place: french(row, row.texts[row.answer - 1] if row.task == RV else row.right) for row in rows()}


def meanings() -> dict[str, str]:
    """What the judge knows: what is meant by words."""
    pairs = (pair for _, words in WORDS.values() for pair in words.split(";"))
    return {own: text for text, own in (pair.split("|") for pair in pairs)}


def in_order(texts: Sequence[str]) -> str:
    return ", ".join(f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False))


def swapped(texts: Sequence[str], answer: int) -> list[list[str]]:
    """The right option at each letter in turn, having changed places with what stood there."""
    found = []
    for place in range(len(texts)):
        order = list(texts)
        order[answer], order[place] = order[place], order[answer]
        found.append(order)
    return found


def rotated(texts: Sequence[str], answer: int) -> list[list[str]]:
    return [[*texts[place:], *texts[:place]] for place in range(len(texts))]


def wanted(forms: Sequence[str], orders: Callable[[Sequence[str], int], list[list[str]]] = swapped) -> set[str]:
    """What is to be put to a service, told apart as a service can: by clip and words."""
    choices = [
        f"{row.clip}|{row.stem} {in_order(order)}"
        for row in rows()
        for name in forms
        if name != "v3"
        for order in orders(*row.form(name))
    ]
    return set(choices) | ({f"{row.place} {CUE}" for row in rows()} if "v3" in forms else set())


def assert_put(requests: Sequence[dict[str, Any]], expected: set[str]) -> None:
    """These questions were put once each, with the frames of their clip, from the first to the last, before them."""
    put = []
    for request in requests:
        assert request["roles"] == ["system", "user"]
        system, *shown, text = request["tokens"]
        [clip] = {picture[0] for picture in shown}
        assert shown == [[clip, frame, WIDTH, HEIGHT] for frame in SHOWN]
        question = text.partition("\n\n")[0]
        is_open = question in {f"{words} {CUE}" for words, _ in WORDS.values()}
        assert ("letter" in system) == ("multiple-choice" in system) == (not is_open)
        put.append(f"{clip}|{question}")
    assert len({request["messages"] for request in requests}) == len(requests), "equal prompts were sent twice"
    assert sorted(put) == sorted(expected)


# The table of modes, worked out by hand

Values = list[tuple[Row, float]]


def means(values: Values) -> list[float | int | None]:
    """Number; means over tasks of their types' means, over questions, and of the cells of each level, in percent."""
    if not values:
        return [0, None, None, None, None, None]
    cells: dict[tuple[str, str], list[float]] = {}
    for row, value in values:
        cells.setdefault((row.task, row.kind), []).append(100 * value)
    tasks = [
        fmean(fmean(cell) for (task, _), cell in cells.items() if task == name)
        for name in dict.fromkeys(task for task, _ in cells)
    ]
    levels = [
        [fmean(cell) for (_, kind), cell in cells.items() if kind.startswith(name)] for name in ("L1", "L2", "L3")
    ]
    micro = fmean(100 * value for _, value in values)
    return [len(values), fmean(tasks), micro, *(fmean(level) if level else None for level in levels)]


def assert_modes(scores: Scores, expected: dict[str, tuple[Values, Values, float | None]]) -> None:
    """The table has these modes, strict and covered, with these chances (%)."""
    [table] = [table for table in scores.tables if table.name == "Modes (%)"]
    found = {row[0]: list(row[1:]) for row in table.rows}
    assert list(found) == list(expected)
    for name, (strict, covered, chance) in expected.items():
        assert found[name] == pytest.approx([*means(strict), *means(covered), chance], abs=1e-9), name


def each(value: Callable[[Row], float | None]) -> Values:
    return [(row, known) for row in rows() if (known := value(row)) is not None]


def chance_of(name: str, power: bool = False) -> float:
    sizes = [len(row.form(name)[0]) for row in rows()]
    return 100 * fmean((1 / size) ** (size if power else 1) for size in sizes)


PAIRED_CHANCE = 100 * fmean(1 / len(row.texts) / (len(row.texts) + 1) for row in rows())
NAMES = {
    **{"vanilla": "Base, vanilla", "circular": "Base, circular", "position": "Base, mean over placements"},
    **{"v1": "V1, None of these added", "v1_circular": "V1, circular"},
    **{"v2": "V2, None of these right", "v2_circular": "V2, circular"},
    **{"paired": "V1 and V2, both right", "v3": "V3, open-ended"},
}
CHANCE = {
    **{"vanilla": chance_of("base"), "circular": chance_of("base", True), "position": chance_of("base")},
    **{"v1": chance_of("v1"), "v1_circular": chance_of("v1", True)},
    **{"v2": chance_of("v2"), "v2_circular": chance_of("v2", True), "paired": PAIRED_CHANCE, "v3": None},
}


def by_letter(letter: str) -> dict[str, tuple[Values, Values]]:
    """What who always says this letter scores in each mode; it is not read where no option has it."""
    index = LETTERS.index(letter)

    def hit(name: str) -> Values:
        return each(lambda row: float(row.form(name)[1] == index))

    def read(values: Values, name: str) -> Values:
        return [(row, value) for row, value in values if index < len(row.form(name)[0])]

    nothing = each(lambda row: 0.0)
    position = each(lambda row: (index < len(row.texts)) / len(row.texts))
    found = {"vanilla": hit("base"), "circular": nothing, "position": position, "v1": hit("v1"), "v1_circular": nothing}
    found |= {"v2": hit("v2"), "v2_circular": nothing, "paired": each(lambda row: float(row.answer == index))}
    form = {"v1": "v1", "v1_circular": "v1", "v2": "v2", "v2_circular": "v2", "paired": "v2"}
    return {name: (values, read(values, form.get(name, "base"))) for name, values in found.items()}


@pytest.mark.parametrize(
    ("placement", "letter"),
    [("swap", "A"), *(pytest.param(*what, marks=pytest.mark.slow) for what in (("swap", "D"), ("rotate", "B")))],
)
def test_always_the_same_letter(vgenst: Path, start: Start, tmp_path: Path, placement: str, letter: str) -> None:
    service = start(letter)
    more = ("--placement", placement, "--variant", "base,none_distractor,none_answer", "--frames", 3)
    outcome = asked(chronotope(*run_words(vgenst, service.url, *more, out=tmp_path / "run")))
    scores = scores_of(tmp_path / "run")
    expected = {NAMES[name]: (*both, CHANCE[name]) for name, both in by_letter(letter).items()}
    share = fmean(value for _, value in expected["Base, vanilla"][0])
    assert 0.1 < share == fmean(row.answer == LETTERS.index(letter) for row in rows()) < 0.5
    assert_modes(scores, expected)
    assert outcome["circular"]["value"] == 0 and outcome["circular"]["items"] == len(rows())
    assert outcome["accuracy"]["value"] == pytest.approx(share, abs=1e-12), "base questions in the published order"
    assert scores.position is not None
    has_it = sum(LETTERS.index(letter) < len(row.texts) for row in rows())
    assert scores.position.value == pytest.approx(has_it / sum(len(row.texts) for row in rows()), abs=1e-12)
    orders = swapped if placement == "swap" else rotated
    assert_put(service.requests(), wanted(("base", "v1", "v2"), orders))
    assert outcome["asked"] == len(service.requests())


def run_judged(
    bench: Path, service: Service, judge: Service, out: Path, *more: object, placement: str = "swap"
) -> dict[str, Any]:
    words = ("--placement", placement, "--frames", 3, "--judge", "endpoint/referee", "--judge-base-url", judge.url)
    return asked(chronotope(*run_words(bench, service.url, *words, *more, out=out)))


def cases(said: dict[str, str]) -> set[tuple[object, ...]]:
    """The open answers that are not word for word what was expected, told apart as the judge can."""
    told = ((row, said[row.place]) for row in rows())
    return {(f"{row.stem} {CUE}", row.texts, row.right, answer) for row, answer in told if answer != row.right}


def assert_judged(judge: Service, expected: set[tuple[object, ...]]) -> None:
    """Each case was put to the judge once, and once more where its first reply was no verdict."""
    about = [request["about"] for request in judge.requests()]
    shown = [json.loads(case) for case in about if case != "garbage"]
    names = ("question", "possible_answers", "expected_answer", "reply")
    assert all(case.keys() == set(names) for case in shown)
    put = [tuple(tuple(case[name]) if name == "possible_answers" else case[name] for name in names) for case in shown]
    assert sorted(put) == sorted(expected)
    assert about.count("garbage") == (len(expected) + 2) // 3 > 1
    assert not any(pictures_of(request) for request in judge.requests()), "the judge never sees the clip"


def all_right(names: Sequence[str]) -> dict[str, tuple[Values, Values, float | None]]:
    values = each(lambda row: 1.0)
    return {NAMES[name]: (values, values, CHANCE[name]) for name in names}


def test_who_knows_what_is_right_is_right_in_every_mode(vgenst: Path, start: Start, tmp_path: Path) -> None:
    """Base first, then all forms, then the same again: nothing is asked twice, of the model or of the judge."""
    service = start("oracle", **knowledge(in_own_words()))
    judge = start("judge", means=meanings())
    out = tmp_path / "run"
    base = ("--placement", "swap", "--frames", 3, "--variant", "base")
    first = asked(chronotope(*run_words(vgenst, service.url, *base, out=out)))
    assert_put(service.requests(), wanted(["base"]))
    assert first["asked"] == len(service.requests()) and first["variants"].keys() == {"base"}
    assert_modes(scores_of(out), all_right(["vanilla", "circular", "position"]))

    whole = run_judged(vgenst, service, judge, out)
    assert_put(service.requests(), wanted(["base", "v1", "v2", "v3"]))
    assert whole["asked"] == len(service.requests()) - first["asked"] and set(whole["states"]) == {"replied"}
    # One ask for each placement of each form, and one of the open form.
    assert whole["asks"] == sum(3 * len(row.texts) + 2 for row in rows())
    assert {request["about"] for request in service.requests()} > {"open"}
    assert len({request["about"] for request in service.requests()} - {"open"}) == STYLES, "in all styles, never lost"
    assert_judged(judge, cases(in_own_words()))
    judged = sum(in_own_words()[row.place] != row.right for row in rows())
    assert whole["open_answers"] == {"settled": len(rows()) - judged, "judged": judged, "unjudged": 0}
    worded = len(cases(in_own_words()))
    assert whole["judge"] == {"model": "endpoint/referee", "asked": worded, "already": 0, "without": 0}
    assert {name: value["value"] for name, value in whole["variants"].items()} == dict.fromkeys(
        ("base", "none_answer", "none_distractor", "open"), 1
    )
    modes = list(NAMES)
    scores = scores_of(out)
    assert_modes(scores, all_right(modes))
    levels = {row[0]: row[2:] for table in scores.tables if table.name == "Gaps (points)" for row in table.rows}
    assert len(levels) == 5 + len(modes) and set(levels.values()) == {(0, 0)}

    before = len(service.requests()), len(judge.requests())
    again = run_judged(vgenst, service, judge, out)
    assert (len(service.requests()), len(judge.requests())) == before
    assert again["asked"] == 0 and again["judge"]["asked"] == 0 and again["judge"]["already"] == worded
    assert again["accuracy"] == whole["accuracy"] and again["open_answers"] == whole["open_answers"]


def test_who_never_says_none_of_these(vgenst: Path, start: Start, tmp_path: Path) -> None:
    """Nothing of V2 and of the pairs, all of base and V1; of open answers, as many as were right, the judge says."""
    service = start("never_none", **knowledge(mistaken()))
    judge = start("judge", means=meanings())
    outcome = run_judged(vgenst, service, judge, tmp_path / "run")
    assert "lost" not in {request["about"] for request in service.requests()}
    assert_judged(judge, cases(mistaken()))
    opened = each(lambda row: float(row.task != RV))
    nothing = each(lambda row: 0.0)
    expected = all_right(list(NAMES)) | {
        NAMES[name]: (nothing, nothing, CHANCE[name]) for name in ("v2", "v2_circular", "paired")
    }
    assert_modes(scores_of(tmp_path / "run"), expected | {NAMES["v3"]: (opened, opened, None)})
    assert {name: value["value"] for name, value in outcome["variants"].items()} == pytest.approx(
        {"base": 1, "none_distractor": 1, "none_answer": 0, "open": fmean(value for _, value in opened)}
    )


@pytest.mark.slow
def test_who_knows_what_is_right_in_rotated_options(vgenst: Path, start: Start, tmp_path: Path) -> None:
    service = start("oracle", **knowledge(in_own_words()))
    judge = start("judge", means=meanings())
    run_judged(vgenst, service, judge, tmp_path / "run", placement="rotate")
    assert_put(service.requests(), wanted(["base", "v1", "v2", "v3"], rotated))
    assert_modes(scores_of(tmp_path / "run"), all_right(list(NAMES)))


# M3-Verse: two scenes of two videos each, twelve questions, half of them with several right options

SCENES = {"house_1-a": (5, 6), "house_2-b": (7, 8)}  # the clips of the first video and of the second
LENGTHS = {5: 9, 6: 14, 7: 13, 8: 10}
MIDDLES = {clip: [int((place + 0.5) * frames / 3) for place in range(3)] for clip, frames in LENGTHS.items()}
FIRST, SECOND = "This is the first video:", "This is the second video:"
OPENING = "Your task is to answer questions based on the provided videos and options."
CLOSING = (
    "Return ONLY the letter(s) corresponding to the correct option(s) (e.g., A, B, C, or A,C for multiple correct "
    "answers)\n"
)
ONE = "There is only one correct option for this question."
SEVERAL = "There are more than one correct option for this question."
# Number of options and of right ones.
SHAPES = ((2, 1), (4, 1), (7, 1), (4, 2), (5, 3), (7, 2))


@dataclass(frozen=True)
class Asked:
    """A question about both videos of a scene."""

    scene: str
    stem: str
    texts: tuple[str, ...]
    right: tuple[int, ...]

    @property
    def question(self) -> str:
        """How it is put, in the words published."""
        options = "".join(f"{letter}. {text}\n" for letter, text in zip(LETTERS, self.texts, strict=False))
        return f"\nQuestion: {self.stem}\noptions: {options}{CLOSING}{SEVERAL if len(self.right) > 1 else ONE}"


@cache
def questions() -> dict[str, Asked]:
    """By the id of the record; one of each scene is a hallucination question."""
    generator = np.random.default_rng(9)
    made = {}
    for number in range(2 * len(SHAPES)):
        scene, (size, right) = list(SCENES)[number % 2], SHAPES[number // 2]
        texts = tuple(f"the {colour} room" for colour in ("red", "blue", "A", "grey", "green", "B", "white")[:size])
        if size == 2:
            texts = (texts[0], "No correct option is listed.")
        answer = generator.choice(size, right, replace=False).tolist() if size > 2 else [1]
        stem = f"Which rooms has somebody been in, in {scene}, with {size} to choose from and {right} right?"
        made[f"q{number:02d}"] = Asked(scene, stem, texts, tuple(sorted(answer)))
    return made


@pytest.fixture(scope="module")
def m3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark folder that ``chronotope import`` makes of records and videos."""
    place = tmp_path_factory.mktemp("m3")
    for scene, clips in SCENES.items():
        for state, clip in enumerate(clips):
            write_barred(place / "videos" / scene / f"state_{state}" / "video.mp4", clip, LENGTHS[clip])
    records = [
        m3_released.row(
            number,
            scene=one.scene,
            question_id=name,
            question=one.stem,
            options=[f"{letter}. {text}" for letter, text in zip(LETTERS, one.texts, strict=False)],
            answer=[LETTERS[place] for place in one.right],
            question_type="multiple_choice" if len(one.right) > 1 else "single_choice",
            hallucination=one.texts[one.right[0]] == m3_released.NONE,
        )
        for number, (name, one) in enumerate(questions().items())
    ]
    table = m3_released.write_rows(place / "questions.jsonl", records)
    words = ("import", "m3", "--questions", table, "--videos", place / "videos", "--out", place / "bench")
    told = chronotope(*words)
    assert told.code == 0, told.err
    made = open_benchmark(place / "bench").questions
    assert len(made) == 12 and not any(question.flags for question in made)
    assert {len(question.media) for question in made} == {2}
    return place / "bench"


def known(seen: Callable[[int, int], str] = lambda before, after: f"{before},{after}") -> dict[str, list[str]]:
    """What is right of the clips seen, the first before the second."""
    return {
        f"{seen(*SCENES[one.scene])}|{one.stem}": [one.texts[place] for place in one.right]
        for one in questions().values()
    }


def frames_of(clip: int, size: tuple[int, int] = (448, 448)) -> list[list[int]]:
    """What is seen of a clip: the middles of three equal parts."""
    return [[clip, frame, *size] for frame in MIDDLES[clip]]


def as_published(one: Asked) -> list[object]:
    before, after = SCENES[one.scene]
    return [f"{OPENING}\n{FIRST}", *frames_of(before), f"\n{SECOND}", *frames_of(after), one.question]


def as_shared(one: Asked) -> list[object]:
    before, after = SCENES[one.scene]
    return [FIRST, *frames_of(before), f"\n{SECOND}", *frames_of(after), OPENING + one.question]


def as_text(one: Asked) -> list[object]:
    return [OPENING + one.question]


def by_question(run: Path) -> dict[str, float]:
    """What each question earned, by its stem."""
    scored = scores_of(run).scored
    assert len(scored) == 12
    return {one.question.stem: one.metrics["strict"] or 0.0 for one in scored}


@pytest.mark.parametrize(
    ("more", "form"),
    [
        ((), as_published),
        (("--layout", "shared"), as_shared),
        (("--input", "blind"), as_text),
    ],
    ids=["published", "shared", "blind"],
)
def test_who_knows_all_right_options_of_two_videos(
    m3: Path, start: Start, tmp_path: Path, more: tuple[str, ...], form: Callable[[Asked], list[object]]
) -> None:
    """The frames of the first video stand behind its label and before the second's, each as many as asked for."""
    blind = "blind" in more
    service = start("oracle", right=known(lambda *_: "") if blind else known())
    count = () if blind else ("--frames", 3)
    outcome = asked(chronotope(*run_words(m3, service.url, *count, *more, out=tmp_path / "run")))
    expected = [form(one) for one in questions().values()]
    put = [request["tokens"] for request in service.requests()]
    assert sorted(map(json.dumps, put)) == sorted(map(json.dumps, expected))
    assert {tuple(request["roles"]) for request in service.requests()} == {("user",)}
    assert outcome["accuracy"]["value"] == 1 and set(by_question(tmp_path / "run").values()) == {1}
    assert len({request["about"] for request in service.requests()}) == STYLES


@pytest.mark.slow
def test_who_knows_the_videos_in_another_order_knows_nothing(m3: Path, start: Start, tmp_path: Path) -> None:
    """That the oracle is right tells that it saw the first video first."""
    service = start("oracle", right=known(lambda before, after: f"{after},{before}"))
    outcome = asked(chronotope(*run_words(m3, service.url, "--frames", 3, out=tmp_path / "run")))
    assert outcome["accuracy"]["value"] == 0 and {request["about"] for request in service.requests()} == {"lost"}


@pytest.mark.parametrize("ability", ["one", "extra"])
def test_a_part_of_what_is_right_and_too_much(m3: Path, start: Start, tmp_path: Path, ability: str) -> None:
    """One of k right options earns 1/k; a wrong one beside all right ones costs everything."""
    service = start(ability, right=known())
    outcome = asked(chronotope(*run_words(m3, service.url, "--frames", 3, out=tmp_path / "run")))
    several = (lambda count: 1 / count) if ability == "one" else (lambda count: 0.0)
    expected = {one.stem: several(len(one.right)) if len(one.right) > 1 else 1.0 for one in questions().values()}
    assert by_question(tmp_path / "run") == pytest.approx(expected, abs=1e-12)
    assert outcome["accuracy"]["value"] == pytest.approx(fmean(expected.values()), abs=1e-12)
    halves = [one.stem for one in questions().values() if len(one.right) == 2]
    assert len(halves) == 4 and {expected[stem] for stem in halves} == {0.5 if ability == "one" else 0}
    [table] = [table for table in scores_of(tmp_path / "run").tables if table.name == "Score by answers (%)"]
    earned = fmean(100 * expected[one.stem] for one in questions().values() if len(one.right) > 1)
    assert {row[0]: row[1:3] for row in table.rows} == {"single": (6, 100), "multiple": (6, pytest.approx(earned))}
