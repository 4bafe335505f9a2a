"""A method that describes the middle frame of each video, and answers from these descriptions."""

from collections.abc import Generator, Sequence

from pydantic import Field

from chronotope.media import FramePlan, plan_frames
from chronotope.methods import Method, MethodAsk, MethodSettings, Step
from chronotope.protocol import Option, Part, Text, frames_of


class Settings(MethodSettings):
    """The words of the prompt."""

    glance_words: str = Field("What is there?", description="the question about each picture")


def shown(asked: MethodAsk, settings: Settings) -> tuple[FramePlan | None, ...]:
    """Return the plan of the middle frame of each video."""
    clips = [asked.facts.clip(item.paths[0]) for item in asked.question.media]
    return tuple(plan_frames(clip, "midpoints", count=1) for clip in clips)


def stages(asked: MethodAsk, settings: Settings) -> Generator[Sequence[Step], Sequence[str], tuple[Part, ...]]:
    """Describe each picture, then ask."""
    steps = [
        Step(item.paths[0], "caption", (*frames_of(item.paths[0], plan), Text(settings.glance_words)))
        for item, plan in zip(asked.question.media, asked.ask.plans, strict=True)
        if plan is not None
    ]
    told = yield steps
    options = [part for part in asked.parts if isinstance(part, Option)]
    return (Text(f"{'; '.join(told)}\n{asked.question.stem}\n"), *options)


METHOD = Method(
    name="glance",
    title="a glance at each video",
    version=1,
    kinds=lambda settings: ("caption",),
    shown=shown,
    stages=stages,
    words=lambda settings: "the middle frame",
    Settings=Settings,
)
