"""The comparison of texts without regard to case, spacing, number format and spelling of units."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from chronotope.protocol.reading.cleaning import plain_text

_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w)\].])[-+])?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+))"
    r"|(?P<word>[^\W0-9_]+(?:'[^\W0-9_]+)*)"
    r"|(?P<arrow>->|=>|→|⇒)|(?P<symbol>[°%/℃←↑↓≤≥<>&=+])|(?P<end>[.!?;]+(?=\s|$)|\n)"
)
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPELLINGS = {
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("centimeter", "centimeters", "centimetre", "centimetres", "cms"), "cm"),
    **dict.fromkeys(("millimeter", "millimeters", "millimetre", "millimetres"), "mm"),
    **dict.fromkeys(("kilometer", "kilometers", "kilometre", "kilometres", "kms"), "km"),
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), "h"),
    **dict.fromkeys(("degree", "degrees", "deg", "degs"), "°"),
    **dict.fromkeys(("radian", "radians"), "rad"),
    **{"percent": "%", "per": "/", "squared": "2", "cubed": "3", "grey": "gray", "colour": "color"},
    **{word: str(i) for i, word in enumerate(_NUMBERS)},
}
# An amount does not end before one of these signs, or before text that follows without a blank. So "12.3 m/s" does not
# contain the amount 12.3 m.
_GOES_ON = {"/", "%", "°"}
_SUMS = {"+", "minus", "plus", "times"}  # the amount is a part of a calculation
_PARTS = {"half", "twice", "double"} | _SUMS
_DENIALS = {"not", "no", "never", "neither", "nor", "cannot", "without", "than", "instead", "except", "unlike"} | _PARTS
_DOUBTS = {"if", "might", "perhaps", "maybe", "possibly", "doubt", "unlikely", "unless", "whether", "could"}
_DISMISSALS = {
    "too",
    "not",
    "wrong",
    "incorrect",
    "impossible",
    "unlikely",
    "cannot",
    "neither",
    "nor",
    "or",
    "inaccurate",
    "each",
} | _SUMS
_ARTICLES = {"a", "an", "the", "An", "The", "THE"}
_NOUN_NEXT = re.compile(r" +[^\W0-9_]")
_ASKED = re.compile(r"(?:[^.!?\n]|\.(?=\d))*\?")
_CLAUSE_END = re.compile(r"[\"')\]]*\s*(?:[.,;:!]|\n|$|[-–—]\s)")
_DOUBT_REACH, _ASKED_REACH = 40, 240  # tokens before an option's text, and characters after it, in its sentence
_DENIAL_REACH, _DISMISSAL_REACH = 3, 4  # numbers of tokens searched before and after an option's text, in its sentence


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int
    sentence: int


def _number(text: str) -> str:
    sign = "-" if text[0] == "-" else ""
    whole, _, fraction = text.lstrip("+-").replace(",", "").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    if whole == "0" and not fraction:
        return "0"
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def _tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[_Token]:
    """Yield the numbers, words and meaningful symbols of a text.

    Each token has its position. Articles and punctuation are omitted.
    """
    sentence, fresh = 0, True
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        raw = match[0]
        if match["end"]:
            sentence, fresh = sentence + 1, True
            continue
        # A capital A is the article only at the start of a sentence; elsewhere it may be a name ("from A to B").
        article = raw in _ARTICLES or (raw == "A" and fresh and _NOUN_NEXT.match(text, match.end()))
        fresh = False
        if article:
            continue
        if match["number"]:
            word = _number(raw)
        elif match["arrow"]:
            word = "→"
        else:
            word = unicodedata.normalize("NFKC", raw).casefold()
        yield _Token(_SPELLINGS.get(word, word), match.start(), match.end(), sentence)


def _words(text: str) -> tuple[str, ...]:
    words = tuple(token.text for token in _tokens(text))
    return words or tuple(text.casefold().split())  # a text that has only articles or signs is compared as it is


def same_text(one: str, other: str) -> bool:
    """Check whether two short answers have the same meaning.

    Case, spacing, number formats, spellings of units, and articles are ignored.
    """
    words = _words(plain_text(one))
    return bool(words) and words == _words(plain_text(other))


def _longest(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Remove the spans that are inside a longer span.

    For example, "left" inside "left and up" belongs to the longer option.
    """
    kept: list[tuple[int, int, str]] = []
    reach = (-1, -1)
    for start, end, letter in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reach[1]:
            reach = (start, end)
        if (start, end) == reach:
            kept.append((start, end, letter))
    return kept


def _goes_on(last: _Token, following: _Token | None) -> bool:
    if following is None or following.sentence != last.sentence:
        return False
    return following.text in _GOES_ON or following.start == last.end


