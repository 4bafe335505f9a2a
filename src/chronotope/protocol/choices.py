"""Common rules of all families for choice and open questions: placements, asks, readings and scores."""

import re
import string
from collections.abc import Mapping, Sequence
from math import comb

from chronotope.errors import InputError
from chronotope.media import FramePlan
from chronotope.protocol.protocol import Ask, AskSettings, Placement, Reading, Scored
from chronotope.protocol.reading.cleaning import plain_text, without_thinking
from chronotope.protocol.reading.open_doubts import is_raw
from chronotope.protocol.reading.shown import choice_credit, read_shown
from chronotope.protocol.reading.texts import same_text
from chronotope.question import Question

# Texts that refer to the other options; an option with such a text stays last.
_OF_THE_OTHERS = re.compile(
    r"\s*(?:none|neither|all|both)\s+of\s+(?:these|those|them|the\b.*\b(?:above|options?|answers?|choices?|others?))\b"
    r"|\s*(?:none|all)\s+(?:above|apply)\b|\s*no\s+(?:\w+\s+)?(?:options?|answers?|choices?)\b",
    re.IGNORECASE,
)


def option_letters(number: int) -> tuple[str, ...]:
    """Return the letters of ``number`` options, from A.

    Raises:
        InputError: If there are more than 26 options.
    """
    if number > len(string.ascii_uppercase):
        raise InputError(
            f"{number} options: expected at most {len(string.ascii_uppercase)} options, one for each letter"
        )
    return tuple(string.ascii_uppercase[:number])


def placements(question: Question, placement: Placement, *, keep_last: bool = True) -> list[tuple[int, ...]]:
    """Return the orders in which the options are shown.

    Each order is a tuple of indices into the options. The published order comes first.

    - ``swap`` exchanges the correct option with each other option in turn, and does not move the remaining options. The
      correct option thus gets every letter once, as in the circular evaluation of VGenST-Bench.
    - ``rotate`` shifts all options cyclically.

    If the last option refers to the other options ("None of these"), it stays last, and a swap that would move it is
    omitted. If ``keep_last`` is false, this option is moved like all others.
    """
    size = len(question.options)
    published = tuple(range(size))
    if placement == "published" or size == 0:
        return [published]
    movable = movable_options(question) if keep_last else size
    if placement == "rotate":
        shifted = [tuple((i + shift) % movable for i in range(movable)) for shift in range(movable)]
        return [order + published[movable:] for order in shifted] or [published]
    if len(question.answer) != 1 or question.multiple:
        raise InputError(
            f"question {question.id}: the placement swap needs exactly one correct option, but in this question "
            "several options can be correct: choose the placement rotate or published"
        )
    right = question.answer[0]
    swapped = [published]
    if right < movable:
        for other in range(movable):
            order = list(published)
            order[right], order[other] = order[other], order[right]
            swapped.extend([tuple(order)] if other != right else [])
    return swapped


def movable_options(question: Question) -> int:
    """Count the first options that can change places.

    The last option is not counted if it refers to the other options ("None of these").
    """
    size = len(question.options)
    return size - 1 if size and refers_to_others(question.options[-1].text) else size


def refers_to_others(option: str | None) -> bool:
    """Check whether an option refers to the other options ("None of these")."""
    return option is not None and _OF_THE_OTHERS.match(option) is not None


def choice_asks(
    question: Question,
    settings: AskSettings,
    plans: Sequence[FramePlan | None],
    *,
    strategy: str = "direct",
    keep_last: bool = True,
    wording: tuple[tuple[str, str], ...] = (),
) -> list[Ask]:
    """Return the asks of a question: one ask for each placement.

    An open question has one ask. ``plans`` has one frame plan for each media item. ``keep_last`` has the same meaning
    as in `placements`, and ``wording`` has the same meaning as in `Ask`. The id of an ask is stable. For a direct ask
    with pictures and the published placement, the id is the id of the question. Each difference from such an ask adds a
    suffix to the id: ``#<strategy>``, ``#rotate-1`` or ``#blind``.

    Raises:
        InputError: If a blind ask is requested for options that are pictures, or if the placement ``swap`` is requested
            for a question without exactly one correct option.
    """
    blind = settings.input == "blind"
    if blind and question.answer and any(option.image is not None for option in question.options):
        raise InputError(
            f"question {question.id}: the options are pictures, which a blind ask does not show: exclude the task "
            "of this question with --task, or use --input full"
        )
    orders = placements(question, settings.placement, keep_last=keep_last) if question.answer else [()]
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
            wording=wording,
        )
        for number, order in enumerate(orders)
    ]


