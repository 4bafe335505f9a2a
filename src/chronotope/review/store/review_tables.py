"""The tables of the storage.

An entry or a resolution is never changed or deleted: a later one replaces it. The revisions of assignments and items
make sure that of two tabs, or of two adjudicators, only one can replace what both have seen.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


def _now() -> datetime:
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """The base of all tables."""

    # SQLAlchemy sets this attribute, and those below, for each class.
    type_annotation_map = {dict[str, Any]: JSON, datetime: DateTime(timezone=True)}  # noqa: RUF012


class StudyRow(Base):
    """A study, with its declaration and the benchmark that it is about."""

    __tablename__ = "study"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60), unique=True)
    kind: Mapped[str] = mapped_column(String(30))
    declaration: Mapped[dict[str, Any]]
    content_hash: Mapped[str] = mapped_column(String(64))
    created: Mapped[datetime] = mapped_column(default=_now)


class Person(Base):
    """Somebody with a role: owner, adjudicator or reviewer.

    ``invitation`` counts the invitations; an older one, and every session that began with it, is no longer valid.
    """

    __tablename__ = "person"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60), unique=True)
    role: Mapped[str] = mapped_column(String(20))
    invitation: Mapped[int] = mapped_column(default=1)
    created: Mapped[datetime] = mapped_column(default=_now)


class Member(Base):
    """The membership of a person in a study, and the person's place in the ring or the square."""

    __tablename__ = "member"
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    place: Mapped[int]
    person: Mapped[Person] = relationship()


class Item(Base):
    """What is reviewed or answered in a stage of a study.

    ``target`` is the path of a clip or the id of a question. ``after`` is the item of an earlier stage that must be
    accepted before. ``state`` is ``open``, ``kept``, ``dropped`` or ``split``, and ``revision`` counts its changes.
    ``facts`` has what the benchmark does not: the clips of a set, the reply of a case, or the right verdict.
    """

    __tablename__ = "item"
    __table_args__ = (UniqueConstraint("study_id", "stage", "target"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    stage: Mapped[str] = mapped_column(String(60))
    kind: Mapped[str] = mapped_column(String(20))
    target: Mapped[str] = mapped_column(Text)
    task: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(String(64))
    facts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    after_id: Mapped[int | None] = mapped_column(ForeignKey("item.id"))
    state: Mapped[str] = mapped_column(String(20), default="open")
    revision: Mapped[int] = mapped_column()
    after: Mapped["Item | None"] = relationship(remote_side="Item.id")
    __mapper_args__ = {"version_id_col": revision}  # noqa: RUF012


class Assignment(Base):
    """An item for a person; ``ask`` is the id of an ask, if the placement of options matters.

    ``state`` is ``open``, ``answered`` or ``done``, and ``revision`` counts its changes.
    """

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("item_id", "person_id", "ask"),
        Index("assignment_of_person", "person_id", "state", "position"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    ask: Mapped[str] = mapped_column(Text, default="")
    position: Mapped[int]
    state: Mapped[str] = mapped_column(String(20), default="open")
    revision: Mapped[int] = mapped_column()
    item: Mapped[Item] = relationship()
    person: Mapped[Person] = relationship()
    entries: Mapped[list["Entry"]] = relationship(order_by="Entry.revision", back_populates="assignment")
    __mapper_args__ = {"version_id_col": revision}  # noqa: RUF012


class Entry(Base):
    """What a person did: ``answer``, ``verdict`` or ``undo``, with its values.

    ``submission`` identifies the form that was sent, so that a form that is sent twice makes one entry.
    """

    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("assignment_id", "revision"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    revision: Mapped[int] = mapped_column()
    kind: Mapped[str] = mapped_column(String(20))
    submission: Mapped[str] = mapped_column(String(64), unique=True)
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime] = mapped_column(default=_now)
    assignment: Mapped[Assignment] = relationship(back_populates="entries")


class Resolution(Base):
    """The decision of an adjudicator about an item that the reviewers do not agree about."""

    __tablename__ = "resolution"
    __table_args__ = (UniqueConstraint("item_id", "revision"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"), index=True)
    revision: Mapped[int] = mapped_column()
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    submission: Mapped[str] = mapped_column(String(64), unique=True)
    verdict: Mapped[str] = mapped_column(String(20))
    note: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime] = mapped_column(default=_now)
    person: Mapped[Person] = relationship()
