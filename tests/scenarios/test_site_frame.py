"""What stands around the pages of a published site: what its customization says, for each reader."""

from __future__ import annotations

import base64
import hashlib
import html
import re

import pytest
import requests

from tests.conftest import Tenant, installed
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.framed_site import Framed, policy, to
from tests.scenarios.published_site import Published
from tests.scenarios.site_pages import get, text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home, key_of, signed

LOGO = {"light": "https://pictures.example/light.svg", "dark": "https://pictures.example/dark.svg"}


@pytest.fixture
def framed(alpha: Tenant) -> Framed:
    return Framed(alpha)


def test_a_site_shows_what_its_owners_chose(framed: Framed) -> None:
    framed.look(
        title="Our manual",
        favicon={"icon": LOGO},
        header={
            "preset": "default",
            "logo": LOGO,
            "links": [
                {"title": "Home", "to": to("https://product.example/"), "links": [], "style": "button-primary"},
                {
                    "title": "More",
                    "to": None,
                    "links": [{"title": "Second", "to": {"kind": "space", "space": framed.spaces[1].id}}],
                },
            ],
        },
        footer={
            "logo": {"light": LOGO["light"], "dark": LOGO["light"]},
            "groups": [{"title": "Help", "links": [{"title": "Mail", "to": to("mailto:help@example.com")}]}],
            "copyright": "© 2026 Us",
        },
        announcement={
            "enabled": True,
            "message": "New version",
            "style": "warning",
            "link": {"title": "Read", "to": {"kind": "page", "page": "page1", "space": framed.spaces[1].id}},
        },
        privacyPolicy={"url": "https://product.example/privacy"},
        socialPreview={"url": "https://pictures.example/card.png"},
        externalLinks={"target": "blank"},
        trademark={"enabled": True},
    )
    text = text_of(framed.home)
    second = framed.second()
    assert "<title>Page 0 · Our manual</title>" in text
    assert f'<source media="(prefers-color-scheme: dark)" srcset="{LOGO["dark"]}">' in text
    assert f'<img src="{LOGO["light"]}" alt="Our manual">' in text
    assert f'<link rel="icon" href="{LOGO["dark"]}" media="(prefers-color-scheme: dark)">' in text
    assert (
        '<a class="button-primary" href="https://product.example/" target="_blank" rel="noopener noreferrer">Home</a>'
        in text
    )
    assert re.search(rf'<summary class="link">More</summary>\s*<ul>\s*<li><a href="{second}">Second</a>', text)
    assert '<a href="mailto:help@example.com">Mail</a>' in text and "© 2026 Us" in text
    assert '<aside class="notice warning" aria-label="Announcement">' in text
    assert f'<p>New version <a href="{second}page-1">Read</a></p>' in text
    assert '<a href="https://product.example/privacy">Privacy policy</a>' in text and "Powered by" in text
    assert '<meta property="og:image" content="https://pictures.example/card.png">' in text


def test_a_site_says_which_icon_it_has(framed: Framed) -> None:
    for favicon in ({"icon": LOGO}, {"emoji": "1f680"}):
        framed.look(favicon=favicon)
        site = ok(framed.site.api.get(framed.site.path))
        assert site["icon"] == favicon
        listed = ok(framed.site.api.get(framed.site.path.rpartition("/")[0]))["items"]
        assert favicon in [one.get("icon") for one in listed]
    framed.look(favicon={})
    assert "icon" not in ok(framed.site.api.get(framed.site.path))


def test_a_space_has_otherwise_what_it_says(framed: Framed) -> None:
    framed.look(title="The site", favicon={"emoji": "1f680"})
    framed.override(1, title="The space", favicon={"emoji": "1f41b"})
    framed.override(1, internationalization={"locale": "pt-br"}, styling={"corners": "straight"})
    first, second = text_of(framed.home), text_of(framed.second())
    assert "· The site</title>" in first and "%F0%9F%9A%80" in first and '<html lang="en">' in first
    assert "· The space</title>" in second and "%F0%9F%90%9B" in second and '<html lang="pt-BR">' in second
    assert "--corner:8px" in first and "--corner:0;" in second
    assert "· The site</title>" in text_of(f"{framed.home}-/search?q=x")


