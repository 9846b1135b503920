"""API specifications as pages of the content, and how sources come into pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api, HostProcess, Tenant, installed
from tests.scenarios.answers import ok
from tests.scenarios.computed_content import SCRIPT, Sourced, titles
from tests.scenarios.computed_specifications import of_spec, specification
from tests.scenarios.content import Space, page
from tests.scenarios.content_sources import SOURCES
from tests.scenarios.people import person
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import look, reader


def test_a_specification_becomes_a_page_for_each_tag(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    site = Site(alpha)
    ok(alpha.api.post(f"{site.path}/publish"))
    first = ok(alpha.api.get(f"{site.path}/structure"))["structure"][0]["space"]["id"]
    space = Space.__new__(Space)
    space.api, space.id, space.path = alpha.api, first, f"/v1/spaces/{first}"
    slug = f"shop-{first.lower()}"
    specification(alpha, slug)
    space.merge(page("API", page="computed", id="api", computed=of_spec(slug)))
    content = f"{space.path}/content"
    shown = ok(alpha.api.get(f"{content}/pages"))["pages"]
    assert [one["path"] for one in shown] == ["orders", "writing", "other", "models"]
    orders = ok(alpha.api.get(f"{content}/path/orders", format="document"))
    assert orders["description"] == "What people buy."
    assert orders["computed"]["props"] == {"doc": "operations", "page": "Orders"}
    ref = {"kind": "openapi", "spec": slug}
    assert [node["data"] for node in orders["document"]["nodes"]] == [
        {"path": "/orders", "method": "get", "ref": ref},
        {"path": "/orders", "method": "post", "ref": ref},
    ]
    assert {node["type"] for node in orders["document"]["nodes"]} == {"openapi-operation"}
    writing = ok(alpha.api.get(f"{content}/path/writing", format="markdown"))["markdown"]
    assert f'{{% openapi-operation spec="{slug}" path="/shared" method="put" %}}' in writing
    models = ok(alpha.api.get(f"{content}/path/models", format="document"))["document"]["nodes"]
    assert [node["data"] for node in models] == [{"ref": ref, "grouped": True, "schemas": ["Order", "Item"]}]
    visitor = reader(site, look(site))
    assert titles(ok(visitor.get(f"{content}/pages"))["pages"]) == titles(shown)
    assert ok(visitor.get(f"/v1/orgs/{alpha.id}/openapi/{slug}/versions/latest/content"))["filesystem"]

    # A guest who was given the space sees no specification of the organization.
    guest = person(host, alpha, None)
    ok(alpha.api.post(f"{space.path}/permissions", {"role": "read", "users": [guest.id]}), 204)
    assert [one["id"] for one in ok(guest.api.get(f"{content}/pages"))["pages"]] == ["api"]
    theirs = Space(beta)
    theirs.merge(page("API", page="computed", id="api", computed=of_spec(slug)))
    assert [one["id"] for one in ok(beta.api.get(f"{theirs.path}/content/pages"))["pages"]] == ["api"]


def test_a_page_of_a_specification_is_computed_by_its_source(alpha: Tenant, beta: Tenant) -> None:
    site = Site(alpha)
    ok(alpha.api.post(f"{site.path}/publish"))
    first = ok(alpha.api.get(f"{site.path}/structure"))["structure"][0]["space"]["id"]
    space = Space.__new__(Space)
    space.api, space.id, space.path = alpha.api, first, f"/v1/spaces/{first}"
    slug, other = f"shop-{first.lower()}", f"other-{first.lower()}"
    for one in (slug, other):
        specification(alpha, one)
    space.merge(page("API", page="computed", id="api", computed=of_spec(slug)))
    visitor, computed = reader(site, look(site)), f"{space.path}/content/computed"
    for api in (alpha.api, visitor):
        for shown in ok(api.get(f"{space.path}/content/pages"))["pages"]:
            asked = {"source": shown["computed"], "seed": shown["computedSeed"]}
            read = ok(api.get(f"{space.path}/content/page/{shown['id']}", format="document"))["document"]
            assert ok(api.post(f"{computed}/document", asked))["nodes"] == read["nodes"]
        whole = ok(api.post(f"{computed}/revision", {"source": of_spec(slug), "seed": "seed"}))
        assert [one["title"] for one in whole["pages"]] == ["Orders", "Writing", "Other", "Models"]
        inside = {"source": whole["pages"][0]["computed"], "seed": whole["pages"][0]["computedSeed"]}
        assert len(ok(api.post(f"{computed}/document", inside))["nodes"]) == 2
    unnamed = {"source": of_spec(other), "seed": "seed"}
    assert len(ok(alpha.api.post(f"{computed}/revision", unnamed))["pages"]) == 4
    assert visitor.post(f"{computed}/revision", unnamed).status == 403
    theirs = Space(beta)
    assert theirs.api.post(f"{theirs.path}/content/computed/revision", unnamed).status == 404
    nothing = {"source": of_spec(slug, doc="operations", page="Nothing"), "seed": ""}
    assert alpha.api.post(f"{computed}/document", nothing).status == 404
    for wrong in ({**of_spec(slug), "dependencies": {}}, {**of_spec(slug), "type": "builtin:translation"}):
        assert alpha.api.post(f"{computed}/revision", {"source": wrong, "seed": ""}).status == 400


def test_a_script_opens_no_specification_to_visitors(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    space = Sourced(one)
    slug = f"private-{space.id.lower()}"
    specification(alpha, slug)
    named = {"pages": [{"type": "computed", "title": "API", "computed": of_spec(slug)}]}
    space.merge(space.named("outer", answer=named))
    path = f"/v1/orgs/{alpha.id}/sites/{one.site}"
    ok(alpha.api.post(f"{path}/publish"))
    address = ok(alpha.api.get(path))["urls"]["published"]
    token = ok(Api(alpha.api.url, None).post("/v1/urls/published", {"url": address}))["apiToken"]
    assert "Orders" in str(space.pages())
    shown = ok(Api(alpha.api.url, token).get(f"{space.path}/content/pages"))["pages"]
    assert titles(shown) == [["API"]] and shown[0]["type"] == "computed"


def test_a_translation_stays_a_page_that_names_it(alpha: Tenant) -> None:
    space = Space(alpha)
    source = {
        "type": "builtin:translation",
        "props": {},
        "dependencies": {"translation": {"ref": {"kind": "translation", "translation": "t"}}},
    }
    space.merge(page("Translated", page="computed", id="translated", computed=source))
    (only,) = ok(alpha.api.get(f"{space.path}/content/pages"))["pages"]
    assert (only["type"], only["computed"]) == ("computed", source)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (page("x", page="computed"), "computed: say which"),
        (page("x", page="group", computed=of_spec("a")), "not computed"),
        (page("x", "Text.", computed=of_spec("a")), "either"),
        (page("x", page="computed", computed={"type": "builtin:nothing", "props": {}}), "computed"),
        (page("x", page="computed", computed=of_spec("a", long="x" * 10_000)), "characters"),
        (page("x", page="computed", slug="x", computed=of_spec("a")), "slug"),
    ],
)
def test_a_source_is_put_into_pages_that_are_computed(alpha: Tenant, change: dict[str, Any], named: str) -> None:
    space = Space(alpha)
    request = space.change_request()
    refused = alpha.api.post(f"{request}/content", {"changes": [change]})
    assert refused.status == 400 and named in refused.json["error"]["message"]


def test_a_page_is_written_or_computed(alpha: Tenant) -> None:
    space = Space(alpha)
    space.merge(page("Page", "Text.", id="page"))
    space.merge({"type": "update_page", "id": "page", "computed": of_spec("none")})
    shown = ok(alpha.api.get(f"{space.path}/content/page/page", format="markdown"))
    assert "documentId" not in shown and "markdown" not in shown and shown["computedSeed"] == "page"
    space.merge({"type": "update_page", "id": "page", "document": {"markdown": "Back."}})
    assert "computed" not in ok(alpha.api.get(f"{space.path}/content/page/page"))
    assert space.markdown("page") == "Back.\n"
