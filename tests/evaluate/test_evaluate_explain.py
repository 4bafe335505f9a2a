"""What is said about two runs that differ: the planted cause is named, with its size."""

import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluate_asking import questions_by_day
from scipy.stats import ttest_1samp
from typer.testing import CliRunner

import chronotope as ct
from chronotope.cli.app import app
from chronotope.evaluate.score import pair_runs
from chronotope.evaluate.score.explain import clusters_needed
from chronotope.question import Benchmark, Question
from drawn_benchmarks import write_benchmark

CLIPS, DAYS = 12, 5


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    items = questions_by_day(CLIPS, DAYS)
    return write_benchmark(tmp_path_factory.mktemp("explain") / "bench", items, frames=4, picture=plain)


def plain(clip: int, frame: int) -> np.ndarray:
    return np.full((48, 64, 3), 18 * clip + frame, np.uint8)


Reply = Callable[[Question, int], str | None]


def scored(bench: Benchmark, out: Path, reply: Reply, ids: Sequence[str] = ()) -> ct.Run:
    """A run with these replies; a reply that is None is missing in the file."""
    told = {q.id: reply(q, n) for n, q in enumerate(bench.questions) if not ids or q.id in ids}
    replies = {name: words for name, words in told.items() if words is not None}
    return ct.score(bench, replies, out=out, name="some-model", only=bool(ids))


def right(question: Question, _: int) -> str:
    return f"Answer: {'ABCD'[question.answer[0]]}"


def wrong(question: Question, _: int) -> str:
    return f"Answer: {'ABCD'[(question.answer[0] + 1) % 4]}"


def mixed(question: Question, number: int) -> str:
    return (right if number % 3 else wrong)(question, number)


def parts_of(found: Any) -> dict[str, float]:
    values = {part.name: part.value for part in found.parts}
    assert sum(values.values()) == pytest.approx(found.whole.value, abs=1e-12)
    assert found.whole.value == pytest.approx(found.first - found.second, abs=1e-12)
    return values


def test_the_same_run_has_no_difference(bench: Benchmark, tmp_path: Path) -> None:
    one = scored(bench, tmp_path / "one", mixed)
    found = ct.explain(one, one)
    assert found.unlike == () and set(parts_of(found).values()) == {0.0}
    assert found.common == found.read == CLIPS * DAYS


def test_easier_questions_are_the_cause_if_only_they_were_asked(bench: Benchmark, tmp_path: Path) -> None:
    every = scored(bench, tmp_path / "every", mixed)
    easy = [q.id for n, q in enumerate(bench.questions) if n % 3 or n < 6]
    few = scored(bench, tmp_path / "few", mixed, easy)
    found = ct.explain(few, every)
    values = parts_of(found)
    assert values["replies without an answer"] == values["different answers"] == 0
    assert values["other questions"] == pytest.approx(found.first - found.second) and found.first > found.second
    assert found.counts == (len(easy), CLIPS * DAYS) and found.common == len(easy)


def test_replies_without_an_answer_are_the_cause_if_only_they_differ(bench: Benchmark, tmp_path: Path) -> None:
    clean = scored(bench, tmp_path / "clean", right)
    garbled = scored(bench, tmp_path / "garbled", lambda q, n: right(q, n) if n % 4 else "I cannot say.")
    found = ct.explain(clean, garbled)
    values = parts_of(found)
    assert values["replies without an answer"] == pytest.approx(0.25)
    assert values["other questions"] == values["different answers"] == 0
    assert found.read == CLIPS * DAYS * 3 // 4


def test_other_answers_are_the_cause_if_only_they_differ(bench: Benchmark, tmp_path: Path) -> None:
    one, other = scored(bench, tmp_path / "one", right), scored(bench, tmp_path / "other", mixed)
    found = ct.explain(one, other)
    assert parts_of(found)["different answers"] == pytest.approx(1 / 3)
    answers = found.parts[2]
    assert answers.low is not None and answers.high is not None and answers.low < 1 / 3 < answers.high
    # An interval of the mean over clips, or over independent questions if that is wider, is about as wide.
    by_clip = [np.mean([not (n + DAYS * clip) % 3 for n in range(DAYS)]) for clip in range(CLIPS)]
    half = 1.96 * max(np.std(by_clip, ddof=1) / np.sqrt(CLIPS), np.sqrt(2 / 9 / (CLIPS * DAYS)))
    assert (answers.high - answers.low) / 2 == pytest.approx(half, rel=0.25)


