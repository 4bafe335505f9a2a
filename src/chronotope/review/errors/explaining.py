"""The two kinds of calls about a wrong answer: the model explains it, and a judge model names its class."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, create_model

from chronotope.evaluate.score import Answered, RunResults
from chronotope.media import Encoded, FrameCache
from chronotope.models import Stage
from chronotope.protocol import Image, Option, Part, Video
from chronotope.review.studies.study_kinds import Label
from chronotope.view.frames import make_pictures
from chronotope.view.prompts import shown_pictures

EXPLAINING = Stage(
    "explain",
    "You are shown a question about pictures, and the answer that you gave to it. Explain step by step how you came to "
    "this answer: what you saw, which sizes, positions and times you took from it, and how you reckoned. Do not answer "
    "anew, and do not judge whether the answer is right.",
    {"temperature": 0.0, "max_tokens": 1500},
)
_LABELLING = (
    "You are an expert who finds out why vision-language models fail. You are shown a question about a video, its "
    "options, the right answer, a wrong answer of a model, and its reasoning. Name the class of the first error "
    "that makes the answer wrong. Choose a second class only if a further error is as weighty. The classes:\n{labels}"
)


class Explanation(BaseModel):
    """The explanation of an answer."""

    steps: str = Field(description="how you came to the answer, step by step")


def labelling(labels: Sequence[Label]) -> Stage:
    """Return the kind of call in which a judge model labels an error."""
    told = "\n".join(f"- {one.name}: {one.meaning}" if one.meaning else f"- {one.name}" for one in labels)
    return Stage("label", _LABELLING.format(labels=told), {"temperature": 0.0, "max_tokens": 700})


@cache
def label_form(names: tuple[str, ...]) -> type[BaseModel]:
    """Return the form of a label: a short reason, the class, and a second class or null."""
    classes: Any = Literal[names]  # type: ignore[valid-type]
    return create_model(
        "ErrorClass",
        reason=(str, Field(description="one or two sentences: which step is wrong")),
        label=(classes, Field(description="the class of the error")),
        second=(cast("Any", classes | None), Field(None, description="a second class, or null")),
    )


def can_be_shown(results: RunResults, answered: Answered) -> bool:
    """Check whether a prompt has only texts and pictures; a clip as a file is not sent again."""
    return not any(isinstance(part, Video) and part.frames is None for part in results.parts(answered.ask))


def explaining_parts(results: RunResults, answered: Answered, cache: FrameCache) -> list[str | Encoded]:
    """Return the prompt of an answer with its pictures, and the answer; the truth is not among them."""
    parts = results.parts(answered.ask)
    shown = [picture for picture, _ in shown_pictures(parts)]
    pictures = iter(make_pictures(results.benchmark.folder, shown, cache))
    made = ["The question was:", *_told(parts, pictures)]
    return [*made, f"Your answer was: {reply_of(answered)}"]


def _told(parts: Sequence[Part], pictures: Iterator[Encoded]) -> Iterator[str | Encoded]:
    for part in parts:
        if not isinstance(part, Image | Video):
            words = part.shown if isinstance(part, Option) else part.text
            if words.strip():
                yield words
        yield from (next(pictures) for _ in shown_pictures([part]))


def labelling_parts(answered: Answered, reasoning: str | None) -> list[str | Encoded]:
    """Return everything that a judge model is told about a wrong answer."""
    question = answered.question
    options = [question.options[index].text or "(a picture)" for index in answered.ask.placement]
    letters = [chr(ord("A") + place) for place in range(len(options))]
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip(letters, options, strict=True))
    right = ", ".join(
        letter for letter, index in zip(letters, answered.ask.placement, strict=True) if index in question.answer
    )
    return [
        f"Task: {question.task}\nQuestion: {question.stem}\nOptions:\n{listed or '(none)'}\n"
        f"Right answer: {right or question.expected}\nAnswer of the model: {reply_of(answered)}\n"
        f"Reasoning of the model:\n{reasoning or '(none was kept)'}"
    ]


def reply_of(answered: Answered) -> str:
    """Return the reply of an answer, or a remark if there is none."""
    text = (answered.line.reply if answered.line is not None else None) or ""
    return text.strip() or "(no text)"
