"""A column with the facts of an item that the benchmark does not have: its clips, its case, or its right verdict."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the items of earlier studies have no such facts."""
    op.add_column("item", sa.Column("facts", sa.JSON, nullable=False, server_default="{}"))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("item", "facts")
