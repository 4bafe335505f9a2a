"""Comparison of a diagram's description with the furniture parts that its step uses.

For each step, the source lists the numbered parts, and the groups of parts that the step joins. A description names
parts by nouns and not by numbers. Therefore only the counts of parts can be compared. A description is consistent if it
satisfies two rules:

(a) The number of pieces in the text ``parts`` is at least the number of groups of the step, and at most the number of
    its single parts. Both limits are needed because a sub-assembly can be described as one thing or piece by piece. If
    the text counts the pieces of a sub-assembly, one group of the step must have this number of parts.
(b) The texts ``action`` and ``result`` name all groups that are joined to other groups, in the singular or plural. In
    the text ``action``, no noun has a count above the number of the step's parts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.families.ikea.descriptions.counting import MANY, PIECES, Count, Counted, count_pieces
from chronotope.recording import Group

Outcome = Literal["consistent", "inconsistent", "undecidable"]
OUTCOMES: tuple[Outcome, ...] = ("consistent", "inconsistent", "undecidable")

_COMPOSED = re.compile(
    r"\b(?:assembly|subassembly|structure|frame|framework|body|unit)\s+(?:that\s+is\s+|already\s+|pre-?)?"
    r"(?:consisting|composed|made\s+up|comprising|built|formed|assembled)\s+(?:(?:of|from|out\s+of)\s+)?"
    r"(?P<pieces>[^.;:()]*)",
    re.IGNORECASE,
)
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
    told = [
        _counts(description.get("parts", ""), groups),
        _too_many(description.get("action", ""), groups),
        _connections(description, connections),
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


def _counts(text: str, groups: Sequence[Group]) -> Verdict | None:
    """Apply rule (a) to the text ``parts``.

    If the text lists the pieces of a sub-assembly, the end of this list is uncertain: it is one of the following
    commas, or the end of the clause. The end that fits the step best is used.
    """
    found = _COMPOSED.search(text)
    if found is None:
        return _pieces(text, groups)
    first, last = found.span("pieces")
    ends = [*(first + comma.start() for comma in re.finditer(",", found["pieces"])), last]
    told = [_composition(text[first:end], groups) or _pieces(text[:first] + text[end:], groups) for end in ends]
    return min(told, key=lambda verdict: 0 if verdict is None else 1 + (verdict.outcome == "inconsistent"))


def _pieces(text: str, groups: Sequence[Group]) -> Verdict | None:
    """Apply rule (a) to the number of pieces that a text lists."""
    total = _sum(one for one in count_pieces(text) if not one.again)
    if total.high == 0:
        return Verdict("undecidable", "parts", "the text counts no pieces")
    fewest, most = len(groups), _single_parts(groups)
    reason = f"the text counts {_range(total)} pieces; the step has {_range(Count(fewest, most))}"
    if fewest < most:
        reason += ", because a sub-assembly counts as one piece or as several"
    if total.high < fewest or total.low > most:
        return Verdict("inconsistent", "parts", reason)
    return Verdict("undecidable", "parts", reason) if total.low < fewest or total.high > most else None


def _composition(pieces: str, groups: Sequence[Group]) -> Verdict | None:
    """Apply rule (a) to the number of pieces of one sub-assembly."""
    sizes = sorted({len(group) for group in groups if len(group) > 1})
    inner = _sum(one for one in count_pieces(pieces) if not one.again)
    if inner.low != inner.high or inner.low < 2 or inner.low in sizes:
        return None
    expected = f"the step's sub-assemblies have {' or '.join(map(str, sizes))}" if sizes else "the step has none"
    return Verdict("inconsistent", "parts", f"the text names a sub-assembly of {inner.low} pieces; {expected}")


def _too_many(text: str, groups: Sequence[Group]) -> Verdict | None:
    """Apply rule (b): no noun's count exceeds the number of parts."""
    most = _single_parts(groups)
    for one in count_pieces(text, mentions=True):
        if one.kind in PIECES and one.count.low == one.count.high > most:
            return Verdict(
                "inconsistent", "action", f"the text counts {one.count.low} of {one.noun!r}; the step has {most}"
            )
    return None


def _connections(description: Mapping[str, str], connections: Sequence[tuple[Group, Group]]) -> Verdict | None:
    """Apply rule (b): the texts name all groups that are joined.

    A plural such as "legs" can name several groups.
    """
    joined = len({group for pair in connections for group in pair})
    if joined == 0:
        return Verdict("undecidable", "action", "the source does not state which parts are joined")
    action, result = description.get("action", ""), description.get("result", "")
    # A name of the whole result ("a finished chair") does not name a group.
    named = [
        *(one for one in count_pieces(action, mentions=True) if one.kind in (*PIECES, "unsure")),
        *(one for one in count_pieces(result, mentions=True) if one.kind in ("piece", "generic")),
    ]
    most = {(one.noun, one.phrase): one for one in named}
    for one in named:
        if one.count.high > most[one.noun, one.phrase].count.high:
            most[one.noun, one.phrase] = one
    total = _sum(most.values(), kinds=(*PIECES, "unsure"))
    if total.high == 0:
        return Verdict("undecidable", "action", "neither the action nor the result names a piece")
    if total.high >= joined:
        return None
    reason = f"action and result name {_range(total)} of the {joined} groups that are joined"
    doubtful = _PRONOUNS.search(f"{action} {result}") is not None
    return Verdict("undecidable" if doubtful else "inconsistent", "action", reason)


def _sum(counted: Iterable[Counted], kinds: Sequence[str] = (*PIECES, "unsure")) -> Count:
    total = Count(0, 0)
    for one in counted:
        if one.kind in kinds:
            total += one.count
    return total


def _single_parts(groups: Sequence[Group]) -> int:
    return len({part for group in groups for part in group})


def _range(count: Count) -> str:
    if count.high >= MANY:
        return f"{count.low} or more"
    return str(count.low) if count.low == count.high else f"{count.low} to {count.high}"
