"""Declarations in other languages than English: "Antwort B ist richtig", "La respuesta B es correcta", "答案B是正确的".

A declaration has a letter, a verb, and a word for correct. The declaration begins a clause, and only a reason can
follow it.
"""

import re
from collections.abc import Iterator

from chronotope.protocol.reading.languages import LANGUAGES, DeclarationWords
from chronotope.protocol.reading.letters import Found, LetterParser

_L = r"(?P<letter>[(\[\"']?[A-Z][)\]\"']?)(?![A-Za-z0-9_'-])"
_START = r"(?:^|(?<=[.,;:!\n]))[ ]*"
_THEREFORE = (
    r"(?:(?:por\s+(?:lo\s+)?tanto|así\s+que|entonces|donc|ainsi|par\s+conséquent|quindi|dunque|pertanto|portanto|logo"
    r"|assim|следовательно|таким\s+образом|значит|итак|поэтому|jadi|oleh\s+karena\s+itu|maka|vì\s+vậy|do\s+đó|vậy"
    r"|bu\s+nedenle|dolayısıyla|इसलिए|अतः|लذا|لذلك|إذن)\s*,?\s+|(?:因此|所以|故|综上|綜上)\s*,?\s*)?"
)
_BECAUSE = (
    r"(?:weil|da|denn|porque|pues|ya\s+que|car|parce\s+que|puisque|perché|poiché|pois|já\s+que|karena|sebab|vì"
    r"|потому)(?!\w)"
)
_BUT = r"(?:aber|jedoch|pero|mais|ma|però|mas|porém|но|однако|tetapi|namun|tapi|nhưng|ama|fakat|ancak|लेकिन|لكن|但|而)"
_END = rf"(?=\s*(?:[.;!)]|$|\n|,(?!\s*{_BUT})|{_BECAUSE}))"


def _patterns(language: DeclarationWords) -> list[re.Pattern[str]]:
    """Compile the declarations of a language.

    Only the letter is case-sensitive.
    """
    start = "" if language.anywhere else _START
    words = f"(?i:{_THEREFORE})(?P<noun>(?i:{language.noun}))?"
    usual = rf"{start}{words}{_L}(?i:{language.behind}\s*(?:{language.correct})){_END}"
    inverted = f"{_START}{language.inverted.replace('<L>', _L)}{_END}"
    return [re.compile(usual), *([re.compile(inverted)] if language.inverted else [])]


_COMPILED = [
    (words.stems.split(), re.compile(words.conditions, re.IGNORECASE), _patterns(words))
    for words in (language.declaration for language in LANGUAGES.values())
]
_SENTENCE = re.compile(r"[!?;\n]|\.(?!\d)")
_OR = re.compile(
    r"(?:(?<!\w)(?:or|oder|ou|atau|hoặc|hay|veya|или|أو|या)\s+|(?:或者?|还是|還是|또는)\s*)$", re.IGNORECASE
)
_LISTED = re.compile(
    r"(?<![A-Za-z0-9_'])[A-Z][)\]\"']?(?:,?\s(?:and|or|nor|o|u|y|e|et|und|noch|ni|né|nem|dan|và|hoặc|ve|и|ни|और|و)\s+"
    r"|\s*[,/&+]\s*|\s*(?:か|と|や|나|이나|와|과|和|与|與|或|跟)\s*)$"
)
WINDOW = 240  # maximum number of characters before and after a letter in which its sentence is looked at
_TAG = re.compile(r"[^.!?\n]*\?")


def is_joined(before: str) -> bool:
    """Check whether the letter after this text is one of several.

    Examples are "A or B is correct" and "AかBが正解です".
    """
    return _OR.search(before[-24:]) is not None or _LISTED.search(before[-24:]) is not None


def is_conditional(before: str, conditions: re.Pattern[str]) -> bool:
    """Check whether the sentence before a statement begins a condition."""
    return conditions.search(_SENTENCE.split(before)[-1]) is not None


def is_questioned(text: str, at: int) -> bool:
    """Check whether the sentence goes on to a question mark after ``at``."""
    return _TAG.match(text, at, at + WINDOW) is not None


def find_declared(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find declarations in other languages than English, with their positions."""
    low = text.lower()
    for stems, conditions, patterns in _COMPILED:
        if not any(stem in low for stem in stems):
            continue
        for match in (match for pattern in patterns for match in pattern.finditer(text)):
            before = text[max(0, match.start() - WINDOW) : match.start()]
            if is_joined(before) or is_conditional(before, conditions) or is_questioned(text, match.end()):
                continue
            found = parser.value(match["letter"])
            # Without a noun, a letter that belongs to no option can be a word, such as "Y" or "E".
            if found and (found.sound or match.groupdict().get("noun")):
                yield match.start("letter"), found
