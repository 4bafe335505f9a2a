"""Probes on Ray: the tables of a probe in one process, also if a worker dies."""

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import probe_workers
import pytest

import chronotope
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.families import family
from chronotope.probe import LAYERS, ProbeRequest, ProbeSettings, read_table

for package, extra in (("torch", "local"), ("transformers", "local"), ("ray", "cluster")):
    pytest.importorskip(package, reason=f"needs the extra {extra}: pip install 'chronotope[{extra}]'")
pytestmark = pytest.mark.slow

from chronotope.models.transformers.on_cluster import Copied  # noqa: E402 - after the checks of packages
from chronotope.probe.layers import layer_of  # noqa: E402
from chronotope.probe.measuring import Measurer  # noqa: E402
from chronotope.probe.probing import _job, open_local  # noqa: E402

UNITS = 6
WORDS = ("--layer", "lens", "--limit", str(UNITS), "--json")


@pytest.fixture(scope="module")
def given(drawn_manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The benchmark and the model of a probe, as words of its command."""
    from tiny_models import save_tiny

    folder = tmp_path_factory.mktemp("probed")
    bench = chronotope.build("ikea", drawn_manuals, folder / "bench")
    weights = save_tiny("qwen2_5_vl", folder / "qwen", max_position_embeddings=32768)
    return str(bench.folder), "--model", f"transformers/{weights}"


def probed(out: Path, *words: str, script: tuple[str, ...] = ("-m", "chronotope.cli"), **more: str) -> dict[str, Any]:
    mine = Path(__file__).parent
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, (mine, Path(chronotope.__file__).parents[1]))), **more}
    called = [sys.executable, *script, "probe", *words, *WORDS, "--out", str(out)]
    done = subprocess.run(called, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)


def assert_same(one: Any, other: Any) -> None:
    """Compare two values; a worker may use other numbers of threads, which round otherwise."""
    if isinstance(one, float):
        np.testing.assert_allclose(one, other, atol=1e-4)
    elif isinstance(one, dict | list):
        assert len(one) == len(other) and (isinstance(one, list) or list(one) == list(other))
        for key in one if isinstance(one, dict) else range(len(one)):
            assert_same(one[key], other[key])
    else:
        assert one == other


@pytest.mark.complete  # about 30 s of CPU; the next test measures the same as a worker does, without Ray
def test_two_workers_of_which_one_dies_measure_what_one_process_measures(
    given: tuple[str, ...], tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    diary.mkdir()
    (diary / "dies").touch()
    out, alone = tmp_path / "out", tmp_path / "alone"
    script = (str(probe_workers.__file__),)
    words = (*given, "--on", "ray", "--workers", "2")
    there = probed(out, *words, script=script, **{probe_workers.DIARY: str(diary)})
    here = probed(alone, *given)
    assert not (diary / "dies").exists()
    calls = [line.split(maxsplit=1) for line in (diary / "calls").read_text().splitlines()]
    times = Counter(unit for _, unit in calls)
    assert times.pop(calls[probe_workers.DEADLY - 1][1]) == 2  # only the lost unit is measured again
    assert set(times.values()) == {1} and len(times) == UNITS - 1
    assert len({worker for worker, _ in calls}) >= 2
    assert (there["measured"], there["kept"]) == (here["measured"], here["kept"]) == (UNITS, 0)
    assert_same(there["tables"], here["tables"])
    files = [sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) for folder in (out, alone)]
    assert files[0] == files[1]
    rows = [read_table(folder, "lens.parquet") for folder in (out, alone)]
    assert_same(*rows)
    assert (out / "probe.yaml").read_text() == (alone / "probe.yaml").read_text()  # so each can continue the other


def test_a_worker_measures_what_travels(given: tuple[str, ...], tmp_path: Path) -> None:
    """All layers: the worker has no benchmark, only what is sent with a unit."""
    bench, _, model = given
    settings = ProbeSettings(at="0,1")
    for name in LAYERS:
        if name == "patch":
            continue  # needs twins; its prompts travel as those of the lens
        request = ProbeRequest(
            chronotope.open(bench), family("ikea"), model, name, tmp_path, settings, Selection(limit=2)
        )
        job = _job(request, open_local(model, {}))
        unit = layer_of(name).units(job)[-1]
        settings_there = job.local.sources.settings.model_copy(update={"dtype": "float32"})
        copied = Copied(job.local.sources.place, settings_there, job.local.sources.identity)
        sent = pickle.dumps((copied, settings, unit, {shown: job.pictures(shown) for shown in unit.shown}))
        copied, given_settings, there, pictures = pickle.loads(sent)
        rows = Measurer(copied, name, given_settings).measure(there, pictures)
        assert rows == layer_of(name).measure(job.instrument, unit) and rows


def test_a_place_that_cannot_be_used_is_a_sentence(given: tuple[str, ...], tmp_path: Path) -> None:
    bench, _, model = given
    for fields, sentence in (
        ({"on": "slurm"}, "--on: found 'slurm': expected ray, or the address of a cluster"),
        ({"workers": 2}, "--workers: is the number of workers of a cluster: add --on ray, or omit it"),
    ):
        with pytest.raises(InputError, match=sentence):
            chronotope.probe(bench, model, "lens", tmp_path / "probe", **fields)
    assert [*tmp_path.iterdir()] == []
