"""Published sites are found by their addresses, and read with tokens that read nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests

from runtime.api.table import operations
from tests.conftest import Api, HostProcess, Tenant, init, installed, tenant
from tests.contract.operation_walk import build, send
from tests.contract.requests_table import GOOD
from tests.scenarios.answers import ok
from tests.scenarios.at_once import at_once, statuses
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home, key_of, look, nobody, reader, signed

READABLE = {
    "getCurrentRevision",
    "getDocumentById",
    "getEmbedByUrlInSpace",
    "getFileById",
    "getFileInRevisionById",
    "getPageById",
    "getPageByPath",
    "getPageDocumentInRevisionById",
    "getPageInRevisionById",
    "getPageInRevisionByPath",
    "getPublishedContentByUrl",
    "getPublishedContentSite",
    "getReusableContentById",
    "getReusableContentDocumentInRevisionById",
    "getReusableContentInRevisionById",
    "getRevisionById",
    "getSiteById",
    "getSiteRedirectBySource",
    "getSiteStructure",
    "getSpaceById",
    "getUserById",
    "listFiles",
    "listFilesInRevisionById",
    "listPages",
    "listPagesInRevisionById",
    "listSiteIntegrationScripts",
    "listSpaceIntegrationsBlocks",
    "renderIntegrationUIWithGet",
    "renderIntegrationUIWithPost",
    "resolvePublishedContentByUrl",
    "searchSiteContent",
    "trackEventsInSiteById",
}
"""What a token of a visitor is good for."""
PREVIEWED = {
    "getChangeRequestById",
    "getFileInChangeRequestById",
    "getPageInChangeRequestById",
    "getPageInChangeRequestByPath",
    "getReusableContentInChangeRequestById",
    "getRevisionOfChangeRequestById",
    "listFilesInChangeRequestById",
    "listPagesInChangeRequest",
}
"""What it is good for where somebody who reads the space was given it as a preview."""
NAMED = {"getComputedDocument", "getComputedRevision", "getLatestOpenAPISpecVersionContent"}
"""What it is good for as far as the content names it."""


@pytest.fixture
def site(alpha: Tenant) -> Site:
    """A published site: a default section, one with two spaces, one for testers and one for who pays."""
    site = Site(alpha)
    api = site.section("API")
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("v1"), "sectionId": api["id"]}), 201)
    for title, condition in (("Beta", "visitor.claims.unsigned.beta"), ("Paid", 'visitor.claims.plan == "pro"')):
        section = site.section(title)
        ok(site.api.call("PATCH", f"{site.path}/sections/{section['id']}", {"condition": condition}))
        site.group(section, title=f"Group of {title}")
    ok(site.api.post(f"{site.path}/publish"))
    return site


def spaces_in(node: Any) -> list[str]:
    """The ids of the site spaces anywhere in a structure."""
    inner = node if isinstance(node, list) else list(node.values()) if isinstance(node, dict) else []
    own = [node["id"]] if isinstance(node, dict) and node.get("object") == "site-space" else []
    return own + [found for one in inner for found in spaces_in(one)]


def titles(structure: dict[str, Any]) -> list[str]:
    return [node["title"] for node in structure["structure"]]


def test_an_address_leads_to_a_place(site: Site) -> None:
    at, path = home(site), urlsplit(home(site)).path
    sections = {section["title"]: section for section in site.sections()}
    for place, section, used, rest, canonical, complete in (
        ("", "Handbook", "", "/", "", False),
        ("api", "API", "api/", "/", "api/", False),
        ("api/api/", "API", "api/api/", "/", "api/", True),
        ("api/v1", "API", "api/v1/", "/", "api/v1/", True),
        ("api/v1/intro/more?x=1#top", "API", "api/v1/", "/intro/more", "api/v1/intro/more", True),
        ("handbook/intro", "Handbook", "handbook/", "/intro", "intro", True),
        ("a%20page/%C3%BC", "Handbook", "", "/a%20page/%C3%BC", "a%20page/%C3%BC", True),
        ("beta/x", "Handbook", "", "/beta/x", "beta/x", True),
    ):
        found = ok(look(site, place))
        assert found["siteSection"] == sections[section]["id"], place
        assert found["basePath"] == path + used and found["siteBasePath"] == path
        assert (found["pathname"], found["canonicalUrl"]) == (rest, at + canonical)
        assert found["complete"] is complete and found["site"] == site.id and found["organization"] == site.owner.id
        by_get = ok(nobody(site).get("/v1/urls/published", url=at + place))
        assert by_get | {"apiToken": ""} == found | {"apiToken": ""}


def test_addresses_of_nothing_are_not_found(site: Site) -> None:
    port = urlsplit(site.api.url).port
    for url in (
        site.api.url,
        f"{site.api.url}/sites/nowhere/",
        f"{site.api.url}/sites/{site.id}/../{site.id}/",
        f"{site.api.url}/sites/{site.id}/%2e%2e/x",
        f"{site.api.url}/sites/{site.id}/%00",
        f"https://docs.example.com/sites/{site.id}/",
        f"http://127.0.0.1:{port}@evil.example/sites/{site.id}/",
        f"http://evil.example/sites/{site.id}/",
        f"{site.api.url}/x" + "/a" * 500,
    ):
        assert nobody(site).post("/v1/urls/published", {"url": url}).status == 404, url
    for url in ("", "nowhere", "ftp://example.com/", "http://", "http://[", "http://a:x/", "http://a b/", "x" * 2049):
        assert nobody(site).post("/v1/urls/published", {"url": url}).status == 400, url
        assert nobody(site).get("/v1/urls/published", url=url).status == 400, url
    ok(site.api.post(f"{site.path}/unpublish"))
    at = f"{site.api.url}/sites/{site.id}/"
    assert nobody(site).post("/v1/urls/published", {"url": at}).status == 404
    assert site.api.get(f"{site.path}/published").status == 404


def test_what_a_visitor_does_not_meet_the_condition_of_is_not_there(site: Site) -> None:
    key = key_of(site)
    for visitor, seen in (
        ({}, ["Handbook", "API"]),
        ({"unsignedClaims": {"beta": True}}, ["Handbook", "API", "Group of Beta"]),
        ({"unsignedClaims": {"beta": "true"}}, ["Handbook", "API"]),
        ({"unsignedClaims": {"plan": "pro"}}, ["Handbook", "API"]),
        ({"jwtToken": signed(key, plan="pro")}, ["Handbook", "API", "Group of Paid"]),
        ({"jwtToken": signed(key, unsigned={"beta": True})}, ["Handbook", "API"]),
        ({"jwtToken": signed("x" * 32, plan="pro")}, ["Handbook", "API"]),
        (
            {"jwtToken": signed(key, plan="pro"), "unsignedClaims": {"beta": True}},
            ["Handbook", "API", "Group of Beta", "Group of Paid"],
        ),
    ):
        api = reader(site, look(site, **visitor))
        assert titles(ok(api.get(f"{site.path}/structure"))) == seen
        published = ok(api.get(f"{site.path}/published"))
        assert titles(published["structure"]) == seen
        assert published["site"]["siteSpaces"] == len(set(spaces_in(published["structure"]))) > 0
        inside = "Group of Paid" in seen
        assert ok(look(site, "paid/x", **visitor))["pathname"] == ("/x" if inside else "/paid/x")
        assert ("contextId" in ok(look(site, **visitor))) is (visitor not in ({},) and ok_claims(visitor, key))
    assert titles(ok(site.api.get(f"{site.path}/published"))["structure"]) == ["Handbook", "API"]
    assert len(titles(ok(site.api.get(f"{site.path}/structure")))) == 4


def ok_claims(visitor: dict[str, Any], key: str) -> bool:
    """Tell whether anything a visitor claims is believed, or said unsigned."""
    if "unsignedClaims" in visitor:
        return True
    try:
        return bool(jwt.decode(visitor["jwtToken"], key, algorithms=["HS256"]))
    except jwt.PyJWTError:
        return False


def test_a_default_that_is_not_there_leaves_the_first_one(site: Site) -> None:
    first, second = site.sections()[:2]
    part = first["siteSpaces"][0]["id"]
    ok(site.api.call("PATCH", f"{site.path}/site-spaces/{part}", {"condition": "false"}))
    found = ok(look(site, "intro"))
    assert (found["siteSection"], found["canonicalUrl"]) == (second["id"], f"{home(site)}api/intro")
    assert titles(ok(site.api.get(f"{site.path}/published"))["structure"]) == ["API"]
    for one in second["siteSpaces"]:
        ok(site.api.call("PATCH", f"{site.path}/site-spaces/{one['id']}", {"condition": "null"}))
    assert look(site).status == 404
    ok(site.api.call("PATCH", f"{site.path}/site-spaces/{part}", {"condition": ""}))
    assert ok(look(site))["siteSection"] == first["id"]


def test_a_token_of_a_visitor_reads_that_site_alone(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    world = build(host, alpha)
    url = ok(alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{world.installed.site}"))["urls"]["published"]
    token = ok(Api(host.url, None).post("/v1/urls/published", {"url": url}))["apiToken"]
    api = Api(host.url, token)
    for operation in operations():
        answer = send(world, operation, api)
        if operation.name in READABLE:
            assert answer.status == operation.status, (operation.name, answer.text)
        else:
            assert answer.status in (403, 404) or (operation.method == "DELETE" and answer.status == 204), (
                operation.name,
                answer.text,
            )
    assert {operation.name for operation in operations() if operation.needs.visitor} == READABLE | PREVIEWED | NAMED
    for owner in (alpha, beta):
        other = Site(owner)
        ok(other.api.post(f"{other.path}/publish"))
        for place in ("", "/published", "/structure", "/redirect?source=/x", "/integration-scripts"):
            assert api.get(other.path + place).status == 404
        crossed = f"/v1/orgs/{owner.id}/sites/{world.installed.site}"
        assert api.get(crossed).status == (200 if owner is alpha else 404)
    assert set(GOOD) >= READABLE


def test_a_token_ends_when_its_way_in_is_closed(site: Site) -> None:
    def fresh() -> Api:
        return reader(site, look(site))

    open_, path = fresh(), f"{site.path}/published"
    ok(open_.get(path))
    ok(site.api.call("PATCH", site.path, {"visibility": "unlisted"}))
    assert open_.get(path).status == 200  # as open as before
    ok(site.api.call("PATCH", site.path, {"visibility": "visitor-auth"}))
    assert open_.get(path).status == 401
    key = key_of(site)
    inside = reader(site, look(site, jwtToken=signed(key)))
    ok(inside.get(path))
    ok(site.api.post(f"{site.path}/publishing/auth/regenerate"))
    assert key_of(site) != key and inside.get(path).status == 401
    assert look(site, jwtToken=signed(key)).status == 403
    ok(site.api.call("PATCH", site.path, {"visibility": "public"}))
    back = fresh()
    ok(site.api.post(f"{site.path}/unpublish"))
    assert back.get(path).status == 401
    ok(site.api.post(f"{site.path}/publish"))
    ok(back.get(path))
    assert site.api.call("DELETE", site.path).status == 205
    assert back.get(path).status == 401


def test_tokens_that_are_none(site: Site) -> None:
    token = ok(look(site))["apiToken"]
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 900 and claims["site"] == site.id
    head, payload, signature = token.split(".")
    forged = jwt.encode({**claims, "site": "x" * 20}, "x" * 32, algorithm="HS256")
    nothing = jwt.encode(claims, None, algorithm="none")
    for one in (forged, nothing, f"{head}.{payload}.", f"{head}.{payload}.{signature[::-1]}", key_of(site)):
        assert Api(site.api.url, one).get(f"{site.path}/published").status == 401
    soon = signed(key_of(site), exp=int(time.time()) + 60)
    ends = jwt.decode(ok(look(site, jwtToken=soon))["apiToken"], options={"verify_signature": False})["exp"]
    assert ends <= time.time() + 61  # no longer than the visitor's own
    assert Api(site.api.url, "rubbish").post("/v1/urls/published", {"url": home(site)}).status == 401
    assert site.api.post("/v1/urls/published", {"url": home(site)}).status == 200


def test_a_shared_site_opens_with_its_links_alone(site: Site) -> None:
    ok(site.api.call("PATCH", site.path, {"visibility": "share-link"}))
    made = site.api.post(f"{site.path}/share-links", {"name": "Customers"})
    link = ok(made, 201)
    assert made.headers["Location"].endswith(f"/share-links/{link['id']}")
    url = link["urls"]["published"]
    key = url.rstrip("/").rpartition("/")[2]
    assert url == f"{home(site)}{key}/" and len(key) == 32
    other = "y" if key[-1] == "x" else "x"
    for place in ("", "api", f"{key[:-1]}{other}/", f"{key}x/", f"x/{key}/"):
        assert look(site, place).status == 404
    found = ok(look(site, f"{key}/api/v1/page"))
    assert (found["shareKey"], found["pathname"]) == (key, "/page")
    assert found["siteBasePath"] == urlsplit(url).path and found["basePath"] == f"{urlsplit(url).path}api/v1/"
    assert found["canonicalUrl"] == f"{url}api/v1/page"
    api = Api(site.api.url, found["apiToken"])
    part = ok(api.get(f"{site.path}/published"))["structure"]["structure"][0]
    assert part["urls"]["published"] == url
    for place in ("sections", "site-spaces"):
        assert "published" not in ok(site.api.get(f"{site.path}/{place}"))["items"][0]["urls"]
        shown = ok(site.api.get(f"{site.path}/{place}", shareKey=key))["items"][0]
        assert shown["urls"]["published"] == url
        assert site.api.get(f"{site.path}/{place}", shareKey="wrong").status == 404
    at = f"{site.path}/share-links/{link['id']}"
    assert site.api.call("PATCH", at, {}).status == 400
    assert ok(site.api.call("PATCH", at, {"active": False}))["active"] is False
    assert look(site, f"{key}/").status == 404 and api.get(f"{site.path}/published").status == 401
    ok(site.api.call("PATCH", at, {"active": True}))
    assert look(site, f"{key}/").status == 200
    other = Site(site.owner)
    ok(other.api.call("PATCH", other.path, {"visibility": "share-link", "published": True}))
    assert look(other, f"{key}/").status == 404
    assert other.api.call("PATCH", f"{other.path}/share-links/{link['id']}", {"active": False}).status == 404
    assert site.api.call("DELETE", at).status == 205 and site.api.call("DELETE", at).status == 204
    assert look(site, f"{key}/").status == 404


def test_a_guarded_site_sends_visitors_to_sign_in(site: Site) -> None:
    ok(site.api.call("PATCH", site.path, {"visibility": "visitor-auth"}))
    auth, key = f"{site.path}/publishing/auth", key_of(site)
    assert look(site).status == 403
    body = {"backend": "custom", "fallbackURL": "https://login.example.com/in?a=1"}
    assert ok(site.api.call("PATCH", auth, body))["fallbackURL"] == body["fallbackURL"]
    sent = ok(look(site, "api/v1/a page?x=1".replace(" ", "%20")))
    assert sent["target"] == "external" and parse_qs(urlsplit(sent["redirect"]).query) == {
        "a": ["1"],
        "location": ["/api/v1/a%20page"],
    }
    over = signed(key, exp=int(time.time()) - 10)
    endless = jwt.encode({"plan": "pro"}, key, algorithm="HS256")
    for bad in (over, endless, signed("y" * 32), "rubbish", "a.b.c", jwt.encode({"exp": 1}, None, algorithm="none")):
        assert look(site, jwtToken=bad).status == 403
        again = {"url": home(site), "redirectOnError": True, "visitor": {"jwtToken": bad}}
        assert ok(nobody(site).post("/v1/urls/published", again))["target"] == "external"
        assert nobody(site).get("/v1/urls/published", url=home(site), visitorAuthToken=bad).status == 403
    good = signed(key, plan="pro")
    for found in (
        look(site, "paid/x", jwtToken=good),
        nobody(site).get("/v1/urls/published", url=f"{home(site)}paid/x", visitorAuthToken=good),
        nobody(site).get("/v1/urls/published", url=f"{home(site)}paid/x?jwt_token={good}"),
    ):
        assert ok(found)["canonicalUrl"] == f"{home(site)}paid/x"
    assert ok(site.api.call("PATCH", auth, {"backend": "custom", "fallbackURL": None})).get("fallbackURL") is None
    assert site.api.call("PATCH", auth, {"backend": "integration"}).status == 400
    assert site.api.call("PATCH", auth, {"backend": "integration", "integration": "nobody"}).status == 400


SIGNS_IN = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.visitor_authentication
def sign_in(event, context):
    return Response.redirect("https://login.example.com/" + event["location"])
"""


