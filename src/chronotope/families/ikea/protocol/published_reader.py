"""The rules of the authors' released code for finding the letter in a reply.

The authors' rules make errors: they read "the answer depends" as D, and the article "a" as A. Therefore they are used
only for a comparison with the published numbers. The scores of Chronotope do not depend on these rules.
"""

import re

from chronotope.protocol import Ask, Reading, option_letters
from chronotope.question import Question

_CLOSED_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_OPEN_THINKING = re.compile(r"<think>.*", re.DOTALL)
_AFTER_ANSWER = re.compile(r"[Aa]nswer[:\s]*([A-Da-d])")
_ISOLATED = re.compile(r"\b([A-Da-d])\b")


def read_as_published(ask: Ask, question: Question, reply: str) -> Reading:
    """Read the chosen option by the authors' rules.

    The result is the index of the option in the question, even if the options were shown in another order. The rules
    are tried in the order of this list. A letter is accepted only if an option has this letter.

    - Rule 1 takes the first letter from A to D, in upper or lower case, after "answer" and any colons and blanks.
    - Rule 2 takes the first letter from A to D, in upper or lower case, that is not part of a longer word.
    - Rule 3 takes the whole reply, if the reply is a single letter.
    """
    shown = dict(zip(option_letters(len(ask.placement)), ask.placement, strict=True))
    text = _OPEN_THINKING.sub("", _CLOSED_THINKING.sub("", reply)).strip()
    after, alone = _AFTER_ANSWER.search(text), _ISOLATED.search(text)
    found = (("after_answer", after and after[1]), ("isolated_letter", alone and alone[1]), ("whole_reply", text))
    for rule, letter in found:
        if letter and letter.upper() in shown:
            return Reading(frozenset({shown[letter.upper()]}), rule)
    return Reading(None, "no_answer")
