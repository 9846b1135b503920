"""Labels that are one's alone, origins that are refused, and what a `Host` header says of where somebody is."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.addresses import Addresses, Asked
from runtime.contract.origins import label, read_content_origin

NAMES = st.text("abcXYZ019-_.", min_size=1, max_size=100)
IDS = st.text("abcXYZ019", min_size=20, max_size=20)
KINDS = st.sampled_from(["integration", "site", "tunnel"])
OWN = Addresses("https://docs.example", "https://*.content.example")
LAPTOP = Addresses("http://127.0.0.1:4100", "http://*.localhost:4100")
SHARED = Addresses("https://docs.example", "https://content.example")
ONE = Addresses("https://docs.example", "https://docs.example")


@given(KINDS, NAMES | IDS)
def test_a_label_is_one_that_dns_and_browsers_take(kind: str, identity: str) -> None:
    made = label(kind, identity)  # type: ignore[arg-type]
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", made)
    assert "--" not in made
    assert made == label(kind, identity)  # type: ignore[arg-type]


@given(st.tuples(KINDS, NAMES | IDS), st.tuples(KINDS, NAMES | IDS))
def test_no_two_share_a_label(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (label(*one) == label(*other)) == (one == other)  # type: ignore[arg-type]


def test_what_can_be_read_comes_first_and_never_changes() -> None:
    # Cookies, storage and permissions of readers hang on these: they stay the same from release to release.
    assert label("integration", "My_Integration.2") == "my-integration-2-2oxr2ljky4mrgnxp7frz"
    assert label("site", "AbcdefGhijkl01234567") == "site-lvaccalfw7hjekq2vyj4"
    assert len(label("integration", "x" * 100)) == 63


@given(NAMES, IDS, IDS)
def test_paths_are_those_of_the_contract_at_every_origin(name: str, installation: str, place: str) -> None:
    for build in (
        lambda at: at.integration(name),
        lambda at: at.installation(name, installation),
        lambda at: at.space_installation(name, installation, place),
        lambda at: at.site_installation(name, installation, place),
        lambda at: at.published_script(name, installation, place, "1-a"),
        lambda at: at.assets(name),
        lambda at: at.site(place),
        lambda at: at.tunnel(place),
    ):
        assert build(OWN).partition(".content.example")[2] == build(SHARED).removeprefix("https://content.example")
        assert urlsplit(build(OWN)).netloc != urlsplit(build(SHARED)).netloc


@given(NAMES, NAMES, st.sampled_from(["", ":443", ":8443"]))
def test_each_answers_at_its_own_origin_only(name: str, other: str, port: str) -> None:
    mine, theirs = OWN.integration_origin(name), OWN.integration_origin(other)
    expected = Asked.OWN if name == other else Asked.OTHERS
    assert OWN.asked(urlsplit(theirs).netloc.upper() + port, mine) is expected
    assert OWN.asked(f"deeper.{urlsplit(mine).netloc}", mine) is Asked.OTHERS


@pytest.mark.parametrize(
    ("at", "host", "asked"),
    [
        (OWN, "docs.example", Asked.PLATFORM),
        (OWN, "DOCS.example:443", Asked.PLATFORM),
        (OWN, "content.example", Asked.SHARED),
        (OWN, "10.0.0.7:8080", Asked.SHARED),
        (OWN, "", Asked.SHARED),
        (OWN, "a b", Asked.SHARED),
        (OWN, "user@docs.example", Asked.SHARED),
        (OWN, "docs.example.", Asked.SHARED),
        (LAPTOP, "127.0.0.1:4100", Asked.PLATFORM),
        (LAPTOP, "localhost:4100", Asked.SHARED),
        (LAPTOP, "abc.ngrok.example", Asked.SHARED),
        (SHARED, "content.example", Asked.SHARED),
        (SHARED, "docs.example", Asked.PLATFORM),
        (ONE, "docs.example", Asked.SHARED),
        (Addresses("https://a.example", "https://a.example:8443"), "a.example", Asked.PLATFORM),
        (Addresses("https://a.example", "https://a.example:8443"), "a.example:8443", Asked.SHARED),
    ],
)
def test_where_somebody_is(at: Addresses, host: str, asked: Asked) -> None:
    assert at.asked(host, at.integration_origin("hello")) is asked
    assert at.is_public(host) is (asked is Asked.PLATFORM or at is ONE)


@given(st.text(max_size=40))
def test_a_header_that_says_anything_is_never_ones_own(header: str) -> None:
    origin = OWN.integration_origin("hello")
    if header.lower().partition(":")[0] != urlsplit(origin).netloc:
        assert OWN.asked(header, origin) is not Asked.OWN


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://*.content.example", "https://*.content.example"),
        (" https://*.Content.Example/ ", "https://*.content.example"),
        ("http://*.localhost:4100", "http://*.localhost:4100"),
        ("https://content.example:8443/", "https://content.example:8443"),
        ("http://[::1]:80", "http://[::1]:80"),
    ],
)
def test_an_origin_is_read(text: str, origin: str) -> None:
    assert read_content_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "*.content.example",
        "ftp://*.content.example",
        "https://",
        "https://*",
        "https://*.",
        "https://*.com",
        "https://*.127.0.0.1",
        "https://*.*.example.com",
        "https://a*.content.example",
        "https://a.*.example.com",
        "https://*content.example",
        "https://*.content.example/path",
        "https://*.content.example?",
        "https://*.content.example#x",
        "https://me@*.content.example",
        "https://*.content.example:0",
        "https://*.content.example:70000",
        "https://*.content.example:x",
        "https://*.-content.example",
        "https://*.con_tent.example",
        "https://*.münchen.example",
        "https://*." + "a" * 64 + ".example",
        "https://*." + ".".join(["a" * 60] * 4),
        "https://con tent.example",
        "https://[::1",
    ],
)
def test_what_is_no_origin_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        read_content_origin(text)


@pytest.mark.parametrize(
    ("at", "host", "answers"),
    [
        (LAPTOP, "127.0.0.1:4100", True),
        (LAPTOP, "localhost:4100", True),
        (LAPTOP, "[::1]:4100", True),
        (LAPTOP, "evil.example:4100", False),
        (LAPTOP, "evil.example.:4100", False),
        (LAPTOP, "127.0.0.1.nip.io:4100", False),
        (LAPTOP, "a-script.localhost:4100", False),
        (LAPTOP, "", True),
        (LAPTOP, "not a name", False),
        (OWN, "docs.example", True),
        (OWN, "10.1.2.3:8080", True),
        (OWN, "host:8080", True),
        (OWN, "host.ns.svc.cluster.local:8080", True),
        (OWN, "one.content.example", False),
        (OWN, "other.example", False),
        (SHARED, "docs.example", True),
        (SHARED, "content.example", False),
        (ONE, "docs.example", True),
    ],
)
def test_operators_ask_by_names_that_no_page_of_others_has(at: Addresses, host: str, answers: bool) -> None:
    assert at.is_operators(host) is answers
