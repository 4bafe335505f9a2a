"""The room of the camera in each frame, and areas, against windings of angles and sums of triangles."""

import cmath
import json
from itertools import groupby, pairwise
from math import hypot
from pathlib import Path

import numpy as np
import pytest
from m3_homes import laid_home
from typer.testing import CliRunner

import chronotope as ct
from chronotope.cli.app import app
from chronotope.families.m3.release._written_truth import state_files
from chronotope.recording import Recording, camera_rooms, load_recording, save_recording, summarise

HOME = (11, 3)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The recordings of both states of a home on disk."""
    folders = []
    for one in laid_home(*HOME).recordings:
        folders.append(tmp_path_factory.mktemp("home") / one.id)
        save_recording(one, folders[-1])
    return folders


def winds(floor: list[list[float]], x: float, y: float) -> bool:
    """Whether the corners go once around a point, as seen from it."""
    seen = [complex(a - x, b - y) for a, b in floor]
    turns = sum(cmath.phase(after / before) for before, after in zip(seen, seen[1:] + seen[:1], strict=True))
    return abs(turns) > 3


def touches(floor: list[list[float]], x: float, y: float) -> bool:
    """Whether a point is on an edge: as far from both ends together as these are from each other."""
    ends = zip(floor, floor[1:] + floor[:1], strict=True)
    return any(hypot(a - x, b - y) + hypot(c - x, d - y) < hypot(a - c, b - d) + 1e-9 for (a, b), (c, d) in ends)


def floors(folder: Path) -> dict[str, list[list[float]]]:
    """The floors as they stand in recording.json."""
    told = json.loads((folder / "recording.json").read_text())["rooms"]
    return {room["id"]: np.reshape(room["floor"]["values"], room["floor"]["shape"]).tolist() for room in told}


def fan(floor: list[list[float]]) -> float:
    (x, y), *rest = floor
    pairs = pairwise(rest)
    return abs(sum((a - x) * (d - y) - (c - x) * (b - y) for (a, b), (c, d) in pairs)) / 2


def test_each_frame_is_in_the_room_whose_floor_winds_around_the_camera(saved: list[Path]) -> None:
    entered: set[str | None] = set()
    for folder in saved:
        recording, there = load_recording(folder), floors(folder)
        found = camera_rooms(recording)
        assert len(found) == len(recording.times)
        places = recording.world_T_camera[:, :2, 3].tolist()
        for frame, (room, (x, y)) in enumerate(zip(found, places, strict=True)):
            near = [name for name, floor in there.items() if touches(floor, x, y)]
            if near:  # in a doorway, on the line of the wall
                assert room == (found[frame - 1] if frame and found[frame - 1] in near else near[0])
                continue
            assert [room] == [name for name, floor in there.items() if winds(floor, x, y)]
            entered.add(room)
    assert entered == set(floors(saved[0]))


def test_the_authors_layout_has_the_same_room_of_each_frame(saved: list[Path], tmp_path: Path) -> None:
    recording = load_recording(saved[0])
    state_files(recording, tmp_path, "scene_0")
    lines = [json.loads(line) for line in (tmp_path / "agent_trajectory.jsonl").read_text().splitlines()]
    assert tuple(line["room_name"] for line in lines) == camera_rooms(recording)
    assert [list(floors(saved[0])).index(line["room_name"]) for line in lines] == [line["room_id"] for line in lines]


def test_show_prints_areas_and_stays(saved: list[Path]) -> None:
    told = CliRunner().invoke(app, ["show", str(saved[0]), "--json"])
    summary, there = json.loads(told.stdout), floors(saved[0])
    near = camera_rooms(load_recording(saved[0]))
    for room in summary["rooms"]:
        assert room["area_m2"] == pytest.approx(fan(there[room["id"]])) and room["frames"] == near.count(room["id"])
    assert summary["area_m2"] == pytest.approx(sum(map(fan, there.values())))
    assert [(one["room"], one["last"] - one["first"] + 1) for one in summary["visits"]] == [
        (room, len(list(run))) for room, run in groupby(near)
    ]
    printed = " ".join(CliRunner().invoke(app, ["show", str(saved[0])]).stdout.split())
    for room in there:
        assert f"{room} " in printed and f" {fan(there[room]):.1f} " in printed
    assert f" {sum(map(fan, there.values())):.1f} " in printed
    page = ct.load_recording(saved[0])._repr_html_()
    assert all(f"{fan(floor):.1f} m2" in page for floor in there.values()) and "{&#x27;" not in page


def test_a_frame_without_a_pose_and_a_recording_without_rooms_have_no_room(saved: list[Path]) -> None:
    recording = load_recording(saved[0])
    recording.world_T_camera[3] = np.nan
    assert camera_rooms(recording)[3] is None and camera_rooms(recording)[4] is not None
    empty = Recording(**{**vars(recording), "rooms": ()})
    assert set(camera_rooms(empty)) == {None} and "rooms" not in summarise(empty)