def test_an_integration_signs_visitors_in(alpha: Tenant) -> None:
    one = installed(alpha, SIGNS_IN, scopes=["site:visitor:auth"], blocks=[])
    at = f"/v1/orgs/{alpha.id}/sites/{one.site}"
    ok(alpha.api.call("PATCH", at, {"visibility": "visitor-auth", "published": True}))
    before = ok(alpha.api.get(f"{at}/publishing/auth"))
    chosen = ok(alpha.api.call("PATCH", f"{at}/publishing/auth", {"backend": "integration", "integration": one.name}))
    assert chosen["integration"] == one.name and chosen["privateKey"] != before["privateKey"]
    url = ok(alpha.api.get(at))["urls"]["published"]
    sent = ok(Api(alpha.api.url, None).post("/v1/urls/published", {"url": f"{url}a/b"}))
    assert sent == {"target": "external", "redirect": f"{url}a/b"}  # where the host itself asks the script
    token = signed(chosen["privateKey"])
    body = {"url": url, "visitor": {"jwtToken": token}}
    found = ok(Api(alpha.api.url, None).post("/v1/urls/published", body))
    again = ok(alpha.api.post(f"{at}/publishing/auth/regenerate"))
    assert again["privateKey"] not in (chosen["privateKey"], before["privateKey"])
    assert Api(alpha.api.url, None).post("/v1/urls/published", body).status == 403
    assert Api(alpha.api.url, found["apiToken"]).get(f"{at}/published").status == 401
    paused = f"{one.path}/installations/{one.installation}/sites/{one.site}"
    ok(alpha.api.call("PATCH", paused, {"status": "paused"}))
    assert Api(alpha.api.url, None).post("/v1/urls/published", {"url": url}).status == 503
    assert alpha.api.get(f"{at}/publishing/auth").status == 400


