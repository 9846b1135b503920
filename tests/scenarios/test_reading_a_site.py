"""A published site is read whole with a visitor's token, page by page, as whoever draws it does."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from tests import databases
from tests.conftest import Answer, Api, HostProcess, Installed, Tenant, installed, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import page
from tests.scenarios.people import person
from tests.scenarios.published_site import Published
from tests.scenarios.site_visits import home, key_of, look, reader, signed


def read_whole(api: Api, found: dict[str, Any]) -> dict[str, Any]:
    """Read everything that can be reached from what an address leads to; gives the text of every page by its path."""
    path = f"/v1/orgs/{found['organization']}/sites/{found['site']}"
    whole = ok(api.get(f"{path}/published"))
    spaces: list[str] = []
    for section in whole["structure"]["structure"]:
        spaces += [part["space"]["id"] for part in section["siteSpaces"]]
    texts: dict[str, Any] = {}
    for space_id in spaces:
        space = ok(api.get(f"/v1/spaces/{space_id}"))
        at = f"/v1/spaces/{space_id}/revisions/{space['revision']}"
        revision = ok(api.get(at))
        assert "mergedFrom" not in revision and "git" not in revision
        waiting = list(revision["pages"])
        while waiting:
            one = waiting.pop()
            waiting += one.get("pages", [])
            assert ok(api.get(f"{at}/page/{one['id']}", format="markdown"))["title"] == one["title"]
            by_path = ok(api.get(f"{at}/path/{one['path']}", format="markdown"))
            texts[f"{one['path']}"] = by_path["markdown"]
            assert ok(api.get(f"{at}/page/{one['id']}/document")) == ok(
                api.get(f"/v1/spaces/{space_id}/documents/{one['documentId']}")
            )
        for reusable in revision["reusableContents"]:
            ok(api.get(f"{at}/reusable-contents/{reusable['id']}/document"))
        for file in revision["files"]:
            assert requests.get(file["downloadURL"], timeout=30).content == b"x"
        ok(api.get(f"/v1/spaces/{space_id}/embed", url="https://example.com/"))
    assert api.get(f"{path}/redirect", source="/nowhere").status in (200, 404)
    return texts


def test_anonymous_and_signed_in_visitors_read_what_is_there_for_them(published: Published, alpha: Tenant) -> None:
    anonymous = ok(look(published.site))
    texts = read_whole(Api(alpha.api.url, anonymous["apiToken"]), anonymous)
    assert sorted(texts) == ["guide", "guide/next"] and "**end**" in texts["guide/next"]
    token = signed(key_of(published.site), plan="pro")
    paying = ok(look(published.site, jwtToken=token))
    assert sorted(read_whole(Api(alpha.api.url, paying["apiToken"]), paying)) == ["guide", "guide/next", "secret"]


def test_what_is_not_there_for_a_visitor_cannot_be_read(published: Published) -> None:
    api = reader(published.site, look(published.site))
    paid = ok(published.paid.api.get(published.paid.path))
    document = ok(published.paid.api.get(f"{published.paid.path}/content/path/secret"))["documentId"]
    for place in (
        "",
        "/content",
        f"/revisions/{paid['revision']}",
        f"/revisions/{paid['revision']}/path/secret",
        f"/documents/{document}",
        "/content/files",
        "/embed?url=https://example.com/",
    ):
        assert api.get(published.paid.path + place).status == 404, place
    # Nor by way of a space that is there.
    assert api.get(f"{published.first.path}/documents/{document}").status == 404
    assert api.get(f"{published.first.path}/revisions/{paid['revision']}").status == 404


def test_people_are_shown_without_their_addresses(published: Published, alpha: Tenant, beta: Tenant) -> None:
    api = reader(published.site, look(published.site))
    assert "email" not in ok(api.get(f"/v1/users/{alpha.user}"))
    assert api.get(f"/v1/users/{beta.user}").status == 404


def test_only_what_is_published_is_read(host: HostProcess, alpha: Tenant) -> None:
    """Drafts and what a page said long ago are nobody's business; what it said a moment ago is read to its end."""
    site = Published(alpha)
    space = site.first
    api = reader(site.site, look(site.site))
    first = ok(api.get(space.path))["revision"]
    draft = space.change_request(page("Draft", "Not yet.", id="draft"))
    inside = ok(space.api.get(f"{draft}/content"))["id"]
    document = ok(space.api.get(f"{draft}/content/page/draft"))["documentId"]
    for place in (draft, f"{draft}/content", f"{space.path}/revisions/{inside}", f"{space.path}/documents/{document}"):
        assert api.get(place).status == 404, place
    ok(space.api.post(f"{draft}/merge"))
    assert api.get(f"{space.path}/revisions/{inside}").status == 404
    ok(api.get(f"{space.path}/documents/{document}"))
    ok(api.get(f"{space.path}/revisions/{first}"))
    databases.ask(host.data, "UPDATE spaces SET revised_at = ? WHERE id = ?", ["2026-01-01 00:00:00.000000", space.id])
    assert api.get(f"{space.path}/revisions/{first}").status == 404


