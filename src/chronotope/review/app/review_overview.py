"""The first page of everybody, and the pages of the owner: progress, figures, people and their invitations."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import FastAPI, Form, HTTPException
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chronotope.review.app.page_parts import page
from chronotope.review.app.review_items import last_of, later_of, progress_of
from chronotope.review.app.review_settling import waiting_splits
from chronotope.review.app.review_state import Review, Who, inside, own_form
from chronotope.review.people.figures import study_figures
from chronotope.review.store import DONE, Assignment, Item, Member, Person, StudyRow
from chronotope.review.studies.enrolment import OWNER


def add_overview(app: FastAPI, review: Review) -> None:
    """Add the first page, and the pages of the owner, to an app."""

    @app.get("/")
    def first(who: Annotated[Who, inside(review)]) -> Response:
        with review.database.reading() as session:
            values: dict[str, Any] = {"progress": progress_of(session, who.id), "studies": [], "waiting": []}
            values["later"] = later_of(session, who.id)
            values["last"] = last_of(session, who.id)
            if who.may_settle:
                values["waiting"] = waiting_splits(session)
            if who.role == OWNER:
                values["studies"] = [_progress(session, study) for study in session.scalars(select(StudyRow))]
            return HTMLResponse(page("first.html.j2", who=who, benchmark=review.benchmark.card.name, **values))

    @app.get("/studies/{name}")
    def study(who: Annotated[Who, inside(review, [OWNER])], name: str) -> Response:
        with review.database.reading() as session:
            row = session.scalar(select(StudyRow).where(StudyRow.name == name))
            if row is None:
                raise HTTPException(404)
            figures = study_figures(session, row, review.benchmark.card.family)
            people = [(person, review.invitation(person)) for person in _everybody(session, row)]
            return HTMLResponse(
                page(
                    "study.html.j2", who=who, figures=figures, study=row, people=people, days=review.days,
                    token=review.form_token(who), **_progress(session, row),
                )
            )  # fmt: skip

    @app.post("/people/{number}/renew", dependencies=[own_form(review)])
    def renew(
        who: Annotated[Who, inside(review, [OWNER])], number: int, study: Annotated[str, Form()] = ""
    ) -> Response:
        with review.database.writing() as session:
            person = session.get(Person, number)
            if person is None or person.role == OWNER:
                raise HTTPException(404)
            person.invitation += 1
            known = session.scalar(select(StudyRow.name).where(StudyRow.name == study))
        return RedirectResponse("/" if known is None else f"/studies/{quote(known)}#people", 303)


def _everybody(session: Session, study: StudyRow) -> list[Person]:
    """Return the reviewers of a study, and all adjudicators."""
    members = select(Person).join(Member).where(Member.study_id == study.id).order_by(Member.place)
    others = select(Person).where(Person.role == "adjudicator").order_by(Person.name)
    return [*session.scalars(members), *session.scalars(others)]


def _progress(session: Session, study: StudyRow) -> dict[str, Any]:
    """Count the decided assignments of each person in a study."""
    rows = session.execute(
        select(Person.name, Assignment.state, func.count(Assignment.id))
        .join(Assignment, Assignment.person_id == Person.id).join(Item).where(Item.study_id == study.id)
        .group_by(Person.name, Assignment.state)
    )  # fmt: skip
    counts: dict[str, dict[str, int]] = {}
    for name, state, count in rows:
        counts.setdefault(name, {"done": 0, "total": 0})["total"] += count
        counts[name]["done"] += count if state == DONE else 0
    whole = {key: sum(one[key] for one in counts.values()) for key in ("done", "total")}
    return {"name": study.name, "kind": study.kind, "by_person": counts, "progress": whole}
