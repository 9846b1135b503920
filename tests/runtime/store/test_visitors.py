"""Visitors who are signed in: of a site there are only so many."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from runtime.contract.identifiers import new_id
from runtime.store import visitors
from runtime.store.database import Database, now
from runtime.store.secrets import load_keyring, use_keyring
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from tests import databases


@pytest.fixture(params=databases.BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    use_keyring(load_keyring(tmp_path, None))
    with databases.opened(tmp_path, request.param) as database:
        yield database


def test_who_signed_in_longest_ago_is_signed_out_where_there_are_too_many(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "MAX_SESSIONS", 3)
    monkeypatch.setattr(visitors, "SELDOM", 1)
    organization, full, other = new_id(), new_id(), new_id()
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(id=organization, title="O", hostname="o"))
        session.flush()
        session.add_all(SiteRow(id=site, organization_id=organization, title="S") for site in (full, other))
    until = now() + timedelta(hours=1)

    def sign_in(site: str) -> str:
        with database.transaction(writes=True) as session:
            return visitors.open_session(session, site, None, {"sub": "somebody"}, until)

    elsewhere = sign_in(other)
    values = [sign_in(full) for _ in range(6)]
    with database.transaction(writes=False) as session:
        found = [visitors.find_session(session, full, None, value) is not None for value in values]
        assert found == [False, False, False, True, True, True]
        assert visitors.find_session(session, other, None, elsewhere) is not None
