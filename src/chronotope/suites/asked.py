"""The asks of a benchmark as rows: messages with pictures as files, options and answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.families import Family
from chronotope.media import FrameCache
from chronotope.models import Limits
from chronotope.protocol import (
    Ask,
    AskSettings,
    ChoiceProtocol,
    Image,
    Part,
    Picture,
    Text,
    Video,
    media_of,
    option_letters,
    without_options,
)
from chronotope.question import Benchmark, Question
from chronotope.view.frames import make_strip

FRAMES = "frames"  # the folder of the pictures
Progress = Callable[[int, int, str], None]
OPEN = "open questions, whose answers need a judge"


@dataclass(frozen=True)
class Asked:
    """The plan of an exported task, and the number of open questions that are left out."""

    plan: Plan
    left_out: int

    @property
    def partial(self) -> bool:
        """Check whether a part of several correct options earns its share of the credit."""
        protocol = self.plan.family.protocol
        assert isinstance(protocol, ChoiceProtocol)
        return protocol.partial


def plan_asked(benchmark: Benchmark, family: Family, settings: AskSettings, selection: Selection) -> Asked:
    """Plan the asks of a task: each selected question with options, once.

    Raises:
        InputError: If the rules of the family cannot be copied, the settings send videos or ask a question several
            times, no selected question has options, or they have several variants. `make_plan` raises further errors.
    """
    protocol = family.protocol
    if not isinstance(protocol, ChoiceProtocol) or type(protocol).read is not ChoiceProtocol.read:
        raise InputError(
            f"family {family.name} has its own reader of replies, which cannot be copied into a task",
            where=str(benchmark.folder),
            expected="a family whose protocol is a ChoiceProtocol",
        )
    for flag, value, usual in (
        ("--clips", settings.clips, "frames"),
        ("--placement", settings.placement, "published"),
        ("--frames-as", "images" if settings.frames_as is None else settings.frames_as, "images"),
    ):
        if value != usual:
            raise InputError(f"{flag} {value}: a task shows pictures, and asks each question once: omit the flag")
    whole = make_plan(benchmark, family, settings, selection, Limits())
    asks = [ask for ask in whole.asks if whole.questions[ask.question].answer]
    if not asks:
        raise InputError(
            f"{benchmark.folder}: none of the selected questions has options; a task cannot have {OPEN}: select others"
        )
    for name, of in groupby(sorted(ask.question for ask in asks)):
        if len(list(of)) > 1:
            raise InputError(
                f"question {name!r} is asked with several strategies, and a task asks each question once: name one "
                "strategy"
            )
    kept = {ask.question for ask in asks}
    variants = sorted({whole.questions[name].variant for name in kept})
    if len(variants) > 1:
        raise InputError(
            f"{benchmark.folder}: the selected questions have the variants {', '.join(variants)}, and a task has one "
            "score, in which variants are never mixed: name one variant"
        )
    questions = {name: question for name, question in whole.questions.items() if name in kept}
    plan = Plan(benchmark, family, settings, whole.layout, tuple(asks), questions, whole.facts, whole.prompts)
    return Asked(plan, len(whole.questions) - len(questions))


def asked_rows(asked: Asked, folder: Path, progress: Progress | None = None) -> Iterator[dict[str, Any]]:
    """Yield a row for each ask, and write its pictures into the folder ``frames``.

    ``messages`` has the texts and pictures in the order in which a run sends them. ``answer`` are the correct letters.

    Raises:
        InputError: If a clip or a picture is missing, or has changed.
    """
    place, cache = folder / FRAMES, FrameCache()
    place.mkdir(exist_ok=True)
    plan = asked.plan
    before: tuple[Sequence[Picture], tuple[str, ...]] = ((), ())
    for number, ask in enumerate(plan.asks):
        if progress is not None:
            progress(number, len(plan.asks), ask.id)
        pictures = [one for one in media_of(plan.parts(ask)) if not isinstance(one, Video)]
        if pictures != before[0]:
            before = (pictures, make_strip(plan.benchmark.folder, pictures, place, cache).files)
        yield _row(ask, plan.questions[ask.question], messages_of(plan.parts(ask), before[1]), asked.partial)


def messages_of(parts: Sequence[Part], files: Sequence[str]) -> list[dict[str, Any]]:
    """Make the messages of a prompt, whose pictures are the given files.

    Adjacent texts of one role are one text, and consecutive parts of one role make one message, as in a request.
    """
    left = iter(files)
    messages: list[dict[str, Any]] = []
    for role, group in groupby(without_options(parts), key=lambda part: part.role):
        content: list[dict[str, Any]] = []
        for part in group:
            if isinstance(part, Image):
                content.append({"type": "image", "path": f"{FRAMES}/{next(left)}", "text": None})
            elif isinstance(part, Text) and content and content[-1]["type"] == "text":
                content[-1]["text"] += part.text
            elif isinstance(part, Text):
                content.append({"type": "text", "path": None, "text": part.text})
        messages.append({"role": role, "content": content})
    return messages


def _row(ask: Ask, question: Question, messages: list[dict[str, Any]], partial: bool) -> dict[str, Any]:
    letters = option_letters(len(ask.placement))
    options = [
        {"letter": letter, "text": question.options[index].text}
        for letter, index in zip(letters, ask.placement, strict=True)
    ]
    right = [letter for letter, index in zip(letters, ask.placement, strict=True) if index in question.answer]
    return {
        "id": ask.id,
        "question": question.id,
        "task": question.task,
        "variant": question.variant,
        "cluster": question.cluster,
        "messages": messages,
        "options": options,
        "answer": right,
        "multiple": question.multiple,
        "partial": partial and question.multiple,
    }
