"""Scene graphs and scenarios of all tasks: typed, drawn by code, and checked by rules with ids.

``draw_graph`` draws a graph with the parameters of its place in the cycle. ``read_graph`` and ``parse_graph`` read
graphs that others wrote. ``validate`` and ``validate_scenario`` report faults, and ``scenario_of`` makes the scenario.
``published`` returns a graph with the published keys only, and ``mirror`` returns the mirrored graph.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.world.kinds.stage.graph.cycles import shuffled
    from chronotope.world.kinds.stage.graph.graphs import (
        PUBLISHED,
        TASKS,
        draw_graph,
        parse_graph,
        read_graph,
        scenario_of,
        schema_faults,
        schema_of,
        task_of,
        validate,
        validate_scenario,
    )
    from chronotope.world.kinds.stage.graph.mirrored import mirror
    from chronotope.world.kinds.stage.graph.rulebook import Violation, told_faults
    from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, ScriptEvent
    from chronotope.world.kinds.stage.graph.structure import Profile, SceneGraph, published
    from chronotope.world.kinds.stage.graph.themes import POOLS, Theme

__all__ = [
    "POOLS",
    "PUBLISHED",
    "TASKS",
    "Phase",
    "Profile",
    "Scenario",
    "SceneGraph",
    "ScriptEvent",
    "Theme",
    "Violation",
    "draw_graph",
    "mirror",
    "parse_graph",
    "published",
    "read_graph",
    "scenario_of",
    "schema_faults",
    "schema_of",
    "shuffled",
    "task_of",
    "told_faults",
    "validate",
    "validate_scenario",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".cycles": ("shuffled",),
        ".graphs": (
            "PUBLISHED", "TASKS", "draw_graph", "parse_graph", "read_graph", "scenario_of", "schema_faults",
            "schema_of", "task_of", "validate", "validate_scenario",
        ),
        ".mirrored": ("mirror",),
        ".rulebook": ("Violation", "told_faults"),
        ".scenarios": ("Phase", "Scenario", "ScriptEvent"),
        ".structure": ("Profile", "SceneGraph", "published"),
        ".themes": ("POOLS", "Theme"),
    },
)  # fmt: skip
