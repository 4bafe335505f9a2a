"""Alembic's environment: migrations run on the connection that `open_database` has opened."""

from alembic import context

from chronotope.review.store.review_tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
