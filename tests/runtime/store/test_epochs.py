"""Every change that decides moves exactly the epochs of those it concerns, and content moves none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, inspect, select, update

from runtime.store import schema
from runtime.store.database import Database, Table, now
from runtime.store.epoch_rules import FACE, GLOBAL, UNKNOWN, owners
from runtime.store.tables.installations import ExternalIdRow, InstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import ORDER, SIDES, World, made, named

ORGANIZATION = ("organizations",)
MOVES: dict[str, tuple[str, ...]] = {
    "blobs": (),
    "change_request_reviews": (),
    "change_requests": (),
    "collection_ancestors": ORGANIZATION,
    "collections": ORGANIZATION,
    "comment_reactions": (),
    "comment_replies": (),
    "comments": (),
    "content_pieces": (),
    "content_sizes": (),
    "deleted_space_places": (),
    "document_references": (),
    "email_invites": (),
    "invite_emails": (),
    "sent_forms": (),
    "events": (),
    "jobs": (),
    "pdfs": (),
    "space_blobs": (),
    "openapi_spec_versions": (),
    "openapi_specs": (),
    "external_ids": ORGANIZATION,
    "git_operations": (),
    "git_syncs": (),
    "grants": ORGANIZATION,
    "imports": (),
    "installations": ORGANIZATION,
    "integration_previews": (),
    "integration_versions": ("integrations",),
    "integrations": ("integrations",),
    "invite_links": ORGANIZATION,
    "members": ("organizations", "users"),
    "organizations": ("organizations", "=organizations"),
    "requested_reviewers": (),
    "revisions": (),
    "saml_providers": ORGANIZATION,
    "saml_sign_ins": (),
    "search_pages": (),
    "search_postings": (),
    "search_spaces": (),
    "search_words": (),
    "site_adaptive_schemas": (),
    "site_customizations": (),
    "site_installations": ORGANIZATION,
    "site_section_groups": ORGANIZATION,
    "site_redirects": (),
    "site_sections": ORGANIZATION,
    "site_share_links": ORGANIZATION,
    "site_space_customizations": (),
    "site_spaces": ORGANIZATION,
    "sites": ORGANIZATION,
    "space_installations": ORGANIZATION,
    "spaces": ORGANIZATION,
    "team_members": ORGANIZATION,
    "teams": ORGANIZATION,
    "tokens": ("users",),
    "translations": (),
    "tunnels": ORGANIZATION,
    "users": ("users",),
    "visitor_sessions": (),
}
"""Table -> whose epochs its rows move."""
CONTENT = {
    *("description", "label", "title", "emoji", "language", "display_name", "email", "icon", "previews"),
    *("published_by", "revision_id", "previous_id", "revised_at"),
    *("created_at", "updated_at", "joined_at", "added_at", "last_seen_at", "leased_until", "lease_seconds"),
}
PLACES = {("spaces", "position"), ("collections", "position")}
"""The order of these is content; which space of a site is its first decides."""
SHOWN_TO_SCRIPTS = {("organizations", "title")}
"""Content elsewhere, but here scripts see it in their environment."""
TABLES: dict[str, type[Table]] = {table.__tablename__: table for table in schema.TABLES}
CHANGES = [
    (name, column.key)
    for name, table in TABLES.items()
    for column in inspect(table).columns
    if not column.primary_key and not column.foreign_keys and column.key != "owner_id"
]


def moved_by(table: str, side: str) -> set[str]:
    """Give whose epochs a row's change moves."""
    return {(FACE if owner.startswith(FACE) else "") + named(owner.removeprefix(FACE), side) for owner in MOVES[table]}


def decides(table: str, column: str) -> bool:
    """Tell whether a change of a column is to move epochs."""
    if (table, column) in PLACES:
        return False
    return column not in CONTENT or (table, column) in SHOWN_TO_SCRIPTS


def other(value: Any) -> Any:
    """Give another value of the same kind; only moments are empty here."""
    if value is None:
        return now()
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return ("x" if value[:1] != "x" else "y") + value[1:]
    if isinstance(value, dict):
        return {**value, "more": value.get("more", 0) + 1}
    if isinstance(value, bytes):
        return value + b"x"
    return value + timedelta(days=1) if hasattr(value, "year") else value + 1


def row_of(session: Any, table: str, side: str) -> Any:
    """Find the one row of a table in an organization."""
    found = session.scalars(select(TABLES[table])).all()
    keys = [column.key for column in inspect(TABLES[table]).columns if column.key not in ("seq", "position")]
    return next(row for row in found if any(str(getattr(row, one)).endswith(f"-{side}") for one in keys))


