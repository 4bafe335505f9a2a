"""Ten causes of a difference, each planted at a known size: it is named, and its part has this size.

The models are services over HTTP that answer wrongly in a known share of the requests that show the planted setting.
"""

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluate_asking import questions_by_day
from PIL import Image

import chronotope as ct
from chronotope.question import Benchmark, Question, open_benchmark
from commands import command
from drawn_benchmarks import write_benchmark
from service import ChatService, completion

CLIPS, DAYS, FRAMES = 12, 5, 12
LETTERS = "ABCDE"
PLACE = re.compile(r"clip (\d+) on day (\d)")
Shows = Callable[[dict], bool]


def number_of(text: str) -> int:
    clip, day = map(int, PLACE.search(text).groups())  # type: ignore[union-attr]
    return clip * DAYS + day


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    items = questions_by_day(CLIPS, DAYS)
    place = tmp_path_factory.mktemp("planted")
    write_benchmark(place / "plain", items, frames=FRAMES, picture=brightness)
    ct.vary(place / "plain", variants=["open", "none_answer"], out=place / "bench")
    return open_benchmark(place / "bench")


def brightness(clip: int, frame: int) -> np.ndarray:
    return np.full((48, 64, 3), 15 * frame + 20, np.uint8)


class Planted(ChatService):
    """Answers every question correctly, but every third one wrongly if the request shows the planted setting."""

    def __init__(self, bench: Benchmark, shows: Shows) -> None:
        self.answers = {number_of(one.stem): one for one in bench.questions if one.variant == "base"}
        self.shows = shows
        super().__init__()

    def answer(self, body: dict) -> tuple[int, dict]:
        text = " ".join(part["text"] for part in content(body) if part["type"] == "text")
        number = number_of(text)
        place = self.answers[number].answer[0]
        wrong = number % 3 == 0 and self.shows(body)
        return 200, completion(f"Answer: {LETTERS[(place + wrong) % 4]}")


def content(body: dict) -> list[dict]:
    return [
        part
        for message in body["messages"]
        for part in (
            [{"type": "text", "text": message["content"]}]
            if isinstance(message["content"], str)
            else message["content"]
        )
    ]


def pictures(body: dict) -> list[int]:
    """The frames that are shown, as their brightness tells."""
    data = [part["image_url"]["url"].partition(",")[2] for part in content(body) if part["type"] == "image_url"]
    shown = [np.asarray(Image.open(io.BytesIO(base64.b64decode(one)))).mean() for one in data]
    return [round((value - 20) / 15) for value in shown]


def parts_of(found: Any) -> dict[str, float]:
    values = {part.name: part.value for part in found.parts}
    assert sum(values.values()) == pytest.approx(found.whole.value, abs=1e-12)
    assert found.whole.value == pytest.approx(found.first - found.second, abs=1e-12)
    return values


