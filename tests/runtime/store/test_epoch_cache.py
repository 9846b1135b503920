"""What is kept is never older than a change before somebody asked, and nobody else's change ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from multiprocessing.sharedctypes import RawArray
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from runtime.api.auth import Actor, Authenticator
from runtime.contract import errors
from runtime.contract.organizations import ROLES
from runtime.dispatch.deliveries import Plans, level_of
from runtime.dispatch.planning import Level, Planner
from runtime.store import epochs, rows, tokens
from runtime.store.change_counts import ChangeCounts
from runtime.store.database import Database
from runtime.store.epoch_cache import Basis, EpochCache, Epochs, record_of
from runtime.store.epoch_prefetch import EpochPrefetch
from runtime.store.epoch_rules import FACE, GLOBAL
from runtime.store.reach import HOST, Reach
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import World, named
from tests.runtime.store.counted_reads import SPACE, SPACE_THERE, Counted, nobody, visibility

HERE, THERE = named("organizations", "here"), named("organizations", "there")
INTEGRATION, INSTALLATION = named("integrations", "here"), named("installations", "here")
PERSON = Reach("user", user_id=named("users", "here"), roles=frozenset({(HERE, "admin")}))


def show(database: Database, space: str, value: str) -> None:
    with database.transaction(writes=True) as session:
        session.execute(update(SpaceRow).where(SpaceRow.id == space).values(visibility=value))


def rests_on(database: Database, make: Callable[[Session], Any]) -> Collection[str] | None:
    basis = database.basis()
    EpochCache[Any](database, nobody).get("key", basis, make)
    return None if basis.used is None else basis.used.keys()


@pytest.mark.parametrize("alone", [False, True])
def test_a_value_is_made_again_after_a_change_of_its_own_organization_only(
    alone: bool, world: World, beside: Callable[..., Database]
) -> None:
    database = beside(alone=alone)
    kept, make = EpochCache[str](database, nobody), Counted()
    for value in ("one", "two"):
        show(database, SPACE, value)
        assert [kept.get("key", database.basis(), make) for _ in range(3)] == [value] * 3
    show(database, SPACE_THERE, "three")
    with database.transaction(writes=True) as session:
        session.execute(update(SpaceRow).values(title="content"))
    assert kept.get("key", database.basis(), make) == "two" and make.times == 2


def test_what_another_process_changes_is_seen_at_once(world: World, beside: Callable[..., Database]) -> None:
    one, other = beside(), beside()
    kept = EpochCache[str](one, nobody)
    for value in ("one", "two", "three"):
        show(other, SPACE, value)
        assert kept.get("key", one.basis(), visibility) == value


def test_a_change_while_a_value_is_made_is_never_taken_for_older_than_it(
    world: World, beside: Callable[..., Database]
) -> None:
    database, other = beside(), beside()
    kept = EpochCache[str](database, nobody)
    show(database, SPACE, "before")

    def make(session: Session) -> str:
        seen = visibility(session)
        show(other, SPACE, "after")  # committed after the row was read, before its epoch is
        assert visibility(session) == seen
        return seen

    assert kept.get("key", database.basis(), make) == "before"
    assert kept.get("key", database.basis(), visibility) == "after"


def test_a_request_that_began_earlier_takes_what_a_later_one_made(
    world: World, beside: Callable[..., Database]
) -> None:
    database, other = beside(), beside()
    kept, make = EpochCache[str](database, nobody), Counted()
    early = database.basis()
    assert kept.get("key", early, make) == kept.get("key", database.basis(), make)
    show(other, SPACE, "later")
    assert kept.get("key", database.basis(), make) == "later" and make.times == 2
    assert kept.get("key", early, make) == "later" and make.times == 2


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (visibility, {HERE}),
        (lambda session: rows.find(session, PERSON, SpaceRow, id=SPACE), {HERE, PERSON.user_id}),
        (
            lambda session: rows.find(session, HOST, InstallationRow, id=INSTALLATION),
            {HERE, INTEGRATION},
        ),
        (
            lambda session: rows.find(session, HOST, SpaceInstallationRow, installation_id=INSTALLATION),
            {HERE, INTEGRATION},
        ),
        (lambda session: session.get(OrganizationRow, HERE), {FACE + HERE}),
        (
            lambda session: rows.find(session, PERSON, OrganizationRow, id=HERE),
            {FACE + HERE, HERE, PERSON.user_id},
        ),
        (
            lambda session: rows.find_with_level(session, PERSON, IntegrationRow, id=INTEGRATION),
            {INTEGRATION, HERE, PERSON.user_id},
        ),
        (
            lambda session: rows.find(session, Reach("integration", integration_id=INTEGRATION), IntegrationRow),
            {INTEGRATION},
        ),
        (lambda session: rows.every(session, HOST, MemberRow, organization_id=HERE), {HERE, PERSON.user_id}),
        (lambda session: rows.find(session, HOST, SpaceRow, id="nowhere") or "none", None),
        (lambda session: rows.every(session, PERSON, SpaceRow), None),
        (lambda session: session.scalars(select(EventRow)).first(), None),
        (lambda session: None, None),
    ],
)
def test_a_value_rests_on_the_rows_it_is_made_of_and_on_who_looks(make: Any, expected: Any, world: World) -> None:
    found = rests_on(world.database, make)
    assert found == (None if expected is None else {GLOBAL, *expected})


def test_what_rests_on_nothing_sure_is_made_each_time(database: Database, world: World) -> None:
    kept = EpochCache[Any](database, nobody)
    make = Counted(lambda session: rows.find(session, HOST, SpaceRow, id="nowhere") or "none")
    assert [kept.get("key", database.basis(), make) for _ in range(2)] == ["none"] * 2 and make.times == 2


def test_what_goes_on_after_an_error_rests_on_nothing_sure(database: Database) -> None:
    def missing(session: Session) -> Any:
        raise errors.NotFound

    basis = database.basis()
    with pytest.raises(errors.NotFound):
        EpochCache[Any](database, nobody).get("key", basis, missing)
    assert basis.used is None and not database.basis().holds(basis.used)


def test_an_ordinary_session_is_not_recorded(database: Database) -> None:
    with database.transaction(writes=False) as session:
        assert record_of(session) is None


def test_a_plan_is_not_made_of_rows_from_elsewhere(world: World) -> None:
    plans = Plans(world.database, Planner(None))  # type: ignore[arg-type]
    with world.database.transaction(writes=False) as session:
        level = level_of(session, INTEGRATION, None, None, None)
    with pytest.raises(LookupError):
        plans.get("key", world.database.basis(), lambda _: Level(level.integration if level else None))  # type: ignore[arg-type]


def test_the_memory_is_bounded_and_forgets_what_came_first(world: World) -> None:
    kept, make = EpochCache[str](world.database, nobody, most=2), Counted()
    for name in ("a", "b", "c", "c", "b", "a"):
        kept.get(name, world.database.basis(), make)
    assert make.times == 4


def test_what_is_no_longer_good_is_made_again(world: World) -> None:
    kept, make = EpochCache[str](world.database, nobody), Counted()
    for _ in range(2):
        kept.get("key", world.database.basis(), make, lambda _: False)
    assert make.times == 2


OWNERS = st.sampled_from("abc")
EPOCHS = st.dictionaries(OWNERS, st.integers(0, 5))


@given(
    uses=st.lists(st.one_of(st.none(), EPOCHS)), now=st.fixed_dictionaries({one: st.integers(0, 5) for one in "abc"})
)
def test_what_is_made_of_several_values_holds_as_long_as_all_of_them(uses: list[Any], now: dict[str, int]) -> None:
    basis = Basis(lambda wanted: now, EpochPrefetch())
    for one in uses:
        basis.use(one)
    holds = [Basis(lambda wanted: now, EpochPrefetch()).holds(one) for one in uses]
    assert Basis(lambda wanted: now, EpochPrefetch()).holds(basis.used) == all(holds)


def test_requests_alike_ask_once(world: World) -> None:
    database = world.database
    first, second = EpochCache[Any](database, nobody), EpochCache[Any](database, nobody)
    prefetch = EpochPrefetch()

    def ask() -> int:
        times = []

        def epochs_(owners: Collection[str]) -> Epochs:
            times.append(owners)
            return database.epochs(owners)

        basis = Basis(epochs_, prefetch)
        first.get("key", basis, visibility)
        second.get("key", basis, lambda session: rows.find(session, HOST, SpaceRow, id=SPACE_THERE))
        return len(times)

    assert [ask() for _ in range(4)] == [0, 2, 1, 1]  # made, one after the other, together


def test_a_process_that_is_alone_asks_again_after_its_own_changes_that_decide(
    world: World, beside: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.store.database.RECHECK", 3600.0)
    database, command = beside(alone=True), beside()
    kept = EpochCache[str](database, nobody)
    show(database, SPACE, "one")
    assert [kept.get("key", database.basis(), visibility) for _ in range(2)] == ["one"] * 2
    show(command, SPACE, "two")
    with database.transaction(writes=True) as session:
        session.execute(update(SpaceRow).values(title="content"))
    assert kept.get("key", database.basis(), visibility) == "one"
    show(database, SPACE_THERE, "three")
    assert kept.get("key", database.basis(), visibility) == "two"


def test_processes_that_count_their_changes_ask_for_epochs_after_one_alone(
    world: World, beside: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.store.database.RECHECK", 3600.0)
    numbers = RawArray("q", 2)
    one, other, command = (*(beside(changes=ChangeCounts(numbers, place)) for place in (0, 1)), beside())
    kept = EpochCache[str](one, nobody)
    show(other, SPACE, "one")
    assert [kept.get("key", one.basis(), visibility) for _ in range(2)] == ["one"] * 2
    show(command, SPACE, "two")
    with other.transaction(writes=True) as session:
        session.execute(update(SpaceRow).values(title="content"))
    assert kept.get("key", one.basis(), visibility) == "one"  # nobody has counted anything that decides
    show(other, SPACE_THERE, "three")
    assert kept.get("key", one.basis(), visibility) == "two"
    again = beside(changes=ChangeCounts(numbers, 1))  # in the place of one that ended
    for value in ("four", "five"):
        show(again, SPACE, value)
        assert kept.get("key", one.basis(), visibility) == value


def locks(database: Database, session: Session) -> None:
    """Have a session give up instead of waiting."""
    if not database.is_sqlite:
        session.execute(text("SET LOCAL lock_timeout = '2s'"))


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)  # SQLite has one writer
def test_an_open_change_in_one_organization_stops_nobody_elsewhere(
    world: World, beside: Callable[..., Database]
) -> None:
    database, other = beside(), beside()
    kept, make = EpochCache[str](database, nobody), Counted()
    kept.get("key", database.basis(), make)
    with database.transaction(writes=True) as session:
        session.execute(update(SpaceRow).where(SpaceRow.id == SPACE).values(visibility="open"))
        session.flush()
        epochs.move(session.connection(), [HERE])  # as just before the commit
        for target in (SPACE_THERE, named("integrations", "there")):
            with other.transaction(writes=True) as beside_it:
                locks(other, beside_it)
                table = SpaceRow if target == SPACE_THERE else IntegrationRow
                beside_it.execute(update(table).where(table.id == target).values(visibility="there"))
        assert kept.get("key", database.basis(), make) != "open" and make.times == 1
    assert kept.get("key", database.basis(), make) == "open"


def test_changes_of_several_organizations_never_wait_in_a_circle(world: World, beside: Callable[..., Database]) -> None:
    failed: list[BaseException] = []

    def write(first: str, second: str) -> None:
        database = beside()
        try:
            for turn in range(30):
                with database.transaction(writes=True) as session:
                    for space in (first, second):
                        session.add(SpaceRow(organization_id=space, title="x", emoji="x", visibility=str(turn)))
                        session.flush()
        except BaseException as error:
            failed.append(error)

    run([lambda: write(HERE, THERE), lambda: write(THERE, HERE), lambda: write(HERE, THERE)])
    assert failed == []


def run(works: Collection[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)


# Only a host with a file is alone with its database.
@pytest.mark.parametrize(
    ("address", "how"),
    [("sqlite", "alone"), ("sqlite", "counted"), ("sqlite", "beside others"), ("postgresql", "beside others")],
    indirect=["address"],
)
def test_nobody_is_served_with_a_right_older_than_a_change_before_their_request(
    how: str, world: World, beside: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "counted":
        monkeypatch.setattr("runtime.store.database.RECHECK", 3600.0)
        numbers = RawArray("q", 2)
        database, writers = (beside(changes=ChangeCounts(numbers, place)) for place in (0, 1))
    else:
        database = beside(alone=how == "alone")
        writers = database if how == "alone" else beside()
    authenticator, levels = Authenticator(database), EpochCache[int](database, nobody)
    token, digest = tokens.new_token()
    with writers.transaction(writes=True) as session:
        session.add(TokenRow(user_id=PERSON.user_id, digest=digest))
        member(session).role = role_of(0)
        installation(session).revision = 0
    committed, over, wrong, asked_ = [0], threading.Event(), list[Any](), [0]

    def change() -> None:
        try:
            for turn in range(1, 150):
                with writers.transaction(writes=True) as session:
                    member(session).role = role_of(turn)
                    installation(session).revision = turn
                committed[0] = turn
        finally:
            over.set()

    def ask() -> None:
        try:
            while not over.is_set():
                least, basis = committed[0], database.basis()
                actor: Actor = authenticator.actor(f"Bearer {token}", basis)
                seen = levels.get("installation", basis, lambda session: installation(session).revision)
                most = committed[0] + 1
                fit = {role_of(turn) for turn in range(least, most + 1)}
                if actor.reach.role_in(HERE) not in fit or not least <= seen <= most:
                    wrong.append((least, most, actor.reach.role_in(HERE), seen))
                asked_[0] += 1
        except BaseException as error:
            wrong.append(error)

    run([change, ask, ask, ask])
    assert wrong == [] and committed[0] == 149 and asked_[0] > 10
    with writers.transaction(writes=True) as session:
        session.delete(session.scalars(select(TokenRow).where(TokenRow.digest == digest)).one())
    with pytest.raises(errors.Unauthorized):
        authenticator.actor(f"Bearer {token}", database.basis())


def role_of(turn: int) -> Any:
    return ROLES[turn % len(ROLES)]


def member(session: Session) -> MemberRow:
    return session.scalars(select(MemberRow).where(MemberRow.organization_id == HERE)).one()


def installation(session: Session) -> InstallationRow:
    return session.scalars(select(InstallationRow).where(InstallationRow.id == INSTALLATION)).one()


def test_what_is_kept_has_a_weight_together_and_shared_parts_count_once(world: World) -> None:
    def made(text_: str) -> tuple[Counted, Callable[[], Any]]:
        def read(session: Session) -> list[str]:
            visibility(session)
            return [text_]

        counted = Counted(read)
        return counted, lambda: kept.get(text_, world.database.basis(), counted)

    kept: EpochCache[list[str]] = EpochCache(
        world.database, nobody, heaviest=100, weigh=lambda value: {value[0]: len(value[0]), "shared": 50}
    )
    looks = [made(letter * 20) for letter in "abc"]
    for _, look in (*looks[:2], *looks[:2]):
        look()
    assert [counted.times for counted, _ in looks] == [1, 1, 0]  # 50 and twice 20: the shared part is there once
    looks[2][1]()
    looks[1][1]()
    assert [counted.times for counted, _ in looks] == [1, 1, 1]
    looks[0][1]()
    assert [counted.times for counted, _ in looks] == [2, 1, 1]  # the oldest one went
    heavy, look = made("d" * 500)
    look()
    look()
    assert heavy.times == 1  # one alone is kept, whatever its weight


def test_of_those_who_need_the_same_one_makes_it(world: World) -> None:
    kept: EpochCache[str] = EpochCache(world.database, nobody)
    begun, go_on = threading.Event(), threading.Event()

    def slowly(session: Session) -> str:
        begun.set()
        assert go_on.wait(30)
        return visibility(session)

    make = Counted(slowly)
    values: list[str] = []
    threads = [
        threading.Thread(target=lambda: values.append(kept.get("one", world.database.basis(), make)), daemon=True)
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    assert begun.wait(30)
    go_on.set()
    for thread in threads:
        thread.join(30)
    assert len(values) == 12 and len(set(values)) == 1
    assert make.times == 1


def test_nobody_waits_for_what_cannot_be_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.store.epoch_cache.PATIENCE", 60.0)
    kept: EpochCache[str | None] = EpochCache(world.database, nobody)
    together = threading.Barrier(4, timeout=10)

    def met(session: Session) -> None:
        together.wait()

    def look() -> None:
        kept.get("one", world.database.basis(), met)

    kept.get("one", world.database.basis(), lambda session: None)
    run([look] * 4)
    assert not together.broken


def test_tokens_are_remembered_by_their_digests(world: World) -> None:
    authenticator = Authenticator(world.database)
    token, digest = tokens.new_token()
    with world.database.transaction(writes=True) as session:
        session.add(TokenRow(user_id=PERSON.user_id, digest=digest))
    header = f"Bearer {token}"
    assert authenticator.last_seen(header) == authenticator.last_seen(None) == ("", "")
    actor = authenticator.actor(header, world.database.basis())
    assert authenticator.last_seen(header) == (actor.owner, actor.part) != ("", "")
    assert token not in repr(authenticator._known._kept)
