"""What a page says depends on its reader: blocks with a condition, and expressions in the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from tests.conftest import Tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import page
from tests.scenarios.published_site import Published
from tests.scenarios.site_pages import text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home, key_of, look, reader, signed

PAGE = """# For all

Hello <code class="expression">visitor.claims.name</code>, <code class="expression">space.vars.product</code>!

{% if visitor.claims.plan == "pro" %}
# For pros

Secret quokka. <code class="expression">visitor.claims.seats</code> seats.
{% endif %}

{% if visitor.claims.plan == null %}
You have no plan.
{% endif %}

{% if page.vars.beta == true %}
Beta page.
{% endif %}

{% if visitor.claims.plan.startsWith("p") %}
Undecidable wombat.
{% endif %}

{% if  %}
Empty numbat.
{% endif %}

{% reusable-content %}

Odd: <code class="expression">visitor.claims.name + "x"</code>.

Half: <code class="expression">visitor.claims.half</code>.
"""
PLAIN = """Numbers of the zoo.

{% if visitor.claims.plan == "pro" %}
# Dingo plans

Secret potoroo.
{% endif %}
"""
"""A page on which nothing but a condition depends on its reader."""
Read = Callable[..., str]


@pytest.fixture(scope="module")
def site(alpha: Tenant) -> Site:
    site = Site(alpha)
    made = Published.__new__(Published)
    made.site = site
    space = made.space_of(ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])
    part = {"type": "put_reusable_content", "id": "part", "title": "Part"}
    inner = '{% if visitor.claims.plan == "pro" && page.vars.beta == null %}\nIncluded bilby.\n{% endif %}'
    text = PAGE.replace("{% reusable-content %}", '{% include "/reusable-contents/part" %}')
    space.merge(
        {"type": "set_variables", "variables": {"product": "Rocket"}},
        {**part, "document": {"markdown": inner}},
        page("Page", text, id="page", variables={"beta": True}),
        page("Plain", PLAIN, id="plain"),
    )
    ok(site.api.call("PATCH", site.path, {"visibility": "visitor-auth"}))
    ok(site.api.call("PATCH", f"{site.path}/publishing/auth", {"backend": "custom"}))
    ok(site.api.post(f"{site.path}/publish"))
    return site


def test_a_reader_is_shown_what_their_claims_allow(site: Site) -> None:
    def read(**claims: object) -> str:
        token = signed(key_of(site), **claims)
        return requests.Session().get(f"{home(site)}?jwt_token={token}", timeout=60).text

    pro = read(name="<b>Ada", plan="pro", seats=12)
    assert "Hello &lt;b&gt;Ada, Rocket!" in pro and "Secret quokka. 12 seats." in pro and "Included bilby." in pro
    assert ">For pros</a>" in pro and "You have no plan." not in pro and "Beta page." in pro
    free = read(name=["list"], half="\ud800")  # which no page can be sent with
    assert "Half: \ufffd." in free
    assert "Hello , Rocket!" in free and "You have no plan." in free
    assert not any(word in free for word in ("quokka", "For pros", "bilby", "visitor.claims"))
    for text in (pro, free):
        assert "wombat" not in text and "numbat" not in text and "Odd: ." in text


def test_the_page_as_markdown_is_that_of_its_reader(site: Site) -> None:
    def read(**claims: object) -> requests.Response:
        visitor = requests.Session()
        visitor.get(f"{home(site)}?jwt_token={signed(key_of(site), **claims)}", timeout=60)
        return visitor.get(f"{home(site)}page.md", timeout=60)

    pro = read(plan="pro", seats=12, name="*Ada*")
    assert pro.headers["Content-Type"].startswith("text/markdown") and pro.headers["X-Robots-Tag"] == "noindex"
    assert pro.headers["Cache-Control"] == "private, no-store"
    assert pro.text.startswith("# Page\n\n## For all\n\nHello \\*Ada\\*, Rocket\\!")
    assert "Secret quokka. 12 seats." in pro.text and "Included bilby." in pro.text and "{%" not in pro.text
    free = read(plan="free").text
    assert "For all" in free and not any(word in free for word in ("quokka", "bilby", "wombat", "numbat", "visitor."))
    assert requests.get(f"{home(site)}page.md", timeout=60, allow_redirects=False).status_code == 403


def test_what_not_everybody_reads_is_not_found(site: Site) -> None:
    token = signed(key_of(site), plan="free")
    visitor = requests.Session()
    visitor.get(f"{home(site)}?jwt_token={token}", timeout=60)
    wait_for(lambda: "1 page about" in visitor.get(f"{home(site)}-/search?q=rocket", timeout=60).text)
    wait_for(lambda: "1 page about" in visitor.get(f"{home(site)}-/search?q=zoo", timeout=60).text)
    for word in ("quokka", "bilby", "pros", "dingo", "potoroo"):
        assert "Nothing was found" in visitor.get(f"{home(site)}-/search?q={word}", timeout=60).text
    api = reader(site, look(site, jwtToken=token))
    for word in ("quokka", "potoroo"):
        assert ok(api.post(f"{site.path}/search", {"query": word, "scope": {"mode": "all"}}))["items"] == []


def test_on_an_open_site_nobody_claims_anything(site: Site) -> None:
    ok(site.api.call("PATCH", site.path, {"visibility": "public"}))
    text = text_of(home(site))
    assert "You have no plan." in text and "quokka" not in text and "Beta page." in text
