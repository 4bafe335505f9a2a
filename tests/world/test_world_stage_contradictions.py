"""Graphs that contradict themselves, or that cannot be drawn, are refused with the rule, the file and what to do."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.kinds.stage import KIND as STAGE
from chronotope.world.kinds.stage import StageOptions
from chronotope.world.kinds.stage.graph import draw_graph, mirror, parse_graph, validate
from chronotope.world.kinds.stage.graph.rulebook import first_side

Data = dict[str, Any]


def drawn(task: str) -> Data:
    return draw_graph(np.random.default_rng(3), task, 0).model_dump(mode="json")


def of(given: Data, role: str) -> Data:
    return next(each for each in given["objects"] if each["role"] == role)


def looks(role: str, **values: str) -> Callable[[Data], None]:
    return lambda given: of(given, role)["attributes"].update(values)


def named(role: str, more: str) -> Callable[[Data], None]:
    return lambda given: of(given, role).update(label=f"{of(given, role)['label']} {more}")


def step(number: int, text: str) -> Callable[[Data], None]:
    def edit(given: Data) -> None:
        labels = {each["role"]: each["label"] for each in given["objects"]}
        given["temporal_flow"]["action_sequence"][number]["action_description"] = text.format(**labels)

    return edit


def camera(**values: Any) -> Callable[[Data], None]:
    return lambda given: given["camera_movement"].update(values)


def upside_down(given: Data) -> None:
    low, high = (of(given, f"obj_{level}")["attributes"]["placement"] for level in ("lowest", "highest"))
    other = {low: high, high: low}
    for each in given["objects"]:
        each["attributes"]["placement"] = other.get(each["attributes"]["placement"], each["attributes"]["placement"])


def alike_movers(given: Data) -> None:
    for role, colour in (("slower", "golden"), ("faster", "orange")):
        of(given, role)["visual_attributes"]["color"] = colour


CONTRADICTIONS: list[tuple[str, str, Callable[[Data], None]]] = [
    ("HO.R3", "objects.0.attributes.placement", upside_down),
    ("ALL.R13", "objects.1.attributes.placement", looks("obj_middle", placement="ceiling")),
    ("MC.R2", "objects.1.label", named("container", "with lid")),
    ("CI.R2", "objects.1.label", named("container_A", "with lid")),
    ("QC.R2", "objects.1.label", named("container", "closed")),
    ("QC.R8", "objects.2.attributes.initial_location", looks("countable_items", initial_location="inside, left")),
    ("QC.R8", "objects.2.attributes.initial_location", looks("countable_items", initial_location="right, not left")),
    ("ALL.R15", "objects.2.attributes.appearance", looks("countable_items", appearance="white teddy bear")),
    ("ALL.R15", "objects.0.attributes.appearance", looks("agent", appearance="tall person")),
    ("CI.R6", "temporal_flow.action_sequence.0", step(0, "The camera looks into the {container_B} from above.")),
    ("CI.R7", "camera_movement.trajectory", camera(trajectory="side_then_over_B_then_other")),
    ("CI.R7", "camera_movement.look_seconds", camera(look_seconds=19.0)),
    ("DE.R2", "camera_movement.legs", camera(legs=[11.0, 11.0])),
    ("DE.R7", "objects.1.attributes.position", looks("landmark_2", position="east or west wall, far end of segment 2")),
    ("IO.R6", "temporal_flow.action_sequence.0", step(0, "The person comes in from the right, not the left.")),
    ("IO.R6", "temporal_flow.action_sequence.2", step(2, "The person puts the {target} on the floor.")),
    ("RV.R3", "objects.2.motion.description", lambda given: of(given, "faster")["motion"].update(
        description="its speed is not constant")),
    ("RV.R5", "objects.2.visual_attributes", alike_movers),
    ("RV.R7", "temporal_flow.action_sequence.0", step(0, "The {slower} slides past on the left and is left behind.")),
    ("BT.R4", "temporal_flow.action_sequence.0", step(0, "The {trigger} comes onto the path from the right.")),
    ("BT.R5", "temporal_flow.action_sequence.1", step(1, "The {agent} never brakes.")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "path", "edit"), CONTRADICTIONS)
def test_a_graph_that_contradicts_itself_is_refused(rule: str, path: str, edit: Callable[[Data], None]) -> None:
    given = drawn("IO" if rule == "ALL.R15" and path.startswith("objects.0") else {
        "ALL.R13": "HO", "ALL.R15": "QC"}.get(rule, rule[:2]))  # fmt: skip
    edit(given)
    assert (rule, path) in {(each.rule, each.path) for each in validate(parse_graph(given), is_drawn=True)}


def test_the_graph_of_the_page_can_be_drawn() -> None:
    page = (Path(__file__).parents[2] / "docs" / "stages.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert validate(parse_graph(json.loads(text)), is_drawn=True) == []


def test_what_is_left_behind_is_on_no_side() -> None:
    assert first_side("It slides past on the Right and is left behind.") == "right"
    assert first_side("It is left behind.") is None
    assert first_side("From the left, not from the right.") == "left"


@pytest.mark.parametrize("task", ["HO", "CI", "IO", "QC", "RV", "BT", "DE"])
def test_drawn_graphs_and_their_mirror_images_keep_the_rules(task: str) -> None:
    for index in range(24):
        graph = draw_graph(np.random.default_rng([9, index]), task, index, profile="extended")
        assert validate(graph, is_drawn=True) == [] == validate(mirror(graph), is_drawn=True)


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def test_a_refused_file_is_named_with_each_fault_or_their_number(tmp_path: Path) -> None:
    given = drawn("DS")
    sign = given["objects"][0]["attributes"]
    sign["entry_A"]["arrow"], sign["placement"] = "Up", "a poster"
    path = tmp_path / "hall.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    assert STAGE.plan is not None and STAGE.read is not None
    plan, read, options = STAGE.plan, STAGE.read, StageOptions()
    told = refused(lambda: plan(np.random.default_rng(1), 0, options, path))
    assert told.startswith(f"{path}: the scene graph has ") and "DS.R2 at objects.0.attributes.entry_A.arrow" in told
    assert "found Up, expected: the arrows" in told and "(say that the sign hangs" in told
    assert refused(lambda: read(path, np.random.default_rng(1), STAGE.qualities["fast"])).startswith(f"{path}: ")
    sign["entry_A"]["text"], given["camera_movement"]["type"] = "?", "fly"
    given["camera_movement"]["seconds_after"] = 0.5
    path.write_text(json.dumps(given), encoding="utf-8")
    assert "; and " in refused(lambda: plan(np.random.default_rng(1), 0, options, path))
    given = drawn("DS") | {"profile": "extended"}
    path.write_text(json.dumps(given), encoding="utf-8")
    told = refused(lambda: plan(np.random.default_rng(1), 0, options, path))
    assert told.startswith(f"{path}: ") and told.endswith("give --stage-profile extended")


@pytest.mark.parametrize(
    ("theme", "told"),
    [
        ("mechanic's rakc", "is not a theme of HO: choose one of the 67 that are drawn, such as mechanic's rack"),
        ("pilgrim town from above", "is not a theme of HO, but of LS"),
        ("wizard's shelves", "is for text only, so no set is built for it"),
    ],
)
def test_a_theme_that_cannot_be_drawn_says_why_and_names_others(theme: str, told: str) -> None:
    assert STAGE.plan is not None
    plan, options = STAGE.plan, StageOptions(task="HO", theme=theme)
    assert told in refused(lambda: plan(np.random.default_rng(1), 0, options))
