"""Walks the table of operations: each answers as the contract says, and refuses everything else without a 500."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from runtime.store import schema
from tests import databases
from tests.conftest import Answer, Api, HostProcess, Tenant
from tests.contract.bounds_table import ADD_NOTHING, BOUNDED, BY_THE_HOST
from tests.contract.operation_walk import OPERATIONS, api_of, build, send
from tests.contract.requests_table import (
    FREE,
    GOOD,
    HIDDEN,
    NOTHING,
    World,
)
from tests.scenarios.people import give, person, space

ALL = sorted(OPERATIONS)
WITH_BODY = [name for name in ALL if OPERATIONS[name].body is not None]
LISTS = [name for name in ALL if OPERATIONS[name].paginated]
CHANGING = [name for name in ALL if OPERATIONS[name].method != "GET"]
FOR_READERS = {
    "askInOrganization",
    "createOrganization",
    "createUserToken",
    "joinOrganizationWithInvite",
    "renderIntegrationUIWithPost",
    "revokeUserToken",
    "resolvePublishedContentByUrl",
    "updateOrganizationMemberLastSeenAt",
    *(name for name in ALL if OPERATIONS[name].needs.role == "read"),
}
"""Operations that every member may call, whatever their method."""
KNOWN = {"joinOrganizationWithInvite"}
"""Operations that let in whoever knows an id."""
WITHOUT_LOCATION = {"createOrganizationTeam", "createTranslation", "createOpenAPISpec"}
"""Operations that create something whose answers have no `Location` in the contract."""
FOR_GUESTS = {
    "askInOrganization",
    "getOrganizationById",
    "listCollectionsInOrganizationById",
    "listSpacesInOrganizationById",
    "searchOrganizationContent",
    "updateOrganizationMemberLastSeenAt",
}
"""Operations on an organization that guests may call, and in which they see what is shared with them."""
RULED_BY_BODY = {"publishIntegration": "organization", "installIntegration": "organization"}
"""Operations whose organization is named in the body: the permission is checked after the body is read."""


@pytest.fixture(scope="module")
def world(host: HostProcess, alpha: Tenant, beta: Tenant) -> World:
    return build(host, alpha)


@pytest.fixture(scope="module")
def guest(host: HostProcess, alpha: Tenant, world: World) -> Api:
    """Somebody without a role in the world's organization, who may read another space of it."""
    made = person(host, alpha, None)
    give(alpha, f"/v1/spaces/{space(alpha)}", "read", users=[made.id])
    return made.api


@pytest.fixture
def fresh(host: HostProcess, alpha: Tenant, request: pytest.FixtureRequest) -> Iterator[World]:
    """A world of its own, for operations that change it; with a specification only where their path names one.

    It is in an organization of its own: what one may have of some things is less than there are operations.
    """
    operation = OPERATIONS[request.node.callspec.params["name"]]
    owner = Tenant(alpha.api.post("/v1/orgs", {"title": "Fresh"}).json["id"], alpha.user, alpha.api)
    yield build(host, owner, specified="specSlug" in operation.parameters)


NONE_THERE = "the world has one of each: `build` makes it, or its table does not show it (`visible_to`)"


def is_error(answer: Answer, status: int) -> None:
    """One shape, and nothing that tells about the inside."""
    assert answer.status == status, answer.text
    assert set(answer.json) == {"error"}
    assert set(answer.json["error"]) == {"code", "message"}
    assert answer.json["error"]["code"] == status
    message = answer.json["error"]["message"]
    assert message and "\n" not in message
    assert not any(word in message for word in ("Traceback", "sqlite", "SELECT", "psycopg", "/runtime/"))


def row_counts(host: HostProcess) -> dict[str, int]:
    """Count the rows of every table."""
    tables = (str(table.__tablename__) for table in schema.TABLES)
    counting = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables)
    return {str(table): int(count) for table, count in databases.ask(host.data, counting)}


def test_every_operation_has_a_good_request() -> None:
    assert set(GOOD) == set(OPERATIONS), "put a good request of these into GOOD of requests_table.py"


def test_every_parameter_names_something(world: World) -> None:
    asked = {parameter for operation in OPERATIONS.values() for parameter in operation.parameters}
    assert not {one for one in asked if world.value(one) == NOTHING}, "say in `build` what these are"


def test_every_operation_says_what_it_is() -> None:
    for operation in OPERATIONS.values():
        assert operation.summary.endswith((".", ")."))


def test_what_an_operation_adds_is_bounded() -> None:
    adding = {name for name in ALL if OPERATIONS[name].method in ("POST", "PUT")}
    assert not adding - BOUNDED.keys() - ADD_NOTHING, "say in bounds_table.py what bounds the rows that these add"
    assert not (BOUNDED.keys() | ADD_NOTHING) - OPERATIONS.keys()
    assert not BOUNDED.keys() & ADD_NOTHING
    tables = {str(table.__tablename__) for table in schema.TABLES}
    assert not {table for added in BOUNDED.values() for table in added} - tables
    assert all(most > 0 for added in BOUNDED.values() for most in added.values())