def change(world: World, table: str, side: str, column: str) -> None:
    with world.database.transaction(writes=True) as session:
        row = row_of(session, table, side)
        setattr(row, column, other(getattr(row, column)))


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.__tablename__)
def test_every_table_says_what_its_rows_decide_over(table: type[Table]) -> None:
    assert table.__tablename__ in MOVES, "say in MOVES whose epochs its rows are to move"
    assert table.epoch_rules is not UNKNOWN, "say `epoch_rules`, beside the columns"
    agree = (table.epoch_rules is None) == (not MOVES[table.__tablename__])
    assert agree, "MOVES and `epoch_rules` of the table do not agree: () is NOT_KEPT"
    columns = {column.key for column in inspect(table).columns}
    if table.epoch_rules is not None:
        assert table.epoch_rules.content <= columns
        assert {of.column for of in (*table.epoch_rules.moves, *table.epoch_rules.needs)} <= columns


@pytest.mark.parametrize("side", SIDES)
def test_each_column_moves_its_owners_epochs_or_none(side: str, world: World) -> None:
    for table, column in CHANGES:
        expected = moved_by(table, side) if decides(table, column) else set()
        assert world.moved(lambda: change(world, table, side, column)) == expected, (table, column)  # noqa: B023


@pytest.mark.parametrize("side", SIDES)
def test_what_comes_and_goes_moves_its_owners_epochs(side: str, world: World) -> None:
    world.empty()

    def add(table: type[Table]) -> None:
        with world.database.transaction(writes=True) as session:
            session.add(made(table, side))

    def remove(table: type[Table]) -> None:
        with world.database.transaction(writes=True) as session:
            session.delete(row_of(session, table.__tablename__, side))

    def going(table: type[Table]) -> set[str]:
        return moved_by(table.__tablename__, side) | ({GLOBAL} if table in (OrganizationRow, UserRow) else set())

    for table in ORDER:
        assert world.moved(lambda: add(table)) == moved_by(table.__tablename__, side), table  # noqa: B023
    for table in reversed(ORDER):
        assert world.moved(lambda: remove(table)) == going(table), table  # noqa: B023


@pytest.mark.parametrize("parent", ORDER, ids=lambda table: table.__tablename__)
def test_what_is_made_of_rows_that_go_with_others_is_over_too(parent: type[Table], world: World) -> None:
    def present() -> dict[Any, set[str]]:
        with world.database.transaction(writes=False) as session:
            return {
                (table, *inspect(row).identity): owners(
                    session, Table.metadata, [(of, getattr(row, of.column)) for of in said.needs]
                )
                for table in schema.TABLES
                if (said := table.epoch_rules) is not None
                for row in session.scalars(select(table))
            }

    def remove() -> None:
        with world.database.transaction(writes=True) as session:
            session.delete(row_of(session, parent.__tablename__, "here"))

    with world.database.transaction(writes=True) as session:
        # What is installed elsewhere, on which its integration's owner and their people have a say.
        theirs = {"organization_id": named("organizations", "there"), "status": "active"}
        session.add(InstallationRow(id="across", integration_id=named("integrations", "here"), **theirs))
        session.flush()
        part = {"installation_id": "across", "status": "active"}
        session.add(SpaceInstallationRow(id="across", space_id=named("spaces", "there"), **part))
        session.add(MemberRow(organization_id=theirs["organization_id"], user_id=named("users", "here")))
    before = present()
    moved = world.moved(remove)
    gone = before.keys() - present().keys()
    assert gone or parent.epoch_rules is None
    for one in gone:
        assert before[one] & moved or GLOBAL in moved, one  # everything rests on that one


def test_a_row_that_changes_hands_moves_both_epochs(world: World) -> None:
    def give_away() -> None:
        with world.database.transaction(writes=True) as session:
            row_of(session, "spaces", "here").organization_id = named("organizations", "there")

    assert world.moved(give_away) == moved_by("spaces", "here") | moved_by("spaces", "there")


def test_what_is_rolled_back_moves_nothing(world: World) -> None:
    def fail() -> None:
        with pytest.raises(RuntimeError), world.database.transaction(writes=True) as session:
            row_of(session, "spaces", "here").visibility = "x"
            session.flush()
            raise RuntimeError

    assert world.moved(fail) == set()


def test_an_empty_flush_before_a_nested_transaction_is_counted_once(world: World) -> None:
    def nested() -> None:
        with world.database.transaction(writes=True) as session:
            with session.begin_nested():
                row_of(session, "spaces", "here").visibility = "x"
            row_of(session, "sites", "here").published = True

    assert world.moved(nested) == moved_by("spaces", "here")


