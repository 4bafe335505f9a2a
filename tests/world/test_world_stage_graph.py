"""Scene graphs of the twelve tasks: rules, cycles and ground truth, stated again by this test's own means."""

import json
from collections import Counter
from copy import deepcopy
from functools import cache
from math import atan, atan2, degrees

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.kinds.stage.graph import (
    POOLS,
    TASKS,
    common_rules,
    draw_graph,
    mirror,
    parse_graph,
    published,
    read_graph,
    scenario_of,
    schema_faults,
    schema_of,
    validate,
    validate_scenario,
)
from chronotope.world.kinds.stage.graph.scenarios import Scenario

PROFILES = ("paper", "extended")
ALL = [(task, profile) for task in TASKS for profile in PROFILES]
WINDS = ["North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest"]


@cache
def graph(task: str, index: int = 0, profile: str = "paper", seed: int = 0):
    return draw_graph(np.random.default_rng([seed, index]), task, index, profile=profile)  # type: ignore[arg-type]


def data(task: str, index: int = 0, profile: str = "paper") -> dict:
    return graph(task, index, profile).model_dump(mode="json")


def by_role(given: dict, role: str) -> dict:
    return next(each for each in given["objects"] if each["role"] == role)


def looks(given: dict, role: str) -> dict:
    return by_role(given, role)["attributes"]


def put(*path, value):
    """An edit that sets a value at a path; a word in the list of objects is a role."""

    def edit(given: dict) -> None:
        *way, last = path
        for key in way:
            given = by_role({"objects": given}, key) if isinstance(given, list) and isinstance(key, str) else given[key]
        given[last] = value

    return edit


def drop(role: str):
    return lambda given: given["objects"].remove(by_role(given, role))


def same(key: str, role: str, other: str):
    """An edit that gives one object a value of another."""
    return lambda given: looks(given, role).update({key: looks(given, other)[key]})


def containers(given: dict) -> list[dict]:
    return [each["attributes"] for each in given["objects"] if each["role"] == "container"]


def equal_contents(given: dict) -> None:
    containers(given)[1]["content"] = containers(given)[0]["content"]


def alike_contents(given: dict) -> None:
    containers(given)[0]["content"], containers(given)[1]["content"] = "blue balls", "pink balls"


def wet_crate(given: dict) -> None:
    containers(given)[0].update(type="open crate", content="water")


def twins(given: dict) -> None:
    one, other = containers(given)[:2]
    other.update(type=one["type"], color=one["color"])


def two_places(given: dict) -> None:
    given["spatial_layout"][1]["relation"] = given["spatial_layout"][0]["relation"]


def swapped(one: str, other: str):
    def edit(given: dict) -> None:
        first, second = by_role(given, one), by_role(given, other)
        first["role"], second["role"] = other, one

    return edit


def steps(given: dict) -> list[dict]:
    return given["temporal_flow"]["action_sequence"]


def reverse_steps(given: dict) -> None:
    for step, text in zip(steps(given), [step["action_description"] for step in reversed(steps(given))], strict=True):
        step["action_description"] = text


def same_looks(given: dict) -> None:
    by_role(given, "faster")["visual_attributes"] = by_role(given, "slower")["visual_attributes"]


def remove_first(given: dict) -> None:
    steps(given)[0]["action"] = "REMOVE"


