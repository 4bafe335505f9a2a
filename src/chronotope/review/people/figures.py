"""All figures of a study, for its pages, for JSON and for the terminal."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from chronotope.review.people.decisions import Reviewed, open_splits, reviewed_items
from chronotope.review.people.kind_figures import kind_figures
from chronotope.review.people.told_items import against_key, item_lines, matches_key, undecided
from chronotope.review.store import ACCEPT, StudyRow
from chronotope.review.studies import HumanBaseline, QualityControl
from chronotope.review.studies.agreement import Agreement, ReviewerFigures, agreement, by_group, reviewer_figures
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.figure_table import KindFigures


@dataclass(frozen=True)
class StageFigures:
    """The figures of a stage: of all its decided items, and of each task.

    ``waiting`` counts items that lack a verdict, and ``splits`` items that wait for an adjudicator. ``reasons`` counts
    the chosen reasons of rejections. ``undecided`` has the items without a final decision, and why. ``against_key`` has
    the questions that somebody answered otherwise than the key: question, answers, key, state. ``items`` has what each
    reviewer answered and decided about each item.
    """

    name: str
    waiting: int
    splits: int
    overall: Agreement
    tasks: Mapping[str, Agreement]
    reviewers: tuple[ReviewerFigures, ...]
    reasons: Mapping[str, int]
    undecided: Mapping[str, str] = field(default_factory=dict[str, str])
    against_key: tuple[tuple[str, str, str, str], ...] = ()
    items: tuple[Mapping[str, Any], ...] = ()

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
            "undecided": dict(self.undecided),
            "items": [dict(one) for one in self.items],
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
        undecided(items), tuple(against_key(items)), tuple(item_lines(items)),
    )  # fmt: skip


def _plain(of: Agreement) -> dict[str, Any]:
    return asdict(of) | {"retention": of.retention, "raw": of.raw}


def figures_by_reviewer(items: Sequence[Reviewed]) -> list[ReviewerFigures]:
    """Compute the figures of each reviewer over some items."""
    verdicts: dict[str, dict[int, bool]] = defaultdict(dict)
    others: dict[str, dict[int, list[bool]]] = defaultdict(dict)
    seconds: dict[str, list[float]] = defaultdict(list)
    keyed: dict[str, list[bool]] = defaultdict(list)
    for one in items:
        for person, answer in zip(one.people, one.answers, strict=True):
            if (as_key := matches_key(answer)) is not None:
                keyed[person].append(as_key)
        known = {p: v for p, v in zip(one.people, one.verdicts, strict=True) if v is not None}
        for person, verdict in known.items():
            verdicts[person][one.item.id] = verdict["verdict"] == ACCEPT
            others[person][one.item.id] = [v["verdict"] == ACCEPT for other, v in known.items() if other != person]
            if verdict.get("seconds") is not None:
                seconds[person].append(verdict["seconds"])
    return [
        reviewer_figures(name, verdicts[name], others[name], seconds[name], keyed[name]) for name in sorted(verdicts)
    ]
