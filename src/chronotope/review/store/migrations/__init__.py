"""Migrations of the storage, for Alembic."""
