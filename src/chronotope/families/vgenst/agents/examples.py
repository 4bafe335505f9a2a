"""The examples that agents see: a few works of the same task with other themes, from a versioned folder."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from chronotope.io import read_json, read_yaml, slug
from chronotope.world.kinds.stage.graph import Scenario, SceneGraph, parse_graph, published

VERSION = "v1"
NONE = "no examples"  # said if there are none
MOST = 2  # examples in one prompt
# What code writes: the parameters of the cycle, the head of the graph, and where the graph comes from.
FIXED = ("schema_version", "profile", "params", "seed", "provenance", "scene_meta")
_FOLDER = Path(__file__).parent / "examples" / VERSION


@dataclass(frozen=True)
class Example:
    """The works of one scene: its theme, graph, scenario and prompts."""

    theme: str
    graph: SceneGraph
    scenario: Scenario
    image_prompt: str
    video_prompt: str


@cache
def all_examples(task: str) -> tuple[Example, ...]:
    """Return all examples of a task."""
    path = _FOLDER / f"{task}.json"
    return tuple(
        Example(
            told["theme"],
            parse_graph(told["graph"], f"{path.name}, {told['theme']}"),
            Scenario.model_validate(told["scenario"]),
            told["image_prompt"],
            told["video_prompt"],
        )
        for told in read_json(path)
    )


def examples_for(task: str, theme: str) -> tuple[Example, ...]:
    """Return examples of a task with other themes than this one."""
    return tuple(one for one in all_examples(task) if slug(one.theme) != slug(theme))[:MOST]


def graph_examples(task: str, theme: str) -> str:
    """Return examples of graphs, in the form in which a model replies."""
    told = []
    for one in examples_for(task, theme):
        graph = {name: value for name, value in one.graph.model_dump(mode="json").items() if name not in FIXED}
        params = json.dumps(one.graph.params.model_dump(mode="json"))
        told.append(f"Theme: {one.theme}\nParameters: {params}\n{_line(graph)}")
    return _joined(told)


def scenario_examples(task: str, theme: str) -> str:
    """Return examples of graphs with their scenarios."""
    return _joined(
        [
            f"Theme: {one.theme}\nScene graph: {_line(published(one.graph))}\nScenario: {_line(_telling(one.scenario))}"
            for one in examples_for(task, theme)
        ]
    )


def prompt_examples(task: str, theme: str, kind: Literal["image_prompt", "video_prompt"]) -> str:
    """Return examples of scenarios with their prompts."""
    return _joined(
        [
            f"Theme: {one.theme}\nTimeline: {_line(one.scenario.timeline)}\nPrompt: {getattr(one, kind)}"
            for one in examples_for(task, theme)
        ]
    )


def graph_verdict_examples(task: str, theme: str) -> str:
    """Return a graph with its acceptance, and a graph with a fault with its rejection."""
    found = examples_for(task, theme)
    if not found:
        return NONE
    good, bad = found[0], published(found[-1].graph)
    index = len(bad["objects"]) - 1
    name, bad["objects"][index]["label"] = bad["objects"][index]["label"], "thing"
    checks = ("task_compliance_check", "ambiguity_check", "theme_compliance_check")
    fault = {
        "rule_id": "ambiguity_check",
        "path": f"objects.{index}.label",
        "found": "thing",
        "expected": "a name by kind and looks",
        "hint": f"call it {name}, as anybody would",
    }
    return _joined(
        [
            f"Theme: {good.theme}\nScene graph: {_line(published(good.graph))}\nVerdict: {_verdict(checks, None)}",
            f"Theme: {found[-1].theme}\nScene graph: {_line(bad)}\nVerdict: {_verdict(checks, fault)}",
        ]
    )


def scenario_verdict_examples(task: str, theme: str) -> str:
    """Return a scenario with its acceptance, and a scenario with an invented entity with its rejection."""
    found = examples_for(task, theme)
    if not found:
        return NONE
    good, bad = _telling(found[0].scenario), _telling(found[-1].scenario)
    last = list(bad["timeline"])[-1]
    bad["timeline"][last] += " A cat walks through the picture."
    checks = (
        "attribute_and_hallucination_check", "first_frame_check", "temporal_action_check", "gt_determination_check",
        "task_rules_camera_dynamics_check",
    )  # fmt: skip
    fault = {
        "rule_id": "attribute_and_hallucination_check",
        "path": f"timeline.{last}",
        "found": "a cat",
        "expected": "only entities of the graph",
        "hint": "leave the cat out",
    }
    return _joined(
        [
            f"Scene graph: {_line(published(found[0].graph))}\nScenario: {_line(good)}\nVerdict: "
            f"{_verdict(checks, None)}",
            f"Scene graph: {_line(published(found[-1].graph))}\nScenario: {_line(bad)}\nVerdict: "
            f"{_verdict(checks, fault)}",
        ]
    )


@cache
def _all_questions() -> Mapping[str, list[dict[str, Any]]]:
    return read_yaml(_FOLDER / "questions.yaml")


def question_examples(kind: str, task: str, theme: str) -> str:
    """Return examples of questions of a type; those of the same task come first."""
    found = [one for one in _all_questions()[kind] if slug(one["theme"]) != slug(theme)]
    found.sort(key=lambda one: one["task"] != task)
    return _joined([_line(one) for one in found[:MOST]])


def _telling(scenario: Scenario) -> dict[str, Any]:
    return {"reasoning_goal": scenario.reasoning_goal, "timeline": dict(scenario.timeline)}


def _verdict(checks: tuple[str, ...], fault: Mapping[str, str] | None) -> str:
    """Return a verdict that accepts, or rejects because of one fault."""
    broken = None if fault is None else fault["rule_id"]
    return _line(
        {
            "evaluation_reasoning": {
                check: "satisfied" if check != broken or fault is None else f"{fault['found']} is at {fault['path']}"
                for check in checks
            },
            "is_valid": fault is None,
            "error_type": broken,
            "feedback_for_generator": [] if fault is None else [fault],
        }
    )


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _joined(told: list[str]) -> str:
    return "\n\n".join(told) or NONE
