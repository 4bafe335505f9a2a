"""Homes that AI2-THOR films: a benchmark from events in AI2-THOR's form, and what is refused."""

import json
import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import thor_house
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.errors import InputError
from chronotope.make import BuildRequest, build
from chronotope.make.sources.find import find_origins
from chronotope.question import open_benchmark
from chronotope.recording import load_recording
from chronotope.world import RefusedError, simulate_thor, world_kinds
from chronotope.world.homes.document import document_of, home_of, read_house
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.operations import abilities
from chronotope.world.simulator.things import is_piece

pytestmark = pytest.mark.usefixtures("drawable")
SMALL = replace(world_kinds()["house"].qualities["fast"], width=160, height=160)


@pytest.fixture
def house(tmp_path):
    """The file of a house of one room."""
    generator = np.random.default_rng(5)
    path = tmp_path / "house.json"
    path.write_text(document_of(furnish(generator, draw_plan(generator, 1))).text())
    return path


@pytest.fixture(autouse=True)
def controller(monkeypatch):
    """AI2-THOR whose controller acts in a home of ours."""
    package, module = ModuleType("ai2thor"), ModuleType("ai2thor.controller")
    package.__spec__, package.__version__ = ModuleSpec("ai2thor", None), "5.0.0"
    module.Controller = type("Controller", (thor_house.House,), {})
    platform = ModuleType("ai2thor.platform")
    platform.CloudRendering = "CloudRendering"
    monkeypatch.setitem(sys.modules, "ai2thor", package)
    monkeypatch.setitem(sys.modules, "ai2thor.platform", platform)
    monkeypatch.setitem(sys.modules, "ai2thor.controller", module)
    return module.Controller


