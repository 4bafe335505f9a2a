"""Probes in a report: what is seen, kept and used for each task, beside the published rows."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from report_bench import TASKS, questions
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.families import family
from chronotope.models import Decoding, FunctionModel
from chronotope.probe.folder import FigureFile, LayerEntry, ProbeManifest, read_manifest, store_manifest
from chronotope.question import Benchmark, Question
from chronotope.report import write_report
from drawn_benchmarks import write_benchmark

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>drawn {}</text></svg>'


def measure(task: str, level: str, name: str, value: float, chance: float | None) -> dict[str, Any]:
    limits = {"low": value - 0.1, "high": value + 0.1, "chance": chance, "items": 40, "clusters": 7}
    limits |= {"null_low": None, "null_high": None, "note": "same to different things 1 : 1.5"}
    return {"task": task, "roles": "diagram and video", "level": level, "measure": name, "value": value} | limits


def mean(task: str, condition: str, value: float, **at: Any) -> dict[str, Any]:
    about = {"questions": 12, "clusters": 4, "low": None, "high": None, "chance": 0.25}
    return {"task": task, "condition": condition, "mean": value} | about | at


def change(task: str, first: float, difference: float, **at: Any) -> dict[str, Any]:
    about = {"from": "strategy=visual", "to": "strategy=visual_text", "items": 12, "clusters": 4}
    return {"task": task, "first": first, "difference": difference} | about | at


def tables() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Values that are easy to recognise on the page."""
    pairs = "probe balanced accuracy (1:4)"
    return {
        "representation": {
            "measures": [
                measure("all", "vision", "CKA", 0.3214, 0.2),
                measure("all", "projector", "probe accuracy (1:4), the paper's split", 0.777, 0.8),
                measure("all", "projector", pairs, 0.613, 0.5) | {"null_low": 0.471, "null_high": 0.549},
                measure("T2", "projector", pairs, 0.587, 0.5),
                measure("all", "projector", "R@1", 0.031, 0.009),
            ]
        },
        "hidden": {
            "means": [
                mean("all", "strategy=visual", 0.11, depth=1, modality="diagram"),
                mean("all", "strategy=visual", 0.22, depth=2, modality="diagram"),
                mean("all", "strategy=visual", 0.99, depth=2, modality="text"),
                mean("all", "strategy=visual_text", 0.33, depth=2, modality="diagram"),
            ],
            "changes": [change("all", 0.5, 0.45, depth=2, modality="diagram")],
            "published-changes": [
                change("all", 0.5, 0.5, depth=1, modality="diagram"),
                change("all", 0.5, -0.21, depth=2, modality="diagram"),
                change("T2", 0.5, -0.21, depth=2, modality="diagram"),
            ],
        },
        "attention": {
            "means": [
                mean("all", "strategy=visual", 0.084, layer=-1, name="diagram"),
                mean("all", "strategy=visual", 0.5, layer=0, name="diagram"),
                mean("T2", "strategy=visual", 0.091, layer=-1, name="video"),
            ],
            "changes": [change("all", 0.084, 0.084, layer=-1, name="diagram")],
            "published-means": [
                mean("all", "strategy=visual", 0.111, layer=-1, name="diagram"),
                mean("T1", "strategy=visual", 0.161, layer=-1, name="diagram"),
                mean("T1", "strategy=visual", 0.2, layer=0, name="diagram"),
            ],
            "published-changes": [
                change("all", 0.111, 0.111, layer=-1, name="diagram"),
                change("T1", 0.161, -0.0161, layer=-1, name="diagram"),
            ],
        },
    }


