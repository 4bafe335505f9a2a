"""What a person has to do: the next item, the progress, and an item with everything that its page shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fastapi import HTTPException
from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased, contains_eager, joinedload

from chronotope.protocol import option_letters
from chronotope.question import Benchmark, Question
from chronotope.review.app.review_state import Review, Who
from chronotope.review.app.scenarios import Scenario, scenarios_of
from chronotope.review.store import DONE, KEPT, OPEN, SPLIT, Assignment, Item, StudyRow, answered, decided
from chronotope.review.studies import Calibration, FilterRounds, QualityControl, Ranking
from chronotope.review.studies.items import CASE, CLIP
from chronotope.review.studies.study_kinds import CaseLabels, Label, Study
from chronotope.view.asked_page import AskedPage, clip_data, film_data, films_data


@dataclass(frozen=True)
class Work:
    """An assigned item, read from the storage, with everything that its page shows.

    - ``shown`` is None for clips. ``judged`` states whether a verdict follows the answer.
    - ``films`` maps the path of each clip in the page to its benchmark and its path there.
    - ``cell`` is the task and the kind of scene, in rounds of filtering.
    - ``right`` are the letters of the key that people are shown; ``told`` is what they learn after practice.
    """

    id: int
    revision: int
    state: str
    study: str
    stage: str
    kind: str
    judged: bool
    shown: AskedPage | None
    data: Mapping[str, Any]
    films: Mapping[str, tuple[Benchmark, str]]
    answer: dict[str, Any] | None
    verdict: dict[str, Any] | None
    facts: Mapping[str, Any]
    question: Question | None = None
    reasons: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    axes: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    cell: tuple[str, str] | None = None
    right: tuple[str, ...] = ()
    told: Mapping[str, Any] | None = None
    scenarios: tuple[Scenario, ...] = field(default=())

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the letters of the clips of a set, in the order shown."""
        return option_letters(len(self.order))


@cache
def _active() -> Any:
    """Select the assignments of a person that wait for nothing.

    An item can wait for an earlier stage, and a study for the practice before it. The statement and those that follow
    are made once, because making one takes longer than its execution.
    """
    earlier = aliased(Item)
    return (
        select(Assignment).join(Item, Assignment.item_id == Item.id)
        .outerjoin(earlier, Item.after_id == earlier.id)
        .where(
            Assignment.person_id == bindparam("person"),
            or_(Item.after_id.is_(None), earlier.state == KEPT),
            Item.study_id.not_in(_unpractised()),
        )
        .options(contains_eager(Assignment.item), joinedload(Assignment.entries))
    )  # fmt: skip


def _unpractised() -> Any:
    """Select the studies for which a person has to practise first."""
    practice, of_practice, given = aliased(StudyRow), aliased(Item), aliased(Assignment)
    names = (
        select(practice.declaration["before"].as_string())
        .join(of_practice, of_practice.study_id == practice.id).join(given, given.item_id == of_practice.id)
        .where(practice.kind == "calibration", given.person_id == bindparam("person"), given.state != DONE)
    )  # fmt: skip
    return select(StudyRow.id).where(StudyRow.name.in_(names))


@cache
def _statements() -> dict[str, Any]:
    active = _active()
    numbers = active.with_only_columns(Assignment.id).limit(1)
    other = [Assignment.state == DONE, Assignment.id != bindparam("number")]
    return {
        "next": numbers.where(Assignment.state != DONE).order_by(Item.study_id, Assignment.position, Assignment.id),
        "last": numbers.where(*other).order_by(Item.study_id.desc(), Assignment.position.desc()),
        "counts": active.with_only_columns(Assignment.state, func.count(Assignment.id)).group_by(Assignment.state),
        "one": active.where(Assignment.id == bindparam("number")),
    }


def next_of(session: Session, person: int) -> int | None:
    """Return the number of a person's next assignment, or None."""
    return session.scalar(_statements()["next"], {"person": person})


def last_of(session: Session, person: int, number: int = 0) -> int | None:
    """Return the number of the last assignment that a person has done, besides ``number``, or None."""
    return session.scalar(_statements()["last"], {"person": person, "number": number})


