"""What the middle frame of a clip shows, and a reader that has learnt what this says about the answer."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import numpy as np
from vgenst_oracle_cases import in_full

from chronotope.question import Question
from chronotope.world.kinds.stage.graph import SceneGraph, scenario_of
from chronotope.world.kinds.stage.graph.tasks.container_intersection import SLIDE
from chronotope.world.kinds.stage.graph.tasks.direction_estimation import stands
from chronotope.world.kinds.stage.graph.tasks.landmark_composition import COMPASS, octant
from chronotope.world.kinds.stage.graph.tasks.relative_velocity import cue
from chronotope.world.kinds.stage.graph.tasks.visibility_change import hours_of
from chronotope.world.kinds.stage.tasks.landmark_composition import FIELD, over

IN_VIEW, BROAD = 3.0, 40.0  # m: of a vehicle before the camera, and half the width of a landmark
AROUND, REACTS, TURNING = 1.2, 2.0, 0.8  # s: a hand before and after a touch, a reaction, and half a turn
WIND = re.compile("|".join(sorted(COMPASS, key=len, reverse=True)), re.IGNORECASE)
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
    """Yield where both stand, or the whole change while somebody walks, as heading and place tell it."""
    first, walk, _ = scenario_of(graph).phases
    if walk.t0 < at < walk.t1:
        yield graph.ground_truth.visibility_transition
    for role in ("observer", "target"):
        yield f"{role} at {hours_of(graph.of_role(role)[0].attributes.position)[at > first.t1]}"


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


def _counted(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield how many things lie outside and on which side, and whether a hand is busy."""
    outside, params = graph.params.initial_surface_count, graph.params
    [acts] = [phase.events for phase in scenario_of(graph).phases if phase.name == "actions"]
    for action, event in zip(params.action_sequence, acts, strict=True):
        if event.t0 <= at < event.t1:
            yield f"hand after {(at - event.t0) / (event.t1 - event.t0):.1f} of its way"
        outside += {"ADD": -1, "REMOVE": 1, "MOVE": 0}[action] * ((event.t0 + event.t1) / 2 <= at)
    yield f"{outside} {params.item_side}"


def _inside(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield the container that the camera looks into, with the things in it."""
    _, first, second = scenario_of(graph).phases
    slid = (at - first.t1) / SLIDE[graph.profile]
    if not 0.3 < slid < 0.7:
        over = (first if slid < 0.5 else second).name[0]
        yield f"over {over}"
        yield from (f"seen {each.label}" for each in graph.inside(over))


def _vehicles(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield how far ahead vehicles are, in steps of 5 m, and on which sides."""
    [ego] = graph.of_role("ego")
    ahead = {each.label: (each.motion.speed - ego.motion.speed) * (at - cue(graph.params, each.role))
             for each in graph.of_role("slower", "faster")}  # fmt: skip
    lanes = {each.label: each.position for each in graph.objects}
    for number, label in enumerate(sorted((name for name in ahead if ahead[name] > IN_VIEW), key=lambda n: ahead[n])):
        yield f"{number}: {lanes[label]} {ahead[label] // 5}"
        yield f"seen {number} {label}"


def _ground(graph: SceneGraph, at: float) -> Iterator[str]:
    """Yield the landmarks in view, and where they are from the middle of the picture."""
    places = np.array([graph.place(number) for number in (1, 2, 3)])
    [eye] = over(graph, np.array([at]), places)
    half = graph.camera_movement.high_height * np.tan(np.radians(FIELD) / 2) * np.array([16 / 9, 1])
    for number, (east, north) in enumerate(places - eye, 1):
        if (np.abs((east, north)) < half + BROAD).all():
            yield f"landmark {number} {octant(east, north) if np.hypot(east, north) > 5 else 'in the middle'}"
            yield f"seen {graph.of_role(f'landmark_{number}')[0].label}"


SHOWN: dict[str, Callable[[SceneGraph, float], Iterator[str]]] = {
    "CM": _causes, "HO": _levels, "VI": _people, "BT": _hazard, "DE": _way,
    "QC": _counted, "CI": _inside, "RV": _vehicles, "LS": _ground,
}  # fmt: skip
"""What is in view at a time (s), for the tasks that claim time."""


def middle_of(graph: SceneGraph) -> State:
    """Return what the middle frame shows."""
    return tuple(SHOWN[graph.task](graph, scenario_of(graph).phases[-1].t1 / 2))


def _mark(label: str, state: State) -> str:
    """Return how a thing is seen, such as "seen ", or "" if it is not."""
    return next((part.removesuffix(label) for part in state if part.startswith("seen ") and part.endswith(label)), "")


def _plain(text: str, graph: SceneGraph, stem: str, state: State) -> str:
    """Write a text with what matters of it to the reader.

    Of a thing, this is whether it is seen and its place in the stem; of a wind, its turn from a landmark in view.
    """
    named = sorted((each.label for each in graph.objects if each.label in stem), key=stem.index)
    for each in graph.objects:
        where = named.index(each.label) if each.label in named else "-"
        text = text.replace(each.label, f"<{_mark(each.label, state)}{where}>")
    return _turned(text, state)


def _turned(text: str, state: State) -> str:
    """Write each wind as its turn from the first landmark that is in view beside the middle."""
    shown = [part.split()[-1] for part in state if part.startswith("landmark ") and part.split()[-1] in COMPASS]
    if not shown:
        return text
    first = COMPASS.index(shown[0])
    return WIND.sub(lambda wind: f"{(COMPASS.index(wind[0].capitalize()) - first) % 8} eighths", text)


def _asked(graph: SceneGraph, stem: str, state: State) -> tuple[str, ...]:
    """Return what matters of a stem: in its order, how the named things are seen, and what a hand does."""
    marks = {stem.index(each.label): _mark(each.label, state) for each in graph.objects if each.label in stem}
    marks = marks if any(marks.values()) else {}  # else nothing tells what is in the clip at all
    acts = {stem.index(act): act for act in ("put in", "taken out") if act in stem}
    return tuple(text for _, text in sorted((marks | acts).items()))


def rates(asked: Sequence[tuple[SceneGraph, Question]]) -> dict[str, tuple[float, float]]:
    """Return for each template the share of right guesses in per cent, and that of chance.

    The reader counts the right options in one half of the scenes, and guesses in the other half.
    """
    learnt: dict[tuple, Counter[str]] = defaultdict(Counter)
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for number, (graph, question) in enumerate(asked):
        state = middle_of(graph)
        [name] = question.tags["template"]
        stem = in_full(graph, question.stem)
        options = [_plain(in_full(graph, option.text), graph, stem, state) for option in question.options]
        shown = tuple(_turned(part, state) for part in state if not part.startswith("seen "))
        key = (name, shown, _asked(graph, stem, state), tuple(sorted(options)))
        if number < len(asked) // 2:
            learnt[key][options[question.answer[0]]] += 1
            continue
        best = max(learnt[key][option] for option in options)
        likely = [k for k, option in enumerate(options) if learnt[key][option] == best]
        found[name].append(((question.answer[0] in likely) / len(likely), 1 / len(options)))
    return {name: tuple(100 * sum(each) / len(each) for each in zip(*pairs, strict=True))
            for name, pairs in found.items()}  # fmt: skip