def attended(question: str, task: str, cluster: str, condition: str, share: float) -> list[dict[str, Any]]:
    """The rows of one prompt as the layer of attention stores them: two layers, each with a head and the mean."""
    about = {"unit": f"{condition} {question}", "question": question, "task": task, "cluster": cluster}
    about |= {"condition": condition, "strategy": "direct", "tokens": 30, "tokens_in_prompt": 100, "correct": None}
    return [
        about | {"layer": layer, "kind": kind, "name": name, "head": head, "share": share + (layer - 1) * 0.01 + more}
        for layer in (0, 2)
        for head, more in ((-1, 0.0), (0, 0.4))
        for kind, name in (("modality", "video"), ("published", "diagram"))
    ]


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """The folder of a probe with three layers, and one that was interrupted."""
    folder = tmp_path / "probe"
    (folder / "figures").mkdir(parents=True)
    layers = {"lens": LayerEntry()}
    for layer, of in tables().items():
        for name, rows in of.items():
            pq.write_table(pa.Table.from_pylist(rows), folder / f"{layer}-{name}.parquet")
        (folder / "figures" / f"{layer}.svg").write_text(SVG.format(layer))
        drawn = FigureFile(path=f"figures/{layer}.svg", title=f"The figure of {layer}", words="Its caption.")
        paths = {name: f"{layer}-{name}.parquet" for name in of}
        layers[layer] = LayerEntry(units=2, complete=True, tables=paths, figures=[drawn])
    about = {"benchmark": "chairs", "path": "bench", "content_hash": "c" * 64, "family": "ikea"}
    weights = {"dtype": "float32"}
    pq.write_table(
        pa.Table.from_pylist(attended("no question", "T1", "p", "as asked", 0.1)), folder / "attention.parquet"
    )
    store_manifest(folder, ProbeManifest(**about, model="transformers/tiny", weights=weights, layers=layers))
    return folder


def lines(page: str, label: str) -> list[list[str]]:
    """The texts of the cells of a table, row by row."""
    [table] = re.findall(rf'aria-label="{re.escape(label)}".*?</table>', page, re.DOTALL)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def test_a_page_shows_what_is_seen_kept_and_used(probe: Path, tmp_path: Path) -> None:
    page = write_report([], tmp_path / "report", probes=[probe]).index.read_text()
    head, everything, t2 = lines(page, "Sees it, keeps it, uses it: transformers/tiny")
    assert [one.split(" it ")[0] for one in head] == ["task", "Sees", "Keeps", "Uses"]
    assert everything == [
        "all", "projector 61.3 % 51.3 to 71.3 chance 50.0 %, with permuted labels 47.1 to 54.9 %", "diagram 0.22",
        "diagram 8.4 % chance 25.0 %",
    ]  # fmt: skip
    assert t2 == ["T2", "projector 58.7 % 48.7 to 68.7 chance 50.0 %", "–", "video 9.1 % chance 25.0 %"]
    for layer in tables():
        assert SVG.format(layer) in page and f"The figure of {layer}" in page
    assert "Not finished: lens." in page
    # What a high value means, its chance, and from how many products; too few products come before the numbers.
    assert "Same to different things 1 : 1.5. From 40 pairs or pictures of 7 products." in page
    assert "Chance is the share of these tokens in the prompt" in page and "From 12 questions of 4 products." in page
    warned = page.index("Layer hidden is from only 4 products. With fewer than 6 there are no intervals")
    assert warned < page.index("61.3 %") and "Layer representation is from only" not in page
    assert "questions.js" not in page and 'id="browser"' not in page  # without runs there are no questions


