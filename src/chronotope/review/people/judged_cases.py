"""The labels of a judge model in a study whose people label the same cases."""

from collections.abc import Sequence

from sqlalchemy import select

from chronotope.review.people.decisions import find_study
from chronotope.review.store import Database, Item
from chronotope.review.studies.giving import Case


def keep_judge_labels(database: Database, study: str, cases: Sequence[Case]) -> None:
    """Keep the labels of a judge beside those of people, for the cases that a study has."""
    labels = {one.ask: one.facts["judge"] for one in cases}
    with database.writing() as session:
        row = find_study(session, study)
        for item in session.scalars(select(Item).where(Item.study_id == row.id)):
            label = labels.get(item.target)
            if label is not None and item.facts.get("judge") != label:
                item.facts = {**item.facts, "judge": label}
