"""The parts that scene graphs of all tasks share.

The keys are those of the published graphs. Fields that are marked as ``Ours`` are additions of this project.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Profile = Literal["paper", "extended"]
Side = Literal["left", "right"]
Place = Literal["Left", "Center", "Right"]

SCALES = {"F": "Figural", "V": "Vista", "E": "Environmental"}
PERSPECTIVES = {"EGO": "Ego", "EXO": "Exo"}
DYNAMICS = {"STA": "Static", "DYN": "Dynamic"}


@dataclass(frozen=True)
class Ours:
    """The mark of a field that published graphs do not have."""


@dataclass(frozen=True)
class Words:
    """The mark of a field that has a word of a catalogue in graphs that are drawn, and any words in other graphs."""

    catalogue: str


Word = Annotated[str, Field(min_length=1, max_length=200)]
Prose = Annotated[str, Field(min_length=1, max_length=2000)]
Colour = Annotated[Word, Words("colours")]


class Part(BaseModel):
    """A part of a scene graph; unknown keys are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SceneMeta(Part):
    """The place of a scene on the three axes, its task and its theme."""

    spatial_scale: Word
    scene_dynamics: Word
    perspective: Word
    task_type: Word
    theme: Word


class SceneObject(Part):
    """An entity of a scene: its label is what people call it."""

    id: Word
    label: Word
    role: Any  # each kind of object has its own words


class Camera(Part):
    """The movement of the camera."""

    type: Word
    trajectory: Word


class Setup(Part):
    """The state of a scene before anything moves."""

    description: Prose


class Step(Part):
    """A step of what happens in a scene."""

    step: Annotated[int, Field(ge=1)]
    action_description: Prose


class TemporalFlow(Part):
    """What happens in a scene, in order."""

    initial_setup: Setup
    action_sequence: tuple[Step, ...]


class Params(Part):
    """The resolved entry of a parameter cycle, with the parameters of this project that balance the answers."""


class SceneGraph(Part):
    """A scene graph: the subclass of a task narrows its parts.

    ``params`` is the entry of the cycle of ``profile``, a `Params`. ``seed`` belongs to graphs that code has drawn, and
    ``provenance`` says how the graph was made. ``objects`` are of classes of `SceneObject`, ``camera_movement`` is a
    `Camera`, and ``ground_truth`` is a `Part`.
    """

    schema_version: Annotated[Literal[1], Ours()] = 1
    profile: Annotated[Profile, Ours()]
    params: Annotated[Any, Ours()]  # these are Any because the type of a mutable field cannot be narrowed
    seed: Annotated[int | None, Ours()] = None
    provenance: Annotated[dict[str, Any], Ours()] = Field(default_factory=dict)
    scene_meta: SceneMeta
    objects: tuple[Any, ...]
    camera_movement: Any
    ground_truth: Any

    @property
    def task(self) -> str:
        """Return the short code of the task, such as "MC"."""
        return self.scene_meta.task_type.partition("_")[0]

    def of_role(self, *roles: str) -> tuple[Any, ...]:
        """Return the objects with one of these roles, in the order of the graph."""
        return tuple(each for each in self.objects if each.role in roles)


def published(graph: SceneGraph) -> dict[str, Any]:
    """Return a graph as JSON with the published keys only."""
    return _without_ours(graph)


def _without_ours(part: Any) -> Any:
    if isinstance(part, BaseModel):
        fields = type(part).model_fields
        return {
            name: _without_ours(getattr(part, name))
            for name, field in fields.items()
            if not any(isinstance(mark, Ours) for mark in field.metadata)
        }
    if isinstance(part, Mapping):
        return {key: _without_ours(value) for key, value in part.items()}
    if isinstance(part, tuple | list):
        return [_without_ours(value) for value in part]
    return part
