"""People of no organization: those who have left nothing behind go, and nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from runtime.background import purging
from runtime.background.purging import Purger
from runtime.contract.identifiers import new_id
from runtime.store import organizations, rows, schema, secrets, tokens
from runtime.store.blobs.store import open_blobs
from runtime.store.database import Database
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.organizations import MemberRow, TokenRow, UserRow
from tests import databases

NAMING = [
    key.parent
    for table in schema.TABLES
    for key in table.__table__.foreign_keys
    if key.column is UserRow.__table__.c.id  # type: ignore[attr-defined]
]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path) as opened:
        yield opened


def _purge(store: Database) -> int:
    return Purger(store, open_blobs(store, "/nonexistent"), keep_events=2000).purge_orphaned_users()


def _people(store: Database) -> set[str]:
    with store.transaction(writes=False) as session:
        return {row.id for row in rows.every(session, HOST, UserRow)}


def _make(store: Database, count: int) -> list[str]:
    ids = [new_id() for _ in range(count)]
    with store.transaction(writes=True) as session:
        session.execute(insert(UserRow), [{"id": one, "display_name": "P", "email": f"{one}@e.com"} for one in ids])
    return ids


def test_who_was_let_in_and_removed_again_leaves_nothing(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purging, "USER_BATCH", 20)
    with store.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
    _make(store, 50)
    stays, has_token, published = _make(store, 3)
    with store.transaction(writes=True) as session:
        session.add(MemberRow(organization_id=made.organization, user_id=stays, role=None))
        session.add(TokenRow(user_id=has_token, digest=tokens.new_token()[1]))
        about: dict[str, Any] = {"name": "x", "organization_id": made.organization, "version_id": "v", "version": 1}
        about |= {"visibility": "private", "target": "all", "title": "X", "manifest": {"scopes": []}}
        integration = IntegrationRow(**about)
        session.add(integration)
        session.flush()
        version: dict[str, Any] = {"integration_id": integration.id, "number": 1, "published_by": published}
        session.add(VersionRow(id="v", runtime="v1", entry="", script="", secrets={}, report={}, **version))
    assert [_purge(store) for _ in range(4)] == [20, 20, 10, 0]
    with store.transaction(writes=False) as session:
        admin = rows.find(session, HOST, MemberRow, organization_id=made.organization, role="admin")
    assert admin is not None
    assert _people(store) == {admin.user_id, stays, has_token, published}


def test_a_host_without_members_keeps_its_people(store: Database) -> None:
    made = _make(store, 3)
    assert _purge(store) == 0
    assert _people(store) == set(made)


def test_every_column_that_names_a_person_is_indexed() -> None:
    """Else each person who goes would have a table read whole."""
    for column in NAMING:
        table: Any = column.table
        first = {next(iter(index.columns)) for index in table.indexes} | {next(iter(table.primary_key.columns))}
        assert column in first, f"{table.name}.{column.name}"
