"""Places inside a site, and the policy of a page: what no text may break out of."""

from __future__ import annotations

from urllib.parse import unquote, urljoin, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.sites import SiteIntegrationScript
from runtime.web.sites.policy import policy_of
from runtime.web.sites.published import VisitorNotice, _place

HOME = "https://docs.example/sites/abc/"
PARTS = st.sampled_from(
    ["/", "//", "..", ".", "\\", "@", ":", "https:", "evil.example", "%2e", "?", "#", "\r\n", "é", "a"]
)


@given(st.lists(PARTS, max_size=8).map("".join) | st.text(max_size=30))
def test_a_place_stays_inside_its_site(rest: str) -> None:
    try:
        place = _place(rest)
    except VisitorNotice:
        return
    address = HOME + place
    assert urljoin(HOME, address) == address
    parts = urlsplit(address)
    assert (parts.netloc, parts.query, parts.fragment) == ("docs.example", "", "")
    assert parts.path.startswith("/sites/abc/") and not place.startswith("/")
    assert not any(character in address for character in "\\\r\n\t ")
    assert [part for part in unquote(place).split("/") if part in (".", "..")] == []


def directives(*policies: str) -> dict[str, list[str]]:
    scripts = [
        SiteIntegrationScript(script=f"https://host.example/{place}.js", content_security_policy=policy, cookies=False)
        for place, policy in enumerate(policies)
    ]
    return {part.split()[0]: part.split()[1:] for part in policy_of(scripts).split(";")}


def test_a_page_without_scripts_allows_none() -> None:
    plain = directives()
    assert plain["script-src"] == plain["connect-src"] == plain["object-src"] == ["'none'"]
    assert plain["style-src"] == ["'self'"]


def test_each_script_adds_what_it_asks_for_and_takes_nothing_away() -> None:
    page = directives(
        "script-src-elem https://a.example 'strict-dynamic'; style-src 'none'; frame-ancestors *; base-uri *",
        "default-src https://b.example; connect-src https://c.example",
    )
    assert page["script-src"] == [
        "https://host.example/0.js",
        "https://a.example",
        "https://host.example/1.js",
        "https://b.example",
    ]
    assert page["connect-src"] == ["https://c.example"]
    assert page["style-src"] == ["'self'", "https://b.example"]
    assert page["base-uri"] == ["'none'"] and page["frame-ancestors"] == ["'self'"]


def test_names_of_one_script_take_nothing_from_another_that_needs_none() -> None:
    named, open_ = "script-src 'nonce-abc' 'sha256-abc=' https://a.example", "script-src 'unsafe-inline'"
    for policies in ((named, open_), (open_, named)):
        asked = set(directives(*policies)["script-src"])
        assert asked == {"https://host.example/0.js", "https://host.example/1.js", "https://a.example", open_[11:]}
    # Both in one policy: the second is for browsers that do not know the first.
    assert directives(f"{named} 'unsafe-inline'")["script-src"] == ["https://host.example/0.js", *named.split()[1:]]
    both = directives(f"{named} 'unsafe-inline'", "style-src 'unsafe-inline'")
    assert both["script-src"][1:4] == named.split()[1:]
    assert both["style-src"] == ["'self'", "'unsafe-inline'"]
