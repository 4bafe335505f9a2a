"""Separate scores for each mode of asking, and the gaps between the modes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chronotope.families.vgenst.protocol.means import (
    Valued,
    cells_of,
    count,
    level_mean,
    metric,
    micro,
    of_level,
    task_mean,
    type_mean,
)
from chronotope.families.vgenst.tasks import LEVELS, TASKS
from chronotope.io.packed import group, select
from chronotope.protocol import Scored, Table, percent

MODES = "modes"  # key of the table for the figures


@dataclass(frozen=True)
class Mode:
    """The scores of all questions in one mode of asking.

    ``strict`` has the scores of all questions, and ``covered`` has the scores of the questions with a readable reply.
    ``chance`` is the score of random guesses in percent, if known.
    """

    name: str
    strict: list[Valued]
    covered: list[Valued]
    chance: float | None


def modes(scored: Sequence[Scored]) -> dict[str, Mode]:
    """Return the modes in which questions were asked, by short name."""
    of = group(scored, lambda one: one.question.variant)
    base, v1, v2, v3 = (of.get(variant, ()) for variant in ("base", "none_distractor", "none_answer", "open"))
    found = {
        "vanilla": _mode("Base, vanilla", base, "vanilla"),
        "circular": _mode("Base, circular", base, "circular"),
        "position": _over_placements("Base, mean over placements", base),
        "v1": _mode("V1, None of these added", v1, "vanilla"),
        "v1_circular": _mode("V1, circular", v1, "circular"),
        "v2": _mode("V2, None of these right", v2, "vanilla"),
        "v2_circular": _mode("V2, circular", v2, "circular"),
        "paired": _paired(v1, v2),
        "v3": _mode("V3, open-ended", v3, "vanilla"),
    }
    return {name: mode for name, mode in found.items() if mode.strict}


def _mode(name: str, scored: Sequence[Scored], of: str) -> Mode:
    strict = metric(scored, of)
    chances = [
        one.chance ** (len(one.question.options) if of == "circular" else 1)
        for one in scored
        if one.metrics.get(of) is not None and one.chance is not None
    ]
    return Mode(name, strict, metric(scored, f"{of}_covered"), percent(chances))


def _over_placements(name: str, scored: Sequence[Scored]) -> Mode:
    """Return the mode whose scores are means over all placements.

    Only questions that were asked in several placements are included.
    """
    asked = select(scored, lambda one: one.metrics.get("circular") is not None)
    chances = [one.chance for one in asked if one.chance is not None]
    return Mode(name, metric(asked, "position"), metric(asked, "position_covered"), percent(chances))


def _paired(v1: Sequence[Scored], v2: Sequence[Scored]) -> Mode:
    """Return the mode that requires correct answers to V1 and V2.

    The option "None of these" is wrong in V1 and correct in V2. Therefore a model that always or never chooses this
    option scores 0.
    """
    strict = both(metric(v1, "vanilla"), metric(v2, "vanilla"))
    covered = both(metric(v1, "vanilla_covered"), metric(v2, "vanilla_covered"))
    chance = {one.question.base: one.chance for one in v2}
    asked = {one.base for one in strict}
    chances = [
        one.chance * other
        for one in v1
        if one.question.base in asked and one.chance is not None and (other := chance[one.question.base]) is not None
    ]
    return Mode("V1 and V2, both right", strict, covered, percent(chances))


def both(some: Sequence[Valued], others: Sequence[Valued]) -> list[Valued]:
    """Multiply the scores of two variants, for base questions that have both."""
    by_base = {other.base: other.value for other in others}
    return [one._replace(value=one.value * by_base[one.base]) for one in some if one.base in by_base]


def on_bases(values: Sequence[Valued]) -> dict[str, Valued]:
    """Return the values by the id of their base question."""
    return {value.base or value.id: value for value in values}


def mode_tables(scored: Sequence[Scored]) -> list[Table]:
    """Make tables of the modes, and tables of gaps between modes.

    Each strategy has its own tables.
    """
    made: list[Table] = []
    for strategy in dict.fromkeys(one.strategy for one in scored):
        found = modes(select(scored, lambda one, strategy=strategy: one.strategy == strategy))
        words = "" if strategy == "direct" else f", {strategy}"
        way = "" if strategy == "direct" else f"-{strategy}"
        made.append(_table(MODES + way, f"Modes (%){words}", found))
        made.append(_by_task(way, words, found))
        if gaps := _gaps(found):
            columns = ("Gap", "Questions", "Macro", "Micro")
            made.append(Table(f"gaps{way}", f"Gaps (points){words}", columns, gaps))
    return made


def _table(key: str, name: str, found: Mapping[str, Mode]) -> Table:
    columns = (
        "Mode",
        *("Questions", "Macro", "Micro", *LEVELS),
        *("Covered", "Macro, covered", "Micro, covered", *(f"{level}, covered" for level in LEVELS)),
        "Chance",
    )
    rows = tuple((mode.name, *_means(mode.strict), *_means(mode.covered), mode.chance) for mode in found.values())
    return Table(key, name, columns, rows)


def _by_task(way: str, words: str, found: Mapping[str, Mode]) -> Table:
    """Make a table with a row for each task and a column for each mode.

    A cell has the mean over the question types of the task. Open answers count only if they have a verdict.
    """
    cells = {mode.name: cells_of(mode.covered if name == "v3" else mode.strict) for name, mode in found.items()}
    rows = tuple(
        (task, *(type_mean([cell for cell in of if cell.task == task]) for of in cells.values())) for task in TASKS
    )
    return Table(f"modes-by-task{way}", f"Modes by task (%){words}", ("Task", *cells), rows)


def _means(values: Sequence[Valued]) -> tuple[float | int | None, ...]:
    cells = cells_of(values)
    return (len(values), task_mean(cells), micro(cells), *(level_mean(of_level(cells, level)) for level in LEVELS))


def _gaps(found: Mapping[str, Mode]) -> tuple[tuple[str | float | int | None, ...], ...]:
    """Compute the gaps between modes, and between levels L1 and L3.

    The gap between two modes is computed over the base questions that both modes have. Open questions count only if
    they have a verdict, because an answer without a verdict shows nothing about the model.
    """
    values = {name: mode.covered if name == "v3" else mode.strict for name, mode in found.items()}
    wanted = {
        "Base, vanilla - circular": ("vanilla", "circular"),
        "Base, vanilla - V1": ("vanilla", "v1"),
        "Base, vanilla - V2": ("vanilla", "v2"),
        "V1 - V2": ("v1", "v2"),
        "Base, vanilla - V3": ("vanilla", "v3"),
    }
    rows: list[tuple[str | float | int | None, ...]] = []
    for name, (one, other) in wanted.items():
        if values.get(one) and values.get(other):
            first, second = on_bases(values[one]), on_bases(values[other])
            shared = [base for base in first if base in second]
            left, right = (cells_of(side[base] for base in shared) for side in (first, second))
            rows.append((name, len(shared), _less(task_mean(left), task_mean(right)), _less(micro(left), micro(right))))
    for name, mode in found.items():
        easy, hard = (of_level(cells_of(values[name]), level) for level in ("L1", "L3"))
        drop, small = _less(level_mean(easy), level_mean(hard)), _less(micro(easy), micro(hard))
        rows.append((f"{mode.name}: L1 - L3", count(easy) + count(hard), drop, small))
    return tuple(rows)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
