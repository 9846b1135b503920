"""Published sites show browsers the pages that sources compute, as the API shows them to a visitor."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import requests

from tests.conftest import Installed, Tenant, installed
from tests.scenarios.answers import ok
from tests.scenarios.computed_content import SCRIPT, Sourced
from tests.scenarios.computed_specifications import of_spec, specification
from tests.scenarios.content import page
from tests.scenarios.content_sources import SOURCES
from tests.scenarios.site_pages import address, get, links, text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import key_of, signed


@pytest.fixture(scope="module")
def sourced(alpha: Tenant) -> Sourced:
    space = Sourced(installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[]))
    variables = {"type": "set_variables", "variables": {"team": "ours"}}
    space.merge(page("Guide", "Written.", id="guide"), space.named("top"), variables)
    ok(alpha.api.post(f"/v1/orgs/{alpha.id}/sites/{space.one.site}/publish"))
    return space


def test_computed_pages_are_pages_of_the_site(sourced: Sourced) -> None:
    at = address(sourced.one)
    text = text_of(at)
    listed = links(text, "Pages")
    assert [(href, title) for href, _, title in listed[:2]] == [
        (f"{at}guide", "Guide"),
        (f"{at}open/ticket-1", "Ticket 1"),
    ]
    assert '<span class="heading">Open</span>' in text and '<a href="https://a.example">Tracker' in text
    ticket = text_of(f"{at}open/ticket-1")
    assert "<h1>Ticket 1</h1>" in ticket and "Ticket <strong>1</strong> of ours." in ticket
    assert '<p class="description">First.</p>' in ticket and 'rel="next"' in ticket
    assert f'<link rel="canonical" href="{at}open/ticket-1">' in ticket
    assert "Ticket **1** of ours." in text_of(f"{at}open/ticket-1.md")
    by_id = ok(sourced.api.get(f"{sourced.path}/content/path/open/ticket-1"))["id"]
    assert f'data-page="{by_id}"' in ticket
    assert get(f"{at}-/page/{by_id}").headers["Location"] == f"{at}open/ticket-1"
    assert "<h1>Ticket 1</h1>" in text_of(f"{at}open")


def test_what_a_source_does_not_give_is_not_there(sourced: Sourced) -> None:
    at = address(sourced.one)
    for name in ("silent", "broken"):
        text = text_of(f"{at}open/{name}")
        assert f"<h1>{name.title()}</h1>" in text and '<div class="document"></div>' in text
    sourced.merge(sourced.named("refused", refuse=True))
    text = text_of(at)
    assert "Source refused" not in text and "No tickets today" not in text


def test_a_visitor_sees_only_what_was_computed_for_such_visitors(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    site = Site(alpha)
    opened = ok(alpha.api.get(f"{site.path}/structure"))["structure"][0]["space"]["id"]
    paid = site.section("Paid")
    ok(alpha.api.call("PATCH", f"{site.path}/sections/{paid['id']}", {"condition": 'visitor.claims.plan == "pro"'}))
    ok(alpha.api.call("PATCH", site.path, {"visibility": "visitor-auth"}))
    ok(alpha.api.call("PATCH", f"{site.path}/publishing/auth", {"backend": "custom"}))
    ok(alpha.api.post(f"{site.path}/publish"))
    secret = paid["siteSpaces"][0]["space"]["id"]
    ok(alpha.api.post(f"{one.path}/installations/{one.installation}/spaces", {"space": opened}), 201)
    space = Sourced(Installed(one.name, alpha, one.installation, opened, site.id))
    source = {**space.source(seen=True), "dependencies": {"it": {"ref": {"kind": "space", "space": secret}}}}
    space.merge(page("Seen", page="computed", id="seen", computed=source))
    home = ok(alpha.api.get(site.path))["urls"]["published"]

    def seen(**claims: Any) -> Any:
        reader = requests.Session()
        text = reader.get(f"{home}?jwt_token={signed(key_of(site), **claims)}", timeout=60).text
        (title,) = re.findall(r"<h1>(.*)</h1>", text)
        return json.loads(title.replace("&#34;", '"'))["it"]["value"]

    for _ in range(2):
        assert seen(plan="pro")["id"] == secret
        assert seen(plan="free") is None
    assert requests.get(home, timeout=60, allow_redirects=False).status_code == 403


def test_pages_of_a_specification_are_read(alpha: Tenant) -> None:
    site = Site(alpha)
    first = ok(alpha.api.get(f"{site.path}/structure"))["structure"][0]["space"]["id"]
    space = Sourced(Installed("none", alpha, "none", first, site.id))
    slug = f"shop-{first.lower()}"
    specification(alpha, slug)
    space.merge(page("API", page="computed", id="api", computed=of_spec(slug)))
    ok(alpha.api.post(f"{site.path}/publish"))
    home = ok(alpha.api.get(site.path))["urls"]["published"]
    text = text_of(home)
    assert [title for _, _, title in links(text, "Pages")] == ["Orders", "Writing", "Other", "Models"]
    assert "What people buy." in text and "<code>GET /orders</code>" in text and "<code>POST /orders</code>" in text
