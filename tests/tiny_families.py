"""Families as small as they can be. The tests install them as entry points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from chronotope.families import Family
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
    PictureFile,
    Scored,
    Table,
    Text,
    choice_asks,
    option_letters,
)
from chronotope.question import Question


class TinySettings(AskSettings):
    """Two settings more than everybody's; the second adds asks by another strategy."""

    extending: ClassVar[frozenset[str]] = frozenset({"placement", "hints"})

    polite: bool = False
    hints: bool = False


@dataclass(frozen=True)
class TinyProtocol(ChoiceProtocol):
    """Frames of the window, or pictures, then the question."""

    name: str = "tiny"
    version: int = 1

    def asks(self, question: Question, settings: TinySettings, facts: MediaFacts) -> list[Ask]:
        window = None if question.window is None else (question.window.start, question.window.end)
        plans = tuple(
            plan_frames(facts[item.paths[0]], "midpoints", count=settings.frames or 4, window=window)
            if item.kind == "video"
            else None
            for item in question.media
        )
        strategies = ("direct", "hinted") if settings.hints else ("direct",)
        wording = (("greeting", "Please. " if settings.polite else ""),)
        ways = (choice_asks(question, settings, plans, strategy=name, wording=wording) for name in strategies)
        return [ask for asks in ways for ask in asks]

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        parts: list[Part] = [Text(ask.worded("greeting"), "system")] if ask.worded("greeting") else []
        if ask.input == "full":
            for item, plan in zip(question.media, ask.plans, strict=True):
                if plan is None:
                    parts += [Image(PictureFile(path, facts[path].sha256)) for path in item.paths]
                else:
                    parts += [Image(FrameOf(item.paths[0], plan, place)) for place in range(len(plan.indices))]
        hint = " Mind the walls." if ask.strategy == "hinted" and question.task == "where" else ""
        parts.append(Text(f"{question.stem}{hint}\n"))
        for letter, index in zip(option_letters(len(ask.placement)), ask.placement, strict=True):
            text, image = question.options[index].text or "", question.options[index].image
            shown = None if image is None else PictureFile(image, facts[image].sha256)
            parts.append(Option(letter, f"{letter}. {text}\n", text, shown))
        return [*parts, Text("Answer with one letter.")]

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        return [Table("questions", "Questions", ("n",), ((len(scored),),))]


@dataclass(frozen=True)
class PickProtocol(TinyProtocol):
    """The question, its options with their pictures, of which several may be right, then the frames."""

    name: str = "pick"

    def asks(self, question: Question, settings: AskSettings, facts: MediaFacts) -> list[Ask]:
        plans = [plan_frames(facts[item.paths[0]], "endpoints", count=settings.frames or 2) for item in question.media]
        return choice_asks(question, settings, plans)

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        parts: list[Part] = [Text("You look closely.", "system"), Text(question.stem)]
        for letter, index in zip(option_letters(len(ask.placement)), ask.placement, strict=True):
            option = question.options[index]
            picture = None if option.image is None else PictureFile(option.image, facts[option.image].sha256)
            parts.append(Option(letter, f"\n{letter}. {option.text or ''}", option.text, picture))
        parts.append(Text("\nName every right letter." if question.multiple else "\nName one letter."))
        for item, plan in zip(question.media, ask.plans, strict=True):
            if plan is not None:
                parts += [Image(FrameOf(item.paths[0], plan, place)) for place in range(len(plan.indices))]
        return parts


TINY = Family("tiny", "Tiny", ("count", "where"), TinyProtocol(), RunSettings=TinySettings)
PICK = Family("pick", "Pick", ("pictures", "several", "both"), PickProtocol())