def test_one_stylesheet_is_in_the_page_and_the_policy_allows_only_that(framed: Framed) -> None:
    framed.look(styling={"primaryColor": {"light": "#fe0", "dark": "#102"}, "theme": "bold"})
    got = get(framed.home)
    (style,) = re.findall(r"<style>(.*?)</style>", got.text, re.DOTALL)
    directives = dict(part.split(maxsplit=1) for part in policy(got).split("; "))
    digest = base64.b64encode(hashlib.sha256(html.unescape(style).encode()).digest()).decode()
    assert directives["style-src"] == f"'self' 'sha256-{digest}'"
    assert directives["script-src"] == "'none'" and " style=" not in got.text and "url(" not in style
    assert "--header:light-dark(#ffee00,#110022)" in style and "--on-primary:light-dark(#000000,#ffffff)" in style


def test_what_owners_write_is_only_text(framed: Framed) -> None:
    evil = '"><script>alert(1)</script></style><style>*{color:red}'
    framed.look(
        title=evil,
        favicon={"emoji": evil[:50]},
        header={"links": [{"title": evil, "to": to("https://a.example/?<script>"), "links": []}]},
        footer={"groups": [{"title": evil, "links": [{"title": evil, "to": to("/x")}]}], "copyright": evil},
        announcement={"enabled": True, "message": evil, "style": "info"},
        styling={
            "font": {
                "id": "x",
                "custom": True,
                "fontFamily": "Evil)url(https",
                "fontFaces": [{"weight": 400, "sources": [{"url": "https://fonts.example/a.woff2"}]}],
            }
        },
    )
    text = text_of(framed.home)
    assert "<script" not in text and text.count("<style>") == 1 and text.count("</style>") == 1
    assert "fonts.example" not in text and "Evil" not in text
    for bad in (
        {"header": {"preset": "default", "links": [{"title": "x", "to": to("javascript:alert(1)"), "links": []}]}},
        {"privacyPolicy": {"url": "javascript:alert(1)"}},
        {"favicon": {"icon": {"light": "data:text/html,x", "dark": "https://a.example/"}}},
    ):
        settings = ok(framed.site.api.get(f"{framed.site.path}/customization"))
        assert framed.site.api.call("PUT", f"{framed.site.path}/customization", settings | bad).status == 400


def test_links_lead_only_where_a_reader_may_go(alpha: Tenant) -> None:
    """A section for who pays, and a link for who pays."""
    published = Published(alpha)
    api, path = published.site.api, published.site.path
    settings = ok(api.get(f"{path}/customization"))
    secret = {"kind": "page", "page": ok(api.get(f"{published.paid.path}/content"))["pages"][0]["id"]}
    links = [
        {"title": "To the secret", "to": secret | {"space": published.paid.id}, "links": []},
        {"title": "Nowhere", "to": {"kind": "space", "space": "another"}, "links": []},
        {"title": "Payers", "to": to("/x"), "links": [], "condition": 'visitor.claims.plan == "pro"'},
        {"title": "Me", "to": {"kind": "user", "user": alpha.user}, "links": []},
    ]
    ok(api.call("PUT", f"{path}/customization", settings | {"header": {"preset": "default", "links": links}}))
    text = text_of(home(published.site))
    assert not any(title in text for title in ("To the secret", "Nowhere", "Payers", ">Me<"))
    ok(api.call("PATCH", path, {"visibility": "visitor-auth"}))
    ok(api.call("PATCH", f"{path}/publishing/auth", {"backend": "custom"}))
    at = home(published.site)
    token = signed(key_of(published.site), plan="pro")
    text = requests.Session().get(f"{at}?jwt_token={token}", timeout=60).text
    assert f'href="{at}paid/secret">To the secret</a>' in text and ">Payers</a>" in text and "Nowhere" not in text


