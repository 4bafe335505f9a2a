"""Graphs of all tasks: drawn by code, read from JSON, checked, and described for models that write them."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.io import read_json
from chronotope.io.fields import first_fault
from chronotope.plugins import Registry, installed, installed_names
from chronotope.world.kinds.stage.graph import common_rules
from chronotope.world.kinds.stage.graph.rulebook import Violation
from chronotope.world.kinds.stage.graph.scenarios import Scenario
from chronotope.world.kinds.stage.graph.stage_task import CODE, StageTask
from chronotope.world.kinds.stage.graph.structure import Profile, SceneGraph
from chronotope.world.kinds.stage.graph.tasks import (
    behavioral_trigger,
    causal_mapping,
    container_intersection,
    direction_estimation,
    height_ordering,
    interacted_object,
    landmark_composition,
    multi_container,
    quantity_change,
    relative_velocity,
    signage,
    visibility_change,
)
from chronotope.world.kinds.stage.graph.themes import POOLS
from chronotope.world.kinds.stage.graph.vocabulary import words

_MODULES = (
    multi_container, quantity_change, container_intersection, causal_mapping, direction_estimation, interacted_object,
    height_ordering, visibility_change, signage, relative_velocity, landmark_composition, behavioral_trigger,
)  # fmt: skip
PUBLISHED: Mapping[str, StageTask] = {module.TASK.short: module.TASK for module in _MODULES}
"""The twelve tasks by their short codes, in the published order."""

GROUP = "chronotope.stages"
"""The entry points of tasks of other packages; the name of each is the full code of its task."""


def _all_tasks() -> dict[str, StageTask]:
    """Collect all tasks.

    Raises:
        InputError: If an entry point is not a task, or a code is not its name, is malformed, or is used already.
    """
    tasks, names = dict(PUBLISHED), installed_names(GROUP)
    for task in installed(GROUP, StageTask, ("stage task", "stage tasks")).values():
        if task.code not in names or not CODE.fullmatch(task.code):
            raise InputError(
                f"stage task {task.name!r}: expected an entry point with the name {task.code!r}, and a code such as "
                "MC_F_EGO_STA: correct the name or the code"
            )
        if task.short in tasks or task.theme_pool not in POOLS:
            raise InputError(
                f"stage task {task.code}: the code {task.short} is used already, or there is no pool of themes "
                f"{task.theme_pool!r}: choose another code, or one of the pools {', '.join(POOLS)}"
            )
        tasks[task.short] = task
    return tasks


TASKS: Mapping[str, StageTask] = Registry(_all_tasks)
"""All tasks by their short codes: the twelve published ones, then those of other packages."""


def draw_graph(
    generator: np.random.Generator,
    task: str,
    index: int,
    theme: str | None = None,
    profile: Profile = "paper",
    seed: int | None = None,
) -> SceneGraph:
    """Draw a graph with the parameters of the scene with an index, from 0.

    ``task`` is a short code, such as "MC". Without a theme, one of the themes that are drawn is chosen at random.
    """
    of = TASKS[task]
    drawn = POOLS[of.theme_pool].drawn
    chosen = drawn[int(generator.integers(len(drawn)))].name if theme is None else theme
    params = of.params(**of.cycles[profile].at(index))
    return of.graph(
        profile=profile,
        params=params,
        seed=seed,
        provenance={"index": index, "made": "drawn by code"},
        scene_meta=of.meta(chosen),
        **of.draw(generator, params, chosen),
    )


def task_of(code: Any) -> StageTask:
    """Return the task of a full or a short code.

    Raises:
        InputError: If there is no such task.
    """
    short = code.partition("_")[0] if isinstance(code, str) else ""
    if short not in TASKS or code not in (short, TASKS[short].code):
        raise InputError(f"world: no task {str(code)[:40]!r}: choose one of {', '.join(TASKS)}")
    return TASKS[short]


def parse_graph(data: Any, where: str = "scene graph") -> SceneGraph:
    """Make the typed graph of JSON data.

    Raises:
        InputError: If the data are not a graph of one of the tasks. ``where`` names their origin in the message.
    """
    meta = data.get("scene_meta") if isinstance(data, Mapping) else None
    if not isinstance(meta, Mapping):
        raise InputError(f"{where}: field 'scene_meta' is missing, so this is not a scene graph of a stage")
    try:
        return task_of(meta.get("task_type")).graph.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{where}: {first_fault(error)}") from error


def read_graph(path: Path) -> SceneGraph:
    """Read a graph from a JSON file.

    Raises:
        InputError: If the file cannot be read, or is not a graph of one of the tasks.
    """
    return parse_graph(read_json(path), str(path))


def schema_faults(data: Any, task: str) -> list[Violation]:
    """Return what keeps JSON data from being a graph of a task, as violations of SCHEMA."""
    try:
        TASKS[task].graph.model_validate(data)
    except ValidationError as error:
        return [
            Violation(
                "SCHEMA",
                ".".join(str(part) for part in fault["loc"]),
                json.dumps(fault["input"], default=str)[:200],
                fault["msg"],
                "follow the JSON schema of the graph",
            )
            for fault in error.errors(include_url=False)
        ]
    return []


def validate(graph: SceneGraph, is_drawn: bool = False) -> list[Violation]:
    """Return all faults that the rules find in a graph; graphs that are drawn have further rules.

    If roles are missing, the ground truth cannot be computed, so it is not checked.
    """
    task = TASKS[graph.task]
    counts = task.rules.rules[0]
    found = list(counts.violations(graph))
    for rule in () if found else task.rules.rules[1:]:
        found += rule.violations(graph)
    books = [common_rules.GRAPHS, *([common_rules.DRAWN] if is_drawn else [])]
    is_whole = not any(violation.rule == counts.id for violation in found)
    for book in books:
        for rule in book.rules:
            if is_whole or rule.id != "ALL.R7":
                found += rule.violations(graph, task)
    return found


def scenario_of(graph: SceneGraph) -> Scenario:
    """Make the scenario of a graph."""
    return TASKS[graph.task].tell(graph)


def validate_scenario(graph: SceneGraph, scenario: Scenario) -> list[Violation]:
    """Return all faults that the rules find in a scenario of a graph."""
    return list(common_rules.SCENARIOS.violations(graph, scenario, TASKS[graph.task]))


def schema_of(task: str, is_drawn: bool = False) -> dict[str, Any]:
    """Return the JSON schema of the graphs of a task.

    In the schema of graphs that are drawn, labels of kinds, colours, materials and themes are lists of the catalogue.
    """
    of = TASKS[task]
    schema = deepcopy(of.graph.model_json_schema())
    if is_drawn:
        models = {of.graph, *_models(of.graph)}
        for model in models:
            place = schema["$defs"].get(model.__name__, schema)
            for name, field in model.model_fields.items():
                mark = common_rules.mark_of(field)
                if mark is not None and name in place.get("properties", {}):
                    _narrow(place["properties"][name], list(words(mark.catalogue)))
        themes = [theme.name for theme in POOLS[of.theme_pool].drawn]
        schema["$defs"]["SceneMeta"]["properties"]["theme"]["enum"] = themes
    return schema


def _narrow(field: dict[str, Any], choice: list[str]) -> None:
    for part in field.get("anyOf", [field]):
        if part.get("type") == "string":
            part["enum"] = choice


def _models(model: Any) -> set[type[Any]]:
    """Return all models inside a model."""
    from typing import get_args

    from pydantic import BaseModel

    found: set[type[Any]] = set()

    def visit(annotation: Any) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in found:
            found.add(annotation)
            for field in annotation.model_fields.values():
                visit(field.annotation)
        for inner in get_args(annotation):
            visit(inner)

    visit(model)
    return found - {model}
