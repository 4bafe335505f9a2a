"""The posts of rankings and of labels."""

from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from chronotope.review.app.review_items import Work, read_work
from chronotope.review.app.review_state import SEEN, Review, Who, inside, own_form
from chronotope.review.app.review_work import LONGEST_NOTE
from chronotope.review.store import add_verdict
from chronotope.review.studies.items import CASE, SET


def add_further(app: FastAPI, review: Review) -> None:
    """Add the posts of rankings and of labels to an app."""

    @app.post("/work/{number}/ranks", dependencies=[own_form(review)])
    def ranks(
        request: Request,
        who: Annotated[Who, inside(review)],
        number: int,
        revision: Annotated[int, Form()],
        submission: Annotated[str, Form(min_length=32, max_length=40)],
        rank: Annotated[list[int], Form(max_length=1000)],
        fake: Annotated[list[str], Form(max_length=100)],
    ) -> Response:
        found = _found(review, who, number, SET)
        data = {"ranks": ranks_of(found, rank), "fake": fakes_of(found, fake)}
        data["seconds"] = review.seconds(request, who, number)
        return _stored(review, who, number, revision, submission, data)

    @app.post("/work/{number}/label", dependencies=[own_form(review)])
    def label(
        request: Request,
        who: Annotated[Who, inside(review)],
        number: int,
        revision: Annotated[int, Form()],
        submission: Annotated[str, Form(min_length=32, max_length=40)],
        label: Annotated[int, Form()],
        second: Annotated[str, Form()] = "",
        note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
    ) -> Response:
        found = _found(review, who, number, CASE)
        names = [one.name for one in found.labels]
        if not 0 <= label < len(names) or second not in ("", *names) or second == names[label]:
            raise HTTPException(422, "This label was not offered.")
        data = {"label": names[label], "second": second or None, "note": note.strip()}
        data["seconds"] = review.seconds(request, who, number)
        return _stored(review, who, number, revision, submission, data)


def _found(review: Review, who: Who, number: int, kind: str) -> Work:
    """Read an assigned item of a kind.

    Raises:
        HTTPException: If there is no such item.
    """
    with review.database.reading() as session:
        found = read_work(review, session, who, number)
    if found.kind != kind:
        raise HTTPException(404)
    return found


def _stored(
    review: Review, who: Who, number: int, revision: int, submission: str, data: dict[str, Any]
) -> RedirectResponse:
    add_verdict(review.database, number, revision, f"{who.id}-{submission}", data)
    reply = RedirectResponse("/work", 303)
    reply.delete_cookie(SEEN, f"/work/{number}/")
    return reply


def ranks_of(work: Work, given: list[int]) -> dict[str, dict[str, int]]:
    """Return the rank of each source on each axis.

    The form has the ranks axis by axis, in the order of the clips.

    Raises:
        HTTPException: If an axis does not have each rank once.
    """
    count = len(work.order)
    if len(given) != count * len(work.axes):
        raise HTTPException(422, "A rank is missing.")
    made: dict[str, dict[str, int]] = {}
    for place, axis in enumerate(work.axes):
        ranks = given[place * count : (place + 1) * count]
        if sorted(ranks) != list(range(1, count + 1)):
            raise HTTPException(422, f"Give each rank once for {axis}: there are no ties.")
        made[axis] = dict(zip(work.order, ranks, strict=True))
    return made


def fakes_of(work: Work, given: list[str]) -> dict[str, bool]:
    """Return whether each source was judged fake; the form has a letter with the judgement for each clip.

    Raises:
        HTTPException: If a judgement is missing.
    """
    said = dict(one.split(" ", 1) for one in given if " " in one)
    if set(said) != set(work.letters) or len(given) != len(said) or not set(said.values()) <= {"real", "fake"}:
        raise HTTPException(422, "Say for each clip whether it is real or fake.")
    return {name: said[letter] == "fake" for letter, name in zip(work.letters, work.order, strict=True)}
