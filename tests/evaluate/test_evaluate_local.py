"""Runs of models in this process, from the command to the ledger."""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.ledger import Ledger, read_ledger
from chronotope.models import Decoding, ModelSpec, is_local, open_structured
from chronotope.probe import ProbeRequest, probe
from chronotope.question import Benchmark

pytest.importorskip("torch", reason="needs the extra local: pip install 'chronotope[local]'")
pytest.importorskip("transformers", reason="needs the extra local: pip install 'chronotope[local]'")

from tiny_models import FAMILIES, save_tiny

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny("qwen2_5_vl", tmp_path_factory.mktemp("weights") / "qwen")


def ask(bench: Benchmark, family: Family, weights: Path, out: Path, **more: Any) -> Any:
    settings = family.RunSettings.model_validate(more.pop("settings", {}))
    decoding = Decoding(max_tokens=more.pop("max_tokens", 4), extra=more.pop("extra", {}))
    model = more.pop("model", f"transformers/{weights}")
    return run(bench, family, model, decoding, settings, Selection(), out, **more)


def lines_of(folder: Path) -> list[dict]:
    """Read all complete lines of a ledger."""
    whole = (folder / "ledger.jsonl").read_text().split("\n")[:-1]
    return [line for text in whole if "key" in (line := json.loads(text))]


def command(bench: Benchmark, weights: Path, out: Path, *more: str) -> list[str]:
    model = f"transformers/{weights}"
    called = [sys.executable, "-m", "chronotope.cli", "run", str(bench.folder), "--model", model, "--out", str(out)]
    return [*called, "--max-tokens", "4", *more]


