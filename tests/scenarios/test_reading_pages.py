"""Pages of a published site as browsers get them: what is there, where it is, and for whom."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests.conftest import Answer, Installed, Tenant, installed, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.published_site import Published
from tests.scenarios.site_pages import address, get, links, text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home, key_of, nobody, signed


def test_the_first_page_is_at_the_address_of_the_site(published: Published) -> None:
    at = home(published.site)
    got = get(at)
    assert got.headers["Cache-Control"] == "no-cache" and "X-Robots-Tag" not in got.headers
    assert "<h1>Guide</h1>" in got.text
    assert f'<link rel="canonical" href="{at}guide">' in got.text
    assert f'<a href="{at}guide/next">' in got.text  # a link of the page itself
    assert links(got.text, "Pages") == [(f"{at}guide", "page", "Guide"), (f"{at}guide/next", "", "Next")]
    assert f'<a rel="next" href="{at}guide/next"><span>Next</span> Next</a>' in got.text
    below = text_of(f"{at}guide/next")
    assert "The <strong>end</strong>." in below and f'<a rel="prev" href="{at}guide">' in below
    assert '<p class="above">Guide</p>' in below


def test_places_are_those_to_which_the_api_leads(alpha: Tenant) -> None:
    """Sections, several spaces, groups and a link: what browsers are given is where clients of the API find it."""
    site = Site(alpha)
    section = site.section("API")
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("v 1"), "sectionId": section["id"]}), 201)
    for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"]:
        space = Published.space_of(_at(site), part["space"]["id"])
        space.merge(
            page("Group", page="group", id="group"),
            page("Inside é", "x", id="inside", position={"parent": "group"}),
            page("Deep", "x", id="deep", position={"parent": "inside"}),
        )
    ok(site.api.post(f"{site.path}/publish"))
    seen: set[str] = set()
    todo = [home(site)]
    while todo:
        address = todo.pop()
        if address in seen:
            continue
        seen.add(address)
        text = text_of(address)
        found = ok(nobody(site).post("/v1/urls/published", {"url": address}))
        canonical = re.search(r'<link rel="canonical" href="([^"]+)">', text)
        assert canonical is not None
        if found["pathname"] != "/":
            assert html.unescape(canonical[1]) == found["canonicalUrl"]
        (shown,) = re.findall(r'data-site-space="(\w+)"', text)
        assert shown == found["siteSpace"]
        todo += [href for name in ("Sections", "Spaces", "Pages") for href, _, _ in links(text, name)]
    assert len(seen) == 3 + 3 * 2, "\n".join(sorted(seen))  # three spaces with two pages each
    assert '<span class="heading">Group</span>' in text_of(home(site))
    assert "<h1>Inside é</h1>" in text_of(f"{home(site)}group")


def _at(site: Site) -> Published:
    made = Published.__new__(Published)
    made.site = site
    return made


def test_what_is_not_there_for_a_visitor_is_nowhere(published: Published) -> None:
    at = home(published.site)
    text = text_of(at)
    assert "Paid" not in text and links(text, "Sections") == []
    assert get(f"{at}paid/secret").status_code == get(f"{at}paid").status_code == get(f"{at}nowhere").status_code == 404
    assert "Secret" not in text_of(f"{at}-/search", params={"q": "pays"})


@pytest.fixture
def guarded(published: Published) -> Iterator[str]:
    """The site while its visitors are signed in by its owners."""
    api, path = published.site.api, published.site.path
    ok(api.call("PATCH", path, {"visibility": "visitor-auth"}))
    ok(api.call("PATCH", f"{path}/publishing/auth", {"backend": "custom"}))
    yield home(published.site)
    ok(api.call("PATCH", path, {"visibility": "public"}))


def test_visitors_read_what_they_are_signed_in_for(published: Published, guarded: str) -> None:
    key = key_of(published.site)
    visitors = {plan: requests.Session() for plan in ("pro", "free")}
    for plan, visitor in visitors.items():
        got = visitor.get(f"{guarded}guide?jwt_token={signed(key, plan=plan)}", timeout=60)
        assert got.status_code == 200 and "Sign out" in got.text
        assert got.headers["Cache-Control"] == "private, no-store" and got.headers["X-Robots-Tag"] == "noindex"
    wait_for(lambda: "Secret" in visitors["pro"].get(f"{guarded}-/search?q=pays", timeout=60).text)
    assert "For who pays." in visitors["pro"].get(f"{guarded}paid/secret", timeout=60).text
    assert ("Sections" in visitors["pro"].get(guarded, timeout=60).text) is True
    assert visitors["free"].get(f"{guarded}paid/secret", timeout=60).status_code == 404
    assert "Secret" not in visitors["free"].get(f"{guarded}-/search?q=pays", timeout=60).text
    assert get(f"{guarded}guide").status_code == 403  # nobody in particular


@pytest.fixture(scope="module")
def app(alpha: Tenant) -> Installed:
    """A site whose page has a block of an integration, and one of an integration that is not installed there."""
    one = installed(alpha)
    other = installed(alpha)

    def block(name: str, props: dict[str, Any]) -> dict[str, Any]:
        data = {"integration": name, "block": "counter", "props": props}
        return {"object": "block", "type": "integration", "isVoid": True, "data": data}

    drawn = [block(one.name, {"title": '"><script>'}), block(other.name, {}), block("no-such", {})]
    space = Space.__new__(Space)
    space.api, space.id, space.path = one.owner.api, one.space, f"/v1/spaces/{one.space}"
    space.merge(page("Drawn", document={"document": {"object": "document", "data": {}, "nodes": drawn}}))
    ok(one.owner.api.call("PATCH", f"/v1/orgs/{alpha.id}/sites/{one.site}", {"published": True}))
    return one


def rendered(at: str, app: Installed, **context: Any) -> requests.Response:
    wanted = {"componentId": "counter", "props": {}, "context": app.context(**context)}
    return requests.post(f"{at}-/render/{app.name}", json=wanted, timeout=60)


def test_blocks_are_drawn_for_readers(app: Installed) -> None:
    at = address(app)
    got = get(at)
    assert got.text.count("<content-kit ") == 1  # whoever is not installed draws nothing
    assert f'src="{at}-/render/{app.name}" component="counter"' in got.text
    assert "<script>" not in got.text
    policy = {part.split()[0]: part.split()[1:] for part in got.headers["Content-Security-Policy"].split(";")}
    assert f"{at}-/render/" in policy["connect-src"] and "'unsafe-inline'" not in policy["script-src"]
    output = rendered(at, app)
    assert (output.status_code, output.json()["state"]) == (200, {"count": 0})
    assert rendered(at, app, editable=True).status_code == 400
    assert rendered(at, app, spaceId="another").status_code == 404
    api, part = app.owner.api, f"{app.path}/installations/{app.installation}/spaces/{app.space}"
    ok(api.call("PATCH", part, {"status": "paused"}))
    assert rendered(at, app).status_code == 404 and "<content-kit " not in text_of(at)
    ok(api.call("PATCH", part, {"status": "active"}))


def test_a_shared_link_opens_pages_and_blocks(app: Installed) -> None:
    api, path = app.owner.api, f"/v1/orgs/{app.owner.id}/sites/{app.site}"
    ok(api.call("PATCH", path, {"visibility": "share-link"}))
    link = ok(api.post(f"{path}/share-links", {"name": "Friends"}), 201)["urls"]["published"]
    got = get(link)
    assert got.headers["Cache-Control"] == "private, no-store" and got.headers["Referrer-Policy"] == "no-referrer"
    assert f'src="{link}-/render/{app.name}"' in got.text and links(got.text, "Pages")[0][0] == f"{link}drawn"
    assert text_of(f"{link}drawn") and rendered(link, app).status_code == 200
    site = urlsplit(link)._replace(path=f"/sites/{app.site}/").geturl()
    for closed in (site, f"{site}{'0' * 20}/"):
        assert get(f"{closed}drawn").status_code == 403 and rendered(closed, app).status_code == 403
    ok(api.call("PATCH", path, {"visibility": "public"}))


def test_blocks_are_drawn_for_whom_their_space_is_there(alpha: Tenant) -> None:
    """Whoever knows the id of a space gets nothing of its blocks while the conditions of the site keep it away."""
    published, one = Published(alpha), installed(alpha)
    api, path = alpha.api, published.site.path
    ok(api.post(f"{one.path}/installations/{one.installation}/spaces", {"space": published.paid.id}), 201)
    ok(api.call("PATCH", path, {"visibility": "visitor-auth", "visitorAuth": {"backend": "custom"}}))
    guarded, key = home(published.site), key_of(published.site)

    def asked(visitor: requests.Session) -> int:
        wanted = {"componentId": "counter", "props": {}, "context": one.context(spaceId=published.paid.id)}
        return visitor.post(f"{guarded}-/render/{one.name}", json=wanted, timeout=60).status_code

    visitors = {plan: requests.Session() for plan in ("pro", "free")}
    for plan, visitor in visitors.items():
        assert visitor.get(f"{guarded}?jwt_token={signed(key, plan=plan)}", timeout=60).status_code == 200
    statuses = {"pro": 200, "free": 404}
    assert {plan: asked(visitor) for plan, visitor in visitors.items()} == statuses
    assert asked(requests.Session()) == 403
    section = next(item for item in ok(api.get(f"{path}/sections"))["items"] if item["title"] == "Paid")
    at = f"{path}/sections/{section['id']}"
    for condition, expected in ((None, {"pro": 200, "free": 200}), ("false", {"pro": 404, "free": 404})):
        ok(api.call("PATCH", at, {"condition": condition}))
        assert {plan: asked(visitor) for plan, visitor in visitors.items()} == expected
    ok(api.call("PATCH", at, {"condition": None}))
    ok(api.call("DELETE", at), 205)
    target = ok(api.post("/v1/orgs", {"title": "Takers"}), 201)["id"]
    ok(api.post(f"{published.paid.path}/transfer", {"organization": target}))
    assert {plan: asked(visitor) for plan, visitor in visitors.items()} == {"pro": 404, "free": 404}


def test_redirects_and_ids_lead_to_pages(alpha: Tenant) -> None:
    site = Site(alpha)
    part = ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]
    space = Published.space_of(_at(site), part["space"]["id"])
    space.merge(page("A", "a", id="a"), page("B", "b", id="b"), page("Hidden", "h", id="h", hidden=True))
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)

    def redirect(source: str, page_id: str) -> Answer:
        to = {"kind": "site-page", "siteSpaceId": part["id"], "pageId": page_id}
        return site.api.post(f"{site.path}/redirects", {"source": source, "destination": to})

    ok(redirect("/old/place", "b"), 201)
    ok(redirect("/a", "b"), 201)
    ok(redirect("/b", "a"), 201)
    assert requests.get(f"{at}old/place?x=1", timeout=60).text.count("<h1>B</h1>") == 1
    assert get(f"{at}old/place?x=1").headers["Location"].endswith("?x=1")
    # Two that lead to each other end at a page.
    assert "<h1>B</h1>" in requests.get(f"{at}a", timeout=60).text
    assert "<h1>A</h1>" in requests.get(f"{at}b", timeout=60).text
    assert get(f"{at}-/page/h").status_code == get(f"{at}-/page/nothing").status_code == 404


def test_a_page_with_the_path_of_a_section_is_named_by_its_id(alpha: Tenant) -> None:
    site = Site(alpha)
    section = site.section("API")
    first = next(
        part for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"] if part["section"] != section["id"]
    )
    space = Published.space_of(_at(site), first["space"]["id"])
    space.merge(page("Start", "s"), page("API", "of the page", id="p"), page("Below", "b", position={"parent": "p"}))
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)
    (_, api) = links(text_of(at), "Pages")
    assert api[0] == f"{at}-/page/p"
    text = text_of(api[0])
    assert "of the page" in text and f'<link rel="canonical" href="{at}-/page/p">' in text
    (below,) = [href for href, _, said in links(text, "Pages") if said == "Below"]
    assert "<h1>Below</h1>" in text_of(below)


def test_a_first_page_with_the_name_of_its_space_is_at_the_start(alpha: Tenant) -> None:
    site = Site(alpha)
    (part,) = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    ok(site.api.call("PATCH", f"{site.path}/site-spaces/{part['id']}", {"path": "handbook"}))
    space = Published.space_of(_at(site), part["space"]["id"])
    space.merge(page("Handbook", "of the page", id="p"), page("Next", "n"))
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)
    start, following = links(text_of(at), "Pages")
    assert (start[0], following[0]) == (at, f"{at}next")
    assert get(f"{at}-/page/p").headers["Location"] == at
    for place in ("", "handbook"):
        text = text_of(f"{at}{place}")
        assert "of the page" in text and f'<link rel="canonical" href="{at}">' in text, place


def test_a_search_shows_words_and_never_markup(alpha: Tenant) -> None:
    site = Site(alpha)
    part = ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]
    space = Published.space_of(_at(site), part["space"]["id"])
    odd = "The `<img src=x>` quokka [runs](javascript:alert)."
    space.merge(page("About <b>animals</b>", odd, description="<i>quick</i>"), page("Quiet", "quokka", hidden=True))
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)
    wait_for(lambda: "<mark>quokka</mark>" in text_of(f"{at}-/search?q=quokka"))
    text = text_of(f"{at}-/search?q=quokka")
    assert "1 page about “quokka”" in text and "&lt;img src=x&gt;" in text and "Quiet" not in text
    assert "&lt;b&gt;animals&lt;/b&gt;" in text
    for query in ("", "  ", "<script>", "x" * 5000, "%00", "'\";--"):
        assert "<script>" not in text_of(f"{at}-/search", params={"q": query})
    shown = text_of(at)
    assert "<i>quick" not in shown and "<b>" not in shown and 'href="javascript:' not in shown


def test_what_robots_may_not_read_is_said(alpha: Tenant) -> None:
    site = Site(alpha)
    space = Published.space_of(_at(site), ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])
    space.merge(page("Open", "x"), page("Shy", "x", noRobotsIndex=True))
    ok(site.api.post(f"{site.path}/publish"))
    assert "X-Robots-Tag" not in get(f"{home(site)}open").headers
    assert get(f"{home(site)}shy").headers["X-Robots-Tag"] == "noindex"
    assert get(f"{home(site)}-/search?q=x").headers["X-Robots-Tag"] == "noindex"


def test_what_an_odd_reference_includes_is_nothing(alpha: Tenant) -> None:
    site = Site(alpha)
    space = Published.space_of(_at(site), ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])
    odd = {"object": "block", "type": "reusable-content", "isVoid": True, "data": {"ref": "x"}}
    space.merge(page("Odd", document={"document": {"object": "document", "data": {}, "nodes": [odd]}}))
    ok(site.api.post(f"{site.path}/publish"))
    assert "<h1>Odd</h1>" in text_of(home(site))


def test_pages_have_their_emoji_and_what_is_not_there_leads_back(alpha: Tenant) -> None:
    site = Site(alpha)
    space = Published.space_of(_at(site), ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])
    space.merge(page("Rocket", "x", emoji="1f680"))
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)
    assert text_of(at).count('<span class="emoji" aria-hidden="true">\U0001f680</span> Rocket') == 2
    missing = get(f"{at}nothing")
    assert missing.status_code == 404 and f'<p><a href="{at}">Back to the site</a></p>' in missing.text
    ok(site.api.call("PATCH", site.path, {"visibility": "share-link"}))
    link = ok(site.api.post(f"{site.path}/share-links", {"name": "Friends"}), 201)["urls"]["published"]
    assert get(f"{link}nothing").text.count(f'href="{link}"') == 2
    assert link not in get(f"{at}nothing").text and get(f"{at}nothing").status_code == 403


def test_what_pages_refer_to_has_its_own_name(alpha: Tenant) -> None:
    """Also in another space of the site; and what is included has the values of its variables, and notes of its own."""
    site = Site(alpha, spaces=2)
    parts = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    first, second = (Published.space_of(_at(site), part["space"]["id"]) for part in parts)
    second.merge(page("There", "x", id="same"), page("Secret plan", "x", id="gone", hidden=True))
    away = Published.space_of(_at(site), site.space("Not on the site"))
    away.merge(page("Elsewhere", "x", id="same"))

    def pointer(space: Space, page_id: str) -> dict[str, Any]:
        ref = {"kind": "page", "page": page_id, "space": space.id}
        return {"object": "block", "type": "content-ref", "isVoid": True, "data": {"ref": ref}}

    included = {
        "object": "block",
        "type": "reusable-content",
        "isVoid": True,
        "data": {"ref": {"kind": "reusable-content", "reusableContent": "part"}},
    }
    nodes = [pointer(second, "same"), pointer(second, "gone"), pointer(away, "same"), included, included]
    part = {"type": "put_reusable_content", "id": "part", "title": "Part"}
    filled = {"markdown": 'Version <code class="expression">space.vars.version</code>[^1]\n\n[^1]: A note.'}
    first.merge(
        {"type": "set_variables", "variables": {"version": "1.2.3"}},
        {**part, "document": filled},
        page("Here", id="same", document={"document": {"object": "document", "data": {}, "nodes": nodes}}),
    )
    ok(site.api.post(f"{site.path}/publish"))
    text = text_of(home(site))
    assert f'<p class="pointer"><a href="{home(site)}space-1/there">There</a></p>' in text
    assert text.count('<p class="pointer">Page</p>') == 2 and "Secret plan" not in text and "Elsewhere" not in text
    assert text.count("Version 1.2.3") == 2
    ids = re.findall(r'id="([^"]+)"', text)
    assert len(ids) == len(set(ids)), ids