def preview(api: Api, address: str) -> Answer:
    return api.post("/v1/urls/published", {"url": address})


def test_a_preview_is_for_who_reads_the_space(host: HostProcess, published: Published, alpha: Tenant) -> None:
    space = published.first
    path = space.change_request(page("Draft", "Not yet.", id="draft"))
    made = ok(space.api.get(path))
    address = f"{home(published.site)}~/changes/{made['number']}/draft"
    guest = person(host, alpha, None)
    for stranger in (Api(alpha.api.url, None), guest.api):
        assert preview(stranger, address).status == 404
    found = ok(preview(space.api, address))
    assert (found["changeRequest"], found["pathname"]) == (made["id"], "/draft")
    assert found["basePath"].endswith(f"~/changes/{made['number']}/")
    api = Api(alpha.api.url, found["apiToken"])
    shown = ok(api.get(path))
    assert shown["subject"] == made["subject"] and "email" not in shown["createdBy"]
    assert ok(api.get(f"{path}/content/path/draft", format="markdown"))["markdown"] == "Not yet.\n"
    ok(api.get(f"{space.path}/revisions/{shown['revision']}/path/draft"))
    other = space.change_request(page("Other", "Also not.", id="other"))
    assert api.get(other).status == 404 and api.get(f"{other}/content").status == 404
    revision = ok(space.api.get(other))["revision"]
    old = ok(preview(space.api, f"{home(published.site)}~/revisions/{revision}/other"))
    assert old["revision"] == revision
    ok(Api(alpha.api.url, old["apiToken"]).get(f"{space.path}/revisions/{revision}/path/other"))
    assert preview(space.api, f"{home(published.site)}~/changes/999999/draft").status == 404


def test_a_preview_ends_with_the_right_of_who_was_let_in(
    host: HostProcess, published: Published, alpha: Tenant
) -> None:
    space = published.first
    path = space.change_request(page("Draft", "Not yet.", id="ended"))
    made = ok(space.api.get(path))
    address = f"{home(published.site)}~/changes/{made['number']}/"
    reader_ = person(host, alpha, "read")
    api = Api(alpha.api.url, ok(preview(reader_.api, address))["apiToken"])
    ok(api.get(f"{path}/content"))
    assert alpha.api.call("DELETE", f"/v1/orgs/{alpha.id}/members/{reader_.id}").status == 205
    assert api.get(f"{path}/content").status == 404
    ok(api.get(space.path))


@pytest.fixture(scope="module")
def block(alpha: Tenant) -> Installed:
    one = installed(alpha)
    ok(alpha.api.post(f"/v1/orgs/{alpha.id}/sites/{one.site}/publish"))
    return one


