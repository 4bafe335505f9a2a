"""What people do to the storage: answer, decide, take back, settle.

Each function makes one transaction. A form that is sent twice changes nothing the second time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from chronotope.review.store.database import Database
from chronotope.review.store.review_tables import Assignment, Base, Entry, Item, Resolution

ACCEPT, REJECT = "accept", "reject"
VERDICTS = (ACCEPT, REJECT)
KEPT, DROPPED, SPLIT, OPEN = "kept", "dropped", "split", "open"  # of an item
ANSWERED, DONE = "answered", "done"  # of an assignment, besides OPEN


class StaleError(Exception):
    """The error for a change to something that has changed since the person saw it."""


@dataclass(frozen=True)
class Done:
    """The result of a change: whether it was new, and the revision after it."""

    new: bool
    revision: int


def add_answer(
    database: Database, assignment: int, revision: int, submission: str, data: dict[str, Any], *, final: bool
) -> Done:
    """Store the answer to an assigned question.

    ``final`` states whether the assignment is done with the answer, because no verdict follows.

    Raises:
        StaleError: If the assignment has another revision, or is answered already.
    """

    def change(session: Session, row: _Before) -> str:
        if row.state != OPEN:
            raise StaleError("this question is answered already")
        return DONE if final else ANSWERED

    return _change(database, assignment, revision, submission, ("answer", data), change)


def add_verdict(database: Database, assignment: int, revision: int, submission: str, data: dict[str, Any]) -> Done:
    """Store the verdict about an assigned item.

    ``data`` has the ``verdict`` (accept or reject), the ``reasons``, the ``note`` and the ``seconds``; of a set of
    clips, it has ``ranks`` and ``fake``, and of a case, ``label``, ``second`` and ``note``.

    Raises:
        StaleError: If the assignment has another revision, or has a verdict already.
    """

    def change(session: Session, row: _Before) -> str:
        if row.state != (ANSWERED if row.kind == "question" else OPEN):
            raise StaleError("this item is decided already")
        return DONE

    return _change(database, assignment, revision, submission, ("verdict", data), change)


def undo_verdict(database: Database, assignment: int, revision: int, submission: str) -> Done:
    """Take a verdict back; the answer to the question stays.

    Raises:
        StaleError: If the assignment has another revision, there is no verdict, or an adjudicator has settled the item.
    """

    def change(session: Session, row: _Before) -> str:
        if row.state != DONE:
            raise StaleError("there is no verdict to take back")
        if session.scalar(select(Resolution.id).where(Resolution.item_id == row.item).limit(1)) is not None:
            raise StaleError("an adjudicator has settled this item")
        return ANSWERED if row.kind == "question" else OPEN

    return _change(database, assignment, revision, submission, ("undo", {}), change)


def add_resolution(
    database: Database, item: int, revision: int, submission: str, person: int, verdict: str, note: str
) -> Done:
    """Settle an item that the reviewers do not agree about, or settle it anew.

    Raises:
        StaleError: If another adjudicator, or a reviewer, has changed the item since ``revision``.
    """
    try:
        with database.writing() as session:
            there = session.scalar(select(Resolution).where(Resolution.submission == submission))
            if there is not None:
                return Done(False, there.revision)
            row = session.get_one(Item, item)
            settled = session.scalar(select(Resolution.id).where(Resolution.item_id == item).limit(1))
            if row.revision != revision or (row.state != SPLIT and settled is None):
                raise StaleError("this item was settled or changed meanwhile")
            # The same state again is a change, too: the revision counts resolutions.
            row.state = OPEN
            session.flush()
            row.state = KEPT if verdict == ACCEPT else DROPPED
            session.flush()
            values = {"item_id": item, "person_id": person, "submission": submission, "verdict": verdict, "note": note}
            session.add(Resolution(**values, revision=row.revision))
            return Done(True, row.revision)
    except (IntegrityError, StaleDataError) as error:
        raise StaleError("this item was settled or changed meanwhile") from error


class _Before(NamedTuple):
    """An assignment before a change: its state and revision, and the number, kind and state of its item."""

    state: str
    revision: int
    item: int
    kind: str
    item_state: str


@cache
def _statements() -> dict[str, Any]:
    """Make the statements of a change, which run while others wait: once, and without objects for the rows."""
    # Of two reviewers who decide at the same moment, the second waits, and then sees the verdict of the first.
    before = select(Assignment.state, Assignment.revision, Item.id, Item.kind, Item.state).join(Assignment.item)
    of_item = Assignment.item_id == bindparam("item")
    number, seen = bindparam("number"), bindparam("seen")
    assignment, item, entry = (Base.metadata.tables[name] for name in ("assignment", "item", "entry"))
    return {
        "sent": select(Entry.revision).where(Entry.submission == bindparam("submission")),
        "before": before.where(Assignment.id == number).with_for_update(of=Item),
        "change": update(assignment).where(assignment.c.id == number, assignment.c.revision == seen),
        "entry": insert(entry),
        "states": select(Assignment.state).where(of_item),
        "said": select(Entry.assignment_id, Entry.kind, Entry.data).join(Entry.assignment)
        .where(of_item, Entry.kind.in_(("verdict", "undo"))).order_by(Entry.revision),
        "item": update(item).where(item.c.id == number).values(revision=item.c.revision + 1),
    }  # fmt: skip


def _change(
    database: Database,
    assignment: int,
    revision: int,
    submission: str,
    entry: tuple[str, dict[str, Any]],
    change: Callable[[Session, _Before], str],
) -> Done:
    """Change an assignment, add the entry, and update the state of its item."""
    made = _statements()
    kind, data = entry
    try:
        with database.writing() as session:
            there = session.scalar(made["sent"], {"submission": submission})
            if there is not None:
                return Done(False, there)
            row = _Before(*session.execute(made["before"], {"number": assignment}).one())
            if row.revision != revision:
                raise StaleError("this was changed in another tab")
            after = {"state": change(session, row), "revision": revision + 1}
            done: Any = session.execute(made["change"], {"number": assignment, "seen": revision, **after})
            if done.rowcount != 1:
                raise StaleError("this was changed in another tab")
            of_entry = {"assignment_id": assignment, "revision": revision + 1, "kind": kind, "data": data}
            session.execute(made["entry"], of_entry | {"submission": submission})
            state = _state(session, row.item)
            if state != row.item_state:
                session.execute(made["item"], {"number": row.item, "state": state})
            return Done(True, revision + 1)
    except IntegrityError as error:
        raise StaleError("this was changed in another tab") from error


def _state(session: Session, item: int) -> str:
    """Return the state of an item, by the verdicts of all its reviewers."""
    made = _statements()
    if any(state != DONE for state in session.scalars(made["states"], {"item": item})):
        return OPEN
    last: dict[int, str | None] = {}  # an answer, ranks or a label without a verdict reject nothing
    rows: Any = session.execute(made["said"], {"item": item})
    for assignment, kind, data in rows:
        last[assignment] = None if kind == "undo" else data.get("verdict")
    said = set(last.values()) - {None}
    return SPLIT if len(said) > 1 else DROPPED if said == {REJECT} else KEPT


def verdict_of(row: Assignment) -> str | None:
    """Return the verdict that counts, or None."""
    data = decided(row)
    return None if data is None else data.get("verdict")


def decided(row: Assignment) -> dict[str, Any] | None:
    """Return the values of the verdict that counts, or None."""
    last = next((entry for entry in reversed(row.entries) if entry.kind in ("verdict", "undo")), None)
    return None if last is None or last.kind == "undo" else last.data


def answered(row: Assignment) -> dict[str, Any] | None:
    """Return the values of the answer, or None."""
    return next((entry.data for entry in row.entries if entry.kind == "answer"), None)
