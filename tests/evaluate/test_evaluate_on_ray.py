"""Runs of models on Ray: the ledger of a run in one process, also if a worker dies."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Any

import evaluate_workers
import pytest

import chronotope
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import Outcome, run
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.models import Decoding, ModelSpec, open_spec
from chronotope.question import Benchmark
from tiny_models import save_tiny

pytestmark = pytest.mark.slow

for package, extra in (("torch", "local"), ("transformers", "local"), ("ray", "cluster")):
    if find_spec(package) is None:
        pytest.skip(f"needs the extra {extra}: pip install 'chronotope[{extra}]'", allow_module_level=True)

CALLS = 24  # of the benchmark: six clips, each with two questions in each of two windows
WITHOUT = ("at", "seconds", "crc32")  # fields of a ledger line that differ between two equal runs


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny("qwen2_5_vl", tmp_path_factory.mktemp("weights") / "qwen")


def here(bench: Benchmark, family: Family, weights: Path, out: Path) -> Outcome:
    """Ask in this process."""
    model, settings = f"transformers/{weights}", family.RunSettings.model_validate({})
    decoding = Decoding(max_tokens=4, extra={"batch": 2})
    return run(bench, family, model, decoding, settings, Selection(), out, layout="shared")


def on_ray(
    bench: Benchmark, weights: Path, out: Path, diary: Path, *words: str, lines: int = 0
) -> dict[str, Any] | None:
    """Ask with the command of `evaluate_workers`, whose workers write a diary; it dies after ``lines`` replies."""
    mine = Path(__file__).parent
    paths = [mine, mine.parent, Path(chronotope.__file__).parents[1], os.environ["PYTHONPATH"]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, paths)), evaluate_workers.DIARY: str(diary)}
    environment |= {evaluate_workers.LINES: str(lines)}
    words = ("--out", str(out), "--max-tokens", "4", "--set", "batch=2", "--json", "--on", "ray", *words)
    called = [sys.executable, evaluate_workers.__file__, "run", str(bench.folder), "--layout", "shared", *words]
    called += ["--model", f"transformers/{weights}"]
    done = subprocess.run(called, capture_output=True, text=True, check=False, env=environment)
    if lines:
        assert done.returncode == -signal.SIGKILL
        return None
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)[0]


def lines_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The ledger of a run by ask, without times; no ask has two lines."""
    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    lines = [{name: value for name, value in line.items() if name not in WITHOUT} for line in lines if "key" in line]
    found = {line["ask"]: line for line in sorted(lines, key=itemgetter("ask"))}
    assert len(found) == len(lines)
    return found


def assert_same(lines: dict[str, dict[str, Any]], alone: dict[str, dict[str, Any]]) -> None:
    """Compare two ledgers; a worker may use other numbers of threads, which round otherwise."""
    chances, chances_alone = ([line.pop("letter_log_probabilities") for line in one.values()] for one in (lines, alone))
    assert lines == alone
    assert chances == [pytest.approx(one, abs=1e-4) for one in chances_alone]


def test_two_workers_of_which_one_dies_give_the_replies_of_one_process(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    diary.mkdir()
    (diary / "dies").touch()
    told = on_ray(bench, weights, tmp_path / "out", diary, "--workers", "2")
    assert told is not None
    assert (told["asked"], told["states"]) == (CALLS, {"replied": CALLS})
    calls = [json.loads(line) for line in (diary / "calls").read_text().splitlines()]
    assert not (diary / "dies").exists()
    # Each group, and so each prefix, is one worker's, and asked once: only the group of the lost worker is asked again.
    lost = calls[evaluate_workers.DEADLY - 1][1]
    times = Counter(group for _, group, *_ in calls)
    assert times.pop(lost) == 2 and set(times.values()) == {1}
    assert len({worker for worker, *_ in calls}) >= 2
    assert sum(asked for *_, asked in calls) - calls[evaluate_workers.DEADLY - 1][3] == CALLS
    again = here(bench, tiny, weights, tmp_path / "out")  # a run continues wherever its model is
    assert (again.asked, again.already) == (0, CALLS)
    here(bench, tiny, weights, tmp_path / "alone")
    assert_same(lines_of(tmp_path / "out"), lines_of(tmp_path / "alone"))
    runs = [open_run(tmp_path / name) for name in ("out", "alone")]
    assert runs[0].card.about_model == runs[1].card.about_model and runs[0].card.decoding == runs[1].card.decoding
    assert score_run(runs[0]).overall == score_run(runs[1]).overall


@pytest.mark.drill
@pytest.mark.complete
def test_a_command_that_is_killed_asks_only_what_has_no_reply(
    bench: Benchmark, tiny: Family, weights: Path, tmp_path: Path
) -> None:
    replied = 9
    on_ray(bench, weights, tmp_path / "out", tmp_path, "--workers", "1", lines=replied)
    (tmp_path / "calls").unlink()
    told = on_ray(bench, weights, tmp_path / "out", tmp_path, "--workers", "1")
    assert told is not None and (told["asked"], told["already"]) == (CALLS - replied, replied)
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert sum(asked for *_, asked in calls) == CALLS - replied  # nothing else reached a worker
    here(bench, tiny, weights, tmp_path / "alone")
    lines, alone = (lines_of(tmp_path / name) for name in ("out", "alone"))
    for line in (*lines.values(), *alone.values()):
        line.pop("cached_tokens", None)  # the rest of a group that was cut in two has its prefix anew
    assert_same(lines, alone)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"workers": 2}, "--workers: is the number of workers of a cluster: add --on ray, or omit it"),
        ({"on": "slurm"}, "--on: found 'slurm': expected ray, or the address of a cluster"),
        ({"on": "ray", "device": "cuda:1"}, "--set device=cuda:1: each worker of a cluster sees only its own GPU"),
    ],
)
def test_a_place_that_cannot_be_used_is_a_sentence(weights: Path, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        open_spec(ModelSpec(f"transformers/{weights}", **fields))


def test_a_model_of_a_service_has_no_workers() -> None:
    with pytest.raises(InputError, match="endpoint/x: takes no on, workers, because it does not run in this process"):
        open_spec(ModelSpec("endpoint/x", "http://127.0.0.1:9/v1", on="ray", workers=2))


def test_other_weights_on_a_node_are_refused(weights: Path) -> None:
    from chronotope.models.transformers import LocalSettings
    from chronotope.models.transformers.on_cluster import Copied

    with pytest.raises(InputError, match="the weights here differ from those of this machine: copy them"):
        Copied(str(weights), LocalSettings(), {"weights": "0123456789abcdef"}).load()
