"""Functions for texts that all rules for open answers use."""

import re

from chronotope.protocol.reading.cleaning import plain_text
from chronotope.protocol.reading.texts import same_text

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: number for number, word in enumerate(_ONES.split())} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), 2)
}
# A beginning that adds no content to an answer: "It is in ...", "The answer is ...".
_LEAD = re.compile(
    r"(?:(?:it|they|these|there|he|she|"
    r"the (?:(?:correct|right|final|exact|total) )?(?:answer|number|count|total|value|direction|position|side))"
    r"(?:'s|'re| is| are| was| were)|(?:i|we) (?:see|saw|count|counted))(?: ?[:=])? +(?=\S)",
    re.IGNORECASE,
)
PREPOSITION = re.compile(r"^(?:in|on|at|to|towards?) +(?=\S)", re.IGNORECASE)
_DASHES = str.maketrans("‐‑‒–", "----")
_SIGNS = re.compile(r"[^\w\s.,;:!'\"()\[\]/°%≈~=&+→⇒←↑↓≤≥℃-]")  # signs that same_text ignores
JOINTS = re.compile(r"(?<=\d) ?([:-]) ?(?=\d)")  # same_text also ignores these signs between digits
# Powers and fractions whose signs `plain_text` changes to digits: 2² becomes 22.
LIFTED_DIGIT = re.compile(r"\d\s?[⁰¹²³⁴⁵⁶⁷⁸⁹^]|[¼½¾⅓⅔⅛]")


def plain_line(text: str) -> str:
    """Return the text as one line, without quotes and final punctuation."""
    text = " ".join(plain_text(text).translate(_DASHES).split()).rstrip(" .!;,")
    while len(text) > 1 and (text[0] + text[-1]) in ('""', "''", "()", "[]") and text[0] not in text[1:-1]:
        text = text[1:-1].strip(" .!;,")
    return text


def unseen_signs(text: str) -> list[str]:
    """Return the signs that a comparison by words would ignore."""
    return sorted(_SIGNS.findall(text))


def same_answer(one: str, other: str) -> bool:
    """Check whether two texts have the same words and numbers.

    Colons and hyphens between digits must also agree.
    """
    return same_text(one, other) and JOINTS.findall(one) == JOINTS.findall(other)


def without_lead(text: str) -> str:
    """Return the text without an introduction such as "It is"."""
    match = _LEAD.match(text)
    return text[match.end() :].strip() if match else text
