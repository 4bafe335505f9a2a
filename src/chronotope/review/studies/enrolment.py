"""Begin a study: enrol its people, and give them its items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.families import family
from chronotope.models import Limits
from chronotope.question import Benchmark, Question
from chronotope.review.store import Assignment, Database, Item, Member, Person, StudyRow
from chronotope.review.studies.assigning import baseline_order, latin_square, ring
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.giving import Case, give_cases, give_practice, give_rounds, give_sets
from chronotope.review.studies.items import BETWEEN, Clips, base_questions, clips_of, new_item, shown_by
from chronotope.review.studies.study_kinds import (
    Calibration,
    CaseLabels,
    FilterRounds,
    HumanBaseline,
    QualityControl,
    Ranking,
    Study,
)

OWNER, ADJUDICATOR, REVIEWER = "owner", "adjudicator", "reviewer"


@dataclass(frozen=True)
class Enrolled:
    """A study that has begun: the numbers of its people and items, and whether it is new.

    ``each`` has the fewest and the most assignments of a person.
    """

    study: Study
    people: int
    items: int
    assignments: int
    new: bool
    each: tuple[int, int] = (0, 0)


def enrol(database: Database, benchmark: Benchmark, study: Study, cases: Sequence[Case] = ()) -> Enrolled:
    """Begin a study about a benchmark; a study that has begun before stays as it is.

    ``cases`` are the answers that people label, if the study is about answers of a run.

    Raises:
        InputError: If there is another study of this name, the storage is about another version of the benchmark, a
            person takes part in a study from which this one must be disjoint, or there is nothing to give.
    """
    with database.writing() as session:
        there = session.scalar(select(StudyRow).where(StudyRow.name == study.study))
        _check_version(session, benchmark)
        if there is not None:
            if checked_study(there.declaration, study.study) != study:
                raise InputError(f"{study.study}: there is another study of this name", fix="choose another `study:`")
            return _counted(session, there, study, new=False)
        _check_disjoint(session, study)
        row = StudyRow(
            name=study.study, kind=study.kind, declaration=study.model_dump(mode="json"),
            content_hash=benchmark.card.content_hash,
        )  # fmt: skip
        session.add(row)
        people = _people(session, study)
        session.flush()
        session.add_all(
            Member(study_id=row.id, person_id=person.id, place=place) for place, person in enumerate(people)
        )
        _give(session, row, study, benchmark, people, cases)
        session.flush()
        return _counted(session, row, study, new=True)


def _give(
    session: Session,
    row: StudyRow,
    study: Study,
    benchmark: Benchmark,
    people: Sequence[Person],
    cases: Sequence[Case],
) -> None:
    """Make the items of a study, and give them to its people."""
    if isinstance(study, HumanBaseline):
        _give_questions(session, row, study, benchmark, people)
    elif isinstance(study, QualityControl):
        _give_reviews(session, row, study, _reviewed(session, study, benchmark), people)
    elif isinstance(study, FilterRounds):
        give_rounds(session, row, study, _reviewed(session, study, benchmark), people)
    elif isinstance(study, Ranking):
        give_sets(session, row, study, benchmark, people)
    elif isinstance(study, CaseLabels):
        give_cases(session, row, study, cases, people)
    else:
        _check_order(session, study)
        give_practice(session, row, study, base_questions(benchmark), people)


def _check_order(session: Session, study: Calibration) -> None:
    if session.scalar(select(StudyRow.id).where(StudyRow.name == study.before)) is not None:
        raise InputError(
            f"{study.before} has begun already", where=study.study, fix=f"begin {study.study} before {study.before}"
        )


def _reviewed(session: Session, study: QualityControl | FilterRounds, benchmark: Benchmark) -> list[Question]:
    """Return the questions of a review: at most its limit, drawn evenly over tasks."""
    questions = _without_practised(session, study, base_questions(benchmark))
    if study.limit is None or study.limit >= len(questions):
        return questions
    generator = np.random.default_rng(study.seed)
    drawn: list[tuple[int, int]] = []  # the turn within the task, and the place in the benchmark
    turns: dict[str, int] = {}
    for place in map(int, generator.permutation(len(questions))):
        turn = turns.setdefault(questions[place].task, 0)
        drawn.append((turn, place))
        turns[questions[place].task] += 1
    chosen = {place for _, place in sorted(drawn, key=lambda pair: pair[0])[: study.limit]}
    return [question for place, question in enumerate(questions) if place in chosen]


def _without_practised(session: Session, study: Study, questions: Sequence[Question]) -> list[Question]:
    """Leave out the questions on which the people of a study have practised."""
    calibrations = [
        one.id
        for one in session.scalars(select(StudyRow).where(StudyRow.kind == "calibration"))
        if one.declaration["before"] == study.study
    ]
    held_out = set(session.scalars(select(Item.target).where(Item.study_id.in_(calibrations))))
    left = [question for question in questions if question.id not in held_out]
    if not left:
        raise InputError("no question is left besides those of its calibration", where=study.study)
    return left


def _check_version(session: Session, benchmark: Benchmark) -> None:
    known = set(session.scalars(select(StudyRow.content_hash)))
    if known - {benchmark.card.content_hash}:
        raise InputError(
            "the storage has studies about another version of the benchmark",
            where=str(benchmark.folder),
            fix="restore the benchmark, or name another folder with --record",
        )


def _check_disjoint(session: Session, study: Study) -> None:
    """Check that nobody takes part in two studies that must have different people."""
    names = {*study.people, *study.adjudicators}
    for other in session.scalars(select(StudyRow)):
        declared = checked_study(other.declaration, other.name)
        if other.name not in study.disjoint_from and study.study not in declared.disjoint_from:
            continue
        if both := sorted(names & {*declared.people, *declared.adjudicators}):
            raise InputError(
                f"{both[0]}: takes part in {other.name}, too", where=study.study, expected="different people in both"
            )


def _people(session: Session, study: Study) -> list[Person]:
    """Find or add the owner, the adjudicators and the reviewers; return the reviewers."""
    roles = {OWNER: OWNER} | dict.fromkeys(study.adjudicators, ADJUDICATOR) | dict.fromkeys(study.people, REVIEWER)
    there = {person.name: person for person in session.scalars(select(Person))}
    for name, role in roles.items():
        if name not in there:
            there[name] = Person(name=name, role=role)
            session.add(there[name])
        elif there[name].role != role:
            raise InputError(f"{name}: is {there[name].role} already", where=study.study, expected=f"not {role}")
    return [there[name] for name in study.people]


def _give_reviews(
    session: Session, row: StudyRow, study: QualityControl, questions: Sequence[Question], people: Sequence[Person]
) -> None:
    """Make the items of both stages, and give each to two neighbours in the ring."""
    films: dict[Clips, Item] = {}
    groups = _groups(questions, len(people))
    film_groups = {BETWEEN.join(clips_of(one)): group for one, group in zip(questions, groups, strict=True)}
    for stage in study.stages:
        if stage.of == "clips":
            firsts = {clips: question for question in reversed(questions) if (clips := clips_of(question))}
            ordered = [clips for clips in dict.fromkeys(map(clips_of, questions)) if clips]
            items = [new_item(row, stage.name, "clip", BETWEEN.join(clips), firsts[clips]) for clips in ordered]
            films = dict(zip(ordered, items, strict=True))
        else:
            items = [new_item(row, stage.name, "question", one.id, one, films.get(clips_of(one))) for one in questions]
        session.add_all(items)
        session.flush()
        given = ring(groups if stage.of == "questions" else [film_groups[item.target] for item in items], len(people))
        for position, (person, number) in enumerate(given):
            session.add(Assignment(item=items[number], person=people[person], position=position))


def _groups(questions: Sequence[Question], people: int) -> list[str]:
    """Return the group of each question in the ring.

    The group is the task if there are as many tasks as people, and otherwise the clip. The two reviewers of a clip then
    also get its questions, and everybody gets nearly the same number of clips.
    """
    by_task = len({question.task for question in questions}) == people
    return [question.task if by_task else shown_by(question) for question in questions]


def _give_questions(
    session: Session, row: StudyRow, study: HumanBaseline, benchmark: Benchmark, people: Sequence[Person]
) -> None:
    """Give each clip to one person, with all its questions and placements."""
    plan = plan_for(benchmark, study)
    by_task: dict[str, dict[str, None]] = {}
    for question in plan.questions.values():
        by_task.setdefault(question.task, {})[shown_by(question)] = None
    owner = latin_square({task: list(clips) for task, clips in by_task.items()}, len(people), study.clips_per_task)
    items = {
        question.id: new_item(row, "answers", "question", question.id, question)
        for question in plan.questions.values()
        if shown_by(question) in owner
    }
    session.add_all(items.values())
    session.flush()
    for number, person in enumerate(people):
        asks = [
            (ask.id, ask.question) for ask in plan.asks if owner.get(shown_by(plan.questions[ask.question])) == number
        ]
        question_of: Mapping[str, str] = dict(asks)
        generator = np.random.default_rng([study.seed, number])
        for position, name in enumerate(baseline_order(asks, study.apart, generator)):
            session.add(Assignment(item=items[question_of[name]], person=person, ask=name, position=position))


def plan_for(benchmark: Benchmark, study: Study) -> Plan:
    """Plan the asks of a study: those that a model would get.

    A study about answers of a run has the asks of this run; all others have base questions.
    """
    chosen = family(benchmark.card.family)
    given = study.settings if isinstance(study, CaseLabels) else {}
    if isinstance(study, HumanBaseline):
        given = {"placement": study.placement}
    settings = chosen.RunSettings.model_validate(given)
    wanted = Selection() if isinstance(study, CaseLabels) else Selection(variants=("base",))
    return make_plan(benchmark, chosen, settings, wanted, Limits(needs_check=False))


def _counted(session: Session, row: StudyRow, study: Study, *, new: bool) -> Enrolled:
    items = session.scalar(select(func.count(Item.id)).where(Item.study_id == row.id)) or 0
    given = session.scalar(select(func.count(Assignment.id)).join(Item).where(Item.study_id == row.id)) or 0
    people = session.scalar(select(func.count(Member.person_id)).where(Member.study_id == row.id)) or 0
    by_person = session.scalars(
        select(func.count(Assignment.id)).join(Item).where(Item.study_id == row.id).group_by(Assignment.person_id)
    ).all()
    # Whoever has nothing is not among the counts.
    each = (min(by_person) if len(by_person) == people else 0, max(by_person, default=0))
    return Enrolled(study, people, items, given, new, each)
