import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.evaluate.run import run
from chronotope.evaluate.run.import_replies import import_replies
from chronotope.evaluate.score import Scores, open_run, score_run
from chronotope.families import Family
from chronotope.models import Decoding, Limits
from chronotope.protocol import Ask, Reading
from chronotope.question import Benchmark, Question, make_variants
from ledger_lines import changed_lines, write_changed
from service import ServiceProcess


def scores_of(bench: Benchmark, tiny: Family, model: str, out: Path, url: str | None = None, **settings: str) -> Scores:
    run(bench, tiny, model, Decoding(), tiny.RunSettings(**settings), Selection(), out, base_url=url, check=False)
    return score_run(open_run(out))


def right_by_hand(bench: Benchmark, out: Path) -> dict[str, list[bool]]:
    """Which asks of each question were answered right, from the files alone."""
    replies = {}
    for line in (out / "ledger.jsonl").read_text().splitlines()[1:]:
        call = json.loads(line)
        replies[call["key"]] = call["reply"]
    answer = {q["id"]: q["answer"][0] for q in pq.read_table(bench.folder / "questions.parquet").to_pylist()}
    right = defaultdict(list)
    for row in pq.read_table(out / "asks.parquet").to_pylist():
        right[row["question"]].append(row["placement"]["ABCD".index(replies[row["key"]])] == answer[row["question"]])
    return right


def mean(values: list) -> float:
    return sum(values) / len(values)