# One edit that breaks each rule: the edit must be reported with this id.
BREAKERS = {
    "MC.R1": drop("container"),
    "MC.R2": put("objects", "container", "attributes", "material", value="glass"),
    "MC.R3": twins,
    "MC.R4": equal_contents,
    "MC.R5": alike_contents,
    "MC.R6": two_places,
    "MC.R7": put("camera_movement", "high_elevation", value=45.0),
    "MC.R8": wet_crate,
    "QC.R1": drop("countable_items"),
    "QC.R2": put("objects", "container", "label", value="green waste bin with a lid"),
    "QC.R3": put("objects", "container", "attributes", "initial_state", value="Full"),
    "QC.R4": put("camera_movement", "height", value="overhead"),
    "QC.R5": lambda given: steps(given).append(deepcopy(steps(given)[0])),
    "QC.R6": remove_first,
    "QC.R7": put("params", "final_inside", value=1),
    "QC.R8": put("objects", "countable_items", "attributes", "initial_location", value="in the hand"),
    "QC.R9": same("color", "container", "countable_items"),
    "CI.R1": drop("obj_B2"),
    "CI.R2": put("objects", "container_A", "attributes", "material", value="glass"),
    "CI.R3": same("material", "container_B", "container_A"),
    "CI.R4": lambda given: looks(given, "obj_B1").update(looks(given, "obj_A1")),
    "CI.R5": lambda given: looks(given, "obj_A2").update(looks(given, "obj_A1")),
    "CI.R6": put("objects", "container_B", "attributes", "revealed_in", value="first"),
    "CI.R7": put("camera_movement", "look_seconds", value=1.0),
    "CI.R8": put("ground_truth", "answer", value=2),
    "CM.R1": drop("effector_2"),
    "CM.R2": put("objects", "trigger_2", "attributes", "position", value="background_left"),
    "CM.R3": put("objects", "effector_1", "attributes", "position", value="background_left"),
    "CM.R4": lambda given: steps(given).pop(),
    "CM.R5": put("temporal_flow", "action_sequence", 0, "action_description", value="Nothing else changes."),
    "CM.R6": put("camera_movement", "pitch_down", value=5.0),
    "CM.R7": put("objects", "effector_1", "attributes", "type", value="book"),
    "DE.R1": drop("landmark_2"),
    "DE.R2": put("camera_movement", "legs", value=[4.0, 4.0, 4.0]),
    "DE.R3": put("camera_movement", "compass", value="West"),
    "DE.R4": put("camera_movement", "legs", value=[9.0, 4.0]),
    "DE.R5": same("color", "landmark_2", "landmark_1"),
    "DE.R6": put("objects", "landmark_1", "attributes", "position", value="north wall, at the start"),
    "DE.R7": put("objects", "landmark_2", "attributes", "position", value="west wall, far end of segment 2"),
    "IO.R1": drop("destination_surface"),
    "IO.R2": put("objects", "target", "position", value="Right"),
    "IO.R3": same("type", "distractor", "target"),
    "IO.R4": swapped("target", "distractor"),
    "IO.R5": put("objects", "destination_surface", "position", value="right"),
    "IO.R6": reverse_steps,
    "IO.R7": put("camera_movement", "type", value="pan"),
    "IO.R8": put("objects", "agent", "attributes", "type", value="boy"),
    "HO.R1": drop("obj_middle"),
    "HO.R2": put("camera_movement", "moves_position", value=True),
    "HO.R3": put("objects", "obj_middle", "attributes", "height_level", value="highest"),
    "HO.R4": put("objects", "obj_distractor", "attributes", "placement", value="a chair"),
    "HO.R5": put("objects", "obj_highest", "attributes", "type", value="toolbox"),
    "HO.R6": put("camera_movement", "distractor_side", value="right"),
    "VI.R1": drop("occluder"),
    "VI.R2": put("objects", "occluder", "attributes", "material", value="Glass"),
    "VI.R3": put("objects", "target", "attributes", "position", value="1 o'clock (initial), moves to 5 o'clock"),
    "VI.R4": put("objects", "observer", "attributes", "position", value="9 o'clock (initial), moves to 6 o'clock"),
    "VI.R5": put("objects", "target", "attributes", "position", value="12 o'clock (initial), moves to 6 o'clock"),
    "VI.R6": put("objects", "observer", "attributes", "position", value="3 o'clock"),
    "VI.R7": put("camera_movement", "pitch_down", value=20.0),
    "VI.R8": put("temporal_flow", "observer_view_status", value={"initial": "Occluded", "final": "Occluded"}),
    "DS.R1": lambda given: given["objects"].append({**deepcopy(given["objects"][0]), "id": "board", "label": "board"}),
    "DS.R2": put("objects", "sign", "attributes", "entry_B", "arrow", value="Up-Left"),
    "DS.R3": put("objects", "sign", "attributes", "entry_B", "text", value="A text that nobody reads in passing"),
    "DS.R4": put("objects", "sign", "attributes", "placement", value="a poster on the wall"),
    "DS.R5": put("camera_movement", "exits", value=["Straight", "Left"]),
    "DS.R6": put("camera_movement", "seconds_after", value=1.0),
    "RV.R1": drop("faster"),
    "RV.R2": put("objects", "faster", "motion", "speed", value=17.0),
    "RV.R3": put("objects", "slower", "motion", "description", value="accelerates"),
    "RV.R4": put("objects", "slower", "position", value="middle lane"),
    "RV.R5": same_looks,
    "RV.R6": put("objects", "slower", "relative_velocity_to_ego", value="Faster-than-Ego"),
    "RV.R7": reverse_steps,
    "RV.R8": put("camera_movement", "trajectory", value="turning"),
    "LS.R1": drop("landmark_3"),
    "LS.R2": put("camera_movement", "looks_down", value=False),
    "LS.R3": same("rooftop_shape", "landmark_3", "landmark_1"),
    "LS.R4": put("objects", "landmark_2", "attributes", "position_relative_to_L1", value="South"),
    "LS.R5": put("objects", "landmark_3", "place", value=[0.0, 300.0]),
    "LS.R6": put("objects", "landmark_3", "place", value=[900.0 * 0.3827, 900.0 * 0.9239]),
    "LS.R7": put("objects", "landmark_3", "place", value=[0.0, -930.0]),
    "BT.R1": drop("distractor"),
    "BT.R2": put("temporal_flow", "initial_setup", "description", value="The car turns a corner."),
    "BT.R3": put("objects", "distractor", "attributes", "position", value="right"),
    "BT.R4": put("objects", "trigger", "attributes", "entry_direction", value="right"),
    "BT.R5": reverse_steps,
    "BT.R6": same("color", "trigger", "agent"),
    "BT.R7": put("camera_movement", "is_high", value=False),
}  # fmt: skip
COMMON = {
    "ALL.R3": ("MC", put("spatial_layout", 0, "subject", value="container_9")),
    "ALL.R4": ("HO", lambda given: by_role(given, "obj_middle").update(label=by_role(given, "obj_lowest")["label"])),
    "ALL.R5": ("HO", put("scene_meta", "theme", value="wizard's shelves")),
    "ALL.R6": ("IO", put("objects", "agent", "attributes", "appearance", value="man with a caption on the shirt")),
    "ALL.R7": ("HO", put("ground_truth", "highest_object", value="red mug")),
    "ALL.R9": ("HO", put("scene_meta", "scene_dynamics", value="Dynamic")),
    "ALL.R10": ("QC", put("params", "action_sequence", value=["ADD"])),
    "ALL.R11": ("IO", put("objects", "agent", "id", value="obj_Left")),
    "ALL.R12": ("RV", put("objects", "faster", "label", value="red racer")),
    "ALL.R13": ("HO", put("objects", "obj_middle", "attributes", "type", value="spaceship")),
    "ALL.R14": ("DE", put("objects", "landmark_1", "attributes", "color", value="pink")),
    "ALL.R15": ("HO", put("objects", "obj_middle", "label", value="purple thing")),
}
SCENARIO = {
    "ALL.R1": ("HO", put("phases", 1, "t0", value=3.5)),
    "ALL.R2": ("HO", put("phases", 0, "events", value=[{"kind": "move", "object": "obj_lowest", "t0": 0, "t1": 1}])),
    "ALL.R8": ("QC", put("phases", -1, "t1", value=30.0)),
    "ALL.R16": ("MC", put("phases", 0, "name", value="opening")),
    "ALL.R17": ("IO", put("phases", 1, "events", 0, "agent", value="robot")),
}


