"""An integration is installed, configured, paused and uninstalled by hand, on the pages of its organization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from playwright.sync_api import expect

from runtime.contract.identifiers import new_id
from tests.browser.admin_places import PROPERTIES, publish
from tests.browser.admin_sign_in import sign_in
from tests.browser.conftest import Looker
from tests.conftest import HostProcess, Tenant, tenant, wait_for

NOBODY = {"componentId": "setup"}


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Installers", f"{new_id()}@example.com")


@pytest.fixture(params=[False, True], ids=["without scripts", "with scripts"])
def plain(request: pytest.FixtureRequest, browser: Any, host: HostProcess, owner: Tenant) -> Iterator[Any]:
    """A page of somebody who signed in, with JavaScript and without."""
    context = browser.new_context(base_url=host.url, java_script_enabled=request.param)
    page = context.new_page()
    page.set_default_timeout(30_000)
    sign_in(page, owner)
    yield page
    context.close()


@pytest.fixture
def scripted(browser: Any, host: HostProcess, owner: Tenant) -> Iterator[Any]:
    """The same with JavaScript, and nothing may go wrong on it."""
    context = browser.new_context(base_url=host.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    looking = Looker(page)
    sign_in(page, owner)
    yield page
    looking.check()
    context.close()


def installation_of(owner: Tenant, name: str) -> Any:
    for one in owner.api.get(f"/v1/orgs/{owner.id}/installations").json["items"]:
        if one["integration"]["name"] == name:
            return one["installation"]
    return None


def test_an_integration_is_installed_and_configured_by_a_form(plain: Any, owner: Tenant) -> None:
    title = f"Form {new_id()[:6]}"
    every = {"account": PROPERTIES, "space": PROPERTIES}
    name = publish(owner, title, configurations=every, target="space")
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": f"Space of {title}"}).json["id"]
    plain.goto(f"/app/orgs/{owner.id}/integrations?search={title.split()[1]}")
    plain.get_by_role("link", name=title).click()
    expect(plain.get_by_text("Read the content of spaces")).to_be_visible()
    plain.get_by_role("button", name="Install on Installers").click()
    expect(plain.get_by_text("Setup not complete")).to_be_visible()
    plain.get_by_role("link", name="Configuration").click()
    plain.get_by_label("Size").fill("a lot")
    plain.get_by_label("Word").fill("hello")
    plain.get_by_label("Key").fill("a-secret-key")
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_role("alert")).to_contain_text("not a number")
    expect(plain.get_by_label("Word")).to_have_value("hello")
    expect(plain.get_by_label("Key")).to_have_value("")  # never sent back, not even to who typed it
    plain.get_by_label("Size").fill("2.5")
    plain.get_by_label("Key").fill("a-secret-key")
    plain.get_by_label("Loud").check()
    plain.get_by_label("Color").select_option("blue")
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_text("Saved.")).to_be_visible()
    stored = {"word": "hello", "size": 2.5, "loud": True, "color": "blue", "key": "a-secret-key"}
    assert installation_of(owner, name)["configuration"] == stored
    assert "a-secret-key" not in plain.content()
    plain.get_by_label("Word").fill("bye")
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_text("Saved.")).to_be_visible()
    assert installation_of(owner, name)["configuration"] == {**stored, "word": "bye"}
    plain.get_by_label("Remove the stored Key").check()
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_label("Remove the stored Key")).to_have_count(0)
    assert "key" not in installation_of(owner, name)["configuration"]

    plain.get_by_role("link", name=title).click()
    plain.get_by_role("link", name="Spaces").click()
    plain.get_by_role("button", name=f"Add Space of {title}").click()
    plain.get_by_role("link", name=f"Configure Space of {title}").click()
    plain.get_by_label("Word").fill("here")
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_text("Saved.")).to_be_visible()
    one = f"/v1/integrations/{name}/installations/{installation_of(owner, name)['id']}"
    assert owner.api.get(f"{one}/spaces/{space}").json["configuration"]["word"] == "here"
    plain.get_by_role("link", name="Spaces").click()
    plain.get_by_role("button", name=f"Pause Space of {title}").click()
    expect(plain.get_by_role("button", name=f"Resume Space of {title}")).to_be_visible()
    plain.get_by_label("All, and each new one").check()
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_role("button", name=f"Remove Space of {title}")).to_have_count(0)
    assert installation_of(owner, name)["space_selection"] == "all"

    plain.goto(f"/app/orgs/{owner.id}/integrations/{name}")
    plain.get_by_role("button", name="Pause").click()
    expect(plain.get_by_text("Paused", exact=True)).to_be_visible()
    assert installation_of(owner, name)["status"] == "paused"
    plain.get_by_role("button", name="Resume").click()
    expect(plain.get_by_text("Active", exact=True)).to_be_visible()
    plain.get_by_role("link", name="Uninstall").click()
    plain.get_by_role("link", name="Cancel").click()
    plain.get_by_role("link", name="Uninstall").click()
    plain.get_by_role("button", name="Uninstall").click()
    expect(plain.get_by_role("heading", name="Integrations", level=1)).to_be_visible()
    assert installation_of(owner, name) is None


def test_a_screen_is_drawn_by_the_script_as_who_is_signed_in(scripted: Any, owner: Tenant) -> None:
    name = publish(owner, "Screen", configurations={"account": NOBODY})
    scripted.goto(f"/app/integrations/{name}")  # leads to the one organization there is
    scripted.get_by_role("button", name="Install on Installers").click()
    scripted.get_by_role("link", name="Configuration").click()
    expect(scripted.get_by_text("Known as nobody")).to_be_visible()
    scripted.get_by_label("Name").fill("Ada")
    scripted.get_by_role("button", name="Save").click()
    expect(scripted.get_by_text("Saved.")).to_be_visible()
    assert installation_of(owner, name)["configuration"] == {"name": "Ada"}
    scripted.reload()
    expect(scripted.get_by_text("Known as Ada")).to_be_visible()


def test_a_screen_offers_the_specifications_of_the_organization(scripted: Any, owner: Tenant) -> None:
    slug = f"spec-{new_id().lower()}"
    specs = f"/v1/orgs/{owner.id}/openapi/{slug}"
    assert owner.api.call("PUT", specs, {"source": {"text": "openapi: 3.1.0"}}).status == 201
    name = publish(owner, "Chooses", configurations={"account": {"componentId": "choose"}})
    owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    scripted.goto(f"/app/orgs/{owner.id}/integrations/{name}/configuration")
    scripted.get_by_label("Specification").select_option(slug)
    expect(scripted.get_by_label("Specification")).to_have_value(slug)


def test_a_field_has_the_suggestions_of_the_script(scripted: Any, owner: Tenant) -> None:
    word = {"type": "string", "title": "Word", "completion_url": "/words"}
    name = publish(owner, "Suggests", configurations={"account": {"properties": {"word": word}}})
    owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    scripted.goto(f"/app/orgs/{owner.id}/integrations/{name}/configuration")
    scripted.get_by_label("Word").focus()
    expect(scripted.locator("datalist option")).to_have_attribute("value", "w1")


def test_events_are_filtered_and_shown_with_their_trace(plain: Any, owner: Tenant) -> None:
    name = publish(owner, "Eventful")
    made = owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    events = f"/v1/integrations/{name}/events"
    wait_for(lambda: owner.api.get(events, status="success", type="installation_setup").json["items"])
    plain.goto(f"/app/orgs/{owner.id}/integrations/{name}")
    plain.get_by_role("link", name="Events").click()
    plain.get_by_label("Type").select_option("installation_setup")
    plain.get_by_label("Result").select_option("Delivered")
    plain.get_by_label("Installation").select_option("Installers")
    plain.get_by_role("button", name="Filter").click()
    plain.get_by_role("link", name="installation_setup").click()
    expect(plain.get_by_text(f"hello from {made.json['id']}")).to_be_visible()
    plain.get_by_role("link", name="Events").click()
    plain.get_by_label("Result").select_option("Not delivered")
    plain.get_by_role("button", name="Filter").click()
    expect(plain.get_by_text("Nothing matches.")).to_be_visible()


def test_a_render_needs_the_code_of_a_page_and_a_session(scripted: Any, owner: Tenant, host: HostProcess) -> None:
    name = publish(owner, "Guarded", configurations={"account": NOBODY})
    owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    at = f"/app/orgs/{owner.id}/integrations/{name}"
    context = {"type": "configuration_account", "organizationId": owner.id, "theme": "light"}
    body = {"componentId": "setup", "props": {}, "context": context}
    assert requests.post(f"{host.url}{at}/render", json=body, timeout=10).status_code == 403
    scripted.goto(f"{at}/configuration")
    code = scripted.locator("#screen").get_attribute("data-csrf")
    asked = scripted.context.request
    headers = {"X-CSRF-Token": code}
    assert asked.post(f"{at}/render", data=body).status == 403
    assert asked.post(f"{at}/render", data=body, headers={"X-CSRF-Token": "é"}).status == 403
    assert asked.post(f"{at}/render", data=body, headers={**headers, "Origin": "https://evil.example"}).status == 403
    assert asked.post(f"{at}/render", data=body, headers=headers).json()["element"]["type"] == "configuration"
    foreign = {**context, "organizationId": new_id()}
    assert asked.post(f"{at}/render", data={**body, "context": foreign}, headers=headers).status == 404
    document = {"type": "document", "spaceId": new_id(), "editable": False, "theme": "light"}
    assert asked.post(f"{at}/render", data={**body, "context": document}, headers=headers).status == 400
    assert asked.post(f"{at}/render", data={**body, "props": {"a": "b" * 300_000}}, headers=headers).status == 413
    fields = {f"field-{number}": "x" for number in range(300)}
    assert asked.post(f"{at}/configuration", form={"csrf": code, **fields}).status == 400
    assert asked.post(f"{at}/install", form={"csrf": "wrong"}).status == 403


def test_who_may_only_read_sees_no_buttons_and_no_events(browser: Any, host: HostProcess, owner: Tenant) -> None:
    name = publish(owner, "Looked at", configurations={"account": PROPERTIES})
    owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    reader = tenant(host, "Readers", f"{new_id().lower()}@example.com")
    email = reader.api.get("/v1/user").json["email"]
    invited = owner.api.post(f"/v1/orgs/{owner.id}/invites", {"emails": [email], "role": "read"}).json
    invite = invited["links"][0]["url"].rsplit("/", 1)[1]
    assert reader.api.post(f"/v1/orgs/{owner.id}/invites/{invite}").status == 200
    page = browser.new_context(base_url=host.url).new_page()
    at = f"/app/orgs/{owner.id}/integrations/{name}"
    page.goto(at)  # leads to signing in, and back
    page.get_by_label("Token").fill(str(reader.api.token))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Looked at")).to_be_visible()
    assert [one.inner_text() for one in page.get_by_role("button").all()] == ["Sign out"]
    assert page.goto(f"{at}/events").status in (403, 404)
    assert page.goto(f"{at}/configuration").status == 403
    assert page.goto(f"/app/orgs/{new_id()}/integrations").status == 404
    page.context.close()
