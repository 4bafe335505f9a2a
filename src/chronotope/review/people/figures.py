"""All figures of a study, for its pages, for JSON and for the terminal."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from chronotope.review.people.decisions import Reviewed, figures_by_reviewer, open_splits, reviewed_items
from chronotope.review.people.kind_figures import kind_figures
from chronotope.review.store import StudyRow
from chronotope.review.studies import HumanBaseline, QualityControl
from chronotope.review.studies.agreement import Agreement, ReviewerFigures, agreement, by_group
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.figure_table import KindFigures


@dataclass(frozen=True)
class StageFigures:
    """The figures of a stage: of all its decided items, and of each task.

    ``waiting`` counts items that lack a verdict, and ``splits`` items that wait for an adjudicator. ``reasons`` counts
    the chosen reasons of rejections.
    """

    name: str
    waiting: int
    splits: int
    overall: Agreement
    tasks: Mapping[str, Agreement]
    reviewers: tuple[ReviewerFigures, ...]
    reasons: Mapping[str, int]

    def plain(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        return {
            "name": self.name,
            "waiting": self.waiting,
            "splits": self.splits,
            "overall": _plain(self.overall),
            "tasks": {name: _plain(one) for name, one in self.tasks.items()},
            "reviewers": [asdict(one) for one in self.reviewers],
            "reasons": dict(self.reasons),
        }


def study_figures(session: Session, study: StudyRow, family_name: str) -> "list[StageFigures | KindFigures]":
    """Compute the figures of a study: of quality control, those of each stage; a human baseline has none.

    ``family_name`` is the family of the benchmark, whose paper may print figures to compare with.
    """
    declared = checked_study(study.declaration, study.name)
    if isinstance(declared, HumanBaseline):
        return []
    if not isinstance(declared, QualityControl):
        return [kind_figures(session, study, declared, family_name)]
    stages: dict[str, list[Reviewed]] = {}
    for one in reviewed_items(session, study):
        stages.setdefault(one.item.stage, []).append(one)
    return [_stage(name, of) for name, of in stages.items()]


def _stage(name: str, items: list[Reviewed]) -> StageFigures:
    judged = [found for one in items if (found := one.judged) is not None]
    reasons: dict[str, int] = {}
    for one in items:
        for verdict in one.verdicts:
            for reason in verdict["reasons"] if verdict is not None else ():
                reasons[reason] = reasons.get(reason, 0) + 1
    return StageFigures(
        name, len(items) - len(judged), len(open_splits(items)), agreement(judged), by_group(judged),
        tuple(figures_by_reviewer(items)), dict(sorted(reasons.items(), key=lambda pair: -pair[1])),
    )  # fmt: skip


def _plain(of: Agreement) -> dict[str, Any]:
    return asdict(of) | {"retention": of.retention, "raw": of.raw}
