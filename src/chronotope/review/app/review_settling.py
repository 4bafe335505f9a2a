"""The pages of adjudicators: the splits, with the verdicts of both reviewers, and their resolution."""

import secrets
from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from chronotope.review.app.page_parts import page
from chronotope.review.app.review_state import Review, Who, inside, own_form
from chronotope.review.app.review_work import LONGEST_NOTE
from chronotope.review.app.scenarios import scenarios_of
from chronotope.review.app.served_files import clip_reply, frame_reply
from chronotope.review.people import Reviewed, reviewed_items
from chronotope.review.store import SPLIT, VERDICTS, Item, Resolution, StudyRow, add_resolution
from chronotope.review.studies.enrolment import ADJUDICATOR, OWNER
from chronotope.view.asked_page import clip_data

_ROLES = (OWNER, ADJUDICATOR)


def splits(session: Session, number: int | None = None) -> list[tuple[StudyRow, Reviewed]]:
    """Return the items about which reviewers do not agree, the settled ones last; ``number`` selects one item."""
    settled = select(Resolution.item_id)
    chosen = select(Item.study_id, Item.id).where(or_(Item.state == SPLIT, Item.id.in_(settled)))
    by_study: dict[int, list[int]] = {}
    for study, item in session.execute(chosen if number is None else chosen.where(Item.id == number)):
        by_study.setdefault(study, []).append(item)
    found = [
        (study, one)
        for study in session.scalars(select(StudyRow).where(StudyRow.id.in_(by_study)).order_by(StudyRow.id))
        for one in reviewed_items(session, study, by_study[study.id])
    ]
    return sorted(found, key=lambda pair: pair[1].resolution is not None)


def _split(session: Session, number: int) -> tuple[StudyRow, Reviewed]:
    """Find a split by the number of its item.

    Raises:
        HTTPException: If the reviewers of the item agree, or have not all decided.
    """
    found = splits(session, number)
    if not found:
        raise HTTPException(404)
    return found[0]


def waiting_splits(session: Session) -> list[int]:
    """Return the numbers of the items that wait for an adjudicator."""
    return list(session.scalars(select(Item.id).where(Item.state == SPLIT).order_by(Item.id)))


def add_settling(app: FastAPI, review: Review) -> None:
    """Add the pages of adjudicators to an app."""

    @app.get("/splits")
    def every(who: Annotated[Who, inside(review, _ROLES)]) -> Response:
        with review.database.reading() as session:
            found = splits(session)
            left = [one.item.id for _, one in found if one.item.state == SPLIT]
            return HTMLResponse(page("splits.html.j2", found=found, who=who, split=SPLIT, left=left))

    @app.get("/splits/{number}/")
    def item(who: Annotated[Who, inside(review, _ROLES)], number: int) -> Response:
        with review.database.reading() as session:
            study, one = _split(session, number)
            left = waiting_splits(session)
            return HTMLResponse(
                page(
                    "split.html.j2", one=one, study=study, who=who, token=review.form_token(who),
                    submission=secrets.token_hex(16), left=left, **_shown(review, study, one.item),
                )
            )  # fmt: skip

    @app.get("/splits/{number}/frames/{name}")
    def frame(who: Annotated[Who, inside(review, _ROLES)], number: int, name: str) -> Response:
        return frame_reply(review.frames, name)

    @app.get("/splits/{number}/clips/{path:path}")
    def clip(who: Annotated[Who, inside(review, _ROLES)], number: int, path: str) -> Response:
        return clip_reply(review.benchmark, path)

    @app.post("/splits/{number}/settle", dependencies=[own_form(review)])
    def settle(
        who: Annotated[Who, inside(review, _ROLES)],
        number: int,
        revision: Annotated[int, Form()],
        submission: Annotated[str, Form(min_length=32, max_length=40)],
        verdict: Annotated[str, Form()],
        note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
    ) -> Response:
        if verdict not in VERDICTS:
            raise HTTPException(422, "This verdict was not offered.")
        with review.database.reading() as session:
            if session.get(Item, number) is None:
                raise HTTPException(404)
        add_resolution(review.database, number, revision, f"{who.id}-{submission}", who.id, verdict, note.strip())
        with review.database.reading() as session:
            left = waiting_splits(session)
        # The next one after this one; the first again after the last.
        following = next((one for one in left if one > number), left[0] if left else None)
        return RedirectResponse("/splits" if following is None else f"/splits/{following}/", 303)


def _shown(review: Review, study: StudyRow, item: Item) -> dict[str, Any]:
    """Return the question of an item with its key, or the clip of an item."""
    if item.kind == "clip":
        question = review.by_clips[item.target]
        values = {"shown": None, "data": clip_data(review.benchmark, question), "key": None}
        return values | {"scenarios": scenarios_of(review.benchmark, question)}
    shown = review.page_of(study, review.questions[item.target], "")
    key = {"right": shown.right, "expected": shown.question.expected}
    return {"shown": shown, "data": shown.data, "key": key, "scenarios": ()}