def test_redirects_lead_where_a_visitor_may_go(site: Site) -> None:
    sections = {section["title"]: section for section in site.sections()}
    v1 = sections["API"]["siteSpaces"][1]["id"]
    at = f"{site.path}/redirects"
    for source, destination in (
        ("/old", {"kind": "site-section", "siteSectionId": sections["API"]["id"]}),
        ("/older/v1", {"kind": "site-space", "siteSpaceId": v1}),
        ("/old/page", {"kind": "site-page", "siteSpaceId": v1, "pageId": "p/1"}),
        ("/secret", {"kind": "site-section", "siteSectionId": sections["Paid"]["id"]}),
        ("/api", {"kind": "site-section", "siteSectionId": sections["Handbook"]["id"]}),
        ("/%7Etilde", {"kind": "site-section", "siteSectionId": sections["API"]["id"]}),
    ):
        ok(site.api.post(at, {"source": source, "destination": destination}), 201)
    for place, to in (
        ("old", "api/"),
        ("older/v1/", "api/v1/"),
        ("old/page?x", "api/v1/-/page/p%2F1"),
        ("~tilde", "api/"),
    ):
        assert ok(look(site, place)) == {"target": "content", "redirect": home(site) + to}, place
    for place in ("secret", "api", "-/page/x", "other", "old/page/deeper", "Old"):
        assert "apiToken" in ok(look(site, place)), place
    page = ok(look(site, "api/v1/-/page/p%2F1"))
    assert page["pathname"] == "/-/page/p%2F1"
    pro = look(site, "secret", jwtToken=signed(key_of(site), plan="pro"))
    assert ok(pro)["redirect"] == f"{home(site)}paid/"
    api = reader(site, look(site))
    assert api.get(f"{site.path}/redirect", source="/secret").status == 404
    assert ok(api.get(f"{site.path}/redirect", source="/old"))["target"] == f"{home(site)}api/"
    assert ok(site.api.get(f"{site.path}/redirect", source="/secret"))["target"] == f"{home(site)}paid/"
    for source in ("old", "/a//b", "/a b", "/-/x", "/", "x" * 513, "/ü"):
        destination = {"kind": "site-space", "siteSpaceId": v1}
        assert site.api.post(at, {"source": source, "destination": destination}).status == 400, source
    assert site.api.post(at, {"source": "/old", "destination": {"kind": "site-space", "siteSpaceId": v1}}).status == 409
    assert ok(site.api.get(at, search="older"))["count"] == 1
    assert site.api.call("DELETE", f"{site.path}/sections/{sections['API']['id']}").status == 205
    assert {one["source"] for one in ok(site.api.get(at))["items"]} == {"/secret", "/api"}


