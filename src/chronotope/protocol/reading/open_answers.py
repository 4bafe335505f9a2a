"""Rules for open answers: correct, wrong, or undecided.

A rule decides only if there is no doubt: the rule must explain every word of the answer. If an answer contains a
denial, a correction or a relation to another thing ("left of the box"), a judge must decide. An answer is wrong if it
names another member of the closed set, or the opposite of the correct answer.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.protocol.reading.cleaning import plain_text
from chronotope.protocol.reading.open_amounts import settle_number, settle_quantity
from chronotope.protocol.reading.open_bearings import is_clock, settle_clock, settle_direction
from chronotope.protocol.reading.open_doubts import in_doubt
from chronotope.protocol.reading.open_text import (
    JOINTS,
    LIFTED_DIGIT,
    PREPOSITION,
    plain_line,
    same_answer,
    unseen_signs,
    without_lead,
)
from chronotope.protocol.reading.texts import OptionTexts

SettlingRule = Literal["text", "yes_no", "clock", "number", "quantity", "direction", "member", "none"]


@dataclass(frozen=True)
class Settled:
    """The decision about an open answer, and the rule that made it.

    With the rule ``none``, the decision is None, and a judge must decide.
    """

    right: bool | None
    rule: SettlingRule


_OPEN = Settled(None, "none")
_LONGEST = 200  # maximum number of characters of an answer that rules can decide


def settle(value: str, expected: str, closed: Sequence[str], stem: str = "") -> Settled:
    """Decide whether an open answer is correct, if this is certain.

    ``value`` is the answer, and ``expected`` is the correct answer. ``closed`` is the closed set of possible answers,
    including ``expected``. If ``closed`` is empty, only few answers can be recognized as wrong. ``stem`` is the text of
    the question. Only the name of the counted things is read from ``stem`` ("How many apples ..."), so that the answer
    "3 apples" means 3.
    """
    if value.strip() and value.split() == expected.split():
        return Settled(True, "text")
    if in_doubt(value, expected, closed):
        return _settle_very_words(value, expected, closed)
    if max(len(value), len(expected)) > _LONGEST:
        return _OPEN
    said, right = plain_line(value), plain_line(expected)
    unseen = LIFTED_DIGIT.search(value + expected) or unseen_signs(said) != unseen_signs(right)
    if not said or unseen or "\n" in plain_text(value):
        return _OPEN
    if same_answer(said, right):
        return Settled(True, "text")
    members = [member for text in closed if (member := plain_line(text))]
    others = [member for member in members if not same_answer(member, right)]
    if len(others) == len(members):
        others = []  # a set without the correct answer cannot be used
    low, low_right, low_others = said.casefold(), right.casefold(), [other.casefold() for other in others]
    rules: tuple[tuple[SettlingRule, Callable[[], bool | None]], ...] = (
        ("yes_no", lambda: _settle_yes_no(low, low_right, low_others)),
        ("clock", lambda: settle_clock(low, low_right, low_others)),
        ("number", lambda: None if is_clock(low_right) else settle_number(low, low_right, low_others, stem)),
        ("quantity", lambda: settle_quantity(low, low_right, low_others)),
        ("direction", lambda: settle_direction(low, low_right, low_others)),
        ("member", lambda: _settle_member(said, right, others)),
    )
    for rule, settled in rules:
        if (verdict := settled()) is not None:
            return Settled(verdict, rule)
    return _OPEN


def _settle_very_words(value: str, expected: str, closed: Sequence[str]) -> Settled:
    """Compare an answer with the exact words of all members.

    The answer can begin with an introduction.
    """
    forms = {_very_words(value), without_lead(_very_words(value))}
    if _very_words(expected) in forms:
        return Settled(True, "text")
    return Settled(False, "member") if forms & {_very_words(text) for text in closed} else _OPEN


def _very_words(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


_YES, _NO = {"yes", "yeah", "yep", "true"}, {"no", "nope", "false"}
_ECHO = r"(?:it|they|he|she|there|this|that) (?:is|are|was|were|does|do|did|has|have|had|can|could|will|would)"
_AFFIRMED, _DENIED = re.compile(_ECHO), re.compile(rf"{_ECHO}(?:n't| not)|(?:it|he|she|they) cannot")


def _yes_no(text: str) -> bool | None:
    """Read a yes or a no.

    Only an agreeing repetition of the question may follow ("Yes, it is").
    """
    word, _, rest = text.partition(" ")
    word, rest = word.rstrip(",.!:;"), rest.strip(" ,.-")
    if word in _YES and (not rest or _AFFIRMED.fullmatch(rest)):
        return True
    if word in _NO and (not rest or _DENIED.fullmatch(rest)):
        return False
    return None


def _settle_yes_no(said: str, right: str, others: Sequence[str]) -> bool | None:
    expected, found = _yes_no(right), _yes_no(without_lead(said))
    if expected in map(_yes_no, others):
        return None  # another member has the same meaning, yes or no
    return None if expected is None or found is None else expected == found


def _settle_member(said: str, right: str, others: Sequence[str]) -> bool | None:
    """Decide about an answer that names exactly one member and nothing else."""
    members = [right, *others]
    texts = OptionTexts({str(place): member for place, member in enumerate(members)})
    forms = [said, without_lead(said)]
    if not any(PREPOSITION.match(member) for member in members):
        forms.append(PREPOSITION.sub("", forms[-1], count=1))
    for form in forms:
        place = texts.equal(form)
        if place is not None and JOINTS.findall(form) == JOINTS.findall(members[int(place)]):
            # A member may be a short form of the correct answer: "red" for "dark red".
            brief = place != "0" and OptionTexts({place: members[int(place)]}).occurring(right)
            return None if brief else place == "0"
    return None
