"""The decisions of people as the records of passes: each reviewer is a model ``person:NAME``."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from chronotope.errors import InputError
from chronotope.question import Benchmark, Question
from chronotope.review.filters import PEOPLE, Decision, PassRecord, words_of
from chronotope.review.store import (
    ACCEPT,
    DROPPED,
    KEPT,
    REJECT,
    SPLIT,
    Assignment,
    Database,
    Item,
    Resolution,
    StudyRow,
    answered,
    decided,
)
from chronotope.review.studies.agreement import Judged
from chronotope.review.studies.items import BETWEEN, base_questions, clips_of

_PASS = {"clip": "clip-review", "question": "question-review"}
_DECIDING = ("quality-control", "filter-rounds")  # the kinds of studies that keep or drop questions
_OUTCOMES: dict[str | None, Literal["keep", "drop", "unanswered"]] = {
    ACCEPT: "keep",
    REJECT: "drop",
    None: "unanswered",
}


@dataclass(frozen=True)
class Reviewed:
    """One item of a study with the verdicts of its reviewers, in the order of the ring, and its resolution.

    A verdict is None if the reviewer has not decided yet. ``answers`` are what they answered before they saw the key;
    clips have none.
    """

    item: Item
    people: tuple[str, ...]
    verdicts: tuple[dict[str, Any] | None, ...]
    answers: tuple[dict[str, Any] | None, ...]
    resolution: Resolution | None

    @property
    def judged(self) -> Judged | None:
        """Return the item for the figures, or None if a verdict is missing."""
        known = [one["verdict"] == ACCEPT for one in self.verdicts if one is not None]
        if len(known) < len(self.verdicts):
            return None
        kept = {KEPT: True, DROPPED: False}.get(self.item.state)
        return Judged(self.item.task, tuple(known), kept)


def find_study(session: Session, name: str | None) -> StudyRow:
    """Find a study by its name; the name can be omitted if there is only one.

    Raises:
        InputError: If there is no such study.
    """
    there = {row.name: row for row in session.scalars(select(StudyRow).order_by(StudyRow.id))}
    if name is None and len(there) == 1:
        return next(iter(there.values()))
    if name not in there:
        known = ", ".join(there) or "a study that `chronotope review assign` has begun"
        raise InputError(f"there is no study {name!r}" if name else "names no study", where="study", expected=known)
    return there[name]


def reviewed_items(session: Session, study: StudyRow, only: Sequence[int] | None = None) -> list[Reviewed]:
    """Read the items of a study with their verdicts; ``only`` selects items by their numbers.

    The questions of clips that are not accepted are left out, because nobody gets them.
    """
    chosen = [Item.study_id == study.id, *([] if only is None else [Item.id.in_(only)])]
    items = session.scalars(select(Item).where(*chosen).order_by(Item.id).options(selectinload(Item.after))).all()
    given: dict[int, list[Assignment]] = defaultdict(list)
    rows = select(Assignment).join(Item).where(*chosen).order_by(Assignment.position)
    loaded = rows.options(selectinload(Assignment.entries), selectinload(Assignment.person))
    for row in session.scalars(loaded):
        given[row.item_id].append(row)
    settled = {
        one.item_id: one
        for one in session.scalars(
            select(Resolution).join(Item, Resolution.item_id == Item.id).where(*chosen)
            .order_by(Resolution.revision).options(selectinload(Resolution.person))
        )
    }  # fmt: skip
    return [
        Reviewed(
            item, tuple(row.person.name for row in given[item.id]), tuple(map(decided, given[item.id])),
            tuple(map(answered, given[item.id])), settled.get(item.id),
        )
        for item in items
        if item.after is None or item.after.state == KEPT
    ]  # fmt: skip


def records_of(database: Database, benchmark: Benchmark, name: str | None) -> list[PassRecord]:
    """Return the decisions of a study as records, which `chronotope.review.filters` merges and applies.

    A decision about a clip is a decision about each of its questions.

    Raises:
        InputError: If there is no such study, or its verdicts are not about questions.
    """
    questions = base_questions(benchmark)
    with database.reading() as session:
        study = find_study(session, name)
        if study.kind not in _DECIDING:
            raise InputError(f"{study.name} is a study of the kind {study.kind}, which rejects nothing", where="study")
        made: dict[tuple[str, str], dict[str, Decision]] = defaultdict(dict)
        for one in reviewed_items(session, study):
            about = _questions_of(one.item, questions)
            for person, verdict in zip(one.people, one.verdicts, strict=True):
                _add(made[_PASS[one.item.kind], person], _decisions(about, verdict))
            if (settled := one.resolution) is not None:
                values = {"verdict": settled.verdict, "reasons": [], "note": settled.note}
                _add(made[PEOPLE[_PASS[one.item.kind]], settled.person.name], _decisions(about, values))
        run = f"review:{study.name}"
    return [PassRecord(name, f"person:{person}", run, tuple(of.values())) for (name, person), of in made.items()]


def _add(made: dict[str, Decision], decisions: Iterable[Decision]) -> None:
    """Add decisions of a person; in rounds, a person can get a question twice, and a rejection stays."""
    for one in decisions:
        if one.question not in made or made[one.question].outcome != "drop":
            made[one.question] = one


def _questions_of(item: Item, questions: Sequence[Question]) -> list[Question]:
    if item.kind == "clip":
        return [question for question in questions if BETWEEN.join(clips_of(question)) == item.target]
    return [question for question in questions if question.id == item.target]


def _decisions(about: Sequence[Question], verdict: dict[str, Any] | None) -> Iterator[Decision]:
    said = verdict or {"verdict": None, "reasons": [], "note": ""}
    reason = "; ".join([*said["reasons"], *([said["note"]] if said["note"] else [])])
    for question in about:
        yield Decision(
            question=question.id, outcome=_OUTCOMES[said["verdict"]], words=words_of(question),
            reason=reason if said["verdict"] == REJECT else "", detail={"note": said["note"]} if said["note"] else {},
        )  # fmt: skip


def open_splits(items: Sequence[Reviewed]) -> list[Reviewed]:
    """Return the items that wait for an adjudicator."""
    return [one for one in items if one.item.state == SPLIT]
