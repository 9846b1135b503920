"""How pages of a published site are laid out: their sign, their cover, and what of them is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import page
from tests.scenarios.framed_site import Framed, policy
from tests.scenarios.site_pages import get, text_of

LONG = "# One\n\nWords.\n\n## Inside\n\nWords.\n\n### Deep\n\n# <b>Two\n\nWords.\n\n# One\n"


@pytest.fixture(scope="module")
def framed(alpha: Tenant) -> Framed:
    return Framed(alpha)


def put(framed: Framed, title: str, **fields: Any) -> str:
    framed.spaces[0].merge(page(title, LONG, **fields))
    return f"{framed.home}{title.lower()}"


def uploaded(framed: Framed, name: str) -> None:
    space = framed.spaces[0]
    change = ok(space.api.post(f"{space.path}/change-requests", {"subject": name}), 201)["id"]
    at = f"{space.path}/change-requests/{change}"
    query = {"name": f"{name}.png", "id": name}
    assert space.api.call("POST", f"{at}/content/files", data=b"x", params=query).status == 201
    ok(space.api.post(f"{at}/merge"))


def test_a_page_shows_all_unless_it_says_otherwise(framed: Framed) -> None:
    text = text_of(put(framed, "Plain", description="About it"))
    assert "<h1>Plain</h1>" in text and '<p class="description">About it</p>' in text
    assert 'aria-label="Pages"' in text and 'rel="prev"' in text
    assert re.search(r'Last updated on <time datetime="[0-9T:.+-]+">[A-Z][a-z]+ \d+, 20\d\d</time>', text)
    outline = re.findall(r'<li class="level-(\d)"><a href="#([^"]+)">([^<]*)</a>', text)
    titles = [("1", "One"), ("2", "Inside"), ("1", "&lt;b&gt;Two"), ("1", "One")]
    assert [(level, title) for level, _, title in outline] == titles
    assert all(f'id="{anchor}"' in text for _, anchor, _ in outline)


def test_a_page_hides_what_it_says(framed: Framed) -> None:
    parts = ("title", "description", "tableOfContents", "outline", "pagination", "metadata")
    layout = {"width": "wide", "cover": False, **dict.fromkeys(parts, False)}
    cover = {"ref": {"kind": "url", "url": "https://pictures.example/hidden.png"}, "yPos": 3}
    text = text_of(put(framed, "Bare", description="About it", layout=layout, cover=cover))
    assert '<h1 class="unseen">Bare</h1>' in text and 'class="description"' not in text
    assert 'aria-label="Pages"' not in text and "On this page" not in text and 'rel="prev"' not in text
    assert "Last updated" not in text and "hidden.png" not in text and 'class="columns alone wide"' in text


def test_a_cover_is_shown_where_it_is_there(framed: Framed) -> None:
    uploaded(framed, "wide")
    cover = {"ref": {"kind": "file", "file": "wide"}, "refDark": {"kind": "url", "url": "https://a.example/d.png?a,b"}}
    got = get(put(framed, "Covered", cover={**cover, "yPos": -40.5}))
    source = '<source media="(prefers-color-scheme: dark)" srcset="https://a.example/d.png?a%2Cb">'
    assert f'<div class="cover"><picture>{source}' in got.text and "wide.png" in got.text
    assert ";--cover-y:-40.5px}" in got.text and " style=" not in got.text
    assert "style-src 'self' 'sha256-" in policy(got) and "unsafe" not in policy(got)
    hero = {"ref": {"kind": "file", "file": "wide"}, "yPos": 1e6}
    text = text_of(put(framed, "Hero", cover=hero, layout={"coverSize": "hero"}))
    assert '<div class="cover hero"><img src="' in text and "--cover-y:10000.0px" in text
    gone = text_of(put(framed, "Gone", cover={"ref": {"kind": "file", "file": "nothing"}, "yPos": 0}))
    assert 'class="cover' not in gone


def test_icons_are_drawn_and_unknown_ones_are_nothing(framed: Framed) -> None:
    assert text_of(put(framed, "Rocket", icon="rocket")).count('<svg class="icon"') >= 2
    put(framed, "Cog", icon="cog")
    text = text_of(put(framed, "Odd", icon='"><script>'))
    assert "<h1>Odd</h1>" in text and "<script" not in text
    assert "<p>A <svg" in text_of(written(framed, "key")) and "<p>A  word.</p>" in text_of(written(framed, "nosuch"))


def written(framed: Framed, icon: str) -> str:
    """Write a page with an icon in its text; gives its address."""

    def text(words: str) -> dict[str, Any]:
        return {"object": "text", "leaves": [{"object": "leaf", "text": words, "marks": []}]}

    drawn = {"object": "inline", "type": "icon", "isVoid": True, "data": {"icon": icon}}
    line = {"object": "block", "type": "paragraph", "data": {}, "nodes": [text("A "), drawn, text(" word.")]}
    document = {"object": "document", "data": {}, "nodes": [line]}
    framed.spaces[0].merge(page(f"With {icon}", document={"document": document}))
    return f"{framed.home}with-{icon}"
