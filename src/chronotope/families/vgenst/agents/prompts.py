"""The prompts of the agents, with all placeholders filled."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from chronotope.io import read_yaml
from chronotope.ledger import CallKind
from chronotope.models import Stage
from chronotope.world.kinds.stage.graph import PUBLISHED, TASKS, SceneGraph
from chronotope.world.kinds.stage.graph.structure import DYNAMICS, PERSPECTIVES, SCALES

_HERE = Path(__file__).parent
_PROMPTS: Mapping[str, Any] = read_yaml(_HERE / "prompts.yaml")
_TEXTS: Mapping[str, Mapping[str, Any]] = read_yaml(_HERE / "task_texts.yaml")

VERSION: int = _PROMPTS["version"]
NAMES = tuple(name for name in _PROMPTS if name != "version")
_STILL = "Nothing but the camera moves: every entity stays exactly as it is, as if frozen."
_MOVING = "Entities move only as the scene graph says; everything else stays as it is."


def placeholders(name: str) -> frozenset[str]:
    """Return the names of the placeholders in a prompt."""
    return frozenset(Template(_PROMPTS[name]).get_identifiers())


def filled(name: str, /, **values: object) -> str:
    """Return the part of a prompt that depends on the item.

    Raises:
        KeyError: If a placeholder has no value, or a value has no placeholder; both are faults of the code.
    """
    unused = set(values) - placeholders(name)
    if unused:
        raise KeyError(f"the prompt {name} has no placeholders {sorted(unused)}")
    return Template(_PROMPTS[name].partition("\n\n")[2]).substitute(values)


def stage(name: str, kind: CallKind, temperature: float, longest: int) -> Stage:
    """Return the stage of an agent; its replies have at most ``longest`` tokens."""
    head = _PROMPTS[name].partition("\n\n")[0].replace("\n", " ")
    return Stage(kind, head, {"temperature": temperature, "max_tokens": longest})


@cache
def _texts(task: str) -> Mapping[str, Any]:
    return {key: " ".join(text.split()) if isinstance(text, str) else text for key, text in _TEXTS[task].items()}


def task_text(task: str, key: str) -> str:
    """Return a text about a task, such as its definition."""
    return str(_texts(task)[key])


def roles_seen_first(task: str) -> tuple[str, ...]:
    """Return the roles of the entities in the first frame."""
    return tuple(_texts(task)["seen_first"])


def about_task(name: str, task: str) -> dict[str, object]:
    """Return the values of the placeholders that are the same for all items of a task."""
    of = TASKS[task]
    _, scale, perspective, dynamics = of.code.split("_")
    known = {
        "code": of.code,
        "name": of.name,
        **{key: task_text(task, key) for key in ("definition", "inferred", "first_frame", "camera", "design")},
        "scale": SCALES[scale],
        "perspective": PERSPECTIVES[perspective],
        "dynamics": DYNAMICS[dynamics],
        "freeze": _STILL if of.is_static else _MOVING,
        "sign": " but those of the sign" if task == "DS" else "",
    }
    wanted = placeholders(name)
    return {key: value for key, value in known.items() if key in wanted}


def catalogue() -> str:
    """Return the codes of the published tasks with their definitions, for the selector."""
    return "\n".join(f"{task}: {of.name}. {task_text(task, 'definition')}" for task, of in PUBLISHED.items())


def listed_rules(rules: Any) -> str:
    """Return rules as a list, each with its id, what it expects, and how to mend a fault."""
    return "\n".join(f"{rule.id}: {rule.expected} (otherwise: {rule.hint})" for rule in rules)


def phases_told(graph: SceneGraph) -> list[tuple[str, float, float]]:
    """Return the name, the start and the end (s) of each phase of a graph's scenario."""
    told = TASKS[graph.task].tell(graph)
    return [(phase.name, phase.t0, phase.t1) for phase in told.phases]
