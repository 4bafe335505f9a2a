"""``chronotope demo``: interrupted and run again, it ends with what it promises."""

import json
import signal
import subprocess
import sys
import time

import pytest

from chronotope.errors import InputError
from chronotope.question import open_benchmark
from chronotope.world import require_rendering

DEMO = [sys.executable, "-m", "chronotope.cli", "demo"]
DESKTOP_TASKS = {
    "Dimensional Measurement",
    "Spatial Relation",
    "3D Video Grounding",
    "Displacement & Path Length",
    "Speed & Acceleration",
    "Pose Estimation",
}


def test_a_demo_onto_a_file_is_told(tmp_path):
    (tmp_path / "there").write_text("mine")
    done = subprocess.run([*DEMO, "--out", "there"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "there: is a file: choose another --out" in done.stderr
    assert (tmp_path / "there").read_text() == "mine"


@pytest.mark.slow
def test_the_demo_goes_on_after_an_interruption_and_keeps_its_promises(tmp_path):
    try:
        require_rendering()
    except InputError as error:
        pytest.skip(str(error))
    first = subprocess.Popen(DEMO, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    folder = tmp_path / "chronotope-demo"
    parts = folder / ".bench.building" / "parts"
    while not any(parts.glob("*/part.json")):
        assert first.poll() is None, first.communicate()
        time.sleep(0.1)
    # As a terminal does it: everybody in the foreground hears it.
    children = subprocess.run(["pgrep", "-P", str(first.pid)], capture_output=True, text=True, check=True)
    for process in (*map(int, children.stdout.split()), first.pid):
        subprocess.run(["kill", f"-{int(signal.SIGINT)}", str(process)], check=False)
    out, err = first.communicate(timeout=60)
    assert first.returncode == 130 and "goes on from here" in err, (out, err)
    assert list(parts.glob("*/part.json")) and not (folder / "bench").exists()

    done = subprocess.run([*DEMO, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert (tmp_path / told["report"]).stat().st_size > 10_000
    for line in (
        "cd chronotope-demo",
        "chronotope build sti world:table:8",
        "chronotope run bench",
        "chronotope report",
    ):
        assert f"$ {line}" in done.stderr, done.stderr
    benchmark = open_benchmark(tmp_path / told["benchmark"])
    assert len(benchmark.media) >= 8 and sum(file.frames or 0 for file in benchmark.media.values()) <= 900
    assert len(benchmark.questions) >= 60
    assert {question.task for question in benchmark.questions} == DESKTOP_TASKS
    assert len(list((folder / "runs").iterdir())) == 3
    assert (folder / "look" / "contact-sheet.jpg").stat().st_size > 10_000
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
