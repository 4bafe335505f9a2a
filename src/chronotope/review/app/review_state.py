"""What the pages of ``chronotope review serve`` share: the storage, the benchmark, sessions and invitations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import time
from typing import Annotated, Any

from fastapi import Depends, Form, HTTPException, Request
from sqlalchemy.orm import Session

from chronotope.evaluate.plan import Plan
from chronotope.media import FrameCache
from chronotope.question import Benchmark, Question, open_benchmark
from chronotope.review.app.safety import COOKIE, SESSION, Attempts, Tokens, session_cookie
from chronotope.review.store import Database, Person, StudyRow
from chronotope.review.studies import Study
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.enrolment import ADJUDICATOR, OWNER, plan_for
from chronotope.review.studies.items import BETWEEN, clips_of
from chronotope.view.asked_page import AskedPage, asked_page

DAY = 24 * 3600
SEEN = "seen"  # the cookie of an item


@dataclass(frozen=True)
class Who:
    """The person of a session."""

    id: int
    name: str
    role: str

    @property
    def may_settle(self) -> bool:
        """Check whether the person may see all verdicts about splits, and settle them."""
        return self.role in (ADJUDICATOR, OWNER)


@dataclass
class Review:
    """The review of a benchmark while it is served.

    - ``frames`` is a folder for the pictures of the questions.
    - ``hosts`` are the names by which the server is known, and ``url`` is the beginning of its addresses.
    - ``days`` is the time for which an invitation is valid.
    """

    database: Database
    benchmark: Benchmark
    frames: Path
    url: str
    hosts: Sequence[str] = ("127.0.0.1", "localhost")
    days: int = 30
    attempts: Attempts = field(default_factory=Attempts)
    _cache: FrameCache = field(default_factory=FrameCache)
    _plans: dict[str, Plan] = field(default_factory=dict[str, Plan])
    _pages: dict[tuple[str, str], AskedPage] = field(default_factory=dict[tuple[str, str], AskedPage])
    _sources: dict[str, Benchmark] = field(default_factory=dict[str, Benchmark])
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Prepare the tokens."""
        self.tokens = Tokens(self.database.secret)
        self.questions = {question.id: question for question in self.benchmark.questions}
        of_clips = reversed(self.benchmark.questions)  # so that the first question of a clip is kept
        self.by_clips = {BETWEEN.join(clips_of(question)): question for question in of_clips}
        self._declared: dict[int, Study] = {}
        self._studies: dict[int, StudyRow] = {}

    def study(self, session: Session, number: int) -> StudyRow:
        """Return a study, which never changes; read it once."""
        if number not in self._studies:
            row = session.get_one(StudyRow, number)
            session.expunge(row)
            self._studies[number] = row
        return self._studies[number]

    def declared(self, study: StudyRow) -> Study:
        """Return the declaration of a study, which never changes; check it once."""
        if study.id not in self._declared:
            self._declared[study.id] = checked_study(study.declaration, study.name)
        return self._declared[study.id]

    def invitation(self, person: Person) -> str:
        """Return the address by which a person comes in."""
        token = self.tokens.sign("invitation", {"person": person.id, "invitation": person.invitation})
        return f"{self.url}/join/{token}"

    def invited(self, session: Session, token: str) -> Person | None:
        """Return the person of an invitation, or None if it is forged, too old or replaced."""
        return self._person(session, self.tokens.read("invitation", token, self.days * DAY))

    def session_token(self, person: Person) -> str:
        """Return the cookie of a person's session."""
        return self.tokens.sign("session", {"person": person.id, "invitation": person.invitation})

    def who(self, request: Request) -> Who | None:
        """Return the person of a request's session, or None; the storage is asked once for each request."""
        if not hasattr(request.state, "who"):
            found = self.tokens.read("session", request.cookies.get(COOKIE, ""), SESSION)
            with self.database.reading() as session:
                person = self._person(session, found)
                request.state.who = None if person is None else Who(person.id, person.name, person.role)
        return request.state.who

    def _person(self, session: Session, found: Any) -> Person | None:
        if not isinstance(found, dict) or not isinstance(found.get("person"), int):
            return None
        person = session.get(Person, found["person"])
        return person if person is not None and person.invitation == found.get("invitation") else None

    def plan_of(self, study: Study) -> Plan:
        """Return the plan of a study's asks; make it once."""
        with self._lock:
            if study.study not in self._plans:
                self._plans[study.study] = plan_for(self.benchmark, study)
            return self._plans[study.study]

    def page_of(self, study: StudyRow, question: Question, ask: str) -> AskedPage:
        """Return the page of a question.

        ``ask`` is the id of an ask with its placement, or empty for the published placement.
        """
        declared = self.declared(study)
        plan = self.plan_of(declared)
        key = (study.name, ask or question.id)
        if key not in self._pages:
            of_question = [one for one in plan.asks if one.question == question.id]
            found = next((one for one in of_question if one.id == ask), of_question[0])
            self._pages[key] = asked_page(
                self.benchmark, found, question, plan.parts(found), self.frames, self._cache,
                clips=getattr(declared, "clip", True),
            )  # fmt: skip
        return self._pages[key]

    def source(self, folder: str | None) -> Benchmark:
        """Return the benchmark of a source of clips; open it once."""
        if folder is None:
            return self.benchmark
        with self._lock:
            if folder not in self._sources:
                self._sources[folder] = open_benchmark(Path(folder))
            return self._sources[folder]

    def since(self, request: Request, who: Who, assignment: int) -> float | None:
        """Return the time (s) at which a person saw an item first, or None.

        The browser keeps it, signed, in a cookie of the item, so that it outlives the server.
        """
        found = self.tokens.read("seen", request.cookies.get(SEEN, ""), SESSION)
        is_own = isinstance(found, dict) and (found.get("person"), found.get("item")) == (who.id, assignment)
        return float(found["at"]) if is_own else None

    def seconds(self, request: Request, who: Who, assignment: int) -> float | None:
        """Return the time since a person saw an item first."""
        since = self.since(request, who, assignment)
        return None if since is None else round(max(0.0, time() - since), 2)

    def seen(self, who: Who, assignment: int) -> dict[str, Any]:
        """Return the parameters of the cookie with the time at which a person sees an item first."""
        value = self.tokens.sign("seen", {"person": who.id, "item": assignment, "at": round(time(), 2)})
        secure = self.url.startswith("https://")
        return session_cookie(value, secure=secure) | {"key": SEEN, "path": f"/work/{assignment}/"}

    def form_token(self, who: Who) -> str:
        """Return the token of a person's forms."""
        return self.tokens.form(str(who.id))


def inside(review: Review, roles: Sequence[str] = ()) -> Any:
    """Return the dependency that gives the person of a request; an empty list lets every role in."""

    def check(request: Request) -> Who:
        found = review.who(request)
        if found is None:
            raise HTTPException(403, "Open the address of your invitation again.")
        if roles and found.role not in roles:
            raise HTTPException(404)  # as if there were nothing
        return found

    return Depends(check)


def own_form(review: Review) -> Any:
    """Return the dependency that accepts only the forms that a person got from us."""

    def check(request: Request, token: Annotated[str, Form()] = "") -> None:
        found = review.who(request)
        if found is None or not review.tokens.is_form(str(found.id), token):
            raise HTTPException(403, "This form is too old: load the page again.")

    return Depends(check)