def test_published_rows_stand_above_the_probe(probe: Path, tmp_path: Path) -> None:
    """The published values are those of the specification, typed again."""
    page = write_report([], tmp_path / "report", probes=[probe]).index.read_text()
    table = lines(page, "Table 6 beside the probe of transformers/tiny")
    assert table[2] == ["Qwen3-VL-8B", "0.001", "0.235", "68.7", "66.8", "1.8", "8.0"]
    assert table[-2:] == [
        ["transformers/ tiny", "0.321", "–", "–", "77.7", "3.1", "–"],
        ["transformers/ tiny: chance", "0.200", "–", "–", "80.0", "0.9", "–"],
    ]
    assert "always answering no is correct in 80 %" in page
    figure5 = lines(page, "Figure 5 beside the probe of transformers/tiny")
    assert ["Qwen3-VL-8B", "-59"] in figure5 and figure5[-1][1] == "-42"  # 100 * -0.21 / 0.5, at the deepest state
    assert "The rows of this probe are of T2, and not of T1: measure it with --task T1 --limit 100." in page
    figure6 = lines(page, "Figure 6 beside the probe of transformers/tiny")
    assert figure6[1] == ["Visual", "8.1", "5.0"]
    assert [row[1] for row in figure6[-2:]] == ["16.1", "-10.0"]  # of T1, with the authors' tokens
    assert (
        "The rows of this probe are of T1, as in the paper." in page and "They have 12 questions of 4 products." in page
    )


def test_a_probe_of_an_older_version_is_a_sentence(probe: Path, tmp_path: Path) -> None:
    store_manifest(probe, read_manifest(probe).model_copy(update={"schema_version": 1}))
    with pytest.raises(InputError, match=r"older version, which counted tokens otherwise: run chronotope probe again"):
        write_report([], tmp_path / "report", probes=[probe])


def test_the_command_takes_probes_in(probe: Path, tmp_path: Path) -> None:
    made = CliRunner().invoke(app, ["report", str(probe), "--out", str(tmp_path / "report"), "--json"])
    assert made.exit_code == 0, made.output
    [told] = json.loads(made.stdout)["probes"]
    assert told["model"] == "transformers/tiny" and told["unfinished"] == ["lens"]
    assert [one["title"] for one in told["columns"]] == ["Sees it", "Keeps it", "Uses it"]
    assert told["columns"][1]["tasks"]["all"][0]["value"] == 0.22


def test_a_damaged_probe_is_a_sentence(probe: Path, tmp_path: Path) -> None:
    (probe / "figures" / "hidden.svg").write_text("<script>alert(1)</script>")
    with pytest.raises(InputError, match=r"hidden.svg: expected a figure of this probe: run chronotope probe again"):
        write_report([], tmp_path / "report", probes=[probe])
    assert not (tmp_path / "report").exists()
    (probe / "hidden-means.parquet").unlink()
    with pytest.raises(InputError, match=r"hidden-means.parquet.*run chronotope probe again"):
        write_report([], tmp_path / "report", probes=[probe])


def test_the_accuracy_of_the_same_model_stands_beside_its_probe(probe: Path, tmp_path: Path) -> None:
    bench = write_benchmark(tmp_path / "bench", questions())
    sti = family("sti")
    folders = []
    for name, letter in (("function/first", "A"), ("function/second", "B")):
        model = FunctionModel(lambda _, letter=letter: letter, name, version="1")
        out = tmp_path / name.partition("/")[2]
        folders.append(run(bench, sti, model, Decoding(), sti.RunSettings(), Selection(), out).folder)
    of = {"model": "function/first", "content_hash": bench.card.content_hash, "family": "sti"}
    store_manifest(probe, read_manifest(probe).model_copy(update=of))
    report = write_report(folders, tmp_path / "report", probes=[probe])
    column = report.probes[0].columns[-1]
    assert column.title == "Answers it"
    [value] = column.cells["all"]  # of the run of the other model there is nothing
    [first] = [scores for name, scores in report.scores.items() if "first" in name]
    assert value.value == first.overall.value
    page = report.index.read_text()
    assert 'id="browser"' in page and 'href="#probe-1"' in page
    assert not report.probes[0].published  # the family has no table of layers


