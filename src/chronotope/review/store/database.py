"""Open the storage: a file of SQLite beside the benchmark, or a database of PostgreSQL, brought up to date."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from chronotope.errors import InputError
from chronotope.io import refuse_links

FILE, SECRET = "review.sqlite", "secret"
PATIENCE = 30  # seconds to wait for another process that writes
THREADS = 16  # of a server, each with its own connection: more of them would only wait for each other
_WRITES = "writes"


@dataclass(frozen=True)
class Database:
    """The storage of the studies about a benchmark; ``secret`` signs invitations and sessions."""

    engine: Engine
    folder: Path
    secret: bytes
    _turn: Lock = field(default_factory=Lock)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session for reading."""
        with Session(self.engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session for writing.

        All changes are on disk when the block ends. After an exception, there are none.
        """
        # SQLite's lock for writing is taken at the start, because a transaction that has read could not wait for it.
        engine = self.engine.execution_options(**{_WRITES: True})
        # Of many threads, one waits for the other here, and has no connection meanwhile: SQLite would let all of them
        # sleep for longer and longer times, until most of them sleep while nobody writes.
        turn = self._turn if engine.dialect.name == "sqlite" else nullcontext()
        with turn, Session(engine) as session, session.begin():
            yield session


def review_folder(benchmark: Path) -> Path:
    """Return the default folder of the storage, beside the benchmark."""
    whole = benchmark.resolve()
    return whole.with_name(f"{whole.name}.review")


def open_database(folder: Path, url: str | None = None) -> Database:
    """Open the storage in a folder; create it, or bring its tables up to date, if necessary.

    ``url`` is the URL of a database of PostgreSQL, such as ``postgresql://user@host/name``; by default, the storage is
    a file of SQLite in ``folder``. Only the owner can read the folder.

    Raises:
        InputError: If the URL is wrong, or the database cannot be opened.
    """
    refuse_links(folder, folder / FILE, folder / SECRET)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        engine = _engine(folder, url)
        _upgrade(engine, folder)
    except (ArgumentError, SQLAlchemyError, ImportError) as error:
        raise InputError(
            f"the database cannot be opened ({str(error).splitlines()[0]})", where=str(folder), fix="check --database"
        ) from error
    return Database(engine, folder, _secret(folder / SECRET))


def _engine(folder: Path, url: str | None) -> Engine:
    if url is not None:
        parsed = make_url(url)
        if parsed.get_backend_name() != "postgresql":
            raise InputError(f"{parsed.get_backend_name()}", where="--database", expected="a URL of PostgreSQL")
        return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_size=THREADS, pool_pre_ping=True)
    engine = create_engine(
        f"sqlite:///{(folder / FILE).absolute()}", pool_size=THREADS, connect_args={"timeout": PATIENCE}
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # SQLAlchemy begins transactions itself, below
        # A commit is on disk before the page says so, even if the power fails.
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _upgrade(engine: Engine, folder: Path) -> None:
    """Bring the tables up to date; only one process does it at a time."""
    from alembic import command
    from alembic.config import Config
    from filelock import FileLock

    config = Config()
    config.set_main_option("script_location", str(files("chronotope.review.store").joinpath("migrations")))
    with FileLock(folder / "upgrade.lock", timeout=PATIENCE), engine.execution_options(**{_WRITES: True}).begin() as of:
        config.attributes["connection"] = of
        command.upgrade(config, "head")


def _secret(path: Path) -> bytes:
    """Read the secret of a storage; make it once."""
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return bytes.fromhex(path.read_text().strip())
    with os.fdopen(made, "w") as file:
        value = secrets.token_bytes(32)
        file.write(value.hex())
    return value
