"""What the middle frame of a clip shows, and a reader that has learnt what this says about the answer."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from chronotope.question import Question
from chronotope.world.kinds.stage.graph import SceneGraph, scenario_of
from chronotope.world.kinds.stage.graph.tasks.direction_estimation import stands

AROUND, REACTS, TURNING = 1.2, 2.0, 0.8  # s: a hand before and after a touch, a reaction, and half a turn
State = tuple[str, ...]


def _causes(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield the sides of what is pressed and of what reacts."""
    for phase in scenario_of(graph).phases:
        for event in phase.events:
            side = graph.of_role(event.object)[0].attributes.position.rpartition("_")[2]
            if event.kind == "press" and event.t0 - AROUND <= at <= event.t1 + AROUND:
                yield f"press {side}"
            if event.kind == "switch" and event.t0 <= at <= event.t0 + REACTS:
                yield f"reaction {side}"


def _levels(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield the levels in view, with the things on them."""
    names = ("lowest", "middle", "highest")
    stops, phases = graph.params.stops, scenario_of(graph).phases
    for k, phase in enumerate(phases):
        holds = 1.75 if k + 1 < len(phases) else 0.0  # s of the tilt at its end
        if phase.t0 <= at < phase.t1:
            seen = [names[stops[k]], *([names[stops[k + 1]]] if at > phase.t1 - holds + 0.2 else [])]
            for level in dict.fromkeys(seen):
                yield f"level {level}"
                yield from (f"seen {each.label}" for each in graph.of_role(f"obj_{level}"))


def _people(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield whether the target can be seen, or the whole change while somebody walks, as heading and place tell it."""
    truth, (first, walk, _) = graph.ground_truth, scenario_of(graph).phases
    if walk.t0 < at < walk.t1:
        yield truth.visibility_transition
    else:
        yield truth.initial_status if at <= first.t1 else truth.final_status


def _hazard(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield the side and the reaction once the hazard is in view."""
    if at > scenario_of(graph).phase("trigger_enters").t0:
        yield graph.params.trigger_side
        yield graph.params.reaction_type


def _way(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield the turn that the camera makes."""
    legs = graph.camera_movement.legs
    before = stands(graph)[0]
    pace = sum(legs) / (scenario_of(graph).phases[-1].t0 - before)
    for turn, gone in zip(graph.params.turns, accumulate(legs), strict=False):
        if abs(at - before - gone / pace) < TURNING:
            yield f"turn {turn}"


SHOWN: dict[str, Callable[[SceneGraph, float], Iterator[str]]] = {
    "CM": _causes, "HO": _levels, "VI": _people, "BT": _hazard, "DE": _way,
}  # fmt: skip
"""What is in view at a time (s), for the tasks whose middle frame once told the answer."""


def middle_of(graph: SceneGraph) -> State:
    """Return what the middle frame shows."""
    return tuple(SHOWN[graph.task](graph, scenario_of(graph).phases[-1].t1 / 2))


def _plain(text: str, graph: SceneGraph, stem: str, state: State) -> str:
    """Write a text with what matters of the things it names: whether they are seen, and their place in the stem."""
    named = sorted((each.label for each in graph.objects if each.label in stem), key=stem.index)
    for each in graph.objects:
        where = named.index(each.label) if each.label in named else "-"
        text = text.replace(each.label, f"<{'seen' if f'seen {each.label}' in state else ''} {where}>")
    return text


def rates(asked: Sequence[tuple[SceneGraph, Question]]) -> dict[str, tuple[float, float]]:
    """Return for each template the share of right guesses in per cent, and that of chance.

    The reader counts the right options in one half of the scenes, and guesses in the other half.
    """
    learnt: dict[tuple, Counter[str]] = defaultdict(Counter)
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for number, (graph, question) in enumerate(asked):
        state = middle_of(graph)
        [name] = question.tags["template"]
        options = [_plain(option.text, graph, question.stem, state) for option in question.options]
        shown = tuple(part for part in state if not part.startswith("seen "))
        key = (name, shown, tuple(sorted(options)))
        if number < len(asked) // 2:
            learnt[key][options[question.answer[0]]] += 1
            continue
        best = max(learnt[key][option] for option in options)
        likely = [k for k, option in enumerate(options) if learnt[key][option] == best]
        found[name].append(((question.answer[0] in likely) / len(likely), 1 / len(options)))
    return {name: tuple(100 * sum(each) / len(each) for each in zip(*pairs, strict=True))
            for name, pairs in found.items()}  # fmt: skip