def test_blocks_are_drawn_for_visitors_in_pages_alone(block: Installed, published: Published, alpha: Tenant) -> None:
    address = ok(alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{block.site}"))["urls"]["published"]
    found = ok(Api(alpha.api.url, None).post("/v1/urls/published", {"url": address}))
    api = Api(alpha.api.url, found["apiToken"])
    context = {"type": "document", "spaceId": block.space, "editable": False, "theme": "light"}
    body = {"componentId": "counter", "props": {}, "context": context}
    render = f"/v1/integrations/{block.name}/render"
    assert ok(api.post(render, body))["type"] == "element"
    configuring = {"type": "configuration_account", "organizationId": alpha.id, "theme": "light"}
    assert api.post(render, {**body, "context": {**context, "editable": True}}).status == 403
    assert api.post(render, {**body, "context": configuring}).status in (403, 404)
    elsewhere = {**context, "spaceId": published.first.id}
    assert api.post(render, {**body, "context": elsewhere}).status == 404


SOURCE = """
from runtime.sdk import Integration

integration = Integration()
source = integration.content_source("pages")


@source.revision
def pages(props):
    leaf = {"type": "document", "title": "Leaf"}
    needs = {"it": {"ref": {"kind": "space", "space": "of-somebody"}}}
    leaf["computed"] = {"type": "integration:NAME:pages", "props": {"of": "leaf"}, "dependencies": needs}
    return {"pages": [leaf]}


@source.document
def document(props):
    return f"Computed of {props.get('of')}."
"""
SOURCES = [{"id": "pages", "title": "Pages", "configuration": {"componentId": "c"}}]


def test_only_named_sources_are_computed_for_visitors(alpha: Tenant) -> None:
    one = installed(alpha, SOURCE, contentSources=SOURCES, blocks=[])
    ok(alpha.api.post(f"/v1/orgs/{alpha.id}/sites/{one.site}/publish"))
    address = ok(alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{one.site}"))["urls"]["published"]
    token = ok(Api(alpha.api.url, None).post("/v1/urls/published", {"url": address}))["apiToken"]
    visitor = Api(alpha.api.url, token)
    path = f"/v1/spaces/{one.space}/content/computed"
    source = {"type": f"integration:{one.name}:pages", "props": {"of": "anything"}}
    assert visitor.post(f"{path}/document", {"source": source, "seed": "s"}).status == 403
    assert visitor.post(f"{path}/revision", {"source": source, "seed": "s"}).status == 403
    (leaf,) = ok(alpha.api.post(f"{path}/revision", {"source": source, "seed": "s"}))["pages"]
    named = {**leaf["computed"], "type": f"integration:{one.name}:pages"}
    seed = leaf["computedSeed"]
    answer = visitor.post(f"{path}/document", {"source": leaf["computed"], "seed": seed})
    # The script named the source of another integration, which is nowhere: the signature holds for that one alone.
    assert answer.status == 404
    assert visitor.post(f"{path}/document", {"source": named, "seed": seed}).status == 403


def test_a_specification_is_read_where_a_page_shows_it(alpha: Tenant) -> None:
    site = Published(alpha)
    document = {"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "paths": {"/a": {"get": {}}}}
    slugs = [f"of-{site.first.id.lower()}", f"not-of-{site.first.id.lower()}"]
    for slug in slugs:
        body = {"slug": slug, "source": {"text": json.dumps(document)}}
        ok(alpha.api.post(f"/v1/orgs/{alpha.id}/openapi", body), 201)
        path = f"/v1/orgs/{alpha.id}/openapi/{slug}"
        wait_for(lambda path=path: ok(alpha.api.get(path))["processingState"] == "complete")
    site.first.merge(page("API", f'{{% openapi-operation spec="{slugs[0]}" path="/a" method="get" %}}', id="api"))
    api = reader(site.site, look(site.site))
    content = f"/v1/orgs/{alpha.id}/openapi/{{}}/versions/latest/content"
    assert ok(api.get(content.format(slugs[0])))["filesystem"]
    assert api.get(content.format(slugs[1])).status == 404
    assert api.get(f"/v1/orgs/{alpha.id}/openapi/{slugs[0]}").status == 403
