"""Every layer through the command, for tiny random models of the real classes, and over the roles of other families."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import chronotope
from chronotope.cli.app import app
from chronotope.media import encode_clip
from chronotope.question import CardDraft, MediaItem, Option, Question, measure_media, write_benchmark_tables

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

TYPES = ("qwen2_5_vl", "qwen3_vl", "internvl", "llava_onevision", "qwen3_5")
HYBRID = "qwen3_5"  # most of its layers have linear attention
LAYERS = ("representation", "hidden", "attention")


@pytest.fixture(scope="module")
def bench(drawn_manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "bench"
    chronotope.build("ikea", drawn_manuals, folder)
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    from tiny_models import save_tiny

    def save(model_type: str) -> str:
        folder = tmp_path_factory.mktemp("tiny") / model_type
        return f"transformers/{save_tiny(model_type, folder, max_position_embeddings=32768)}"

    return save


def invoke(*words: Any) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("model_type", TYPES)
def test_every_layer_and_the_report(model_type: str, bench: Path, saved: Callable[[str], str], tmp_path: Path) -> None:
    model, out = saved(model_type), tmp_path / "probe"
    for layer in LAYERS:
        made = invoke(
            "probe", bench, "--model", model, "--layer", layer, "--task", "T1", "--limit", 3, "--out", out, "--json"
        )
        assert made.exit_code == 0, (layer, made.output)
        told = json.loads(made.stdout)
        assert told["measured"] > 0 and told["kept"] == 0
        values = [row.get("mean", row.get("value")) for row in next(iter(told["tables"].values()))]
        assert values and np.isfinite(values).all()
        for figure in told["figures"]:
            assert Path(figure).read_text().startswith("<svg")
        if layer == "attention":  # the shares of a prompt cover it: their means sum to 1 at every layer
            means = [row for row in told["tables"]["means"] if row["task"] == "all"]
            at = {row["layer"] for row in means}
            for number in at:
                assert sum(row["mean"] for row in means if row["layer"] == number) == pytest.approx(1, abs=1e-4)
            assert at == ({-1, 3} if model_type == HYBRID else {-1, 0, 1, 2, 3}), at
    written = invoke("report", out, "--out", tmp_path / "report", "--json")
    assert written.exit_code == 0, written.output
    [told] = json.loads(written.stdout)["probes"]
    assert [column["title"] for column in told["columns"]] == ["Sees it", "Keeps it", "Uses it"]
    assert {"T1", "all"} == set(told["columns"][2]["tasks"])


def homes(folder: Path, count: int = 4, same: bool = False) -> Path:
    """Write a benchmark of M3-Verse: pairs of clips of noise, which are equal if ``same``."""
    frames = 8
    (folder / "clips").mkdir(parents=True)
    items: list[Question] = []
    for home in range(count):
        paths = (f"clips/{home}-0.mp4", f"clips/{home}-1.mp4")
        for state, path in enumerate(paths):
            generator = np.random.default_rng([home, 0 if same else state])
            blocks = generator.integers(0, 256, (6, 8, 3), dtype=np.uint8)
            encode_clip([np.kron(blocks, np.ones((14, 14, 1), np.uint8))] * frames, folder / path, 10)
        media = (
            MediaItem("before", "video", (paths[0],), "This is the first video:"),
            MediaItem("after", "video", (paths[1],), "This is the second video:"),
        )
        options = tuple(map(Option, ("Kitchen", "Bedroom", "Bathroom")))
        made = Question(f"q{home}", "m3", "scene_info", f"home {home}", "What type of room is it?", options, (0,))
        items.append(replace(made, media=media))
    draft = CardDraft(name="homes", family="m3", profile="strict", licence="CC-BY-4.0")
    media_files = sorted(path for item in items for of in item.media for path in of.paths)
    write_benchmark_tables(folder, draft, items, measure_media(folder, media_files))
    return folder


def probe_homes(folder: Path, model: str, layer: str, out: Path, *more: Any) -> Any:
    made = invoke("probe", folder, "--model", model, "--layer", layer, "--out", out, "--json", *more)
    assert made.exit_code == 0, made.output
    return json.loads(made.stdout)


def test_two_videos_are_two_roles(saved: Callable[[str], str], tmp_path: Path) -> None:
    model, folder = saved("qwen2_5_vl"), homes(tmp_path / "homes")
    frames = ("--condition", "frames=2,size=native")
    for layer, column in (("hidden", "modality"), ("attention", "name")):
        told = probe_homes(folder, model, layer, tmp_path / "probe", *frames)
        names = {row[column] for row in told["tables"]["means"]}
        assert {"before", "after", "text", "template"} <= names, names


@pytest.mark.parametrize("same", [True, False])
def test_equal_clips_are_found_and_different_ones_are_not(
    same: bool, saved: Callable[[str], str], tmp_path: Path
) -> None:
    """Two equal videos of each home give equal vectors, so that everything is at its best value by construction."""
    folder = homes(tmp_path / "homes", count=12, same=same)
    frames = ("--condition", "frames=2,size=native")
    told = probe_homes(
        folder, saved("qwen2_5_vl"), "representation", tmp_path / "probe", "--roles", "before,after", *frames
    )
    found = {(row["level"], row["measure"]): row for row in told["tables"]["measures"]}
    for level in ("vision", "projector"):
        cka, recall = found[level, "CKA"], found[level, "R@1"]
        assert cka["items"] == 12 and recall["chance"] < 0.2
        if same:
            assert cka["value"] == pytest.approx(1, abs=1e-6) and recall["value"] == 1
        else:
            assert cka["value"] < 0.999 and recall["value"] < 1


def test_roles_that_do_not_exist_are_a_sentence(saved: Callable[[str], str], tmp_path: Path) -> None:
    folder = homes(tmp_path / "homes", count=2)
    made = invoke(
        "probe", folder, "--model", saved("qwen2_5_vl"), "--layer", "representation", "--roles", "before,diagram",
        "--out", tmp_path / "probe",
    )  # fmt: skip
    assert made.exit_code != 0 and "no question shows 'diagram'; expected two of before, after" in " ".join(
        made.output.split()
    )


def test_what_cannot_be_probed_is_a_sentence(bench: Path, saved: Callable[[str], str], tmp_path: Path) -> None:
    model, out = saved("qwen2_5_vl"), tmp_path / "probe"
    for words, said in (
        ((bench, "--model", model, "--layer", "deep"), "--layer deep: expected one of representation, hidden"),
        ((bench, "--model", "baseline/random", "--layer", "hidden"), "layers of a model behind a service cannot be"),
        ((tmp_path, "--model", model, "--layer", "hidden"), str(tmp_path)),
        ((bench, "--model", "transformers/none-here", "--layer", "hidden"), "none-here"),
    ):
        made = invoke("probe", *words, "--out", out)
        shown = " ".join(made.output.split())
        assert made.exit_code != 0 and said in shown and "Traceback" not in shown, (words, shown)
        assert not out.exists()


def test_a_prompt_that_does_not_fit_into_memory_is_a_sentence(
    bench: Path, saved: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chronotope.probe.layers import hidden

    run, ran = hidden.run_captured, []

    def full(*given: Any) -> Any:
        ran.append(given)
        if len(ran) == 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 14.47 GiB.")
        return run(*given)

    monkeypatch.setattr(hidden, "run_captured", full)
    words = ("probe", bench, "--model", saved("qwen2_5_vl"), "--layer", "hidden", "--limit", 3)
    made = invoke(*words, "--out", tmp_path / "probe")
    shown = " ".join(made.output.split())
    assert made.exit_code != 0 and "Traceback" not in shown, shown
    assert "--layer hidden: the memory of" in shown and "what is measured is kept: show fewer frames" in shown
    again = invoke(*words, "--out", tmp_path / "probe", "--json")
    assert again.exit_code == 0, again.output
    told = json.loads(again.stdout)
    assert (told["kept"], told["measured"]) == (1, 2)


def test_another_benchmark_or_model_needs_another_folder(
    bench: Path, saved: Callable[[str], str], tmp_path: Path
) -> None:
    model, out = saved("qwen2_5_vl"), tmp_path / "probe"
    first = invoke("probe", bench, "--model", model, "--layer", "hidden", "--limit", 1, "--out", out)
    assert first.exit_code == 0, first.output
    other = homes(tmp_path / "homes", count=2)
    for words, said in (
        ((other, "--model", model), "is the probe of another benchmark"),
        ((bench, "--model", saved("internvl")), "is the probe of another model"),
    ):
        made = invoke("probe", *words, "--layer", "hidden", "--limit", 1, "--out", out)
        assert made.exit_code != 0 and said in " ".join(made.output.split()), made.output


@pytest.mark.drill
def test_a_probe_killed_at_random_points_gives_the_same_tables(
    bench: Path, saved: Callable[[str], str], tmp_path: Path
) -> None:
    """SIGKILL at random moments: also inside a unit, or while a file is written."""
    random = np.random.default_rng(5)
    common = ["probe", bench, "--model", saved("qwen2_5_vl"), "--layer", "attention", "--limit", 16, "--json"]
    whole = invoke(*common, "--out", tmp_path / "whole")
    assert whole.exit_code == 0, whole.output
    out = tmp_path / "killed"
    parts = out / "parts" / "attention"
    kept: list[int] = []
    for _ in range(3):
        words = [sys.executable, "-m", "chronotope.cli", *map(str, common), "--out", str(out)]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        there = len(list(parts.glob("[!.]*.parquet")))
        while process.poll() is None and len(list(parts.glob("[!.]*.parquet"))) <= there:
            time.sleep(0.005)
        time.sleep(random.uniform(0, 0.3))
        process.kill()
        process.wait()
        kept.append(len(list(parts.glob("[!.]*.parquet"))))
    assert kept == sorted(set(kept)) or not parts.exists(), kept  # each attempt went further
    done = invoke(*common, "--out", out)
    assert done.exit_code == 0, done.output
    first, second = (json.loads(one.stdout) for one in (whole, done))
    assert second["kept"] > 0 and second["kept"] + second["measured"] == 16
    for name, rows in first["tables"].items():
        assert second["tables"][name] == rows, name
    assert not list(out.rglob("*.tmp")) and not parts.exists()
