"""What is foreseen of runs and builds, against what a service then counts and what a build then takes."""

import io
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

import chronotope as ct
from chronotope.cli.app import app
from chronotope.errors import InputError
from chronotope.ledger import read_ledger
from service import ChatService, completion, read_parts
from small_sources import walk, write_tum

CLIP_ASKS = {"frames": 4, "check": False}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Counting(ChatService):
    """Counts as an open model does: words and signs, patches of 32 pixels with two marks, and a frame of 17 tokens."""

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        text, pictures = read_parts(body)
        tokens = 17 + len(re.findall(r"\w+|[^\w\s]", text))
        for data in pictures:
            with Image.open(io.BytesIO(data)) as picture:
                tokens += 2 + math.ceil(picture.width / 32) * math.ceil(picture.height / 32)
        return 200, completion("A", (tokens, 5))


def counted(run: Path) -> tuple[int, int]:
    lines = [line for line in read_ledger(run / "ledger.jsonl") if line.kind == "answer"]
    return len(lines), sum(line.input_tokens or 0 for line in lines)


@pytest.mark.parametrize("more", [{}, {"placement": "rotate"}, {"input": "blind"}], ids=["plain", "rotated", "blind"])
def test_a_trial_foresees_calls_exactly_and_tokens_within_a_tenth(
    folder: Path, tmp_path: Path, more: dict[str, Any]
) -> None:
    asked = {"base_url": "", "out": tmp_path / "run", "price": (1.0, 10.0)} | ({} if "input" in more else CLIP_ASKS)
    with Counting() as service:
        asked |= more | {"base_url": service.url, "check": False}
        before = ct.plan_run(folder, "endpoint/x", **asked)
        assert not service.bodies and not (tmp_path / "run").exists()  # nothing is sent or written
        assert before.hours is None and before.calls == ct.dry_run(ct.run, folder, "endpoint/x", **asked).calls.calls
        after = ct.plan_run(folder, "endpoint/x", trial=1e-9, servers=4, **asked)  # one clip of six
        tried = after.trial
        assert tried is not None and 0 < tried.calls == len(service.bodies) < before.calls
        assert after.calls == before.calls - tried.calls
        made = counted(tmp_path / "run")
        ct.run(folder, "endpoint/x", **asked)
        assert len(service.bodies) == before.calls  # each call once, those of the trial with them
    calls, tokens = (all_ - part for all_, part in zip(counted(tmp_path / "run"), made, strict=True))
    assert calls == after.calls
    assert after.tokens == pytest.approx(tokens, rel=0.1)
    assert after.output_tokens == 5 * calls
    assert after.money == pytest.approx((after.tokens + 50 * calls) / 1e6)
    assert after.hours == pytest.approx(calls * tried.seconds / tried.calls / 4 / 3600)


@pytest.mark.slow
def test_the_tokens_of_a_model_in_this_process_need_no_trial(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra local: pip install 'chronotope[local]'")
    from tiny_models import save_tiny

    model = f"transformers/{save_tiny('qwen2_5_vl', tmp_path / 'qwen')}"
    asked: dict[str, Any] = {"frames": 4, "max_tokens": 4, "out": tmp_path / "run"}
    found = ct.plan_run(folder, model, **asked)
    ct.run(folder, model, **asked)
    calls, tokens = counted(tmp_path / "run")
    assert (found.calls, calls) == (12, 12)
    assert found.tokens == pytest.approx(tokens, rel=0.1)
    assert found.serve is not None and found.serve.startswith("vllm serve /")


def test_longer_trials_ask_more_clips_and_end_at_the_limit_on_the_cost(folder: Path, tmp_path: Path) -> None:
    with Counting() as service:
        asked = {"base_url": service.url, "check": False, "frames": 4, "price": (1.0, 1.0)}
        whole = ct.plan_run(folder, "endpoint/x", trial=600, out=tmp_path / "whole", **asked)
        assert whole.calls == 0 and len(service.bodies) == 12
        few = ct.plan_run(folder, "endpoint/x", trial=600, out=tmp_path / "few", max_cost=2e-4, **asked)
        assert few.calls > 0 and few.trial is not None and few.trial.calls == len(service.bodies) - 12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"frames": 4},
            "vllm serve x --max-model-len 1024 --enable-prefix-caching --limit-mm-per-prompt '{\"image\": 4}'",
        ),
        ({"frames": 4, "frames_as": "video"}, "--limit-mm-per-prompt '{\"video\": 1}' --interleave-mm-strings --trust"),
        ({"clips": "video"}, "--limit-mm-per-prompt '{\"video\": 1}' --interleave-mm-strings"),
        ({"input": "blind", "max_tokens": 3000}, "vllm serve x --max-model-len 4096 --enable-prefix-caching"),
    ],
    ids=["pictures", "video of frames", "video", "blind"],
)
def test_the_server_that_fits_is_named(folder: Path, options: dict[str, Any], words: str) -> None:
    found = ct.plan_run(folder, "endpoint/x", base_url="http://127.0.0.1:9/v1", **options)
    assert found.serve is not None and words in found.serve
    assert ("mm" in found.serve) is ("input" not in options)
    assert ct.plan_run(folder, "baseline/random", input="blind").serve is None


