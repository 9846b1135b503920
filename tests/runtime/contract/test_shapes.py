"""Policies, compressed texts, identifiers and events: the rules that need no host."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lzstring import LZString

from runtime.contract import errors
from runtime.contract.base import nul_free
from runtime.contract.events import EVENTS
from runtime.contract.identifiers import new_id
from runtime.contract.lzstring import NotLzString, decompress
from runtime.contract.organizations import ROLES, reaches
from runtime.contract.security_policy import normalise
from runtime.contract.timestamps import wire_time

VECTOR = (
    "N4Igxg9gtgDhB2BTeAXAkgExALhBglgIYDmAToVCADQgykQwDOOokqyKOIhA1AEYgAvjTYpEAD07ZQKAJ4xEXDBDABXKB2ohGMQmESYujAIxbE"
    "BFIT4AbRdgBmha40Q0UAC0Qau1-MXecgoJAA"
)


def units(text: str) -> str:
    """A text as the UTF-16 code units that LZ-string works on."""
    raw = text.encode("utf-16-le")
    return "".join(chr(raw[place] | raw[place + 1] << 8) for place in range(0, len(raw), 2))


def test_the_vector_of_the_contract() -> None:
    assert decompress(VECTOR, 1000).startswith('{"componentId":"diagram","props":{"content":"a+b"}')


@given(st.text(max_size=400))
def test_both_encodings_come_back(text: str) -> None:
    port = LZString()
    compressed = port.compressToEncodedURIComponent(units(text))
    assert decompress(compressed, 10_000) == text
    assert decompress(compressed.replace("+", " "), 10_000) == text
    assert decompress(port.compressToBase64(units(text)), 10_000) == text


@given(st.text(min_size=1, max_size=200), st.integers(0, 198))
def test_nothing_longer_than_the_limit_comes_out(text: str, most: int) -> None:
    compressed = LZString().compressToEncodedURIComponent(units(text))
    if len(units(text)) > max(most, 1):
        with pytest.raises(NotLzString):
            decompress(compressed, most)


@given(st.text(max_size=100))
def test_any_other_text_is_refused_or_read(text: str) -> None:
    try:
        assert len(decompress(text, 500)) <= 500
    except NotLzString as error:
        assert str(error)


def test_identifiers() -> None:
    made = {new_id() for _ in range(5000)}
    assert len(made) == 5000
    assert all(re.fullmatch("[0-9A-Za-z]{20}", one) for one in made)
    assert len({char for one in made for char in one}) == 62


@pytest.mark.parametrize(
    ("policy", "header", "warns"),
    [
        ("default-src 'self'", "default-src 'self'", 0),
        ({"default-src": "\n  self\n  https://a.example;\n"}, "default-src 'self' https://a.example", 1),
        ("script-src  'self'  ;; img-src * data: ;", "script-src 'self'; img-src * data:", 0),
        ({"upgrade-insecure-requests": ""}, "upgrade-insecure-requests", 0),
        ("script-src a.example; script-src b.example", "script-src a.example b.example", 1),
        (
            {"connect-src": "wss://*.example.com:443 'nonce-abc='"},
            "connect-src wss://*.example.com:443 'nonce-abc='",
            0,
        ),
        (
            "Script-Src 'Self' 'Unsafe-Inline' 'Strict-Dynamic' 'NONCE-aBc=' 'Sha256-xYz='",
            "script-src 'self' 'unsafe-inline' 'strict-dynamic' 'nonce-aBc=' 'sha256-xYz='",
            0,
        ),
        ("", "", 0),
    ],
)
def test_policies_are_normalised(policy: str | dict[str, str], header: str, warns: int) -> None:
    found = normalise(policy)
    assert (found.header, len(found.warnings)) == (header, warns)


@pytest.mark.parametrize(
    "policy",
    [
        "script-source 'self'",
        {"script-src": "a\x00b"},
        {"script-src": "<script>"},
        "img-src é",
        "img-src " + "a" * 20_000,
    ],
)
def test_policies_that_mean_nothing_are_refused(policy: str | dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"directive|character|source|long"):
        normalise(policy)


def test_a_policy_that_pages_of_sites_have_no_room_for_is_warned_about() -> None:
    (warning,) = normalise("connect-src " + " ".join(f"https://a{place}.example" for place in range(600))).warnings
    assert "on pages of sites, which leave out a script" in warning


def test_a_policy_cannot_add_a_header() -> None:
    assert normalise({"script-src": "a\r\nSet-Cookie: x"}).header == "script-src a Set-Cookie: x"


DIRECTIVES = st.sampled_from(["script-src", "img-src"])


@given(st.one_of(st.text(max_size=200), st.dictionaries(DIRECTIVES, st.text(max_size=100))))
def test_a_policy_never_breaks_a_header(policy: str | dict[str, str]) -> None:
    try:
        header = normalise(policy).header
    except ValueError:
        return
    assert header.isascii() and header.isprintable()
    assert normalise(header).header == header


def test_roles_from_weak_to_strong() -> None:
    for strong, role in enumerate(ROLES):
        assert [reaches(role, needed) for needed in ROLES] == [place <= strong for place in range(len(ROLES))]
        assert not reaches(None, role)


def test_every_error_says_what_happened() -> None:
    for kind in (errors.ApiError, *errors.ApiError.__subclasses__()):
        if kind is not errors.ScriptAnswered:
            assert kind().message.endswith(".")
            assert errors.body_of(kind.status, kind().message)["error"]["code"] == kind.status


def test_deep_and_empty_characters_are_refused() -> None:
    deep: list[object] = []
    for _ in range(100):
        deep = [deep]
    for value in (deep, {"a\x00": 1}, ["\x00"]):
        with pytest.raises(ValueError, match="must not"):
            nul_free(value)
    assert nul_free({"a": [1, None, {"b": "c"}]}) == {"a": [1, None, {"b": "c"}]}


def test_moments_are_written_in_utc() -> None:
    from datetime import datetime, timedelta, timezone

    moment = datetime(2026, 1, 31, 13, 0, 0, 5000, timezone(timedelta(hours=1)))
    assert wire_time(moment) == "2026-01-31T12:00:00.005Z"


def test_every_event_has_its_model() -> None:
    assert len(EVENTS) == 19
    for kind, model in EVENTS.items():
        assert model.model_fields["type"].annotation.__args__ == (kind,)  # type: ignore[union-attr]
