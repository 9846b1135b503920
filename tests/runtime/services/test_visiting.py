"""Signing in to a site while its owners change how visitors do that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import jwt
import pytest
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.services import visiting, visitor_keys
from runtime.services.visitor_keys import BadToken
from runtime.store import rows, visitors
from runtime.store.database import Database, now
from runtime.store.rows import HOST
from runtime.store.secrets import load_keyring, use_keyring
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from tests import databases


@pytest.fixture(params=databases.BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    use_keyring(load_keyring(tmp_path, None))
    with databases.opened(tmp_path, request.param) as database:
        yield database


def unpublish(session: Session, site: SiteRow) -> None:
    site.published = False


@pytest.mark.parametrize("change", [visitor_keys.regenerate, unpublish])
def test_no_session_begins_with_a_key_that_was_changed_meanwhile(
    database: Database, change: Callable[[Session, SiteRow], None]
) -> None:
    organization, site_id = new_id(), new_id()
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(id=organization, title="O", hostname="o"))
        session.flush()
        session.add(SiteRow(id=site_id, organization_id=organization, title="S", published=True))
    with database.transaction(writes=False) as session:
        site = visiting.published(session, site_id)
    assert site is not None
    claims = {"sub": "somebody", "exp": now() + timedelta(minutes=5)}
    signed = visiting.read_token(site, None, jwt.encode(claims, visitor_keys.own_key(site), "HS256"))
    with database.transaction(writes=True) as session:
        visit = visiting.sign_in(session, site, None, signed)
        assert visitors.find_session(session, site_id, None, visit.cookie) is not None
    with database.transaction(writes=True) as session:
        row = rows.find(session, HOST, SiteRow, id=site_id)
        assert row is not None
        change(session, row)
    with database.transaction(writes=True) as session, pytest.raises(BadToken):
        visiting.sign_in(session, site, None, signed)
