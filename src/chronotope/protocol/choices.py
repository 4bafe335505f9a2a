"""What every family shares about questions with options, and open ones: placements, asks, readings, scores."""

import re
import string
from collections.abc import Mapping, Sequence

from chronotope.errors import InputError
from chronotope.media import FramePlan
from chronotope.protocol.cleaning import plain_text, without_thinking
from chronotope.protocol.protocol import Ask, AskSettings, Placement, Reading, Scored
from chronotope.protocol.reader import read_choice
from chronotope.protocol.texts import same_text
from chronotope.question import Question

__all__ = ["choice_asks", "option_letters", "placements", "read_asked_choice", "score_choice"]

# Texts that speak of the other options: they belong after them.
_OF_THE_OTHERS = re.compile(
    r"\s*(?:none|neither|all|both)\s+of\s+(?:these|those|them|the\b.*\b(?:above|options?|answers?|choices?|others?))\b"
    r"|\s*(?:none|all)\s+(?:above|apply)\b",
    re.IGNORECASE,
)
# A reply cut off behind a letter: it may have been the first of a word, or not the last of a list.
_CUT_AT_LETTER = re.compile(r"(?:^|[^A-Za-z])(?:[A-Z]+|[a-z])[)\]*]*\s*(?:[,;&/+]|and|or)?\s*$")


def option_letters(number: int) -> tuple[str, ...]:
    """The letters of that many options, from A; InputError beyond 26."""
    if number > len(string.ascii_uppercase):
        raise InputError(f"{number} options: a question can offer at most {len(string.ascii_uppercase)}, one a letter")
    return tuple(string.ascii_uppercase[:number])


def placements(question: Question, placement: Placement) -> list[tuple[int, ...]]:
    """The orders in which the options are shown, the published one first; each lists indices into the options.

    ``swap`` exchanges the right option with each of the others in turn, everything else staying where it is, so that
    it stands once under every letter (VGenST-Bench's circular evaluation). ``rotate`` shifts all options cyclically.
    A last option that speaks of the others ("None of these") stays last in both; a swap that would move it is left out.

    Raises InputError where a swap is asked of a question that has not exactly one right option.
    """
    size = len(question.options)
    published = tuple(range(size))
    if placement == "published" or size == 0:
        return [published]
    last = question.options[-1].text
    movable = size - 1 if last is not None and _OF_THE_OTHERS.match(last) else size
    if placement == "rotate":
        shifted = [tuple((i + shift) % movable for i in range(movable)) for shift in range(movable)]
        return [order + published[movable:] for order in shifted] or [published]
    if len(question.answer) != 1 or question.multiple:
        raise InputError(
            f"question {question.id}: swapping moves the one right option to every letter, but here several may be "
            "right: choose the placement rotate, or published"
        )
    right = question.answer[0]
    swapped = [published]
    if right < movable:
        for other in range(movable):
            order = list(published)
            order[right], order[other] = order[other], order[right]
            swapped.extend([tuple(order)] if other != right else [])
    return swapped


def choice_asks(
    question: Question, settings: AskSettings, plans: Sequence[FramePlan | None], *, strategy: str = "direct"
) -> list[Ask]:
    """The asks of a question: one for each placement of its options, one for an open question.

    ``plans`` holds one frame plan per media item. Ids are stable: the question's own for the published placement, with
    suffixes ``#<strategy>``, ``#rotate-1`` and ``#blind`` for whatever differs from asking directly with pictures.

    Raises InputError for combinations without meaning: blind where the options are pictures, swap where several
    options may be right.
    """
    blind = settings.input == "blind"
    if blind and question.answer and any(option.image is not None for option in question.options):
        raise InputError(
            f"question {question.id}: its options are pictures, so asking it blind offers nothing to choose from: "
            "leave its task out (--task), or ask with the input full"
        )
    orders = placements(question, settings.placement) if question.answer else [()]
    return [
        Ask(
            id=question.id
            + (f"#{strategy}" if strategy != "direct" else "")
            + (f"#{settings.placement}-{number}" if number else "")
            + ("#blind" if blind else ""),
            question=question.id,
            placement=order,
            plans=(None,) * len(plans) if blind else tuple(plans),
            strategy=strategy,
            input=settings.input,
        )
        for number, order in enumerate(orders)
    ]


