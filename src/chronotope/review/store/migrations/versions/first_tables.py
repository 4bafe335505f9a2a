"""The first tables: studies, people, items, assignments, entries and resolutions."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "study",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(60), nullable=False, unique=True),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("declaration", sa.JSON, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("created", moment, nullable=False),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(60), nullable=False, unique=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("invitation", sa.Integer, nullable=False),
        sa.Column("created", moment, nullable=False),
    )
    op.create_table(
        "member",
        sa.Column("study_id", sa.Integer, sa.ForeignKey("study.id"), primary_key=True),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.id"), primary_key=True),
        sa.Column("place", sa.Integer, nullable=False),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study_id", sa.Integer, sa.ForeignKey("study.id"), nullable=False, index=True),
        sa.Column("stage", sa.String(60), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("words", sa.String(64), nullable=False),
        sa.Column("after_id", sa.Integer, sa.ForeignKey("item.id")),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.UniqueConstraint("study_id", "stage", "target"),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("item.id"), nullable=False, index=True),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.id"), nullable=False),
        sa.Column("ask", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.UniqueConstraint("item_id", "person_id", "ask"),
    )
    op.create_index("assignment_of_person", "assignment", ["person_id", "state", "position"])
    _entries(moment)


def _entries(moment: sa.DateTime) -> None:
    op.create_table(
        "entry",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("submission", sa.String(64), nullable=False, unique=True),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.UniqueConstraint("assignment_id", "revision"),
    )
    op.create_table(
        "resolution",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("item.id"), nullable=False, index=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.id"), nullable=False),
        sa.Column("submission", sa.String(64), nullable=False, unique=True),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.UniqueConstraint("item_id", "revision"),
    )


def downgrade() -> None:
    """Drop all tables."""
    for name in ("resolution", "entry", "assignment", "item", "member", "person", "study"):
        op.drop_table(name)
