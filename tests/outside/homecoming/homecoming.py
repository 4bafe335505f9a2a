"""A family of questions that is not of Chronotope's own: does the camera come back to where it started?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from chronotope.families import Family, FamilyBuild, WriteContext, Written
from chronotope.media import plan_frames
from chronotope.protocol import (
    Ask,
    AskSettings,
    ChoiceProtocol,
    FrameOf,
    Image,
    MediaFacts,
    Option,
    Part,
    Scored,
    Table,
    Text,
    choice_asks,
    option_letters,
)
from chronotope.question import MediaItem, Question, item_generator, shuffle
from chronotope.question import Option as QuestionOption
from chronotope.recording import Scene


class BuildOptions(BaseModel):
    """What may be chosen about the questions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    near: float = Field(1.0, gt=0, description="metres that count as near")
    polite: bool = Field(False, description="begin with a please")
    answers: list[str] = Field(default_factory=lambda: ["Yes", "No"], description="the words for yes and no")


class RunSettings(AskSettings):
    """How the questions are put."""

    shown: int = Field(4, ge=2, description="frames shown from start to end")


def write(scene: Scene, context: WriteContext) -> Written:
    """One question about a scene; none if the camera ends as far away as is asked about."""
    [recording] = scene.recordings
    places = recording.world_T_camera[recording.valid, :3, 3]
    distance = float(np.linalg.norm(places[-1] - places[0]))
    options: BuildOptions = context.options
    if abs(distance / options.near - 1) < 0.1:
        return Written((), {"homecoming": {"TOO_CLOSE_TO_CALL": 1}})
    generator = item_generator(context.seed, "homecoming", recording.id, "shuffle")
    texts, answer = shuffle(generator, tuple(options.answers), 0 if distance < options.near else 1)
    question = Question(
        id=f"{recording.id}-homecoming",
        family="homecoming",
        task="Homecoming",
        cluster=recording.id,
        stem=("Please say: d" if options.polite else "D")
        + f"oes the camera end nearer to where it started than {options.near:g} m?",
        options=tuple(QuestionOption(text) for text in texts),
        answer=(answer,),
        media=tuple(MediaItem("video", "video", (clip,)) for clip in context.clips.values()),
        provenance={"recording": recording.id, "distance": distance},
    )
    return Written((question,), {"homecoming": {}})


@dataclass(frozen=True)
class HomecomingProtocol(ChoiceProtocol):
    """Frames first, then the question."""

    name: str = "homecoming"
    version: int = 1

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        plans = [
            plan_frames(facts[item.paths[0]], "endpoints", count=settings.frames or settings.shown)
            for item in question.media
        ]
        return choice_asks(question, settings, plans)

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        parts: list[Part] = []
        for item, plan in zip(question.media, ask.plans, strict=True):
            if plan is not None:
                parts += [Image(FrameOf(item.paths[0], plan, position)) for position in range(len(plan.indices))]
        parts.append(Text(f"{question.stem}\n"))
        for letter, index in zip(option_letters(len(ask.placement)), ask.placement, strict=True):
            text = question.options[index].text or ""
            parts.append(Option(letter, f"{letter}. {text}\n", text))
        return [*parts, Text("Answer with the letter.")]

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        return [Table("back", "Cameras that came back", ("questions",), ((len(scored),),))]


FAMILY = Family(
    name="homecoming",
    title="Homecoming: does the camera come back",
    tasks=("Homecoming",),
    protocol=HomecomingProtocol(),
    RunSettings=RunSettings,
    build=FamilyBuild(
        write=write,
        Options=BuildOptions,
        explain={"TOO_CLOSE_TO_CALL": "the camera ends about as far away as is asked about"},
    ),
)