def asked_of(tmp_path: Path, said: dict[str, Callable[[Question], str]]) -> tuple[Benchmark, list[Path]]:
    """Runs of models that reply as ``said``, on a benchmark of 7 clips with 4 questions each; C is correct."""
    bench, sti = write_benchmark(tmp_path / "bench", questions()), family("sti")
    folders = []
    for name, reply in said.items():
        by_stem = {question.stem: reply(question) for question in bench.questions}

        def answer(asked: Any, by_stem: dict[str, str] = by_stem) -> str:
            [letter] = {letter for stem, letter in by_stem.items() if stem in asked.text}
            return letter

        model = FunctionModel(answer, name, version="1")
        out = tmp_path / name.replace("/", "-")
        folders.append(run(bench, sti, model, Decoding(), sti.RunSettings(), Selection(), out).folder)
    return bench, folders


def day(question: Question) -> str:
    return question.stem.split("on a ")[1].split("?")[0]


def attend(probe: Path, bench: Benchmark, model: str, share: Callable[[Question], float]) -> None:
    rows = [row for one in bench.questions for row in attended(one.id, one.task, one.cluster, "as asked", share(one))]
    pq.write_table(pa.Table.from_pylist(rows), probe / "attention.parquet")
    of = {"model": model, "content_hash": bench.card.content_hash, "family": "sti"}
    store_manifest(probe, read_manifest(probe).model_copy(update=of))


def test_attention_with_correct_answers_stands_beside_that_with_wrong_ones(probe: Path, tmp_path: Path) -> None:
    """Three models: only questions that one or two of them answer correctly are of medium difficulty."""

    def own(question: Question) -> str:  # correct on Mondays and, in clips with an even number, on Tuesdays
        even = int(question.cluster[-1]) % 2 == 0
        return "C" if day(question) == "Monday" or (day(question) == "Tuesday" and even) else "A"

    bench, folders = asked_of(
        tmp_path,
        {
            "function/own": own,
            "function/mondays": lambda one: "C" if day(one) in ("Monday", "Tuesday") else "B",
            "function/others": lambda one: "C" if day(one) == "Monday" else "B",
        },
    )
    # Mondays are solved by all, Wednesdays and Thursdays by none: only Tuesdays count, and other shares have no effect.
    attend(probe, bench, "function/own", lambda one: {"C": 0.30, "A": 0.20}[own(one)] if day(one) == "Tuesday" else 0.9)
    report = write_report(folders, tmp_path / "report", probes=[probe])
    answers = report.probes[0].answers
    assert answers is not None and [(row.task, row.name) for row in answers.rows] == [
        ("all", "video"), (TASKS[1], "video")
    ]  # fmt: skip
    shares = answers.rows[0].shares
    assert (shares.right, shares.wrong) == pytest.approx((0.30, 0.20)) and answers.rows[0].even == 0
    assert (shares.rights, shares.wrongs, shares.clusters) == (4, 3, 7) and shares.low == pytest.approx(0.1)
    page = report.index.read_text(encoding="utf-8")
    [head, every, _] = lines(page, "Attention with correct and wrong answers: function/own")
    assert head[3:6] == ["right (%)", "wrong (%)", "right minus wrong (points)"]
    assert every == ["all", "as asked", "video", "30.0", "20.0", "+10.0 +10.0 to +10.0", "0.0", "4 + 3", "7"]
    assert "Chance is 0, or the difference that the lengths of the prompts explain" in page
    assert "which 5/17 to 12/17 of the 3 models of this report answer correctly (the authors: 5 to 12 of 17)" in page
    assert "From 4 correct and 3 wrong answers about 7 clips, which are from" in page


def test_without_other_models_all_difficulties_are_compared(probe: Path, tmp_path: Path) -> None:
    bench, folders = asked_of(tmp_path, {"function/own": lambda one: "C" if day(one) == "Monday" else "A"})
    attend(probe, bench, "function/own", lambda one: 0.2 if day(one) == "Monday" else 0.5)
    answers = write_report(folders, tmp_path / "report", probes=[probe]).probes[0].answers
    assert answers is not None and "this report has only 1 model that can be counted:" in answers.words
    # Only Mondays are answered correctly, so the other task has nothing to compare.
    assert [row.task for row in answers.rows] == ["all", TASKS[0]]
    assert answers.rows[0].shares.difference == pytest.approx(-0.3)
    attend(probe, bench, "transformers/own", lambda _: 0.2)  # the same name at another provider: the same weights
    assert write_report(folders, tmp_path / "again", probes=[probe]).probes[0].answers.rows


