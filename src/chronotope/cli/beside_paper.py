"""Compare a question set with the published set of a paper.

The numbers of questions, their shares and the lengths of clips are compared.
"""

from __future__ import annotations  # types of other rooms are only for type checkers

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from chronotope.api.published import measures, shares
from chronotope.cli.console import out, table

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Benchmark, Measure, Question, ReleasedSet, Share

_MANY = 12  # values of a group in a table; groups with more values are only in the report and in JSON


def tell_counts(benchmark: Benchmark, published: ReleasedSet) -> bool:
    """Print the counts of a benchmark and of a published set.

    Numbers of questions and lengths of clips are printed side by side. Returns whether the numbers of questions are
    equal.
    """
    if published.questions:
        _tell_cells(benchmark, published)
    else:
        out.print(
            f"{benchmark.card.counts.questions:,} questions on {_shown(benchmark)}; the paper has "
            f"{published.total:,} on {published.clips} clips",
            markup=False,
        )
    _tell_lengths(benchmark, published)
    same_variants = _tell_variants(benchmark, published)
    return published.is_like(benchmark.questions) and same_variants


def tell_printed_shares(benchmark: Benchmark) -> None:
    """Print the shares that the paper prints, too.

    Each kind of share has one line.
    """
    printed = [one for one in shares(benchmark, benchmark.questions) if one.paper is not None]
    for group in dict.fromkeys(one.group for one in printed):
        told = (f"{one.value} {one.percent:.1f} % (paper: {one.paper:g} %)" for one in printed if one.group == group)
        out.print(f"{group}: {', '.join(told)}", markup=False)


def tell_shares(benchmark: Benchmark, left: Sequence[Question] | None = None) -> None:
    """Print the shares of a benchmark's questions, beside the paper's.

    If ``left`` is given, the shares of these questions are printed, too.
    """
    every = {(one.group, one.value): one for one in shares(benchmark, benchmark.questions)}
    after = {(one.group, one.value): one for one in shares(benchmark, left or ())}
    rows: list[list[str]] = []
    for (group, value), one in every.items():
        if sum(key[0] == group for key in every) > _MANY:
            continue
        now = after.get((group, value))
        cells = [f"{one.percent:.1f} %", "–" if now is None else f"{now.percent:.1f} %"]
        rows.append([group, value, *cells[: 1 + (left is not None)], _in_paper(one, " %")])
    if rows:
        heads = ["here", "paper"] if left is None else ["before", "after", "paper"]
        table(f"{benchmark.card.name}: shares of questions", ["group", "value", *heads], rows, words=(0, 1), names=2)


def tell_measures(benchmark: Benchmark, recordings: Sequence[Mapping[str, Any]]) -> None:
    """Print the sizes of a benchmark's scenes and clips, beside the paper's."""
    rows = [
        [
            one.name, f"{len(one.values)}", f"{mean(one.values):.1f}", f"{min(one.values):.1f}",
            f"{max(one.values):.1f}", _in_paper(one),
        ]
        for one in measures(benchmark, recordings)
    ]  # fmt: skip
    if rows:
        heads = ["", "number", "mean", "smallest", "largest", "paper"]
        table(f"{benchmark.card.name}: sizes of scenes and videos", heads, rows, words=(0,))


def _in_paper(one: Share | Measure, unit: str = "") -> str:
    """Return the published value, or the figure that draws it."""
    return f"{one.paper:g}{unit}" if one.paper is not None else one.figure or "–"


def _tell_cells(benchmark: Benchmark, published: ReleasedSet) -> None:
    """Print the numbers of questions, by task and kind."""
    counts = published.count(benchmark.questions)
    values = list(dict.fromkeys(value for of in (*published.questions.values(), *counts.values()) for value in of))
    rows: list[list[tuple[int, int]]] = []
    for task, here in counts.items():
        paper = published.questions.get(task, {})
        pairs = [(here.get(value, 0), paper.get(value, 0)) for value in values]
        rows.append([*pairs, _added(pairs)])
    rows.append([_added(column) for column in zip(*rows, strict=True)])
    first, heads, names = "task", [*(value or "unknown" for value in values), "all"], [*counts, "all"]
    told = "questions here / in the paper"
    if many := len(heads) > len(names):  # a terminal has more room for rows than for columns
        first, heads, names = published.by, names, heads
        rows = [list(column) for column in zip(*rows, strict=True)]
        told = "questions here / in the paper, if the numbers differ"
    cells = [[f"{h}" if many and h == p else f"{h} / {p}" for h, p in row] for row in rows]
    table(
        f"{benchmark.card.name}: {told}",
        [first, *heads],
        [[name, *row] for name, row in zip(names, cells, strict=True)],
    )
    filled = sum(n > 0 for of in counts.values() for n in of.values())
    all_cells = len(published.questions) * len(next(iter(published.questions.values())))
    populated = sum(n > 0 for of in published.questions.values() for n in of.values())
    out.print(
        f"{benchmark.card.counts.questions:,} questions on {_shown(benchmark)} in {filled} cells; the "
        f"paper has {published.total:,} on {published.clips} clips in {populated} of {all_cells}",
        markup=False,
    )


def _tell_variants(benchmark: Benchmark, published: ReleasedSet) -> bool:
    """Print the numbers of questions of each variant.

    Returns whether these numbers equal the published numbers.
    """
    counts = published.count_variants(benchmark.questions)
    rows: list[list[str]] = []
    for variant, paper in published.variants.items():
        here = counts[variant]
        other = [f"{task} {n} / {paper.get(task, 0)}" for task, n in here.items() if n != paper.get(task, 0)]
        more = f" and {len(other) - 2} more" if len(other) > 2 else ""
        words = f"{', '.join(other[:2])}{more}" if other else "the same in every task"
        rows.append([variant, f"{sum(here.values()):,} / {sum(paper.values()):,}", words])
    if rows:
        table(f"{benchmark.card.name}: variants, here / in the paper", ["form", "all", ""], rows, words=(0, 2))
    return counts == published.variants


def _shown(benchmark: Benchmark) -> str:
    counts = benchmark.card.counts
    return f"{counts.pictures:,} pictures" if counts.pictures and not counts.clips else f"{counts.clips} clips"


def _tell_lengths(benchmark: Benchmark, published: ReleasedSet) -> None:
    """Print the shares of clips by their length, with bars.

    The published shares are printed next to them, if the paper states them.
    """
    lengths = [file.duration_s for file in benchmark.media.values() if file.duration_s is not None]
    if not lengths or not published.lengths:
        return
    rows, longer_than = [], 0.0
    for one in published.lengths:
        up_to = float("inf") if one.up_to is None else one.up_to
        share = 100 * sum(longer_than < length <= up_to for length in lengths) / len(lengths)
        words = f"over {longer_than:g} s" if one.up_to is None else f"up to {one.up_to:g} s"
        rows.append(
            [words, "█" * round(share / 4), f"{share:.0f} %", "█" * round(one.percent / 4), f"{one.percent:g} %"]
        )
        longer_than = up_to
    table(f"{benchmark.card.name}: lengths of clips", ["length", "", "here", "", "paper"], rows, words=(0, 1, 3))


def _added(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    here, paper = zip(*pairs, strict=True)
    return sum(here), sum(paper)
