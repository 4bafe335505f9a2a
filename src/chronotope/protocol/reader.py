"""The strict reader of multiple-choice replies. It never guesses and never raises."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.protocol.cleaning import plain_text, without_thinking
from chronotope.protocol.letters import Found, LetterParser
from chronotope.protocol.markers import find_markers
from chronotope.protocol.statements import find_statement
from chronotope.protocol.texts import OptionTexts

__all__ = ["Choice", "Rule", "read_choice"]

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
]


@dataclass(frozen=True)
class Choice:
    """The letters that a reply chooses, and the rule that decided.

    The letters are None if the reply names no answer. ``invalid_letters`` are chosen letters that are not among the
    options: such a reply is not an answer.
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
    """Read which of ``letters`` (capitals) a reply chooses.

    ``options`` maps letters to the texts of their options. The rules, in this order:

    1. Think blocks are removed; a reply with a block that is still open has no answer.
    2. On the first line ``Answer: X`` or a bare ``X``, ``X.``, ``X)``, ``X:``, ``(X)``, ``X <that option's text>``
       is the answer, even if reasons follow. A statement about an option, "(A) is too long", is not an answer.
    3. Otherwise the last explicit marker: boxed, an answer tag, JSON, "the answer is X" (also in Chinese, French,
       German, Japanese, Korean, Russian, Spanish), "I choose X", "X is correct", or a last line that is only a letter.
    4. Otherwise a last sentence that names only a letter: "I think X", "It is X.", "Therefore, X.", if there is no word
       of doubt before it. Such sentences with different letters are a conflict.
    5. Otherwise the text of exactly one option.

    Several letters are one answer only with ``multiple`` ("A, C", "A and C", "AC"); otherwise they are a conflict, as
    is a letter followed by another option's text. A lower-case letter counts only if it is the whole first line
    or follows a marker; the article "a" never counts.
    """
    nothing: frozenset[str] = frozenset()
    answer = without_thinking(reply or "")
    if answer is None:
        return Choice(None, nothing, "unclosed_thinking")
    text = plain_text(answer)
    if not text:
        return Choice(None, nothing, "empty")
    texts = OptionTexts({letter: text for letter, text in (options or {}).items() if letter in letters})
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
    named = texts.equal(text) or (texts.named(text) if first is None else None)
    if named is not None:
        return Choice(frozenset(named), nothing, "option_text")
    return Choice(None, nothing, "conflict" if first is not None and first.conflict else "no_answer")


_ANSWER_LINE = re.compile(
    r"(?:(?:so|thus|therefore|hence|ok|okay|sure)\b,?\s*)?"
    r"(?:(?:(?:the|my|your|final|correct|best|right)\s+)*(?:answers?|ans\.?|solution)"
    r"|(?:(?:the|my|your|final|correct|best|right|chosen|selected)\s+)+(?:option|choice)s?|option|choice)"
    r"\s*(?:(?:is|are)\b\s*:?|[:=]|-(?=\s))\s*",
    re.IGNORECASE,
)
_NEXT_OPTION = re.compile(r"(?<![\w.])(?P<noun>[Oo]ption\s+|[Cc]hoice\s+)?\(?(?P<letter>[A-Z])[).:]\s*")


def _first_line(text: str, parser: LetterParser) -> Found | None:
    """Read the answer of the first line, if it is one."""
    line, _, rest = text.partition("\n")
    prefix = _ANSWER_LINE.match(line)
    if prefix is not None:
        return parser.payload(text, prefix.end()) if prefix.end() < len(line) or ":" in prefix[0] else None
    found = parser.bare(line)
    if found is None or not found.sound:
        return found
    below = parser.listed(rest, leading=True)
    if parser.multiple and found.whole and below:
        # One option a line and nothing said of any: a list of the right ones, unless it tells all options again.
        together = found.chosen.union(*(item.chosen for item in below))
        return None if found.own_text and together == parser.letters else Found(together)
    return None if _tells_options(line, found, parser) or _told_below(rest, found, parser) else found


def _told_below(rest: str, found: Found, parser: LetterParser) -> bool:
    """Check whether the first line begins a list of the options.

    They are repeated or discussed, one on each line.
    """
    others = [item for item in parser.listed(rest) if item.chosen != found.chosen]
    if not others:
        return False
    if found.whole and all(item.whole for item in others) and len(others) == rest.count("\n") + 1:
        return True  # nothing but options
    if found.chosen != parser.first_letter() or (found.whole and not found.own_text):
        return False  # an answer, and reasons option by option
    return any(item.own_text for item in others) or bool(parser.listed(rest.partition("\n")[0]))


def _tells_options(line: str, found: Found, parser: LetterParser) -> bool:
    """Check whether a line continues with further options.

    "A) 3 m B) 4 m C) 5 m", "Option A: 3 m. Option B: 4 m".
    """
    for match in _NEXT_OPTION.finditer(line):
        begun = parser.texts.at_start(line, match.end())
        own_text = begun is not None and match["letter"] in begun[0]
        if match["letter"] not in found.chosen and (own_text or (match["noun"] and match["letter"] in parser.letters)):
            return True
    return False
