"""A family whose options may be pictures, and of which several may be right. The tests install it as an entry point."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.families import Family
from chronotope.media import plan_frames
from chronotope.protocol import (
    Ask,
    AskSettings,
    FrameOf,
    Image,
    MediaFacts,
    Option,
    Part,
    PictureFile,
    Reading,
    Scored,
    Table,
    Text,
    choice_asks,
    option_letters,
    read_asked_choice,
    score_choice,
)
from chronotope.question import Question


@dataclass(frozen=True)
class PickProtocol:
    """The question, its options with their pictures, then the frames."""

    name: str = "pick"
    version: int = 1

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

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        return read_asked_choice(ask, question, reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        return score_choice(question, readings)

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        return [Table("questions", "Questions", ("n",), ((len(scored),),))]


FAMILY = Family("pick", "Pick", ("pictures", "several", "both"), PickProtocol())
