"""The pages of reviewers: the next item, the answer before the key, the verdict, and taking it back."""

import secrets
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from chronotope.protocol import option_letters
from chronotope.review.app.page_parts import page
from chronotope.review.app.review_items import last_of, next_of, progress_of, read_work
from chronotope.review.app.review_state import SEEN, Review, Who, inside, own_form
from chronotope.review.app.served_files import clip_reply, frame_reply
from chronotope.review.store import (
    OPEN,
    REJECT,
    VERDICTS,
    add_answer,
    add_verdict,
    undo_verdict,
)
from chronotope.review.studies.items import CASE, SET
from chronotope.review.studies.rounds import continue_rounds
from chronotope.view.asked_page import AskedPage

LONGEST_NOTE, LONGEST_ANSWER = 4000, 2000  # characters
_TEMPLATES = {SET: "rank.html.j2", CASE: "label.html.j2"}


def add_work(app: FastAPI, review: Review) -> None:
    """Add the pages of reviewers to an app."""
    _add_pages(app, review)
    _add_files(app, review)
    _add_answer(app, review)
    _add_verdict(app, review)


def _add_pages(app: FastAPI, review: Review) -> None:
    @app.get("/work")
    def work(who: Annotated[Who, inside(review)]) -> Response:
        with review.database.reading() as session:
            row = next_of(session, who.id)
            return RedirectResponse("/" if row is None else f"/work/{row}/", 303)

    @app.get("/work/{number}/")
    def item(who: Annotated[Who, inside(review)], number: int, request: Request) -> Response:
        with review.database.reading() as session:
            found = read_work(review, session, who, number)
            values = {
                "progress": progress_of(session, who.id),
                "last": last_of(session, who.id, number),
            }
        key = None
        if found.state != OPEN and found.judged and found.shown is not None:  # shown after the answer
            key = {"right": found.right, "expected": found.shown.question.expected}
        reply = HTMLResponse(
            page(
                _TEMPLATES.get(found.kind, "work.html.j2"), work=found, shown=found.shown, key=key, who=who,
                token=review.form_token(who), submission=secrets.token_hex(16), **values,
            )
        )  # fmt: skip
        if review.since(request, who, number) is None:
            reply.set_cookie(**review.seen(who, number))
        return reply


def _add_files(app: FastAPI, review: Review) -> None:
    @app.get("/work/{number}/frames/{name}")
    def frame(who: Annotated[Who, inside(review)], number: int, name: str) -> Response:
        with review.database.reading() as session:
            found = read_work(review, session, who, number)
        if found.shown is None or name.partition(".")[0] not in found.shown.hashes:
            raise HTTPException(404)
        return frame_reply(review.frames, name)

    @app.get("/work/{number}/clips/{path:path}")
    def clip(who: Annotated[Who, inside(review)], number: int, path: str) -> Response:
        with review.database.reading() as session:
            found = read_work(review, session, who, number)
        if path not in found.films:
            raise HTTPException(404)
        return clip_reply(*found.films[path])


def chosen_reply(shown: AskedPage, choice: Sequence[str], text: str) -> str:
    """Return an answer as a model would reply.

    Raises:
        HTTPException: If an option was not offered, or the answer is empty or too long.
    """
    letters = option_letters(len(shown.options)) if shown.options else ()
    chosen = sorted(set(choice))
    if any(letter not in letters for letter in chosen) or (len(chosen) > 1 and not shown.multiple):
        raise HTTPException(422, "This option was not offered.")
    reply = ", ".join(chosen) if letters else text.strip()
    if not 0 < len(reply) <= LONGEST_ANSWER:
        raise HTTPException(422, f"The answer has {len(reply)} characters; expected 1 to {LONGEST_ANSWER}.")
    return reply


def _add_answer(app: FastAPI, review: Review) -> None:
    @app.post("/work/{number}/answer", dependencies=[own_form(review)])
    def answer(
        request: Request,
        who: Annotated[Who, inside(review)],
        number: int,
        revision: Annotated[int, Form()],
        submission: Annotated[str, Form(min_length=32, max_length=40)],
        choice: Annotated[list[str] | None, Form()] = None,
        text: Annotated[str, Form()] = "",
    ) -> Response:
        with review.database.reading() as session:
            found = read_work(review, session, who, number)
        if found.shown is None or found.kind == CASE:
            raise HTTPException(404)
        data: dict[str, Any] = {
            "reply": chosen_reply(found.shown, choice or (), text),
            "seconds": review.seconds(request, who, number),
            "pictures": list(found.shown.hashes),
        }
        if found.judged:  # the key that follows, so that a wrong one shows
            data["key"] = list(found.right)
        add_answer(review.database, number, revision, f"{who.id}-{submission}", data, final=not found.judged)
        return RedirectResponse(f"/work/{number}/" if found.judged else "/work", 303)


def _add_verdict(app: FastAPI, review: Review) -> None:
    @app.post("/work/{number}/verdict", dependencies=[own_form(review)])
    def verdict(
        request: Request,
        who: Annotated[Who, inside(review)],
        number: int,
        revision: Annotated[int, Form()],
        submission: Annotated[str, Form(min_length=32, max_length=40)],
        verdict: Annotated[str, Form()],
        reason: Annotated[list[int] | None, Form()] = None,
        note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
    ) -> Response:
        with review.database.reading() as session:
            found = read_work(review, session, who, number)
        chosen = sorted(set(reason or ()))
        if verdict not in VERDICTS or not found.judged or any(not 0 <= one < len(found.reasons) for one in chosen):
            raise HTTPException(422, "This verdict was not offered.")
        if verdict == REJECT and not chosen and not note.strip():
            raise HTTPException(422, "You reject this: go back, and choose a reason or write a note.")
        reasons = [found.reasons[one] for one in chosen] if verdict == REJECT else []
        seconds = review.seconds(request, who, number)
        data = {"verdict": verdict, "reasons": reasons, "note": note.strip(), "seconds": seconds}
        add_verdict(review.database, number, revision, f"{who.id}-{submission}", data)
        if found.cell is not None:
            continue_rounds(review.database, review.benchmark, found.study, found.cell)
        reply = RedirectResponse(f"/work/{number}/" if "right" in found.facts else "/work", 303)
        reply.delete_cookie(SEEN, f"/work/{number}/")
        return reply

    @app.post("/work/{number}/undo", dependencies=[own_form(review)])
    def undo(
        who: Annotated[Who, inside(review)],
        number: int,
        revision: Annotated[int, Form()],
        submission: Annotated[str, Form(min_length=32, max_length=40)],
    ) -> Response:
        with review.database.reading() as session:
            found = read_work(review, session, who, number)
        if "right" in found.facts or not (found.judged or found.kind in (SET, CASE)):
            raise HTTPException(404)
        undo_verdict(review.database, number, revision, f"{who.id}-{submission}")
        return RedirectResponse(f"/work/{number}/", 303)