def test_a_command_asks_a_model_in_its_process(bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path) -> None:
    flags = ("--layout", "shared", "--set", "device=cpu", "--set", "batch=3", "--json")
    called = command(bench, weights, tmp_path / "run", *flags)
    done = subprocess.run(called, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [told] = json.loads(done.stdout)
    assert (told["asked"], told["states"]) == (24, {"replied": 24})
    lines = lines_of(tmp_path / "run")
    assert all(line["letter_log_probabilities"].keys() == set("ABCD") for line in lines)
    assert all(len(line["pictures"]) == 4 for line in lines)
    assert all(line["input_tokens"] > line["cached_tokens"] > 0 for line in lines)
    card = open_run(tmp_path / "run").card
    assert card.about_model["dtype"] == "float32" and card.about_model["pictures"] in ("pillow", "torchvision")
    assert set(card.versions[0]) >= {"torch", "transformers"}
    assert card.check is None
    # The device and the batch have no influence on replies, so the run can continue with others.
    again = ask(bench, tiny, weights, tmp_path / "run", layout="shared", extra={"batch": 8})
    assert (again.asked, again.already) == (0, 24)
    with pytest.raises(InputError, match="dtype"):
        ask(bench, tiny, weights, tmp_path / "run", layout="shared", extra={"dtype": "bfloat16"})


def test_layouts_and_python_give_the_same_replies(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path
) -> None:
    ask(bench, tiny, weights, tmp_path / "published")
    spec = ModelSpec(f"transformers/{weights}", device="cpu", dtype="float32", settings={"batch": 2})
    ask(bench, tiny, weights, tmp_path / "spec", model=spec, lead="off")
    first, second = ({line["ask"]: line["reply"] for line in lines_of(tmp_path / n)} for n in ("published", "spec"))
    assert first == second and len(set(first.values())) > 1
    assert score_run(open_run(tmp_path / "spec")).states == {"replied": 24}


@pytest.mark.drill
def test_a_run_killed_at_random_points_continues_without_asking_again(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path
) -> None:
    out, rotated = tmp_path / "killed", ("--placement", "rotate", "--set", "batch=2")
    kept: dict[str, dict] = {}
    for least in sorted(random.Random(23).sample(range(1, 80), 3)):
        with subprocess.Popen(command(bench, weights, out, *rotated), stderr=subprocess.DEVNULL) as process:
            until = time.monotonic() + 120
            while time.monotonic() < until and (not (out / "ledger.jsonl").exists() or len(lines_of(out)) < least):
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
        lines = {line["key"]: line for line in lines_of(out)}
        assert len(lines) == len(lines_of(out)) and least <= len(lines) < 96
        assert {key: lines[key] for key in kept} == kept  # nothing that was there has changed
        kept = lines
    outcome = ask(bench, tiny, weights, out, settings={"placement": "rotate"})
    assert (outcome.asked, outcome.already) == (96 - len(kept), len(kept))
    lines = lines_of(out)
    assert len({line["key"] for line in lines}) == len(lines) == 96
    assert {line["key"]: line for line in lines if line["key"] in kept} == kept
    ask(bench, tiny, weights, tmp_path / "undisturbed", settings={"placement": "rotate"})
    undisturbed = {line["ask"]: line["reply"] for line in lines_of(tmp_path / "undisturbed")}
    assert {line["ask"]: line["reply"] for line in lines} == undisturbed


def test_a_clip_longer_than_the_context_is_a_sentence_before_the_run(
    bench: Benchmark, tiny: Family, tmp_path: Path
) -> None:
    short = save_tiny("qwen2_5_vl", tmp_path / "short", max_position_embeddings=170)
    sentence = r"has a prompt of \d+ tokens, but the context of the model has only 170: show fewer with --frames \d+"
    with pytest.raises(InputError, match=sentence):
        ask(bench, tiny, short, tmp_path / "run", settings={"frames": 32})
    assert not (tmp_path / "run").exists()


UNUSABLE = [
    ({"chat_template.jinja": None}, "have no chat template, so no prompt can be written.*instruction-tuned weights"),
    ({"config.json": {"model_type": "qwen3"}}, "'qwen3' is not a vision-language model .*endpoint/NAME"),
    ({"config.json": {"model_type": "no_such"}}, "does not know the type 'no_such': update it .*endpoint/NAME"),
    ({"config.json": {}}, "its configuration cannot be loaded .*check that all files of the weights are there"),
    ({"config.json": None}, "the folder has no config.json"),
    ({"config.json": {"model_type": "internvl_chat"}}, "needs the code beside the weights .*ends in -HF"),
    ({"config.json": {"model_type": "llava_qwen"}}, r"needs the authors' package llava \(LLaVA-NeXT\)"),
    ({"model.safetensors": None}, "its weights cannot be loaded"),
    ({"tokenizer.json": None}, "its processor cannot be loaded"),
]


@pytest.mark.parametrize(("change", "sentence"), UNUSABLE)
def test_weights_that_cannot_be_used_are_a_sentence(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path, change: dict, sentence: str
) -> None:
    folder = Path(shutil.copytree(weights, tmp_path / "changed"))
    for name, content in change.items():
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=sentence):
        ask(bench, tiny, folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ({"device": "cuda:7"}, "--set device=cuda:7: cannot be used"),
        ({"dtype": "float8"}, "--set dtype: .*found 'float8'"),
        ({"batch": 0}, "--set batch: .*found 0"),
        ({"logprobs": True}, "does not have this setting.*expected one of device, dtype"),
    ],
)
def test_settings_that_cannot_be_used_are_a_sentence(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path, extra: dict, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        ask(bench, tiny, weights, tmp_path / "run", extra=extra)


def test_judges_and_writers_can_be_models_of_this_process(weights: Path, tmp_path: Path) -> None:
    class Verdict(BaseModel):
        correct: bool

    async def ask_for_objects() -> list[Verdict | None]:
        with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
            fields = {"max_tokens": 6, "device": "cpu"}
            judge = open_structured(f"transformers/{weights}", None, ledger, fields=fields)
            async with judge.connected():
                calls = [judge.ask("judge", f"case-{n}", "Judge.", [f"Case {n}"], Verdict) for n in range(2)]
                return await asyncio.gather(*calls)

    assert asyncio.run(ask_for_objects()) == [None, None]  # random weights write no objects
    lines = read_ledger(tmp_path / "ledger.jsonl")
    assert {(line.ask, line.kind) for line in lines} == {("case-0", "judge"), ("case-1", "judge")}
    assert len(lines) > 2  # after a reply without the form, the model is told its fault and asked again
    assert all(line.input_tokens > 20 and line.output_tokens <= 6 and line.error for line in lines)


@pytest.mark.parametrize("place", ["{}/nowhere", "./nowhere", "no/such/folder"])
def test_a_missing_folder_is_a_sentence(bench: Benchmark, tiny: Family, tmp_path: Path, place: str) -> None:
    assert is_local("transformers/nowhere")
    with pytest.raises(InputError, match=r"no such folder: expected transformers/FOLDER or transformers/HUB-NAME"):
        ask(bench, tiny, Path(place.format(tmp_path)), tmp_path / "run", model=f"transformers/{place.format(tmp_path)}")


def test_a_model_without_a_name_is_a_sentence(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the model has no name: expected transformers/FOLDER"):
        ask(bench, tiny, tmp_path, tmp_path / "run", model="transformers/")


def test_weights_whose_download_was_cut_off_are_a_sentence(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(weights, tmp_path / "cut"))
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(20_000)
    with pytest.raises(InputError, match=r"its weights cannot be loaded .*there and complete"):
        ask(bench, tiny, folder, tmp_path / "run")


def test_weights_that_give_no_numbers_are_a_sentence(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(weights, tmp_path / "nan"))
    tensors = load_file(folder / "model.safetensors")
    tensors[next(name for name in tensors if name.endswith("layers.1.mlp.down_proj.weight"))][0] = float("nan")
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"the logits of the model are not numbers \(NaN\): use --set dtype"):
        ask(bench, tiny, folder, tmp_path / "run")
    request = ProbeRequest(bench, tiny, f"transformers/{folder}", "hidden", tmp_path / "probe")
    with pytest.raises(InputError, match=r"the states at depth \d of the model are not numbers \(NaN\)"):
        probe(request)


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_5", "internvl", "llava_onevision"])
def test_frames_can_be_sent_as_a_video(bench: Benchmark, tiny: Family, tmp_path: Path, family: str) -> None:
    assert "videos" in FAMILIES[family]
    folder = save_tiny(family, tmp_path / family)
    outcome = ask(bench, tiny, folder, tmp_path / "run", layout="shared", settings={"frames_as": "video", "frames": 5})
    assert outcome.states == {"replied": 24}, outcome.problems
    lines = lines_of(tmp_path / "run")
    assert all(len(line["pictures"]) == 5 and line["cached_tokens"] for line in lines)
