"""The rules of graphs and scenarios of all tasks."""

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook
from chronotope.world.kinds.stage.graph.scenarios import LONGEST, SECONDS, Scenario
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.structure import SceneGraph, Words
from chronotope.world.kinds.stage.graph.themes import POOLS
from chronotope.world.kinds.stage.graph.vocabulary import items, words

# Words that give an answer away when they stand in the name of a thing.
TELLING = frozenset(
    [
        "left",
        "right",
        "middle",
        "center",
        "centre",
        "first",
        "second",
        "last",
        "inert",
        "inactive",
        "active",
        "broken",
        "working",
        "dummy",
        "target",
        "distractor",
        "slower",
        "faster",
        "slow",
        "fast",
        "safety",
        "racer",
        "empty",
        "full",
        "hidden",
        "visible",
        "trigger",
        "effector",
        "lowest",
        "highest",
    ]
)
LETTERS = frozenset(["caption", "subtitle", "logo", "slogan", "lettering", "inscription", "watermark", "text"])
HELPERS = ("hand",)  # who acts in a first-person view without being an entity
_EDGE = 1e-6

GRAPHS, DRAWN, SCENARIOS = (Rulebook("ALL") for _ in range(3))
"""The rules of all graphs, of graphs that are drawn, and of scenarios."""


