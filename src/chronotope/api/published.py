"""What the paper of a benchmark's family has published, and what it can be compared with."""

from __future__ import annotations  # loads no other room before it is used

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chronotope.families import family

if TYPE_CHECKING:
    from chronotope.families import Measure, Reference, Share
    from chronotope.question import Benchmark, Question
    from chronotope.report import AgainstTable


def reference_of(benchmark: Benchmark) -> Reference | None:
    """Return the published results of the paper of a benchmark's family, or None if it has none."""
    found = family(benchmark.card.family).paper.reference
    return None if found is None else found()


def shares(benchmark: Benchmark, questions: Sequence[Question]) -> Sequence[Share]:
    """Return the distribution of questions.

    The result is empty if the family of the benchmark defines no distribution.
    """
    chosen = family(benchmark.card.family)
    return () if chosen.paper.composition is None else chosen.paper.composition(questions)


def measures(benchmark: Benchmark, recordings: Sequence[Mapping[str, Any]]) -> Sequence[Measure]:
    """Return the sizes of a benchmark's scenes and clips.

    ``recordings`` are summaries. The result is empty if the family of the benchmark measures nothing.
    """
    chosen = family(benchmark.card.family)
    return () if chosen.paper.measures is None else chosen.paper.measures(recordings)


def printed_tables(reference: Reference) -> tuple[AgainstTable, ...]:
    """Return the published tables of a paper, each with its notes."""
    from chronotope.report import printed_tables as tables  # loads the library for plots

    return tables(reference)
