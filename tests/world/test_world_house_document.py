"""House files of ProcTHOR: what is written is read again, and other people's files become homes."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chronotope as ct
from chronotope.errors import InputError
from chronotope.geometry.polygons import inside
from chronotope.make.sources.origin import parse_world
from chronotope.world.homes.changing import change_home
from chronotope.world.homes.document import document_of, home_of, read_house
from chronotope.world.homes.document.schema import HouseDocument
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.home import Home
from chronotope.world.homes.scenery import walk_through
from chronotope.world.kinds.house import QUALITIES
from chronotope.world.kinds.house.house import lay_file


def _home(seed: int, rooms: int | None = None) -> Home:
    generator = np.random.default_rng(seed)
    home = furnish(generator, draw_plan(generator, rooms))
    return change_home(generator, home, "").home


def _written(home: Home, folder: Path) -> Home:
    path = folder / "house.json"
    path.write_text(document_of(home).text(), encoding="utf-8")
    again, left_out = home_of(read_house(path), str(path))
    assert left_out == ()
    return again


def _assert_equal(one: Home, other: Home) -> None:
    assert [room.id for room in one.plan.rooms] == [room.id for room in other.plan.rooms]
    for first, second in zip(one.plan.rooms, other.plan.rooms, strict=True):
        np.testing.assert_allclose(first.polygon, second.polygon, atol=1e-8)
        assert (first.type, round(first.height, 8)) == (second.type, round(second.height, 8))
    for first, second in zip(one.plan.doors, other.plan.doors, strict=True):
        np.testing.assert_allclose(first.segment, second.segment, atol=1e-8)
        assert (first.id, first.rooms, first.opens_into) == (second.id, second.rooms, second.opens_into)
        if first.side is not None and second.side is not None:
            np.testing.assert_allclose(first.side, second.side, atol=1e-8)
        assert (first.side is None) == (second.side is None)
    for first, second in zip(one.plan.windows, other.plan.windows, strict=True):
        np.testing.assert_allclose(np.sort(first.segment, axis=0), np.sort(second.segment, axis=0), atol=1e-8)
        assert (first.id, first.room) == (second.id, second.room)
    assert one.objects.keys() == other.objects.keys()
    for name, first in one.objects.items():
        second = other.objects[name]
        np.testing.assert_allclose(first.pose, second.pose, atol=2e-6)
        assert (first.name, first.seed, first.room, first.parent, first.shelf, first.state) == (
            second.name, second.seed, second.room, second.parent, second.shelf, second.state
        )  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_a_home_is_the_same_after_it_was_written_and_read(seed: int, tmp_path: Path) -> None:
    home = _home(seed, 1 + 2 * seed)
    _assert_equal(home, _written(home, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_every_home_is_the_same_after_it_was_written_and_read(seed: int, tmp_path: Path) -> None:
    home = _home(seed)
    _assert_equal(home, _written(home, tmp_path))


def test_a_house_file_has_the_axes_of_the_simulator() -> None:
    # Computed from the keys of the file alone: rooms are clockwise in x (right) and z (up), walls go round each room
    # once, and the hole of a door is at the same place in the walls of both rooms.
    plain = json.loads(document_of(_home(7, 5)).text())
    walls = {wall["id"]: wall for wall in plain["walls"]}
    for room in plain["rooms"]:
        points = [(point["x"], point["z"]) for point in room["floorPolygon"]]
        turned = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))
        assert turned < 0
        around = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip(points, [*points[1:], points[0]], strict=True))
        own = [wall["polygon"] for wall in walls.values() if wall["roomId"] == room["id"]]
        assert sum(abs(p[0]["x"] - p[1]["x"]) + abs(p[0]["z"] - p[1]["z"]) for p in own) == pytest.approx(around)
    for door in plain["doors"]:
        places = [_on_wall(door, walls[door[key]]) for key in ("wall0", "wall1")]
        assert walls[door["wall0"]]["roomId"] == door["room0"]
        mirrored = sum((np.array(end) for end in _ends(walls[door["wall1"]])), np.zeros(2)) - places[1]
        assert np.allclose(places[0], places[1]) or np.allclose(places[0], mirrored)


def _ends(wall: dict[str, Any]) -> list[tuple[float, float]]:
    return [(point["x"], point["z"]) for point in wall["polygon"][:2]]


def _on_wall(hole: dict[str, Any], wall: dict[str, Any]) -> np.ndarray:
    start, end = map(np.array, _ends(wall))
    middle = sum(point["x"] for point in hole["holePolygon"]) / 2
    return start + (end - start) / np.linalg.norm(end - start) * middle


def _wall(room: str, start: tuple[float, float], end: tuple[float, float], **more: Any) -> dict[str, Any]:
    # The ids name the lower end first; outer walls list their upper edge first.
    low, high = sorted([start, end])
    heights = (2.6, 0.0) if room == "exterior" else (0.0, 2.6)
    number = room.removeprefix("room|")
    return {
        "id": f"wall|{number}|{low[0]:.2f}|{low[1]:.2f}|{high[0]:.2f}|{high[1]:.2f}",
        "material": {"name": "PureWhite"},
        "polygon": [{"x": x, "y": y, "z": z} for y in heights for x, z in (start, end)],
        "roomId": room,
        **more,
    }


def _point(x: float, y: float, z: float = 0.0) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def _thing(name: str, asset: str, place: tuple[float, float, float], turn: float, **more: Any) -> dict[str, Any]:
    return {"assetId": asset, "id": name, "position": _point(*place), "rotation": _point(0, turn), "layer": "P1"} | more


def _foreign_house() -> dict[str, Any]:
    """A file as ProcTHOR writes it: a living room that is open to a kitchen, and a bedroom behind a door.

    The kitchen is x 0 to 4, the living room x 4 to 10 (both z 0 to 5), and the bedroom x 0 to 10, z 5 to 9.
    """
    floors = {
        "room|2": ("Kitchen", [(0, 0), (0, 5), (4, 5), (4, 0)]),
        "room|3": ("LivingRoom", [(4, 0), (4, 5), (10, 5), (10, 0)]),
        "room|4": ("Bedroom", [(0, 5), (0, 9), (10, 9), (10, 5), (4, 5)]),  # the last corner is on a straight wall
    }
    walls = []
    for room, (_, points) in floors.items():
        for start, end in zip(points, [*points[1:], points[0]], strict=True):
            is_open = {start, end} == {(4, 0), (4, 5)}
            walls.append(_wall(room, start, end, **({"empty": True} if is_open else {})))
    walls += [
        _wall("exterior", (10, 0), (10, 5)), _wall("exterior", (0, 0), (0, 5)), _wall("exterior", (0, 9), (10, 9))
    ]  # fmt: skip
    doors = [
        {"assetId": "Doorway_10", "id": "door|3|4", "openable": True, "openness": 1, "room0": "room|3",
         "room1": "room|4", "wall0": "wall|3|4.00|5.00|10.00|5.00", "wall1": "wall|4|4.00|5.00|10.00|5.00",
         "holePolygon": [_point(2.0, 0), _point(2.95, 2.1)], "assetPosition": _point(2.48, 1.05)},
        {"assetId": "Doorway_Double_1", "id": "door|1|3", "openable": False, "openness": 0, "room0": "room|3",
         "room1": "room|3", "wall0": "wall|3|10.00|0.00|10.00|5.00", "wall1": "wall|exterior|10.00|0.00|10.00|5.00",
         "holePolygon": [_point(1.0, 0), _point(3.0, 2.13)], "assetPosition": _point(2.0, 1.06)},
    ]  # fmt: skip
    windows = [
        {"assetId": "Window_Hung_48x44", "id": "window|4|0", "room0": "room|4", "room1": "room|4",
         "wall0": "wall|4|0.00|9.00|10.00|9.00", "wall1": "wall|exterior|0.00|9.00|10.00|9.00",
         "holePolygon": [_point(6.0, 0.7), _point(7.2, 1.9)], "assetPosition": _point(6.6, 1.3)},
    ]  # fmt: skip
    objects = [
        _thing("Fridge|2|1", "Fridge_5", (0.45, 0.85, 2.0), 90, kinematic=True, openness=0, material=None, children=[
            _thing("Apple|surface|2|2", "Apple_27", (0.45, 1.2, 2.0), 270)]),
        _thing("DiningTable|3|4", "Dining_Table_16_1", (7.5, 0.38, 2.6), 0, kinematic=True, children=[
            _thing("Mug|surface|3|5", "Mug_1", (7.3, 0.8, 2.6), 90),
            _thing("Widget|surface|3|6", "Widget_1", (7.6, 0.8, 2.6), 0)]),
        _thing("Bed|4|7", "Bed_27", (2.0, 0.3, 7.9), 180, kinematic=True, isDirty=True),
        _thing("Painting|4|8", "Wall_Decor_1", (0.05, 1.6, 7.0), 90),
    ]  # fmt: skip
    return {
        "rooms": [
            {"id": room, "roomType": kind, "floorPolygon": [_point(x, 0, z) for x, z in points], "ceilings": [],
             "children": [], "floorMaterial": {"name": "DarkWoodFloors"}, "layer": "Procedural1"}
            for room, (kind, points) in floors.items()
        ],
        "walls": walls, "doors": doors, "windows": windows, "objects": objects,
        "proceduralParameters": {"skyboxId": "SkyAlbany", "lights": [{"id": "DirectionalLight"}]},
        "metadata": {"agent": {"horizon": 30, "position": _point(7, 0.95, 1), "rotation": _point(0, 90),
                               "standing": True}, "roomSpecId": "kitchen-living-bedroom-room", "schema": "1.0.0"},
    }  # fmt: skip


def _loaded(plain: dict[str, Any]) -> tuple[Home, tuple[str, ...]]:
    return home_of(HouseDocument.model_validate(plain), "house.json")


def test_a_foreign_house_becomes_a_home() -> None:
    home, left_out = _loaded(_foreign_house())
    assert left_out == ("Widget|surface|3|6",)
    plan = home.plan
    assert {room.id: round(room.area, 6) for room in plan.rooms} == {"room|2": 20, "room|3": 30, "room|4": 40}
    assert len(plan.by_id["room|4"].polygon) == 4
    assert plan.neighbours("room|3") == ("room|4", "room|2")
    inner, outer, opening = plan.doors
    np.testing.assert_allclose(np.sort(inner.segment, axis=0), [[6.0, 5], [6.95, 5]])
    assert (inner.opens_into, outer.is_closed, opening.rooms) == ("room|3", True, ("room|2", "room|3"))
    # The wall of the outside door goes round its room clockwise, from z 5 down to z 0.
    np.testing.assert_allclose(np.sort(outer.segment, axis=0), [[10, 2], [10, 4]])
    bed = home.objects["Bed|4|7"]
    assert np.linalg.norm(bed.pose[:2, 3] - (2.0, 7.9)) < 0.7
    np.testing.assert_allclose(bed.pose[:2, 0], [0, -1], atol=1e-9)  # a turn of 180 degrees looks along -z
    np.testing.assert_allclose(home.objects["Painting|4|8"].pose[:2, 0], [1, 0], atol=1e-9)
    assert home.objects["Apple|surface|2|2"].parent == "Fridge|2|1"
    assert home.objects["Mug|surface|3|5"].parent == "DiningTable|3|4"
    for each in home:
        assert inside(each.footprint(), plan.by_id[each.room].polygon).all(), each.id
    assert walk_through(np.random.default_rng(0), home) is not None


def test_things_of_one_asset_look_alike() -> None:
    plain = _foreign_house()
    plain["objects"] += [_thing(f"Stool|4|{n}", "Stool_3", (5.0 + 2 * n, 0.3, 7.0), 0) for n in (0, 1)]
    home, _ = _loaded(plain)
    assert home.objects["Stool|4|0"].seed == home.objects["Stool|4|1"].seed


def test_unknown_keys_are_kept() -> None:
    plain = _foreign_house()
    again = json.loads(HouseDocument.model_validate(plain).text())
    assert again["proceduralParameters"] == plain["proceduralParameters"]
    assert again["rooms"][0]["floorMaterial"] == {"name": "DarkWoodFloors"}
    assert again["metadata"]["agent"]["position"] == plain["metadata"]["agent"]["position"]
    assert again["walls"][2].get("empty") == plain["walls"][2].get("empty")


def test_a_closed_door_inside_is_no_way() -> None:
    plain = _foreign_house()
    plain["doors"][0]["openness"] = 0
    home, _ = _loaded(plain)
    assert home.plan.neighbours("room|4") == ()
    assert walk_through(np.random.default_rng(0), home) is None


def _broken(path: str, value: Any) -> dict[str, Any]:
    plain = _foreign_house()
    *way, last = path.split(".")
    place: Any = plain
    for key in way:
        place = place[int(key)] if isinstance(place, list) else place[key]
    if value is None:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return plain


def _own_facts(**facts: Any) -> dict[str, Any]:
    return {"chronotope": {"seed": 1, "room": "room|2", "shelf": 0, "state": {}, **facts}}


def _own(**facts: Any) -> dict[str, Any]:
    return _broken("objects.0.chronotope", _own_facts(**facts)["chronotope"])


def _scaled(factor: float) -> dict[str, Any]:
    """Return a house whose numbers are multiplied, as if its lengths were in other units."""

    def scaled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: scaled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [scaled(each) for each in value]
        return value * factor if type(value) is float else value

    return scaled(_foreign_house())


def _nested(levels: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": 5}
    for number in range(levels):
        entry = {**_thing(f"Shelf|{number}", "Shelf_1", (0, 0, 0), 0), "children": [entry]}
    return entry


@pytest.mark.parametrize(
    ("plain", "told"),
    [
        (_broken("rooms", []), "rooms"),
        (_broken("rooms", None), "field 'rooms': Field required"),
        (_broken("rooms.0.floorPolygon", [_point(0, 0), _point(1, 0)]), "floorPolygon"),
        (_broken("rooms.0.roomType", "Garage"), "expected one of LivingRoom, Kitchen, Bedroom, Bathroom"),
        (_broken("rooms.0.floorPolygon.1.x", 1.0), "not parallel to x or z"),
        (_broken("rooms.1.id", "room|2"), "two rooms have the same id"),
        (_broken("doors.0.room1", "room|9"), "names the room 'room|9'"),
        (_broken("doors.0.wall0", "wall|9"), "names the wall 'wall|9'"),
        (_broken("doors.0.holePolygon.1.x", 44.0), "the hole of door|3|4 is from 2.00 to 44.00 m"),
        (_broken("objects.0.position.x", float("nan")), "objects.0.position.x"),
        (_broken("objects.3.id", "Fridge|2|1"), "two objects have the id 'Fridge|2|1'"),
        (_broken("walls", []), "names the wall"),
        (_broken("walls.0.polygon", [_point(0, 0)]), "walls.0.polygon"),
        (_own(state={"evil": 1}), "field 'evil' is unknown"),
        (_own(state={"openness": 2}), "less than or equal to 1"),
        (_own(state={"liquid": "lava"}), "Input should be 'water', 'coffee' or 'wine'"),
        (_own(seed=-1), "objects.0.chronotope.seed': Input should be greater than or equal to 0"),
        (_own(seed=2**80), "objects.0.chronotope.seed"),
        (_own(room="room|9"), "is in the room 'room|9', and there is no such room"),
        (
            _broken("objects.0.children", [{**_thing("Mug|9", "Mug_1", (0, 0, 0), 0), **_own_facts(shelf=99)}]),
            "shelf 99",
        ),
        (_broken("objects.0.id", "Fridge|\ud800"), "objects.0.id': is not a name"),
        (_broken("objects.0.id", "Fridge|\x1b[31m"), "objects.0.id': is not a name"),
        (_broken("objects.0.id", "Fridge|" + "1" * 5000), "objects.0.id': is not a name"),
        (_broken("metadata.note", "\ud800"), "a text has half of a character"),
        (_broken("objects.0.position.x", 1e308), "less than or equal to 1000"),
        (_broken("objects.0.openness", -5), "objects.0.openness"),
        (_broken("doors.0.openness", 7), "doors.0.openness"),
        (_scaled(10), "expected at most 100 m, 20 m and 2000 m², with lengths in metres"),
        (_scaled(1000), "less than or equal to 1000"),
        (_scaled(1e300), "less than or equal to 1000"),
        (_broken("objects", [_thing(f"Mug|{n}", "Mug_1", (0, 0, 0), 0) for n in range(3000)]), "at most 2000 items"),
        (_broken("objects.0.children", [_nested(400)]), " ... "),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_broken_house_is_explained(plain: dict[str, Any], told: str, tmp_path: Path) -> None:
    path = tmp_path / "house.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        home_of(read_house(path), str(path))
    assert str(path) in str(caught.value)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


@pytest.mark.slow
def test_a_benchmark_is_built_from_a_house_file(drawable: None, tmp_path: Path) -> None:
    path = tmp_path / "flat.json"
    path.write_text(json.dumps(_foreign_house()), encoding="utf-8")
    built = ct.build("sti", f"world:house:{path}", tmp_path / "bench", seed=1, quality="fast")
    assert built.card.command.startswith("chronotope build sti world:house:flat.json ")
    recordings = tmp_path / "bench" / "recordings"
    assert sorted(each.name for each in recordings.iterdir()) == ["flat-1-state_0", "flat-1-state_1"]
    first, second = (read_house(each / "house.json") for each in sorted(recordings.iterdir()))
    home, _ = _loaded(_foreign_house())
    _assert_equal(home, home_of(first, "first")[0])
    assert first.text() != second.text()


@pytest.mark.parametrize(
    ("plain", "told"),
    [
        (_broken("doors.0.openness", 0), "nobody can walk into room|4"),
        (_broken("objects", []), "no change of this house was found"),
    ],
)
def test_a_house_that_cannot_be_used_is_explained(plain: dict[str, Any], told: str, tmp_path: Path) -> None:
    path = tmp_path / "flat.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(told)):
        lay_file(path, np.random.default_rng(0), QUALITIES["fast"])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("world:house:missing.json", "there is no file missing.json"),
        ("world:house:-3", "expected the number of scenes"),
        ("world:table:missing.json", "expected the number of scenes"),
    ],
)
def test_a_source_without_a_file_is_explained(source: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        parse_world(source)


def test_a_folder_of_houses_is_a_source(tmp_path: Path) -> None:
    source = parse_world(f"world:house:{tmp_path}")
    assert source is not None
    with pytest.raises(InputError, match=r"has no scenes: expected files whose names end with \.json"):
        source.files()
    for name in ("b.json", "a.json"):
        (tmp_path / name).write_text("{}")
    assert source.files() == [tmp_path / "a.json", tmp_path / "b.json"]
