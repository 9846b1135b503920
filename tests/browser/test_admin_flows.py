"""What administrators do on the pages, by keyboard and with JavaScript off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Tenant, tenant, wait_for
from tests.scenarios.elsewhere import packed
from tests.scenarios.people import person

PHONE = {"width": 360, "height": 740}


@pytest.fixture
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Flows", f"{new_id()}@example.com")


@pytest.fixture
def page(browser: Any, host: HostProcess, owner: Tenant) -> Iterator[Any]:
    """A phone without JavaScript, signed in."""
    context = browser.new_context(viewport=PHONE, java_script_enabled=False, base_url=host.url)
    shown = context.new_page()
    shown.set_default_timeout(30_000)
    shown.goto("/app/sign-in")
    shown.get_by_label("Token").fill(str(owner.api.token))
    shown.keyboard.press("Enter")
    shown.get_by_role("link", name="Flows", exact=True).press("Enter")
    expect(shown.get_by_role("heading", name="Flows", level=1)).to_be_visible()
    yield shown
    context.close()


def part(page: Any, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).press("Enter")
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


def test_a_team_is_made_and_a_person_invited_into_it(page: Any, browser: Any, host: HostProcess) -> None:
    email = f"{new_id().lower()}@example.com"
    part(page, "Members")
    page.get_by_role("link", name="Invite people").press("Enter")
    page.get_by_label("E-mail addresses").fill(email)
    page.get_by_label("Role", exact=True).select_option("edit")
    page.get_by_role("button", name="Invite").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("1 person is invited")
    address = page.get_by_role("status").locator("code").inner_text()

    context = browser.new_context(java_script_enabled=False)
    guest = context.new_page()
    guest.goto(address)
    guest.get_by_label("Your name").fill("Ida")
    guest.get_by_role("button", name="Join").press("Enter")
    expect(guest.get_by_role("link", name="Flows", exact=True)).to_be_visible()

    part(page, "Teams")
    page.get_by_label("Title of the team").fill("Writers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Writers", level=1)).to_be_visible()
    page.get_by_label("Add members by e-mail address").fill("nobody@example.com")
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not a member")
    expect(page.get_by_label("Add members by e-mail address")).to_have_value("nobody@example.com")
    page.get_by_label("Add members by e-mail address").fill(email)
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    page.get_by_label("What Ida is in the team").first.select_option("owner")
    page.get_by_role("button", name="Change what Ida is in the team").press("Enter")
    expect(page.get_by_label("What Ida is in the team").first).to_have_value("owner")
    guest.goto(page.url)
    expect(guest.get_by_role("button", name="Add", exact=True)).to_be_visible()
    context.close()

    part(page, "Members")
    page.get_by_role("link", name="Remove Ida").press("Enter")
    page.get_by_role("link", name="Cancel").press("Enter")
    page.get_by_role("link", name="Remove Ida").press("Enter")
    page.get_by_role("button", name="Remove member").press("Enter")
    expect(page.get_by_text("Ida", exact=True)).to_have_count(0)


def test_content_is_put_in_order(page: Any) -> None:
    part(page, "Content")
    page.get_by_label("Title of the collection").fill("Handbook")
    page.keyboard.press("Enter")
    for title in ("First", "Second"):
        page.get_by_role("link", name="Create something in it").press("Enter")
        page.get_by_label("Title of the space").fill(title)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        page.get_by_role("navigation").get_by_role("link", name="Handbook").press("Enter")
    page.get_by_role("link", name="Second").press("Enter")
    expect(page.get_by_text("number 2 of 2")).to_be_visible()
    page.get_by_role("button", name="Move up").press("Enter")
    expect(page.get_by_text("number 1 of 2")).to_be_visible()
    page.get_by_role("link", name="Delete space").press("Enter")
    page.get_by_role("button", name="Delete space").press("Enter")
    expect(page.get_by_role("link", name="First")).to_be_visible()
    page.get_by_role("link", name="Restore Second").press("Enter")
    page.get_by_role("button", name="Restore space").press("Enter")
    expect(page.get_by_text("number 1 of 2")).to_be_visible()


def test_a_change_request_is_read_and_merged(page: Any, owner: Tenant) -> None:
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Manual"}).json["id"]
    at = f"/v1/spaces/{space}/change-requests"
    for subject, text in (("First", "One."), ("Second", "Two."), ("Third", "Three.")):
        made = owner.api.post(at, {"subject": subject}).json["id"]
        kind = "insert_page" if subject == "First" else "update_page"
        change = {"type": kind, "id": "guide", "title": "Guide", "document": {"markdown": text}}
        assert subject == "Third" or owner.api.post(f"{at}/{made}/content", {"changes": [change]}).status == 200
        if subject == "First":
            assert owner.api.post(f"{at}/{made}/merge").json["result"] == "merge"
            continue
        assert owner.api.call("PATCH", f"{at}/{made}", {"status": "open"}).status == 200
    assert owner.api.post(f"{at}/{made}/content", {"changes": [change]}).status == 200
    page.goto(f"/app/spaces/{space}")
    page.get_by_role("link", name="Pages").press("Enter")
    page.get_by_role("link", name="Guide").press("Enter")
    expect(page.get_by_label("Text as Markdown")).to_contain_text("One.")
    page.get_by_role("link", name="Manual").press("Enter")
    page.get_by_role("link", name="Change requests").press("Enter")
    page.get_by_role("link", name="Second").press("Enter")
    expect(page.get_by_text("Changed the page Guide")).to_be_visible()
    page.get_by_role("button", name="Merge into the space").press("Enter")
    expect(page.get_by_text("merged", exact=True)).to_be_visible()
    page.get_by_role("link", name="Change requests").press("Enter")
    page.get_by_role("link", name="Third").press("Enter")
    page.get_by_role("button", name="Update from the space").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Guide")
    expect(page.get_by_text("open", exact=True)).to_be_visible()


def test_a_file_is_imported_into_a_new_change_request(page: Any, owner: Tenant) -> None:
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Manual"}).json["id"]
    page.goto(f"/app/spaces/{space}/pages")
    page.get_by_role("link", name="Import", exact=True).press("Enter")
    page.get_by_role("button", name="Start import").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("choose a file")
    content = packed({"a.md": "# First page", "inner.zip": "no"})
    page.get_by_label("File").set_input_files({"name": "docs.zip", "mimeType": "application/zip", "buffer": content})
    page.get_by_role("button", name="Start import").press("Enter")
    expect(page.get_by_role("heading", name="Zip of a folder", level=1)).to_be_visible()
    (made,) = owner.api.get(f"/v1/spaces/{space}/imports").json["items"]
    over(owner, space, made["id"])
    page.reload()
    expect(page.get_by_text("Completed", exact=True)).to_be_visible()
    expect(page.get_by_text("inner.zip is an archive in the archive")).to_be_visible()
    page.get_by_role("link", name="Import docs.zip").press("Enter")
    expect(page.get_by_text("Added the page First page")).to_be_visible()


def test_an_address_that_leads_nowhere_is_not_imported(page: Any, owner: Tenant) -> None:
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Manual"}).json["id"]
    page.goto(f"/app/spaces/{space}")
    page.get_by_role("link", name="Imports").press("Enter")
    page.get_by_label("What it is").select_option("markdown")
    page.get_by_label("Address").fill("http://someone:secret@example.com/")
    page.get_by_role("button", name="Start import").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("without a user")
    expect(page.get_by_label("What it is")).to_have_value("markdown")
    page.get_by_label("Address").fill("http://127.0.0.1:1/a.md")
    page.get_by_role("button", name="Start import").press("Enter")
    (made,) = owner.api.get(f"/v1/spaces/{space}/imports").json["items"]
    over(owner, space, made["id"])
    page.get_by_role("link", name="Imports").press("Enter")
    expect(page.get_by_text("Failed", exact=True)).to_be_visible()
    page.get_by_role("link", name="Markdown").press("Enter")
    expect(page.get_by_text("private network")).to_be_visible()
    waiting = owner.api.get(f"/v1/spaces/{space}/change-requests", status="draft").json["count"]
    assert waiting == 1, "that of the import which was refused at once is archived"


def over(owner: Tenant, space: str, import_: str) -> None:
    """Wait until an import is over."""
    at = f"/v1/spaces/{space}/imports/{import_}"
    wait_for(lambda: owner.api.get(at).json["status"] not in ("pending", "in-progress"), 60)


def test_a_change_request_is_reviewed(page: Any, browser: Any, host: HostProcess, owner: Tenant) -> None:
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Manual"}).json["id"]
    reviewer, reader = person(host, owner, "review"), person(host, owner)
    made = owner.api.post(f"/v1/spaces/{space}/change-requests", {"subject": "Words"}).json["id"]
    at = f"/app/spaces/{space}/change-requests/{made}"
    page.goto(at)
    page.get_by_label("Reviewer", exact=True).select_option(reviewer.id)
    page.get_by_role("button", name="Ask for a review").press("Enter")
    expect(page.get_by_role("button", name="Remove reviewer Reader")).to_be_visible()
    expect(page.get_by_text("open", exact=True)).to_be_visible()

    with signed_in(browser, host, reviewer.api) as other:
        other.goto(at)
        other.get_by_label("Comment").fill("Say **more**.")
        other.get_by_role("button", name="Request changes").press("Enter")
        expect(other.get_by_text("Changes requested", exact=True)).to_be_visible()
        expect(other.get_by_text("Say **more**.")).to_be_visible()
        other.get_by_role("button", name="Approve").press("Enter")
        expect(other.get_by_text("Approved", exact=True)).to_be_visible()
        expect(other.get_by_text("superseded")).to_have_count(1)
    with signed_in(browser, host, reader.api) as other:
        other.goto(at)
        expect(other.get_by_text("Approved", exact=True)).to_be_visible()
        for name in ("Approve", "Request changes", "Ask for a review", "Remove reviewer Reader"):
            expect(other.get_by_role("button", name=name)).to_have_count(0)
        other.goto(f"/app/spaces/{space}/imports")
        expect(other.get_by_role("button", name="Start import")).to_have_count(0)
    page.reload()
    page.get_by_role("button", name="Remove reviewer Reader").press("Enter")
    expect(page.get_by_text("No reviewers yet")).to_be_visible()


@contextmanager
def signed_in(browser: Any, host: HostProcess, api: Api) -> Iterator[Any]:
    """A browser of somebody else."""
    context = browser.new_context(java_script_enabled=False, base_url=host.url)
    shown = context.new_page()
    shown.set_default_timeout(30_000)
    shown.goto("/app/sign-in")
    shown.get_by_label("Token").fill(str(api.token))
    shown.keyboard.press("Enter")
    expect(shown.get_by_role("link", name="Flows", exact=True)).to_be_visible()
    yield shown
    context.close()


def test_a_token_is_made_and_revoked(page: Any) -> None:
    page.goto("/app")
    page.get_by_label("What it is for").fill("Command line")
    page.get_by_label("Expires after").select_option("30")
    page.get_by_role("button", name="Create token").press("Enter")
    expect(page.get_by_label("copy it now")).to_have_value(re.compile("^dk_"))
    page.get_by_role("link", name="Revoke Command line").press("Enter")
    page.get_by_role("button", name="Revoke token").press("Enter")
    expect(page.get_by_role("link", name="Revoke Command line")).to_have_count(0)
