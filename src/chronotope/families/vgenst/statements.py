"""Claims about models in the paper's text, compared with the scores of a run.

The paper has no table with the scores of its models. The claims use the words "sharply", "slightly" and "dramatically".
We have chosen a number of percentage points for each of these words, and reports show these numbers.
"""

from collections.abc import Sequence

from chronotope.families import CheckedStatement, Statement, Verdict, check_statements, points, said
from chronotope.families.vgenst.protocol.means import Valued, cells_of, level_mean, of_level, task_mean
from chronotope.families.vgenst.protocol.modes import Mode, modes, on_bases
from chronotope.io.packed import select
from chronotope.protocol import Scored

SOURCE = "text of the paper (arXiv 2605.22570)"
SHARP_DROP = 10.0  # minimum decrease of the score from L1 to L3, in percentage points
KEPT_BELOW, SLIGHTLY_ABOVE = 2.0, 5.0  # percentage points by which V1 may be below and above the base questions
DRAMATIC_DROP = 15.0  # minimum decrease of the score from the base questions to V2, in percentage points
JUDGED = 0.95  # required share of open answers with a verdict


def statements(scored: Sequence[Scored]) -> list[CheckedStatement]:
    """Compare each claim of the paper with the scores of a run.

    Only asks with the strategy "direct" are used. A claim has the result None if the run lacks the required scores.
    """
    found = modes(select(scored, lambda one: one.strategy == "direct"))
    return check_statements(STATEMENTS, found, SOURCE)


def _human(found: dict[str, Mode]) -> Verdict:
    mode = found.get("circular") or found.get("vanilla")
    own = "" if mode is None else f"; this run: {said(task_mean(cells_of(mode.strict)))} ({mode.name})"
    return None, f"the paper's text has no human score{own}"


def _levels(found: dict[str, Mode]) -> Verdict:
    mode = found.get("vanilla")
    easy, hard = _ends(mode.strict) if mode is not None else (None, None)
    if easy is None or hard is None:
        return None, "needs base questions of levels L1 and L3"
    drop = easy - hard
    return drop >= SHARP_DROP, f"L1 {said(easy)}, L3 {said(hard)}: {points(-drop)} (sharply: {SHARP_DROP:g} or more)"


def _circular(found: dict[str, Mode]) -> Verdict:
    pair = _shared(found, "vanilla", "circular")
    if pair is None:
        return None, "needs base questions asked with --placement swap"
    vanilla, circular = pair
    return vanilla > circular, f"vanilla {said(vanilla)}, circular {said(circular)}: {points(circular - vanilla)}"


def _distractor(found: dict[str, Mode]) -> Verdict:
    pair = _shared(found, "vanilla", "v1")
    if pair is None:
        return None, "needs base questions and V1"
    vanilla, v1 = pair
    words = f"vanilla {said(vanilla)}, V1 {said(v1)}: {points(v1 - vanilla)}"
    holds = -KEPT_BELOW <= v1 - vanilla <= SLIGHTLY_ABOVE
    return holds, f"{words} (from -{KEPT_BELOW:g} to +{SLIGHTLY_ABOVE:g})"


def _answer(found: dict[str, Mode]) -> Verdict:
    pair = _shared(found, "vanilla", "v2")
    if pair is None:
        return None, "needs base questions and V2"
    vanilla, v2 = pair
    words = f"vanilla {said(vanilla)}, V2 {said(v2)}: {points(v2 - vanilla)}"
    return vanilla - v2 >= DRAMATIC_DROP, f"{words} (dramatically: {DRAMATIC_DROP:g} or more)"


def _open(found: dict[str, Mode]) -> Verdict:
    mode, base = found.get("v3"), found.get("vanilla")
    if mode is None or base is None:
        return None, "needs base questions and V3"
    if len(mode.covered) < JUDGED * len(mode.strict):
        return None, f"only {len(mode.covered)} of {len(mode.strict)} open answers were judged: use --judge"
    bases, opened = on_bases(base.strict), on_bases(mode.strict)
    same = [bases[name] for name in opened if name in bases]
    closed, wide = _drop(same), _drop([opened[name] for name in opened if name in bases])
    if closed is None or wide is None:
        return None, "needs questions of levels L1 and L3 with an open form"
    return (
        wide > closed,
        f"L1 - L3 on the same {len(same)} questions: with options {closed:.1f}, open {wide:.1f} points",
    )


STATEMENTS = (
    Statement("The strongest model trails the human ceiling by more than 13 points.", _human),
    Statement("Accuracy falls sharply from L1 to L3.", _levels),
    Statement("Vanilla exceeds circular for every model.", _circular),
    Statement("V1 keeps or slightly exceeds vanilla.", _distractor),
    Statement("V2 drops dramatically.", _answer),
    Statement("Open-ended widens the L1-L3 gap.", _open),
)


def _shared(found: dict[str, Mode], one: str, other: str) -> tuple[float, float] | None:
    """Return the overall scores of two modes over their common questions."""
    if one not in found or other not in found:
        return None
    first, second = on_bases(found[one].strict), on_bases(found[other].strict)
    names = [name for name in first if name in second]
    means = tuple(task_mean(cells_of(side[name] for name in names)) for side in (first, second))
    return None if means[0] is None or means[1] is None else (means[0], means[1])


def _ends(values: Sequence[Valued]) -> tuple[float | None, float | None]:
    """Return the scores of the levels L1 and L3 in percent."""
    cells = cells_of(values)
    return level_mean(of_level(cells, "L1")), level_mean(of_level(cells, "L3"))


def _drop(values: Sequence[Valued]) -> float | None:
    easy, hard = _ends(values)
    return None if easy is None or hard is None else easy - hard
