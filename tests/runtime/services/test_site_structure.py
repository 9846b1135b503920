"""Whatever is done to a site's structure, one section and one space of each section are the default."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.contract.site_structure import AddGroup, AddSection, AddSiteSpace, ItemPosition, UpdateSection
from runtime.services import site_outline, site_places, site_sorting, site_structure
from runtime.store import migrate, secrets
from runtime.store.database import Database
from runtime.store.reach import HOST
from runtime.store.site_structure import parts_of
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

MANY = 12


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("structure")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    opened = Database(f"sqlite:///{folder / 'host.sqlite'}")
    migrate.migrate(opened)
    with opened.transaction(writes=True) as session:
        session.add(OrganizationRow(id="o", title="O"))
        session.flush()
        session.add_all(
            SpaceRow(id=f"s{number}", organization_id="o", title="Same", emoji="") for number in range(MANY)
        )
    yield opened
    opened.close()


def new_site(session: Session) -> SiteRow:
    site = SiteRow(id=new_id(), organization_id="o", title="Site")
    session.add(site)
    session.flush()
    return site


def check(session: Session, site: SiteRow) -> None:
    """What holds after every change."""
    groups, sections, spaces = parts_of(session, site)
    positions = [row.position for row in (*groups, *sections)]
    assert sorted(positions) == list(range(len(positions)))
    assert [row.position for row in spaces] == list(range(len(spaces)))
    assert [row.default_of for row in sections if row.default_of] == ([site.id] if sections else [])
    holders = {section.id for section in sections} if sections else {site.id}
    assert {space.holder_id for space in spaces} == (holders if sections or spaces else set())
    for holder in holders:
        inside = [space for space in spaces if space.holder_id == holder]
        assert [space.default_of for space in inside if space.default_of] == ([holder] if inside else [])
        assert len({space.path for space in inside}) == len(inside)
        assert all((space.section_id or site.id) == holder for space in inside)
    # Read from top to bottom, what stands in a group follows it, before anything that does not.
    tree: dict[str | None, list[Any]] = {}
    for node in sorted([*groups, *sections], key=lambda node: node.position):  # type: ignore[type-var]
        tree.setdefault(site_outline.parent_of(node), []).append(node)

    def walk(parent: str | None) -> Iterator[int]:
        for node in tree.get(parent, ()):
            yield node.position
            if isinstance(node, SiteSectionGroupRow):
                yield from walk(node.id)

    assert list(walk(None)) == list(range(len(positions)))


STEP = st.tuples(
    st.sampled_from(["section", "space", "group", "sort", "ungroup", "unsection", "unspace", "into", "out", "default"]),
    st.integers(0, 50),
    st.integers(0, 50),
    st.booleans(),
)


def pick(rows: list[Any], number: int) -> Any:
    return rows[number % len(rows)] if rows else None


def step(session: Session, site: SiteRow, kind: str, one: int, two: int, flag: bool) -> None:
    groups, sections, spaces = parts_of(session, site)
    section, group, part = pick(sections, one), pick(groups, two), pick(spaces, one)
    if kind == "section":
        site_structure.add_section(session, site, AddSection(space_id=f"s{one % MANY}"))
    elif kind == "space":
        more = {"section_id": section.id} if section is not None and flag else {}
        site_structure.add_space(session, site, AddSiteSpace(space_id=f"s{two % MANY}", **more))
    elif kind == "group":
        more = {"parent": group.id} if group is not None and flag else {}
        inside = [section.id] if section is not None else []
        site_structure.add_group(session, site, AddGroup(title="G", sections=inside, **more))
    elif kind == "sort":
        items: list[Any] = [*groups, *sections, *spaces]
        item, anchor = pick(items, one), pick(items, two)
        if item is not None:
            where = "before" if flag else "after"
            position = ItemPosition.model_validate({where: {"type": kind_of(anchor), "id": anchor.id}})
            site_sorting.sort(session, HOST, site, (kind_of(item), item.id), position)
    elif kind == "ungroup" and group is not None:
        assert site_structure.remove_group(session, site, group)
    elif kind == "unsection" and section is not None:
        assert site_structure.remove_section(session, site, section)
    elif kind == "unspace" and part is not None:
        assert site_structure.remove_space(session, site, part)
    elif kind == "into" and section is not None and group is not None:
        site_structure.add_to_group(session, site, group, section.id)
    elif kind == "out" and section is not None and group is not None:
        site_structure.take_from_group(session, site, group, section.id)
    elif kind == "default" and section is not None and part is not None:
        site_structure.update_section(session, site, section, UpdateSection(default_site_space=part.id))


def kind_of(row: Any) -> str:
    return {SiteSpaceRow: "site-space", SiteSectionRow: "site-section", SiteSectionGroupRow: "site-section-group"}[
        type(row)
    ]


@given(steps=st.lists(STEP, max_size=25))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_rules_hold_whatever_is_done(steps: list[tuple[str, int, int, bool]], database: Database) -> None:
    with database.transaction(writes=True) as session:
        site = new_site(session)
        site_structure.start(session, site, ["s0", "s1"])
        check(session, site)
        for one in steps:
            before = [{row.id for row in rows} for rows in parts_of(session, site)]
            try:
                with session.begin_nested():
                    step(session, site, *one)
            except errors.ApiError as refused:
                assert errors.status_of(refused) in (400, 404, 409)
                assert [{row.id for row in rows} for rows in parts_of(session, site)] == before
            check(session, site)
        session.rollback()


def test_a_deleted_space_leaves_all_sites(database: Database) -> None:
    with database.transaction(writes=True) as session:
        sites = [new_site(session) for _ in range(2)]
        for site in sites:
            site_structure.start(session, site, ["s0"])
            site_structure.add_section(session, site, AddSection(space_id="s1"))
        space = session.get(SpaceRow, "s0")
        assert space is not None
        site_places.leave(session, [space])
        for site in sites:
            check(session, site)
            assert [row.space_id for row in parts_of(session, site).spaces] == ["s1"]
        assert not session.scalars(select(SiteSpaceRow).where(SiteSpaceRow.space_id == "s0")).all()
        session.rollback()


def test_a_site_holds_only_so_much(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_SECTIONS", "MAX_GROUPS", "MAX_SPACES"):
        monkeypatch.setattr(site_outline, name, 3)
    with database.transaction(writes=True) as session:
        site = new_site(session)
        for number in range(3):
            section = site_structure.add_section(session, site, AddSection(space_id=f"s{number}"))
            group = site_structure.add_group(session, site, AddGroup(title="G"))
        for refused, what in (
            (lambda: site_structure.add_section(session, site, AddSection(space_id="s5")), "3 sections"),
            (lambda: site_structure.add_group(session, site, AddGroup(title="G")), "3 section groups"),
            (lambda: site_structure.add_space(session, site, AddSiteSpace(space_id="s5")), "3 spaces"),
        ):
            with pytest.raises(errors.BadRequest, match=what):
                refused()
        assert section.id != group.id
        session.rollback()


def test_groups_stand_in_each_other_only_so_deep(database: Database) -> None:
    with database.transaction(writes=True) as session:
        site = new_site(session)
        parent: dict[str, str] = {}
        for _ in range(site_outline.DEEPEST):
            parent = {"parent": site_structure.add_group(session, site, AddGroup(title="G", **parent)).id}
        with pytest.raises(errors.BadRequest, match="5 deep"):
            site_structure.add_group(session, site, AddGroup(title="G", **parent))
        session.execute(delete(SiteSectionGroupRow))
        session.rollback()
