"""What goes when somebody goes: tokens that were revoked, and what was uninstalled 30 days ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from runtime.background.purging import BATCH, Purger
from runtime.contract.identifiers import new_id
from runtime.store import membership, organizations, rows, secrets
from runtime.store.blobs.store import open_blobs
from runtime.store.database import Database, now
from runtime.store.rows import HOST
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases
from tests.conftest import COUNTER, Api, HostProcess, Installed, Tenant, init, installed, tenant, wait_for
from tests.scenarios.people import person
from tests.scenarios.reading import Reading

TABLES = ("installations", "space_installations", "site_installations")


def test_a_person_lists_and_revokes_their_own_tokens(host: HostProcess, beta: Tenant) -> None:
    email = f"{new_id()}@example.com"
    apis = [Api(host.url, init(host.data, "Own tokens", email)["token"]) for _ in range(3)]
    listed = apis[0].get("/v1/user/tokens")
    items = listed.json["items"]
    assert listed.json["count"] == 3 and len({one["id"] for one in items}) == 3
    assert all(set(one) == {"id", "title", "createdAt", "expiresAt", "current"} for one in items)
    assert not any(api.token and api.token in listed.text for api in apis)
    mine = {
        position: next(one["id"] for one in api.get("/v1/user/tokens").json["items"] if one["current"])
        for position, api in enumerate(apis)
    }
    assert len(set(mine.values())) == 3
    # Nobody else sees or revokes them.
    assert not {one["id"] for one in beta.api.get("/v1/user/tokens").json["items"]} & set(mine.values())
    assert beta.api.call("DELETE", f"/v1/user/tokens/{mine[1]}").status == 204
    assert apis[1].get("/v1/user").status == 200
    assert apis[0].call("DELETE", f"/v1/user/tokens/{mine[1]}").status == 205
    assert apis[1].get("/v1/user").status == 401
    assert apis[0].call("DELETE", f"/v1/user/tokens/{mine[1]}").status == 204
    assert apis[2].call("DELETE", f"/v1/user/tokens/{mine[2]}").status == 205
    assert apis[2].get("/v1/user").status == 401 and apis[0].get("/v1/user").status == 200


def test_revoking_a_token_ends_what_is_open_with_it(host: HostProcess) -> None:
    email = f"{new_id()}@example.com"
    made = [init(host.data, "Streaming", email) for _ in range(2)]
    owner = Tenant(made[0]["organization"], made[0]["user"], Api(host.url, made[0]["token"]))
    lost = Api(host.url, made[1]["token"])
    one = installed(owner)
    tunnel = lost.post(f"/v1/orgs/{owner.id}/tunnels", {"name": "laptop"}).json["id"]
    open_ones = [Reading(lost, f"{one.path}/events/stream"), Reading(lost, f"/v1/tunnels/{tunnel}/stream")]
    stays = Reading(owner.api, f"{one.path}/events/stream")
    mine = next(token["id"] for token in lost.get("/v1/user/tokens").json["items"] if token["current"])
    assert owner.api.call("DELETE", f"/v1/user/tokens/{mine}").status == 205
    assert one.render(props={"word": "late"}).status == 200
    wait_for(lambda: all(reading.ended for reading in open_ones) and "late" in stays.text)
    assert not any("late" in reading.text for reading in open_ones) and not stays.ended


def test_what_was_uninstalled_is_purged_after_thirty_days(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    try:
        owner = tenant(host, "Leaving", "leaving@example.com")
        _purged_after_thirty_days(host, owner)
    finally:
        assert host.stop() == 0


def _purged_after_thirty_days(host: HostProcess, owner: Tenant) -> None:
    """Uninstall things, let time pass in the database, start the host again, and look at what is left."""
    ask = partial(databases.ask, host.data)
    whole, parts, fresh = (installed(owner, COUNTER) for _ in range(3))
    for one in (whole, parts, fresh):
        mine = f"{one.path}/installations/{one.installation}"
        for path in (mine, f"{mine}/spaces/{one.space}", f"{mine}/sites/{one.site}"):
            body = {"configuration": {"token": "a"}, "externalIds": ["x", "y"]}
            assert owner.api.call("PATCH", path, body).status == 200
    stays = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {}).json["id"]
    mine = f"{parts.path}/installations/{parts.installation}"
    assert owner.api.post(f"{mine}/spaces", {"space": stays}).status == 201
    assert owner.api.call("DELETE", f"{whole.path}/installations/{whole.installation}").status == 205
    assert owner.api.call("DELETE", f"{mine}/spaces/{parts.space}").status == 205
    assert owner.api.call("DELETE", f"{mine}/sites/{parts.site}").status == 205
    assert owner.api.call("DELETE", f"{fresh.path}/installations/{fresh.installation}").status == 205
    wait_for(lambda: not ask("SELECT id FROM events WHERE state IN ('pending', 'claimed', 'failed')"))
    for one, ago in ((whole, 31), (parts, 31), (fresh, 29)):
        moment = (datetime.now(UTC) - timedelta(days=ago)).isoformat(sep=" ").removesuffix("+00:00")
        text = f"'{moment}'" if databases.CHOSEN == "sqlite" else f"'{moment}+00:00'"
        ids = f"'{one.installation}'"
        ask(f"UPDATE installations SET deleted_at = {text} WHERE id = {ids} AND deleted_at IS NOT NULL")
        for table in TABLES[1:]:
            where = f"installation_id = {ids} AND deleted_at IS NOT NULL"
            ask(f"UPDATE {table} SET deleted_at = {text} WHERE {where}")
        ask(f"UPDATE events SET created_at = {text} WHERE installation_id = {ids}")
    host.stop()
    host.start()

    def left(table: str, one: Installed) -> int:
        column = "id" if table == "installations" else "installation_id"
        return int(ask(f"SELECT count(*) FROM {table} WHERE {column} = '{one.installation}'")[0][0])

    wait_for(lambda: left("installations", whole) == 0 and left("space_installations", parts) == 1)
    assert [left(table, whole) for table in (*TABLES, "events")] == [0, 0, 0, 0]
    assert [left(table, parts) for table in TABLES] == [1, 1, 0]
    assert [left(table, fresh) for table in TABLES] == [1, 1, 1] and left("events", fresh) > 3
    owners = {row[0] for table in TABLES for row in ask(f"SELECT id FROM {table}")}
    assert {row[0] for row in ask("SELECT owner_id FROM external_ids")} <= owners
    events = owner.api.get(f"{parts.path}/events", installation=parts.installation, limit="1000").json["items"]
    told = {item["payload"].get("spaceId") or item["payload"].get("siteId") for item in events}
    assert told == {None, stays}
    assert owner.api.get(mine).json["configuration"] == {"token": "a"}
    assert owner.api.get(mine).json["externalIds"] == ["x", "y"]


def test_a_purge_is_done_in_bounded_steps(tmp_path: Path) -> None:
    many = 2 * BATCH + 20
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path) as store:
        _purged_in_steps(store, many)


def _purged_in_steps(store: Database, many: int) -> None:
    with store.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        integration = IntegrationRow(
            name="x",
            organization_id=made.organization,
            version_id="v",
            version=1,
            visibility="private",
            target="all",
            title="X",
            manifest={"scopes": []},
        )
        session.add(integration)
        session.flush()
        row = {"integration_id": integration.id, "organization_id": made.organization, "status": "active"}
        session.add_all(InstallationRow(**row, deleted_at=now() - timedelta(days=40)) for _ in range(many))
    purger = Purger(store, open_blobs(store, "/nonexistent"), keep_events=2000)
    steps = [purger.purge() for _ in range(4)]
    assert steps == [BATCH, BATCH, many - 2 * BATCH, 0]
    with store.transaction(writes=False) as session:
        assert rows.every(session, HOST, InstallationRow) == []


def test_a_member_who_is_disabled_is_none(host: HostProcess, alpha: Tenant) -> None:
    """No operation disables somebody; where an operator does it in the database, it must hold."""
    member = person(host, alpha, "admin")
    statement = "UPDATE members SET disabled = ? WHERE user_id = ?"
    databases.ask(host.data, statement, (True, member.id))
    organization = f"/v1/orgs/{alpha.id}"
    assert [member.api.get(path).status for path in (organization, f"{organization}/members")] == [404, 404]
    listed = alpha.api.get(f"{organization}/members/{member.id}")
    assert (listed.status, listed.json["disabled"]) == (200, True)
    space = alpha.api.post(f"{organization}/spaces", {"title": "Theirs"}).json["id"]
    with databases.opened(host.data) as store, store.transaction(writes=False) as session:
        row = rows.find(session, HOST, SpaceRow, id=space)
        assert row is not None and membership.level_of_person(session, member.id, row) is None
        databases.ask(host.data, statement, (False, member.id))
    with databases.opened(host.data) as store, store.transaction(writes=False) as session:
        assert membership.level_of_person(session, member.id, row) == "admin"
