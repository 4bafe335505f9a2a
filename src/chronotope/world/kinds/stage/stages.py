"""Stages: a graph is drawn or given, checked, and laid out by the module of its task."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.plugins import Registry
from chronotope.recording import Kind
from chronotope.world.kinds.stage import StageOptions
from chronotope.world.kinds.stage.episode import episode_of
from chronotope.world.kinds.stage.filling import no_room
from chronotope.world.kinds.stage.graph import (
    POOLS,
    TASKS,
    Scenario,
    SceneGraph,
    draw_graph,
    read_graph,
    scenario_of,
    shuffled,
    told_faults,
    validate,
)
from chronotope.world.kinds.stage.staged import Staged
from chronotope.world.kinds.stage.tasks import (
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
from chronotope.world.quality import Quality
from chronotope.world.refused import RefusedError
from chronotope.world.shot import Plan, Shot, Shots

Layer = Callable[[np.random.Generator, Any, Quality, np.ndarray], Staged]
PUBLISHED: Mapping[str, Layer] = {
    "HO": height_ordering.lay,
    "MC": multi_container.lay,
    "LS": landmark_composition.lay,
    "CI": container_intersection.lay,
    "DE": direction_estimation.lay,
    "DS": signage.lay,
    "RV": relative_velocity.lay,
    "BT": behavioral_trigger.lay,
    "VI": visibility_change.lay,
    "IO": interacted_object.lay,
    "CM": causal_mapping.lay,
    "QC": quantity_change.lay,
}
"""The published tasks, in the order in which they take turns."""

LAYERS: Mapping[str, Layer] = Registry(
    lambda: {**PUBLISHED, **{short: task.lay for short, task in TASKS.items() if task.lay is not None}}
)
"""All tasks that are drawn; those of other packages are drawn only if they are named."""

SIZES = {"Figural": Kind.DESKTOP, "Vista": Kind.INDOOR, "Environmental": Kind.OUTDOOR}


def lay_stage(generator: np.random.Generator, quality: Quality, number: int, options: StageOptions) -> Shots:
    """Draw a graph and lay it out.

    ``number`` is the place of the stage in its set, from 0.

    Raises:
        InputError: If the task is not drawn yet, or does not have the theme.
    """
    return lay_graph(graph_of(generator, number, options), generator, quality)


def number_of(seed: int, number: int, options: StageOptions) -> int:
    """Return the number of the stage that is at the place ``number`` of a set.

    With the profile ``paper``, both are equal. With ``extended``, each task goes through its cycle in a random order,
    which depends on the seed: in the order of the cycle, the first stages would have equal values of parameters that
    change slowly, and a small set would have usual answers.
    """
    tasks = [options.task] if options.task else list(PUBLISHED)
    task, index = tasks[number % len(tasks)], number // len(tasks)
    if options.stage_profile == "paper" or task not in TASKS:
        return number
    return shuffled(index, TASKS[task].cycles[options.stage_profile].length, seed, task) * len(tasks) + (
        number % len(tasks)
    )


def graph_of(generator: np.random.Generator, number: int, options: StageOptions) -> SceneGraph:
    """Draw the graph of the stage with a number.

    The published tasks take turns, and each goes through its own cycle.

    Raises:
        InputError: If the task is not drawn yet, or does not have the theme.
    """
    order = [options.task] if options.task else list(PUBLISHED)
    task, index = order[number % len(order)], number // len(order)
    if task not in LAYERS:
        raise InputError(f"world: stages of the task {task} cannot be drawn yet: choose one of {', '.join(LAYERS)}")
    if options.theme is not None:
        _refuse_undrawn(options.theme, task)
    return draw_graph(generator, task, index, options.theme, options.stage_profile)


def _refuse_undrawn(name: str, task: str) -> None:
    """Refuse a theme that the task does not have, or for which no set is built."""
    pool = POOLS[TASKS[task].theme_pool]
    theme = pool.named(name)
    if theme is not None and theme.is_drawn:
        return
    others = [short for short, other in TASKS.items() if name in {each.name for each in POOLS[other.theme_pool].drawn}]
    if theme is not None:
        why = "is for text only, so no set is built for it"
    elif others:
        why = f"is not a theme of {task}, but of {', '.join(others)} (--task)"
    else:
        why = f"is not a theme of {task}"
    drawn = {each.name: None for each in pool.drawn if theme is None or each.category == theme.category} or {
        each.name: None for each in pool.drawn
    }
    near = get_close_matches(name, drawn, 3, 0.0)
    raise InputError(
        f"--theme {name!r}: {why}: choose one of the {len(pool.drawn)} that are drawn, such as {', '.join(near)} "
        "(the page on stages says how to list them)"
    )


def plan_stage(generator: np.random.Generator, number: int, options: StageOptions, file: Path | None = None) -> Plan:
    """Return the graph and the scenario of a stage that is not drawn.

    The graph is read from a file, or drawn with ``generator``.

    Raises:
        InputError: If the file is not a graph, or the graph breaks a rule.
    """
    graph = graph_of(generator, number, options) if file is None else read_graph(file)
    where = "world" if file is None else str(file)
    _refuse_broken(graph, where, is_drawn=False)
    _refuse_other_profile(graph, where, options)
    scenario = scenario_of(graph)
    kind = SIZES[graph.scene_meta.spatial_scale]
    return Plan(kind, scenario.phases[-1].t1, _provenance(graph), _files(graph, scenario))


def lay_given(file: Path, generator: np.random.Generator, quality: Quality, options: StageOptions) -> Shots:
    """Lay out the scene of a graph that others wrote.

    Raises:
        InputError: If the file is not a graph, if the graph breaks a rule, or if it has another profile than the
            options, because a set never has both.
    """
    graph = read_graph(file)
    _refuse_other_profile(graph, str(file), options)
    return lay_graph(graph, generator, quality, str(file))


def lay_graph(graph: SceneGraph, generator: np.random.Generator, quality: Quality, where: str = "world") -> Shots:
    """Lay out the scene of a graph; ``where`` names its origin in messages.

    Raises:
        InputError: If the graph breaks a rule, or if its task cannot be drawn yet.
    """
    if graph.task not in LAYERS:
        raise InputError(f"{where}: graphs of {graph.task} cannot be drawn yet: choose one of {', '.join(LAYERS)}")
    _refuse_broken(graph, where, is_drawn=True)
    scenario = scenario_of(graph)
    times = np.arange(round(scenario.phases[-1].t1 * quality.fps)) / quality.fps
    try:
        staged = _without_namesakes(LAYERS[graph.task](generator, graph, quality, times), graph)
    except RefusedError:
        raise
    except InputError as error:  # such as a hand that reaches nothing: other random numbers may fit
        told = str(error).removeprefix("world: ").removesuffix(": leave the scene out")
        raise no_room(told) from error
    shot = Shot(
        film_set=staged.film_set,
        times=times,
        camera=staged.camera,
        intrinsics=staged.intrinsics,
        kind=staged.kind,
        depth_scale=staged.depth_scale,
        provenance=_provenance(graph),
        events=staged.events,
        ego=staged.ego,
        is_baked=staged.is_baked,
        files={**_files(graph, scenario), "episode.json": episode_of(graph, staged, times)},
    )
    return Shots((shot,))


def _without_namesakes(staged: Staged, graph: SceneGraph) -> Staged:
    """Leave out furniture that is called like an object of the graph."""
    names = {each.label for each in graph.objects}
    placements = staged.film_set.placements
    gone = {each.id for each in placements if each.id not in staged.parts and each.thing.label in names}
    gone |= {each.id for each in placements if each.parent in gone}
    kept = tuple(each for each in placements if each.id not in gone)
    return replace(staged, film_set=replace(staged.film_set, placements=kept))


def _refuse_broken(graph: SceneGraph, where: str, *, is_drawn: bool) -> None:
    broken = validate(graph, is_drawn=is_drawn)
    if broken:
        raise InputError(f"{where}: {told_faults(broken)}")


def _refuse_other_profile(graph: SceneGraph, where: str, options: StageOptions) -> None:
    if graph.profile != options.stage_profile:
        raise InputError(
            f"{where}: the scene graph has the profile {graph.profile}, the set has {options.stage_profile}, and a set "
            f"never has both: give --stage-profile {graph.profile}"
        )


def _provenance(graph: SceneGraph) -> dict[str, Any]:
    return {"task": graph.task, "theme": graph.scene_meta.theme, "profile": graph.profile}


def _files(graph: SceneGraph, scenario: Scenario) -> dict[str, str]:
    return {
        "graph.json": _text(graph.model_dump(mode="json")),
        "scenario.json": _text(scenario.model_dump(mode="json")),
    }


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
