"""``chronotope demo``: interrupted and run again, it ends with what it promises."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from chronotope.question import open_benchmark

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
    assert done.returncode == 2 and "there: is a file, expected a folder: choose another --out" in done.stderr
    assert (tmp_path / "there").read_text() == "mine"


@pytest.mark.slow
def test_the_demo_goes_on_after_an_interruption_and_keeps_its_promises(demo):
    assert demo.code_then == 130 and "finished recordings are kept" in demo.said_then, demo.said_then
    assert [name for name in demo.left_then if name.endswith("/part.json")] and "bench" not in demo.left_then

    told = json.loads(demo.told)
    assert (demo.place / told["report"]).stat().st_size > 10_000
    for line in (
        "cd chronotope-demo",
        "chronotope build sti world:table:8",
        "chronotope build sti world:walk:6",
        "chronotope build m3 world:house:1",
        "chronotope run bench",
        "chronotope run rooms",
        "chronotope report",
    ):
        assert f"$ {line}" in demo.said, demo.said
    benchmark = open_benchmark(demo.place / told["benchmark"])
    assert len(benchmark.media) >= 8 and sum(file.frames or 0 for file in benchmark.media.values()) <= 900
    assert len(benchmark.questions) >= 60
    assert {question.task for question in benchmark.questions} == DESKTOP_TASKS
    folder = demo.place / "chronotope-demo"
    rooms = open_benchmark(folder / "rooms")
    assert len(rooms.media) == 6 and {question.tags["scene"] for question in rooms.questions} == {("Indoor",)}
    assert len({question.task for question in rooms.questions}) >= 4
    house = open_benchmark(folder / "house")
    assert len(house.media) == 2 and len(house.questions) >= 60
    assert {question.tags["state_type"] for question in house.questions} == {("intra-state",), ("inter-states",)}
    assert len(list((folder / "runs").iterdir())) == (11 if find_spec("cv2") else 9)
    page = (folder / "report" / "index.html").read_text()
    finding = "baseline/sight, which sees the frames, is right on" if find_spec("cv2") else " is right on "
    assert finding in page.replace("\u00a0", " ").partition("At a glance</h2>")[0]
    end = demo.said[demo.said.rindex("$ chronotope report") :]
    assert "baseline/sight is clearly better than a random guess" in end or not find_spec("cv2")
    assert "3 runs without pictures are right on" in end  # one home is too little for a finding about the best of them
    assert demo.said.count("house-11-0000-state_0: ") <= 11  # a few of the home's things
    assert finding in end and "cannot tell" not in end and len(end.splitlines()) < 40
    assert 'class="lead"' in page and " %" in end
    for look in ("look", "look-rooms", "look-house-before", "look-house-after"):
        assert (folder / look / "contact-sheet.jpg").stat().st_size > 10_000
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