HERE = named("organizations", "here")
STATEMENTS: dict[str, tuple[Callable[[], Any], set[str]]] = {
    "update of one": (
        lambda: update(SpaceRow).where(SpaceRow.organization_id == HERE).values(visibility="y"),
        {HERE},
    ),
    "update of all": (
        lambda: update(IntegrationRow).values(tunnel_url=None),
        {named("integrations", side) for side in SIDES},
    ),
    "update of content": (lambda: update(SpaceRow).values(title="y", emoji="z"), set()),
    "update of nothing": (lambda: update(SpaceRow).where(SpaceRow.id == "none").values(visibility="y"), set()),
    "update of the owner": (
        lambda: update(SpaceRow).where(SpaceRow.organization_id == HERE).values(organization_id=HERE),
        {GLOBAL},
    ),
    "update past the class": (
        lambda: update(SpaceRow.__table__).where(SpaceRow.__table__.c.organization_id == HERE).values(visibility="y"),  # type: ignore[arg-type]
        {HERE},
    ),
    "update that returns": (lambda: update(SpaceRow).values(visibility="y").returning(SpaceRow.id), {GLOBAL}),
    "update through a parent": (
        lambda: (
            update(SpaceInstallationRow)
            .where(SpaceInstallationRow.installation_id == named("installations", "here"))
            .values(status="y")
        ),
        {HERE},
    ),
    "delete through two": (
        lambda: delete(ExternalIdRow).where(ExternalIdRow.owner_id == named("space_installations", "here")),
        {HERE},
    ),
    "delete without looking": (
        lambda: (
            delete(InstallationRow)
            .where(InstallationRow.organization_id == HERE)
            .execution_options(synchronize_session=False)
        ),
        {HERE},
    ),
    "insert": (
        lambda: insert(MemberRow).values(
            organization_id=HERE, user_id=named("users", "there"), role="read", sso=False, disabled=False
        ),
        {HERE, named("users", "there")},
    ),
    "delete of what nobody owns": (
        lambda: delete(ExternalIdRow).where(ExternalIdRow.owner_id == "nobody"),
        {GLOBAL},
    ),
}


@pytest.mark.parametrize("what", STATEMENTS)
def test_statements_move_what_they_change(what: str, world: World) -> None:
    statement, expected = STATEMENTS[what]
    with world.database.transaction(writes=True) as session:
        session.add(ExternalIdRow(owner_id="nobody", position=0, value="x"))

    def run() -> None:
        with world.database.transaction(writes=True) as session:
            session.execute(statement())

    assert world.moved(run) == expected


def test_a_statement_for_many_rows_by_their_keys_moves_everybodys_epoch(world: World) -> None:
    def run() -> None:
        with world.database.transaction(writes=True) as session:
            session.execute(update(SpaceRow), [{"id": named("spaces", "here"), "visibility": "y"}])

    assert world.moved(run) == {GLOBAL}


def test_a_table_that_says_nothing_moves_everybodys_epoch(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserRow, "epoch_rules", UNKNOWN)
    monkeypatch.setitem(UserRow.__table__.info, "epoch_rules", UNKNOWN)  # type: ignore[attr-defined]
    assert world.moved(lambda: change(world, "users", "here", "display_name")) == {GLOBAL}

    def run() -> None:
        with world.database.transaction(writes=True) as session:
            session.execute(update(UserRow).values(display_name="y"))

    assert world.moved(run) == {GLOBAL}


def test_an_organization_begins_with_an_epoch_of_its_own(world: World) -> None:
    def begin() -> None:
        with world.database.transaction(writes=True) as session:
            session.add(OrganizationRow(id="new", title="New"))

    assert world.moved(begin) == {"new", FACE + "new"}


def test_epochs_that_were_never_moved_count_nothing(database: Database) -> None:
    assert database.epochs(["nobody"])["nobody"] == 0


Step = tuple[tuple[str, str], str]
STEPS = st.lists(st.tuples(st.sampled_from(CHANGES), st.sampled_from(SIDES)), max_size=6)


@given(steps=STEPS, fails=st.booleans(), flushes=st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_transaction_moves_the_epochs_of_all_it_changes_by_one(
    steps: list[Step], fails: bool, flushes: bool, world: World
) -> None:
    expected: set[str] = set()
    for (table, column), side in dict.fromkeys(steps):
        if decides(table, column) and not fails:
            expected |= moved_by(table, side)

    def run() -> None:
        with world.database.transaction(writes=True) as session:
            for (table, column), side in dict.fromkeys(steps):
                row = row_of(session, table, side)
                setattr(row, column, other(getattr(row, column)))
                if flushes:
                    session.flush()
            if fails:
                session.rollback()

    assert world.moved(run) == expected
