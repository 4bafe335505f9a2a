"""Comparison of a diagram's description with the furniture parts that its step uses.

For each step, the source lists the numbered parts, and the groups of parts that the step joins. A description names
parts by nouns and not by numbers. Therefore only the counts of parts can be compared. A description is consistent if it
satisfies two rules:

(a) The number of pieces in the text ``parts`` is at least the number of groups of the step, and at most the number of
    its single parts. Both limits are needed because a sub-assembly can be described as one thing or piece by piece.
(b) The texts ``action`` and ``result`` name all groups that are joined to other groups, in the singular or plural. In
    the text ``action``, no noun has a count above the number of the step's parts.

Only simple phrases are read, such as "two long panels and a seat". A person decides about all other descriptions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chronotope.recording import Group

Outcome = Literal["consistent", "inconsistent", "undecidable"]
OUTCOMES: tuple[Outcome, ...] = ("consistent", "inconsistent", "undecidable")
MANY = 1000  # the upper bound of an open count, such as "several legs"

_ASSEMBLIES, _GENERIC, _SINGLE, _OTHERS, _DEFINITE, _VAGUE, _COMPOSED = (
    frozenset(words.split())
    for words in (
        "assembly subassembly structure frame framework body unit cabinet chair table stool bench desk shelving "
        "bookcase sofa trolley cart furniture product construction carcass object box",
        "piece part component item element member",
        "panel board leg seat shelf rail bar beam slat plank top tabletop back backrest armrest arm base side drawer "
        "door support post rod crossbar crosspiece stretcher tube plate sheet cushion basket tray block strip foot "
        "rung bottom front headrest pole column divider partition runner brace pad pillow surround ledge lid pipe "
        "batten upright apron desktop worktop sidewall wall",
        # A number before one of these words counts no piece.
        "screw bolt dowel nut washer pin peg cam lock nail hardware anchor rivet fastener key wrench screwdriver "
        "hammer drill tool plug stud insert hole slot groove notch edge end corner surface arrow line view detail face "
        "opening mark symbol figure person hand number way direction degree turn time mm cm m inch set group stack",
        "the this these that those its their each every all",
        "several some multiple many various few numerous",
        "consisting composed made comprising formed built including containing",
    )
)
_PIECES = _ASSEMBLIES | _GENERIC | _SINGLE
_IRREGULAR = {"feet": "foot", "shelves": "shelf", "boxes": "box", "benches": "bench", "ones": "piece"}
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {"a": 1, "an": 1, "another": 1, "both": 2} | {name: number for number, name in enumerate(_WORDS, 1)}
_TOKEN = re.compile(r"\*\d+|\d+|[^\W\d_]+|[.,;:]")
_SIZE = re.compile(r"\b\d+(?:[.,]\d+)?(?:\s*[x\u00d7]\s*\d+(?:[.,]\d+)?)+")  # "60 x 40"
_BEHIND = re.compile(r"(?:\(\s*(\d+)\s*[x\u00d7]\s*\)|[x\u00d7]\s*(\d+))")  # "(2x)", "(x2)", "x2" behind a noun
_PRONOUNS = re.compile(r"\b(it|them|they|everything|both|one another|each other|together|these|those)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison.

    ``field`` is the name of the text that contradicts the step, and ``reason`` is the explanation. ``field`` and
    ``reason`` are empty if the outcome is ``consistent``.
    """

    outcome: Outcome
    field: str = ""
    reason: str = ""


@dataclass(frozen=True)
class _Counted:
    """A noun in the singular, counted from ``low`` to ``high`` inclusive."""

    noun: str
    low: int
    high: int


def cross_check(
    description: Mapping[str, str], groups: Sequence[Group], connections: Sequence[tuple[Group, Group]]
) -> Verdict:
    """Compare a description with the groups of parts of its step.

    ``description`` maps dimensions to texts. ``connections`` are the pairs of groups that the step joins. The outcome
    is ``inconsistent`` if the description violates a rule. Otherwise the outcome is ``undecidable`` if a rule cannot be
    checked.
    """
    if not groups:
        return Verdict("undecidable", "parts", "the source does not list the parts of the step")
    most = len({part for group in groups for part in group})
    action = count_pieces(description.get("action", ""), mentions=True)
    told = [
        _pieces(count_pieces(description.get("parts", "")), len(groups), most),
        *(
            Verdict("inconsistent", "action", f"the text counts {one.low} of {one.noun!r}; the step has {most}")
            for one in action
            if one.low == one.high > most
        ),
        _joined(description, action, connections),
    ]
    for outcome in ("inconsistent", "undecidable"):
        for verdict in told:
            if verdict is not None and verdict.outcome == outcome:
                return verdict
    return Verdict("consistent")


