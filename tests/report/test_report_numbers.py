"""What the tables say: differences, every state of calls and replies, cost, how it was asked, letters, tags."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from report_bench import CLIPS, Asked, Server, ask, questions
from report_tables import Tables, row_of

from chronotope.evaluate.plan import RunPrice
from chronotope.evaluate.run import import_replies
from chronotope.evaluate.score import open_run
from chronotope.families import family
from chronotope.report import write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import FRAMES, write_benchmark

NONE = FramesChoice("none")
PRICE = RunPrice(input=2.0, output=10.0)
USAGE = {"prompt_tokens": 1200, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 400}}
NO_USAGE = {"prompt_tokens": None, "completion_tokens": None}
FILTERED = {"finish_reason": "content_filter"}
LOG_PROBABILITIES = {
    "content": [
        {
            "token": "C",
            "logprob": -0.105,
            "top_logprobs": [{"token": "C", "logprob": -0.105}, {"token": "A", "logprob": -2.303}],
        }
    ]
}
SCRIPT = [
    ("clip 6 on a Thursday", 500, "overloaded"),
    ("on a Monday", 200, "C", {"usage": USAGE, "choice": {"logprobs": LOG_PROBABILITIES}}),
    ("on a Tuesday", 200, "B", {"usage": USAGE}),
    ("on a Wednesday", 200, "Let me think about every frame", {"usage": USAGE, "choice": {"finish_reason": "length"}}),
    ("on a Thursday", 200, "", {"usage": NO_USAGE, "choice": FILTERED}),
    ("", 200, "I cannot tell."),
]


@dataclass
class Made:
    """One benchmark asked in many ways, and the report of it."""

    runs: dict[str, Path]
    server: Server
    page: str
    tables: Tables
    problems: tuple[str, ...]
    report: Path


@pytest.fixture(scope="module")
def made(asked: Asked, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("numbers")
    benchmark = write_benchmark(folder / "bench", questions(), name="Bench")
    predictions = folder / "mine.jsonl"
    lines = [{"id": q.id, "reply": "C" if "monday" in q.id or "tuesday" in q.id else "A"} for q in questions()[1:]]
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOTOPE_CACHE", str(folder / "cache"))
        patch.setattr("chronotope.models.services.endpoint.LONGEST_BACKOFF", 0.01)
        with Server(folder / "server", SCRIPT) as server:
            runs = {
                "endpoint/plain": ask(benchmark, folder / "plain", "endpoint/plain", server.url, price=PRICE),
                "endpoint/shared": ask(
                    benchmark, folder / "shared", "endpoint/shared", server.url, layout="shared", check=True
                ),
                "endpoint/blind": ask(benchmark, folder / "blind", "endpoint/blind", server.url, input="blind"),
            }
        runs["baseline/constant-A"] = ask(benchmark, folder / "a", "baseline/constant-A", placement="rotate")
        runs["baseline/random"] = ask(benchmark, folder / "random", "baseline/random")
        runs["elsewhere/mine"] = folder / "elsewhere"
        sti = family("sti")
        import_replies(benchmark, sti, predictions, runs["elsewhere/mine"], sti.RunSettings(), None)
        report = write_report(list(runs.values()), folder / "report", NONE)
    page = report.index.read_text()
    return Made(runs, server, page, Tables(page), report.problems, report.index.parent)


def test_every_state_of_calls_and_replies_is_counted(made: Made) -> None:
    rows = made.tables.rows("Calls and replies")
    assert row_of(rows, "endpoint/plain") == {
        "in all": str(4 * CLIPS),
        "replied": str(3 * CLIPS),
        "refused": str(CLIPS - 1),
        "failed": "1",
        "missing media": "0",
        "not asked": "0",
        "parsed": str(2 * CLIPS),
        "unparsed": "0",
        "truncated": str(CLIPS),
        "unjudged": "0",
        "missing": str(CLIPS),
        "share truncated": "33.3 %",
        "at the limit": str(CLIPS),
    }
    assert row_of(rows, "elsewhere/mine")["not asked"] == "1"
    assert row_of(rows, "baseline/constant-A")["in all"] == str(4 * 4 * CLIPS)


def test_what_must_be_read_with_the_scores_stands_beside_them_and_names_each_run_once(made: Made) -> None:
    [notes] = re.findall(r'<div class="notes" id="cautions">.*?</div>', made.page, re.DOTALL)
    assert made.page.index("Overview of all runs") < made.page.index(notes) < made.page.index("Scores, Bench")
    assert "<details" not in made.page[: made.page.index(notes)]  # it is never folded away
    said: dict[str, list[str]] = {}
    for kind, words in re.findall(r"<(dt|dd)>(.*?)</\1>", notes, re.DOTALL):
        if kind == "dt":
            assert words not in said
            said[words] = []
        else:
            said[list(said)[-1]].append(words)
    names = [name for words in said for name in words.split(", ")]
    assert len(names) == len(set(names)) and set(names) <= {*made.runs, "All runs"}
    of = {name: texts for words, texts in said.items() for name in words.split(", ")}
    cut = {name for name, texts in of.items() if any("33.3 %" in text and "--max-tokens" in text for text in texts)}
    assert cut == {f"endpoint/{name}" for name in ("plain", "shared", "blind")}
    assert any("mine.jsonl" in text for text in of["elsewhere/mine"])
    assert len(of["endpoint/shared"]) > len(of["endpoint/blind"])  # what the check found


def test_problems_name_what_to_do_only_where_it_can_be_done(made: Made) -> None:
    told = {sentence.partition(":")[0]: sentence for sentence in made.problems}
    assert f"{CLIPS} of {4 * CLIPS} questions" in told["endpoint/plain"] and "chronotope run" in told["endpoint/plain"]
    assert told["elsewhere/mine"] == (
        f"elsewhere/mine: mine.jsonl has no reply to 1 of {4 * CLIPS} questions, which count as wrong: score a "
        "complete file into a new folder"
    )


def test_cost_is_that_of_the_calls(made: Made) -> None:
    rows = made.tables.rows("Cost and time")
    plain = row_of(rows, "endpoint/plain")
    answered = 3 * CLIPS  # of the others the server told no tokens
    assert plain["calls"] == str(4 * CLIPS) and plain["of them checks"] == "0"
    assert plain["input tokens"] == f"{1200 * answered:,}" and plain["output tokens"] == f"{7 * answered:,}"
    assert plain["of them cached"] == f"{400 * answered:,} 33.3 %"
    money = answered * (1200 * PRICE.input + 7 * PRICE.output) / 1e6
    assert float(plain["money"]) == pytest.approx(money, rel=0.06) and plain["price in, out"] == "2, 10"
    assert plain["from – to"].endswith("UTC") and plain["time of calls"] != "–"
    shared = row_of(rows, "endpoint/shared")
    assert shared["money"] == shared["price in, out"] == "–"
    assert int(shared["calls"]) == 4 * CLIPS + int(shared["of them checks"]) and int(shared["of them checks"]) > 0
    random = row_of(rows, "baseline/random")
    assert {random[name] for name in ("input tokens", "of them cached", "output tokens", "money")} == {"–"}
    mine = row_of(rows, "elsewhere/mine")
    assert mine["calls"] == "0" and mine["from – to"] == "–"


def test_attempts_are_the_requests_that_the_server_saw(made: Made) -> None:
    rows = made.tables.rows("Cost and time")
    asked = sum(int(row_of(rows, f"endpoint/{name}")["attempts"]) for name in ("plain", "shared", "blind"))
    assert asked == len((made.server.folder / "requests.jsonl").read_text().splitlines())


def test_marks_stand_beside_the_names(made: Made) -> None:
    names = list(made.tables.rows("Scores, Bench"))
    assert names == [
        "endpoint/plain",
        "endpoint/shared layout shared: not among published rows",
        "endpoint/blind blind",
        "baseline/constant-A every rotation",
        "baseline/random",
        "elsewhere/mine asked elsewhere",
    ]
    plot = made.page[made.page.index("Plot of the scores") :].partition("</figure>")[0]
    for words in ("endpoint/shared (layout shared)", "elsewhere/mine (asked elsewhere)", "endpoint/blind (blind)"):
        assert words in plot


def test_how_the_runs_were_asked(made: Made) -> None:
    [facts] = [rows for label, rows in made.tables.tables.items() if label.startswith("How the runs")]
    cells = {row[0]: row[1:] for row in facts[1:]}
    place = {name: number for number, name in enumerate(facts[0][1:])}
    frames = cells["Frames"][place["endpoint/plain"]]
    assert frames == (
        f"{FRAMES} frames of each clip, evenly from first to last (endpoints), 64 × 48, JPEG quality 85 "
        "first clip: clips/0.mp4, frames at 0.0 to 0.7 s"
    )
    assert cells["Frames"][place["endpoint/blind"]] == "no frames of clips were planned"
    assert cells["Frames"][place["baseline/random"]] == "none"
    assert cells["Input"][place["baseline/random"]] == "none: this baseline does not look"
    assert not any(f"{name}: " in line for line in cells["Protocol"] for name in ("input", "frames", "clips"))
    assert cells["Frames"][place["elsewhere/mine"]] == "not known" == cells["Input"][place["elsewhere/mine"]]
    assert cells["Input"][place["endpoint/blind"]] == "without pictures (blind)"
    assert cells["Layout"][place["endpoint/shared"]] == "shared: first all pictures, then all text"
    assert cells["Asked"][place["endpoint/plain"]] == f"{4 * CLIPS} of {4 * CLIPS} questions, once each"
    assert cells["Order of the options"][place["baseline/constant-A"]] == "every rotation 4 per question"
    assert "max tokens: 100" in cells["Decoding"][0] and "temperature: 0.0" in cells["Decoding"][0]
    assert cells["Protocol"][0].startswith("sti, version 2") and "prompt: api" in cells["Protocol"][0]
    assert "mine.jsonl" in cells["Asked by"][place["elsewhere/mine"]]
    check = cells["Check of the service"]
    assert f"{FRAMES} pictures of 64 × 48" in check[place["endpoint/shared"]]
    assert "the first number: not known (“I cannot tell.”)" in check[place["endpoint/shared"]]
    assert check[place["endpoint/plain"]] == "none was made"
    [versions] = cells["Versions"]  # one cell for all where all are the same
    assert "chronotope 0" in versions and "python 3" in versions
    [classes] = [kinds for label, kinds in made.tables.classes.items() if label.startswith("How the runs")]
    unlike = {row[0] for row, kind in zip(facts, classes, strict=True) if kind == "unlike"}
    assert {"Layout", "Input", "Frames", "Asked by"} <= unlike and "Versions" not in unlike


def test_statements_of_the_paper_are_not_checked_on_baselines(made: Made) -> None:
    [head] = [rows[0] for label, rows in made.tables.tables.items() if label.startswith("What the paper says")]
    assert "endpoint/plain" in head and not any("baseline/" in name for name in head)


def by_question(made: Made, model: str) -> dict[str, float]:
    """Whether each question was answered rightly in its published order, from the ledger and the truth alone."""
    run = open_run(made.runs[model])
    right: dict[str, float] = {}
    for one in run.answered:
        if one.ask.placement != tuple(sorted(one.ask.placement)):
            continue
        letter = (one.line.reply or "").strip()[:1] if one.line is not None and one.line.state == "replied" else ""
        place = "ABCD".find(letter) if letter else -1
        right[one.question.id] = float(place >= 0 and one.ask.placement[place] in one.question.answer)
    return right


def signed(words: str) -> float:
    return float(words.replace("−", "-"))


def test_differences_are_paired_and_their_marks_follow_from_the_intervals(made: Made) -> None:
    truth = {model: by_question(made, model) for model in made.runs}
    means = {model: sum(of.values()) / len(of) for model, of in truth.items()}
    best = max(means, key=lambda model: means[model])
    assert best == "elsewhere/mine" and f"<b>{best}</b>, in percentage points" in made.page
    rows = made.tables.rows("Differences to the best run")
    assert {name.partition(" ")[0] for name in rows} == set(made.runs) - {best}
    for model in set(made.runs) - {best}:
        row = row_of(rows, model)
        assert signed(row["difference"]) == pytest.approx(100 * (means[model] - means[best]), abs=0.051)
        assert float(row["accuracy"]) == pytest.approx(100 * means[model], abs=0.051)
        assert float(row["the best"]) == pytest.approx(100 * means[best], abs=0.051)
        assert (row["questions"], row["clips"]) == (str(4 * CLIPS), str(CLIPS))
        low, high = map(signed, re.findall(r"[+−]?\d+\.\d", row["95 % interval by clip"])[:2])
        assert low <= signed(row["difference"]) <= high
        assert ("≠" in row["95 % interval by clip"]) == (low > 0 or high < 0)


def test_every_pair_is_compared(made: Made) -> None:
    rows = made.tables.rows("Differences of all pairs")
    value = {
        (name.partition(" ")[0], other): signed(cell.split()[0])
        for name, cells in rows.items()
        for other, cell in cells.items()
        if cell
    }
    assert len(value) == len(made.runs) * (len(made.runs) - 1)
    assert all(value[first, second] == -value[second, first] for first, second in value)


def test_runs_without_a_question_in_common_are_not_compared(asked: Asked, tmp_path: Path) -> None:
    benchmark = open_run(asked.runs[0]).benchmark
    runs = [ask(benchmark, tmp_path / "few", "baseline/constant-A", limit=7)]
    one = write_report(runs, tmp_path / "one", NONE).index.read_text()
    assert "Differences" not in one
    # Seven of the questions against all: only those that both were asked count.
    two = Tables(write_report([*runs, asked.runs[1]], tmp_path / "two", NONE).index.read_text())
    [row] = two.rows("Differences to the best run").values()
    assert row["questions"] == "7"
    assert not [label for label in two.tables if label.startswith("Differences of all pairs")]  # it would say it twice


def test_placements_and_letters(made: Made) -> None:
    [(name, row)] = made.tables.rows("Placements, Bench").items()
    assert name == "baseline/constant-A every rotation"  # the others were asked in one placement
    assert row["each placement"].startswith("25.0 ") and f"{16 * CLIPS} asks" in row["each placement"]
    assert row["every placement"].startswith("0.0 ") and row["chance of every"] == "0.4"
    letters = row_of(made.tables.rows("Accuracy by the letter"), "baseline/constant-A")
    assert [letters[letter].split()[0] for letter in "ABCD"] == ["100.0", "0.0", "0.0", "0.0"]
    plain = row_of(made.tables.rows("Accuracy by the letter"), "endpoint/plain")
    assert plain["C"].startswith("25.0 ") and f"{4 * CLIPS} asks" in plain["C"] and plain["A"] == "–"
    chosen = row_of(made.tables.rows("Letters chosen"), "endpoint/plain")
    assert chosen == {
        letter: f"{count} (correct {right})"
        for letter, count, right in (("A", 0, 0), ("B", CLIPS, 0), ("C", CLIPS, 4 * CLIPS), ("D", 0, 0))
    }
    assert "Plot by the letter of the right option" in made.page


def test_without_placements_nothing_is_said_of_them(asked: Asked, tmp_path: Path) -> None:
    page = write_report(asked.runs, tmp_path / "report", NONE).index.read_text()
    assert "Placements, " not in page and "Plot by the letter" not in page and "right in every placement" not in page


def test_scores_by_tag_are_folded_away(made: Made) -> None:
    row = row_of(made.tables.rows("Scores by scene"), "endpoint/plain")
    assert row["Indoor"].startswith("25.0 ") and f"{4 * CLIPS} q, {CLIPS} clips" in row["Indoor"]
    before = made.page[: made.page.index("Scores by scene")]
    assert before.count("<details") > before.count("</details>")


def test_an_answer_keeps_what_its_call_took(made: Made) -> None:
    text = (made.report / "questions.js").read_text()
    items = {item["id"]: item for item in json.loads(text.removeprefix("window.REPORT = ").rstrip(";\n"))["items"]}
    answer = items["clip-3-monday"]["answers"][0]
    assert answer["letters"] == [["C", -0.105], ["A", -2.303]]
    call = answer["call"]
    assert (call["input"], call["cached"], call["output"], call["attempts"]) == (1200, 400, 7, 1)
    assert call["finish"] == "stop" and call["seconds"] > 0 and call["at"].startswith("20")
    assert call["money"] == pytest.approx((1200 * PRICE.input + 7 * PRICE.output) / 1e6)
    assert items["clip-6-thursday"]["answers"][0]["call"]["attempts"] > 1
    elsewhere = list(made.runs).index("elsewhere/mine")
    assert items["clip-3-monday"]["answers"][elsewhere]["frames"] == "elsewhere"
    assert items["clip-0-monday"]["answers"][elsewhere]["call"] == {}


def test_what_was_asked_elsewhere_is_not_made_up(made: Made, tmp_path: Path) -> None:
    def items(report: Path) -> dict[str, dict]:
        text = (report / "questions.js").read_text()
        return {item["id"]: item for item in json.loads(text.removeprefix("window.REPORT = ").rstrip(";\n"))["items"]}

    place = list(made.runs).index("elsewhere/mine")
    for item in items(made.report).values():
        if item["answers"][place] is not None:
            assert item["answers"][place]["prompt"] is None
            used = {answer["prompt"] for answer in item["answers"] if answer} - {None}
            assert used == set(range(len(item["prompts"])))  # each prompt shown is one that a run here sent
    alone = write_report([made.runs["elsewhere/mine"]], tmp_path / "report", FramesChoice("all")).index.parent
    assert all(len(item["prompts"]) == 1 and item["answers"][0]["prompt"] is None for item in items(alone).values())