def test_a_run_of_another_model_or_with_other_prompts_says_nothing(probe: Path, tmp_path: Path) -> None:
    bench, folders = asked_of(tmp_path, {"function/own": lambda _: "C"})
    attend(probe, bench, "transformers/another", lambda _: 0.2)
    part = write_report(folders, tmp_path / "report", probes=[probe]).probes[0].answers
    assert part is not None and not part.rows
    assert "(chronotope run --model transformers/another), and name the run in the report" in part.words
    attend(probe, bench, "function/own", lambda _: 0.2)
    manifest = read_manifest(probe)
    entry = manifest.layers["attention"].model_copy(update={"settings": {"condition": ["frames=3"]}})
    store_manifest(probe, manifest.model_copy(update={"layers": {**manifest.layers, "attention": entry}}))
    part = write_report(folders, tmp_path / "again", probes=[probe]).probes[0].answers
    assert part is not None and not part.rows and "needs the answers of this model" in part.words
    assert write_report([], tmp_path / "alone", probes=[probe]).probes[0].answers is None


def test_a_page_shows_pairs_of_depictions_and_their_differences(probe: Path, tmp_path: Path) -> None:
    """Of three pairs, the published table has that of the paper, whatever the order of the rows."""
    rows = [
        measure("all", level, name, value + 0.01 * at, 0.0) | {"roles": roles}
        for at, (roles, value) in enumerate(
            {"diagram and photo": 0.1, "diagram and video": 0.2, "photo and video": 0.6}.items()
        )
        for level in ("vision", "projector")
        for name in ("CKA", "unbiased CKA", "R@1 in its cluster")
    ]
    rows.append(measure("all", "vision", "probe accuracy (1:4), the paper's split", 0.777, 0.8) | {"roles": "video"})
    paired = {"task": "all", "level": "vision", "measure": "unbiased CKA", "from": "diagram and video"}
    paired |= {"to": "photo and video", "first": 0.21, "second": 0.62, "difference": 0.41, "low": 0.3, "high": 0.5}
    manifest = read_manifest(probe)
    entry = manifest.layers["representation"]
    entry = entry.model_copy(update={"tables": {"measures": "more.parquet", "pairs": "pairs.parquet"}})
    for name, of in (("more", rows), ("pairs", [paired | {"items": 40, "clusters": 7}])):
        pq.write_table(pa.Table.from_pylist(of), probe / f"{name}.parquet")
    store_manifest(probe, manifest.model_copy(update={"layers": manifest.layers | {"representation": entry}}))
    report = write_report([], tmp_path / "report", probes=[probe])
    page = report.index.read_text()
    agreement = lines(page, "Agreement of depictions: transformers/tiny")
    assert len(agreement) == 7 and agreement[3] == [
        "diagram and video", "vision", "0.21 0.11 to 0.31 chance 0.00", "21.0 % 11.0 to 31.0 chance 0.0 %", "\u2013",
    ]  # fmt: skip
    differences = lines(page, "Differences: transformers/tiny")
    assert differences[1] == [
        "representation", "unbiased CKA, vision", "diagram and video", "photo and video", "0.21", "0.62",
        "0.41 0.30 to 0.50", "40 of 7 products",
    ]  # fmt: skip
    assert differences[3][:2] == ["attention", "attention to diagram"] and differences[3][6] == "8.4 points"
    [part] = report.probes
    [table] = [one for one in part.published if "CKA, ViT" in one.columns]
    at = dict(zip(table.columns, table.own[0][1], strict=True))
    assert (at["CKA, ViT"], at["probe, ViT (%)"]) == ("0.210", "77.7")
