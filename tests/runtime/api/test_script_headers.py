"""Each header a script may not send, and cookies that stay where the script is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.api.script_headers import (
    HOP_BY_HOP,
    NEVER,
    ON_OWN_ORIGIN,
    POLICY,
    SANDBOX,
    cookie,
    cookies_for_scripts,
    kept,
)

PLACE = "/v1/integrations/hello"
ASKED = f"{PLACE}/integration/page"
WORDS = st.lists(
    st.sampled_from([";", "=", " ", "\t", ",", "Path", "DOMAIN", "domain", "/", "a", "site_visitor", "__Host-", ".x"]),
    max_size=14,
).map("".join)


def passed(own: bool, *headers: tuple[str, str]) -> list[tuple[str, str]]:
    return list(kept(headers, own=own, place=PLACE, asked=ASKED))


@pytest.mark.parametrize("name", sorted(NEVER | ON_OWN_ORIGIN) + sorted(HOP_BY_HOP))
def test_what_acts_on_the_origin_needs_one_of_its_own(name: str) -> None:
    sent = (name.title(), "x")
    assert passed(False, sent) == [(POLICY, SANDBOX)]
    assert passed(True, sent) == ([sent] if name in ON_OWN_ORIGIN else [])


@pytest.mark.parametrize("table", [NEVER, ON_OWN_ORIGIN])
def test_each_has_a_reason(table: dict[str, str]) -> None:
    assert all(name == name.lower() and len(reason.split()) > 3 for name, reason in table.items())
    assert not NEVER.keys() & ON_OWN_ORIGIN.keys()


def test_a_policy_of_the_script_takes_the_confinement_away_from_nothing() -> None:
    own = (POLICY, "sandbox allow-same-origin allow-scripts")
    assert passed(False, own, ("Content-Type", "text/html")) == [own, ("Content-Type", "text/html"), (POLICY, SANDBOX)]
    assert "allow-same-origin" not in SANDBOX


@pytest.mark.parametrize(
    ("line", "own", "shared"),
    [
        ("a=1", "a=1", "a=1"),
        ("a=1; Path=/", "a=1; Path=/", f"a=1; Path={PLACE}"),
        ("a=1; Path=/sites/", "a=1; Path=/sites/", f"a=1; Path={PLACE}"),
        (f"a=1; Path={PLACE}/x", f"a=1; Path={PLACE}/x", f"a=1; Path={PLACE}/x"),
        (f"a=1; Path={PLACE}2", f"a=1; Path={PLACE}2", f"a=1; Path={PLACE}"),
        (f"a=1; Path={PLACE}; path=/", "a=1; Path=/", f"a=1; Path={PLACE}"),
        ("a=1; Domain=x.example; Secure;HttpOnly", "a=1; Secure; HttpOnly", "a=1; Secure; HttpOnly"),
        ("a=1;\tdomain =x.example", "a=1", "a=1"),
        ("a=1; Max-Age=5; SameSite=None; Unknown=1", "a=1; Max-Age=5; SameSite=None", "a=1; Max-Age=5; SameSite=None"),
        ("__Host-a=1; Path=/; Secure", "__Host-a=1; Secure; Path=/", None),
        ("__hOsT-a=1; Path=/; Secure", "__hOsT-a=1; Secure; Path=/", None),
        ("site_visitor=1", None, None),
        ("__Host-site_visitor-abc=1; Path=/; Secure", None, None),
        ("=site_visitor=1", None, None),
        ("site_visitor", None, None),
        ("", None, None),
    ],
)
def test_a_cookie_stays_where_the_script_is(line: str, own: str | None, shared: str | None) -> None:
    assert cookie(line, own=True, place=PLACE, asked=ASKED) == own
    assert cookie(line, own=False, place=PLACE, asked=ASKED) == shared


def test_a_cookie_of_an_address_that_is_the_place_itself_does_not_reach_its_neighbours() -> None:
    # Browsers take what is before the last `/`: `/tunnels`.
    assert cookie("a=1", own=False, place="/tunnels/x", asked="/tunnels/x") == "a=1; Path=/tunnels/x"


@given(WORDS)
def test_no_line_names_a_domain_or_another_place(line: str) -> None:
    set_ = cookie(line, own=False, place=PLACE, asked=ASKED)
    if set_ is None:
        return
    first, *attributes = [part.strip() for part in set_.split(";")]
    name, separator, _ = first.partition("=")
    assert separator and name and name != "site_visitor" and not name.lower().startswith("__host-")
    for attribute in attributes:
        known, _, value = attribute.partition("=")
        assert known.strip().lower() != "domain"
        assert known.strip().lower() != "path" or value == PLACE or value.startswith(f"{PLACE}/")


def test_the_hosts_own_cookies_are_not_for_scripts() -> None:
    sent = "a=1; site_visitor=x; __Host-site_visitor-abc=y; b=site_visitor=2; ; site_visitors=3"
    assert cookies_for_scripts(sent) == "a=1; b=site_visitor=2; site_visitors=3"
    assert cookies_for_scripts("site_visitor=x") == ""