SETTINGS: dict[str, tuple[dict[str, Any], Shows]] = {
    "protocol.settings.frames": ({"frames": 3}, lambda body: len(pictures(body)) == 3),
    "protocol.settings.sampling": ({"sampling": "stride"}, lambda body: pictures(body)[-1] != FRAMES - 1),
    "protocol.settings.prompt": (
        {"prompt": "local", "max_tokens": 100},
        lambda body: "(A)" in content(body)[-1].get("text", ""),
    ),
    "layout": ({"layout": "shared"}, lambda body: content(body)[0]["type"] == "image_url"),
    "decoding.temperature": ({"temperature": 0.7}, lambda body: body["temperature"] == 0.7),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_another_setting_is_named_and_its_size_found(bench: Benchmark, name: str, tmp_path: Path) -> None:
    changed, shows = SETTINGS[name]
    runs = []
    with Planted(bench, shows) as service:
        for number, settings in enumerate(({}, changed)):
            runs.append(
                ct.run(
                    bench, "endpoint/some", base_url=service.url, out=tmp_path / str(number), variants="base",
                    check=False, **({"frames": 5} | settings),
                )
            )  # fmt: skip
    found = ct.explain(*runs)
    named = {one.name for one in found.unlike} - {"frames"}
    assert named == {name}
    values = parts_of(found)
    assert values.pop("different answers") == pytest.approx(1 / 3) and not any(values.values())
    part = found.parts[-1]
    assert part.low < 1 / 3 < part.high
    told = " ".join(command("compare", tmp_path / "0", tmp_path / "1").out.split())
    frames = " (the frames follow from it)" if name == "protocol.settings.sampling" else ""
    only = "frames differ" if name == "protocol.settings.frames" else f"{name.rpartition('.')[2]} differs{frames}"
    which = "them" if name == "protocol.settings.frames" else "it"
    assert f"Of the settings, only the {only}. So the different answers come from {which}." in told
    assert told.count("│ frames │") == ("frames" in only)  # the flag and what it makes of the frames are one row


@pytest.mark.parametrize("frames", [None, 5])
def test_a_run_that_got_no_pictures_is_named(bench: Benchmark, frames: int | None, tmp_path: Path) -> None:
    """A blind run cannot choose frames: whatever the other run chose, only the input differs."""
    chosen = {} if frames is None else {"frames": frames}
    with Planted(bench, lambda body: not pictures(body)) as service:
        seen, blind = (
            ct.run(
                bench, "endpoint/some", base_url=service.url, out=tmp_path / kind, variants="base", check=False,
                input=kind, **(chosen if kind == "full" else {}),
            )
            for kind in ("full", "blind")
        )  # fmt: skip
    sent = f"{frames or 12} with each question"
    assert [(one.name, one.first, one.second) for one in ct.explain(seen, blind).unlike] == [
        ("pictures sent", sent, "none"),
        ("protocol.settings.input", "full", "blind"),
    ]
    told = " ".join(command("compare", seen.folder, blind.folder).out.split())
    assert f"pictures sent {sent} none" in told.replace("│ ", "")
    assert "only the input differs (the pictures sent follow from it). So the different answers come from it." in told


def test_another_model_without_pictures_has_two_causes(bench: Benchmark, tmp_path: Path) -> None:
    """A model with frames against a baseline that gets none: neither the model nor the pictures can be named alone."""
    with Planted(bench, lambda body: False) as service:
        seen = ct.run(bench, "endpoint/some", base_url=service.url, out=tmp_path / "0", variants="base", check=False)
    random = ct.run(bench, "baseline/constant-A", out=tmp_path / "1", variants="base")
    found = ct.explain(seen, random)
    assert [one.name for one in found.unlike] == ["pictures sent", "model"]  # the code belongs to the model
    told = " ".join(command("compare", seen.folder, random.folder).out.split())
    assert (
        "The model and the pictures sent differ, so this comparison cannot tell which of them the different answers "
        "come from. To find out, run one model with pictures and without (--input blind)." in told
    )
    assert "code" not in told and "on questions that both runs answered, the first is right more often" in told


def replied(bench: Benchmark, out: Path, reply: Callable[[Question, int], str], **settings: Any) -> ct.Run:
    variants = settings.pop("variants", "base")
    of = [one for one in bench.questions if one.variant in ([variants] if isinstance(variants, str) else variants)]
    replies = {one.id: reply(one, number_of(one.stem)) for one in of}
    return ct.score(bench, replies, out=out, name="some-model", variants=variants, **settings)


def right(question: Question, _: int) -> str:
    return f"Answer: {LETTERS[question.answer[0]]}"


def every(nth: int, otherwise: str | None = None) -> Callable[[Question, int], str]:
    """Right replies, but every nth says something else, or takes the next option."""

    def reply(question: Question, number: int) -> str:
        if number % nth:
            return right(question, number)
        return otherwise or f"Answer: {LETTERS[(question.answer[0] + 1) % len(question.options)]}"

    return reply


def test_unread_replies_are_named_and_their_size_found(bench: Benchmark, tmp_path: Path) -> None:
    found = ct.explain(replied(bench, tmp_path / "0", right), replied(bench, tmp_path / "1", every(5, "I cannot say.")))
    values = parts_of(found)
    assert values.pop("replies without an answer") == pytest.approx(0.2) and not any(values.values())
    assert [(one.name, one.first, one.second) for one in found.unlike] == [
        ("replies with an answer", "100.0 %", "80.0 %")
    ]


def test_a_subset_is_named_and_its_size_found(bench: Benchmark, tmp_path: Path) -> None:
    easy = [one.id for one in bench.questions if one.variant == "base" and number_of(one.stem) % 4]
    whole = replied(bench, tmp_path / "0", every(4))
    few = {one.id: right(one, 0) for one in bench.questions if one.id in easy}
    found = ct.explain(ct.score(bench, few, out=tmp_path / "1", name="some-model", only=True), whole)
    values = parts_of(found)
    assert values.pop("other questions") == pytest.approx(0.25) and not any(values.values())
    [unlike] = [one for one in found.unlike if one.name == "questions"]
    assert (unlike.first, unlike.second) == ("45, 0 of them only here", "60, 15 of them only here")


def test_another_reader_is_named_and_its_size_found(bench: Benchmark, tmp_path: Path) -> None:
    lines = [
        {
            "target": f"{LETTERS[one.answer[0]]} {one.id}",
            "filtered_resps": right(one, 0),
            "credit": float(number_of(one.stem) % 6 != 0),
        }
        for one in bench.questions
        if one.variant == "base"
    ]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = ct.explain(replied(bench, tmp_path / "0", right), tmp_path / "samples.jsonl")
    values = parts_of(found)
    assert values.pop("another reader") == pytest.approx(1 / 6) and not any(values.values())
    assert "replies from another tool" in {one.name for one in found.unlike}


def test_other_versions_are_named_and_their_size_found(bench: Benchmark, tmp_path: Path) -> None:
    one, other = replied(bench, tmp_path / "0", right), replied(bench, tmp_path / "1", every(3))
    card = (other.folder / "run.yaml").read_text()
    assert f"chronotope: {ct.__version__}" in card
    (other.folder / "run.yaml").write_text(card.replace(f"chronotope: {ct.__version__}", "chronotope: 0.0.1"))
    found = ct.explain(one, other.folder)
    assert [unlike.name for unlike in found.unlike] == ["version of chronotope"]
    assert parts_of(found)["different answers"] == pytest.approx(1 / 3)
    told = " ".join(command("compare", one.folder, other.folder).out.split())
    assert "Of the settings, only the versions differ. So the different answers come from them." in told


def test_another_variant_is_named_and_its_size_found(bench: Benchmark, tmp_path: Path) -> None:
    """Both models miss every third question without its answer; the second one also every fourth that others solve."""
    hard = "none_answer"

    def first(question: Question, number: int) -> str:
        return every(3)(question, number) if question.variant == hard else right(question, number)

    def second(question: Question, number: int) -> str:
        return every(1)(question, number) if number % 4 == 1 else first(question, number)

    both = replied(bench, tmp_path / "0", first, variants=["base", hard])
    one = replied(bench, tmp_path / "1", second, variants=hard)
    found = ct.explain(both, one)
    values = parts_of(found)
    assert values["another variant"] == pytest.approx(1 / 3)
    also = np.mean([number % 4 == 1 and number % 3 != 0 for number in range(CLIPS * DAYS)])
    assert values["different answers"] == pytest.approx(also)
    assert values["other questions"] == values["replies without an answer"] == 0
    assert ("variant", "base", hard) in {(of.name, of.first, of.second) for of in found.unlike}
    assert next(part for part in found.parts if part.name == "another variant").measured == CLIPS * DAYS
    # Without a run that has both variants, nothing tells the variant from the model.
    alone = ct.explain(replied(bench, tmp_path / "2", first), one)
    assert parts_of(alone)["another variant"] == 0 and alone.parts[2].measured == 0


class Judge(ChatService):
    """Says of each reply with a number whether it accepts this number."""

    def __init__(self, accepts: Callable[[int], bool]) -> None:
        self.accepts = accepts
        super().__init__()

    def answer(self, body: dict) -> tuple[int, dict]:
        case = json.loads(next(part["text"] for part in content(body) if part["text"].startswith("{")))
        number = int(re.search(r"(\d+) paces", case["reply"]).group(1))  # type: ignore[union-attr]
        verdict = {"reason": "planted", "correct": self.accepts(number)}
        return 200, completion(json.dumps(verdict), model="judge")


def paces(shift: int) -> Callable[[Question, int], str]:
    return lambda _, number: f"Hard to say, perhaps {number + shift} paces."


@pytest.mark.filterwarnings("ignore:.*judged this run before")
def test_another_judge_is_named_and_its_size_found(bench: Benchmark, tmp_path: Path) -> None:
    """Of numbers that rest in the first run, the kind judge accepts half and the harsh one a quarter."""
    with Judge(lambda number: number % 2 == 0) as kind, Judge(lambda number: number % 4 == 0) as harsh:

        def judged(name: str, shift: int, *judges: Judge) -> ct.Run:
            for one in judges:
                spec = ct.ModelSpec("endpoint/kind" if one is kind else "endpoint/harsh", one.url)
                made = replied(bench, tmp_path / name, paces(shift), variants="open", judge=spec)
            return made

        same = ct.explain(judged("a", 0, kind), judged("b", 0, harsh))
        both = ct.explain(judged("c", 0, harsh, kind), judged("d", 1, kind, harsh))
        some = ct.explain(judged("e", 0, kind), judged("f", 1000, harsh))
    # The same replies: all the difference comes from the judges, and their verdicts are in the two ledgers.
    values = parts_of(same)
    assert values.pop("another judge") == pytest.approx(0.25) and not any(values.values())
    assert {one.name for one in same.unlike} == {"judge"}
    # Other replies, which both judges have judged.
    values = parts_of(both)
    assert values["another judge"] == pytest.approx(0.25) and values["different answers"] == pytest.approx(0, abs=1e-12)
    # Other replies, which one judge each has judged: nothing tells them apart.
    part = next(one for one in some.parts if one.name == "another judge")
    assert (part.value, part.measured) == (0.0, 0) and parts_of(some)["different answers"] == pytest.approx(0.25)