def test_a_house_is_filmed_in_two_states_and_verified(house, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    scene = simulate_thor(house, "home", np.random.default_rng(1), SMALL, folder)
    first, second = scene.recordings
    assert (first.state, second.state) == ("state_0", "state_1") and scene.changes
    assert first.provenance["engine"] == "thor" and first.licence == "Apache-2.0"
    assert first.rooms and all(each.attributes["room"] == first.rooms[0].id for each in first.entities)
    assert {each.operation for each in scene.changes} & {"PlaceObjectAtPoint", "AddObject", "RemoveObject"}
    stated = {each["id"]: each["position"] for each in every(json.loads(house.read_text())["objects"])}
    assert {each.id for each in first.entities} == set(stated)
    for entity in first.entities:
        assert entity.poses[0][[0, 2, 1], 3] == pytest.approx([stated[entity.id][axis] for axis in "xyz"], abs=1e-4)
        assert entity.visible_fraction is None and entity.visible_pixels.max() >= 0


def every(objects):
    for each in objects:
        yield each
        yield from every(each.get("children", ()))


@pytest.mark.slow
def test_questions_of_m3_verse_are_made_from_it(house, tmp_path):
    words = ["build", "m3", f"world:house:{house}", "--out", str(tmp_path / "bench"), "--engine", "thor"]
    told = CliRunner().invoke(app, [*words, "--seed", "3", "--quality", "fast", "--workers", "1"])
    assert told.exit_code == 0, (told.output, told.exception)
    bench = open_benchmark(tmp_path / "bench")
    assert "--engine thor" in bench.card.command
    kinds = {each.task for each in bench.questions}
    assert len(kinds) == 5, "all of M3-Verse's categories"
    recording = load_recording(tmp_path / "bench" / "recordings" / "house-3-state_1")
    assert recording.provenance["file"] == "house.json" and recording.depth


def test_a_camera_that_leaves_its_way_is_refused(house, tmp_path, controller):
    controller.slips = frozenset({4})
    with pytest.raises(InputError, match=r"AI2-THOR moved the camera to a place 0.05 m beside the planned one"):
        simulate_thor(house, "home", np.random.default_rng(1), SMALL, tmp_path)


def test_a_scene_without_rooms_is_filmed_too(tmp_path, controller, house):
    document = json.loads(house.read_text())

    class Named(controller):
        def __init__(self, scene, **settings):
            assert scene == "FloorPlan201" and settings["fieldOfView"] == 120.0
            super().__init__(document, **settings)

    sys.modules["ai2thor.controller"].Controller = Named
    scene = simulate_thor("FloorPlan201", "home", np.random.default_rng(1), SMALL, tmp_path)
    assert not scene.recordings[0].rooms and len(scene.recordings) == 2 and scene.changes
    assert not any("room" in each.attributes for each in scene.recordings[0].entities)


def test_a_house_in_which_nothing_can_be_changed_is_refused(house, tmp_path):
    home, _ = home_of(read_house(house), "house")
    fixed = {each.id for each in home if each.parent is None and abilities(each) <= {"moveable"}}
    document = json.loads(house.read_text())
    document["objects"] = [{**each, "children": []} for each in document["objects"] if each["id"] in fixed]
    assert document["objects"]
    house.write_text(json.dumps(document))
    with pytest.raises(RefusedError, match=r"house.json: nothing in it was changed: use another --seed"):
        simulate_thor(house, "home", np.random.default_rng(1), SMALL, tmp_path)


def test_slices_count_as_the_thing_that_was_sliced():
    whole = {"Apple|1|2", "Egg|3", "Cabinet|1"}
    assert is_piece("Apple|1|2|AppleSliced_0", whole) == "Apple|1|2"
    assert is_piece("Egg|3|EggCracked_1", whole) == "Egg|3"
    assert is_piece("Cabinet|1|Drawer", whole) is None and is_piece("Bread|1|BreadSliced_1", whole) is None


REFUSED = {
    "another world": (
        "world:table:2",
        {"family": "sti"},
        "--engine thor: AI2-THOR does not film world:table: leave out the flag, or",
    ),
    "a recording": ("clips", {}, "--engine thor: only simulated homes have an engine, and clips is not a simulated"),
    "baked light": ("world:house:2", {"quality": "photo"}, "--quality photo: AI2-THOR has its own light: choose fast"),
    "assets": (
        "world:house:2",
        {"assets": Path("a")},
        "--assets a: AI2-THOR has its own furniture: leave out the flag",
    ),
    "people": ("world:house:2", {"world_options": {"people": 2}}, "--people 2: belongs to our own homes: leave out"),
    "too many scenes": ("world:house:121", {}, "world:house:121: AI2-THOR has 120 scenes: name at most so many"),
    "no scene": (
        "world:house:FloorPlan99",
        {},
        "world:house:FloorPlan99: AI2-THOR has no scene FloorPlan99: expected FloorPlan1",
    ),
    "its scene without it": ("world:house:FloorPlan1", {"engine": "own"}, "world:house:FloorPlan1: FloorPlan1 is a sc"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_ai2thor_does_not_film_is_told_in_one_sentence(case, tmp_path):
    source, more, sentence = REFUSED[case]
    with pytest.raises(InputError) as caught:
        build(BuildRequest(**{"family": "m3", "source": source, "out": tmp_path / "bench", "engine": "thor"} | more))
    assert str(caught.value).startswith(sentence) and "\n" not in str(caught.value)


def test_without_ai2thor_nothing_is_begun(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ai2thor", None)
    with pytest.raises(InputError, match=r"^AI2-THOR is not installed: pip install 'chronotope\[thor\]'$"):
        build(BuildRequest("m3", "world:house:FloorPlan1", tmp_path / "bench", engine="thor"), workers=1)


def test_numbers_and_names_are_scenes_of_ai2thor():
    named = [
        [
            (each.name, each.thor)
            for each in find_origins(BuildRequest("m3", source, "", engine="thor"), "scene", False).found
        ]
        for source in ("world:house:3", "world:house:FloorPlan430")
    ]
    first = [("floorplan1-0", "FloorPlan1"), ("floorplan201-0", "FloorPlan201"), ("floorplan301-0", "FloorPlan301")]
    assert named == [first, [("floorplan430-0", "FloorPlan430")]]
