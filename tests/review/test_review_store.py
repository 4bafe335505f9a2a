"""The storage: nothing is lost, doubled or overwritten, and its tables are those of the migrations."""

import os
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from people_bench import people_bench

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import BASELINE, CONTROL, begun
from sqlalchemy import select

from chronotope.errors import InputError
from chronotope.question import Benchmark
from chronotope.review.store import (
    ACCEPT,
    DROPPED,
    KEPT,
    OPEN,
    REJECT,
    SPLIT,
    THREADS,
    Assignment,
    Base,
    Database,
    Entry,
    Item,
    Person,
    Resolution,
    StaleError,
    add_answer,
    add_resolution,
    add_verdict,
    open_database,
    undo_verdict,
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return people_bench(tmp_path_factory.mktemp("stored") / "bench")


@pytest.fixture
def database(bench: Benchmark, tmp_path: Path) -> Database:
    return begun(bench, tmp_path / "review", CONTROL)


def pair(database: Database, kind: str = "clip") -> tuple[int, list[tuple[int, int]]]:
    """The first item of a kind, and its assignments with their revisions."""
    with database.reading() as session:
        item = session.scalars(select(Item).where(Item.kind == kind).order_by(Item.id)).first()
        rows = session.scalars(select(Assignment).where(Assignment.item_id == item.id).order_by(Assignment.id)).all()
        return item.id, [(row.id, row.revision) for row in rows]


def state(database: Database, item: int) -> tuple[str, int]:
    with database.reading() as session:
        row = session.get_one(Item, item)
        return row.state, row.revision


def said(verdict: str) -> dict[str, object]:
    return {"verdict": verdict, "reasons": [], "note": "", "seconds": None}


def test_tables_are_those_of_the_migrations(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_only_the_owner_reads_the_storage(database: Database) -> None:
    assert stat.S_IMODE((database.folder / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE(database.folder.stat().st_mode) == 0o700
    assert open_database(database.folder).secret == database.secret


def test_a_commit_is_on_disk(database: Database) -> None:
    with database.engine.connect() as connection:
        settings = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert settings == ["wal", 2]  # 2 is FULL


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [((ACCEPT, ACCEPT), KEPT), ((REJECT, REJECT), DROPPED), ((ACCEPT, REJECT), SPLIT), ((REJECT, ACCEPT), SPLIT)],
)
def test_both_must_accept(database: Database, verdicts: tuple[str, str], expected: str) -> None:
    item, rows = pair(database)
    for (row, revision), verdict in zip(rows, verdicts, strict=True):
        assert state(database, item)[0] == OPEN
        assert add_verdict(database, row, revision, f"s-{row}", said(verdict)).new
    assert state(database, item)[0] == expected


def test_a_form_that_is_sent_twice_makes_one_entry(database: Database) -> None:
    _, [(row, revision), _] = pair(database)
    first = add_verdict(database, row, revision, "same", said(ACCEPT))
    again = add_verdict(database, row, revision, "same", said(ACCEPT))
    assert (first.new, again.new, again.revision) == (True, False, first.revision)
    with pytest.raises(StaleError):  # another tab, with a form of its own
        add_verdict(database, row, revision, "other", said(REJECT))
    with database.reading() as session:
        assert [entry.data["verdict"] for entry in session.scalars(select(Entry))] == [ACCEPT]


def test_a_verdict_can_be_taken_back_until_it_is_settled(database: Database) -> None:
    item, [(one, revision), (other, second)] = pair(database)
    done = add_verdict(database, one, revision, "1", said(REJECT))
    taken = undo_verdict(database, one, done.revision, "2")
    done = add_verdict(database, one, taken.revision, "3", said(ACCEPT))
    add_verdict(database, other, second, "4", said(REJECT))
    assert state(database, item)[0] == SPLIT
    add_resolution(database, item, state(database, item)[1], "5", 1, ACCEPT, "")
    with pytest.raises(StaleError, match="settled"):
        undo_verdict(database, one, done.revision, "6")
    with database.reading() as session:
        kinds = [entry.kind for entry in session.scalars(select(Entry).where(Entry.assignment_id == one))]
    assert kinds == ["verdict", "undo", "verdict"]  # nothing is forgotten


def test_a_question_is_answered_before_it_is_judged(database: Database) -> None:
    _, [(row, revision), _] = pair(database, "question")
    with pytest.raises(StaleError):
        add_verdict(database, row, revision, "1", said(ACCEPT))
    done = add_answer(database, row, revision, "2", {"reply": "B"}, final=False)
    with pytest.raises(StaleError):
        add_answer(database, row, done.revision, "3", {"reply": "C"}, final=False)
    assert add_verdict(database, row, done.revision, "4", said(ACCEPT)).new


def test_of_two_adjudicators_one_is_told_that_it_has_changed(database: Database) -> None:
    item, rows = pair(database)
    for (row, revision), verdict in zip(rows, (ACCEPT, REJECT), strict=True):
        add_verdict(database, row, revision, f"s-{row}", said(verdict))
    _, seen = state(database, item)
    assert add_resolution(database, item, seen, "judy", 2, REJECT, "blurred").new
    with pytest.raises(StaleError):
        add_resolution(database, item, seen, "jack", 3, ACCEPT, "")
    assert not add_resolution(database, item, seen, "judy", 2, REJECT, "blurred").new
    assert add_resolution(database, item, state(database, item)[1], "anew", 3, REJECT, "").new
    with database.reading() as session:
        assert len(session.scalars(select(Resolution)).all()) == 2
    assert state(database, item)[0] == DROPPED


def test_many_at_once_lose_and_double_nothing(bench: Benchmark, database: Database) -> None:
    """Each verdict is sent by two threads at once, of which one wins."""
    with database.reading() as session:
        clips = select(Assignment).join(Item).where(Item.kind == "clip")
        rows = [(row.id, row.revision) for row in session.scalars(clips)]

    def send(number: int) -> int:
        row, revision = rows[number % len(rows)]
        try:
            return add_verdict(database, row, revision, f"thread-{number}", said(ACCEPT)).new
        except StaleError:
            return False

    with ThreadPoolExecutor(8) as pool:
        new = list(pool.map(send, range(4 * len(rows))))
    assert sum(new) == len(rows)
    with database.reading() as session:
        assert len(session.scalars(select(Entry)).all()) == len(rows)
        assert {item.state for item in session.scalars(select(Item).where(Item.kind == "clip"))} == {KEPT}


def test_whoever_waits_to_write_has_no_connection(database: Database) -> None:
    """However many wait, others can read meanwhile, and nobody sleeps while it is the own turn."""

    def write() -> bool:
        with database.writing() as session:
            return session.scalars(select(Person)).first() is not None

    with ThreadPoolExecutor(2 * THREADS) as pool:
        with database.writing() as first:
            assert first.scalars(select(Person)).first() is not None  # now the turn is taken
            waiting = [pool.submit(write) for _ in range(2 * THREADS)]
            while not all(one.running() for one in waiting):
                time.sleep(0.01)
            time.sleep(0.5)  # a thread that takes a connection would have it by now
            assert database.engine.pool.checkedout() == 1
        assert [one.result() for one in waiting] == [True] * len(waiting)


def test_groups_that_must_be_disjoint_are(bench: Benchmark, database: Database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ada: takes part in control, too"):
        begun(bench, database.folder, BASELINE | {"reviewers": ["dora", "ada"]})
    begun(bench, database.folder, BASELINE)
    with database.reading() as session:
        assert len(session.scalars(select(Person)).all()) == 8  # owner, 3 and 2 of control, 2 of people


def test_a_study_that_has_begun_stays_as_it_is(bench: Benchmark, database: Database) -> None:
    with database.reading() as session:
        before = session.scalars(select(Assignment.id)).all()
    begun(bench, database.folder, CONTROL)
    with pytest.raises(InputError, match="another study of this name"):
        begun(bench, database.folder, CONTROL | {"seed": 1})
    with database.reading() as session:
        assert session.scalars(select(Assignment.id)).all() == before


def test_another_version_of_the_benchmark_is_refused(database: Database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another version"):
        begun(people_bench(tmp_path / "other", clips=1), database.folder, CONTROL | {"study": "new"})


@pytest.mark.parametrize("url", ["mysql://host/name", "nonsense", "postgresql://nobody@127.0.0.1:1/none"])
def test_a_database_that_cannot_be_opened_is_told_in_a_sentence(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="--database"):
        open_database(tmp_path / "review", url)


@pytest.fixture
def postgres() -> Iterator[str]:
    """The URL of an empty database of PostgreSQL, which a variable names; skips where it is not set."""
    url = os.environ.get("CHRONOTOPE_TEST_POSTGRES")
    if not url:
        pytest.skip("CHRONOTOPE_TEST_POSTGRES is not set: it is the URL of an empty database of PostgreSQL")
    from sqlalchemy import create_engine, make_url, text

    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    yield url


def test_postgresql_keeps_the_same(bench: Benchmark, tmp_path: Path, postgres: str) -> None:
    database = begun(bench, tmp_path / "review", CONTROL, url=postgres)
    test_many_at_once_lose_and_double_nothing(bench, database)
    item, rows = pair(database, "question")
    for (row, revision), verdict in zip(rows, (ACCEPT, REJECT), strict=True):
        answered = add_answer(database, row, revision, f"a-{row}", {"reply": "B"}, final=False)
        add_verdict(database, row, answered.revision, f"v-{row}", said(verdict))
    assert state(database, item)[0] == SPLIT
    test_tables_are_those_of_the_migrations(database)
