"""A space with thousands of pages: each page lists those nearest to it, and all are listed on pages of contents."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import page
from tests.scenarios.published_site import Published
from tests.scenarios.site_pages import get, links, text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home

MANY = 1203


@pytest.fixture(scope="module")
def large(alpha: Tenant) -> str:
    """A flat space, in which one page has children, with two large groups behind it; gives the address of the site."""
    site = Site(alpha)
    made = Published.__new__(Published)
    made.site = site
    space = made.space_of(ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])
    flat = [page(f"P{number}", "x", id=f"p{number}") for number in range(MANY)]
    flat.append(page("Hidden", "x", id="hidden", hidden=True))
    below = [page(f"C{number}", "x", id=f"c{number}", position={"parent": "p600"}) for number in range(70)]
    groups = [page(f"G{number}", page="group", id=f"g{number}") for number in range(2)]
    inside = [
        page(f"I{group} {number}", "x", id=f"i{group}x{number}", position={"parent": f"g{group}"})
        for group in range(2)
        for number in range(150)
    ]
    changes = [*flat, *below, *groups, *inside]
    for at in range(0, len(changes), 400):
        space.merge(*changes[at : at + 400])
    ok(site.api.post(f"{site.path}/publish"))
    return home(site)


def test_a_page_lists_those_nearest_to_it(large: str) -> None:
    text = text_of(f"{large}p600")
    listed = [title for _, _, title in links(text, "Pages")]
    assert listed == [
        *(f"P{number}" for number in range(580, 601)),
        *(f"C{number}" for number in range(41)),
        *(f"P{number}" for number in range(601, 621)),
    ]
    more = re.findall(r'<a class="more" href="([^"]+)">([^<]+)</a>', text)
    assert more == [
        (f"{large}-/contents?page=2", "580 more pages"),
        (f"{large}-/contents?page=2", "29 more pages"),
        (f"{large}-/contents?page=2", "584 more pages"),
    ]
    assert 'aria-current="page">P600' in text and len(text) < 30_000
    below = text_of(f"{large}p600/c69")
    listed = [title for _, _, title in links(below, "Pages")]
    assert "C49" in listed and "C48" not in listed and "P600" in listed and "P580" in listed


def test_groups_share_what_they_list(large: str) -> None:
    text = text_of(f"{large}g1/i1-149")
    listed = [title for _, _, title in links(text, "Pages")]
    assert "I1 149" in listed and "I1 129" in listed and "I1 128" not in listed
    assert "I0 59" in listed and "I0 60" not in listed and '<span class="heading">G0</span>' in text


def test_all_pages_are_in_the_contents(large: str) -> None:
    address: str | None = f"{large}-/contents"
    found: list[str] = []
    while address is not None:
        got = get(address)
        assert got.status_code == 200 and got.headers["X-Robots-Tag"] == "noindex"
        found += re.findall(r'<li><a href="([^"]+)">[^<]+</a>(?: <span class="in">in [^<]+</span>)?</li>', got.text)
        following = re.search(r'<a rel="next" href="([^"]+)">Next pages</a>', got.text)
        address = following[1] if following else None
    pages = MANY + 70 + 300
    assert len(found) == len(set(found)) == pages and f"{large}hidden" not in found
    last = text_of(f"{large}-/contents?page=4")
    assert f"Pages 1,501 to {pages:,} of {pages:,}" in last and '<ol class="contents" start="1501">' in last
    assert '<span class="in">in G1</span>' in last


def test_odd_numbers_give_the_nearest_page(large: str) -> None:
    for number in ("0", "-1", "x", "", "1e9", "%00"):
        assert "Pages 1 to 500" in text_of(f"{large}-/contents?page={number}")
    assert "Pages 1,501 to" in text_of(f"{large}-/contents?page=99999999999")
    assert get(f"{large}p1/-/contents").status_code == get(f"{large}-/contents/x").status_code == 404


def test_a_small_space_lists_all_and_has_contents(alpha: Tenant) -> None:
    site = Site(alpha, spaces=2)
    made = Published.__new__(Published)
    made.site = site
    second = made.space_of(ok(site.api.get(f"{site.path}/site-spaces"))["items"][1]["space"]["id"])
    second.merge(page("Only", "x"))
    ok(site.api.post(f"{site.path}/publish"))
    assert 'class="more"' not in text_of(f"{home(site)}space-1")
    text = text_of(f"{home(site)}space-1/-/contents")
    assert f'<li><a href="{home(site)}space-1/only">Only</a></li>' in text and "Contents of" in text
