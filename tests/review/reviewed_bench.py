"""Studies about the benchmark of people's pages, and visitors of their app."""

import re
from pathlib import Path
from typing import Any

import yaml
from starlette.testclient import TestClient

from chronotope.question import Benchmark
from chronotope.review.app.review_app import review_app
from chronotope.review.app.review_state import Review
from chronotope.review.store import Database, Person, open_database
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.enrolment import enrol

URL = "http://127.0.0.1:8765"
CONTROL = yaml.safe_load("""
study: control
kind: quality-control
reviewers: [ada, bob, cleo]
adjudicators: [judy, jack]
stages:
  - {name: clips, of: clips, reasons: [broken, boring]}
  - {name: questions, of: questions, reasons: [the key is wrong, ambiguous]}
""")
BASELINE = yaml.safe_load("""
study: people
kind: human-baseline
reviewers: [dora, ed]
placement: rotate
apart: 2
disjoint_from: [control]
""")


def begun(bench: Benchmark, folder: Path, *studies: dict[str, Any], url: str | None = None) -> Database:
    """A storage in which some studies have begun."""
    database = open_database(folder, url)
    for study in studies:
        enrol(database, bench, checked_study(study, "test"))
    return database


def review_of(database: Database, bench: Benchmark, tmp_path: Path, **how: Any) -> Review:
    frames = tmp_path / "frames"
    frames.mkdir(exist_ok=True)
    return Review(database, bench, frames, URL, **how)


class Visitor:
    """Somebody with a browser, who has come in by an invitation if there is a name."""

    def __init__(self, review: Review, name: str | None = None) -> None:
        self.review = review
        self.client = TestClient(review_app(review), base_url=URL)
        if name is not None:
            assert self.client.get(self.invitation(name)).status_code == 200

    def invitation(self, name: str) -> str:
        from sqlalchemy import select

        with self.review.database.reading() as session:
            return self.review.invitation(session.scalars(select(Person).where(Person.name == name)).one())

    def get(self, path: str, **how: Any) -> Any:
        return self.client.get(path, **how)

    def forms(self, page: str) -> dict[str, str]:
        """The hidden fields of the main form of a page."""
        return dict(re.findall(r'<input type="hidden" name="(token|submission|revision)" value="([^"]*)"', page))

    def next(self) -> Any:
        """The next item, or the first page if there is none."""
        return self.client.get("/work")

    def decide(self, verdict: str = "accept", choice: str = "B", **fields: Any) -> Any:
        """Answer the next item if it is a question, and decide about it; the reply to the last form."""
        page = self.next()
        if "/answer" in page.text:
            page = self.client.post(f"{page.url.path}answer", data=self.forms(page.text) | {"choice": choice})
            if "/verdict" not in page.text:
                return page
        form = self.forms(page.text) | {"verdict": verdict} | fields
        return self.client.post(f"{page.url.path}verdict", data=form)

    def decide_all(self, **fields: Any) -> int:
        """Decide about everything that is there now, and count it."""
        done = 0
        while "/work/" in self.next().url.path:
            assert self.decide(**fields).status_code == 200
            done += 1
        return done
