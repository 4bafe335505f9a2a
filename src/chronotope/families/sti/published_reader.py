"""The authors' rules for finding the letter in a reply of a local model.

The authors' rules make errors: they read "the option closest to it" and "Answer: Cannot be told" as C, and find no
answer in "B. 12.3 m". Therefore they are used only for a comparison with the published numbers.
"""

import re

from chronotope.protocol import Ask, Reading, option_letters
from chronotope.question import Question

# The rules are tried in this order. Each rule uses its first match in the reply, ignoring case; ``$`` ends a line.
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
    """Read the chosen option by the authors' rules.

    The result is the index of the option in the question, even if the options were shown in another order. A letter is
    from A to E. The first of these six patterns that matches decides:

    - Pattern 1 is a letter in brackets.
    - Pattern 2 is "Ans =" and a letter, which may be in quotes.
    - Pattern 3 is "Answer", a colon or an equals sign, and a letter.
    - Pattern 4 is "Option", a blank, and a letter.
    - Pattern 5 is a letter followed by "is correct" or "was correct".
    - Pattern 6 is a letter with a full stop or a bracket at the end of a line.

    In patterns 2 to 4, the letter may be the first letter of a longer word. If no pattern matches and the reply ends
    with a capital letter, this letter is used. The thinking of a model is read like the rest of the reply.
    """
    shown = dict(zip(option_letters(len(ask.placement)), ask.placement, strict=True))
    for name, pattern in _PATTERNS:
        if found := pattern.search(reply):
            return _chosen(found[1].upper(), name, shown)
    return _chosen(reply.strip()[-1:], "last_character", shown)


def _chosen(letter: str, rule: str, shown: dict[str, int]) -> Reading:
    return Reading(frozenset({shown[letter]}), rule) if letter in shown else Reading(None, "no_answer")
