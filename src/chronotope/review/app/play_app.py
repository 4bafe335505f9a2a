"""The pages of ``chronotope play``: one question after the other, and at the end the own accuracy beside the runs."""

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from chronotope.errors import InputError
from chronotope.evaluate.run import HumanRun
from chronotope.evaluate.score import RunResults
from chronotope.media import FrameCache
from chronotope.review.app.page_parts import page
from chronotope.review.app.safety import COOKIE, SESSION, Guard, Tokens, session_cookie
from chronotope.review.app.served_files import clip_reply, frame_reply, static_reply
from chronotope.review.people import ALL, beside_runs
from chronotope.view.answers import asked_state
from chronotope.view.asked_page import AskedPage, asked_page

_ONLY = "only"  # the session of the person who started the server


@dataclass
class Play:
    """A person's run while it is played.

    - ``others`` are the runs beside which the own accuracy is shown.
    - ``frames`` is a folder for the pictures of the questions.
    - With ``reveal``, the truth is shown after each answer, which then cannot be changed.
    - ``ended`` is set when the person has finished.
    """

    run: HumanRun
    others: Sequence[RunResults]
    frames: Path
    reveal: bool = False
    hosts: Sequence[str] = ("127.0.0.1", "localhost")
    ended: threading.Event = field(default_factory=threading.Event)
    tokens: Tokens = field(default_factory=lambda: Tokens(secrets.token_bytes(32)))
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    skipped: list[str] = field(default_factory=list[str])
    _cache: FrameCache = field(default_factory=FrameCache)
    _pages: dict[str, AskedPage] = field(default_factory=dict[str, AskedPage])
    _since: dict[str, float] = field(default_factory=dict[str, float])

    def page_of(self, name: str) -> AskedPage:
        """Return the page of an ask; make it if it was not shown yet."""
        plan, planned = self.run.plan, self.run.planned.get(name)
        if planned is None:
            raise HTTPException(404)
        if name not in self._pages:
            ask = planned.ask
            self._pages[name] = asked_page(
                plan.benchmark, ask, plan.questions[ask.question], plan.parts(ask), self.frames, self._cache,
                clips=self.run.clip,
            )  # fmt: skip
        return self._pages[name]

    def begin(self, name: str) -> None:
        """Note that an ask is shown."""
        self._since.setdefault(name, monotonic())

    def seconds(self, name: str) -> float | None:
        """Return the time since an ask was shown first."""
        since = self._since.get(name)
        return None if since is None else monotonic() - since

    def everywhere(self) -> dict[str, Any]:
        """Return the values that all pages need: the progress, and the token of the forms."""
        progress = {"done": len(self.run.answered), "total": len(self.run.planned)}
        return {"progress": progress, "token": self.tokens.form(_ONLY)}

    def truth(self, name: str) -> dict[str, Any]:
        """Return the state of an answer, and the truth, for the page after an answer."""
        answered = self.run.result_of(name)
        return {
            "state": asked_state(self.run.results(), answered),
            "right": self.page_of(name).right,
            "expected": answered.question.expected,
            "reply": self.run.reply_to(name),
        }


def play_app(play: Play) -> Guard:
    """Make the app of a person's run.

    The person comes in by the address with the key (``/start?key=…``), which is printed in the terminal.
    """
    app = FastAPI(openapi_url=None)
    _add_files(app, play)
    _add_pages(app, play)
    _add_posts(app, play)

    @app.exception_handler(InputError)
    def tell(request: Request, error: InputError) -> HTMLResponse:
        return HTMLResponse(page("told.html.j2", title="This did not work", sentence=str(error)), 409)

    return Guard(app, play.hosts)


def _person(play: Play) -> Any:
    """Return the dependency that lets only the person who started the server in."""

    def check(request: Request) -> None:
        found = play.tokens.read("session", request.cookies.get(COOKIE, ""), SESSION)
        if found != _ONLY:
            raise HTTPException(403, "Open the address that the terminal shows.")

    return Depends(check)


