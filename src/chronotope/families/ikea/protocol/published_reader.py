"""The letter reader of the authors' released code, for comparison with their published numbers.

It is imprecise: it reads "the answer depends" as D, and the article "a" as A. The published numbers depend on it; ours
do not.
"""

import re

from chronotope.protocol import Ask, Reading, option_letters
from chronotope.question import Question

__all__ = ["read_as_published"]

_CLOSED_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_OPEN_THINKING = re.compile(r"<think>.*", re.DOTALL)
_AFTER_ANSWER = re.compile(r"[Aa]nswer[:\s]*([A-Da-d])")
_ISOLATED = re.compile(r"\b([A-Da-d])\b")


def read_as_published(ask: Ask, question: Question, reply: str) -> Reading:
    """Return the option chosen, with the placement undone.

    The rules are tried in this order; a letter counts only if an option has it.

    1. The first letter A to D, of either case, that follows "answer" and any colons and blanks.
    2. The first letter A to D, of either case, that stands alone.
    3. The whole reply, if it is one letter.
    """
    shown = dict(zip(option_letters(len(ask.placement)), ask.placement, strict=True))
    text = _OPEN_THINKING.sub("", _CLOSED_THINKING.sub("", reply)).strip()
    after, alone = _AFTER_ANSWER.search(text), _ISOLATED.search(text)
    found = (("after_answer", after and after[1]), ("isolated_letter", alone and alone[1]), ("whole_reply", text))
    for rule, letter in found:
        if letter and letter.upper() in shown:
            return Reading(frozenset({shown[letter.upper()]}), rule)
    return Reading(None, "no_answer")