def read_asked_choice(ask: Ask, question: Question, reply: str | None, truncated: bool) -> Reading:
    """Read a reply, and undo the placement of the options.

    The options of the reading are indices into the options of the question (see `read_shown` for truncated replies).
    For an open question, the value of the reading is the answer without thinking, markup and introduction.
    """
    if not question.answer:
        value, rule = _open_answer(reply)
        same = value is not None and question.expected is not None and same_text(value, question.expected)
        return Reading(None, rule, value, truncated, right=True if same else None)
    letters = option_letters(len(ask.placement))
    shown = dict(zip(letters, ask.placement, strict=True))
    texts: Mapping[str, str] = {
        letter: text for letter, index in shown.items() if (text := question.options[index].text) is not None
    }
    choice = read_shown(reply, letters, texts, multiple=question.multiple, truncated=truncated)
    if choice.letters is None:
        return Reading(None, choice.rule, None, truncated)
    return Reading(frozenset(shown[letter] for letter in choice.letters), choice.rule, None, truncated)


_BOX = re.compile(r"boxed\s*\{([^{}]*)\}|<\s*(?:final[_ ]?)?answer\s*>([^<]*)", re.IGNORECASE)
_INTRODUCTION = re.compile(r"(?:(?:the|my|final|correct)\s+)*answer\s*(?:is\b\s*:?|:|=)\s*", re.IGNORECASE)


def _open_answer(reply: str | None) -> tuple[str | None, str]:
    answer = without_thinking(reply or "")
    if answer is None:
        return None, "unclosed_thinking"
    if is_raw(answer):
        return answer.strip(), "text"
    text = plain_text(answer)
    boxes = [box for match in _BOX.finditer(text) if (box := (match[1] or match[2] or "").strip())]
    if boxes:
        return boxes[-1], "marker"
    introduction = _INTRODUCTION.match(text)
    text = text[introduction.end() :].strip() if introduction else text
    return (text, "text") if text else (None, "empty")


def score_choice(
    question: Question, readings: Sequence[tuple[Ask, Reading | None]], *, partial: bool = False
) -> Scored:
    """Score one question over asks with equal strategy and input.

    A reading is None if there was no reply. The metrics are:

    - ``strict``: the mean credit of the asks. An ask gets no credit if it was not answered, not read or not judged.
    - ``covered``: the mean credit of the asks that were read and, if the question is open, judged. ``covered`` is None
      if there is no such ask.
    - ``circular``: 1.0 if the answer is correct in every placement, otherwise 0.0. ``circular`` is None for a single
      placement.

    The credit is 1 for exactly the correct set of options, or for a correct open answer, and otherwise 0. With
    ``partial``, a subset of the correct set earns its share of the credit, and a set with a wrong option earns nothing
    (M3-Verse).

    The chance is the probability of choosing the correct option at random. If several options can be correct, the
    chance is the expected score of a random set of at least two options (M3-Verse). The chance is None for an open
    question.
    """
    earned = [0.0 if reading is None else _credit(question, reading, partial) for _, reading in readings]
    read = [reading is not None and _decided(question, reading) for _, reading in readings]
    placed = {ask.placement for ask, _ in readings}
    return Scored(
        question,
        {
            "strict": sum(earned) / len(earned) if earned else 0.0,
            "covered": sum(earned) / sum(read) if any(read) else None,
            "circular": float(all(credit == 1 for credit in earned)) if len(placed) > 1 else None,
        },
        _chance(question, partial),
        readings[0][0].strategy if readings else "direct",
    )


def _decided(question: Question, reading: Reading) -> bool:
    """Check whether it is known that a reading is correct or wrong."""
    return reading.parsed if question.answer else reading.right is not None


def _credit(question: Question, reading: Reading, partial: bool) -> float:
    if not question.answer:
        return float(reading.right is True)
    return choice_credit(reading.options or (), question.answer, partial=partial)


def _chance(question: Question, partial: bool) -> float | None:
    size, right = len(question.options), len(question.answer)
    if not question.answer:
        return None
    if not question.multiple or size < 2:
        return 1 / size
    sets = 2**size - size - 1  # number of sets of at least two options
    if not partial:
        return 1 / sets if right > 1 else 0.0
    return sum(comb(right, chosen) * chosen / right for chosen in range(2, right + 1)) / sets
