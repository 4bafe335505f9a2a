"""The app of ``chronotope review serve``: invitations, sessions, and the pages of all roles."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException as AnyHTTPError

from chronotope.errors import InputError
from chronotope.review.app.page_parts import page
from chronotope.review.app.review_further import add_further
from chronotope.review.app.review_overview import add_overview
from chronotope.review.app.review_settling import add_settling
from chronotope.review.app.review_state import Review
from chronotope.review.app.review_work import add_work
from chronotope.review.app.safety import Guard, session_cookie
from chronotope.review.app.served_files import static_reply
from chronotope.review.store import THREADS, StaleError

_SENTENCES = {403: "You cannot come in", 404: "There is no such page", 422: "This cannot be stored", 429: "Please wait"}


def review_app(review: Review) -> Guard:
    """Make the app of a review."""
    app = FastAPI(openapi_url=None, lifespan=_few_threads)

    @app.get("/static/{version}/{name}")
    def static(version: str, name: str) -> Response:
        return static_reply(name)

    @app.get("/join/{token}")
    def join(token: str, request: Request) -> Response:
        client = request.client.host if request.client is not None else ""
        if not review.attempts.may_try(client):
            raise HTTPException(429, "There were too many wrong invitations from your address. Wait ten minutes.")
        with review.database.reading() as session:
            person = review.invited(session, token)
            if person is None:
                review.attempts.failed(client)
                raise HTTPException(403, "This invitation is not valid, or no longer: ask for a new one.")
            reply = RedirectResponse("/", 303)
            secure = review.url.startswith("https://")
            reply.set_cookie(**session_cookie(review.session_token(person), secure=secure))
            return reply

    add_overview(app, review)
    add_work(app, review)
    add_further(app, review)
    add_settling(app, review)
    _tell_errors(app)
    return Guard(app, review.hosts)


@asynccontextmanager
async def _few_threads(app: FastAPI) -> AsyncIterator[None]:
    """Let as many threads answer requests as the storage has connections; further requests wait in their order."""
    current_default_thread_limiter().total_tokens = THREADS
    yield


def _tell_errors(app: FastAPI) -> None:
    """Show errors as pages with one sentence."""

    @app.exception_handler(AnyHTTPError)
    def tell(request: Request, error: AnyHTTPError) -> HTMLResponse:
        title = _SENTENCES.get(error.status_code, "This did not work")
        sentence = error.detail if error.detail and error.status_code != 404 else "It may belong to somebody else."
        return HTMLResponse(page("told.html.j2", title=title, sentence=sentence), error.status_code)

    @app.exception_handler(RequestValidationError)
    def tell_fields(request: Request, error: RequestValidationError) -> HTMLResponse:
        return HTMLResponse(page("told.html.j2", title=_SENTENCES[422], sentence="A field of the form is wrong."), 422)

    @app.exception_handler(StaleError)
    def tell_stale(request: Request, error: StaleError) -> HTMLResponse:
        sentence = f"Nothing was stored, because {error}. Go back to see what is there now."
        return HTMLResponse(page("told.html.j2", title="It has changed meanwhile", sentence=sentence), 409)

    @app.exception_handler(InputError)
    def tell_input(request: Request, error: InputError) -> HTMLResponse:
        return HTMLResponse(page("told.html.j2", title="This did not work", sentence=str(error)), 500)
