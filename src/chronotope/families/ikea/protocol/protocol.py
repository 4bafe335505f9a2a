"""The evaluation protocol of IKEA-Bench: run settings, asks, readings and scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from chronotope.errors import InputError
from chronotope.families.ikea.depictions import PHOTO
from chronotope.families.ikea.protocol.contexts import Source
from chronotope.families.ikea.protocol.frames import plan_segment, plan_some
from chronotope.families.ikea.protocol.prompt import SHOWN, description_of, prompt
from chronotope.families.ikea.protocol.published_reader import read_as_published
from chronotope.families.ikea.protocol.route import ROUTED, read_route, route_text
from chronotope.families.ikea.protocol.tables import binary_metrics, tables
from chronotope.families.ikea.tasks import STRATEGIES, Strategy
from chronotope.media import FramePlan
from chronotope.protocol import (
    Ask,
    AskSettings,
    ChoiceProtocol,
    MediaFacts,
    Part,
    Reading,
    Role,
    Scored,
    choice_asks,
)
from chronotope.question import MediaItem, Question

NO_DESCRIPTION = "no_description"  # flag of a released question with a diagram that lacks a description


class RunSettings(AskSettings):
    """The settings for asking the questions of IKEA-Bench."""

    extending: ClassVar[frozenset[str]] = AskSettings.extending | {"strategy"}
    later: ClassVar[frozenset[str]] = AskSettings.later | {"route", "depiction"}

    strategy: Literal["visual", "visual_text", "text_only", "all"] = Field(
        "visual",
        description="visual: show diagrams as pictures; visual_text: show pictures and descriptions; text_only: show "
        "only descriptions; all: ask with each of the three",
    )
    context_role: Role = Field("user", description="the role of the first text in the prompt: user or system")
    instruction: Source = Field(
        "paper", description="the words that ask for the letter: from the paper, or from the authors' code"
    )

    descriptions: Literal["shown", "masked"] = Field(
        "shown",
        description="masked: with visual_text, a sentence without content stands for each description, as in the "
        "authors' ablation; if accuracy returns to that of visual, the content of the descriptions changed it",
    )

    depiction: Literal["photo"] | None = Field(
        None,
        description="photo: show photographs of the same steps in place of the diagrams, if the benchmark has them "
        "(build with --photos; default: diagrams)",
    )

    route: str | None = Field(
        None,
        description="the strategy of each task, such as T1=text_only,T2=visual_text; tasks that are not named have "
        "the strategy of --strategy, and with all, the three strategies are asked beside the route",
    )

    @field_validator("route", mode="before")
    @classmethod
    def _one_form(cls, route: Any) -> Any:
        """Write equal routes in equal words.

        The words are part of a run's identity.
        """
        return route_text(route)

    @property
    def max_tokens(self) -> int:
        """Return the paper's token limit, which allows an explanation in the reply."""
        return 1024


@dataclass(frozen=True)
class IKEAProtocol(ChoiceProtocol):
    """The protocol of IKEA-Bench: frames of a step and diagrams of a manual, each with its label.

    The reply is a letter, followed by an explanation.
    """

    name: str = "ikea"
    version: int = 2
    tables = staticmethod(tables)

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """Make the asks of a question for each selected strategy.

        Raises:
            InputError: If the settings contradict each other, or a description is missing.
        """
        if settings.clips == "video":
            raise InputError("--clips: IKEA-Bench shows clips as frames, never as video files: leave out --clips video")
        if settings.input == "blind" and (settings.strategy != "visual" or settings.route is not None):
            flag = "strategy" if settings.route is None else "route"
            raise InputError(
                f"--{flag}: cannot be combined with --input blind, which shows no pictures: leave out one of the two "
                "flags"
            )
        masked = settings.descriptions == "masked"
        if masked and (settings.strategy != "visual_text" or settings.route is not None):
            asked = f"--strategy {settings.strategy}" if settings.route is None else f"--route {settings.route}"
            raise InputError(
                f"--descriptions masked: {asked} does not show descriptions beside diagrams",
                fix="add --strategy visual_text" if settings.route is None else "leave out one of the two flags",
            )
        if settings.depiction is not None and (settings.input == "blind" or settings.strategy == "text_only"):
            flag = "--input blind" if settings.input == "blind" else "--strategy text_only"
            raise InputError(f"--depiction photo: {flag} shows no such pictures: leave out one of the two flags")
        ways = _ways(question, settings)
        if any(shown != "visual" for _, shown in ways):
            _check_descriptions(question, facts)
        plans = [_plan(item, settings, facts) for item in question.media]
        wording = (("context_role", settings.context_role), ("instruction", settings.instruction))
        wording += (("descriptions", "masked"),) if masked else ()
        photos = () if settings.depiction is None else (PHOTO,)
        asks = (
            choice_asks(
                question, settings, plans, strategy=name,
                wording=(
                    *wording, *(() if shown == "text_only" else photos), *(() if name == shown else ((SHOWN, shown),))
                ),
            )
            for name, shown in ways
        )  # fmt: skip
        return [ask for of in asks for ask in of]

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask."""
        return prompt(ask, question, facts)

    def read_as_published(self, ask: Ask, question: Question, reply: str) -> Reading:
        """Read a reply by the rules of the authors' code, for comparison."""
        return read_as_published(ask, question, reply)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question.

        For T2 and D1, further metrics count how often the reply was A, and how often it was Yes or Same.
        """
        scored = super().score(question, readings)
        return replace(scored, metrics=scored.metrics | binary_metrics(question, readings))


def _ways(question: Question, settings: RunSettings) -> list[tuple[str, Strategy]]:
    """Return the strategies to ask with, and the strategies shown.

    Both differ only for a route. A released question that lacks a description is asked only with pictures.
    """
    lacks = NO_DESCRIPTION in question.flags
    single: Sequence[Strategy] = STRATEGIES if settings.strategy == "all" else (settings.strategy,)
    ways: list[tuple[str, Strategy]] = [(one, one) for one in single if one == "visual" or not lacks]
    if settings.route is None:
        return ways
    default: Strategy = "visual" if settings.strategy == "all" else settings.strategy
    chosen: Strategy = "visual" if lacks else read_route(settings.route).get(question.task, default)
    return [*(ways if settings.strategy == "all" else ()), (ROUTED, chosen)]


def _plan(item: MediaItem, settings: RunSettings, facts: MediaFacts) -> FramePlan | None:
    clip = facts.find_clip(item.paths[0])
    if clip is not None:
        return plan_segment(item, clip, settings.frames)
    if item.kind == "image":
        return None
    return plan_some([facts.picture(path).sha256 for path in item.paths], settings.frames)


def _check_descriptions(question: Question, facts: MediaFacts) -> None:
    """Check that every diagram of the question has a description.

    Raises:
        InputError: If a diagram of the question has no description.
    """
    diagrams = [item.paths[0] for item in question.media if item.kind == "image"]
    for path in (*diagrams, *(option.image for option in question.options if option.image is not None)):
        description_of(path, facts)
