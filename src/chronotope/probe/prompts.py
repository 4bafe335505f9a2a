"""The prompts of a probe, and the tokens of each of their parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan
from chronotope.families import Depiction
from chronotope.models.transformers import Encoded
from chronotope.models.transformers.spans import Span
from chronotope.protocol import Ask, FrameOf, Image, Option, Part, Picture, Video, media_of, option_letters
from chronotope.question import Question

TEXT, TEMPLATE = "text", "template"
_MARKS = ("vision_start_token_id", "vision_end_token_id")  # the tokens that the authors search for in prompts of Qwen


@dataclass(frozen=True)
class Prompted:
    """One planned prompt, with the condition under which it is asked.

    ``question`` has the pictures that the prompt shows, and ``depicted`` says what they depict.
    """

    condition: str
    ask: Ask
    question: Question
    parts: tuple[Part, ...]
    depicted: tuple[Depiction, ...]

    @property
    def id(self) -> str:
        """Return a text that identifies the prompt in its probe."""
        return f"{self.condition} {self.ask.id}"


@dataclass(frozen=True)
class Places:
    """The token positions of each part of a prompt.

    - ``modalities`` maps roles, ``text`` and ``template`` to positions, which cover the prompt without overlap. The
      last token, the chat template and the marks around pictures belong to ``template``.
    - ``pictures`` has the role and the positions of each picture and video, in the order of the prompt.
    - ``options`` maps the letter of each option to the positions of its text and its picture.
    """

    modalities: dict[str, list[int]]
    pictures: list[tuple[str, list[int]]]
    options: dict[str, list[int]]


def prompts_of(plan: Plan, condition: str) -> list[Prompted]:
    """Return the prompts of a plan."""
    pictured = plan.family.pictured
    found: list[Prompted] = []
    for ask in plan.asks:
        question = plan.questions[ask.question]
        shown = question if pictured is None else pictured(ask, question, plan.facts)
        found.append(Prompted(condition, ask, shown, plan.parts(ask), tuple(plan.family.depicts(shown))))
    return found


def places_of(prompted: Prompted, encoded: Encoded) -> Places:
    """Assign every token of a prompt to its parts.

    Raises:
        InputError: If the prompt has another number of pictures than the spans.
    """
    pictures: list[tuple[str, list[int]]] = []
    options: dict[str, list[int]] = {}
    kind = [TEMPLATE] * encoded.length
    for span in encoded.texts:
        kind[span.start : span.end] = [TEXT] * (span.end - span.start)
    for span in encoded.spans:
        if span.kind == "option":
            kind[span.start : span.end] = [TEXT] * (span.end - span.start)
            options.setdefault(span.letter or "", []).extend(range(span.start, span.end))
            continue
        role = _role(prompted, span)
        for place in range(span.start, span.end):
            kind[place] = TEMPLATE
        for place in span.vision:
            kind[place] = role
        pictures.append((role, list(span.vision)))
        if span.letter is not None:
            options.setdefault(span.letter, []).extend(span.vision)
    shown = len(media_of(prompted.parts))
    if shown != len(pictures):
        raise InputError(f"question {prompted.question.id!r}: {shown} pictures, but {len(pictures)} are in the prompt")
    kind[-1] = TEMPLATE
    return Places(_by_name(kind), pictures, {letter: sorted(at) for letter, at in options.items()})


def published_sets(places: Places, ids: Sequence[int], config: Any) -> dict[str, list[int]]:
    """Return the positions of each modality as published.

    The authors of IKEA-Bench count them in this way.

    If ``config`` names the tokens that begin and end a picture (Qwen), these two tokens belong to the picture. Every
    other token is text, with the chat template and the last token. ``ids`` are the tokens of the prompt.
    """
    marks = {getattr(config, name, None) for name in _MARKS}
    kind = [TEXT] * len(ids)
    for role, at in places.pictures:
        beside = {place + step for place in at for step in (-1, 1)}
        for place in [*at, *(one for one in beside if 0 <= one < len(ids) and ids[one] in marks)]:
            kind[place] = role
    return _by_name(kind)


def _by_name(kind: Sequence[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for place, name in enumerate(kind):
        positions.setdefault(name, []).append(place)
    return positions


def _role(prompted: Prompted, span: Span) -> str:
    """Return the role of a picture or video."""
    part, ask, question = prompted.parts[span.part], prompted.ask, prompted.question
    if isinstance(part, Option):
        at = ask.placement[option_letters(len(ask.placement)).index(part.letter)]
        return next((one.role for one in prompted.depicted if one.option == at), "option")
    shown: Picture | Video = part.picture if isinstance(part, Image) else part  # type: ignore[assignment]
    frame = shown.frames.frames[0] if isinstance(shown, Video) and shown.frames is not None else shown
    fitting = [at for at, item in enumerate(question.media) if frame.path in item.paths]
    if isinstance(frame, FrameOf) and len(fitting) > 1:  # two segments of one clip
        fitting = [at for at in fitting if ask.plans[at] == frame.plan] or fitting
    roles = {one.item: one.role for one in prompted.depicted}
    return roles.get(fitting[0], question.media[fitting[0]].role) if fitting else "other"


def letters_of(prompted: Prompted) -> Sequence[str]:
    """Return the letters of the correct options, as shown."""
    letters = option_letters(len(prompted.ask.placement))
    return [
        letter for letter, at in zip(letters, prompted.ask.placement, strict=True) if at in prompted.question.answer
    ]


def has_one_letter(prompted: Prompted) -> bool:
    """Check whether exactly one of several letters is correct."""
    return len(prompted.ask.placement) > 1 and len(letters_of(prompted)) == 1
