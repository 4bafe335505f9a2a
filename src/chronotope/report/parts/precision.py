"""Precision in the report: thresholds of each quantity, compared between runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.evaluate.score import Precision, PrecisionRatio, PrecisionSubject, compare_precision
from chronotope.report.plots.precision_plot import precision_plot
from chronotope.report.runs.run_rows import Row
from chronotope.report.runs.variant_scores import distinct
from chronotope.view.precision import quantity_sentence, ratio_differs, sight_of

Pairs = dict[tuple[int, int], tuple[PrecisionRatio, ...]]


@dataclass(frozen=True)
class QuantityThresholds:
    """The thresholds of all runs for one quantity, with a sentence and a plot.

    The plot is empty if no run was asked enough questions, at two or more spacings.

    ``of_runs`` has one entry for each run. The entry is None if the run has no threshold for this quantity. ``finest``
    is the index of a run, or None if there are fewer than two runs. Among the runs with the most questions, this run
    has the lowest threshold. ``ratios`` compare each run with this run.
    """

    subject: PrecisionSubject
    of_runs: tuple[Precision | None, ...]
    sentence: str
    plot: str
    finest: int | None
    ratios: tuple[PrecisionRatio | None, ...]


@dataclass(frozen=True)
class PrecisionPart:
    """The precision of a benchmark's runs.

    ``scales`` has a pair for each quantity that was asked with and without a stated scale: the quantity, and its values
    of the tag ``scale``. ``pairs`` has the ratios of each run and each later run.
    """

    rows: list[Row]
    quantities: list[QuantityThresholds]
    scales: list[tuple[str, list[str]]]
    pairs: Pairs

    @property
    def comparisons(self) -> list[tuple[Row, Row, PrecisionRatio]]:
        """Return the ratios that differ from 1.

        Each has its run and the run with the smallest threshold.
        """
        return [
            (row, self.rows[one.finest], ratio)
            for one in self.quantities
            for row, ratio in zip(self.rows, one.ratios, strict=True)
            if one.finest is not None and ratio is not None and ratio_differs(ratio.ratio)
        ]


def make_precision(rows: Sequence[Row]) -> PrecisionPart | None:
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
    return PrecisionPart(list(rows), quantities, _scales(rows), pairs)


def _quantity(
    subject: PrecisionSubject, rows: Sequence[Row], of_runs: Sequence[Precision | None], pairs: Pairs
) -> QuantityThresholds:
    asked = {place: one for place, one in enumerate(of_runs) if one is not None}
    named = [(rows[place].compared.here, one) for place, one in asked.items()]
    # A single spacing shows an accuracy, but no precision.
    enough = any(sight_of(one) != "few" and one.widest > one.finest for one in asked.values())
    told = (quantity_sentence(named, rows[0].scores.cluster), precision_plot(subject, of_runs) if enough else "")
    if len(asked) < 2:
        return QuantityThresholds(subject, tuple(of_runs), *told, None, tuple(None for _ in of_runs))
    finest = min(asked, key=lambda place: (-asked[place].fit.items, asked[place].fit.threshold, place))
    ratios = tuple(_ratio(subject, pairs, place, finest) for place in range(len(of_runs)))
    return QuantityThresholds(subject, tuple(of_runs), *told, finest, ratios)


def _ratio(subject: PrecisionSubject, pairs: Pairs, place: int, finest: int) -> PrecisionRatio | None:
    """Return the ratio of one run's threshold to the finest run's threshold."""
    found = pairs.get((min(place, finest), max(place, finest)), ())
    one = next((one for one in found if one.subject == subject), None)
    return one if one is None or place < finest else PrecisionRatio(subject, one.ratio.inverse)


def _scales(rows: Sequence[Row]) -> list[tuple[str, list[str]]]:
    names = distinct(row.scores.scales for row in rows)
    return [(name, distinct(row.scores.scales.get(name, {}) for row in rows)) for name in names]