def test_three_causes_at_once_have_their_sizes(bench: Benchmark, tmp_path: Path) -> None:
    asked = [q.id for n, q in enumerate(bench.questions) if n >= 12]

    def one(question: Question, number: int) -> str:
        return "No idea." if number % 10 == 5 else mixed(question, number)

    first = scored(bench, tmp_path / "first", one)
    second = scored(bench, tmp_path / "second", right, asked)
    found = ct.explain(first, second)
    values = parts_of(found)
    numbers = range(CLIPS * DAYS)
    strict = {n: float(n % 10 != 5 and n % 3 != 0) for n in numbers}
    later = [n for n in numbers if n >= 12]
    read = [n for n in later if n % 10 != 5]
    assert values["other questions"] == pytest.approx(np.mean([*strict.values()]) - np.mean([strict[n] for n in later]))
    assert values["different answers"] == pytest.approx(np.mean([strict[n] for n in read]) - 1)
    assert found.read == len(read)


def test_the_number_of_clips_that_is_named_finds_the_difference_in_80_of_100_cases() -> None:
    generator, clips, effect, spread = np.random.default_rng(3), 40, 0.08, 0.3
    needed = clusters_needed(effect, spread / np.sqrt(clips), clips)
    assert needed is not None
    found = [ttest_1samp(generator.normal(effect, spread, needed), 0.0).pvalue < 0.05 for _ in range(2000)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)
    assert clusters_needed(0.0, 0.1, 40) is None


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"frames": 8}, "protocol.settings.frames"),
        ({"input": "blind"}, "protocol.settings.input"),
        ({"layout": "shared"}, "layout"),
        ({"set": {"seed": 5}}, "decoding.extra.seed"),
        ({"temperature": 0.7}, "decoding.temperature"),
        ({"max_tokens": 77}, "decoding.max_tokens"),
    ],
)
def test_every_other_setting_is_named(bench: Benchmark, tmp_path: Path, settings: dict[str, Any], named: str) -> None:
    plain = ct.run(bench, "baseline/constant-A", out=tmp_path / "plain")
    other = ct.run(bench, "baseline/constant-A", out=tmp_path / "other", **settings)
    found = {one.name for one in ct.explain(plain, other).unlike}
    assert named in found or any(name.endswith(named.rpartition(".")[2]) for name in found), found


def test_another_model_another_tool_and_other_versions_are_named(bench: Benchmark, tmp_path: Path) -> None:
    asked = ct.run(bench, "baseline/constant-A", out=tmp_path / "asked")
    given = scored(bench, tmp_path / "given", right)
    card = (tmp_path / "given" / "run.yaml").read_text()
    version = ct.__version__
    assert version in card
    (tmp_path / "given" / "run.yaml").write_text(card.replace(f"chronotope: {version}", "chronotope: 0.0.1"))
    names = {one.name for one in ct.explain(asked, ct.Run(given.folder)).unlike}
    assert {"model", "replies from another tool", "version of chronotope"} <= names


def test_the_command_tells_it(bench: Benchmark, tmp_path: Path) -> None:
    scored(bench, tmp_path / "one", right)
    scored(bench, tmp_path / "other", mixed)
    told = CliRunner().invoke(app, ["compare", str(tmp_path / "one"), str(tmp_path / "other")])
    words = " ".join(told.output.split())
    assert told.exit_code == 0 and "first (one): right on 100.0 % of 60 questions;" in words
    assert "second (other): right on 66.7 % of the same 60 questions. Both answered all of them." in words
    assert "different answers" in words and "+33.3" in words and "No setting differs." in words
    assert "none here: both runs have the same questions" in words and "95 % interval by clip" in words
    assert "The interval excludes 0: on clips like these 12, the first run is better. To show a difference" in words
    assert "of 33.3 points in 80 of 100 cases (p < 0.05), about 6 clips like these are needed in all." in words


def test_the_intervals_are_those_of_the_report_and_other_questions_are_told_apart(
    bench: Benchmark, tmp_path: Path
) -> None:
    """The difference on the common questions is the one that a report states, with its interval."""
    every = scored(bench, tmp_path / "every", mixed)
    few = [q.id for n, q in enumerate(bench.questions) if n % 3 or n % 2]
    some = scored(bench, tmp_path / "some", right, few)
    same = scored(bench, tmp_path / "same", right)
    for other, common in ((same, CLIPS * DAYS), (some, len(few))):
        found, of = ct.explain(every, other), pair_runs(every.computed(), other.computed())
        assert of is not None and found.common == common and found.cluster == "clip"
        shared = of.difference
        assert (found.shared.value, found.shared.low, found.shared.high) == pytest.approx(
            (shared.value, shared.low, shared.high), abs=1e-12
        )
    assert found.whole.value != pytest.approx(found.shared.value, abs=1e-3)
    told = " ".join(CliRunner().invoke(app, ["compare", str(every.folder), str(some.folder)]).output.split())
    assert f"second (some): right on 100.0 % of {len(few)}, {len(few)} of them common. Both answered all of" in told
    assert f"of it, on the {len(few)} common questions" in told and "each on all its questions" in told