def progress_of(session: Session, person: int) -> dict[str, Any]:
    """Count the items of a person: all that can be decided now, and the decided ones."""
    rows: Any = session.execute(_statements()["counts"], {"person": person})
    counts: dict[str, int] = {row[0]: row[1] for row in rows}
    return {"done": counts.get(DONE, 0), "total": sum(counts.values())}


def later_of(session: Session, person: int) -> int:
    """Count the items of a person that wait for a clip that is not decided yet."""
    earlier = aliased(Item)
    waiting = (
        select(func.count(Assignment.id)).join(Item, Assignment.item_id == Item.id)
        .join(earlier, Item.after_id == earlier.id)
        .where(Assignment.person_id == person, earlier.state.in_((OPEN, SPLIT)))
    )  # fmt: skip
    return session.scalar(waiting) or 0


def read_work(review: Review, session: Session, who: Who, number: int) -> Work:
    """Read an assigned item.

    Raises:
        HTTPException: If the item is not assigned to this person, or waits for something. All look the same.
    """
    row = session.scalars(_statements()["one"], {"person": who.id, "number": number}).unique().first()
    if row is None:
        raise HTTPException(404)
    study = review.study(session, row.item.study_id)
    declared = review.declared(study)
    return Work(
        id=row.id, revision=row.revision, state=row.state, study=study.name, stage=row.item.stage, kind=row.item.kind,
        judged=isinstance(declared, QualityControl | FilterRounds | Calibration), answer=answered(row),
        verdict=decided(row), facts=row.item.facts, **_of_kind(review, study, declared, row),
    )  # fmt: skip


def _of_kind(review: Review, study: StudyRow, declared: Study, row: Assignment) -> dict[str, Any]:
    """Return what an item shows, by its kind."""
    item = row.item
    if isinstance(declared, Ranking):
        return _set(review, declared, item, row.ask)
    if item.kind == CLIP:
        question = review.by_clips[item.target]
        values = {"shown": None, "data": clip_data(review.benchmark, question), "question": question}
        values["scenarios"] = scenarios_of(review.benchmark, question)
    else:
        question = review.questions[item.facts["question"] if item.kind == CASE else item.target]
        shown = review.page_of(study, question, row.ask)
        values = {"shown": shown, "data": shown.data, "question": question, "right": _key(shown, item.facts)}
    values["films"] = {film["path"]: (review.benchmark, film["path"]) for film in values["data"]["clips"]}
    if isinstance(declared, CaseLabels):
        return values | {"labels": declared.labels}
    if isinstance(declared, Calibration) and row.state == DONE:
        values["told"] = {"right": item.facts["right"], "because": item.facts["because"]}
    if isinstance(declared, FilterRounds):
        values["cell"] = (item.task, item.facts["scene"])
    return values | {"reasons": _reasons(declared, item.stage)}


def _key(shown: AskedPage, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the letters of the key that people see, which practice may have replaced."""
    if "key" not in facts:
        return shown.right
    return tuple(
        option.letter for option, index in zip(shown.options, shown.ask.placement, strict=True) if index in facts["key"]
    )


def _reasons(declared: Study, stage: str) -> tuple[str, ...]:
    if isinstance(declared, QualityControl):
        return next((one.reasons for one in declared.stages if one.name == stage), ())
    return declared.reasons if isinstance(declared, FilterRounds | Calibration) else ()


def _set(review: Review, declared: Ranking, item: Item, ask: str) -> dict[str, Any]:
    """Return the clips of a set in the order of this person; only their letters leave the server."""
    order = [int(place) for place in ask.split(",")]
    letters = option_letters(len(order))
    films: dict[str, tuple[Benchmark, str]] = {}
    data: list[dict[str, Any]] = []
    for letter, place in zip(letters, order, strict=True):
        benchmark, path = review.source(declared.sources[place].benchmark), item.facts["clips"][place]
        films[letter] = (benchmark, path)
        data.append(film_data(benchmark, path, f"clips/{letter}") | {"path": letter, "label": letter, "blind": True})
    return {
        "shown": None, "data": films_data(data), "films": films, "axes": declared.axes,
        "order": tuple(declared.sources[place].name for place in order),
    }  # fmt: skip
