"""The strict reader of replies to multiple-choice questions.

The reader never guesses and never raises an error.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.protocol.reading.cleaning import plain_text, without_thinking
from chronotope.protocol.reading.last_statements import find_statement
from chronotope.protocol.reading.letters import Found, LetterParser
from chronotope.protocol.reading.markers import find_markers
from chronotope.protocol.reading.open_amounts import with_amounts_of
from chronotope.protocol.reading.ranges import RANGE, without_ranges
from chronotope.protocol.reading.texts import OptionTexts

Rule = Literal[
    "first_line",
    "marker",
    "statement",
    "option_text",
    "empty",
    "unclosed_thinking",
    "invalid_letter",
    "conflict",
    "no_answer",
    "truncated",
]


@dataclass(frozen=True)
class Choice:
    """The letters that a reply chooses, and the rule that decided.

    The letters are None if the reply names no answer. ``invalid_letters`` are chosen letters that belong to no option.
    A reply with such letters is not an answer.
    """

    letters: frozenset[str] | None
    invalid_letters: frozenset[str]
    rule: Rule


def read_choice(
    reply: str | None,
    letters: Sequence[str] | str,
    *,
    options: Mapping[str, str] | None = None,
    multiple: bool = False,
) -> Choice:
    """Read the letters that a reply chooses.

    ``letters`` are the capital letters of the options, and ``options`` maps letters to the texts of their options. The
    rules are tried in this order:

    1. The thinking is removed. If the thinking does not end, there is no answer.
       An amount in another unit than the options ("35 cm" for "0.35 m"), or with a decimal comma, is the option's text.
       A range or a bound ("30-40 cm", "over 35 cm") is not an option's text, unless an option is the same range.
    2. The first line is the answer if it has the form ``Answer: X``, ``X``, ``X.``, ``X)``, ``X:``, ``(X)`` or ``X
       <text of option X>``. Reasons may follow. A statement about an option, such as "(A) is too long", is not an
       answer.
    3. Otherwise, the last explicit marker decides. Markers are a box, an answer tag, JSON, "the answer is X" (also in
       14 other languages, see `languages`), "I choose X", "X is correct", and a last line with only a letter.
    4. Otherwise, a last sentence that names only a letter decides, such as "I think X", "It is X." or "Therefore, X.".
       A sentence after a word of doubt does not count. Several such sentences with different letters are a conflict.
    5. Otherwise, the reply must contain the text of exactly one option.

    Several letters ("A, C", "A and C", "AC") are an answer only with ``multiple``, and otherwise a conflict. A letter
    with the text of another option is also a conflict. A lower-case letter counts only if it is the whole first line or
    follows a marker. The article "a" never counts.
    """
    nothing: frozenset[str] = frozenset()
    answer = without_thinking(reply or "")
    if answer is None:
        return Choice(None, nothing, "unclosed_thinking")
    text = plain_text(answer)
    if not text:
        return Choice(None, nothing, "empty")
    shown = {letter: text for letter, text in (options or {}).items() if letter in letters}
    text, texts = with_amounts_of(shown, without_ranges(shown, text)), OptionTexts(shown)
    parser = LetterParser(frozenset(letters), texts, multiple)
    first_line = text.partition("\n")[0]
    markers = find_markers(text, parser)
    first = _first_line(text, parser)
    rule: Rule = "first_line"
    if first is not None and any(
        m.start < len(first_line) and m.found.sound and m.found.chosen != first.chosen for m in markers
    ):
        first = Found(frozenset(), conflict=True)
    if (first is None or not first.decisive) and markers:
        first, rule = markers[-1].found, "marker"
    elif first is None:
        first, rule = find_statement(text, parser), "statement"
    if first is not None and first.sound:
        return Choice(first.chosen, nothing, rule)
    if first is not None and first.invalid and not first.conflict:
        return Choice(None, first.invalid, "invalid_letter")
    if first is not None and first.clash:
        return Choice(None, nothing, "conflict")
    named = texts.equal(text) or (texts.named(text) if first is None and RANGE not in text else None)
    if named is not None and not _speaks_against(text, named, shown):
        return Choice(frozenset(named), nothing, "option_text")
    return Choice(None, nothing, "conflict" if first is not None and first.conflict else "no_answer")


_LAST_LETTER = re.compile(r"(?<![\w'])[(\[]?([A-Z])[)\]]?[.!]?$")


def _speaks_against(text: str, named: str, shown: Mapping[str, str]) -> bool:
    """Check whether a text asks, or ends with another letter.

    Examples are "Yes?" and "It is 0.35 m, so C". An option can itself end with a question mark or a letter.
    """
    ends = [one.rstrip() for one in shown.values()]
    if text.endswith("?"):
        return not any(end.endswith("?") for end in ends)
    last = _LAST_LETTER.search(text)
    return last is not None and last[1] != named and last[1] in shown and not any(end.endswith(last[1]) for end in ends)


_ANSWER_LINE = re.compile(
    r"ans\.\s+(?=[(\[]?[A-Z](?!\w))|(?:(?:so|thus|therefore|hence|ok|okay|sure)\b,?\s*)?"
    r"(?:(?:(?:the|my|your|final|correct|best|right)\s+)*(?:answers?|ans\.?|solution)"
    r"|(?:(?:the|my|your|final|correct|best|right|chosen|selected)\s+)+(?:option|choice)s?|option|choice"
    r"|assistant(?=\s*:))"
    r"\s*(?:(?:is|are)\b\s*:?|[:=]|-(?=\s))\s*",
    re.IGNORECASE,
)
_KEYS = re.compile(r"[\"'][A-Z][\"']\s*:")
_NEXT_OPTION = re.compile(r"(?<![\w.])(?P<noun>[Oo]ption\s+|[Cc]hoice\s+)?\(?(?P<letter>[A-Z])[).:]\s*")


def _first_line(text: str, parser: LetterParser) -> Found | None:
    """Read the answer on the first line, if there is one."""
    line, _, rest = text.partition("\n")
    if len(_KEYS.findall(line)) > 1:
        return None  # JSON with a value for each option
    prefix = _ANSWER_LINE.match(line)
    if prefix is not None:
        return parser.payload(text, prefix.end()) if prefix.end() < len(line) or ":" in prefix[0] else None
    found = parser.bare(line)
    if found is None or not found.sound:
        return found
    below = parser.listed(rest, leading=True)
    if parser.multiple and found.whole and below:
        # Lines with one option each, without comments, list the correct options. But if the lines contain all options
        # with their texts, they only repeat the question.
        together = found.chosen.union(*(item.chosen for item in below))
        return None if found.own_text and together == parser.letters else Found(together)
    return None if _tells_options(line, found, parser) or _told_below(rest, found, parser) else found


def _told_below(rest: str, found: Found, parser: LetterParser) -> bool:
    """Check whether the first line begins a list of the options.

    In a list of the options, each line repeats or discusses one option.
    """
    others = [item for item in parser.listed(rest) if item.chosen != found.chosen]
    if not others:
        return False
    if found.whole and all(item.whole for item in others) and len(others) == rest.count("\n") + 1:
        return True  # nothing but options
    if found.chosen != parser.first_letter() or (found.whole and not found.own_text):
        return False  # an answer, followed by a reason for each option
    return any(item.own_text for item in others) or bool(parser.listed(rest.partition("\n")[0]))


def _tells_options(line: str, found: Found, parser: LetterParser) -> bool:
    """Check whether a line continues with further options.

    An example is "A) 3 m B) 4 m C) 5 m".
    """
    for match in _NEXT_OPTION.finditer(line):
        begun = parser.texts.at_start(line, match.end())
        own_text = begun is not None and match["letter"] in begun[0]
        if match["letter"] not in found.chosen and (own_text or (match["noun"] and match["letter"] in parser.letters)):
            return True
    return False