def tally(verdicts: Iterable[Verdict]) -> dict[Outcome, int]:
    """Count how often each outcome occurs."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def count_pieces(text: str, *, mentions: bool = False) -> list[_Counted]:
    """Return the counted pieces of a text, in order.

    If ``mentions`` is true, a noun without a quantity is counted, too: once, or openly if it is a plural. Numbers add
    up until a noun follows ("one long and three short panels"). The count of an assembly whose pieces are listed is
    open, because the text does not say which nouns are its pieces.
    """
    tokens = _TOKEN.findall(_BEHIND.sub(r" *\1\2 ", _SIZE.sub(" ", text.lower().replace("sub-", "sub"))))
    nouns = [_singular(token) for token in tokens]
    found: list[_Counted] = []
    count: tuple[int, int] | None = None
    is_definite = False
    for at, (word, noun) in enumerate(zip(tokens, nouns, strict=True)):
        number = _NUMBERS.get(word, int(word) if word.isdecimal() and len(word) <= 3 else None)
        if word.startswith("*") and found:
            found[-1] = replace(found[-1], low=int(word[1:]), high=int(word[1:]))
        elif number is not None:
            low, high = count or (0, 0)
            count = low + number, high + number
        elif noun == "pair":
            low, high = count or (1, 1)
            count = 2 * low, 2 * high
        elif word in _VAGUE:
            count = 2, MANY
        elif word in _DEFINITE:
            is_definite = True
        elif noun in _PIECES and nouns[at + 1 : at + 2] and nouns[at + 1] in _PIECES:
            continue  # the last of several nouns is counted: "seat panel"
        elif noun in _PIECES:
            is_plural, is_counted_next = word != noun, tokens[at + 1 : at + 2] != [] and tokens[at + 1][0] == "*"
            if count is None and (mentions or is_counted_next or (is_plural and not is_definite)):
                count = (2, MANY) if is_plural else (1, 1)
            if count is not None:
                found.append(_Counted(noun, *count))
            count, is_definite = None, False
        elif word in _COMPOSED and found and found[-1].noun in _ASSEMBLIES:
            found[-1] = _Counted(found[-1].noun, 0, MANY)
        elif noun in _OTHERS or word in ".;:":
            if word == ":" and found and found[-1].noun in _GENERIC:
                found.pop()  # "five parts: two legs, ..."
            count, is_definite = None, False
    return found


def _singular(word: str) -> str:
    """Return the singular of a known noun."""
    known = _PIECES | _OTHERS | {"pair"}
    if word in _IRREGULAR or word in known:
        return _IRREGULAR.get(word, word)
    return next(
        (
            word.removesuffix(end) + new
            for end, new in (("ies", "y"), ("es", ""), ("s", ""))
            if word.endswith(end) and word.removesuffix(end) + new in known
        ),
        word,
    )


def _pieces(counted: Sequence[_Counted], fewest: int, most: int) -> Verdict | None:
    """Apply rule (a) to the counted pieces of a text."""
    low, high = _total(counted)
    if high == 0:
        return Verdict("undecidable", "parts", "the text counts no pieces")
    reason = f"the text counts {_range(low, high)} pieces; the step has {_range(fewest, most)}"
    if fewest < most:
        reason += ", because a sub-assembly counts as one piece or as several"
    if high < fewest or low > most:
        return Verdict("inconsistent", "parts", reason)
    return Verdict("undecidable", "parts", reason) if low < fewest or high > most else None


def _joined(
    description: Mapping[str, str], action: Sequence[_Counted], connections: Sequence[tuple[Group, Group]]
) -> Verdict | None:
    """Apply rule (b): the texts name all groups that are joined.

    A plural such as "legs" can name several groups. A name of the whole result ("a finished chair") names no group.
    """
    joined = len({group for pair in connections for group in pair})
    if joined == 0:
        return Verdict("undecidable", "action", "the source does not state which parts are joined")
    result = description.get("result", "")
    named = [*action, *(one for one in count_pieces(result, mentions=True) if one.noun not in _ASSEMBLIES)]
    most = {one.noun: one for one in sorted(named, key=lambda one: one.high)}
    low, high = _total(most.values())
    if high == 0:
        return Verdict("undecidable", "action", "neither the action nor the result names a piece")
    if high >= joined:
        return None
    reason = f"action and result name {_range(low, high)} of the {joined} groups that are joined"
    is_doubtful = _PRONOUNS.search(f"{description.get('action', '')} {result}") is not None
    return Verdict("undecidable" if is_doubtful else "inconsistent", "action", reason)


def _total(counted: Iterable[_Counted]) -> tuple[int, int]:
    listed = list(counted)
    return sum(one.low for one in listed), sum(one.high for one in listed)


def _range(low: int, high: int) -> str:
    if high >= MANY:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"