def test_runs_without_a_common_question_are_refused(bench: Benchmark, tmp_path: Path) -> None:
    names = [question.id for question in bench.questions]
    one = scored(bench, tmp_path / "one", right, names[:10])
    other = scored(bench, tmp_path / "other", right, names[20:30])
    with pytest.raises(ct.InputError, match="no question in common"):
        ct.explain(one, other)


def samples(bench: Benchmark, place: Path, reply: Reply, credit: Callable[[Question, int], float]) -> Path:
    """A file of samples as lmms-eval logs it, with the scores that its reader gave."""
    lines = [
        {"doc_id": n, "target": f"{'ABCD'[q.answer[0]]} {q.id}", "filtered_resps": reply(q, n), "credit": credit(q, n)}
        for n, q in enumerate(bench.questions)
    ]
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return place


def test_another_reader_is_the_cause_if_only_it_differs(bench: Benchmark, tmp_path: Path) -> None:
    """A reader that misses every fourth correct answer."""
    ours = scored(bench, tmp_path / "ours", right)
    file = samples(bench, tmp_path / "samples.jsonl", right, lambda _, n: float(n % 4 != 0))
    found = ct.explain(ours, file)
    values = parts_of(found)
    assert values.pop("another reader") == pytest.approx(0.25) and set(values.values()) == {0.0}
    assert (found.first, found.second) == (1.0, pytest.approx(0.75))
    assert parts_of(ct.explain(file, ours))["another reader"] == pytest.approx(-0.25)
    same = samples(bench, tmp_path / "same.jsonl", right, lambda _, n: float(n % 4 != 0))
    assert parts_of(ct.explain(file, same, bench=bench))["another reader"] == 0
    with pytest.raises(ct.InputError, match="name their benchmark"):
        ct.explain(file, same)


def test_another_reader_and_other_answers_at_once_have_their_sizes(bench: Benchmark, tmp_path: Path) -> None:
    ours = scored(bench, tmp_path / "ours", right)
    file = samples(bench, tmp_path / "samples.jsonl", mixed, lambda _, n: float(n % 6 in (1, 2)))
    values = parts_of(ct.explain(ours, file))
    assert values["different answers"] == pytest.approx(1 / 3) and values["another reader"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"target": "A", "filtered_resps": "A"}, "no id in its target"),
        ({"target": "A q-00-0", "filtered_resps": {}}, "no id in its target"),
    ],
)
def test_samples_of_other_tasks_are_refused(bench: Benchmark, tmp_path: Path, line: dict, words: str) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text(json.dumps(line))
    with pytest.raises(ct.InputError, match=words):
        ct.explain(file, scored(bench, tmp_path / "ours", right))


def test_tables_of_vlmevalkit_are_accepted_and_its_spreadsheets_named(bench: Benchmark, tmp_path: Path) -> None:
    """Its tables have the columns of its tasks, and the replies in the column "prediction"."""
    names = ["index", "question", "A", "B", "C", "D", "answer", "prediction"]
    rows = [
        [q.id, q.stem, *(option.text or "" for option in q.options), "ABCD"[q.answer[0]], mixed(q, n)]
        for n, q in enumerate(bench.questions)
    ]
    file = tmp_path / "model_task.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in [names, *rows]))
    found = ct.explain(scored(bench, tmp_path / "ours", right), file)
    assert parts_of(found)["different answers"] == pytest.approx(1 / 3) and found.read == CLIPS * DAYS
    with zipfile.ZipFile(tmp_path / "model_task.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(ct.InputError, match=r"is a spreadsheet: save it as CSV or TSV .*PRED_FORMAT=tsv"):
        ct.explain(tmp_path / "ours", tmp_path / "model_task.xlsx")


def test_a_damaged_log_of_inspect_is_refused(bench: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "log.eval").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(ct.InputError, match="is not a complete log of Inspect"):
        ct.score(bench, tmp_path / "log.eval", out=tmp_path / "run")
    (tmp_path / "log.json").write_text(json.dumps({"eval": {}, "samples": [{"id": "q"}]}))
    with pytest.raises(ct.InputError, match="sample 1 of this log has no id, target or score"):
        ct.score(bench, tmp_path / "log.json", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
