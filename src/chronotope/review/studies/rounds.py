"""Rounds of filtering go on by themselves: when a cell has passed its rounds, a sample of it is inspected again."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload

from chronotope.question import Benchmark, Question
from chronotope.review.store import DROPPED, KEPT, OPEN, Assignment, Database, Item, Member, Person, StudyRow
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.giving import places_of
from chronotope.review.studies.items import QUESTION, base_questions, new_item, scene_of, shown_by
from chronotope.review.studies.study_kinds import FilterRounds

INSPECTION, AGAIN = "inspection", "again"  # the stages after the rounds, with numbers
Cell = tuple[str, str]  # a task, and the kind of scene


def continue_rounds(database: Database, benchmark: Benchmark, name: str, only: Cell | None = None) -> None:
    """Add what follows in each cell whose items are decided: an inspection, or the last round again.

    ``only`` names one cell. Nothing is added twice, so the function can be called at any time.
    """
    questions = base_questions(benchmark)
    places = places_of(questions)
    by_cell: dict[Cell, dict[str, Question]] = {}
    for question in questions:
        by_cell.setdefault((question.task, scene_of(question)), {})[question.id] = question
    for cell in by_cell if only is None else [only]:
        try:
            with database.writing() as session:
                row = session.scalars(select(StudyRow).where(StudyRow.name == name).with_for_update()).one()
                study = checked_study(row.declaration, name)
                assert isinstance(study, FilterRounds)
                _continue_cell(session, row, study, cell, by_cell[cell], places)
        except IntegrityError:  # another process has added the same
            continue


def _continue_cell(
    session: Session,
    row: StudyRow,
    study: FilterRounds,
    cell: Cell,
    questions: dict[str, Question],
    places: dict[str, int],
) -> None:
    """Add the next stage of a cell if everything in it is decided."""
    chosen = select(Item).where(Item.study_id == row.id, Item.task == cell[0]).options(selectinload(Item.after))
    items = [item for item in session.scalars(chosen) if item.target in questions]
    if any(item.state == OPEN for item in items if item.after is None or item.after.state == KEPT):
        return
    dropped = {item.target for item in items if item.state == DROPPED}
    left = [name for name in questions if name not in dropped and any(item.target == name for item in items)]
    inspected: dict[int, list[Item]] = {}
    for item in items:
        if item.stage.startswith(INSPECTION):
            inspected.setdefault(number_of(item.stage), []).append(item)
    again = {number_of(item.stage) for item in items if item.stage.startswith(AGAIN)}
    if not left:
        return
    if len(inspected) == len(again):
        known = {item.target for of in inspected.values() for item in of}
        fresh = [name for name in left if name not in known]
        targets = _sampled(study, cell, fresh or left, len(left), len(inspected))
        stage, shift = f"{INSPECTION} {len(inspected) + 1}", study.rounds
    else:
        last = inspected[len(inspected)]
        failed = sum(item.state == DROPPED for item in last)
        seen = {item.target for item in last}
        targets = [name for name in left if name not in seen]
        if failed <= study.tolerated * len(last) or not targets:
            return
        stage, shift = f"{AGAIN} {len(inspected)}", study.rounds + 1
    _add(session, row, stage, [questions[name] for name in targets], places, shift + len(again))


def number_of(stage: str) -> int:
    """Return the number at the end of a stage's name."""
    return int(stage.rpartition(" ")[2])


def _sampled(study: FilterRounds, cell: Cell, names: Sequence[str], of: int, number: int) -> list[str]:
    """Draw the sample of an inspection: the declared share of the cell, at least one question."""
    text = [ord(letter) for letter in "".join(cell)]
    generator = np.random.default_rng([study.seed, number, *text])
    count = min(len(names), max(1, round(study.inspected * of)))
    return sorted(names[int(place)] for place in generator.permutation(len(names))[:count])


def _add(
    session: Session,
    row: StudyRow,
    stage: str,
    questions: Sequence[Question],
    places: dict[str, int],
    shift: int,
) -> None:
    """Give questions to people: by their place in the ring, shifted, so that somebody else gets them."""
    members = select(Person).join(Member).where(Member.study_id == row.id).order_by(Member.place)
    people = list(session.scalars(members))
    items = [new_item(row, stage, QUESTION, one.id, one, None, scene=scene_of(one)) for one in questions]
    session.add_all(items)
    session.flush()
    for position, (item, one) in enumerate(zip(items, questions, strict=True)):
        person = people[(places[shown_by(one)] + shift) % len(people)]
        session.add(Assignment(item=item, person=person, position=position))