@pytest.mark.parametrize("name", ALL)
def test_works(name: str, host: HostProcess, world: World, request: pytest.FixtureRequest) -> None:
    operation = OPERATIONS[name]
    here: World = request.getfixturevalue("fresh") if operation.method != "GET" else world
    if name == "installIntegration":
        assert send(here, OPERATIONS["uninstallIntegration"]).status == 205
    elif name == "installIntegrationOnSpace":
        assert send(here, OPERATIONS["uninstallIntegrationFromSpace"]).status == 205
    elif name == "installIntegrationOnSite":
        assert send(here, OPERATIONS["uninstallIntegrationFromSite"]).status == 205
    elif name == "restoreSpace":
        assert send(here, OPERATIONS["deleteSpaceById"]).status == 205
    elif name == "transferSpace":  # one of a site stays where it is
        here.installed.space = here.installed.owner.api.post(f"/v1/orgs/{here.installed.owner.id}/spaces").json["id"]
    body = GOOD[name].body
    sent = {"body": body(here)} if body is not None else {}  # made before, as it may make what it names
    before = row_counts(host)
    answer = send(here, operation, **sent)
    more = {table for table, count in row_counts(host).items() if count > before[table]}
    assert more - BY_THE_HOST <= {*BOUNDED.get(name, {})}, "say in bounds_table.py what bounds these rows"
    assert answer.status == operation.status, answer.text
    if operation.status in (204, 205):
        assert answer.text == ""
    elif operation.adapter is not None and operation.answers is not dict:
        operation.adapter.validate_python(answer.json)
    if operation.status == 201 and name in WITHOUT_LOCATION:
        assert "Location" not in answer.headers
    elif operation.status == 201 and "urls" in (answer.json or {}):
        assert answer.headers["Location"].startswith("http")


@pytest.mark.parametrize(
    "name", [name for name in ALL if OPERATIONS[name].method == "DELETE" and OPERATIONS[name].missing]
)
def test_deleting_what_is_gone_answers_204(name: str, fresh: World) -> None:
    operation = OPERATIONS[name]
    assert send(fresh, operation).status == operation.status
    assert send(fresh, operation).status == 204


@pytest.mark.parametrize("token", [None, "", "rubbish", "dk_unknown", "a.b.c", "x" * 5000])
@pytest.mark.parametrize("name", ALL)
def test_no_token_or_a_foreign_one(name: str, token: str | None, world: World) -> None:
    if OPERATIONS[name].needs.public and not token:
        assert send(world, OPERATIONS[name], Api(world.installed.owner.api.url, None)).status == 200
        return
    is_error(send(world, OPERATIONS[name], Api(world.installed.owner.api.url, token)), 401)


@pytest.mark.parametrize("name", [name for name in ALL if OPERATIONS[name].parameters])
def test_an_id_that_does_not_exist(name: str, world: World) -> None:
    operation = OPERATIONS[name]
    for parameter in operation.parameters:
        if parameter in operation.missing or parameter in FREE:
            continue
        is_error(send(world, operation, path=world.path(operation, **{parameter: "nowhere"})), 404)


@pytest.mark.parametrize("name", [name for name in ALL if {*OPERATIONS[name].parameters} - FREE and name not in KNOWN])
def test_another_organizations_id_answers_404(name: str, world: World, beta: Tenant) -> None:
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


@pytest.mark.parametrize("name", [name for name in ALL if {*OPERATIONS[name].parameters} - FREE and name not in KNOWN])
def test_a_guest_gets_nothing_but_what_is_shared(name: str, world: World, guest: Api) -> None:
    operation = OPERATIONS[name]
    answer = send(world, operation, guest)
    if name in FOR_GUESTS:
        assert answer.status == operation.status, answer.text
        others = {world.installed.space, world.installed.site, *world.named.values()} - {"", NOTHING}
        assert not [one for one in others if len(one) >= len(world.installed.space) and one in answer.text]
    elif operation.method == "DELETE" and operation.missing == {*operation.parameters}:
        assert answer.status == 204  # as for what is not there
    else:
        assert answer.status in (403, 404), answer.text
        is_error(answer, answer.status)


@pytest.mark.parametrize("name", [name for name in ALL if HIDDEN & {*OPERATIONS[name].parameters}])
def test_scripts_find_nothing_of_what_people_alone_see(name: str, world: World) -> None:
    for api in (world.integration, world.installation):
        assert send(world, OPERATIONS[name], api).status in (403, 404)


@pytest.mark.parametrize("name", [name for name in ALL if not HIDDEN & {*OPERATIONS[name].parameters}])
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
def test_compressed_bodies(name: str, world: World) -> None:
    operation, good = OPERATIONS[name], GOOD[name]
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    path, content = world.path(operation), gzip.compress(b"{}")
    answer = api_of(world, good).call(operation.method, path, data=content, headers=headers)
    is_error(answer, 415)
    assert "`identity`" in answer.json["error"]["message"]
    assert answer.headers["Accept-Encoding"] == "identity"


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
    more = max(11 * 1024 * 1024, operation.max_body_bytes)
    is_error(send(world, operation, body=good.body(world) | {"unknown": "x" * more}), 413)


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
    assert whole["count"] == len(whole["items"]) > 0, NONE_THERE
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
    for name in sorted({*CHANGING} - KNOWN):
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
    assert "no operation `GET /v1/nothing`; /openapi.json lists" in api.get("/v1/nothing").text
    assert "no operation `PATCH /v1/user`; at this address there is GET" in api.call("PATCH", "/v1/user").text
    is_error(api.get("/"), 404)
    is_error(api.call("PATCH", "/v1/user"), 405)
    is_error(api.call("PUT", "/v1/integrations"), 405)
