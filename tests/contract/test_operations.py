"""Walks the table of operations: each answers as the contract says, and refuses everything else without a 500."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from runtime.api.operation import Operation
from runtime.api.table import operations
from runtime.contract.identifiers import new_id
from runtime.store import tokens
from runtime.store.secrets import load_keyring, use_keyring
from tests.conftest import COUNTER, SCOPES, Answer, Api, HostProcess, Tenant, installed, wait_for
from tests.contract.requests_table import CONTENT_SOURCES, GOOD, SCHEMA, SOURCES, Good, World

OPERATIONS = {operation.name: operation for operation in operations()}
ALL = sorted(OPERATIONS)
WITH_BODY = [name for name in ALL if OPERATIONS[name].body is not None]
LISTS = [name for name in ALL if OPERATIONS[name].paginated]
CHANGING = [name for name in ALL if OPERATIONS[name].method != "GET"]
FOR_READERS = {
    "renderIntegrationUIWithPost",
    "revokeUserToken",
    *(name for name in ALL if OPERATIONS[name].needs.role == "read"),
}
"""Operations that every member may call, whatever their method."""
RULED_BY_BODY = {"publishIntegration": "organization", "installIntegration": "organization"}
"""Operations whose organisation is named in the body: the permission is checked after the body is read."""


@pytest.fixture(scope="module")
def world(host: HostProcess, alpha: Tenant, beta: Tenant) -> World:
    return build(host, alpha)


def build(host: HostProcess, owner: Tenant) -> World:
    one = installed(owner, COUNTER + SOURCES, contentSources=CONTENT_SOURCES)
    one.render()
    site = f"/v1/orgs/{owner.id}/sites/{one.site}"
    assert owner.api.call("PUT", f"{site}/adaptive-schema", {"jsonSchema": SCHEMA}).status == 200
    events = wait_for(lambda: owner.api.get(f"{one.path}/events").json["items"])
    use_keyring(load_keyring(host.data, None))
    with sqlite3.connect(host.data / "host.sqlite") as database:
        found = database.execute("SELECT id FROM integrations WHERE name = ?", (one.name,)).fetchone()
    database.close()
    integration = Api(host.url, tokens.sign(found[0], None, None, SCOPES))
    made = integration.post(f"{one.path}/installations/{one.installation}/tokens")
    return World(
        one,
        integration,
        Api(host.url, made.json["token"]),
        Api(host.url, reader(host, owner)),
        events[0]["id"],
        owner.api.post(f"/v1/orgs/{owner.id}/tunnels", {"name": f"of {one.name}"}).json["id"],
        another_token(host, owner),
    )


def another_token(host: HostProcess, owner: Tenant) -> str:
    """Make one more token of a person, which nobody uses; gives its id."""
    made = new_id()
    with sqlite3.connect(host.data / "host.sqlite", timeout=30) as database:
        row = (made, owner.user, tokens.new_token()[1], "2026-01-01 00:00:00.000000")
        database.execute("INSERT INTO tokens (id, user_id, digest, created_at) VALUES (?, ?, ?, ?)", row)
    database.close()
    return made


def reader(host: HostProcess, owner: Tenant) -> str:
    """Make a member who may only read; there is no operation for members yet, so the database is asked."""
    token, digest = tokens.new_token()
    user = new_id()
    moment = "2026-01-01 00:00:00.000000"
    with sqlite3.connect(host.data / "host.sqlite", timeout=30) as database:
        database.execute("INSERT INTO users VALUES (?, 'Reader', ?, ?)", (user, f"{user}@example.com", moment))
        database.execute("INSERT INTO members VALUES (?, ?, 'read', ?)", (owner.id, user, moment))
        database.execute("INSERT INTO tokens VALUES (?, ?, ?, ?)", (new_id(), user, digest, moment))
        database.execute("UPDATE epoch SET n = n + 1")
    database.close()
    return token


@pytest.fixture
def fresh(host: HostProcess, alpha: Tenant) -> Iterator[World]:
    """A world of its own, for operations that change it."""
    yield build(host, alpha)


def api_of(world: World, good: Good) -> Api:
    return {"user": world.installed.owner.api, "integration": world.integration, "installation": world.installation}[
        good.token
    ]


def send(world: World, operation: Operation, api: Api | None = None, **more: Any) -> Answer:
    good = GOOD[operation.name]
    path = more.pop("path", None) or world.path(operation)
    body = more.pop("body", good.body(world) if good.body else None)
    query = good.query(world) | more.pop("query", {})
    return (api or api_of(world, good)).call(operation.method, path, body, params=query, **more)


def is_error(answer: Answer, status: int) -> None:
    """One shape, and nothing that tells about the inside."""
    assert answer.status == status, answer.text
    assert set(answer.json) == {"error"}
    assert set(answer.json["error"]) == {"code", "message"}
    assert answer.json["error"]["code"] == status
    message = answer.json["error"]["message"]
    assert message and "\n" not in message
    assert not any(word in message for word in ("Traceback", "sqlite", "SELECT", "psycopg", "/runtime/"))


def test_every_operation_has_a_good_request() -> None:
    assert set(GOOD) == set(OPERATIONS)


def test_every_operation_says_what_it_is() -> None:
    for operation in OPERATIONS.values():
        assert operation.summary.endswith((".", ")."))
        assert not operation.needs.public


@pytest.mark.parametrize("name", ALL)
def test_works(name: str, world: World, request: pytest.FixtureRequest) -> None:
    operation = OPERATIONS[name]
    here: World = request.getfixturevalue("fresh") if operation.method != "GET" else world
    if name == "installIntegration":
        assert send(here, OPERATIONS["uninstallIntegration"]).status == 205
    elif name == "installIntegrationOnSpace":
        assert send(here, OPERATIONS["uninstallIntegrationFromSpace"]).status == 205
    elif name == "installIntegrationOnSite":
        assert send(here, OPERATIONS["uninstallIntegrationFromSite"]).status == 205
    answer = send(here, operation)
    assert answer.status == operation.status, answer.text
    if operation.status in (204, 205):
        assert answer.text == ""
    elif operation.adapter is not None and operation.answers is not dict:
        operation.adapter.validate_python(answer.json)
    if operation.status == 201:
        assert answer.headers["Location"].startswith("http")


@pytest.mark.parametrize(
    "name", [name for name in ALL if OPERATIONS[name].method == "DELETE" and OPERATIONS[name].missing]
)
def test_deleting_what_is_gone_answers_204(name: str, fresh: World) -> None:
    operation = OPERATIONS[name]
    assert send(fresh, operation).status == 205
    assert send(fresh, operation).status == 204


@pytest.mark.parametrize("token", [None, "", "rubbish", "dk_unknown", "a.b.c", "x" * 5000])
@pytest.mark.parametrize("name", ALL)
def test_no_token_or_a_foreign_one(name: str, token: str | None, world: World) -> None:
    is_error(send(world, OPERATIONS[name], Api(world.installed.owner.api.url, token)), 401)


@pytest.mark.parametrize("name", [name for name in ALL if OPERATIONS[name].parameters])
def test_an_id_that_does_not_exist(name: str, world: World) -> None:
    operation = OPERATIONS[name]
    for parameter in operation.parameters:
        if parameter in operation.missing:
            continue
        is_error(send(world, operation, path=world.path(operation, **{parameter: "nowhere"})), 404)


@pytest.mark.parametrize("name", [name for name in ALL if OPERATIONS[name].parameters])
def test_another_organisations_id_answers_404(name: str, world: World, beta: Tenant) -> None:
    operation = OPERATIONS[name]
    if operation.name == "publishIntegration":
        body = GOOD[name].body
        assert body is not None
        is_error(send(world, operation, beta.api, body=body(world)), 404)
    elif operation.method == "DELETE" and operation.missing == {*operation.parameters}:
        assert send(world, operation, beta.api).status == 204
    else:
        is_error(send(world, operation, beta.api), 404)


@pytest.mark.parametrize("name", [name for name in CHANGING if name not in FOR_READERS])
def test_a_weak_role_is_named(name: str, world: World) -> None:
    operation = OPERATIONS[name]
    answer = send(world, operation, world.reader)
    is_error(answer, 403)
    message = answer.json["error"]["message"]
    assert "user token" in message
    assert "role `read`" in message or not operation.needs.user
    needed = operation.needs.role or ("admin" if name in RULED_BY_BODY else None)
    assert needed is None or f"role `{needed}`" in message


@pytest.mark.parametrize("name", ALL)
def test_the_wrong_kind_of_token_is_named(name: str, world: World) -> None:
    needs = OPERATIONS[name].needs
    if not needs.integration:
        answer = send(world, OPERATIONS[name], world.integration)
        is_error(answer, 403)
        assert "integration token" in answer.json["error"]["message"]
    if not needs.installation:
        answer = send(world, OPERATIONS[name], world.installation)
        is_error(answer, 403)
        assert "installation token" in answer.json["error"]["message"]
    if not needs.user:
        answer = send(world, OPERATIONS[name], world.installed.owner.api)
        is_error(answer, 403)
        assert "user token" in answer.json["error"]["message"]


def test_a_missing_scope_is_named(world: World) -> None:
    answer = world.installation.get(f"/v1/orgs/{world.installed.owner.id}/sites/{world.installed.site}")
    is_error(answer, 403)
    assert "site:metadata:read" in answer.json["error"]["message"]


@pytest.mark.parametrize("name", WITH_BODY)
def test_broken_bodies(name: str, world: World) -> None:
    operation, good = OPERATIONS[name], GOOD[name]
    api, path = api_of(world, good), world.path(operation)
    headers = {"Content-Type": "application/json"}
    for content in (b"{", b"[1]", b"null", b"\xff\xfe", b'{"a":' * 5000, b'"text"', b"NaN"):
        is_error(api.call(operation.method, path, data=content, headers=headers), 400)
    if not operation.body_optional:
        is_error(api.call(operation.method, path, headers=headers), 400)
    is_error(api.call(operation.method, path, data=b"title=x", headers={"Content-Type": "text/plain"}), 415)


@pytest.mark.parametrize("name", WITH_BODY)
def test_spoiled_fields_are_named(name: str, world: World) -> None:
    operation, good = OPERATIONS[name], GOOD[name]
    assert good.body is not None and good.spoiled
    for field, value in good.spoiled.items():
        answer = send(world, operation, body=good.body(world) | {field: value})
        is_error(answer, 400)
        assert field.split("_")[0] in answer.json["error"]["message"], answer.text


@pytest.mark.parametrize("name", WITH_BODY)
def test_missing_fields_are_named(name: str, world: World) -> None:
    operation = OPERATIONS[name]
    assert operation.body is not None
    required = [field for field in operation.body.model_fields.values() if field.is_required()]
    if required:
        is_error(send(world, operation, body={"unrelated": 1}), 400)


@pytest.mark.parametrize(
    "name", ["createSpace", "createSite", "triggerIntegrationEvent", "updateIntegrationInstallation"]
)
def test_unknown_fields_and_parameters_are_ignored(name: str, world: World) -> None:
    good = GOOD[name].body
    assert good is not None
    answer = send(world, OPERATIONS[name], body=good(world) | {"unknown": {"deep": [1]}}, query={"unknown": "1"})
    assert answer.status == OPERATIONS[name].status, answer.text


@pytest.mark.parametrize("name", WITH_BODY)
def test_eleven_megabytes(name: str, world: World) -> None:
    operation, good = OPERATIONS[name], GOOD[name]
    assert good.body is not None
    if name == "publishIntegration":
        answer = send(world, operation, body=good.body(world) | {"script": "#" + "x" * 11 * 1024 * 1024})
        is_error(answer, 400)
        assert "10485760" in answer.json["error"]["message"]
        return
    is_error(send(world, operation, body=good.body(world) | {"unknown": "x" * 11 * 1024 * 1024}), 413)


def test_a_body_that_does_not_say_how_long_it_is(world: World) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(300):
            yield b" " * 65536

    headers = {"Authorization": f"Bearer {world.installed.owner.api.token}", "Content-Type": "application/json"}
    url = world.installed.owner.api.url + f"/v1/orgs/{world.installed.owner.id}/spaces"
    try:
        status = requests.post(url, data=endless(), headers=headers, timeout=60).status_code
    except requests.ConnectionError:
        status = 413  # the host closed the connection before everything was sent
    assert status == 413


@pytest.mark.parametrize("name", LISTS)
def test_lists_page_and_refuse_bad_cursors(name: str, world: World) -> None:
    operation = OPERATIONS[name]
    whole = send(world, operation, query={"limit": "1000"}).json
    assert whole["count"] == len(whole["items"])
    assert "next" not in whole
    paged: list[Any] = []
    query = {"limit": "1"}
    while True:
        one = send(world, operation, query=query).json
        assert one["count"] == whole["count"]
        paged += one["items"]
        if "next" not in one:
            break
        query = {"limit": "1", "page": one["next"]["page"]}
    assert len(paged) == len(whole["items"])
    assert send(world, operation, query={"limit": "0"}).json["items"] == []
    for page in (
        "rubbish",
        "W10",
        "bnVsbA",
        "WzEsMl0",
        "%00",
        "eyJhIjoxfQ",
        "x" * 600,
        "WyJ4IiwieSJd",
        "W251bGwsbnVsbF0",
    ):
        is_error(send(world, operation, query={"page": page}), 400)
    for limit in ("-1", "1001", "many", "1.5", ""):
        is_error(send(world, operation, query={"limit": limit}), 400)


def test_nothing_changed_by_refused_requests(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    here = build(host, alpha)
    before = here.installed.owner.api.get(here.installed.path).json
    for name in CHANGING:
        if name.startswith("render"):
            continue
        send(here, OPERATIONS[name], beta.api)
        send(here, OPERATIONS[name], here.reader)
        send(here, OPERATIONS[name], Api(beta.api.url, "rubbish"))
    assert here.installed.owner.api.get(here.installed.path).json == before
    one = here.installed.owner.api.get(f"{here.installed.path}/installations/{here.installed.installation}")
    assert one.json["configuration"] == {} and one.json["status"] == "active"


def test_unknown_paths_and_methods(world: World) -> None:
    api = world.installed.owner.api
    is_error(api.get("/v1/nothing"), 404)
    is_error(api.get("/"), 404)
    is_error(api.call("PATCH", "/v1/user"), 405)
    is_error(api.call("PUT", "/v1/integrations"), 405)
