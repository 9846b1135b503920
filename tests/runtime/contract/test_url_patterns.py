"""Patterns of addresses: what they stand for, compared with a plain translation, and how long a hostile one takes."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.url_patterns import LONGEST, lower_host, matches


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("https://github.com/*/*/blob/**", "https://github.com/a/b/blob/main/deep/file.py#L1"),
        ("https://github.com/*/*/blob/**", "HTTPS://GitHub.com/a/b/blob/main"),
        ("https://*.atlassian.net/browse/**", "https://team.atlassian.net/browse/ABC-1"),
        ("https://lucid.app/*", "https://lucid.app/documents/view/1?x=1#y"),
        ("https://example.com/exact", "https://example.com/exact"),
        ("https://example.com/**/end", "https://example.com/a/b/end"),
        ("https://example.com/a*c", "https://example.com/ac"),
        ("**", "https://example.com/"),
        ("https://example.com/?q=*", "https://example.com/?q=a/b"),
    ],
)
def test_stands_for(pattern: str, address: str) -> None:
    assert matches(pattern, address)


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("https://github.com/*/*/blob/**", "https://github.com/a/b/c/blob/main"),
        ("https://github.com/*/*/blob/**", "https://evil.com/github.com/a/b/blob/x"),
        ("https://*.atlassian.net/browse/**", "https://evil.com/.atlassian.net/browse/x"),
        ("https://*.atlassian.net/browse/**", "https://a.b.atlassian.net/browse/x"),
        ("https://*.atlassian.net/browse/**", "https://user@x.atlassian.net/browse/x"),
        ("https://*.atlassian.net/**", "https://x.atlassian.net.evil.com/"),
        ("https://example.*", "https://example.com/a"),
        ("https://example.com/exact", "https://example.com/Exact"),
        ("https://example.com/exact", "https://example.com/exact/more"),
        ("https://example.com/*/view", "https://example.com/a?b/view"),
        ("https://example.com/[a-z]", "https://example.com/b"),
        ("", "https://example.com/"),
        ("*" * (LONGEST + 1), "https://example.com/"),
    ],
)
def test_does_not_stand_for(pattern: str, address: str) -> None:
    assert not matches(pattern, address)


def translated(pattern: str) -> str:
    """The same grammar as an expression: right, and slow on purpose-made patterns."""
    pattern = lower_host(pattern)
    scheme = pattern.find("://")
    ends = [at for at in (pattern.find(mark, scheme + 3 if scheme >= 0 else 0) for mark in "/?#") if at >= 0]
    host = min(ends, default=len(pattern))
    expression = ""
    for found in re.finditer(r"\*+|[^*]+", pattern):
        text = found[0]
        if text[0] != "*":
            expression += re.escape(text)
        elif len(text) > 1 or (found.end() == len(pattern) and found.start() > host):
            expression += "(?:.|\n)*"
        else:
            expression += "[^/?#.:@]*" if found.start() < host else "[^/?#]*"
    return expression


PARTS = st.sampled_from(["*", "**", "a", "b", "/", ".", "?", "#", "://", "A", "https://", "é", ":", "@"])
PATTERNS = st.lists(PARTS, max_size=10).map("".join)
ADDRESSES = st.lists(PARTS.filter(lambda part: "*" not in part), max_size=10).map("".join)


@given(PATTERNS, ADDRESSES)
def test_agrees_with_the_plain_translation(pattern: str, address: str) -> None:
    assert matches(pattern, address) == bool(re.fullmatch(translated(pattern), lower_host(address)))


@given(st.lists(st.sampled_from(["a", "b/", "c.d"]), max_size=8).map("".join), st.text(max_size=20))
def test_an_address_stands_for_itself_and_everything_for_all(tail: str, rest: str) -> None:
    address = f"https://example.com/{tail}"
    assert matches(address, address)
    assert matches("https://example.com/**", address + rest)
    assert matches("**", address + rest)


def test_many_wildcards_share_a_long_address_in_no_time_to_speak_of() -> None:
    # Followed one after the other, the ways to share it would be more than there are atoms.
    assert not matches("https://x/" + "*a" * 250, "https://x/" + "a" * 2000 + "b")
    assert matches("https://x/" + "**a" * 160, "https://x/" + "a" * 2000)


def test_patterns_of_as_many_letters_as_they_may_have_take_little_memory() -> None:
    address, letters = "https://example.com/", "".join(map(chr, range(0x4100, 0x4100 + LONGEST)))
    tracemalloc.start()
    try:
        for number in range(2000):
            matches(f"{number}{letters}"[:LONGEST], address)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken < 40 << 20
