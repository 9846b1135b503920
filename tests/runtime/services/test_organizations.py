"""Making organizations."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.contract import errors
from runtime.services import inviting, membership, organizations, quotas
from runtime.store import rows
from runtime.store.rows import HOST
from runtime.store.tables.invites import InviteLinkRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from tests import databases


def test_one_person_makes_a_bounded_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "MAX_ADMINISTERED", 3)
    with databases.opened(tmp_path) as database, database.transaction(writes=True) as session:
        session.add_all(UserRow(id=name, display_name=name, email=name) for name in ("ada", "eve"))
        session.flush()
        for _ in range(3):
            organizations.create(session, "One", None, "eve")
        with pytest.raises(errors.Conflict, match="at most 3 organizations"):
            organizations.create(session, "One more", None, "eve")
        organizations.create(session, "Hers", None, "ada")
        assert len(rows.every(session, HOST, OrganizationRow)) == 4


def test_nobody_is_made_administrator_of_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "MAX_ADMINISTERED", 1)
    with databases.opened(tmp_path) as database, database.transaction(writes=True) as session:
        session.add_all(UserRow(id=name, display_name=name, email=name) for name in ("ada", "eve"))
        session.flush()
        theirs = organizations.create(session, "Theirs", None, "eve")
        organizations.create(session, "Hers", None, "ada")
        theirs.invite_links = True
        link = InviteLinkRow(organization_id=theirs.id, role="admin", invited_by="eve")
        session.add(link)
        session.flush()
        with pytest.raises(errors.Conflict, match="at most 1 organizations"):
            inviting.join(session, theirs.id, link.id, "ada")
        member = MemberRow(organization_id=theirs.id, user_id="ada", role="edit")
        session.add(member)
        session.flush()
        with pytest.raises(errors.Conflict, match="at most 1 organizations"):
            membership.change_role(session, theirs, member, "admin")
        membership.change_role(session, theirs, member, "create")


def test_who_signs_in_once_at_all_of_theirs_still_administers_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can say of themselves that they sign in at an identity provider, and that provider may be their own."""
    monkeypatch.setattr(quotas, "MAX_ADMINISTERED", 1)
    with databases.opened(tmp_path) as database, database.transaction(writes=True) as session:
        session.add_all(UserRow(id=name, display_name=name, email=name) for name in ("ada", "eve"))
        session.flush()
        hers = organizations.create(session, "Hers", None, "ada")
        own = rows.find(session, HOST, MemberRow, organization_id=hers.id, user_id="ada")
        assert own is not None
        own.sso = True
        theirs = organizations.create(session, "Theirs", None, "eve")
        session.add(MemberRow(organization_id=theirs.id, user_id="ada", role="admin", sso=True, provisioned=True))
        session.flush()
        with pytest.raises(errors.Conflict, match="at most 1 organizations"):
            organizations.create(session, "One more", None, "ada")
        session.delete(own)
        session.flush()
        organizations.create(session, "Another", None, "ada")
