"""How the specification of the published evaluation finds the letter in a reply (section 9), for comparison.

It takes more for an answer than the one strict reader does: a letter that stands alone in the last line, say. What it
reads is printed beside what the strict reader reads; scores are the strict reader's.
"""

import re
from collections.abc import Callable

from chronotope.protocol import Ask, OptionTexts, Reading, option_letters, plain_text, without_thinking
from chronotope.question import Question

__all__ = ["read_as_published"]

_TAGS = (re.compile(r"<\s*answer\s*>(.*?)(?:<\s*/\s*answer\s*>|$)", re.S | re.I), re.compile(r"boxed\s*\{([^{}]*)\}"))
_WHOLE = re.compile(r"[(\[{\"']*\s*([A-Za-z])\s*[)\]}\"']*\s*[.:]?")
_START = re.compile(r"[(\[]?([A-Z])(?![A-Za-z0-9])(\s*[)\].:]+)?\s*")
# A capital that stands alone; the article opens a sentence as one, too, but then a word follows that is no verb.
_ARTICLE = r"(?!(?<=A) (?!is\b|was\b|seems\b|because\b|since\b|as\b|and\b|or\b|has\b|fits\b|matches\b)[a-z])"
_ISOLATED = r"(?<![A-Za-z0-9_'])([A-Z])(?![A-Za-z0-9_'])"
_ALONE = re.compile(_ISOLATED + _ARTICLE)
_MARKED = re.compile(
    rf"(?i:\b(?:answer|option|choice)\b[^.\n]*?(?:\bis\b|:)\s*(?:option\s+)?)[(\[\"']*{_ISOLATED}{_ARTICLE}"
)

Shown = dict[str, int]


def read_as_published(ask: Ask, question: Question, reply: str) -> Reading:
    """The option chosen, the placement undone, by the first of six rules that finds a letter that is offered.

    On what follows any thinking: (1) the letter in an answer tag or a box; (2) a reply that is one letter; (3) a letter
    and a delimiter, or that option's own text, at the start, and no other letter alone after it; (4) the last "answer",
    "option" or "choice" with "is" or a colon and a letter; (5) the text of exactly one option; (6) the one letter that
    stands alone in the last line. A letter that is followed by another option's text at the start is no answer.
    """
    shown = dict(zip(option_letters(len(ask.placement)), ask.placement, strict=True))
    answer = without_thinking(reply)
    if answer is None:
        return Reading(None, "unclosed_thinking")
    texts = OptionTexts({x: question.options[index].text or "" for x, index in shown.items()})
    text = plain_text(answer)
    if _clashes(text, shown, texts):
        return Reading(None, "conflict")
    rules: tuple[tuple[str, Callable[[], str | None]], ...] = (
        ("tag", lambda: _in_tag(answer, shown, texts)),
        ("whole_reply", lambda: _whole(text, shown)),
        ("start", lambda: _at_start(text, shown, texts)),
        ("marker", lambda: _marked(text, shown)),
        ("option_text", lambda: _only(texts.occurring(text))),
        ("last_line", lambda: _only(_alone(text.rpartition("\n")[2], shown))),
    )
    for rule, find in rules:
        letter = find()
        if letter is not None:
            return Reading(frozenset({shown[letter]}), rule)
    return Reading(None, "no_answer")


def _only(letters: frozenset[str]) -> str | None:
    return next(iter(letters)) if len(letters) == 1 else None


def _alone(text: str, shown: Shown) -> frozenset[str]:
    """The offered capitals that stand alone in a text."""
    return frozenset(found[1] for found in _ALONE.finditer(text) if found[1] in shown)


def _in_tag(answer: str, shown: Shown, texts: OptionTexts) -> str | None:
    """The letter of the last tag or box that holds one."""
    contents = sorted((found.start(), found[1]) for pattern in _TAGS for found in pattern.finditer(answer))
    for _, content in reversed(contents):
        plain = plain_text(content)
        letter = _whole(plain, shown) or _at_start(plain, shown, texts)
        if letter is not None:
            return letter
    return None


def _whole(text: str, shown: Shown) -> str | None:
    found = _WHOLE.fullmatch(text)
    return found[1].upper() if found is not None and found[1].upper() in shown else None


def _begins(text: str, shown: Shown) -> re.Match[str] | None:
    """A letter at the start that is offered, and its delimiter."""
    found = _START.match(text)
    return found if found is not None and found[1] in shown else None


def _at_start(text: str, shown: Shown, texts: OptionTexts) -> str | None:
    found = _begins(text, shown)
    if found is None:
        return None
    own = texts.at_start(text, found.end())
    has_own = own is not None and found[1] in own[0]
    if not (found[2] or has_own):
        return None
    rest = text[own[1] if own is not None and has_own else found.end() :]
    return None if _alone(rest, shown) - {found[1]} else found[1]


def _clashes(text: str, shown: Shown, texts: OptionTexts) -> bool:
    """Whether a reply is a letter and the whole text of another option."""
    found = _begins(text, shown)
    equal = texts.equal(text[found.end() :]) if found is not None else None
    return found is not None and equal is not None and equal != found[1]


def _marked(text: str, shown: Shown) -> str | None:
    """The letter of the last "answer is X"."""
    letters = [found[1] for found in _MARKED.finditer(text) if found[1] in shown]
    return letters[-1] if letters else None
