"""The server of a review is killed at random moments under load: every acknowledged verdict is there, once."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from people_bench import people_bench

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import begun
from sqlalchemy import select

import chronotope.api as ct
from chronotope.question import Benchmark
from chronotope.review.store import Assignment, Database, Entry, open_database
from service import free_port
from tiers import complete_after

STUDY = {
    "study": "clips", "kind": "quality-control", "reviewers": ["ada", "bob", "cleo", "dora"],
    "stages": [{"name": "clips", "of": "clips", "reasons": ["broken"]}],
}  # fmt: skip
FORM = re.compile(r'name="(token|submission|revision)" value="([^"]*)"')


@contextmanager
def serving(bench: Benchmark, port: int) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, as soon as it answers."""
    command = [sys.executable, "-m", "chronotope.cli", "review", "serve", str(bench.folder), "--no-browser"]
    process = subprocess.Popen(
        [*command, "--port", str(port)], stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        line = process.stderr.readline()
        assert "/join/" in line, line + process.stderr.read()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


class Reviewer(threading.Thread):
    """Somebody who decides and takes back without pause, until the server is gone; what was acknowledged is kept."""

    def __init__(self, invitation: str, person: int, database: Database) -> None:
        super().__init__(daemon=True)
        self.invitation, self.acknowledged, self.person = invitation, [], person
        with database.reading() as session:
            self.rows = session.scalars(select(Assignment.id).where(Assignment.person_id == person)).all()

    def run(self) -> None:
        try:
            with httpx.Client(timeout=30) as client:
                client.get(self.invitation, follow_redirects=True)
                root = self.invitation.partition("/join/")[0]
                while True:
                    for row in self.rows:
                        self.turn(client, f"{root}/work/{row}/")
        except httpx.TransportError:
            return

    def turn(self, client: httpx.Client, page: str) -> None:
        """Decide, or take back; a reply of 303 says that it is stored."""
        shown = client.get(page)
        form = dict(FORM.findall(shown.text))
        what = "undo" if "/undo" in shown.text else "verdict"
        sent = client.post(f"{page}{what}", data=form | {"verdict": "accept"})
        assert sent.status_code == 303, sent.text
        self.acknowledged.append(f"{self.person}-{form['submission']}")


# Fifty kills: three of them run everywhere.
@pytest.mark.drill
@pytest.mark.parametrize(("kills", "seed"), complete_after(1, [(3, 0), *((10, seed) for seed in range(1, 6))]))
def test_no_acknowledged_verdict_is_lost_or_doubled(tmp_path: Path, kills: int, seed: int) -> None:
    bench = people_bench(tmp_path / "bench", clips=6, each=1)
    database = begun(bench, tmp_path / "bench.review", STUDY)
    port, chance = free_port(), random.Random(seed)
    acknowledged: list[str] = []
    for turn in range(kills):
        invited = ct.assign_study(bench, write_study(tmp_path), port=port).invitations
        with serving(bench, port) as process:
            people = [Reviewer(link, number, database) for number, link in enumerate(invited.values(), 1) if number > 1]
            for person in people:
                person.start()
            wanted, since = chance.randint(1, 80), time.monotonic()
            while sum(len(person.acknowledged) for person in people) < wanted and time.monotonic() < since + 60:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            process.wait()
            for person in people:
                person.join(60)
                acknowledged += person.acknowledged
        unacknowledged = check(open_database(database.folder), acknowledged)
        assert unacknowledged <= 3 * (turn + 1)  # those in flight: stored, but the reply was lost
    assert len(acknowledged) > 10 * kills


def write_study(folder: Path) -> Path:
    import yaml

    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY))
    return folder / "study.yaml"


def check(database: Database, acknowledged: list[str]) -> int:
    """Check all entries; return how many were not acknowledged."""
    with database.reading() as session:
        entries = session.scalars(select(Entry)).all()
        stored = [entry.submission for entry in entries]
        assert set(acknowledged) <= set(stored)
        assert len(stored) == len(set(stored))
        of_row: dict[int, list[Entry]] = {}
        for entry in sorted(entries, key=lambda one: one.revision):
            of_row.setdefault(entry.assignment_id, []).append(entry)
        for row, done in of_row.items():
            assert [entry.kind for entry in done] == [("verdict", "undo")[n % 2] for n in range(len(done))], row
            state = session.get_one(Assignment, row)
            assert (state.revision, state.state) == (done[-1].revision, "open" if done[-1].kind == "undo" else "done")
    return len(stored) - len(acknowledged)
