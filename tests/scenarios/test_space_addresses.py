"""Where a space is published, as the space itself says, and what visitors see of it."""

from __future__ import annotations

from tests.conftest import Api, Tenant, installed
from tests.scenarios.answers import ok
from tests.scenarios.script_tokens import TOKENS, script_tokens
from tests.scenarios.site_structure import Site


def test_a_space_says_where_its_site_publishes_it(alpha: Tenant) -> None:
    site = Site(alpha)
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    at = f"/v1/spaces/{part['space']['id']}"
    assert not {"published", "public"} & ok(site.api.get(at))["urls"].keys()
    ok(site.api.post(f"{site.path}/publish"))
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    urls = ok(site.api.get(at))["urls"]
    assert urls["published"] == urls["public"] == part["urls"]["published"] and urls["public"].endswith("/")
    assert Api(site.api.url, None).get(urls["public"].removeprefix(site.api.url)).status < 300
    ok(site.api.post(f"{at}/comments", {"body": {"markdown": "For us."}}))
    visitor = Api(
        site.api.url, ok(Api(site.api.url, None).post("/v1/urls/published", {"url": urls["public"]}))["apiToken"]
    )
    assert ok(visitor.get(at))["comments"] == 0 and ok(site.api.get(at))["comments"] == 1
    ok(site.api.call("PATCH", site.path, {"visibility": "unlisted"}))
    unlisted = ok(site.api.get(at))["urls"]
    assert unlisted["published"] == urls["public"] and "public" not in unlisted
    assert not {"published", "public"} & ok(visitor.get(at))["urls"].keys()
    ok(site.api.call("PATCH", site.path, {"visibility": "share-link"}))
    assert not {"published", "public"} & ok(site.api.get(at))["urls"].keys()


def test_the_current_revision_is_published_where_its_space_is(alpha: Tenant) -> None:
    site = Site(alpha)
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    at = f"/v1/spaces/{part['space']['id']}"
    first = ok(site.api.get(f"{at}/content"))
    assert not {"published", "public"} & first["urls"].keys()
    ok(site.api.post(f"{site.path}/publish"))
    request = ok(site.api.post(f"{at}/change-requests", {"subject": "S"}), 201)["id"]
    path = f"{at}/change-requests/{request}"
    ok(site.api.post(f"{path}/content", {"changes": [{"type": "insert_page", "title": "Page"}]}))
    ok(site.api.post(f"{path}/merge"))
    urls, current = ok(site.api.get(at))["urls"], ok(site.api.get(f"{at}/content"))
    assert current["urls"]["published"] == current["urls"]["public"] == urls["public"]
    before = ok(site.api.get(f"{at}/revisions/{first['id']}"))
    draft = ok(site.api.get(f"{path}/content"))
    for other in (before, draft):
        assert not {"published", "public"} & other["urls"].keys() and other["urls"]["app"]
    ok(site.api.call("PATCH", site.path, {"visibility": "unlisted"}))
    unlisted = ok(site.api.get(f"{at}/content"))["urls"]
    assert unlisted["published"] == urls["public"] and "public" not in unlisted


def test_scripts_that_read_content_learn_public_addresses_alone(alpha: Tenant) -> None:
    one = installed(alpha, TOKENS, scopes=["space:content:read"])
    script = script_tokens(one)["installation"]
    at, site = f"/v1/spaces/{one.space}", f"/v1/orgs/{alpha.id}/sites/{one.site}"
    ok(alpha.api.post(f"{site}/publish"))
    shown = ok(alpha.api.get(f"{at}/content"))["urls"]
    assert ok(script.get(f"{at}/content"))["urls"] == shown and shown["public"]
    ok(alpha.api.call("PATCH", site, {"visibility": "unlisted"}))
    assert not {"published", "public"} & ok(script.get(f"{at}/content"))["urls"].keys()
    assert "published" in ok(alpha.api.get(f"{at}/content"))["urls"]
