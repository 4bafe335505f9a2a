"""The answers of a human baseline as a run of the model ``human/STUDY``."""

from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import HumanRequest, begin_human_run
from chronotope.question import Benchmark
from chronotope.review.people.decisions import find_study
from chronotope.review.store import Assignment, Database, Item, answered
from chronotope.review.studies import HumanBaseline
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.enrolment import plan_for


def write_human_run(database: Database, benchmark: Benchmark, name: str, out: Path, *, partial: bool) -> Path:
    """Write the run of all people of a human baseline; return its folder.

    Each answer names its person. Writing the same run again adds new answers.

    Raises:
        InputError: If answers are missing, and ``partial`` is false.
    """
    with database.reading() as session:
        study = find_study(session, name)
        declared = checked_study(study.declaration, study.name)
        rows = select(Assignment).join(Item).where(Item.study_id == study.id).order_by(Assignment.id)
        loaded = list(session.scalars(rows.options(selectinload(Assignment.entries), selectinload(Assignment.person))))
        given = [(row.ask, row.item.target, row.person.name, answered(row)) for row in loaded]
    missing = sum(answer is None for *_, answer in given)
    if missing and not partial:
        raise InputError(f"{missing} of {len(given)} answers are missing", where=name, fix="wait, or add --partial")
    assert isinstance(declared, HumanBaseline)
    plan = plan_for(benchmark, declared)
    questions = tuple(dict.fromkeys(question for _, question, _, _ in given))
    request = HumanRequest(
        benchmark, plan.family, name, plan.settings, Selection(questions=questions), out, clip=declared.clip
    )
    with begin_human_run(request) as run:
        for ask, _, person, answer in given:
            if answer is not None:
                run.answer(ask, answer["reply"], answer["pictures"], answer["seconds"], {"asked": f"person:{person}"})
    return out