def test_every_rule_has_a_graph_that_breaks_it() -> None:
    rules = {rule.id for task in TASKS.values() for rule in task.rules.rules}
    assert rules == set(BREAKERS)
    shared = {rule.id for book in (common_rules.GRAPHS, common_rules.DRAWN) for rule in book.rules}
    assert shared == set(COMMON) and {rule.id for rule in common_rules.SCENARIOS.rules} == set(SCENARIO)


@pytest.mark.parametrize("rule", BREAKERS)
def test_a_broken_graph_is_reported_with_the_rule(rule: str) -> None:
    given = data(rule[:2])
    BREAKERS[rule](given)
    found = [each for each in validate(parse_graph(given), is_drawn=True) if each.rule == rule]
    assert found and all(each.path and each.found and each.expected and each.hint for each in found)


@pytest.mark.parametrize("rule", COMMON)
def test_a_graph_that_breaks_a_common_rule_is_reported(rule: str) -> None:
    task, edit = COMMON[rule]
    given = data(task)
    edit(given)
    assert rule in {each.rule for each in validate(parse_graph(given), is_drawn=True)}


@pytest.mark.parametrize("rule", SCENARIO)
def test_a_scenario_that_breaks_a_rule_is_reported(rule: str) -> None:
    task, edit = SCENARIO[rule]
    given = scenario_of(graph(task)).model_dump(mode="json")
    edit(given)
    assert rule in {each.rule for each in validate_scenario(graph(task), Scenario.model_validate(given))}