def test_the_command_tells_the_same_and_dry_run_shares_its_code(folder: Path) -> None:
    words = [str(folder), "--model", "endpoint/x", "--base-url", "http://127.0.0.1:9/v1", "--frames", "4", "--json"]
    told, dry = (CliRunner().invoke(app, [*command, *words]) for command in (["plan", "run"], ["run", "--dry-run"]))
    [planned], [counts] = json.loads(told.stdout), json.loads(dry.stdout)
    assert planned["dry_run"] == counts and planned["calls"] == counts["calls"] == 12
    shown = CliRunner().invoke(app, ["plan", "run", *words[:-1], "--servers", "3", "--price", "1,1"])
    assert "Needs on 3 servers" in shown.stdout and "vllm serve x" in shown.stdout, shown.output
    lacking = CliRunner().invoke(app, ["plan", "run", str(folder)])
    assert lacking.exit_code == 2 and "--model" in lacking.stderr


@pytest.mark.slow
def test_a_build_of_trajectories_is_foreseen(tmp_path: Path) -> None:
    (tmp_path / "walks").mkdir()
    for number in range(5):
        write_tum(tmp_path / "walks" / f"walk-{number}.txt", walk(number))
    how = {"kind": "indoor", "gravity": "-z", "fps": 10.0}
    found = ct.plan_build("sti", tmp_path / "walks", trial=600, workers=4, **how)
    assert found.parts == len(found.trial.parts) == 5
    made = ct.build("sti", tmp_path / "walks", tmp_path / "bench", **how)
    assert found.questions == len(made.questions) > 0
    assert {place.name for place in tmp_path.iterdir()} == {"walks", "bench"}  # the trial left nothing
    assert found.cpu_hours == pytest.approx(found.trial.cpu(4) / 3600) and found.hours < found.cpu_hours
    few = ct.plan_build("sti", tmp_path / "walks", trial=0, **how)
    assert len(few.trial.parts) == 1 and few.uncertainty is None and few.parts == 5
    words = ["plan", "build", "sti", str(tmp_path / "walks"), "--kind", "indoor", "--gravity=-z", "--fps", "10"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0 and "CPU hours" in told.stdout, told.output


def test_what_cannot_be_foreseen_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="servers 0"):
        ct.plan_run(folder, "baseline/random", servers=0)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(InputError, match="--trial: cannot be combined with --batch"):
        ct.plan_run(folder, "openai/x", batch=True, trial=1)
    with pytest.raises(InputError, match="on: found 'slurm': expected ray, or the address of a cluster"):
        ct.plan_build("sti", "world:table:2", on="slurm")
    with pytest.raises(InputError, match="no such option"):
        ct.plan_build("sti", "world:table:2", qualty="fast")
    with pytest.raises(InputError, match="workers 0"):
        ct.plan_build("sti", "world:table:2", workers=0)
