"""An integration's owner reads nothing of other organizations in its events; streams end with the right to them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest
import requests

from runtime.contract.identifiers import new_id
from runtime.store import tokens
from tests import databases
from tests.conftest import (
    Api,
    HostProcess,
    Installed,
    Tenant,
    free_port,
    init,
    installed,
    publication,
    tenant,
    wait_for,
)
from tests.contract.requests_table import page_view
from tests.scenarios.reading import Reading

SCRIPT = """
from runtime.sdk import Integration, Response, ui

integration = Integration()


@integration.component("settings")
def settings(element, context):
    context.log.info("configured with %s", context.configuration)
    return ui.configuration(ui.text("x"))


@integration.component("counter")
def counter(element, context):
    context.log.info("drawn with %s", element.props)
    return ui.block(ui.text("x"))


@integration.fetch("POST", "/hook")
def hook(request, context):
    context.log.info("told %s", request.text())
    if request.text().startswith("{"):
        for name, value in request.json().items():
            context.log.info("told of %s that it is %s", name, value)
        context.log.info("asked for %s", [*request.query.values()])
    return Response.json(context.environment["apiTokens"])


@integration.on("site_view")
def seen(event, context):
    context.log.info("seen %s", event["visitor"])
"""
SECRET = "their-private-word"
NUMBER = 4321987.25
MOMENT = "2026-01-01 00:00:00.000000"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("shown")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_PREVIEW": "1"}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def owner(shown: HostProcess) -> Tenant:
    return tenant(shown, "Owner", "owner@example.com")


@pytest.fixture(scope="module")
def guest(shown: HostProcess) -> Tenant:
    return tenant(shown, "Guest", "guest@example.com")


@dataclass
class Foreign:
    """An integration, and its installation with another organization."""

    one: Installed
    theirs: Installed
    script: Api
    installation: Api


def install_elsewhere(one: Installed, other: Tenant) -> Installed:
    space = other.api.post(f"/v1/orgs/{other.id}/spaces", {}).json["id"]
    site = other.api.post(f"/v1/orgs/{other.id}/sites", {"title": "Theirs", "spaces": [space]}).json["id"]
    made = other.api.post(f"{one.path}/installations", {"organization": other.id}).json["id"]
    mine = f"{one.path}/installations/{made}"
    assert other.api.post(f"{mine}/spaces", {"space": space}).status == 201
    assert other.api.post(f"{mine}/sites", {"siteId": site}).status == 201
    return Installed(one.name, other, made, space, site)


def happen(here: Installed, word: str) -> None:
    """Let an organization do with an integration what carries its own words."""
    api, mine = here.owner.api, f"{here.path}/installations/{here.installation}"
    for path in (mine, f"{mine}/spaces/{here.space}", f"{mine}/sites/{here.site}"):
        for value in ({"greeting": word}, {"greeting": word, "again": True}):
            assert api.call("PATCH", path, {"configuration": value}).status == 200
    part = {"configuration": {"greeting": word}}
    for context, props in (
        ({"type": "configuration_account", "organizationId": here.owner.id}, {"installation": part}),
        (
            {"type": "configuration_space", "spaceId": here.space},
            {"installation": part, "spaceInstallation": part},
        ),
        ({"type": "configuration_site", "siteId": here.site}, {"installation": part, "siteInstallation": part}),
    ):
        body = {
            "componentId": "settings",
            "props": props,
            "state": {"typed": word},
            "action": {"action": "save", "value": word},
            "context": {**context, "theme": "light"},
        }
        api.post(f"{here.path}/render", body)
    assert here.render("counter", props={"content": word}).status == 200
    shown = api.get(mine).json
    requests.post(f"{shown['urls']['publicEndpoint']}/hook?q={word}", data=word, headers={"X-Own": word}, timeout=30)
    told = {"name": f"{word}-told", f"{word}-named": NUMBER}
    requests.post(f"{shown['urls']['publicEndpoint']}/hook?q={word}-asked%20for", json=told, timeout=30)
    long = {"name": f"{word}-long", "more": "x" * 70_000}  # too long to be kept
    requests.post(f"{shown['urls']['publicEndpoint']}/hook", json=long, timeout=30)
    view = page_view()
    view["session"]["cookies"] = {"a": word}
    assert api.post(f"/v1/orgs/{here.owner.id}/sites/{here.site}/insights/events", {"events": [view]}).status == 204


@pytest.fixture(scope="module")
def foreign(owner: Tenant, guest: Tenant) -> Foreign:
    one = installed(owner, SCRIPT, visibility="public")
    theirs = install_elsewhere(one, guest)
    happen(theirs, SECRET)
    # What was logged of a configuration stays withheld when that is another one.
    at = f"{one.path}/installations/{theirs.installation}"
    for path in (at, f"{at}/spaces/{theirs.space}", f"{at}/sites/{theirs.site}"):
        assert guest.api.call("PATCH", path, {"configuration": {"greeting": "of today"}}).status == 200
    happen(one, "our-own-private-word")
    mine = f"{one.path}/installations/{one.installation}"
    endpoint = owner.api.get(mine).json["urls"]["publicEndpoint"]
    held = requests.post(endpoint + "/hook", timeout=30).json()
    kinds = {"site_view", "fetch", "ui_render", "site_installation_setup", "space_installation_setup"}

    def told() -> bool:
        items = owner.api.get(f"{one.path}/events", installation=theirs.installation, limit="1000").json["items"]
        return kinds <= {item["payload"]["type"] for item in items}

    wait_for(told)
    return Foreign(one, theirs, *(Api(owner.api.url, held[kind]) for kind in ("integration", "installation")))


def stream(api: Api, path: str, **query: str) -> str:
    headers = {"Authorization": f"Bearer {api.token}"}
    return requests.get(f"{api.url}{path}/events/stream", params=query, headers=headers, stream=True, timeout=60).text


def test_nothing_of_another_organization_is_in_any_form_of_an_event(foreign: Foreign, owner: Tenant) -> None:
    path = foreign.one.path
    listed = owner.api.get(f"{path}/events", limit="1000")
    streamed = stream(owner.api, path, last="1000", follow="false")
    details = [owner.api.get(f"{path}/events/{item['id']}").text for item in listed.json["items"]]
    for text in (listed.text, streamed, *details):
        assert SECRET not in text
    of_theirs = [text for text in details if foreign.theirs.installation in text]
    assert not [text for text in of_theirs if str(NUMBER) in text]
    assert any("told of [withheld] that it is [withheld]" in text for text in of_theirs)
    assert any("configured with {'greeting': '[withheld]'" in text for text in of_theirs)
    for item in listed.json["items"]:
        assert item.get("withheld", False) == (item.get("installationId") == foreign.theirs.installation)
    assert "our-own-private-word" in listed.text and "our-own-private-word" in streamed
    # What was withheld cannot be guessed at by searching, either.
    assert "event: event" not in stream(owner.api, path, last="1000", follow="false", text=SECRET)
    assert "event: event" in stream(owner.api, path, last="1000", follow="false", text="our-own-private-word")
    renders = [item["payload"] for item in listed.json["items"] if item["payload"]["type"] == "ui_render"]
    theirs = [one for one in renders if one["installationId"] == foreign.theirs.installation]
    assert theirs and all(one["props"] == {} and one["context"]["type"] for one in theirs)


def test_the_script_itself_and_administrators_of_both_read_all(foreign: Foreign, shown: HostProcess) -> None:
    path = foreign.one.path
    assert SECRET in foreign.script.get(f"{path}/events", limit="1000").text
    assert SECRET in stream(foreign.script, path, last="1000", follow="false")
    for text in (
        foreign.installation.get(f"{path}/events", limit="1000").text,
        stream(foreign.installation, path, last="1000", follow="false"),
        stream(foreign.installation, path, last="1000", follow="false", installation=foreign.theirs.installation),
    ):
        assert SECRET not in text and foreign.theirs.installation not in text
    both = person(shown, {foreign.one.owner.id: "admin", foreign.theirs.owner.id: "admin"})
    assert SECRET in both.get(f"{path}/events", limit="1000").text
    change(shown, both, foreign.theirs.owner.id, "create")
    assert SECRET not in both.get(f"{path}/events", limit="1000").text


def person(host: HostProcess, roles: dict[str, str]) -> Api:
    """Make somebody with roles; there is no operation for members yet, so the database is asked."""
    token, digest = tokens.new_token()
    user = new_id()
    ask = partial(databases.ask, host.data)
    ask("INSERT INTO users VALUES (?, 'Somebody', ?, ?)", (user, f"{user}@example.com", MOMENT))
    for organization, role in roles.items():
        ask(
            "INSERT INTO members (organization_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)",
            (organization, user, role, MOMENT),
        )
    ask("INSERT INTO tokens (id, user_id, digest, created_at) VALUES (?, ?, ?, ?)", (new_id(), user, digest, MOMENT))
    ask("UPDATE epochs SET n = n + 1")
    return Api(host.url, token)


def change(host: HostProcess, who: Api, organization: str, role: str | None) -> None:
    """Give somebody another role; None removes them, `out` takes their token."""
    digest = tokens.digest_of(who.token or "")
    ask = partial(databases.ask, host.data)
    ((user,),) = ask("SELECT user_id FROM tokens WHERE digest = ?", [digest])
    where = "organization_id = ? AND user_id = ?"
    if role == "out":
        ask("DELETE FROM tokens WHERE digest = ?", [digest])
    elif role is None:
        ask(f"DELETE FROM members WHERE {where}", (organization, user))
    else:
        ask(f"UPDATE members SET role = ? WHERE {where}", (role, organization, user))
    ask("UPDATE epochs SET n = n + 1")


STREAMS: dict[str, Callable[[Installed, str], str]] = {
    "events": lambda one, tunnel: f"{one.path}/events/stream",
    "preview": lambda one, tunnel: f"/preview/api/{one.name}/stream",
    "tunnel": lambda one, tunnel: f"/v1/tunnels/{tunnel}/stream",
}


@pytest.mark.parametrize("becomes", ["read", None, "out"])
@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_ends_with_the_right_to_it(kind: str, becomes: str | None, shown: HostProcess, owner: Tenant) -> None:
    one = installed(owner, SCRIPT)
    somebody = person(shown, {owner.id: "admin"})
    tunnel = somebody.post(f"/v1/orgs/{owner.id}/tunnels", {"name": "laptop"}).json
    reading = Reading(somebody, STREAMS[kind](one, tunnel["id"]))
    stays = Reading(owner.api, f"{one.path}/events/stream")
    change(shown, somebody, owner.id, becomes)
    wait_for(lambda: somebody.get(f"{one.path}/dev").status >= 400)  # the host noticed what was written beside it
    if kind == "tunnel":
        threading.Thread(target=lambda: requests.get(f"{tunnel['url']}/late", timeout=30), daemon=True).start()
    else:
        assert one.render("counter", props={"content": "late"}).status == 200
    wait_for(lambda: reading.ended)
    assert "late" not in reading.text and "ui_render" not in reading.text
    if kind != "tunnel":
        wait_for(lambda: "late" in stays.text)
    assert not stays.ended


@pytest.mark.parametrize("becomes", ["read", None, "out"])
@pytest.mark.parametrize("kind", STREAMS)
def test_a_silent_stream_ends_with_the_right_to_it(
    kind: str, becomes: str | None, shown: HostProcess, owner: Tenant
) -> None:
    one = installed(owner, SCRIPT)
    somebody = person(shown, {owner.id: "admin"})
    tunnel = somebody.post(f"/v1/orgs/{owner.id}/tunnels", {"name": "laptop"}).json
    reading = Reading(somebody, STREAMS[kind](one, tunnel["id"]))
    assert not reading.ended
    change(shown, somebody, owner.id, becomes)
    wait_for(lambda: reading.ended)


def test_a_demotion_that_leaves_the_stream_hides_what_it_takes(
    shown: HostProcess, owner: Tenant, guest: Tenant
) -> None:
    one = installed(owner, SCRIPT, visibility="public")
    theirs = install_elsewhere(one, guest)
    both = person(shown, {owner.id: "admin", guest.id: "admin"})
    reading = Reading(both, f"{one.path}/events/stream")
    assert theirs.render("counter", props={"content": "before-the-demotion"}).status == 200
    wait_for(lambda: "before-the-demotion" in reading.text)
    change(shown, both, guest.id, None)
    wait_for(lambda: both.get(f"/v1/orgs/{guest.id}").status == 404)
    assert theirs.render("counter", props={"content": "after-the-demotion"}).status == 200
    assert one.render("counter", props={"content": "of-our-own"}).status == 200
    wait_for(lambda: "of-our-own" in reading.text)
    assert reading.text.count("ui_render") >= 3 and "after-the-demotion" not in reading.text


def test_who_watches_a_name_before_its_first_version_does_not_watch_another_owners(
    shown: HostProcess, owner: Tenant, guest: Tenant
) -> None:
    name = f"test-{new_id()[:8].lower()}"
    reading = Reading(guest.api, f"/preview/api/{name}/stream")
    assert owner.api.post(f"/v1/integrations/{name}", publication(owner.id, SCRIPT)).status == 200
    wait_for(lambda: reading.ended)
    assert "event:" not in reading.text


def test_development_mode_ends_when_its_developer_is_no_administrator(shown: HostProcess, owner: Tenant) -> None:
    one = installed(owner, SCRIPT)
    developer = person(shown, {owner.id: "admin"})
    colleague = person(shown, {owner.id: "create"})
    tunnel, other = (
        api.post(f"/v1/orgs/{owner.id}/tunnels", {"name": "laptop"}).json for api in (developer, colleague)
    )
    refused = owner.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": other["url"]})
    assert refused.status == 400 and "not an administrator" in refused.json["error"]["message"]
    assert developer.call("PUT", f"{one.path}/dev", {"tunnelUrl": tunnel["url"]}).status == 204
    assert one.render("counter").status == 502  # nobody listens at the other end
    change(shown, developer, owner.id, "create")
    wait_for(lambda: one.render("counter").status == 200)
    assert owner.api.get(f"{one.path}/dev").json["tunnelUrl"] is None


@pytest.mark.parametrize("end", ["demoted", "removed"])
def test_development_mode_elsewhere_ends_when_who_named_it_is_no_administrator(
    shown: HostProcess, owner: Tenant, end: str
) -> None:
    one = installed(owner, SCRIPT)
    developer = person(shown, {owner.id: "admin"})
    elsewhere = f"http://127.0.0.1:{free_port()}/hook"
    assert developer.call("PUT", f"{one.path}/dev", {"tunnelUrl": elsewhere, "all": True}).status == 204
    assert one.render("counter").status == 502  # nobody listens there
    member = f"/v1/orgs/{owner.id}/members/{developer.get('/v1/user').json['id']}"
    ended = owner.api.call("DELETE", member) if end == "removed" else owner.api.call("PATCH", member, {"role": "edit"})
    assert ended.status in (200, 205)
    assert owner.api.get(f"{one.path}/dev").json == {"tunnelUrl": None, "all": False}
    wait_for(lambda: one.render("counter").status == 200)


def test_development_mode_elsewhere_ends_however_who_named_it_stopped_being_an_administrator(
    shown: HostProcess, owner: Tenant
) -> None:
    one = installed(owner, SCRIPT)
    developer = person(shown, {owner.id: "admin"})
    elsewhere = f"http://127.0.0.1:{free_port()}/hook"
    assert developer.call("PUT", f"{one.path}/dev", {"tunnelUrl": elsewhere}).status == 204
    change(shown, developer, owner.id, "edit")
    wait_for(lambda: one.render("counter").status == 200)
    assert owner.api.get(f"{one.path}/dev").json["tunnelUrl"] is None


def test_readers_of_a_site_are_told_of_to_its_own_authors_only(
    shown: HostProcess, owner: Tenant, guest: Tenant
) -> None:
    one = installed(owner, SCRIPT, visibility="public")
    theirs = install_elsewhere(one, guest)
    watching = Reading(owner.api, f"/preview/api/{one.name}/stream")
    for here in (theirs, one):
        api = here.owner.api
        site = f"/v1/orgs/{here.owner.id}/sites/{here.site}"
        home: str = api.call("PATCH", site, {"published": True, "visibility": "public"}).json["urls"]["published"]
        view = page_view()
        view["location"]["url"] = f"{home}of-{here.owner.id}"
        told = requests.post(f"{home}-/insights", json={"events": [view]}, timeout=30)
        assert told.status_code == 204, told.text
    wait_for(lambda: f"of-{owner.id}" in watching.text)
    assert f"of-{guest.id}" not in watching.text
