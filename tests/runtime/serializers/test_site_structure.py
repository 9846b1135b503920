"""Parts of sites are shown with as many statements for many as for few."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.customization_overrides import OverrideCustomization
from runtime.contract.site_structure import AddGroup, AddSection, AddSiteSpace
from runtime.serializers import site_structure as serializers
from runtime.serializers.view import View
from runtime.services import customizing, published_lookup, site_structure
from runtime.services.published_lookup import Visitor
from runtime.store import migrate, secrets
from runtime.store.content import revisions
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.reach import Reach
from runtime.store.site_structure import parts_of
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

PERSON = Reach("user", user_id="u", roles=frozenset({("o", "edit")}))
AT = Addresses("http://host.example", "http://host.example")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("shown")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    opened = Database(f"sqlite:///{folder / 'host.sqlite'}")
    migrate.migrate(opened)
    with opened.transaction(writes=True) as session:
        session.add(OrganizationRow(id="o", title="O"))
        session.flush()
        for size in (2, 30):
            build(session, size)
    yield opened
    opened.close()


def build(session: Session, size: int) -> None:
    site = SiteRow(id=f"site{size}", organization_id="o", title="Site", published=True)
    spaces = [SpaceRow(id=f"{size}-{number}", organization_id="o", title="S", emoji="") for number in range(2 * size)]
    session.add_all([site, *spaces])
    session.flush()
    for space in spaces:
        revisions.write(session, space.id, Snapshot(), id=space.revision_id)
    for number in range(size):
        section = site_structure.add_section(session, site, AddSection(space_id=f"{size}-{number}"))
        body = AddSiteSpace(space_id=f"{size}-{size + number}", section_id=section.id)
        site_structure.add_space(session, site, body)
        site_structure.add_group(session, site, AddGroup(title="G", sections=[section.id]))
        (part,) = [one for one in parts_of(session, site).spaces if one.space_id == body.space_id]
        customizing.override(session, site, part, OverrideCustomization(title="Other"))


def statements(database: Database, size: int, what: str) -> tuple[int, int]:
    """Tell how many statements it takes, and how many are shown."""
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    with database.transaction(writes=False) as session:
        site = session.get(SiteRow, f"site{size}")
        assert site is not None
        parts = parts_of(session, site)
        session.expunge_all()
        event.listen(database.engine, "before_cursor_execute", note)
        try:
            view = View(session, AT, PERSON)
            shown: Any = {
                "site_spaces": lambda: serializers.site_spaces(view, parts.spaces),
                "sections": lambda: serializers.sections(view, parts.sections),
                "groups": lambda: serializers.groups(view, parts.groups),
                "structure": lambda: serializers.structure(view, site, parts).structure,
                "looks": lambda: customizing.of_spaces(session, site, [part.id for part in parts.spaces]),
                "lookup": lambda: [
                    published_lookup.resolve(
                        session, AT, f"{AT.site(site.id)}x", Visitor(), Reach("visitor"), redirect_on_error=False
                    )
                ],
            }[what]()
        finally:
            event.remove(database.engine, "before_cursor_execute", note)
    return len(asked), len(shown)


@pytest.mark.parametrize("what", ["site_spaces", "sections", "groups", "structure", "looks", "lookup"])
def test_many_take_no_more_statements_than_few(what: str, database: Database) -> None:
    few, many = statements(database, 2, what), statements(database, 30, what)
    assert few[0] == many[0] <= 12
    assert few[1] < many[1] or what == "lookup"
