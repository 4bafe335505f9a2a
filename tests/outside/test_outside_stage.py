"""A thirteenth task for stages in a package of its own: drawn, filmed, gated and asked, as the manual shows it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chronotope.question import open_benchmark
from chronotope.recording import load_recording
from chronotope.world import require_rendering
from packages import install_project
from small_sources import chronotope

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "junction"
PROGRAM = (
    "from chronotope.world.kinds import stage; from chronotope.world.quality import Quality; "
    "stage.QUALITIES['fast'] = Quality('fast', 160, 90, 10, (8.0, 8.0), 0, 1, 20); "
)
COMMAND = PROGRAM + "from chronotope.cli import main; main()"
# What the package does without drawing, in a process of its own: faults of graphs, and all answers.
CHECKED = """
import json, sys
import numpy as np
from chronotope.families.vgenst.tasks import ACTIVE
from chronotope.families.vgenst.write import questions_of
from chronotope.world.kinds.stage.graph import TASKS, draw_graph, mirror, scenario_of, validate, validate_scenario
assert list(TASKS)[-1] == "JN" and len(TASKS) == 13
generator = np.random.default_rng(3)
told = []
for index in range(48):
    graph = draw_graph(generator, "JN", index)
    faults = [*validate(graph, is_drawn=True), *validate(mirror(graph)), *validate_scenario(graph, scenario_of(graph))]
    same = graph.model_copy(update={"objects": (graph.objects[0], graph.objects[0])})
    told.append({
        "graph": graph.model_dump(mode="json"), "faults": faults, "broken": [v.rule for v in validate(same)],
        "asked": {q.tags["type"][0]: q.options[q.answer[0]].text
                  for q in questions_of(graph, f"s{index}", 1, "strict").questions},
        "kinds": ACTIVE["JN_E_EXO_DYN"],
    })
assert "mujoco" not in sys.modules
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_project(PACKAGE, tmp_path_factory.mktemp("packages"))


def python(packages: Path, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = (str(packages), *filter(None, [os.environ.get("PYTHONPATH")]))
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, *words], cwd=place, env=environment, capture_output=True, text=True, check=False
    )


def test_graphs_are_drawn_checked_and_asked_about(packages: Path, tmp_path: Path) -> None:
    done = python(packages, tmp_path, "-c", CHECKED)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    entries = [(one["graph"]["params"]["side"], one["graph"]["params"]["waits"]) for one in told]
    assert all(entries.count(entry) == 12 for entry in set(entries)) and len(set(entries)) == 4
    for one in told:
        labels = {each["id"]: each["label"].capitalize() for each in one["graph"]["objects"]}
        params, asked = one["graph"]["params"], one["asked"]
        assert one["faults"] == [] and {"JN.R1", "ALL.R4", "ALL.R11"} <= set(one["broken"])
        assert list(asked) == one["kinds"] == ["L1-OE", "L2-AR", "L2-SL", "L3-PT"]
        assert asked["L2-AR"] == labels[params["waits"]] and asked["L2-SL"] == params["side"]
        assert {asked["L2-SL"], asked["L3-PT"]} == {"Left", "Right"} and asked["L1-OE"] in labels.values()


@pytest.fixture(scope="module")
def bench(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_rendering()
    place = tmp_path_factory.mktemp("place")
    words = ("build", "vgenst", "world:stage:1", "--task", "JN", "--out", "bench", "--quality", "fast")
    built = python(packages, place, "-c", COMMAND, *words, "--seed", "2", "--workers", "1")
    assert built.returncode == 0, built.stderr
    return place / "bench"


def test_a_stage_is_filmed_and_passes_its_gates(packages: Path, bench: Path) -> None:
    folder = bench / "recordings" / "stage-2-0000"
    recording = load_recording(folder)
    graph = json.loads((folder / "graph.json").read_text())
    standing = {}
    for entity in recording.entities:
        if entity.id in ("near", "crossing"):
            steps = np.linalg.norm(np.diff(entity.body.poses[:, 0, :3, 3], axis=0), axis=1)
            standing[entity.id] = int((steps < 1e-4).sum())
    waits = graph["params"]["waits"]
    assert standing.pop(waits) >= 20 and set(standing.values()) == {0}
    questions = open_benchmark(bench).questions
    assert {question.task for question in questions} == {"JN_E_EXO_DYN"} and len(questions) >= 3
    told = chronotope("run", "bench", "--model", "baseline/random", "--out", "run", cwd=bench.parent, packages=packages)
    assert told.returncode == 0, told.stderr


def test_gates_refuse_another_truth_and_are_missed_without_the_package(packages: Path, bench: Path) -> None:
    wrong = bench.parent / "wrong"
    shutil.copytree(bench, wrong)
    path = wrong / "recordings" / "stage-2-0000" / "graph.json"
    graph = json.loads(path.read_text())
    graph["ground_truth"]["order"].reverse()
    graph["ground_truth"]["waiting"] = graph["ground_truth"]["order"][1]
    path.write_text(json.dumps(graph))
    code = (
        "import sys; from chronotope.recording import load_recording; from chronotope.world.verify import verify; "
        "from pathlib import Path; told = Path(sys.argv[1]); "
        "print([check.name for check in verify(load_recording(told), told).failed])"
    )
    for folder, expected in ((bench / "recordings" / "stage-2-0000", "[]"), (path.parent, "['junction']")):
        assert python(packages, bench.parent, "-c", code, str(folder)).stdout.strip() == expected
    assert python(wrong, bench.parent, "-c", code, str(path.parent)).stdout.strip() == "['stage gates']"


def test_a_task_that_is_not_installed_is_told(tmp_path: Path) -> None:
    told = chronotope("build", "vgenst", "world:stage:1", "--task", "JN", "--out", "x", cwd=tmp_path)
    assert told.returncode == 2 and "JN" in told.stderr and "HO, MC, LS" in told.stderr, told.stderr
    assert len(told.stderr.splitlines()) == 1


def test_an_entry_point_with_another_name_is_told(packages: Path, tmp_path: Path) -> None:
    shutil.copytree(packages, tmp_path / "packages")
    [points] = (tmp_path / "packages").glob("*/entry_points.txt")
    points.write_text(points.read_text().replace("JN_E_EXO_DYN = junction.graph", "JN_E_EGO_DYN = junction.graph"))
    code = "from chronotope.world.kinds.stage.graph import TASKS; list(TASKS)"
    told = python(tmp_path / "packages", tmp_path, "-c", code)
    assert "expected an entry point with the name 'JN_E_EXO_DYN'" in told.stderr


def test_the_manual_shows_this_package() -> None:
    page = (ROOT / "docs" / "own-task.md").read_text()
    for path in sorted((PACKAGE / "junction").glob("[a-z]*.py")):
        assert path.read_text().rstrip() in page, path.name
    declared = (PACKAGE / "pyproject.toml").read_text()
    points = declared[declared.index("[project.entry-points") : declared.index("[tool")].rstrip()
    assert points in page
