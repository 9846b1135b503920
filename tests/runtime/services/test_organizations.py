"""Making organizations."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.contract import errors
from runtime.services import organizations
from runtime.store import rows
from runtime.store.rows import HOST
from runtime.store.tables.organizations import OrganizationRow, UserRow
from tests import databases


def test_one_person_makes_a_bounded_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(organizations, "MAX_ADMINISTERED", 3)
    with databases.opened(tmp_path) as database, database.transaction(writes=True) as session:
        session.add_all(UserRow(id=name, display_name=name, email=name) for name in ("ada", "eve"))
        session.flush()
        for _ in range(3):
            organizations.create(session, "One", None, "eve")
        with pytest.raises(errors.Conflict, match="administer 3 organizations"):
            organizations.create(session, "One more", None, "eve")
        organizations.create(session, "Hers", None, "ada")
        assert len(rows.every(session, HOST, OrganizationRow)) == 4
