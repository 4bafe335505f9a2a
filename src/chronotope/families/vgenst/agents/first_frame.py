"""What the first frame of a clip shows: the visible entities, and how prompts describe them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from chronotope.families.vgenst.agents.prompts import roles_seen_first
from chronotope.world.kinds.stage.graph import SceneGraph, published

LEVEL = "level"  # stands for the roles of the level that HO shows first
# Attributes that a prompt leaves out: what `arrangement` tells, what is not seen, and the kind, which the label has.
_LEFT_OUT = (
    "content", "initial_state", "initial_location", "revealed_in", "height_level", "placement", "position", "type",
    "position_relative_to_L1", "entry_direction",
)  # fmt: skip
_CAMERA = "ego"  # role of the vehicle that carries the camera, which no frame shows


def seen_first(graph: SceneGraph) -> tuple[Any, ...]:
    """Return the entities that the first frame shows."""
    roles = roles_seen_first(graph.task)
    if LEVEL in roles:
        first = ("lowest", "middle", "highest")[graph.params.stops[0]]
        return tuple(entity for entity in graph.objects if entity.attributes.height_level == first)
    if graph.task == "RV":
        return tuple(e for e in graph.of_role("slower", "faster") if e.relative_velocity_to_ego == "Slower-than-Ego")
    return graph.of_role(*roles)


def seen_later(graph: SceneGraph) -> tuple[Any, ...]:
    """Return the entities that only later frames show."""
    first = seen_first(graph)
    return tuple(entity for entity in graph.objects if entity not in first and entity.role != _CAMERA)


def shows_contents(graph: SceneGraph) -> bool:
    """Check whether the first frame shows what is in the containers."""
    return graph.task == "MC" and graph.params.camera_trajectory == "Boom_Down"


def hidden_words(graph: SceneGraph) -> tuple[str, ...]:
    """Return the words that a description of the first frame must not have: what only later frames show."""
    first = " ".join(entity.label.casefold() for entity in seen_first(graph))
    words = {entity.label.casefold(): None for entity in seen_later(graph)}
    if graph.task == "MC" and not shows_contents(graph):
        contents = (entity.attributes.content for entity in graph.of_role("container"))
        words |= {content.casefold(): None for content in contents if content != "Empty"}
    return tuple(word for word in words if word not in first)


def looks_of(entity: Any, *, with_content: bool = False) -> str:
    """Describe an entity in a few words: its label, and the attributes that the label does not name."""
    told = _attributes(entity)
    extras = [value for value in told.values() if value.casefold() not in entity.label.casefold()]
    content = getattr(getattr(entity, "attributes", None), "content", None)
    if with_content and content is not None:
        extras.append("empty" if content == "Empty" else f"holding {content}")
    return f"{entity.label} ({', '.join(extras)})" if extras else entity.label


def arrangement(graph: SceneGraph) -> str:
    """Describe where the entities of the first frame are, in a sentence.

    The result is empty if the first frame of the task says so already.
    """
    arranged = _ARRANGED.get(graph.task)
    return "" if arranged is None else arranged(graph)


def _in_a_row(labels: Sequence[str]) -> str:
    return f"From left to right: {', '.join(f'the {label}' for label in labels)}."


def _containers_in_a_row(graph: SceneGraph) -> str:
    labels = {entity.id: entity.label for entity in graph.objects}
    return _in_a_row([labels[name] for name in graph.places().values()])  # type: ignore[attr-defined]


def _items_beside(graph: SceneGraph) -> str:
    [items] = graph.of_role("countable_items")
    count, side = graph.params.initial_surface_count, graph.params.item_side
    if count == 0:
        return "No item is on the surface."
    return f"Exactly {count} on the surface, identical, to the {side} of the container: {items.label}."


def _things_in_a_row(graph: SceneGraph) -> str:
    places = ("Left", "Center", "Right")
    things = sorted(graph.of_role("target", "distractor"), key=lambda thing: places.index(thing.position))
    return _in_a_row([thing.label for thing in things])


def _triggers_and_effectors(graph: SceneGraph) -> str:
    roles = ("trigger_1", "trigger_2", "effector_1", "effector_2")
    placed = (f"the {e.label} in the {e.attributes.position.replace('_', ' on the ')}" for e in graph.of_role(*roles))
    return f"Seen by the camera: {', '.join(placed)}."


def _beside_on_level(graph: SceneGraph) -> str:
    shown = seen_first(graph)
    if len(shown) < 2:
        return ""
    other = next(entity for entity in shown if entity.role == "obj_distractor")
    ranked = next(entity for entity in shown if entity is not other)
    return f"The {other.label} is on the {graph.params.distractor_side} of the {ranked.label}."


def _around(graph: SceneGraph) -> str:
    placed = (f"the {e.label} at {e.attributes.position.split(' (')[0]}" for e in graph.of_role("observer", "target"))
    return f"Around the {graph.of_role('occluder')[0].label}, seen from above: {', '.join(placed)}."


def _ahead(graph: SceneGraph) -> str:
    return " ".join(f"Ahead in the {entity.position}: the {entity.label}." for entity in seen_first(graph))


def _beside_path(graph: SceneGraph) -> str:
    [other] = graph.of_role("distractor")
    return f"The {other.label} stands on the {other.attributes.position} of the path."


_ARRANGED: Mapping[str, Callable[[SceneGraph], str]] = {
    "MC": _containers_in_a_row,
    "QC": _items_beside,
    "IO": _things_in_a_row,
    "CM": _triggers_and_effectors,
    "HO": _beside_on_level,
    "VI": _around,
    "RV": _ahead,
    "BT": _beside_path,
}


def _attributes(entity: Any) -> dict[str, str]:
    """Return the published attributes that can be seen, as words."""
    looks = getattr(entity, "visual_attributes", None) or getattr(entity, "attributes", None)
    if not isinstance(looks, BaseModel):
        return {}
    told = dict(_words(published(looks)))  # type: ignore[arg-type]
    return {key: value for key, value in told.items() if key not in _LEFT_OUT}


def _words(looks: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in looks.items():
        if isinstance(value, dict):
            yield key, f"“{value['text']}” with an arrow {value['arrow'].lower()}"
        elif isinstance(value, str):
            yield key, value.replace("_", " ")