class OptionTexts:
    """The texts of the options, to be searched in a reply.

    The reply must be a result of ``plain_text``.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        # Maximum number of characters of an option's text, together with the text after it that is checked.
        self.reach = 4 * max((len(text) for text in texts.values()), default=0) + 500

    @cached_property
    def _plain(self) -> dict[str, str]:
        return {letter: plain_text(text) for letter, text in self._texts.items()}

    @cached_property
    def _words(self) -> dict[str, tuple[str, ...]]:
        # Computed only if needed, because most replies are only a letter.
        found = {letter: _words(text) for letter, text in self._plain.items()}
        return {letter: words for letter, words in found.items() if words}

    def begins_with_article(self, text: str, start: int) -> bool:
        """Check whether the option text at ``start`` begins with an article.

        For example, the option text "A red cube" begins with an article.
        """
        begun = self.at_start(text, start)
        return begun is not None and any(self._plain[letter].split(" ")[0] in _ARTICLES for letter in begun[0])

    @property
    def known(self) -> bool:
        """Check whether any option has a text."""
        return bool(self._words)

    def equal(self, text: str) -> str | None:
        """Return the letter of the option with this text.

        Returns None if no option, or more than one option, has this text.
        """
        words = _words(text)
        letters = [letter for letter, own in self._words.items() if own == words]
        return letters[0] if len(letters) == 1 else None

    def at_start(self, text: str, start: int = 0) -> tuple[frozenset[str], int] | None:
        """Find the longest option text that begins at ``start``.

        Returns the letters of the options with this text, and the index of the end of the text. Returns None if no
        option text begins there.
        """
        alive = dict(self._words)
        best: tuple[frozenset[str], int] | None = None
        before: _Token | None = None
        # The comparison stops as soon as no option agrees. This saves time, because at most places of a reply no option
        # begins.
        for at, token in enumerate(chain(_tokens(text, start, start + self.reach), [None])):
            ended = frozenset(letter for letter, own in alive.items() if len(own) == at)
            if ended and before is not None and not _goes_on(before, token):
                best = ended, before.end
            alive = {x: own for x, own in alive.items() if token and len(own) > at and own[at] == token.text}
            if not alive:
                break
            before = token
        return best

    def named(self, text: str) -> str | None:
        """Find an option's text in a reply, and return the letter.

        Returns None if the reply contains the texts of several options, or of none. Only the first and the last
        sentence count. An option text of one word or number counts only if it begins a sentence and is alone in its
        clause. A text does not count if it is denied or dismissed ("not 3 m", "3 m is too long").
        """
        tokens = list(_tokens(text))
        spans = self._spans(tokens)
        letters = {letter for _, _, letter in spans}
        if len(letters) != 1 or any(self._denied(tokens, span) for span in spans):
            return None
        if any(self._doubted(text, tokens, span) for span in spans):
            return None
        last = tokens[-1].sentence
        for start, end, letter in spans:
            at_edge = tokens[start].sentence == 0 or tokens[end - 1].sentence == last
            if at_edge and (end - start > 1 or self._alone(text, tokens, start)):
                return letter
        return None

    def occurring(self, text: str) -> frozenset[str]:
        """Return the letters of all options whose texts occur in a reply."""
        return frozenset(letter for _, _, letter in self._spans(list(_tokens(text))))

    def _spans(self, tokens: list[_Token]) -> list[tuple[int, int, str]]:
        """Find the spans of option texts among the tokens.

        A span consists of the index of its first token, the index after its last token, and its letter. Spans inside a
        longer span are omitted.
        """
        by_first: dict[str, list[str]] = {}
        for letter, own in self._words.items():
            by_first.setdefault(own[0], []).append(letter)
        spans: list[tuple[int, int, str]] = []
        for at, token in enumerate(tokens):
            for letter in by_first.get(token.text, ()):
                own, end = self._words[letter], at + len(self._words[letter])
                same = tuple(other.text for other in tokens[at:end]) == own
                if same and not _goes_on(tokens[end - 1], tokens[end] if end < len(tokens) else None):
                    spans.append((at, end, letter))
        return _longest(spans)

    @staticmethod
    def _denied(tokens: list[_Token], span: tuple[int, int, str]) -> bool:
        start, end, _ = span
        before = tokens[max(0, start - _DENIAL_REACH) : start]
        after = tokens[end : end + _DISMISSAL_REACH]
        return any(
            t.sentence == tokens[start].sentence and (t.text in _DENIALS or t.text.endswith("n't")) for t in before
        ) or any(
            t.sentence == tokens[end - 1].sentence and (t.text in _DISMISSALS or t.text.endswith("n't")) for t in after
        )

    @staticmethod
    def _doubted(text: str, tokens: list[_Token], span: tuple[int, int, str]) -> bool:
        """Check whether a sentence doubts an option's text, or asks for it.

        A number before the text is a factor.
        """
        start, end, _ = span
        before = [t for t in tokens[max(0, start - _DOUBT_REACH) : start] if t.sentence == tokens[start].sentence]
        factor = before and before[-1].text[0].isdigit() and tokens[start].text[0].isdigit()
        doubted = any(t.text in _DOUBTS for t in before)
        end = tokens[end - 1].end
        return bool(factor) or doubted or _ASKED.match(text, end, end + _ASKED_REACH) is not None

    @staticmethod
    def _alone(text: str, tokens: list[_Token], at: int) -> bool:
        opens = at == 0 or tokens[at - 1].sentence != tokens[at].sentence
        return opens and _CLAUSE_END.match(text, tokens[at].end) is not None
