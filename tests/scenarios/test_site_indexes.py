"""Published sites tell search engines and assistants which pages they have."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
import requests

from runtime.web.sites import indexes
from tests.conftest import Installed, Tenant, installed
from tests.scenarios.answers import ok
from tests.scenarios.computed_content import SCRIPT, Sourced
from tests.scenarios.content import page
from tests.scenarios.content_sources import SOURCES
from tests.scenarios.published_site import Published
from tests.scenarios.site_pages import get, text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home

LOC = f"{{{indexes.NAMESPACE}}}loc"


@pytest.fixture
def published(alpha: Tenant) -> Published:
    return Published(alpha)


def locations(address: str) -> list[str]:
    got = get(address)
    assert got.status_code == 200 and got.headers["Content-Type"] == "application/xml; charset=utf-8", got.text
    return [str(one.text) for one in ElementTree.fromstring(got.text).iter(LOC)]


def test_a_sitemap_lists_the_pages_that_everybody_may_find(published: Published) -> None:
    at = home(published.site)
    published.first.merge(
        page("Kept & quiet", "x", id="quiet", noRobotsIndex=True),
        page("Hidden", "x", id="hidden", hidden=True),
        page("Größe", "x", id="size", slug="größe"),
    )
    assert locations(f"{at}sitemap.xml") == [f"{at}sitemap-pages.xml"]  # the other section is for who pays
    found = locations(f"{at}sitemap-pages.xml")
    assert len(found) == 3 and found[:2] == [f"{at}guide", f"{at}guide/next"]
    for address in found:
        assert get(address).status_code == 200
    assert re.search(r"<lastmod>\d{4}-\d\d-\d\dT", get(f"{at}sitemap-pages.xml").text)
    assert get(f"{at}guide/sitemap.xml").status_code == get(f"{at}none/sitemap-pages.xml").status_code == 404


@pytest.mark.parametrize("visibility", ["unlisted", "share-link"])
def test_only_public_sites_have_one(published: Published, visibility: str) -> None:
    site = published.site
    ok(site.api.call("PATCH", site.path, {"visibility": visibility}))
    at = home(site)
    if visibility == "share-link":
        made = ok(site.api.post(f"{site.path}/share-links", {"name": "Ours"}), 201)
        assert get(f"{at}llms.txt").status_code == 403
        at = made["urls"]["published"]
    assert get(f"{at}sitemap.xml").status_code == get(f"{at}sitemap-pages.xml").status_code == 404
    text = text_of(f"{at}llms.txt")
    assert f"[Guide]({at}guide.md)" in text
    assert get(f"{at}llms.txt").headers["X-Robots-Tag"] == "noindex"


def test_assistants_read_which_pages_there_are(published: Published) -> None:
    at, site = home(published.site), published.site
    published.first.merge(
        {"type": "update_page", "id": "guide", "title": "Guide [to] it", "description": "All\nof *it*."},
    )
    text = text_of(f"{at}llms.txt")
    assert text.startswith("# Handbook\n\n## Handbook: Space 0\n\n")
    assert f"- [Guide \\[to\\] it]({at}guide.md): All of \\*it\\*.\n- [Next]({at}guide/next.md)\n" in text
    assert "Secret" not in text
    for address in re.findall(r"\((http\S+)\)", text):
        assert get(address).headers["Content-Type"].startswith("text/markdown")
    ok(site.api.call("PUT", f"{site.path}/customization", settings_without_markdown(site)))
    assert f"({at}guide)" in text_of(f"{at}llms.txt")
    ok(site.api.call("PATCH", site.path, {"agentsContext": "excluded"}))
    assert get(f"{at}llms.txt").status_code == 404


def settings_without_markdown(site: Site) -> dict[str, Any]:
    settings: dict[str, Any] = ok(site.api.get(f"{site.path}/customization"))
    settings["pageActions"] = {**settings["pageActions"], "markdown": False}
    return settings


def test_spaces_that_do_not_fit_have_a_list_of_their_own(alpha: Tenant) -> None:
    site = Site(alpha, spaces=2)
    made = Published.__new__(Published)
    made.site = site
    parts = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    many = indexes.MAX_LISTED + 1
    first, second = (made.space_of(part["space"]["id"]) for part in parts)
    for begin in range(0, many, 400):
        first.merge(*(page(f"P{number}", id=f"p{number}") for number in range(begin, min(many, begin + 400))))
    second.merge(page("Last", "x"))
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)
    text = text_of(f"{at}llms.txt")
    assert text.count("\n- ") == many + 1 and text.endswith(f"## Space 1\n\n- [All pages]({at}space-1/llms.txt)\n")
    assert text_of(f"{at}space-1/llms.txt") == f"# Handbook\n\n## Space 1\n\n- [Last]({at}space-1/last.md)\n"
    assert locations(f"{at}sitemap.xml") == [f"{at}sitemap-pages.xml", f"{at}space-1/sitemap-pages.xml"]


def test_a_page_of_that_name_goes_first(published: Published) -> None:
    published.first.merge(page("Our own", "x", id="own", slug="llms.txt"))
    got = get(f"{home(published.site)}llms.txt")
    assert got.status_code == 200 and ("<h1>Our own</h1>" in got.text or got.text.startswith("# "))


def test_a_computed_page_with_the_name_of_an_index_goes_first(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    space = Sourced(one)
    names = indexes.SITEMAP, indexes.PAGES, indexes.LLMS
    space.merge(page("First", "x"), *(page("Own", slug=name, computed=space.source(ticket=name)) for name in names))
    site = Site(alpha, spaces=0)
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": one.space}), 201)
    ok(site.api.call("PATCH", site.path, {"visibility": "unlisted"}))
    ok(site.api.post(f"{site.path}/publish"))
    for name in names:
        got = get(f"{home(site)}{name}")
        assert got.status_code == 200 and f"<strong>{name}</strong>" in got.text


def test_pages_that_are_computed_are_listed(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    site = Site(alpha, spaces=2)
    ok(site.api.post(f"{site.path}/publish"))
    at = home(site)
    for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"]:
        where = part["space"]["id"]
        ok(alpha.api.post(f"{one.path}/installations/{one.installation}/spaces", {"space": where}), 201)
        space = Sourced(Installed(one.name, alpha, one.installation, where, site.id))
        variables = {"type": "set_variables", "variables": {"team": "ours"}}
        quiet = {**space.named("quiet"), "noRobotsIndex": True}
        space.merge(page("Written", "x"), space.named("top"), quiet, variables)
    text = text_of(f"{at}llms.txt")
    assert f"- [Ticket 1]({at}open/ticket-1.md): First.\n" in text
    assert f"- [Ticket 1]({at}space-1/open/ticket-1.md): First.\n" in text and "open-2" not in text
    assert text.endswith(text_of(f"{at}space-1/llms.txt").partition("\n\n")[2])
    for start in ("", "space-1/"):
        found = locations(f"{at}{start}sitemap-pages.xml")
        assert f"{at}{start}open/ticket-1" in found and len(set(found)) == len(found)
        assert get(f"{at}{start}open/ticket-1").status_code == 200
        # What is computed in the place of a page that is kept from search is kept from it, too.
        assert get(f"{at}{start}open-2/ticket-1").headers["X-Robots-Tag"] == "noindex"
        assert not [address for address in found if "open-2" in address]


def test_no_source_is_asked_for_an_index_that_there_is_not(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    space = Sourced(one)
    space.merge(page("Written", "x"), space.named("top"))
    site = Site(alpha, spaces=0)
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": one.space}), 201)
    ok(site.api.call("PATCH", site.path, {"visibility": "unlisted", "agentsContext": "excluded"}))
    ok(site.api.post(f"{site.path}/publish"))
    before = asked(one)
    for name in ("sitemap.xml", "sitemap-pages.xml", "llms.txt"):
        assert get(f"{home(site)}{name}").status_code == 404
    assert asked(one) == before
    ok(site.api.call("PATCH", site.path, {"agentsContext": "included"}))
    assert "Ticket 1" in text_of(f"{home(site)}llms.txt")
    assert asked(one) > before


def asked(one: Installed) -> int:
    count: int = ok(one.owner.api.get(f"{one.path}/events", type="content_compute_revision"))["count"]
    return count


def test_crawlers_read_sites_alone(published: Published) -> None:
    root = home(published.site).partition("/sites/")[0]
    got = get(f"{root}/robots.txt")
    assert got.status_code == 200 and got.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert got.text.splitlines() == ["User-agent: *", "Allow: /sites/", "Allow: /files/", "Disallow: /"]


def chain(sign: str, deep: int) -> list[dict[str, Any]]:
    """Make pages inside each other, each with a slug of a hundred letters."""
    return [
        page(f"Level {n}", "x", id=f"l{n}", slug=sign * 100, position={"parent": f"l{n - 1}" if n else None})
        for n in range(deep)
    ]


def with_links(published: Published, to: str, count: int) -> None:
    block = {"object": "block", "type": "content-ref", "data": {"ref": {"kind": "page", "page": to}}, "nodes": []}
    document = {"object": "document", "data": {}, "nodes": [block] * count}
    published.first.merge({**page("Links", id="links"), "document": {"document": document}})


@pytest.mark.parametrize(
    ("sign", "deep", "by_id"),
    [("\U0001e900", 8, 3000), ("a", 18, 1800)],
    ids=["a path longer than an address", "long addresses, too many of them"],
)
def test_thousands_of_links_to_a_page_with_a_long_path_are_short(
    published: Published, sign: str, deep: int, by_id: int
) -> None:
    published.first.merge(*chain(sign, deep))
    with_links(published, f"l{deep - 1}", 3000)
    at = home(published.site)
    html, markdown = text_of(f"{at}links"), text_of(f"{at}links.md")
    assert html.count("/-/page/") >= by_id and html.count(f"Level {deep - 1}") > 1000
    assert len(html) < 4_000_000 and len(markdown) < 8_000_000
    assert requests.get(f"{at}-/page/l{deep - 1}", timeout=30).status_code == 200  # the path leads there, too
    for address in locations(f"{at}sitemap-pages.xml"):
        assert len(address) < 2100 and get(address).status_code == 200
