"""Routes: the strategy of each task, as the user states it."""

from collections.abc import Mapping
from typing import Any

from chronotope.families.ikea.tasks import STRATEGIES, TASKS, Strategy

ROUTED = "routed"  # the name of the strategy of asks whose strategy depends on their task


def route_text(route: Any) -> Any:
    """Write a route in its only form.

    The form is "T1=text_only,T2=visual_text", in the order of the tasks. A mapping from tasks to strategies is also a
    route. Other values are returned unchanged.

    Raises:
        ValueError: If a task or a strategy is unknown, or a task has two strategies.
    """
    if isinstance(route, str):
        pairs = [one.partition("=") for one in route.split(",")]
        named = [(task.strip(), strategy.strip()) for task, _, strategy in pairs]
    elif isinstance(route, Mapping):
        named = [(str(task), str(strategy)) for task, strategy in route.items()]
    else:
        return route
    chosen: dict[str, str] = {}
    for task, strategy in named:
        if task not in TASKS or strategy not in STRATEGIES:
            raise ValueError(
                f"{task}={strategy}: expected task=strategy, such as T1=text_only,T2=visual_text, with the tasks "
                f"{', '.join(TASKS)} and the strategies {', '.join(STRATEGIES)}"
            )
        if task in chosen:
            raise ValueError(f"{task} is named twice: name each task once")
        chosen[task] = strategy
    if not chosen:
        raise ValueError("names no task: expected T1=text_only or further tasks, separated by commas")
    return ",".join(f"{task}={chosen[task]}" for task in TASKS if task in chosen)


def read_route(text: str) -> dict[str, Strategy]:
    """Return the strategy of each task that a route names."""
    named = dict(one.split("=") for one in text.split(","))
    return {task: next(one for one in STRATEGIES if one == strategy) for task, strategy in named.items()}