def test_looks_are_laid_over_each_other(site: Site) -> None:
    part = site.sections()[0]["siteSpaces"][0]["id"]
    at, over = f"{site.path}/customization", f"{site.path}/site-spaces/{part}/customization"
    standard = ok(site.api.get(at))
    assert ok(site.api.get(over)) == standard
    links = [
        {
            "title": "Pro",
            "to": {"kind": "url", "url": "https://x.example/"},
            "links": [],
            "condition": "visitor.claims.vip",
        },
        {"title": "All", "to": None, "links": [{"title": "In", "to": {"kind": "page", "page": "p"}}]},
    ]
    body = standard | {"header": {"preset": "bold", "links": links}}
    assert ok(site.api.call("PUT", at, body)) == body == ok(site.api.get(at))
    changed = ok(site.api.call("PATCH", over, {"styling": {"theme": "bold"}, "header": {"links": []}, "title": "Mine"}))
    assert changed["styling"] == body["styling"] | {"theme": "bold"} and changed["title"] == "Mine"
    assert changed["header"] == {"preset": "bold", "links": []}
    back = ok(site.api.call("PATCH", over, {"styling": {"theme": None}, "header": {"links": None}}))
    assert back == body | {"title": "Mine"}
    found = ok(site.api.get(f"{site.path}/published"))["customizations"]
    assert [link["title"] for link in found["site"]["header"]["links"]] == ["All"]
    assert found["siteSpaces"].keys() == {part}
    assert site.api.call("DELETE", over).status == 205 and site.api.call("DELETE", over).status == 204
    bad = {"title": "x", "to": {"kind": "url", "url": "JavaScript:alert(1)"}, "links": []}
    for links_ in ([bad], [links[0] | {"condition": "visitor."}], links * 51):
        assert site.api.call("PUT", at, standard | {"header": {"preset": "bold", "links": links_}}).status == 400
    assert ok(site.api.get(at)) == body


