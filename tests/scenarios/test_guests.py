"""What guests find over HTTP: the content that is shared with them, and nothing else of an organization."""

from __future__ import annotations

from typing import Any

import pytest

from devkit.hosts import organizations, places
from devkit.hosts.client import Client
from devkit.hosts.credentials import Credentials
from devkit.terminal.output import Problem
from tests.conftest import Api, HostProcess, Installed, Tenant, installed, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.people import Person, collection, give, person, space, team
from tests.scenarios.script_calls import CALLS, call
from tests.scenarios.space_script import SCRIPT


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Guests", "guests@example.com")


def ids(api: Api, path: str, **query: Any) -> set[str]:
    return {one["id"] for one in ok(api.get(path, **query))["items"]}


def test_guests_find_what_is_shared_with_them_in_lists(host: HostProcess, owner: Tenant) -> None:
    home, guest = f"/v1/orgs/{owner.id}", person(host, owner, None)
    outer = collection(owner)
    inner, hidden = collection(owner, outer), collection(owner)
    alone, inside, other = space(owner), space(owner, inner), space(owner, hidden)
    assert ids(guest.api, "/v1/orgs") == {owner.id}
    assert ids(guest.api, f"{home}/spaces") == ids(guest.api, f"{home}/collections") == set()
    give(owner, f"/v1/spaces/{alone}", "read", users=[guest.id])
    give(owner, f"/v1/collections/{outer}", "edit", teams=[team(owner, guest)])
    assert ids(guest.api, f"{home}/spaces") == {alone, inside}
    assert ids(guest.api, f"{home}/collections") == {outer, inner}
    assert {alone, inside, other} <= ids(owner.api, f"{home}/spaces")
    me = f"{home}/members/{guest.id}"
    assert ok(guest.api.get(me))["role"] is None
    assert {one["space"]["id"] for one in ok(guest.api.get(f"{me}/spaces"))["items"]} == {alone, inside}
    assert guest.api.get(f"{home}/members/{owner.user}").status == 404
    assert guest.api.post(f"{home}/ping").status == 200 and "lastSeenAt" in ok(guest.api.get(me))
    owner.api.call("PATCH", me, {"role": "read"})
    assert other in ids(guest.api, f"{home}/spaces")


def test_guests_find_the_words_of_spaces_that_are_shared_with_them(host: HostProcess, owner: Tenant) -> None:
    shown, hidden = Space(owner), Space(owner)
    for one in (shown, hidden):
        one.merge(page("Walrus", "It swims."))
    guest, at = person(host, owner, None), f"/v1/orgs/{owner.id}"
    wait_for(lambda: {shown.id, hidden.id} <= ids(owner.api, f"{at}/search", query="walrus"))
    assert ids(guest.api, f"{at}/search", query="walrus") == set()
    give(owner, shown.path, "read", users=[guest.id])
    assert ids(guest.api, f"{at}/search", query="walrus") == {shown.id}
    sources = ok(guest.api.post(f"{at}/ask", {"query": "walrus"}))["answer"]["sources"]
    assert {one["space"] for one in sources} == {shown.id}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "members"),
        ("GET", "teams"),
        ("GET", "sites"),
        ("GET", "openapi"),
        ("GET", "translations"),
        ("GET", "integrations"),
        ("GET", "installations"),
        ("GET", "sso"),
        ("POST", "spaces"),
        ("POST", "collections"),
        ("PATCH", ""),
    ],
)
def test_the_rest_of_an_organization_is_closed(host: HostProcess, owner: Tenant, method: str, path: str) -> None:
    guest = person(host, owner, None)
    give(owner, f"/v1/spaces/{space(owner)}", "admin", users=[guest.id])
    refused = guest.api.call(method, f"/v1/orgs/{owner.id}/{path}".rstrip("/"), {} if method != "GET" else None)
    assert refused.status == 403 and "role `" in refused.text


def test_the_organization_is_shown_without_its_settings(host: HostProcess, owner: Tenant, beta: Tenant) -> None:
    home = f"/v1/orgs/{owner.id}"
    rule = {"rule": "custom", "expression": 'actor.email == "head@corp.example"'}
    rules = {"type": "rules", "rules": [rule]}
    settings = {"emailDomains": ["corp.example"], "mergeRules": rules, "defaultRole": "edit"}
    assert "head@corp" in owner.api.call("PATCH", home, settings).text
    guest, member = person(host, owner, None), person(host, owner)
    assert "head@corp" in member.api.get(home).text
    shown = ok(guest.api.get(home))
    assert (shown["title"], shown["emailDomains"], shown["mergeRules"]) == ("Guests", [], {"type": "none"})
    by_domain = "/v1/email-domains/corp.example/orgs"
    assert [one["id"] for one in ok(member.api.get(by_domain))["organizations"]] == [owner.id]
    assert ok(guest.api.get(by_domain))["organizations"] == []
    assert "defaultRole" not in shown and "defaultContent" not in shown
    assert {name for name, may in shown["permissions"].items() if may} == {"view"}
    one: Installed = installed(owner, SCRIPT, blocks=[], visibility="public")
    published = owner.api.get(one.path).json
    assert "head@corp" in str(published["owner"])
    for path in ("/v1/orgs", one.path):
        assert "corp.example" not in guest.api.get(path).text
    theirs = installed(beta, CALLS)
    listed = call(theirs, "integration", "GET", f"/v1/integrations?limit=1000&search={one.name}")
    assert one.name in str(listed) and "corp.example" not in str(listed)
    owner.api.call("PATCH", home, {"emailDomains": [], "mergeRules": {"type": "none"}})


def test_what_holds_a_space_that_is_shared_is_not_named(owner: Tenant, host: HostProcess) -> None:
    guest, hidden = person(host, owner, None), collection(owner)
    shown = space(owner, hidden)
    give(owner, f"/v1/spaces/{shown}", "admin", users=[guest.id])
    refused = guest.api.post(f"/v1/spaces/{shown}/duplicate")
    assert refused.status == 403 and hidden not in refused.text


def test_nobody_else_finds_anything(host: HostProcess, owner: Tenant, beta: Tenant) -> None:
    home, guest = f"/v1/orgs/{owner.id}", person(host, owner, None)
    give(owner, f"/v1/spaces/{space(owner)}", "read", users=[guest.id])
    for path in ("", "/spaces", "/collections", "/search?query=a", f"/members/{guest.id}"):
        assert beta.api.get(f"{home}{path}").status == 404
    assert beta.api.post(f"{home}/ping").status == 404
    assert guest.api.call("DELETE", f"{home}/members/{owner.user}").status == 403
    assert owner.api.get(f"{home}/members/{owner.user}").status == 200
    _leaves(guest, home)


def test_guests_name_their_organization_to_commands(host: HostProcess, owner: Tenant) -> None:
    guest, shown = person(host, owner, None), space(owner)
    give(owner, f"/v1/spaces/{shown}", "read", users=[guest.id])
    client = Client(Credentials(host.url, guest.api.token or ""))
    (mine,) = organizations.every(client)
    assert organizations.named([mine], owner.id) is mine and organizations.with_a_role(client) == []
    assert [one["id"] for one in places.listed(client, "space", owner.id)] == [shown]
    for name in (owner.id, "guests"):
        with pytest.raises(Problem, match="you are a guest in Guests"):
            organizations.organization_of(client, name)


def _leaves(guest: Person, home: str) -> None:
    assert guest.api.call("DELETE", f"{home}/members/{guest.id}").status == 205
    assert guest.api.get(home).status == 404 and ids(guest.api, "/v1/orgs") == set()
