"""What the page says of each benchmark: its runs side by side, worked out before anything is written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chronotope.evaluate import Spent, spent
from chronotope.question import Benchmark
from chronotope.report.checked import check_concerns
from chronotope.report.compared import Compared
from chronotope.report.differences import Differences, differences
from chronotope.report.facts import Fact, Mark, facts, marks
from chronotope.report.plots import accuracy_plot, position_plot

__all__ = ["READINGS", "STATES", "Row", "Section", "make_sections"]

# What may happen to a call, and what a reply may say: all of it is counted, nothing too.
STATES = ("replied", "refused", "failed", "missing_media", "not_asked")
READINGS = ("parsed", "unparsed", "truncated", "missing")


@dataclass(frozen=True)
class Row:
    """One run in the tables of its benchmark.

    ``notes`` are sentences that must be read with its scores; ``cut_short`` counts the replies that reached the limit
    of tokens, understood or not.
    """

    compared: Compared
    marks: tuple[Mark, ...]
    notes: tuple[str, ...]
    spent: Spent
    cut_short: int


@dataclass(frozen=True)
class Section:
    """The runs of one benchmark: only these can be compared.

    ``variants`` is empty where all questions are of one; ``tags`` has the names under each key; ``letters`` are those
    under which an option stood, ``positions`` those under which the one right option did. ``notes`` are the sentences
    to be read with the scores, each with the runs that it is about (None: all of them). ``option_shape`` is the best of
    the baselines that look at nothing but the form of options.
    """

    benchmark: Benchmark
    rows: list[Row]
    tasks: list[str]
    variants: list[str]
    tags: dict[str, list[str]]
    letters: list[str]
    positions: list[str]
    notes: list[tuple[str | None, str]]
    circular: bool
    option_shape: Compared | None
    differences: Differences | None
    facts: list[Fact]
    plot: str
    position_plot: str | None


def make_sections(compared: Sequence[Compared]) -> list[Section]:
    """One section for each benchmark, in the order in which they first come."""
    by_benchmark: dict[str, list[Compared]] = {}
    for one in compared:
        by_benchmark.setdefault(one.benchmark, []).append(one)
    return [_section(runs) for runs in by_benchmark.values()]


def _section(runs: list[Compared]) -> Section:
    rows = [_row(one) for one in runs]
    scores = [one.scores for one in runs]
    tasks = _distinct(of.tasks for of in scores)
    known = runs[0].run.family.tasks
    tasks.sort(key=lambda task: (known.index(task) if task in known else len(known), task))
    variants = _distinct(of.variants for of in scores)
    shapes = [one for one in runs if one.run.card.model.startswith("baseline/option-shape")]
    names = [_plot_name(row) for row in rows]
    # Only of these did the same questions have their right option under every letter.
    placed = [(name, of.positions) for name, of in zip(names, scores, strict=True) if of.circular is not None]
    return Section(
        benchmark=runs[0].run.benchmark,
        rows=rows,
        tasks=tasks,
        variants=variants if len(variants) > 1 else [],
        tags={key: _distinct(of.tags.get(key, {}) for of in scores) for key in _distinct(of.tags for of in scores)},
        letters=_distinct(of.letters for of in scores),
        positions=sorted(_distinct(of.positions for of in scores)),
        notes=_notes(rows),
        circular=bool(placed),
        option_shape=max(shapes, key=lambda one: one.scores.overall.value, default=None),
        differences=differences(runs),
        facts=facts(runs),
        plot=accuracy_plot(names, [*tasks, "Overall"], [of.tasks | {"Overall": of.overall} for of in scores]),
        position_plot=position_plot(*zip(*placed, strict=True)) if placed else None,
    )


def _row(one: Compared) -> Row:
    cut_short = sum(answered.reading is not None and answered.reading.truncated for answered in one.run.answered)
    notes = (*one.scores.notes, *check_concerns(one.run))
    return Row(one, marks(one.run), notes, spent(one.run.lines), cut_short)


def _notes(rows: Sequence[Row]) -> list[tuple[str | None, str]]:
    """Each sentence once, with the names of the runs that it is about, or None where that is all of several."""
    about: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            about.setdefault(note, []).append(row.compared.name)
    return [(None if len(rows) > 1 and len(of) == len(rows) else ", ".join(of), note) for note, of in about.items()]


def _plot_name(row: Row) -> str:
    """Marked as in the tables: a plot may be copied out of the page."""
    words = [mark.short for mark in row.marks]
    return f"{row.compared.name} ({', '.join(words)})" if words else row.compared.name


def _distinct(names: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for some in names for name in some))