@GRAPHS.rule("R3", "everything that takes part is an entity of the graph", "add the entity, or name one of the graph")
def _known(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    ids = {each.id for each in graph.objects}
    labels = {each.label for each in graph.objects}
    for index, relation in enumerate(getattr(graph, "spatial_layout", ())):
        for end in ("subject", "target"):
            if getattr(relation, end) not in ids:
                yield f"spatial_layout.{index}.{end}", getattr(relation, end)
    told = graph.ground_truth.model_dump()
    for label in told.get("mapping", {}):
        if label not in labels:
            yield "ground_truth.mapping", label
    for key in ("height_ranking_low_to_high", "container_A_contents", "container_B_contents"):
        for label in told.get(key, ()):
            if label not in labels:
                yield f"ground_truth.{key}", label
    for key in ("target_object_id", "trigger_object_id"):
        if key in told and told[key] not in ids:
            yield f"ground_truth.{key}", told[key]


@GRAPHS.rule("R4", "labels are pairwise distinct (in CI, only shared objects have one label)", "rename one of them")
def _labels(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for index, each in enumerate(graph.objects):
        label = each.label.casefold().strip()
        shared = label in seen and {each.role[:5], seen[label][:5]} == {"obj_A", "obj_B"}
        if label in seen and not shared:
            yield f"objects.{index}.label", each.label
        seen.setdefault(label, each.role)


@GRAPHS.rule("R6", "no rendered text or captions, except on the sign of DS", "leave out words that can be read")
def _text(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    if task.short == "DS":
        return
    for index, each in enumerate(graph.objects):
        for path, text in _strings(each.model_dump(exclude={"id", "role"}), f"objects.{index}"):
            if '"' in text or LETTERS & set(re.findall(r"\w+", text.casefold())):
                yield path, text


@GRAPHS.rule("R7", "the ground truth is what the objects and actions of the graph give", "correct the ground truth")
def _truth(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    told, found = graph.ground_truth.model_dump(), task.truth(graph).model_dump()
    for key, value in found.items():
        if told[key] != value:
            yield f"ground_truth.{key}", f"{told[key]}, but the graph gives {value}"


@GRAPHS.rule("R9", "scene_meta has the scale, the dynamics and the perspective of the task", "copy them from the task")
def _meta(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    wanted = task.meta(graph.scene_meta.theme)
    for key in ("spatial_scale", "scene_dynamics", "perspective", "task_type"):
        if getattr(graph.scene_meta, key) != getattr(wanted, key):
            yield f"scene_meta.{key}", getattr(graph.scene_meta, key)


@GRAPHS.rule("R10", "params are an entry of the cycle of the graph's profile", "take an entry of the cycle")
def _entry(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    cycle = task.cycles[graph.profile]
    if all(task.params(**cycle.at(index)) != graph.params for index in range(cycle.length)):
        yield "params", graph.params.model_dump()


@GRAPHS.rule("R11", "ids are pairwise distinct", "give each object an id of its own")
def _ids(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    ids = [each.id for each in graph.objects]
    for index, each in enumerate(ids):
        if each in ids[:index]:
            yield f"objects.{index}.id", each


@GRAPHS.rule("R12", "labels do not give the answer away: no words for sides, order, states or roles",
             "name the object by its kind and its looks")  # fmt: skip
def _telling(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if TELLING & set(re.findall(r"\w+", each.label.casefold())):
            yield f"objects.{index}.label", each.label


@DRAWN.rule("R5", "the theme is one of the task's themes that are drawn", "choose a theme that has a set")
def _theme(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    theme = POOLS[task.theme_pool].named(graph.scene_meta.theme)
    if theme is None or not theme.is_drawn:
        yield "scene_meta.theme", graph.scene_meta.theme


@DRAWN.rule("R13", "all words of a graph that is drawn are in the catalogue", "take a word that the schema lists")
def _catalogue(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    for path, value, mark in marked(graph):
        if value is not None and value not in words(mark.catalogue):
            yield path, value


@DRAWN.rule("R14", "a thing that is drawn has a colour and a material of its kind", "take a colour of this kind")
def _possible(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        key = "visual_attributes" if hasattr(each, "visual_attributes") else "attributes"
        looks = getattr(each, key, None)
        kind, catalogue = getattr(looks, "type", None), _catalogue_of(looks, "type")
        known = items(catalogue).get(kind) if kind and catalogue else None
        if known is None:
            continue
        if known.colours and looks.color not in known.colours:  # type: ignore[union-attr]
            yield f"objects.{index}.{key}.color", f"{looks.color} {kind}"  # type: ignore[union-attr]
        if _catalogue_of(looks, "material") == "materials" and looks.material not in known.materials:  # type: ignore[union-attr]
            yield f"objects.{index}.{key}.material", f"{looks.material} {kind}"  # type: ignore[union-attr]


@DRAWN.rule("R15", "the label and any appearance of what is drawn have its colour and kind", "write colour and kind")
def _named(graph: SceneGraph, task: StageTask) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        looks = getattr(each, "visual_attributes", None) or getattr(each, "attributes", None)
        wanted = [getattr(looks, "type", None)]
        if _catalogue_of(looks, "color") == "colours":
            wanted.append(looks.color)  # type: ignore[union-attr]
        for path, text in (("label", each.label), ("attributes.appearance", getattr(looks, "appearance", each.label))):
            if any(word and word.removeprefix("tall ") not in text for word in wanted):
                yield f"objects.{index}.{path}", text


@SCENARIOS.rule("R1", "one continuous shot: the phases follow each other without gap or overlap, from 0 on",
                "let each phase begin when the last one ends")  # fmt: skip
def _continuous(graph: SceneGraph, scenario: Scenario, task: StageTask) -> Iterator[Fault]:
    at = 0.0
    for index, phase in enumerate(scenario.phases):
        if abs(phase.t0 - at) > _EDGE or phase.t1 <= phase.t0:
            yield f"phases.{index}", f"{phase.t0} to {phase.t1} s"
        at = phase.t1


@SCENARIOS.rule("R2", "in a static task, every entity is frozen: only the camera moves", "remove the events")
def _frozen(graph: SceneGraph, scenario: Scenario, task: StageTask) -> Iterator[Fault]:
    if task.is_static:
        for index, phase in enumerate(scenario.phases):
            for number, event in enumerate(phase.events):
                yield f"phases.{index}.events.{number}", event.kind


@SCENARIOS.rule("R8", "a clip lasts 8 s, and at most 16 s in the extended profile", "scale the times of the phases")
def _seconds(graph: SceneGraph, scenario: Scenario, task: StageTask) -> Iterator[Fault]:
    end = scenario.phases[-1].t1 if scenario.phases else 0.0
    longest = SECONDS if graph.profile == "paper" else LONGEST
    if not SECONDS - _EDGE <= end <= longest + _EDGE:
        yield "phases", f"{end} s"


@SCENARIOS.rule("R16", "the phases are those of the task, in order, and the first is the task's first frame",
                "write a description for each phase of the task")  # fmt: skip
def _phases(graph: SceneGraph, scenario: Scenario, task: StageTask) -> Iterator[Fault]:
    wanted = [phase.name for phase in task.tell(graph).phases]
    if [phase.name for phase in scenario.phases] != wanted:
        yield "phases", ", ".join(phase.name for phase in scenario.phases)
    if list(scenario.timeline) != wanted:
        yield "timeline", ", ".join(scenario.timeline)


@SCENARIOS.rule("R17", "events lie within their phases, and their agents and objects are entities of the graph",
                "move the event, or name an entity")  # fmt: skip
def _events(graph: SceneGraph, scenario: Scenario, task: StageTask) -> Iterator[Fault]:
    ids = {each.id for each in graph.objects} | set(HELPERS)
    for index, phase in enumerate(scenario.phases):
        for number, event in enumerate(phase.events):
            path = f"phases.{index}.events.{number}"
            if not phase.t0 - _EDGE <= event.t0 <= event.t1 <= phase.t1 + _EDGE:
                yield path, f"{event.t0} to {event.t1} s"
            for key in ("agent", "object"):
                if getattr(event, key) is not None and getattr(event, key) not in ids:
                    yield f"{path}.{key}", getattr(event, key)


def marked(part: Any, path: str = "") -> Iterator[tuple[str, Any, Words]]:
    """Yield the path, the value and the mark of each field with words of a catalogue."""
    if isinstance(part, BaseModel):
        for name, field in type(part).model_fields.items():
            value, inside = getattr(part, name), f"{path}.{name}" if path else name
            mark = mark_of(field)
            if mark is not None:
                yield inside, value, mark
            else:
                yield from marked(value, inside)
    elif isinstance(part, tuple):
        for index, value in enumerate(part):
            yield from marked(value, f"{path}.{index}")


def mark_of(field: FieldInfo) -> Words | None:
    """Return the mark of a field whose words are in a catalogue."""
    inner = [mark for each in get_args(field.annotation) for mark in getattr(each, "__metadata__", ())]
    return next((mark for mark in (*field.metadata, *inner) if isinstance(mark, Words)), None)


def _catalogue_of(looks: Any, name: str) -> str | None:
    field = type(looks).model_fields.get(name) if isinstance(looks, BaseModel) else None
    mark = mark_of(field) if field else None
    return mark.catalogue if mark else None


def _strings(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _strings(inner, f"{path}.{index}")
