import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, default_run_folder, make_manifest, make_plan, read_manifest
from chronotope.evaluate.run import Outcome, run
from chronotope.evaluate.score import open_run, score_run
from chronotope.evaluate.score.check_outcome import read_outcome
from chronotope.families import Family
from chronotope.models import Decoding, Limits
from chronotope.question import Benchmark, open_benchmark


def ask(bench: Benchmark, tiny: Family, out: Path | None, **changed: object) -> Outcome:
    settings = {name: changed[name] for name in ("placement", "input", "frames", "polite") if name in changed}
    decoding = Decoding(temperature=changed.get("temperature", 0.0), max_tokens=changed.get("max_tokens", 100))
    model = changed.get("model", "baseline/random")
    return run(bench, tiny, model, decoding, tiny.RunSettings(**settings), changed.get("selection", Selection()), out)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"model": "baseline/constant-A"}, 'model is "baseline/random" there and "baseline/constant-A" here'),
        ({"temperature": 0.5}, "decoding.temperature is 0.0 there and 0.5 here"),
        ({"polite": True}, "protocol.settings.polite is false there and true here"),
        ({"frames": 3}, "protocol.settings.frames is null there and 3 here"),
        ({"input": "blind"}, 'protocol.settings.input is "full" there and "blind" here'),
        ({"max_tokens": 5, "polite": True}, "decoding.max_tokens is 100 there and 5 here; protocol.settings.polite"),
    ],
)
def test_another_identity_is_refused_by_name(
    bench: Benchmark, tiny: Family, tmp_path: Path, changed: dict, words: str
) -> None:
    folder = tmp_path / "run"
    ask(bench, tiny, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError, match=words):
        ask(bench, tiny, folder, **changed)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_another_benchmark_is_refused(bench: Benchmark, varied: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, tmp_path / "run")
    with pytest.raises(InputError, match="benchmark is"):
        ask(varied, tiny, tmp_path / "run")


def test_more_of_the_same_extends(varied: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = ask(varied, tiny, out, selection=Selection(tasks=("count",), variants=("base",)))
    assert (first.asked, first.already) == (12, 0)
    tasks = ask(varied, tiny, out, selection=Selection(variants=("base",)))
    assert (tasks.asked, tasks.already) == (12, 12)
    variants = ask(varied, tiny, out)
    assert (variants.asked, variants.already) == (24, 24)
    placements = ask(varied, tiny, out, placement="rotate")
    # Four rotations of each base, three of each variant, whose "None of these" stays last.
    assert (placements.asked, placements.already) == (3 * 24 + 2 * 24, 48)
    assert len(open_run(out).answered) == 4 * 24 + 3 * 24
    again = ask(varied, tiny, out)
    assert (again.asked, again.states) == (0, {"replied": 48})


def test_the_default_folder_is_found_again(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = ask(bench, tiny, None)
    plan = make_plan(bench, tiny, tiny.RunSettings(placement="swap"), Selection(limit=3), Limits(looks=False))
    card = make_manifest(plan, "baseline/random", Decoding())
    assert outcome.folder == default_run_folder(card)
    assert outcome.folder.name == f"tiny-bench-baseline-random-{card.identity[:8]}"
    assert ask(bench, tiny, None).asked == 0
    assert ask(bench, tiny, None, temperature=1.0).folder != outcome.folder


def test_the_card_keeps_what_answers_depend_on_and_versions(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, tmp_path / "run", frames=3)
    values = yaml.safe_load((tmp_path / "run" / "run.yaml").read_text())
    assert values["schema_version"] == 2
    assert values["benchmark"]["content_hash"] == bench.card.content_hash
    assert values["protocol"] == {
        "name": "tiny",
        "version": 1,
        "settings": {"input": "full", "clips": "frames", "frames": 3, "polite": False},
    }
    assert values["layout"] == "published"
    assert values["frames"] == ["3 frames, midpoints"]
    assert set(values["versions"][0]) >= {"chronotope", "python", "av", "numpy", "httpx"}
    values["versions"][0]["av"] = "9.0"
    (tmp_path / "run" / "run.yaml").write_text(yaml.safe_dump(values))
    ask(bench, tiny, tmp_path / "run", frames=3)
    assert len(read_manifest(tmp_path / "run").versions) == 2


def test_a_folder_that_is_no_run_is_left_alone(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="do not belong to a run"):
        ask(bench, tiny, bench.folder)
    assert {path.name for path in bench.folder.iterdir()} == {
        "card.yaml",
        "clips",
        "media.parquet",
        "questions.parquet",
    }
    with pytest.raises(InputError, match="is not a run"):
        open_run(bench.folder)
    with pytest.raises(InputError, match="is not a run"):
        open_run(tmp_path / "nowhere")


def test_newer_and_broken_cards_are_sentences(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, tmp_path / "run")
    path = tmp_path / "run" / "run.yaml"
    text = path.read_text()
    path.write_text(text.replace("schema_version: 2", "schema_version: 7"))
    with pytest.raises(InputError, match=r"schema version 7.*update chronotope"):
        open_run(tmp_path / "run")
    path.write_text(text.replace("family: tiny", "famly: tiny"))
    with pytest.raises(InputError, match=r"run\.yaml: field family"):
        open_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("check", {"pictures": "many"}, r"the outcome of the check \(.*\) cannot be read: restore the file"),
        ("protocol", {"name": "tiny", "version": 1, "settings": {"frames": "x"}}, "its settings of tiny cannot"),
        ("benchmark", {"path": 7}, "field benchmark"),
        ("versions", [{"a": {"b": 1}}], "field versions"),
    ],
)
def test_a_card_from_a_stranger_is_a_sentence(
    bench: Benchmark, tiny: Family, tmp_path: Path, name: str, value: object, told: str
) -> None:
    ask(bench, tiny, tmp_path / "run", selection=Selection(limit=2))
    card = tmp_path / "run" / "run.yaml"
    card.write_text(json.dumps(yaml.safe_load(card.read_text()) | {name: value}))
    with pytest.raises(InputError, match=told):
        card_check = read_manifest(tmp_path / "run").check
        if name == "check":
            read_outcome(card_check)
        assert open_run(tmp_path / "run").settings


