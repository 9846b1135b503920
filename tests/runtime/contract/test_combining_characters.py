"""Many combining characters in a row: putting them in order would take the square of their number."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.document_sections import MOST_MARKS, sections_of
from runtime.contract.url_parts import LONGEST_AUTHORITY, join_url, split_url
from runtime.store.organizations import free_hostname
from runtime.store.search_index.words import LONGEST, words_of

MANY = 50_000
STACKS = ["a" + "\u0301" * MANY + "\u0316" * MANY, "a" + "\u0f73" * MANY + "\u0f71" * MANY, "a" + "\u0316\u0301" * MANY]


def text_of_page(text: str) -> str:
    """Give what is read of a page with this text."""
    leaf = {"object": "leaf", "text": text, "marks": []}
    block = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    return "\n".join(section.text for section in sections_of({"object": "document", "nodes": [block]}))


@pytest.mark.parametrize("text", STACKS, ids=["two kinds", "made of others", "in turns"])
def test_a_page_of_them_is_read_and_searched_in_no_time(text: str) -> None:
    begun = time.process_time()
    read = text_of_page(f"{text} end")
    assert read.startswith(("a", "á")) and read.endswith("end") and len(read) < 3 * MOST_MARKS
    assert "end" in words_of(f"{text} end") and max(map(len, words_of(text))) <= LONGEST
    assert free_hostname(text, lambda name: True) == "a-docs"
    for address in (f"https://{text}/", f"http:\n//{text}", f"https:/\t/{text}?a"):
        with pytest.raises(ValueError, match="too long"):
            split_url(address)
        for base, url in (("https://a.example/b", address), (address, "b")):
            with pytest.raises(ValueError, match="too long"):
                join_url(base, url)
    assert time.process_time() - begun < 5  # before, minutes


def test_what_a_page_includes_again_and_again_is_read_once_in_a_while() -> None:
    leaf = {"object": "leaf", "text": "a" + "\u0301" * 400_000, "marks": []}
    block = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    reused = {"object": "block", "type": "reusable-content", "data": {"ref": {"reusableContent": "r"}}}
    included = {"object": "document", "nodes": [block] * 10}
    begun = time.process_time()
    sections_of({"object": "document", "nodes": [reused] * 200}, lambda content_id: included)
    assert time.process_time() - begun < 10  # before, three minutes


@given(st.text(st.sampled_from("aé \u0301\u0316\u0f73—。\u0e34ﾞ"), max_size=60))
def test_texts_that_people_write_stay_as_they_are(text: str) -> None:
    row = longest = 0
    for sign in unicodedata.normalize("NFD", text):
        row = row + 1 if unicodedata.combining(sign) else 0
        longest = max(longest, row)
    if longest <= MOST_MARKS:
        assert text_of_page(text) == " ".join(unicodedata.normalize("NFC", text).split())


def test_long_addresses_are_split_where_their_host_is_short() -> None:
    path = "ü" * (2 * LONGEST_AUTHORITY)
    assert split_url(f"https://bücher.example/{path}").path == f"/{path}"
    assert split_url(path).path == path
    long = "y" * (2 * LONGEST_AUTHORITY)
    for address in (f"/wiki/ü?x=//{long}", f"?q=ü//{long}", f"mailto:ü?body=//{long}"):
        assert split_url(address).geturl() == address
    assert join_url(f"https://bücher.example/{path}", "../b") == "https://bücher.example/b"
    assert join_url("https://bücher.example/a", path) == f"https://bücher.example/{path}"


def test_all_combining_characters_are_found() -> None:
    """Those that are letters, digits or Latin would not be counted."""
    for number in (*range(0xD800), *range(0xE000, 0x110000)):
        sign = chr(number)
        if unicodedata.combining(unicodedata.normalize("NFD", sign)[0]):
            assert not (sign.isalnum() or sign == "_" or sign.isspace() or number < 0x300), hex(number)