def _form(play: Play) -> Any:
    """Return the dependency that accepts only the forms of our own pages."""

    def check(token: Annotated[str, Form()] = "") -> None:
        if not play.tokens.is_form(_ONLY, token):
            raise HTTPException(403, "This form is too old: load the page again.")

    return Depends(check)


def _add_files(app: FastAPI, play: Play) -> None:
    benchmark = play.run.plan.benchmark

    @app.get("/static/{version}/{name}")
    def static(version: str, name: str) -> Response:
        return static_reply(name)

    @app.get("/frames/{name}", dependencies=[_person(play)])
    def frame(name: str) -> Response:
        return frame_reply(play.frames, name)

    @app.get("/clips/{path:path}", dependencies=[_person(play)])
    def clip(path: str) -> Response:
        if not play.run.clip:
            raise HTTPException(404)
        return clip_reply(benchmark, path)

    @app.get("/start")
    def start(key: str = "") -> Response:
        if not secrets.compare_digest(key.encode(), play.key.encode()):
            raise HTTPException(403, "Open the address that the terminal shows.")
        reply = RedirectResponse("/", 303)
        reply.set_cookie(**session_cookie(play.tokens.sign("session", _ONLY), secure=False))
        return reply


def _add_pages(app: FastAPI, play: Play) -> None:
    @app.get("/", dependencies=[_person(play)])
    def question(told: str | None = None, again: str | None = None) -> Response:
        name = told or again or play.run.next_ask(play.skipped)
        if name is None:
            return RedirectResponse("/results", 303)
        shown = play.page_of(name)
        before = play.run.reply_to(name)
        if told is not None and (before is None or not play.reveal):
            return RedirectResponse("/", 303)
        play.begin(name)
        last = play.run.last_answered
        values = {
            "shown": shown, "before": before, "again": again is not None, "reveal": play.reveal,
            "truth": None if told is None else play.truth(name), "last": None if play.reveal else last,
        }  # fmt: skip
        return HTMLResponse(page("play.html.j2", **values, **play.everywhere()))

    @app.get("/results", dependencies=[_person(play)])
    def results() -> Response:
        own = play.run.results()
        rows = beside_runs(own, play.others)
        tasks = [name for name in rows[0].values if name != ALL] if rows else []
        values = {
            "rows": rows, "tasks": sorted(tasks), "everything": ALL, "folder": str(play.run.folder),
            "left": play.run.next_ask(play.skipped) is not None, "cluster": own.family.cluster,
            "chance": rows[0].values[ALL].chance if rows else None,
        }  # fmt: skip
        return HTMLResponse(page("results.html.j2", **values, **play.everywhere()))


def _add_posts(app: FastAPI, play: Play) -> None:
    safe = [_person(play), _form(play)]

    @app.post("/answer", dependencies=safe)
    def answer(
        ask: Annotated[str, Form()],
        choice: Annotated[list[str] | None, Form()] = None,
        text: Annotated[str, Form()] = "",
        again: Annotated[bool, Form()] = False,
    ) -> Response:
        shown = play.page_of(ask)
        letters = [option.letter for option in shown.options]
        chosen = sorted(set(choice or ()))
        if any(letter not in letters for letter in chosen) or (len(chosen) > 1 and not shown.multiple):
            raise HTTPException(422, "This option was not offered.")
        reply = ", ".join(chosen) if letters else text
        play.run.answer(
            ask, reply, shown.hashes, play.seconds(ask), {"asked": "person"}, again=again and not play.reveal
        )
        return RedirectResponse(f"/?{urlencode({'told': ask})}" if play.reveal else "/", 303)

    @app.post("/skip", dependencies=safe)
    def skip(ask: Annotated[str, Form()]) -> Response:
        play.page_of(ask)
        if ask in play.skipped:
            play.skipped.remove(ask)
        play.skipped.append(ask)
        return RedirectResponse("/", 303)

    @app.post("/stop", dependencies=safe)
    def stop() -> Response:
        threading.Timer(0.3, play.ended.set).start()  # after this reply
        return HTMLResponse(
            page("told.html.j2", title="Finished", sentence="All answers are stored. You can close this page.")
        )
