"""The translators of graphs and scenarios into prompts for image and video models."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial

from pydantic import BaseModel, Field

from chronotope.families.vgenst.agents.examples import prompt_examples
from chronotope.families.vgenst.agents.first_frame import (
    arrangement,
    hidden_words,
    looks_of,
    seen_first,
    shows_contents,
)
from chronotope.families.vgenst.agents.items import Item
from chronotope.families.vgenst.agents.prompts import about_task, filled, phases_told, stage, task_text
from chronotope.families.vgenst.agents.verdicts import as_objections
from chronotope.media import Encoded
from chronotope.models import Agreed, Asker, Generator, Objection, Unfit, agree
from chronotope.world.kinds.stage.graph import TASKS, Scenario, SceneGraph, published
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook

IMAGE = stage("image_prompt", "write", 0.3, 2_000)
VIDEO = stage("video_prompt", "write", 0.3, 3_000)
MOST_PROMPT = 2500  # characters; services cut or refuse longer prompts

IMAGES, VIDEOS = Rulebook("IMAGE"), Rulebook("VIDEO")
"""The rules of prompts for image models and for video models."""

_FIRST_PERSON = "The view is first-person: the camera is the eye of the observer"
_OUTSIDE = "The view is a neutral one from outside; the camera is nobody's eye"
_TEXT_TO_VIDEO = ("BT",)  # tasks whose clips are made without a first frame


class Prompt(BaseModel):
    """A prompt for an image model or a video model."""

    prompt: str = Field(min_length=1)


def has_anchor(task: str) -> bool:
    """Check whether clips of a task begin with a picture that an image model made."""
    return task not in _TEXT_TO_VIDEO


@IMAGES.rule("I1", "the prompt names everything that is visible at the start by its label", "name it")
def _visible(graph: SceneGraph, prompt: str) -> Iterator[Fault]:
    for entity in seen_first(graph):
        if entity.label.casefold() not in prompt.casefold():
            yield "prompt", f"{entity.label} is missing"


@IMAGES.rule("I2", "the prompt names nothing that only later frames show", "leave it out")
def _not_yet(graph: SceneGraph, prompt: str) -> Iterator[Fault]:
    for word in hidden_words(graph):
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", prompt.casefold()):
            yield "prompt", word


@VIDEOS.rule("V1", "the prompt names every entity by its label", "repeat what identifies it")
def _all_named(graph: SceneGraph, prompt: str) -> Iterator[Fault]:
    for entity in graph.objects:
        if entity.role != "ego" and entity.label.casefold() not in prompt.casefold():
            yield "prompt", f"{entity.label} is missing"


@VIDEOS.rule("V2", "each phase is told with its time window, in the form 0.0-2.5 s", "write it before the phase")
def _windows(graph: SceneGraph, prompt: str) -> Iterator[Fault]:
    for window in windows_of(graph):
        if window not in prompt.replace("–", "-"):
            yield "prompt", f"{window} is missing"


@IMAGES.rule("I3", f"the prompt has at most {MOST_PROMPT} characters", "be brief")
@VIDEOS.rule("V3", f"the prompt has at most {MOST_PROMPT} characters", "be brief")
def _brief(graph: SceneGraph, prompt: str) -> Iterator[Fault]:
    if len(prompt) > MOST_PROMPT:
        yield "prompt", f"{len(prompt)} characters"


def windows_of(graph: SceneGraph) -> list[str]:
    """Return the time window of each phase, such as ``0.0-2.5 s``."""
    return [f"{start:.1f}-{end:.1f} s" for _, start, end in phases_told(graph)]


def drawn_image_prompt(graph: SceneGraph) -> str:
    """Make the prompt of the first frame by code."""
    with_content = shows_contents(graph)
    shown = "; ".join(f"the {looks_of(entity, with_content=with_content)}" for entity in seen_first(graph))
    parts = [
        f"{_view(graph.task)}.",
        f"Place: {graph.scene_meta.theme}.",
        f"First frame: {_frame_text(graph)}",
        f"In the picture, and nothing else of their kind: {shown}.",
        arrangement(graph),
        "Nothing moves." if graph.task == "DS" else "Nothing moves; there are no words in the picture.",
        "A photograph, natural light, sharp, 16:9.",
    ]
    return " ".join(filter(None, parts))


def drawn_video_prompt(graph: SceneGraph, scenario: Scenario) -> str:
    """Make the prompt of the clip by code."""
    still = "Every entity stays exactly as it is; only the camera moves." if TASKS[graph.task].is_static else ""
    told = [f"{window}: {text}" for window, text in zip(windows_of(graph), scenario.timeline.values(), strict=True)]
    looks = "; ".join(f"the {looks_of(entity)}" for entity in graph.objects if entity.role != "ego")
    sign = "no words but those of the sign" if graph.task == "DS" else "no words"
    parts = [
        f"Camera: {task_text(graph.task, 'camera')}.",
        f"One continuous shot, no cut, {sign}, no captions.",
        still,
        *told,
        f"Looks, the same in every frame: {looks}.",
    ]
    return " ".join(filter(None, parts))


async def written_image_prompt(item: Item, graph: SceneGraph, scenario: Scenario, writer: Asker) -> Agreed[str]:
    """Let a model write the prompt of the first frame; rules judge it.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or a call failed.
    """
    hidden = ", ".join(hidden_words(graph)) or "nothing is hidden"
    prompt = filled(
        "image_prompt",
        **about_task("image_prompt", item.task),
        viewpoint=_view(item.task),
        visible=", ".join(looks_of(entity, with_content=shows_contents(graph)) for entity in seen_first(graph)),
        arranged=arrangement(graph) or "as the first frame says",
        hidden=hidden,
        examples=prompt_examples(item.task, item.theme.name, "image_prompt"),
    )
    first = next(iter(scenario.timeline.values()))
    parts = [prompt, f"Theme: {item.theme.name}\nFirst phase: {first}"]
    generator = Generator(writer, IMAGE, parts, Prompt, _read)
    return await agree(f"{item.id}--image prompt", generator, partial(prompt_faults, IMAGES, graph))


async def written_video_prompt(
    item: Item, graph: SceneGraph, scenario: Scenario, writer: Asker, anchor: Encoded | None = None
) -> Agreed[str]:
    """Let a model write the prompt of the clip; rules judge it.

    ``anchor`` is the first frame, which the model then sees, as in the paper.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or a call failed.
    """
    prompt = filled(
        "video_prompt",
        **about_task("video_prompt", item.task),
        windows=", ".join(windows_of(graph)),
        examples=prompt_examples(item.task, item.theme.name, "video_prompt"),
    )
    told = {"scene_graph": published(graph), "timeline": scenario.timeline}
    parts: list[str | Encoded] = [prompt, json.dumps(told, ensure_ascii=False)]
    if anchor is not None:
        parts += ["The first frame:", anchor]
    generator = Generator(writer, VIDEO, parts, Prompt, _read)
    return await agree(f"{item.id}--video prompt", generator, partial(prompt_faults, VIDEOS, graph))


def prompt_faults(rules: Rulebook, graph: SceneGraph, prompt: str) -> Sequence[Objection]:
    """Return what the rules find in a prompt."""
    return as_objections(list(rules.violations(graph, prompt)))


def _read(reply: BaseModel) -> str | Unfit:
    assert isinstance(reply, Prompt)
    return " ".join(reply.prompt.split())


def _view(task: str) -> str:
    return _FIRST_PERSON if "_EGO_" in TASKS[task].code else _OUTSIDE


def _frame_text(graph: SceneGraph) -> str:
    """Return the first frame of the task; MC has one for each direction of the camera."""
    text = task_text(graph.task, "first_frame")
    if graph.task == "MC":
        up, _, down = text.partition("With CAMERA down: ")
        text = down if shows_contents(graph) else up.partition("With CAMERA up: ")[2].strip()
    return text[0].upper() + text[1:].rstrip(".") + "."
