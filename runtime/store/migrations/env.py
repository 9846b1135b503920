"""Runs migrations over the connection that `migrate` opened."""

from __future__ import annotations

from alembic import context

from runtime.store import epochs, followed, schema  # noqa: F401 - all tables
from runtime.store.database import Table

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=[Table.metadata, epochs.metadata, followed.metadata],
    render_as_batch=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