def test_readers_choose_a_theme_where_they_may(framed: Framed) -> None:
    framed.look(header={"logo": LOGO})
    reader = requests.Session()
    text = reader.get(framed.home, timeout=60).text
    assert "color-scheme:light dark;" in text and '<meta name="color-scheme" content="light dark">' in text
    (address,) = re.findall(r'formaction="([^"]*theme=dark[^"]*)"', text)
    chosen = reader.post(html.unescape(address), timeout=60)
    assert chosen.url == f"{framed.home}page-0" and chosen.headers["Vary"] == "Cookie"
    assert "color-scheme:dark;" in chosen.text and LOGO["light"] not in chosen.text and LOGO["dark"] in chosen.text
    assert 'theme=dark&amp;place=page-0" aria-pressed="true">Dark' in chosen.text
    for place in ("//evil.example", "https://evil.example/", "../../x", "%2e%2e/x", "a\r\nb"):
        answer = requests.post(
            f"{framed.home}-/theme", params={"theme": "x", "place": place}, timeout=60, allow_redirects=False
        )
        assert answer.headers["Location"].startswith(framed.home) and ".." not in answer.headers["Location"]
    framed.look(themes={"toggeable": False, "default": "light"})
    text = reader.get(framed.home, timeout=60).text
    assert "color-scheme:light;" in text and "formaction" not in text and LOGO["dark"] not in text


def test_a_site_without_pages_has_a_frame_and_a_header_may_be_bare(alpha: Tenant) -> None:
    site = Site(alpha)
    settings = ok(site.api.get(f"{site.path}/customization"))
    links = [{"title": "Product", "to": to("/x"), "links": []}]
    ok(site.api.call("PUT", f"{site.path}/customization", settings | {"header": {"preset": "default", "links": links}}))
    ok(site.api.post(f"{site.path}/publish"))
    got = get(home(site))
    assert ">Product</a>" in got.text and "--accent:" in got.text and "img-src 'self' data:;" in policy(got)
    header = {"preset": "default", "links": [], "logo": LOGO}
    ok(site.api.call("PUT", f"{site.path}/customization", settings | {"header": header}))
    assert "img-src 'self' data: https://pictures.example;" in policy(get(home(site)))
    ok(site.api.call("PUT", f"{site.path}/customization", settings | {"header": {"preset": "none", "links": links}}))
    assert ">Product</a>" not in text_of(home(site))


def test_links_to_other_sites_open_a_tab_where_the_site_wants_that(framed: Framed) -> None:
    text = "[Away](https://other.example/?a=1&b=2) [here](/pages/page0) [mail](mailto:a@example.com)"
    framed.spaces[0].merge(page("Linked", text, id="linked"))
    assert "_blank" not in text_of(f"{framed.home}linked")
    framed.look(externalLinks={"target": "blank"})
    shown = text_of(f"{framed.home}linked")
    away = 'href="https://other.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Away</a>'
    assert away in shown and shown.count("_blank") == 1


def test_blocks_are_drawn_in_the_theme_of_the_page(alpha: Tenant) -> None:
    one = installed(alpha)
    data = {"integration": one.name, "block": "counter", "props": {}}
    block = {"object": "block", "type": "integration", "isVoid": True, "data": data}
    space = Space.__new__(Space)
    space.api, space.id, space.path = alpha.api, one.space, f"/v1/spaces/{one.space}"
    space.merge(page("Drawn", document={"document": {"object": "document", "data": {}, "nodes": [block]}}))
    path = f"/v1/orgs/{alpha.id}/sites/{one.site}"
    at = ok(alpha.api.post(f"{path}/publish"))["urls"]["published"]
    assert "<content-kit " in text_of(at) and 'theme="' not in text_of(at)
    settings = ok(alpha.api.get(f"{path}/customization"))
    ok(alpha.api.call("PUT", f"{path}/customization", settings | {"themes": {"default": "dark", "toggeable": False}}))
    assert ' theme="dark"></content-kit>' in text_of(at)


def test_pages_are_read_as_markdown_where_the_site_wants_that(framed: Framed) -> None:
    links = "[Next](/pages/page1) [Other](/spaces/{}/pages/page1) [Away](https://other.example/)"
    framed.spaces[0].merge(page("Linked", links.format(framed.spaces[1].id), id="linked", description="About *it*"))
    at = f"{framed.home}linked"
    assert f'<a href="{at}.md" type="text/markdown">View as Markdown</a>' in text_of(at)
    got = get(f"{at}.md")
    assert got.text.startswith("# Linked\n\nAbout \\*it\\*\n")
    assert f"[Other]({framed.second()}page-1)" in got.text and "[Away](https://other.example/)" in got.text
    assert "/pages/page1" not in got.text and "default-src 'none'" in policy(got)
    assert get(f"{framed.home}nothing.md").status_code == 404
    framed.look(pageActions={"externalAI": False, "markdown": False, "mcp": False})
    assert "View as Markdown" not in text_of(at) and get(f"{at}.md").status_code == 404
