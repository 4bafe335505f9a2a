"""Precision in the report: thresholds of each quantity, compared between runs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from chronotope.evaluate.score import Precision, PrecisionRatio, PrecisionSubject, compare_precision
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.compared_runs.variant_scores import distinct
from chronotope.report.plots.precision_plot import precision_plot
from chronotope.report.section import Section
from chronotope.report.table import (
    APART,
    Block,
    Cell,
    Column,
    Fold,
    Note,
    Part,
    SmallPlots,
    Table,
    TableRow,
    run_cell,
    run_table,
    score_cell,
)
from chronotope.view.precision import (
    interval_words,
    quantity_sentence,
    ratio_data,
    ratio_differs,
    ratio_range,
    ratio_sentence,
    ratio_words,
    sight_of,
    threshold_words,
)
from chronotope.view.words import CLUSTER

Pairs = dict[tuple[int, int], tuple[PrecisionRatio, ...]]

PLACE = 20
_THRESHOLD = (
    "Threshold: accuracy is halfway between chance and the top of the run's curve (with five options, 60 % if the top "
    "is 100 %, 50 % if it is 80 %)."
)


def make(section: Section) -> Part:
    """Compare how finely the runs see each quantity."""
    found = make_precision(section.forms[0].own)
    if found is None:
        return Part(data={"precision_ratios": []})
    fold = Fold("Precision in numbers", tuple(_tables(section, found)), "thresholds, and ratios between runs")
    return Part((fold,), tuple(_front(section, found)), {"precision_ratios": _ratio_data(section, found)})


def _front(section: Section, found: "PrecisionOfRuns") -> Iterator[Block]:
    """Yield the plots of all quantities that can be plotted, and the names of all others."""
    yield Note("Precision", "h3")
    plots = [one for one in found.quantities if one.plot]
    if plots:
        words = (
            "How close may two options be? A run with the threshold 1 : 1.2 tells 1.00 m from 1.20 m. Points: accuracy "
            f"in percent at each spacing, with 95 % intervals by {CLUSTER}. Dashed: chance. Curve: fitted accuracy. "
            f"Dotted line: the threshold, the spacing that is seen. {_THRESHOLD}"
        )
        yield SmallPlots(
            section.label("Accuracy by spacing"),
            tuple(row.plot_name for row in found.rows),
            tuple((one.subject.name.capitalize(), one.plot, one.sentence) for one in plots),
            words,
        )
    if others := [one.subject.name for one in found.quantities if not one.plot]:
        few = f"Too few questions, spacings or {CLUSTER}s to say how finely runs see {', '.join(others)}."
        yield Note(few, kind="quiet")
    blind = [place for place, row in enumerate(found.rows) if _is_blind(row)]
    if any(_is_above(one.of_runs[place]) for one in found.quantities for place in blind):
        words = (
            f"“For this quantity alone” is one of {len(found.quantities)} tests of a run, not corrected for their "
            "number: it can be luck. The head of the report is about all questions together."
        )
        yield Note(words, kind="quiet")


def _tables(section: Section, found: "PrecisionOfRuns") -> Iterator[Block]:
    """Yield the thresholds, their ratios, and the accuracies with and without a stated scale."""
    names = [one.subject.name for one in found.quantities]
    words = (
        f"{_THRESHOLD} A smaller one means a higher precision. Options of 1.00m, 1.40m and 1.96m have the spacing "
        "1 : 1.4. “> 1 : 1.4”: wider than the widest spacing asked; “<”: narrower than the narrowest. A question "
        "without an answer counts as wrong.",
        "“May be guessing”: a run that guesses could have these answers.",
        "“Not known”: the answers do not fix the threshold, for the reason below it.",
        "A run without pictures has no threshold. “Above chance” is said of this quantity alone, not corrected for the "
        f"{len(names)} quantities; “too few questions”: these cannot tell it from a guess.",
    )
    rows = [
        (row, [_threshold(one.of_runs[place], _is_blind(row)) for one in found.quantities])
        for place, row in enumerate(found.rows)
    ]
    yield run_table(section.label("Thresholds"), names, rows, words)
    if compared := [one for one in found.quantities if one.finest is not None]:
        among = " among the runs with the most questions" if section.forms[0].unlike else ""
        words = Markup(
            "Each figure is the ratio of a run's threshold to the smallest threshold{}, over the questions that both "
            "runs were asked. For ratios, the spacing is the logarithm. Where a threshold is wider than all spacings "
            "asked, only the bound of the ratio is known. {} marks 95 % intervals by {} that exclude 1. Quantities "
            "are left out if no run has a known threshold, and so are runs without pictures."
        ).format(among, APART, CLUSTER)
        heading = "Comparison with the run of the smallest threshold"
        label = section.label("Thresholds compared with the finest run")
        rows = [
            (row, [_ratio_cell(one, place) for one in compared])
            for place, row in enumerate(found.rows)
            if not _is_blind(row)
        ]
        yield run_table(label, [one.subject.name for one in compared], rows, (words,), heading=heading)
        told = tuple(
            f"{ratio_sentence(one, row.compared.here, finest.compared.here, CLUSTER)}."
            for row, finest, one in found.comparisons
        )
        if told:
            yield Note(told, "ul")
    if found.scales:
        columns = [Column(value, quantity) for quantity, values in found.scales for value in values]
        lines = (
            TableRow((run_cell(row), *(score_cell(row.scores.scales.get(of.group, {}).get(of.name)) for of in columns)))
            for row in found.rows
        )
        words = "Accuracy in percent of questions that state a scale, and of questions that do not."
        label = section.label("Accuracy by scale")
        yield Table(label, (Column("model"), *columns), tuple(lines), (words,), "With and without a stated scale")


def _is_blind(row: RunRow) -> bool:
    """Check whether a run got no pictures, so that it has no threshold."""
    return row.compared.run.looked is False


def _is_above(one: Precision | None) -> bool:
    """Check whether a run without pictures is above chance for a quantity."""
    return one is not None and sight_of(one) not in ("few", "guess")


def _threshold(one: Precision | None, blind: bool) -> Cell:
    if one is None:
        return Cell()
    if blind:
        few = f"too few {CLUSTER}s" if one.fit.low is None else "too few questions"
        words = {"guess": "may be guessing", "few": few}.get(sight_of(one), "above chance")
        return Cell(words, strong=True, small=(f"{one.fit.items} q, {one.fit.clusters} {CLUSTER}s",))
    counts = f"{one.fit.items} q, {one.fit.clusters} {CLUSTER}s"
    # An interval of spacings says nothing about a run that may be guessing.
    small = (counts,) if sight_of(one) == "guess" else (interval_words(one) or f"too few {CLUSTER}s", counts)
    return Cell(threshold_words(one), strong=True, small=small)


def _ratio_cell(quantity: "QuantityThresholds", place: int) -> Cell:
    if quantity.finest == place:
        return Cell("smallest")
    if (found := quantity.ratios[place]) is None:
        return Cell()
    ratio = found.ratio
    apart = "the interval excludes 1" if ratio_differs(ratio) else ""
    counts = f"{ratio.items} q, {ratio.clusters} {CLUSTER}s"
    of = quantity.of_runs[place]
    if ratio.high == math.inf and ratio.low and of is not None and sight_of(of) not in ("within", "finer"):
        return Cell(ratio_range(ratio), strong=True, small=(counts,), apart=apart)
    small = (ratio_range(ratio) or f"too few {CLUSTER}s", counts)
    return Cell(ratio_words(ratio), strong=True, small=small, apart=apart)


def _ratio_data(section: Section, found: "PrecisionOfRuns") -> list[dict[str, Any]]:
    names = [row.compared.name for row in found.rows]
    return [
        one
        for (first, second), ratios in found.pairs.items()
        for one in ratio_data(ratios, names[first], names[second], section.cluster)
    ]


@dataclass(frozen=True)
class QuantityThresholds:
    """The thresholds of all runs for one quantity, with a sentence and a plot.

    The plot is empty if no run was asked enough questions, at two or more spacings.

    ``of_runs`` has one entry for each run. The entry is None if the run has no threshold for this quantity. ``finest``
    is the index of a run, or None if no run has a known threshold or no other run could be compared with it. Among the
    runs with pictures, a known threshold and the most questions, this run has the lowest threshold. ``ratios`` compare
    each run with this run.
    """

    subject: PrecisionSubject
    of_runs: tuple[Precision | None, ...]
    sentence: str
    plot: str
    finest: int | None
    ratios: tuple[PrecisionRatio | None, ...]


@dataclass(frozen=True)
class PrecisionOfRuns:
    """The precision of a benchmark's runs.

    ``scales`` has a pair for each quantity that was asked with and without a stated scale: the quantity, and its values
    of the tag ``scale``. ``pairs`` has the ratios of each run and each later run.
    """

    rows: list[RunRow]
    quantities: list[QuantityThresholds]
    scales: list[tuple[str, list[str]]]
    pairs: Pairs

    @property
    def comparisons(self) -> list[tuple[RunRow, RunRow, PrecisionRatio]]:
        """Return the ratios that differ from 1.

        Each has its run and the run with the smallest threshold.
        """
        return [
            (row, self.rows[one.finest], ratio)
            for one in self.quantities
            for row, ratio in zip(self.rows, one.ratios, strict=True)
            if one.finest is not None and ratio is not None and not _is_blind(row) and ratio_differs(ratio.ratio)
        ]


def make_precision(rows: Sequence[RunRow]) -> PrecisionOfRuns | None:
    """Compare the precision of runs that cover the same variant.

    The result is None if no run has a threshold.
    """
    subjects = sorted({one.subject for row in rows for one in row.scores.precision})
    if not subjects:
        return None
    pairs = {
        (first, second): compare_precision(rows[first].scores, rows[second].scores)
        for first in range(len(rows))
        for second in range(first + 1, len(rows))
    }
    known = [{one.subject: one for one in row.scores.precision} for row in rows]
    quantities = [_quantity(subject, rows, [of.get(subject) for of in known], pairs) for subject in subjects]
    return PrecisionOfRuns(list(rows), quantities, _scales(rows), pairs)


def _quantity(
    subject: PrecisionSubject, rows: Sequence[RunRow], of_runs: Sequence[Precision | None], pairs: Pairs
) -> QuantityThresholds:
    asked = {place: one for place, one in enumerate(of_runs) if one is not None}
    named = [(rows[place].compared.here, one) for place, one in asked.items()]
    seeing = {place: one for place, one in asked.items() if not _is_blind(rows[place])}
    unseeing = asked.keys() - seeing.keys()
    blind = {rows[place].compared.here for place in unseeing}
    known = [place for place, one in seeing.items() if sight_of(one) in ("within", "finer")]
    # A single spacing shows an accuracy, but no precision.
    enough = any(sight_of(one) != "few" and one.widest > one.finest for one in asked.values())
    told = (
        quantity_sentence(named, rows[0].scores.cluster, blind),
        precision_plot(subject, of_runs, unseeing) if enough else "",
    )
    if not known or len(seeing) < 2:
        return QuantityThresholds(subject, tuple(of_runs), *told, None, tuple(None for _ in of_runs))
    finest = min(known, key=lambda place: (-asked[place].fit.items, asked[place].fit.threshold, place))
    ratios = tuple(
        None if one is not None and sight_of(one) == "flat" else _ratio(subject, pairs, place, finest)
        for place, one in enumerate(of_runs)
    )
    return QuantityThresholds(subject, tuple(of_runs), *told, finest, ratios)


def _ratio(subject: PrecisionSubject, pairs: Pairs, place: int, finest: int) -> PrecisionRatio | None:
    """Return the ratio of one run's threshold to the finest run's threshold."""
    found = pairs.get((min(place, finest), max(place, finest)), ())
    one = next((one for one in found if one.subject == subject), None)
    return one if one is None or place < finest else PrecisionRatio(subject, one.ratio.inverse)


def _scales(rows: Sequence[RunRow]) -> list[tuple[str, list[str]]]:
    names = distinct(row.scores.scales for row in rows)
    return [(name, distinct(row.scores.scales.get(name, {}) for row in rows)) for name in names]
