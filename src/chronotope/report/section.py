"""The sections of a report: each section compares the runs of one benchmark.

All sections are computed before any file is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chronotope.question import Benchmark, Profile
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.compared_runs.run_rows import RunRow, make_row
from chronotope.report.compared_runs.variant_scores import Form, make_forms
from chronotope.report.parts import list_parts
from chronotope.report.table import Block, Fold, Part

_PROFILES: dict[Profile, str] = {
    "strict": "known defects of the published rules for questions are mended",
    "paper": "questions as published, with the known defects of their rules",
    "extended": "questions and scenes beyond those of the paper",
}


@dataclass(frozen=True)
class Section:
    """The runs of one benchmark.

    Only runs of the same benchmark can be compared.

    - ``name`` is unique in the report.
    - ``forms`` has the overall scores, by variant. Most reports have only base questions.
    - ``parts`` has the tables and plots by the name of their part, in the order of the page.
    """

    name: str
    benchmark: Benchmark
    rows: list[RunRow]
    forms: list[Form]
    parts: dict[str, Part] = field(default_factory=dict[str, Part])

    @property
    def about(self) -> str:
        """Return the sentences about the benchmark: its size, its profile, and its content."""
        card = self.benchmark.card
        media = ((card.counts.clips, "clip"), (card.counts.pictures, "picture"))
        title = self.rows[0].compared.run.family.title.partition(":")[0]
        on = " and ".join(f"{many:,} {name}{'' if many == 1 else 's'}" for many, name in media if many) or "0 clips"
        return (
            f"{card.counts.questions:,} questions on {on}, family {card.family} ({title}). Profile {card.profile}: "
            f"{_PROFILES[card.profile]}. Hash of the content: {card.content_hash[:12]}."
        )

    @property
    def cluster(self) -> str:
        """Return the family's word for the clusters of the intervals."""
        return self.rows[0].scores.cluster

    @property
    def front(self) -> list[Block]:
        """Return what stands above the folded pieces of the page."""
        return [block for part in self.parts.values() for block in part.front]

    @property
    def folds(self) -> list[Fold]:
        """Return the folded pieces of the page."""
        return [fold for part in self.parts.values() for fold in part.folds]

    def label(self, what: str) -> str:
        """Return the label of a table or a plot of this benchmark."""
        return f"{what}, {self.benchmark.card.name}"


def make_sections(compared: Sequence[Compared]) -> list[Section]:
    """Make one section for each benchmark, in order of first appearance."""
    by_benchmark: dict[str, list[Compared]] = {}
    for one in compared:
        by_benchmark.setdefault(one.benchmark, []).append(one)
    return [_section(runs) for runs in by_benchmark.values()]


def _section(runs: list[Compared]) -> Section:
    rows = [make_row(one) for one in runs]
    section = Section(runs[0].asked, runs[0].run.benchmark, rows, make_forms(rows, runs[0].run.family.tasks))
    made = ((name, module.make(section)) for name, module in list_parts().items())
    section.parts.update({name: part for name, part in made if part is not None})
    return section