def test_all_looks_of_a_site_fit_into_an_answer(alpha: Tenant) -> None:
    site = Site(alpha, spaces=20)
    at = f"{site.path}/customization"
    standard = ok(site.api.get(at))

    def linked(count: int) -> dict[str, Any]:
        link = {"title": "x" * 60, "to": {"kind": "url", "url": f"https://x.example/{'y' * 1800}"}, "links": []}
        return {"header": {"preset": "bold", "links": [link | {"links": [link] * 9}] * count}}

    refused = site.api.call("PUT", at, standard | linked(8))
    assert refused.status == 400 and "at most 128 KB as JSON" in refused.text
    assert ok(site.api.get(at)) == standard
    ok(site.api.call("PUT", at, standard | linked(6)))
    parts = [part["id"] for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"]]
    answers = [site.api.call("PATCH", f"{site.path}/site-spaces/{part}/customization", linked(6)) for part in parts]
    assert [answer.status for answer in answers[:5]] == [200] * 5
    assert answers[-1].status == 400 and "at most 4 MB together" in answers[-1].text
    ok(site.api.post(f"{site.path}/publish"))
    shown = site.api.get(f"{site.path}/published")
    fit = sum(answer.status == 200 for answer in answers)
    assert len(ok(shown)["customizations"]["siteSpaces"]) == fit and len(shown.text) < 6_000_000
    assert site.api.call("PATCH", f"{site.path}/site-spaces/{parts[0]}/customization", {"title": "Fits"}).status == 200


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host where every site has an origin of its own."""
    data: Path = tmp_path_factory.mktemp("apart")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_CONTENT_URL": "http://*.localhost:1"}).start()
    yield process
    assert process.stop() == 0


def test_a_site_is_found_at_its_own_origin_and_at_its_proxy(apart: HostProcess) -> None:
    owner = tenant(apart, "Apart", "apart@example.com")
    site, other = Site(owner), Site(owner)
    for one in (site, other):
        ok(one.api.post(f"{one.path}/publish"))
    assert ok(look(site))["site"] == site.id
    crossed = home(other).replace(other.id, site.id)
    assert nobody(site).post("/v1/urls/published", {"url": crossed}).status == 404
    ok(site.api.call("PATCH", site.path, {"proxy": "Docs.Example.com/help"}))
    ok(other.api.call("PATCH", other.path, {"proxy": "docs.example.com/help/deep"}))
    taken = other.api.call("PATCH", other.path, {"proxy": "docs.example.com/help"})
    assert taken.status == 409 and "already" in taken.text
    for url, where, base in (
        ("https://docs.example.com/help/a", site, "/help/"),
        ("https://DOCS.example.com/help/", site, "/help/"),
        ("https://docs.example.com/help/deep/a", other, "/help/deep/"),
    ):
        found = ok(nobody(site).post("/v1/urls/published", {"url": url}))
        assert (found["site"], found["siteBasePath"]) == (where.id, base)
        assert found["canonicalUrl"].startswith(f"https://docs.example.com{base}")
    for url in ("https://docs.example.com/", "https://docs.example.com/helpx", "https://docs.example.com:8443/help/"):
        assert nobody(site).post("/v1/urls/published", {"url": url}).status == 404
    assert ok(look(site, "a"))["canonicalUrl"] == "https://docs.example.com/help/a"


def test_addresses_of_a_site_with_a_proxy_are_there(site: Site) -> None:
    ok(site.api.post(f"{site.path}/publish"))
    own = home(site)
    there = f"https://{site.id.lower()}.example.com/docs/"
    assert ok(site.api.call("PATCH", site.path, {"proxy": there[8:-1]}))["urls"]["published"] == there
    structure = site.api.get(f"{site.path}/structure").text
    (first, *_) = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    assert there in structure and f'"published":"{own}' not in structure.replace(" ", "")
    assert first["urls"]["published"].startswith(there)
    space = ok(site.api.get(f"/v1/spaces/{first['space']['id']}"))
    assert space["urls"]["published"].startswith(there) and space["urls"]["public"].startswith(there)
    link = ok(site.api.post(f"{site.path}/share-links", {"name": "Key"}), 201)["id"]
    ok(site.api.call("PATCH", site.path, {"visibility": "share-link"}))
    (opened,) = [one for one in ok(site.api.get(f"{site.path}/share-links"))["items"] if one["id"] == link]
    address = opened["urls"]["published"]
    assert address.startswith(there) and address != there
    assert ok(nobody(site).post("/v1/urls/published", {"url": address}))["site"] == site.id
    # Visitors who sign in come back to this host, whose session it is.
    signing_in = {"visibility": "visitor-auth", "visitorAuth": {"backend": "custom"}}
    assert ok(site.api.call("PATCH", site.path, signing_in))["urls"]["published"] == own
    assert ok(site.api.call("PATCH", site.path, {"visibility": "public", "proxy": None}))["urls"]["published"] == own


def page(url: str, **more: Any) -> requests.Response:
    return requests.get(url, timeout=30, allow_redirects=False, **more)


def test_the_hosts_own_page_shows_what_is_there_for_a_visitor(site: Site) -> None:
    url = home(site)
    assert "API" in page(url).text and "Paid" not in page(url).text
    ok(site.api.call("PATCH", site.path, {"visibility": "share-link"}))
    link = ok(site.api.post(f"{site.path}/share-links", {"name": "One"}), 201)
    opened = page(link["urls"]["published"])
    assert opened.status_code == 200 and "API" in opened.text
    assert opened.headers["Referrer-Policy"] == "no-referrer" and "noindex" in opened.headers["X-Robots-Tag"]
    for closed in (url, f"{url}wrong/", f"{url}api/"):
        assert page(closed).status_code == 403
    ok(site.api.call("PATCH", site.path, {"visibility": "visitor-auth"}))
    assert page(url).status_code == 403
    ok(
        site.api.call(
            "PATCH", f"{site.path}/publishing/auth", {"backend": "custom", "fallbackURL": "https://in.example/#x"}
        )
    )
    assert page(f"{url}a/b").headers["Location"] == "https://in.example/?location=%2Fa%2Fb#x"
    assert page(url, params={"jwt_token": signed("x" * 32)}).status_code == 401
    signed_in = page(
        f"{url}a", params={"jwt_token": signed(key_of(site), plan="pro", unsigned={"beta": True}), "x": "1"}
    )
    assert signed_in.status_code == 302 and signed_in.headers["Location"] == f"{url}a?x=1"
    shown = page(url, cookies=signed_in.cookies)
    assert shown.status_code == 200 and "Paid" in shown.text and "Beta" not in shown.text
    assert shown.headers["Cache-Control"] == "private, no-store"
    ok(site.api.post(f"{site.path}/publishing/auth/regenerate"))
    assert page(url, cookies=signed_in.cookies).status_code == 302


def test_what_is_made_at_the_same_moment_is_made_once(site: Site) -> None:
    part = site.sections()[0]["siteSpaces"][0]["id"]
    destination = {"kind": "site-space", "siteSpaceId": part}
    once = {"source": "/once", "destination": destination}
    made = at_once(*[lambda: site.api.post(f"{site.path}/redirects", once)] * 6)
    assert statuses(made) == {201: 1, 409: 5}
    at = f"{site.path}/redirects/{next(one for one in made if one.status == 201).json['id']}"
    answers = at_once(
        *[lambda: site.api.call("DELETE", at)] * 3,
        *[lambda: site.api.call("PATCH", at, {"source": "/twice"})] * 3,
    )
    assert statuses(answers[:3])[205] == 1 and {answer.status for answer in answers} <= {200, 204, 205, 404, 409}
    assert ok(site.api.get(f"{site.path}/redirects"))["items"] == []
    looks = f"{site.path}/customization"
    standard = ok(site.api.get(looks))
    answers = at_once(
        *[
            lambda theme=theme: site.api.call("PUT", looks, standard | {"title": theme})  # type: ignore[misc]
            for theme in ("one", "two", "three", "four")
        ]
    )
    assert statuses(answers) == {200: 4} and ok(site.api.get(looks)) in [answer.json for answer in answers]
    over = f"{site.path}/site-spaces/{part}/customization"
    answers = at_once(
        *[lambda: site.api.call("PATCH", over, {"title": "Mine"})] * 2,
        *[lambda: site.api.call("PATCH", over, {"pdf": {"enabled": False}})] * 2,
    )
    assert statuses(answers) == {200: 4}
    both = ok(site.api.get(over))
    assert (both["title"], both["pdf"]) == ("Mine", {"enabled": False})
    key = key_of(site)
    answers = at_once(*[lambda: site.api.post(f"{site.path}/publishing/auth/regenerate")] * 4)
    assert statuses(answers) == {200: 4}
    assert len({key, *(answer.json["privateKey"] for answer in answers)}) == 5
    proxies = [Site(site.owner) for _ in range(4)]
    address = {"proxy": f"{site.id.lower()}.example.com/docs"}
    answers = at_once(*[lambda one=one: one.api.call("PATCH", one.path, address) for one in proxies])  # type: ignore[misc]
    assert statuses(answers) == {200: 1, 409: 3}


def test_what_visitors_claim_is_bounded(site: Site) -> None:
    for claims in ({"a": "x" * 5000}, {"a": ["x"] * 3000}, {"a": "\x00"}, [1], "x"):
        assert look(site, unsignedClaims=claims).status == 400, claims
    deep: Any = 1
    for _ in range(70):
        deep = {"a": deep}
    assert look(site, unsignedClaims=deep).status == 400
    assert look(site, jwtToken="x" * 8193).status == 400
    big = signed(key_of(site), plan="pro", **{f"c{number}": "x" * 100 for number in range(50)})
    assert len(big) < 8192
    assert "Group of Paid" in titles(ok(reader(site, look(site, jwtToken=big)).get(f"{site.path}/structure")))


def test_only_who_may_sees_keys(host: HostProcess, alpha: Tenant) -> None:
    world = build(host, alpha)
    at = f"/v1/orgs/{alpha.id}/sites/{world.installed.site}"
    for place in ("/publishing/auth", "/share-links"):
        assert world.reader.get(at + place).status == 403
        for api in (world.integration, world.installation):
            assert api.get(at + place).status in (403, 404)
    for place in ("/structure", "/sections", "/redirects", "/customization", "/published"):
        assert world.reader.get(at + place).status == 200


def test_visitors_are_sent_to_where_the_integration_is_asked(apart: HostProcess) -> None:
    owner = tenant(apart, "Sent", "sent@example.com")
    one = installed(owner, SIGNS_IN, scopes=["site:visitor:auth"], blocks=[])
    at = f"/v1/orgs/{owner.id}/sites/{one.site}"
    auth = {"backend": "integration", "integration": one.name}
    ok(owner.api.call("PATCH", at, {"visibility": "visitor-auth", "published": True, "visitorAuth": auth}))
    url = ok(owner.api.get(at))["urls"]["published"]
    body = {"url": f"{url}a/b?x=1&jwt_token=rubbish", "redirectOnError": True}
    sent = ok(Api(apart.url, None).post("/v1/urls/published", body))
    asked = urlsplit(sent["redirect"])
    assert sent["target"] == "external" and asked.netloc != urlsplit(url).netloc
    assert "rubbish" not in sent["redirect"]
    answer = page(f"{apart.url}{asked.path}?{asked.query}", headers={"Host": asked.netloc})
    assert answer.headers["Location"] == "https://login.example.com/a/b"