@pytest.mark.parametrize(("task", "profile"), ALL)
def test_drawn_graphs_are_valid_and_survive_json(task: str, profile: str, tmp_path) -> None:
    entries = TASKS[task].cycles[profile].length  # type: ignore[index]
    for index in range(entries):
        for seed in range(20 if entries <= 8 else 3):
            made = graph(task, index, profile, seed)
            assert validate(made, is_drawn=True) == [] and validate_scenario(made, scenario_of(made)) == []
        text = json.dumps(made.model_dump(mode="json"))
        assert parse_graph(json.loads(text)) == made
    path = tmp_path / "graph.json"
    path.write_text(text, encoding="utf-8")
    assert read_graph(path) == made and schema_faults(json.loads(text), task) == []


def truth_of(given: dict) -> dict:
    """The core of the ground truth, from the objects of a graph by formulas of this test."""
    things, task, params = given["objects"], given["scene_meta"]["task_type"][:2], given["params"]
    role = {each["role"]: each for each in things}
    if task == "MC":
        return {"mapping": {e["label"]: e["attributes"]["content"] for e in things if e["role"] == "container"}}
    if task == "QC":
        moves = [step["action"] for step in given["temporal_flow"]["action_sequence"]]
        return {"final_inside_count": moves.count("ADD") - moves.count("REMOVE"), "initial_inside_count": 0}
    if task == "CI":
        bins = [{e["label"] for e in things if e["role"].startswith(f"obj_{x}")} for x in "AB"]
        return {"answer": len(bins[0] & bins[1]), "num_shared": params["num_shared"]}
    if task == "CM":
        names = [role["effector_1"]["label"], role["effector_2"]["label"]]
        if params["scenario_type"] != "A":
            names[params["scenario_type"] == "C"] = "No Effect"
        return {"trigger_1_effect": names[0], "trigger_2_effect": names[1]}
    if task == "DE":
        if params["shape"] != "L":
            return {"turn_direction": params["turn_direction"]}
        first, second = given["camera_movement"]["legs"]
        hour = (180 - degrees(atan(first / second))) / 30
        hour = hour if params["turn_direction"] == "Right" else 12 - hour
        return {"relative_direction_to_start": f"{int(hour)}-{int(hour) + 1} o'clock"}
    if task == "IO":
        return {
            "target_object_id": f"obj_{params['target_position']}",
            "destination": role["destination_surface"]["label"],
        }
    if task == "HO":
        order = [role[f"obj_{level}"]["label"] for level in ("lowest", "middle", "highest")]
        return {"height_ranking_low_to_high": order, "tilt_direction": params["tilt_dir"]}
    if task == "VI":
        seen = [sight(role["observer"], role["target"], end) for end in (0, -1)]
        return {"initial_status": seen[0], "final_status": seen[1]}
    if task == "DS":
        entries = [e for k, e in role["sign"]["attributes"].items() if k.startswith("entry") and e]
        goal = next((e["text"] for e in entries if e["arrow"] == params["agent_path"]), "Not indicated on sign")
        return {"destination": goal, "agent_heading": params["agent_path"]}
    if task == "RV":
        ranked = sorted(things, key=lambda each: each["motion"]["speed"])
        return {"velocity_ranking_low_to_high": [each["id"] for each in ranked]}
    if task == "LS":
        east, north = role["landmark_3"]["place"]
        return {"L3_relative_to_L1": WINDS[int((degrees(atan2(east, north)) + 22.5) % 360 // 45)]}
    return {"trigger_object_label": role["trigger"]["label"], "reaction_type": params["reaction_type"]}


def sight(observer: dict, target: dict, end: int) -> str:
    """Two points on a circle see each other unless the line between them passes near to the middle."""
    at = []
    for each in (observer, target):
        hours = [int(word) for word in each["attributes"]["position"].replace("'", " ").split() if word.isdigit()]
        angle = np.pi / 6 * hours[end]
        at.append(np.array([np.sin(angle), np.cos(angle)]))
    away = np.linalg.norm((at[0] + at[1]) / 2)
    return "Occluded" if away < 0.3 else "Visible" if away > 0.6 else "Partial"


@pytest.mark.parametrize(("task", "profile"), ALL)
def test_ground_truth_is_recomputed_and_its_mirror_image_too(task: str, profile: str) -> None:
    for index in range(min(TASKS[task].cycles[profile].length, 24)):  # type: ignore[index]
        made = graph(task, index, profile)
        flipped = mirror(made)
        assert mirror(flipped) == made and validate(flipped, is_drawn=True) == []
        for given in (made.model_dump(mode="json"), flipped.model_dump(mode="json")):
            for key, value in truth_of(given).items():
                assert given["ground_truth"][key] == value


def test_mirrored_answers_change_sides() -> None:
    turned = {"4-5 o'clock": "7-8 o'clock", "7-8 o'clock": "4-5 o'clock"}
    for index in range(4):
        one, other = graph("DE", index).ground_truth, mirror(graph("DE", index)).ground_truth
        assert turned[one.relative_direction_to_start] == other.relative_direction_to_start  # type: ignore[attr-defined]
    for index in range(64):
        one, other = graph("LS", index).ground_truth, mirror(graph("LS", index)).ground_truth
        k = WINDS.index(one.L3_relative_to_L1)  # type: ignore[attr-defined]
        assert other.L3_relative_to_L1 == WINDS[-k % 8]  # type: ignore[attr-defined]
    for index in range(2):  # the content of a container is no side
        assert mirror(graph("MC", index)).ground_truth == graph("MC", index).ground_truth


# Acceptance test 2 of the specification: how often each entry occurs in 100 scenes.
COUNTS = {
    "MC": ("camera_trajectory", [50, 50]), "QC": ("action_sequence", [25] * 4), "CI": ("num_shared", [25] * 4),
    "HO": ("tilt_dir distractor_level", [25] * 4), "BT": ("reaction_type distractor_position", [25] * 4),
    "CM": ("scenario_type", [34, 33, 33]), "DE": ("turn_direction", [50, 50]), "RV": ("slow_side", [50, 50]),
    "IO": ("agent_entry target_position", [17] * 4 + [16] * 2),
    "VI": ("transition observer_side mover", [13] * 4 + [12] * 4), "DS": ("agent_path", [34, 33, 33]),
    "LS": ("l2_appear drift_dir", [2] * 36 + [1] * 28),
}  # fmt: skip


@pytest.mark.parametrize("task", COUNTS)
def test_cycles_fix_the_distribution_of_answers(task: str) -> None:
    keys, expected = COUNTS[task]
    scenes = [TASKS[task].cycles["paper"].at(index) for index in range(100)]
    assert sorted(Counter(tuple(s[key] for key in keys.split()) for s in scenes).values(), reverse=True) == expected


def test_cycles_are_in_the_published_order() -> None:
    assert [TASKS["HO"].cycles["paper"].at(k)["distractor_level"] for k in range(4)] == [
        "lowest", "highest", "highest", "lowest",
    ]  # fmt: skip
    assert [TASKS["QC"].cycles["paper"].at(k)["item_side"] for k in (0, 9, 10, 19, 20)] == [
        "left", "left", "right", "right", "left",
    ]  # fmt: skip
    vi = [TASKS["VI"].cycles["paper"].at(k) for k in range(8)]
    assert [e["mover"] for e in vi] == ["Target_Moves"] * 4 + ["Observer_Moves"] * 4
    assert [e["transition"] for e in vi[:2]] == ["Visible_to_Occluded", "Occluded_to_Visible"]


@pytest.mark.parametrize("task", TASKS)
def test_balanced_parameters_are_independent_of_the_entries(task: str) -> None:
    cycle = TASKS[task].cycles["paper"]
    seen = Counter(json.dumps(cycle.at(index), sort_keys=True) for index in range(cycle.length * 2))
    wanted = len(cycle.entries) * len(cycle.balance)
    assert len(seen) == wanted and (len(set(seen.values())) == 1 or task == "QC")


def test_profiles_are_never_mixed() -> None:
    for task in TASKS.values():
        for index in range(8):
            given = data(task.short, index, "extended")
            given["profile"] = "paper"
            paper = task.cycles["paper"]
            entry = task.params(**task.cycles["extended"].at(index))
            if all(task.params(**paper.at(k)) != entry for k in range(paper.length)):
                assert "ALL.R10" in {each.rule for each in validate(parse_graph(given))}


def test_published_graphs_have_the_published_keys_only() -> None:
    keys = {
        "MC": {"spatial_layout"}, "QC": {"temporal_flow"}, "CI": {"temporal_flow"}, "CM": {"temporal_flow"},
        "IO": {"temporal_flow"}, "VI": {"temporal_flow"}, "RV": {"temporal_flow"}, "BT": {"temporal_flow"},
        "HO": set(), "DE": set(), "DS": set(), "LS": set(),
    }  # fmt: skip
    for task in TASKS:
        plain = published(graph(task))
        assert set(plain) == {"scene_meta", "objects", "camera_movement", "ground_truth"} | keys[task]
    [_, first, *_] = published(graph("MC"))["objects"]
    assert set(first) == {"id", "label", "role", "attributes"}
    assert set(first["attributes"]) == {"content", "color", "material"}
    mover = next(each for each in published(graph("RV"))["objects"] if each["role"] == "faster")
    assert set(mover) == {"id", "label", "role", "visual_attributes", "motion", "position", "relative_velocity_to_ego"}
    assert {"step", "action_description", "action"} == set(
        published(graph("QC"))["temporal_flow"]["action_sequence"][0]
    )


def test_schemas_of_graphs_that_are_drawn_list_the_words() -> None:
    free, drawn = schema_of("MC"), schema_of("MC", is_drawn=True)
    field = drawn["$defs"]["ContainerAttributes"]["properties"]["type"]
    assert "bucket" in field["enum"] and "enum" not in free["$defs"]["ContainerAttributes"]["properties"]["type"]
    assert "farmhouse kitchen table" in drawn["$defs"]["SceneMeta"]["properties"]["theme"]["enum"]


def test_graphs_that_are_not_graphs_are_refused_in_one_sentence(tmp_path) -> None:
    path = tmp_path / "graph.json"
    for text, told in (
        ("[]", "scene_meta"),
        ('{"scene_meta": {"task_type": "XX"}}', "no task"),
        ("{", "is not JSON"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            read_graph(path)
    given = data("HO")
    given["camera_movement"]["speed"] = 3
    path.write_text(json.dumps(given), encoding="utf-8")
    with pytest.raises(InputError, match="speed"):
        read_graph(path)
    assert schema_faults(given, "HO")[0].rule == "SCHEMA"


def test_a_set_tells_the_category_of_its_theme() -> None:
    dressings = {"festive", "sporty", "bookish", "industrial", "arty"}
    for name, pool in POOLS.items():
        if name in {"DS", "LS"}:  # names on signs and landmarks tell the category, too
            continue
        told: dict[tuple[str | None, frozenset[str]], set[str]] = {}
        for theme in pool.drawn:
            told.setdefault((theme.set, frozenset(theme.palette) & dressings), set()).add(theme.category)
        assert all(len(categories) == 1 for categories in told.values()), (name, told)


def test_dressings_of_themes_can_be_drawn() -> None:
    for name, pool in POOLS.items():
        for theme in pool.drawn:
            others = set(theme.palette) - {"warm", "cool", "pale", "dark", "green", "brick"}
            drawable = {"arty", "bookish"} if name == "DE" else {"festive", "sporty", "bookish", "industrial"}
            assert others <= drawable, theme


def test_pools_have_ten_categories_of_ten_themes() -> None:
    assert set(POOLS) == set(TASKS) - {"QC", "CI"}
    names: list[str] = []
    for pool in POOLS.values():
        assert set(Counter(theme.category for theme in pool.themes).values()) == {10} and len(pool.categories) == 10
        assert len(pool.drawn) >= 20
        names += [theme.name for theme in pool.themes]
    assert len(names) == len(set(names)) == 1000
    assert {theme.set for pool in POOLS.values() for theme in pool.drawn} >= {"kitchen", "plaza", "town", "canteen"}
