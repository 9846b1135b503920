"""One tenant cannot empty a memory that all need, nor fill it with names of what is not there."""

from __future__ import annotations

from sqlalchemy import insert, select

from runtime.dispatch.planning import KEPT_SCRIPTS, Scripts
from runtime.services.openapi_specs.shown import OVERHEAD, ShownSpecs
from runtime.store.epoch_cache import EpochCache
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import World
from tests.runtime.store.counted_reads import SPACE, SPACE_THERE, Counted, nobody, visibility


def test_one_owner_cannot_empty_what_all_need(world: World) -> None:
    for bounds in ({"most": 20}, {"heaviest": 20}):
        kept = EpochCache[str](
            world.database, lambda key, _: key[0], weigh=lambda value: {object(): 1}, **({"heaviest": 999} | bounds)
        )
        modest = Counted()
        for number in range(3):
            kept.get(("modest", number), world.database.basis(), modest)
        for number in range(60):
            kept.get(("greedy", number), world.database.basis(), visibility)
        for number in range(3):
            kept.get(("modest", number), world.database.basis(), modest)
        assert modest.times == 3 and len(kept._kept) == 20


def test_of_what_cannot_be_kept_the_name_is_not_kept_either(world: World) -> None:
    kept: EpochCache[None] = EpochCache(world.database, nobody)
    for number in range(10):
        kept.get(("x" * 1_000_000, number), world.database.basis(), lambda session: None)
    assert len(kept._unkept) == 10 and len(repr(kept._unkept)) < 1000


def test_one_owner_cannot_empty_the_scripts_that_all_need(world: World) -> None:
    scripts = Scripts()
    with world.database.transaction(writes=True) as session:
        theirs, mine = session.scalars(select(IntegrationRow).order_by(IntegrationRow.organization_id)).fetchmany(2)
        assert theirs.organization_id != mine.organization_id
        kept = scripts.of(session, mine)
        version = session.execute(select(VersionRow.__table__)).mappings().first()
        assert version is not None
        for number in range(2 * KEPT_SCRIPTS):
            new = {"id": f"version{number:013}", "integration_id": theirs.id, "number": 1000 + number}
            session.execute(insert(VersionRow.__table__).values({**version, **new}))
            scripts.of(session, IntegrationRow(version_id=new["id"], organization_id=theirs.organization_id))
        assert scripts.of(session, mine) is kept
        session.rollback()


def test_one_owner_cannot_empty_what_pages_show_of_specifications(world: World) -> None:
    shown = ShownSpecs(heaviest=10 * OVERHEAD)
    with world.database.transaction(writes=True) as session:
        modest, greedy = (session.get_one(SpaceRow, space) for space in (SPACE, SPACE_THERE))
        revision = session.execute(select(RevisionRow.__table__)).mappings().first()
        assert revision is not None and modest.organization_id != greedy.organization_id
        empty = {**revision, "pages": b"", "files": b"", "reusable_contents": b"", "variables": {}}
        kept = None
        for number in range(30):
            space = greedy if number else modest
            space.revision_id = f"revision{number:012}"
            new = {**empty, "id": space.revision_id, "space_id": space.id}
            session.execute(insert(RevisionRow.__table__).values(new))
            found = shown._in(session, space)
            kept = kept if number else found
        assert shown._slugs.peek(modest.revision_id) is kept is not None
        session.rollback()
