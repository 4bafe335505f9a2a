"""Counting of the pieces that an English description mentions, such as "two long panels".

Sentences that describe a diagram are simple, so counting needs no full grammar. The noun of a quantity follows the
quantity within a few words. Two quantities can share one noun ("one long and three short panels").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MANY = 1000
"""The upper bound of an open count, such as "several legs"."""

Kind = Literal["piece", "assembly", "generic", "fastener", "unsure", "feature"]

_KINDS: dict[Kind, str] = {
    "piece": (
        "panel board leg seat shelf rail bar beam slat plank top tabletop back backrest armrest arm base side drawer "
        "door support post rod crossbar crosspiece stretcher tube plate sheet cushion basket tray block strip foot "
        "rung bottom front headrest pole column divider partition runner brace pad pillow surround ledge lid pipe "
        "batten upright apron desktop worktop sidewall wall"
    ),
    "assembly": (
        "assembly subassembly sub-assembly structure frame framework body unit cabinet chair table stool bench desk "
        "shelving bookcase sofa trolley cart furniture product construction carcass backboard-assembly object box"
    ),
    "generic": "piece part component item element member",
    "fastener": (
        "screw bolt dowel nut washer pin peg cam lock nail hardware anchor rivet fastener key wrench screwdriver "
        "hammer drill tool barrel plug stud insert glue"
    ),
    "unsure": "bracket hinge cap connector clip wheel castor caster glide strap sleeve joint knob handle fitting bag",
    "feature": (
        "hole slot groove notch edge end corner surface arrow line view inset detail face tenon opening cutout circle "
        "mark symbol figure person people hand bubble callout illustration drawing diagram picture image letter number "
        "way direction degree turn time angle position location place point orientation material wood metal row layer "
        "mm cm inch size length width step"
    ),
}
PIECES: tuple[Kind, ...] = ("piece", "assembly", "generic")
"""The kinds of nouns that can mean a part or a group of parts of a step."""
_NOUNS: dict[str, Kind] = {noun: kind for kind, nouns in _KINDS.items() for noun in nouns.split()}
_IRREGULAR = {"feet": "foot", "shelves": "shelf", "people": "person", "boxes": "box", "benches": "bench"}

_ONE_TO_TWELVE = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {name: number for number, name in enumerate(_ONE_TO_TWELVE, 1)}
_DEFINITE = {"the", "this", "these", "that", "those", "its", "their", "each", "every", "all"}
_VAGUE = {"several", "some", "multiple", "many", "various", "few", "numerous"}
# A noun after one of these words states a position or a property of a piece, and is not a new piece.
_PLACES = (
    "on in at of for from along to into onto near by under over through between against inside below above around "
    "behind beside across toward towards via"
)
_OF_A_PIECE = ("per", "featuring", "having", "has", "have", "with", "whose", "where", "which", "that", "showing")
_ELSEWHERE = {*_PLACES.split(), *_OF_A_PIECE}
_INSIDE = {"consisting", "composed", "made", "comprising", "comprised", "formed", "including", "containing", "built"}
_TOKEN = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+(?:[-'][^\W\d_]+)*|[^\w\s]")
_SIZE = re.compile(r"\b\d+(?:[.,]\d+)?(?:\s*[x\u00d7]\s*\d+(?:[.,]\d+)?)+\s*(?:[cm]?m\b)?")  # "60 x 40 cm"
_BRACKET = re.compile(r"\(([^()]*)\)")
_TIMES = re.compile(r"^\s*(?:[x\u00d7]\s*(\d+)|(\d+)\s*(?:[x\u00d7]|pcs?\.?|pieces?)?)\s*$", re.IGNORECASE)
_UNITS = {"mm", "cm", "m", "inch", "inches", "degree", "degrees"}
_REACH = 7  # maximum number of words in which the noun of a quantity is searched for


@dataclass(frozen=True)
class Count:
    """A range of whole numbers, from ``low`` to ``high`` inclusive."""

    low: int
    high: int

    def __add__(self, other: "Count") -> "Count":
        return Count(self.low + other.low, min(self.high + other.high, MANY))


@dataclass(frozen=True)
class Counted:
    """A counted noun in the singular, with its kind, its count, and the phrase from the text.

    ``again`` is true if the text has named the same noun before.
    """

    noun: str
    kind: Kind
    count: Count
    phrase: str
    again: bool = False


def words(text: str) -> list[str]:
    """Split a text into lower-case words, numbers and punctuation marks.

    The factor "(x2)" after a noun becomes "*2".
    """
    plain = _SIZE.sub(" ", re.sub(r"\bsub assembl", "sub-assembl", text.lower()))
    plain = re.sub(r"(?:\bx|\u00d7)\s*(\d+)", r"*\1", plain)
    plain = re.sub(r"(\d)\s*(?:x\b|\u00d7)", r"\1 ", plain)
    plain = _BRACKET.sub(_multiplier, plain)
    return _TOKEN.findall(plain)


def noun_kind(word: str) -> tuple[str, Kind, bool] | None:
    """Return the singular and the kind of a known noun.

    The third value of the result is true if the word is plural. The result is None if the word is not a known noun.
    """
    if word in _IRREGULAR:
        noun = _IRREGULAR[word]
        return noun, _NOUNS[noun], True
    if word in _NOUNS:
        return word, _NOUNS[word], False
    for end, singular in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(end) and word[: -len(end)] + singular in _NOUNS:
            noun = word[: -len(end)] + singular
            return noun, _NOUNS[noun], True
    last = word.rpartition("-")[2]
    return noun_kind(last) if last != word else None


def count_pieces(text: str, *, mentions: bool = False) -> list[Counted]:
    """Return every counted or listed noun of a text, in order.

    A noun that only states a position ("on the seat") is not counted as a new piece. A noun after "with" ("with two
    legs") may be a separate piece or not, so the lower bound of its count is 0. If ``mentions`` is true, every noun is
    counted.
    """
    found = list(_scan(words(text), mentions))
    resolved: list[Counted] = []
    for at, one in enumerate(found):
        if not one.noun:  # "one long and three short panels"
            shared = next((other for other in found[at:] if other.noun), None)
            if shared is None:
                continue
            one = Counted(shared.noun, shared.kind, one.count, f"{one.phrase} {shared.noun}")
        elif one.noun == "ones" and resolved:  # "one long panel and three short ones"
            one = Counted(resolved[-1].noun, resolved[-1].kind, Count(one.count.high, one.count.high), one.phrase)
        resolved.append(one)
    return resolved


def _multiplier(found: re.Match[str]) -> str:
    times = _TIMES.match(found[1].replace("*", "x"))
    return f" *{times[1] or times[2]} " if times else " "


def _scan(tokens: list[str], mentions: bool) -> Iterator[Counted]:
    at, elsewhere, seen = 0, False, set[str]()
    of_piece = False  # "a panel with two holes and a seat": after a feature, "and" continues the list of pieces
    while at < len(tokens):
        if tokens[at] in _ELSEWHERE or tokens[at] in _INSIDE:
            elsewhere = True
        elif not tokens[at][0].isalnum() or (tokens[at] == "and" and of_piece):
            elsewhere = False
        quantity = _quantity(tokens, at)
        start = at if quantity is None else quantity.next
        noun = _noun(tokens, start)
        if noun is None:
            if quantity is not None and quantity.count is not None and (mentions or not elsewhere):
                yield from _without_noun(tokens, start, quantity.count)
            at = max(start, at + 1)
            continue
        phrase, at = " ".join(tokens[start : noun.next]), noun.next
        of_piece = noun.kind in ("feature", "fastener")
        vague = quantity is None or quantity.definite
        count = _count(quantity, noun)
        if not mentions:
            if tokens[at : at + 1] == [":"] and noun.kind == "generic":
                continue  # "five parts: two legs, ...": the list after the colon is counted instead
            if elsewhere:
                if vague:
                    continue
                count = Count(0, count.high)
        again = vague and (noun.name in seen or (noun.kind == "generic" and bool(seen)))
        if noun.kind == "unsure":
            count = Count(0, count.high)
        elif noun.kind in PIECES:
            seen.add(noun.name)
        yield Counted(noun.name, noun.kind, count, phrase, again)


def _without_noun(tokens: list[str], start: int, count: Count) -> Iterator[Counted]:
    """Count a quantity whose own noun is missing or unknown.

    If another quantity follows, as in "one long and three short panels", the noun of that quantity is used. An unknown
    noun may be a piece or not, so the lower bound of its count is 0.
    """
    run: list[str] = []
    for at in range(start, min(start + _REACH, len(tokens))):
        word = tokens[at]
        if word in ("and", "or", ",") and at + 1 < len(tokens) and _quantity(tokens, at + 1) is not None:
            yield Counted("", "piece", count, " ".join(run))
            return
        if word in _ELSEWHERE or word in _INSIDE or not word[0].isalpha() or word in ("and", "or", "is", "are"):
            break
        run.append(word)
    if run:
        yield Counted(run[-1], "unsure", Count(0, count.high), " ".join(run))


@dataclass(frozen=True)
class _Quantity:
    count: Count | None  # None means: 1 for a singular noun, several for a plural noun
    next: int
    definite: bool = False


@dataclass(frozen=True)
class _Noun:
    name: str
    kind: Kind
    plural: bool
    times: int | None
    next: int


def _quantity(tokens: list[str], at: int) -> _Quantity | None:
    """Return the quantity that begins at the token with index ``at``."""
    start = at
    while at < len(tokens) and tokens[at] in _DEFINITE:
        at += 1
    inner = _indefinite(tokens, at) if at < len(tokens) else None
    if at == start:
        return inner
    return _Quantity(inner.count, inner.next, True) if inner else _Quantity(None, at, True)


def _indefinite(tokens: list[str], at: int) -> _Quantity | None:
    """Return the indefinite quantity at index ``at``, such as "two" or "several"."""
    word, following = tokens[at], tokens[at + 1 : at + 3]
    one = word in ("a", "an", "one", "another", "single")
    if (one or word in ("two", "three", "four")) and following[:1] in (["pair"], ["pairs"]):
        pairs = 2 * _NUMBERS.get(word, 1)
        return _Quantity(Count(pairs, pairs), at + 2 + (following[1:] == ["of"]))
    if one and following and following[0] in ("set", "group", "stack", "number", "few"):
        after = at + 2 + (following[1:] == ["of"])
        number = _number(tokens[after]) if after < len(tokens) else None
        return _Quantity(Count(2, MANY), after) if number is None else _Quantity(Count(number, number), after + 1)
    if one:
        return _Quantity(Count(1, 1), at + 1 + (following[:1] == ["single"]))
    if word in ("both", "pair"):
        return _Quantity(Count(2, 2), at + 1 + (following[:1] == ["of"]), word == "both")
    number = _number(word)
    if number is not None and not _UNITS.intersection(following[:1]):
        return _Quantity(Count(number, number), at + 1)
    return _Quantity(Count(2, MANY), at + 1) if word in _VAGUE else None


def _number(word: str) -> int | None:
    """Parse a number in words or digits.

    The result is None for other words, and for numbers of more than three digits, which are part numbers.
    """
    return int(word) if word.isdecimal() and len(word) <= 3 else _NUMBERS.get(word)


def _noun(tokens: list[str], start: int) -> _Noun | None:
    """Find the main noun of the phrase that begins at index ``start``.

    If several known nouns follow each other ("seat panel"), the last of them is the main noun.
    """
    for at in range(start, min(start + _REACH, len(tokens))):
        word = tokens[at]
        if word in _ELSEWHERE or word in _INSIDE or word in ("and", "or") or not word[0].isalnum():
            if word == "," and at > start and noun_kind(tokens[at - 1]) is None:
                continue  # "a long, flat panel"
            return None
        if at > start and _quantity(tokens, at) is not None:
            return None
        known = noun_kind(word)
        if known is None:
            continue
        end = at
        while end + 1 < len(tokens) and (after := noun_kind(tokens[end + 1])) is not None:
            known, end = after, end + 1
        times = _number(tokens[end + 2]) if tokens[end + 1 : end + 2] == ["*"] and end + 2 < len(tokens) else None
        return _Noun(known[0], known[1], known[2], times, end + 1 + 2 * (times is not None))
    return None


def _count(quantity: _Quantity | None, noun: _Noun) -> Count:
    if noun.times is not None:
        return Count(noun.times, noun.times)
    if quantity is not None and quantity.count is not None:
        return quantity.count
    return Count(2, MANY) if noun.plural else Count(1, 1)
