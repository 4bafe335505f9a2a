"""A task of the benchmark: its code, its graphs, its parameter cycles, its rules and its scenarios."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.world.kinds.stage.graph.cycles import Cycle
from chronotope.world.kinds.stage.graph.rulebook import Rulebook
from chronotope.world.kinds.stage.graph.scenarios import Scenario
from chronotope.world.kinds.stage.graph.structure import (
    DYNAMICS,
    PERSPECTIVES,
    SCALES,
    Params,
    Part,
    Profile,
    SceneGraph,
    SceneMeta,
)

CODE = re.compile(rf"[A-Z]{{2}}_({'|'.join(SCALES)})_({'|'.join(PERSPECTIVES)})_({'|'.join(DYNAMICS)})")
"""The form of a full code: two letters, the spatial scale, the perspective, and the dynamics."""


@dataclass(frozen=True)
class StageTask:
    """One of the twelve tasks, or a task of another package.

    ``code`` is the full code, such as "MC_F_EGO_STA", and ``pool`` is the code of the task whose themes it shares.
    ``draw(generator, params, theme)`` draws the parts of a graph by field name, ``truth(graph)`` computes the ground
    truth from the objects of a graph, and ``tell(graph)`` makes the scenario. A task of another package also has
    ``lay(generator, graph, quality, times)``, which lays out the scene and returns a `Staged`; it imports what draws
    only when it is called.
    """

    code: str
    name: str
    graph: type[SceneGraph]
    params: type[Params]
    cycles: Mapping[Profile, Cycle]
    draw: Callable[[np.random.Generator, Any, str], dict[str, Any]]
    truth: Callable[[Any], Part]
    tell: Callable[[Any], Scenario]
    rules: Rulebook
    pool: str = ""
    lay: Callable[..., Any] | None = None

    @property
    def short(self) -> str:
        """Return the short code, such as "MC"."""
        return self.code.partition("_")[0]

    @property
    def theme_pool(self) -> str:
        """Return the short code of the task whose themes the task has."""
        return self.pool or self.short

    @property
    def is_static(self) -> bool:
        """Check whether only the camera moves."""
        return self.code.endswith("STA")

    def meta(self, theme: str) -> SceneMeta:
        """Return the head of a graph of this task."""
        _, scale, perspective, dynamics = self.code.split("_")
        return SceneMeta(
            spatial_scale=SCALES[scale],
            scene_dynamics=DYNAMICS[dynamics],
            perspective=PERSPECTIVES[perspective],
            task_type=self.code,
            theme=theme,
        )
