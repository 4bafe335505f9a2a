"""The authors' letter reader for local models, for comparison with their published numbers.

It is imprecise: it reads "the option closest to it" and "Answer: Cannot be told" as C, and "B. 12.3 m" as no answer.
"""

import re

from chronotope.protocol import Ask, Reading, option_letters
from chronotope.question import Question

__all__ = ["read_as_published"]

# In the order in which they are tried; each takes its first place in the reply, in either case, line by line.
_RULES = (
    ("brackets", r"\(([A-E])\)"),
    ("ans", r"Ans\s*=\s*[\"']?([A-E])"),
    ("answer", r"Answer\s*[=:]\s*([A-E])"),
    ("option", r"Option\s+([A-E])"),
    ("is_correct", r"\b([A-E])\s*(?:is|was)\s*correct"),
    ("end_of_line", r"\b([A-E])[.)]\s*$"),
)
_PATTERNS = tuple((name, re.compile(rule, re.IGNORECASE | re.MULTILINE)) for name, rule in _RULES)


def read_as_published(ask: Ask, question: Question, reply: str) -> Reading:
    """Return the option chosen, with the placement undone.

    The first of six patterns that matches decides, or else the last character. The patterns are (1) a letter A to E in
    brackets; (2) "Ans =" and a letter, maybe in quotes; (3) "Answer", a colon or an equals sign, and a letter; (4)
    "Option", a blank, and a letter; (5) a letter that "is correct" or "was correct"; (6) a letter with a full stop or a
    bracket at the end of a line. In 2 to 4 the letter may be the first of a word. The last character counts only if it
    is a capital. Thinking is read like the rest of the reply.
    """
    shown = dict(zip(option_letters(len(ask.placement)), ask.placement, strict=True))
    for name, pattern in _PATTERNS:
        if found := pattern.search(reply):
            return _chosen(found[1].upper(), name, shown)
    return _chosen(reply.strip()[-1:], "last_character", shown)


def _chosen(letter: str, rule: str, shown: dict[str, int]) -> Reading:
    return Reading(frozenset({shown[letter]}), rule) if letter in shown else Reading(None, "no_answer")