def test_scores_agree_with_a_count_by_hand(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    scores = scores_of(bench, tiny, "endpoint/x", tmp_path / "run", serve().url)
    right = {question: asks[0] for question, asks in right_by_hand(bench, tmp_path / "run").items()}
    assert scores.overall.value == pytest.approx(mean(list(right.values())))
    assert (scores.overall.items, scores.overall.clusters, scores.overall.chance) == (24, 6, 0.25)
    assert scores.overall.low < scores.overall.value < scores.overall.high
    assert scores.covered == scores.overall
    assert scores.circular is None
    for task in ("count", "where"):
        expected = [right[q.id] for q in bench.questions if q.task == task]
        assert (scores.tasks[task].value, scores.tasks[task].items) == (pytest.approx(mean(expected)), 12)
    for scene in ("indoor", "outdoor"):
        expected = [right[q.id] for q in bench.questions if q.tags["scene"] == (scene,)]
        assert scores.tags["scene"][scene].value == pytest.approx(mean(expected))
        assert scores.tags["scene"][scene].low is None  # three clips are too few
    assert list(scores.tasks) == ["count", "where"]
    assert scores.right_letters == dict.fromkeys("ABCD", 6)
    replies = [json.loads(line)["reply"] for line in (tmp_path / "run/ledger.jsonl").read_text().splitlines()[1:]]
    assert scores.letters == {letter: replies.count(letter) for letter in "ABCD"}
    assert scores.tables[0].rows == ((24,),)


def test_circular_is_right_in_every_placement(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    scores = scores_of(bench, tiny, "endpoint/x", tmp_path / "run", serve().url, placement="rotate")
    right = right_by_hand(bench, tmp_path / "run")
    assert all(len(asks) == 4 for asks in right.values())
    assert scores.circular.value == pytest.approx(mean([all(asks) for asks in right.values()]))
    assert (scores.overall.items, scores.circular.items) == (24, 24)
    assert scores.circular.chance == 0.25**4
    every = [right for asks in right.values() for right in asks]
    assert (scores.position.value, scores.position.items) == (pytest.approx(mean(every)), 96)
    assert (scores.position.clusters, scores.position.chance) == (6, 0.25)
    # Rotations put every right answer at every letter once.
    assert scores.right_letters == dict.fromkeys("ABCD", 24)


def test_unread_replies_count_as_wrong_and_are_left_out_of_what_is_covered(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve()
    (server.folder / "mute").touch()
    scores = scores_of(bench, tiny, "endpoint/x", tmp_path / "run", server.url)
    assert scores.states == {"replied": 24}
    assert scores.readings == {"parsed": 23, "unparsed": 1, "truncated": 0, "missing": 0, "unjudged": 0}
    assert (scores.overall.items, scores.covered.items) == (24, 23)
    assert scores.overall.value * 24 == pytest.approx(scores.covered.value * 23)


def test_variants_are_rows_of_their_own(varied: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    settings = tiny.RunSettings()
    run(varied, tiny, "baseline/constant-D", Decoding(), settings, Selection(variants=("none_answer",)), out)
    only = score_run(open_run(out))
    assert (only.overall.value, only.overall.items, list(only.variants)) == (1.0, 24, ["none_answer"])
    run(varied, tiny, "baseline/constant-D", Decoding(), settings, Selection(), out)
    both = score_run(open_run(out))
    assert (both.overall.value, both.overall.items) == (0.25, 24)
    assert {name: row.value for name, row in both.variants.items()} == {"base": 0.25, "none_answer": 1.0}
    assert both.tables[0].rows == ((24,),)
    assert sum(both.letters.values()) == 24


def test_variants_without_their_base_are_not_averaged_together(
    make_bench: Callable, tiny: Family, tmp_path: Path
) -> None:
    base = make_bench.questions()
    bench = make_bench([*base, *make_variants(base, ["none_answer", "none_distractor"], 0)])
    selection = Selection(variants=("none_distractor", "none_answer"))
    run(bench, tiny, "baseline/constant-D", Decoding(), tiny.RunSettings(), selection, tmp_path / "run")
    scores = score_run(open_run(tmp_path / "run"))
    assert list(scores.variants) == ["none_answer", "none_distractor"]
    assert scores.overall == scores.variants["none_answer"] and scores.overall.value == 1.0
    assert scores.variants["none_distractor"].value < 1 and len(scores.scored) == 48


@pytest.mark.slow
def test_baselines_score_what_they_must(text_bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    random = scores_of(text_bench, tiny, "baseline/random", tmp_path / "random")
    assert (random.overall.items, random.overall.clusters, random.overall.chance) == (400, 100, 0.25)
    assert random.overall.low < 0.25 < random.overall.high
    assert random.overall.high - random.overall.low < 0.12
    assert random.states == {"replied": 400}
    share = Counter(question.answer[0] for question in text_bench.questions)
    for index, letter in ((0, "A"), (3, "D")):
        constant = scores_of(text_bench, tiny, f"baseline/constant-{letter}", tmp_path / letter)
        assert constant.overall.value == pytest.approx(share[index] / 400)
        assert constant.letters[letter] == 400
    shape = scores_of(text_bench, tiny, "baseline/option-shape", tmp_path / "shape")
    assert shape.overall.low < 0.25 < shape.overall.high
    again = scores_of(text_bench, tiny, "baseline/random", tmp_path / "again")
    assert again == random


def edit_ledger(out: Path, edit: Callable[[dict], dict | None]) -> None:
    """Rewrite every line of a ledger; None leaves it out."""
    path = out / "ledger.jsonl"
    header, lines = changed_lines(path)
    write_changed(path, header, [edited for line in lines if (edited := edit(line)) is not None])


def right_letters(bench: Benchmark, tiny: Family, placement: str) -> dict[str, str]:
    """The letter of the right option of each ask, by ask id."""
    plan = make_plan(bench, tiny, tiny.RunSettings(placement=placement), Selection(), Limits(looks=False))
    answer = {question.id: question.answer[0] for question in bench.questions}
    return {ask.id: "ABCD"[ask.placement.index(answer[ask.question])] for ask in plan.asks}


def replies_of(
    bench: Benchmark, tiny: Family, replies: dict[str, str], out: Path, placement: str = "rotate"
) -> tuple[Scores, Path]:
    """The scores of a run whose asks got these replies, by ask id."""
    out.parent.mkdir(parents=True, exist_ok=True)
    predictions = out.with_suffix(".jsonl")
    predictions.write_text("".join(json.dumps({"id": ask, "reply": reply}) + "\n" for ask, reply in replies.items()))
    import_replies(bench, tiny, predictions, out, tiny.RunSettings(placement=placement), None)
    return score_run(open_run(out)), out


@pytest.mark.parametrize("placement", ["rotate", "swap"])
def test_who_answers_by_position_scores_nothing_in_every_placement(
    bench: Benchmark, tiny: Family, tmp_path: Path, placement: str
) -> None:
    scores = scores_of(bench, tiny, "baseline/constant-B", tmp_path / "run", placement=placement)
    assert (scores.circular.value, scores.position.value) == (0.0, 0.25)
    assert {letter: one.value for letter, one in scores.positions.items()} == {"A": 0, "B": 1, "C": 0, "D": 0}
    assert {(one.items, one.clusters, one.chance) for one in scores.positions.values()} == {(24, 6, 0.25)}
    oracle, _ = replies_of(bench, tiny, right_letters(bench, tiny, placement), tmp_path / "right", placement)
    assert (oracle.circular.value, oracle.position.value, oracle.overall.value) == (1.0, 1.0, 1.0)


def test_positions_tell_where_the_right_option_stood(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    scores = scores_of(bench, tiny, "baseline/random", tmp_path / "run")
    right = right_by_hand(bench, tmp_path / "run")
    assert scores.circular is None and scores.position is None  # each was shown in one placement
    for index, letter in enumerate("ABCD"):
        expected = [right[question.id][0] for question in bench.questions if question.answer == (index,)]
        assert (scores.positions[letter].value, scores.positions[letter].items) == (pytest.approx(mean(expected)), 6)


def test_a_placement_without_an_answer_is_not_right(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    letters = right_letters(bench, tiny, "rotate")
    unanswered = {"clip-0-monday#rotate-2", "clip-1-monday", "clip-2-tuesday#rotate-1", "clip-2-tuesday#rotate-3"}
    given = {ask: letter for ask, letter in letters.items() if ask not in unanswered}
    missing, _ = replies_of(bench, tiny, given, tmp_path / "missing")
    assert (missing.circular.value, missing.circular.items) == (21 / 24, 24)
    assert (missing.position.value, missing.covered.value) == (92 / 96, 1.0)
    assert missing.overall.value == pytest.approx(23 / 24)  # of those without an answer one is the published order
    assert missing.states == {"replied": 92, "not_asked": 4}


def test_an_extension_that_was_interrupted_lowers_no_score(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    before = scores_of(bench, tiny, "baseline/random", out)
    finished = scores_of(bench, tiny, "baseline/random", out, placement="rotate")
    right = right_by_hand(bench, out)  # by question, the published placement first
    order = [f"{name}{suffix}" for name in right for suffix in ("", *(f"#rotate-{n}" for n in (1, 2, 3)))]
    lines = (out / "ledger.jsonl").read_text()
    advice = "the same `chronotope run` repeats only these asks"

    def stopped(kept: set[str]) -> Scores:
        (out / "ledger.jsonl").write_text(lines)
        edit_ledger(out, lambda line: line if line["ask"] in kept else None)
        return score_run(open_run(out))

    fresh = stopped(set(right))  # nothing of the extension was asked
    assert (fresh.overall, fresh.covered, fresh.tasks, fresh.tags) == (
        before.overall,
        before.covered,
        before.tasks,
        before.tags,
    )
    assert fresh.positions == before.positions and fresh.tables == before.tables
    assert (fresh.circular.value, fresh.circular.chance, fresh.circular.items) == (0.0, 0.25**4, 24)
    assert fresh.position.value == before.overall.value and fresh.position.items == 24
    assert fresh.notes == (f"not asked yet: 72 of 96 asks (75.0 %), left out; {advice}",)

    some = stopped({*right, *order[:50]})  # twelve questions in every placement, one in two
    kept = [4] * 12 + [2] + [1] * 11
    parts = [asks[:count] for count, asks in zip(kept, right.values(), strict=True)]
    assert some.overall == some.covered == before.overall == finished.overall
    every = [all(asks) and len(asks) == 4 for asks in parts]
    assert (some.circular.value, some.circular.items) == (pytest.approx(mean(every)), 24)
    assert some.position.value == pytest.approx(mean([right for asks in parts for right in asks]))
    assert some.position.items == sum(one.items for one in some.positions.values()) == 61

    first, second, *others = right
    none = stopped({ask for ask in order if not ask.startswith((first, f"{second}#"))})
    assert first not in {line.ask for line in open_run(out).lines}
    assert none.overall.value == pytest.approx(mean([right[name][0] for name in (second, *others)]))
    assert (none.overall.items, none.covered.items, none.planned) == (23, 23, 24)
    assert none.states == {"replied": 89, "not_asked": 7}
    assert none.notes == (f"not asked yet: 7 of 96 asks (7.3 %), left out; {advice}",)

    late = stopped({ask for ask in order if ask not in right})  # of the published order nothing: the next one counts
    assert late.overall.value == pytest.approx(mean([asks[1] for asks in right.values()]))
    (out / "ledger.jsonl").write_text(lines)
    assert score_run(open_run(out)) == finished


def test_further_placements_of_some_questions_leave_the_accuracy_as_it_was(
    bench: Benchmark, tiny: Family, tmp_path: Path
) -> None:
    before = scores_of(bench, tiny, "baseline/random", tmp_path / "run")
    settings = tiny.RunSettings(placement="rotate")
    run(bench, tiny, "baseline/random", Decoding(), settings, Selection(limit=10), tmp_path / "run")
    after = score_run(open_run(tmp_path / "run"))
    assert sum(after.states.values()) == 24 + 30  # ten of them in three orders more
    assert (after.overall, after.covered, after.tasks, after.tags, after.variants, after.strategies) == (
        before.overall,
        before.covered,
        before.tasks,
        before.tags,
        before.variants,
        before.strategies,
    )
    assert before.position is None and (after.circular.items, after.position.items) == (10, 40)
    right = right_by_hand(bench, tmp_path / "run")
    assert after.overall.value == pytest.approx(mean([asks[0] for asks in right.values()]))
    assert after.overall.value != pytest.approx(mean([mean(asks) for asks in right.values()]))


def test_a_run_that_was_stopped_tells_of_what_it_asked(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    """Not asked is not wrong: five right answers of 24 questions are no 21 %."""
    out, letters = tmp_path / "run", right_letters(bench, tiny, "published")
    scores_of(bench, tiny, "baseline/random", out)
    asked = list(letters)[:5]
    edit_ledger(out, lambda line: line | {"reply": letters[line["ask"]]} if line["ask"] in asked else None)
    scores = score_run(open_run(out))
    assert (scores.overall.value, scores.overall.items, scores.planned) == (1.0, 5, 24)
    assert scores.covered == scores.overall and set(scores.counted_questions) == set(asked)
    assert sum(one.items for one in scores.tasks.values()) == 5
    edit_ledger(out, lambda line: None)
    assert (score_run(open_run(out)).overall.value, score_run(open_run(out)).planned) == (0.0, 24)  # shown by nobody


def test_a_call_that_failed_is_no_ask_that_was_not_made(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    letters, out = right_letters(bench, tiny, "rotate"), tmp_path / "run"
    scores_of(bench, tiny, "baseline/random", out, placement="rotate")
    lost = {"clip-0-monday#rotate-2": "failed", "clip-1-monday": "refused"}

    def end(line: dict) -> dict:
        return line | {"reply": letters[line["ask"]], "state": lost.get(line["ask"], "replied")}

    edit_ledger(out, end)
    scores = score_run(open_run(out))
    assert scores.overall.value == pytest.approx(23 / 24)  # refused in its published order
    assert (scores.circular.value, scores.position.value, scores.covered.value) == (22 / 24, 94 / 96, 1.0)


def test_the_chance_of_every_placement_is_that_of_each_question(
    varied: Benchmark, tiny: Family, tmp_path: Path
) -> None:
    settings, selection = tiny.RunSettings(placement="rotate"), Selection(variants=("none_answer",))
    run(varied, tiny, "baseline/random", Decoding(), settings, selection, tmp_path / "run")
    assert score_run(open_run(tmp_path / "run")).circular.chance == 0.25**3  # "None of these" stays last
    run(varied, tiny, "baseline/random", Decoding(), settings, Selection(limit=10), tmp_path / "some")
    run(varied, tiny, "baseline/random", Decoding(), tiny.RunSettings(), Selection(), tmp_path / "some")
    scores = score_run(open_run(tmp_path / "some"))
    assert scores.overall.items == 24 and scores.circular.items < 24  # only those that were placed


def test_replies_cut_short_are_named_above_one_percent(text_bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    scores = scores_of(text_bench, tiny, "baseline/random", out)
    assert (scores.truncated_share, scores.notes) == (0.0, ())
    cut = [f"text-{number}" for number in range(5)]
    for count, named in ((4, False), (5, True)):
        text = {"reply": "Let me count the chairs, one by one: the", "finish": "length"}
        edit_ledger(out, lambda line, names=cut[:count], text=text: line | text if line["ask"] in names else line)
        found = score_run(open_run(out))
        assert found.truncated_share == count / 400
        assert found.readings == {"parsed": 400 - count, "unparsed": 0, "truncated": count, "missing": 0, "unjudged": 0}
        assert bool(found.notes) is named
    assert found.notes == (
        "cut short at max_tokens 100 before an answer: 5 of 400 replies (1.2 %), counted as wrong; run with a larger "
        "limit (--max-tokens N) into a new folder",
    )
    edit_ledger(out, lambda line: line | {"reply": "A. Because", "finish": "length"})
    assert score_run(open_run(out)).truncated_share == 0.0  # cut short after the answer


@pytest.mark.parametrize(
    ("decoding", "limit", "flag"),
    [
        ({"max_tokens": 300}, "at max_tokens 300", "--max-tokens N"),
        ({"extra": {"seed": 1}}, "at max_tokens 100", "--max-tokens N"),
        ({"extra": {"max_completion_tokens": 7}}, "at max_completion_tokens 7", "--set max_completion_tokens=N"),
        ({"max_tokens": 300, "extra": {"max_tokens": 9}}, "at max_tokens 9", "--set max_tokens=N"),
        ({"extra": {"max_tokens": None}}, "by the service", "--set max_tokens=N"),
    ],
)
def test_replies_cut_short_are_told_with_the_limit_that_was_sent(
    bench: Benchmark, tiny: Family, tmp_path: Path, decoding: dict, limit: str, flag: str
) -> None:
    drawn = Decoding.model_validate(decoding)
    run(bench, tiny, "baseline/random", drawn, tiny.RunSettings(), Selection(), tmp_path / "run", check=False)
    edit_ledger(tmp_path / "run", lambda line: line | {"reply": "Let me see", "finish": "length"})
    [note] = score_run(open_run(tmp_path / "run")).notes
    assert note == (
        f"cut short {limit} before an answer: 24 of 24 replies (100.0 %), counted as wrong; run with a larger limit "
        f"({flag}) into a new folder"
    )


def test_what_a_person_must_see_with_the_number(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    scores = scores_of(bench, tiny, "baseline/random", out)
    assert scores.notes == ()

    def end(line: dict) -> dict | None:
        state = {"clip-0-monday": "refused", "clip-1-monday": "failed", "clip-2-monday": "missing_media"}
        if line["ask"] in ("clip-3-monday", "clip-3-tuesday"):
            return None
        if line["ask"] == "clip-4-monday":
            return line | {"reply": "I would rather not say."}
        return line | ({"state": state[line["ask"]]} if line["ask"] in state else {})

    edit_ledger(out, end)
    advice = "counted as wrong; the same `chronotope run` repeats only these asks"
    assert score_run(open_run(out)).notes == (
        "without an answer: 1 of 19 replies (5.3 %), counted as wrong",
        f"refused by the service: 1 of 24 asks (4.2 %), {advice}",
        f"failed: 1 of 24 asks (4.2 %), {advice}",
        f"without their clip or picture: 1 of 24 asks (4.2 %), {advice}",
        "not asked yet: 2 of 24 asks (8.3 %), left out; the same `chronotope run` repeats only these asks",
    )
    run(bench, tiny, "baseline/random", Decoding(), tiny.RunSettings(), Selection(limit=4), tmp_path / "few")
    few = score_run(open_run(tmp_path / "few"))
    assert few.overall.low is None
    assert few.notes == (f"too few clips for an interval: {few.overall.clusters}, and at least 6 are needed",)


def test_a_run_outlives_the_clips_that_it_was_about(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    before = scores_of(bench, tiny, "baseline/random", tmp_path / "run")
    prompts = [open_run(tmp_path / "run").parts(one.ask) for one in open_run(tmp_path / "run").answered]
    shutil.rmtree(bench.folder / "clips")
    results = open_run(tmp_path / "run")
    assert score_run(results) == before
    assert [results.parts(one.ask) for one in results.answered] == prompts
    card = (bench.folder / "card.yaml").read_text()
    (bench.folder / "card.yaml").write_text(card.replace(bench.card.content_hash, "f" * 64))
    with pytest.raises(InputError, match="is not in"):
        open_run(tmp_path / "run")
    (bench.folder / "card.yaml").write_text(card)
    (bench.folder / "media.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"media\.parquet"):
        open_run(tmp_path / "run")


def test_a_better_reader_rescores_an_old_run_without_a_request(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, out = tmp_path / "server", tmp_path / "run"
    place.mkdir()
    with ServiceProcess(Path(__file__).parent / "support" / "answering_server.py", place) as server:
        old = scores_of(bench, tiny, "endpoint/x", out, server.url)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    replies = {line.ask: line.reply for line in open_run(out).lines}

    def read(self: object, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        assert reply == replies[ask.id]
        return Reading(frozenset({ask.placement["DCBA".index(reply)]}), "from behind")

    monkeypatch.setattr(type(tiny.protocol), "read", read)
    new = score_run(open_run(out))
    answer = {question.id: question.answer[0] for question in bench.questions}
    expected = mean(["DCBA".index(reply) == answer[ask] for ask, reply in replies.items()])
    assert new.overall.value == pytest.approx(expected) != old.overall.value
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
