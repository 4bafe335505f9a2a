"""A benchmark exported in the authors' layout is what their scripts read, and imports to the same questions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.errors import InputError
from chronotope.make import export_release, import_release
from chronotope.question import Benchmark, open_benchmark
from chronotope.recording import Recording, load_recording
from m3_released import row, write_rows
from m3_truth_files import FOV, FRIDGE, MUG, THINGS, Form, record, walk, write_scene


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    folder = tmp_path_factory.mktemp("again")
    home = write_scene(folder / "release" / "scene_7")
    log = json.loads((home / "state_1" / "operations_log.json").read_text())
    log["operations"][0] |= {"openness": 0.5, "params": None}  # where the authors' pipeline has it
    (home / "state_1" / "operations_log.json").write_text(json.dumps(log))
    rows = [row(number, scene="scene_7") for number in range(12)]
    write_rows(folder / "release" / "QAs" / "M^3-Verse.jsonl", rows)
    import_release("m3", folder / "release", folder / "bench")
    return open_benchmark(folder / "bench")


@pytest.fixture(scope="module")
def written(bench: Benchmark) -> Path:
    out = bench.folder.parent / "written"
    told = CliRunner().invoke(app, ["export", str(bench.folder), "--out", str(out)])
    assert told.exit_code == 0 and "12 questions about 1 scenes" in told.stderr
    return out


def test_show_against_paper_has_areas_and_names_the_figures_that_print_no_numbers(bench: Benchmark) -> None:
    """Areas are sums of trapezoids under the floors of the file; each home counts once, each video too."""
    told = CliRunner(env={"COLUMNS": "300"}).invoke(app, ["show", str(bench.folder), "--against", "paper"])
    assert told.exit_code == 0
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in told.stdout.splitlines() if "│" in line]
    sizes = {row[0]: row[1:] for row in cells}
    floors = [
        np.reshape(room["floor"]["values"], room["floor"]["shape"]).tolist()
        for room in read(bench.folder / "recordings" / "scene_7-state_0" / "recording.json")["rooms"]
    ]
    areas = [
        abs(sum((c - a) * (b + d) / 2 for (a, b), (c, d) in zip(floor, floor[1:] + floor[:1], strict=True)))
        for floor in floors
    ]
    home = f"{sum(areas):.1f}"
    assert sizes["area of a home, m2"] == ["1", home, home, home, "Figure 7"]
    smallest, mean, largest = (f"{value:.1f}" for value in (min(areas), np.mean(areas), max(areas)))
    assert sizes["area of a room, m2"] == [f"{len(areas)}", mean, smallest, largest, "–"]
    assert sizes["area of a living room, m2"][1] in {f"{area:.1f}" for area in areas}
    assert (sizes["frames of a video"][0], sizes["frames of a video"][-1]) == ("2", "505.7")
    assert "the paper prints no numbers" in told.stdout
    for group, figure in (
        ("options", "Figure 8"),
        ("capability, intra-state", "Figures 3b, 9"),
        ("hallucination, by category", "Figure 10"),
    ):
        drawn = [row[-1] for row in cells if row[0] == group]
        assert drawn and set(drawn) == {figure}
    printed = json.loads(CliRunner().invoke(app, ["show", str(bench.folder), "--against", "paper", "--json"]).stdout)
    assert printed["measures"][0]["values"] == pytest.approx([sum(areas)])
    assert {one["figure"] for one in printed["composition"] if one["paper"] is not None} == {None}


def truth(bench: Benchmark) -> list[Recording]:
    return [load_recording(bench.folder / "recordings" / f"scene_7-state_{state}") for state in (0, 1)]


def read(file: Path) -> Any:
    return json.loads(file.read_text())


def test_it_imports_to_the_same_questions_and_truth(bench: Benchmark, written: Path, tmp_path: Path) -> None:
    again = import_release("m3", written, tmp_path / "again").benchmark
    assert len(again.questions) == len(bench.questions) == 12
    for one, other in zip(bench.questions, again.questions, strict=True):
        for name in ("id", "task", "cluster", "stem", "options", "answer", "multiple", "tags"):
            assert getattr(one, name) == getattr(other, name), name
    assert (again.folder / "changes.jsonl").read_text() == (bench.folder / "changes.jsonl").read_text()
    for before, after in zip(truth(bench), truth(again), strict=True):
        np.testing.assert_allclose(after.world_T_camera, before.world_T_camera, atol=2e-6)
        np.testing.assert_allclose(after.intrinsics, before.intrinsics)
        assert [(room.id, room.type, set(room.connections)) for room in after.rooms] == [
            (room.id, room.type, set(room.connections)) for room in before.rooms
        ]
        for one, other in zip(before.entities, after.entities, strict=True):
            assert (one.id, one.category, one.parent, one.attributes) == (
                other.id, other.category, other.parent, other.attributes,
            )  # fmt: skip
            np.testing.assert_allclose(other.poses, one.poses, atol=1e-5)
            np.testing.assert_allclose(other.size, one.size, atol=1e-5)
            assert (one.visible == other.visible).all() and (one.visible_pixels == other.visible_pixels).all()
        for folder in ("depth", "identities"):
            names = sorted(path.name for path in (bench.folder / "recordings" / before.id / folder).iterdir())
            for name in names:
                paths = [of.folder / "recordings" / before.id / folder / name for of in (bench, again)]
                assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_files_are_those_that_the_authors_scripts_read(written: Path) -> None:
    """Names and fields as the pipeline's loader looks them up; values from the drawn scene, not from the importer."""
    scene = written / "data" / "scene_7"
    assert read(scene / "object_asset_mapping.json") == {MUG.id: "Mug_3"}
    [kitchen, *_] = read(scene / "room_static_analysis.json")["room_static_details"]
    assert (kitchen["room_id"], kitchen["room_name"], kitchen["area"]) == (0, "room|1", pytest.approx(33.0))
    assert kitchen["connected_rooms"] == [1] and len(kitchen["polygon_coordinates"]) == 4
    lines = [json.loads(line) for line in (scene / "state_0" / "agent_trajectory.jsonl").read_text().splitlines()]
    for line, (x, z, yaw, pitch) in zip(lines, walk(), strict=True):
        assert (line["position"]["x"], line["position"]["z"]) == pytest.approx((x, z), abs=1e-6)
        assert (line["rotation"], line["pitch"], line["fov"]) == pytest.approx((yaw, pitch, FOV), abs=1e-5)
        assert line["room_name"] == "room|1" and line["room_id"] == 0
    assert [line["action"] for line in lines[1:4]] == ["RotateRight", "MoveAhead", "MoveAhead"]
    state = read(scene / "state_0" / "objects_state.json")
    assert state["objects_count"] == len(THINGS) and state["scene_info"]["scene_id"] == "scene_7"
    for thing in THINGS:
        found, true = state["objects_state"][thing.id], record(thing)
        for box in ("center", "size"):
            assert found["axisAlignedBoundingBox"][box] == pytest.approx(true["axisAlignedBoundingBox"][box], abs=2e-5)
        corners = [sorted(map(tuple, of["objectOrientedBoundingBox"]["cornerPoints"])) for of in (found, true)]
        np.testing.assert_allclose(*corners, atol=2e-5)
        for name in ("openable", "openness", "isOpen", "dirtyable", "isDirty"):
            assert found[name] == true.get(name, False), (thing.id, name)
    opened, put = sorted(read(scene / "state_1" / "operations_log.json")["operations"], key=lambda one: one["action"])
    assert (opened["object_id"], opened["openness"]) == (FRIDGE.id, 0.5)
    assert put["new_pos"] == {"x": 1.4, "y": 0.15, "z": 1.2} and put["old_receptacle"] == "DiningTable|1"
    pictures = sorted((scene / "state_1" / "RGB").iterdir())
    assert len(pictures) == len(lines) and {file.suffix for file in pictures} == {".png"}
    assert (scene / "state_1" / "video.mp4").is_file()
    first = json.loads((written / "QAs" / "M^3-Verse_all.jsonl").read_text().splitlines()[0])
    assert first["options"][0].startswith("A. ") and first["answer"] == sorted(first["answer"])


