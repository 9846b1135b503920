"""A visitor sees the site they came to while it is published, what it is made of, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from runtime.store import levels, rows, schema
from runtime.store.database import Table
from runtime.store.reach import Reach
from runtime.store.tables.sites import PartOfSite, SiteRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import World, named

PUBLIC = {"integrations", "integration_versions"}
"""What everybody may find by its name; no operation shows it to visitors."""
HOME = {"openapi_specs", "openapi_spec_versions", "organizations", "sites", "users"}
CONTENT = {"revisions", "spaces"}
"""What they see of the spaces that are there for them."""
HERE = Reach("visitor", site_id=named("sites", "here"), home_id=named("organizations", "here"))
INSIDE = replace(HERE, spaces=frozenset({named("spaces", "here"), named("spaces", "there")}))
PREVIEW = replace(INSIDE, preview=named("change_requests", "here"))


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.__tablename__)
def test_a_visitor_sees_their_site_alone(table: type[Table], world: World) -> None:
    with world.database.transaction(writes=True) as session:
        for site in session.scalars(select(SiteRow)):
            site.deleted_at, site.published = None, True
        for space in session.scalars(select(SpaceRow)):
            space.revision_id = named("revisions", space.id.rpartition("-")[2])
        session.flush()
        if table.__tablename__ not in PUBLIC:
            assert rows.every(session, Reach("visitor"), table) == []
            seen = rows.every(session, HERE, table)
            mine = table.__tablename__ in HOME or issubclass(table, PartOfSite)
            assert len(seen) == (1 if mine else 0)
            for row in seen:
                assert (getattr(row, "site_id", None) or row.id).endswith("-here")  # type: ignore[attr-defined]
            assert levels.levels_on(session, HERE, seen) == [None] * len(seen)
            inside = [row.id for row in rows.every(session, INSIDE, table)] if table.__tablename__ in CONTENT else []
            assert inside == ([named(table.__tablename__, "here")] if table.__tablename__ in CONTENT else [])
            assert len(rows.every(session, PREVIEW, table)) == (
                mine or table.__tablename__ in CONTENT | {"change_requests"}
            )
        crossed = Reach("visitor", site_id=named("sites", "there"), home_id=named("organizations", "here"))
        if issubclass(table, PartOfSite):
            assert all(row.site_id == crossed.site_id for row in rows.every(session, crossed, table))
        session.rollback()


@pytest.mark.parametrize("column", ["published", "deleted_at"])
def test_a_site_that_is_taken_back_is_seen_no_more(column: str, world: World) -> None:
    with world.database.transaction(writes=True) as session:
        site = session.get(SiteRow, HERE.site_id)
        assert site is not None
        site.published, site.deleted_at = True, None
        session.flush()
        assert rows.find(session, HERE, SiteRow, id=site.id) is not None
        setattr(site, column, site.created_at if column == "deleted_at" else False)
        session.flush()
        assert rows.find(session, HERE, SiteRow, id=site.id) is None
        session.rollback()