def test_options_that_a_question_lacks_are_a_sentence(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, tmp_path / "run", selection=Selection(limit=2))
    table = pq.read_table(tmp_path / "run" / "asks.parquet")
    odd = pa.array([[0, 1, 2, 9]] * len(table), table.schema.field("placement").type)
    pq.write_table(
        table.set_column(table.schema.get_field_index("placement"), table.schema.field("placement"), odd),
        tmp_path / "run" / "asks.parquet",
    )
    with pytest.raises(InputError, match="shows options that its question does not have"):
        open_run(tmp_path / "run")


def test_run_and_benchmark_may_move_together_but_not_change(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, tmp_path / "run")
    before = score_run(open_run(tmp_path / "run"))
    elsewhere = tmp_path / "else" / "where"
    elsewhere.mkdir(parents=True)
    shutil.move(bench.folder, elsewhere / "bench")
    with pytest.raises(InputError, match="benchmark 'Tiny bench' of this run is not at"):
        open_run(tmp_path / "run")
    shutil.move(tmp_path / "run", elsewhere / "run")
    results = open_run(elsewhere / "run")
    assert results.benchmark.folder == elsewhere / "bench"
    assert score_run(results) == before
    moved = open_benchmark(elsewhere / "bench")
    assert ask(moved, tiny, elsewhere / "run").asked == 0
    assert read_manifest(elsewhere / "run").benchmark.path == str(elsewhere / "bench")


def test_a_changed_benchmark_is_not_scored(bench: Benchmark, varied: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, tmp_path / "run")
    shutil.rmtree(bench.folder)
    shutil.copytree(varied.folder, bench.folder)
    with pytest.raises(InputError, match="has changed since"):
        open_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({}, {"temperature": None}, "decoding.extra.temperature is not set there and null here"),
        ({"seed": 1}, {"seed": True}, "decoding.extra.seed is 1 there and true here"),
        ({}, {"response_format": {}}, "decoding.extra.response_format is not set there and {} here"),
        ({"a.b": 1}, {"a": {"b": 1}}, "decoding.extra.a is not set there"),
    ],
)
def test_every_field_of_the_body_is_part_of_the_identity(
    bench: Benchmark, tiny: Family, tmp_path: Path, first: dict, second: dict, words: str
) -> None:
    def go(extra: dict) -> None:
        decoding = Decoding(extra=extra)
        run(bench, tiny, "baseline/random", decoding, tiny.RunSettings(), Selection(limit=3), tmp_path / "run")

    go(first)
    with pytest.raises(InputError, match=words):
        go(second)
    go(first)