def read_asked_choice(ask: Ask, question: Question, reply: str | None, truncated: bool) -> Reading:
    """What a reply says, with the placement undone: indices into the question's options.

    Of a truncated reply an answer that was given counts (a letter on the first line, a marker); the text of one option
    does not, since others may have been about to follow, nor do a marker or a list cut off right behind a letter. Of an
    open question the value is the answer without thinking, markup and introduction.
    """
    if not question.answer:
        value, rule = _open_answer(reply)
        return Reading(None, rule, value, truncated)
    letters = option_letters(len(ask.placement))
    shown = dict(zip(letters, ask.placement, strict=True))
    texts: Mapping[str, str] = {
        letter: text for letter, index in shown.items() if (text := question.options[index].text) is not None
    }
    choice = read_choice(reply, letters, options=texts, multiple=question.multiple)
    if choice.letters is None:
        return Reading(None, choice.rule, None, truncated)
    cut = _CUT_AT_LETTER.search((reply or "")[-100:]) is not None and (question.multiple or choice.rule == "marker")
    if truncated and (cut or choice.rule == "option_text"):
        return Reading(None, "truncated", None, truncated)
    return Reading(frozenset(shown[letter] for letter in choice.letters), choice.rule, None, truncated)


_BOX = re.compile(r"boxed\s*\{([^{}]*)\}|<\s*(?:final[_ ]?)?answer\s*>([^<]*)", re.IGNORECASE)
_INTRODUCTION = re.compile(r"(?:(?:the|my|final|correct)\s+)*answer\s*(?:is\b\s*:?|:|=)\s*", re.IGNORECASE)


def _open_answer(reply: str | None) -> tuple[str | None, str]:
    answer = without_thinking(reply or "")
    if answer is None:
        return None, "unclosed_thinking"
    text = plain_text(answer)
    boxes = [box for match in _BOX.finditer(text) if (box := (match[1] or match[2] or "").strip())]
    if boxes:
        return boxes[-1], "marker"
    introduction = _INTRODUCTION.match(text)
    text = text[introduction.end() :].strip() if introduction else text
    return (text, "text") if text else (None, "empty")


def score_choice(question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
    """The metrics of one question over its asks, which share strategy and input; None stands for a call without reply.

    - ``strict``: the share of asks answered rightly; what was not answered or not read counts as wrong.
    - ``covered``: the share among those that were read; None where none was.
    - ``circular``: 1.0 where every placement was answered rightly, else 0.0; None for a single placement.

    Right means exactly the right set of options; for an open question, the expected text after normalisation. Chance is
    that of one option, of one set of at least one option where several may be right, and None for an open question.
    """
    right = [reading is not None and _is_right(question, reading) for _, reading in readings]
    read = [reading is not None and reading.parsed for _, reading in readings]
    placed = {ask.placement for ask, _ in readings}
    return Scored(
        question,
        {
            "strict": sum(right) / len(right) if right else 0.0,
            "covered": sum(right) / sum(read) if any(read) else None,
            "circular": float(all(right)) if len(placed) > 1 else None,
        },
        _chance(question),
        readings[0][0].strategy if readings else "direct",
    )


def _is_right(question: Question, reading: Reading) -> bool:
    if question.answer:
        return reading.options == frozenset(question.answer)
    return reading.value is not None and question.expected is not None and same_text(reading.value, question.expected)


def _chance(question: Question) -> float | None:
    size = len(question.options)
    if not question.answer:
        return None
    return 1 / (2**size - 1) if question.multiple else 1 / size