def test_numbered_pictures_stay_pictures_and_foreign_names_become_numbers(tmp_path: Path) -> None:
    write_scene(tmp_path / "release" / "home", Form(pictures=True))
    write_rows(tmp_path / "release" / "QAs" / "M^3-Verse.jsonl", [row(0, scene="home")])
    bench = import_release("m3", tmp_path / "release", tmp_path / "bench").benchmark
    export_release(bench, tmp_path / "out", pictures=False)
    assert read(tmp_path / "out" / "scenes.json") == {"scene_0": "home"}
    assert len(list((tmp_path / "out" / "data" / "scene_0" / "state_0" / "RGB").iterdir())) == len(walk())
    again = import_release("m3", tmp_path / "out", tmp_path / "again").benchmark
    assert [one.stem for one in again.questions] == [one.stem for one in bench.questions]


def test_it_is_refused_in_a_sentence_and_leaves_nothing(bench: Benchmark, written: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="written: exists already: choose another --out"):
        export_release(bench, written)
    (bench.folder / "recordings" / "scene_7-state_1" / "depth" / "000003.png").rename(tmp_path / "kept.png")
    with pytest.raises(InputError, match=r"000003\.png"):
        export_release(bench, tmp_path / "broken")
    (tmp_path / "kept.png").rename(bench.folder / "recordings" / "scene_7-state_1" / "depth" / "000003.png")
    assert list(tmp_path.iterdir()) == []
