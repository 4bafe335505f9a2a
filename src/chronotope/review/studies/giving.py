"""Give items of the further kinds of studies to people: rounds, sets of clips, cases, and practice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from chronotope.errors import InputError
from chronotope.question import Benchmark, Question, open_benchmark
from chronotope.review.store import ACCEPT, REJECT, Assignment, Item, Person, StudyRow
from chronotope.review.studies.items import CASE, QUESTION, SET, new_item, scene_of, shown_by
from chronotope.review.studies.study_kinds import Calibration, CaseLabels, FilterRounds, Ranking, Source

ROUND, PRACTICE = "round", "practice"
WRONG_KEY = "its key had been replaced by a wrong option"


@dataclass(frozen=True)
class Case:
    """An answer of a run that people label: the id of its ask, and what they see besides the question.

    ``facts`` has the reply and its reasoning and, hidden from people, the label of a judge model.
    """

    ask: str
    question: Question
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


def give_rounds(
    session: Session, row: StudyRow, study: FilterRounds, questions: Sequence[Question], people: Sequence[Person]
) -> None:
    """Give each question to one person in each round, and to somebody else in the next one."""
    before: list[Item | None] = [None] * len(questions)
    places = places_of(questions)
    for number in range(study.rounds):
        stage = f"{ROUND} {number + 1}"
        items = [
            new_item(row, stage, QUESTION, one.id, one, after, scene=scene_of(one))
            for one, after in zip(questions, before, strict=True)
        ]
        session.add_all(items)
        session.flush()
        for position, (item, one) in enumerate(zip(items, questions, strict=True)):
            person = people[(places[shown_by(one)] + number) % len(people)]
            session.add(Assignment(item=item, person=person, position=position))
        before = list(items)


def places_of(questions: Sequence[Question]) -> dict[str, int]:
    """Number what the questions show, so that the questions of a clip go to the same people."""
    return {shown: place for place, shown in enumerate(dict.fromkeys(map(shown_by, questions)))}


def give_sets(session: Session, row: StudyRow, study: Ranking, benchmark: Benchmark, people: Sequence[Person]) -> None:
    """Draw the sets, and give all of them to everybody, each in an order of their own."""
    generator = np.random.default_rng(study.seed)
    drawn = [_drawn(source, study.sets, benchmark, generator) for source in study.sources]
    items: list[Item] = []
    for number in range(study.sets):
        clips = [of[number] for of in drawn]
        target = f"set {number + 1:0{len(str(study.sets))}}"
        about = {"kind": SET, "target": target, "task": "", "words": "", "facts": {"clips": clips}}
        items.append(Item(study_id=row.id, stage="sets", state="open", **about))
    session.add_all(items)
    session.flush()
    for number, person in enumerate(people):
        own = np.random.default_rng([study.seed, number])
        for position, place in enumerate(own.permutation(len(items))):
            order = ",".join(str(source) for source in own.permutation(len(study.sources)))
            session.add(Assignment(item=items[int(place)], person=person, ask=order, position=position))


def _drawn(source: Source, count: int, benchmark: Benchmark, generator: np.random.Generator) -> list[str]:
    """Draw clips of a source without replacement.

    Raises:
        InputError: If the source has too few clips.
    """
    of = benchmark if source.benchmark is None else open_benchmark(Path(source.benchmark))
    paths = sorted(path for path, file in of.media.items() if file.kind == "video" and fnmatchcase(path, source.clips))
    if len(paths) < count:
        raise InputError(
            f"{source.name} has {len(paths)} clips {source.clips!r} in {of.folder}", where="sources",
            expected=f"at least {count}, one for each set",
        )  # fmt: skip
    return [paths[int(place)] for place in generator.permutation(len(paths))[:count]]


def give_cases(
    session: Session, row: StudyRow, study: CaseLabels, cases: Sequence[Case], people: Sequence[Person]
) -> None:
    """Give each case to some people.

    Raises:
        InputError: If there are no cases.
    """
    if not cases:
        command = "errors" if study.kind == "error-labels" else "judge-check"
        raise InputError(
            f"{study.study} is about the answers of a run", where="study",
            fix=f"begin it with `chronotope review {command} RUN`",
        )  # fmt: skip
    order = np.random.default_rng(study.seed).permutation(len(cases))
    items = [
        new_item(row, "labels", CASE, cases[place].ask, cases[place].question, None,
                 scene=scene_of(cases[place].question), question=cases[place].question.id, **cases[place].facts)
        for place in order
    ]  # fmt: skip
    session.add_all(items)
    session.flush()
    for position, item in enumerate(items):
        for rater in range(study.raters):
            person = people[(position + rater) % len(people)]
            session.add(Assignment(item=item, person=person, ask=item.target, position=position))


def give_practice(
    session: Session, row: StudyRow, study: Calibration, questions: Sequence[Question], people: Sequence[Person]
) -> None:
    """Give the same items with known verdicts to everybody, in an order of their own.

    Raises:
        InputError: If there are too few questions, or an item names another question.
    """
    by_id = {question.id: question for question in questions}
    if unknown := [one.question for one in study.known if one.question not in by_id]:
        raise InputError(f"there is no base question {unknown[0]!r}", where="known")
    chosen = {one.question for one in study.known}
    fit = [one for one in questions if one.id not in chosen and len(one.answer) == 1 and len(one.options) > 1]
    generator = np.random.default_rng(study.seed)
    wanted = study.intact + study.planted
    if len(fit) < wanted or wanted + len(chosen) >= len(questions):
        # Some questions must be left for the study that follows.
        raise InputError(
            f"{len(fit)} questions with one right option are there", where=study.study,
            expected=f"more than {wanted}, the number of intact and planted ones",
        )  # fmt: skip
    drawn = [fit[int(place)] for place in generator.permutation(len(fit))[:wanted]]
    items = [
        new_item(
            row, PRACTICE, QUESTION, one.question, by_id[one.question], None, right=one.verdict, because=one.because
        )
        for one in study.known
    ]
    for number, one in enumerate(drawn):
        if number < study.intact:
            items.append(new_item(row, PRACTICE, QUESTION, one.id, one, None, right=ACCEPT, because=""))
            continue
        others = [index for index in range(len(one.options)) if index not in one.answer]
        key = [others[int(generator.integers(len(others)))]]
        items.append(new_item(row, PRACTICE, QUESTION, one.id, one, None, right=REJECT, because=WRONG_KEY, key=key))
    session.add_all(items)
    session.flush()
    for number, person in enumerate(people):
        own = np.random.default_rng([study.seed, number])
        for position, place in enumerate(own.permutation(len(items))):
            session.add(Assignment(item=items[int(place)], person=person, position=position))
