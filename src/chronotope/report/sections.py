"""The sections of a report: each section compares the runs of one benchmark.

All sections are computed before any file is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.families import CheckedStatement, Share
from chronotope.question import Benchmark
from chronotope.report.parts.calibration import CalibrationPart, make_calibration
from chronotope.report.parts.paper_findings import CheckedFinding, check_findings
from chronotope.report.parts.precision import PrecisionPart, make_precision
from chronotope.report.parts.sent_frames import Sent, by_sending
from chronotope.report.parts.shown_media import Ablation, by_input
from chronotope.report.parts.strategies import Strategies, make_strategies
from chronotope.report.parts.two_readers import TwoReaders, two_readers
from chronotope.report.plots.run_plots import position_plot
from chronotope.report.plots.table_plots import Figure, frames_figure, table_figures
from chronotope.report.runs.opened_runs import Compared
from chronotope.report.runs.run_marks import BASE
from chronotope.report.runs.run_rows import Row, make_row
from chronotope.report.runs.run_settings import Fact, facts
from chronotope.report.runs.variant_scores import Form, distinct, make_forms

# The states of a call, and the kinds of a reading; all are counted, including zeros.
STATES = ("replied", "refused", "failed", "missing_media", "not_asked")
MANY = 40  # largest number of values of a tag in a table; more values (such as clips) would be unreadable
READINGS = ("parsed", "unparsed", "truncated", "unjudged", "missing")


@dataclass(frozen=True)
class Section:
    """The runs of one benchmark.

    Only runs of the same benchmark can be compared.

    - ``name`` is unique in the report.
    - ``forms`` has the overall scores, by variant. Most reports have only base questions.
    - ``variants`` is empty if all questions belong to the same variant.
    - ``tags`` has the values of each tag.
    - ``letters`` are the letters of the options. ``positions`` are the letters of correct options, for questions with
      one correct option.
    - ``option_shape`` is the best run of a baseline that uses only the length and the format of the options. Only runs
      of the first form are considered.
    - ``strategies`` compares strategies over the first form, or is None if no run has an accuracy.
    - ``readers`` compares two readers over the first form, or is empty if the authors of the paper published no reader.
    - ``figures`` are the plots of the paper, and the accuracy by number of frames.
    - ``statements`` are the statements of the paper, checked for each run.
    - ``findings`` are the findings of the paper, checked with intervals on one run or on two.
    - ``precision`` has the thresholds over the first form. ``precision`` is None if these questions have no spacings.
    - ``composition`` is the distribution of the benchmark's questions, if the family defines it.
    - ``sent`` compares runs that differ only in how frames were sent.
    - ``inputs`` compares runs that differ only in the media that were shown.
    - ``calibration`` is None if no run has log-probabilities of the letters.
    """

    name: str
    benchmark: Benchmark
    rows: list[Row]
    forms: list[Form]
    variants: list[str]
    tags: dict[str, list[str]]
    letters: list[str]
    positions: list[str]
    circular: bool
    option_shape: Compared | None
    facts: list[Fact]
    position_plot: str | None
    strategies: Strategies | None
    readers: list[TwoReaders]
    figures: list[Figure]
    statements: list[tuple[Row, list[CheckedStatement]]]
    findings: list[CheckedFinding]
    precision: PrecisionPart | None
    sent: list[Sent]
    composition: dict[str, list[Share]]
    inputs: list[Ablation]
    calibration: CalibrationPart | None

    @property
    def cluster(self) -> str:
        """Return the family's word for the clusters of the intervals."""
        return self.rows[0].scores.cluster


def make_sections(compared: Sequence[Compared]) -> list[Section]:
    """Make one section for each benchmark, in order of first appearance."""
    by_benchmark: dict[str, list[Compared]] = {}
    for one in compared:
        by_benchmark.setdefault(one.benchmark, []).append(one)
    return [_section(runs) for runs in by_benchmark.values()]


def _section(runs: list[Compared]) -> Section:
    rows = [make_row(one) for one in runs]
    scores = [row.scores for row in rows]
    forms = make_forms(rows, runs[0].run.family.tasks)
    variants = sorted(distinct(of.variants for of in scores), key=lambda variant: variant != BASE)
    first = [row.compared for row in forms[0].own]
    shapes = [one for one in first if one.run.card.model.startswith("baseline/option-shape")]
    tags = {key: distinct(of.tags.get(key, {}) for of in scores) for key in distinct(of.tags for of in scores)}
    # Only these runs asked each question with the correct option under every letter.
    placed = [(row.plot_name, row.scores.positions) for row in rows if row.scores.circular is not None]
    return Section(
        name=runs[0].asked,
        benchmark=runs[0].run.benchmark,
        rows=rows,
        forms=forms,
        variants=variants if len(variants) > 1 else [],
        tags={key: values for key, values in tags.items() if len(values) <= MANY},
        letters=distinct(of.letters for of in scores),
        positions=sorted(distinct(of.positions for of in scores)),
        circular=bool(placed),
        option_shape=max(shapes, key=lambda one: one.scores.overall.value, default=None),
        facts=facts(runs),
        position_plot=position_plot(*zip(*placed, strict=True)) if placed else None,
        strategies=make_strategies(rows, forms[0].variant, forms[0].tasks),
        readers=two_readers(rows, forms[0].variant),
        figures=[*table_figures(rows), *([frames] if (frames := frames_figure(rows, forms[0].variant)) else [])],
        statements=_statements(rows),
        findings=check_findings(rows),
        precision=make_precision(forms[0].own),
        sent=by_sending(rows),
        composition=_composition(runs[0]),
        inputs=by_input(rows),
        calibration=make_calibration(forms[0].own),
    )


def _composition(one: Compared) -> dict[str, list[Share]]:
    """Return the shares of a benchmark's questions, by group."""
    count = one.run.family.paper.composition
    groups: dict[str, list[Share]] = {}
    for share in () if count is None else count(one.run.benchmark.questions):
        groups.setdefault(share.group, []).append(share)
    return groups


def _statements(rows: Sequence[Row]) -> list[tuple[Row, list[CheckedStatement]]]:
    """Check the statements of the paper for each run."""
    check = rows[0].compared.run.family.paper.statements
    return [] if check is None else [(row, check(row.scores.scored)) for row in rows if row.compared.replied]
