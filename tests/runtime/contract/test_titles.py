"""Titles show something: whatever is seen in any script passes, what is blank does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from runtime.contract.titles import BLANK, Title, shows

TITLE: TypeAdapter[str] = TypeAdapter(Title)
INVISIBLE = st.text(st.characters(categories=["Z", "Cf"]) | st.sampled_from(BLANK), max_size=60)
BLANKS = st.text(st.characters(categories=["Z", "Cc", "Cf"]) | st.sampled_from(BLANK), min_size=1, max_size=60)
LETTERS = st.characters(categories=["L", "N", "P", "S"], exclude_characters=BLANK)


@given(blanks=BLANKS)
def test_what_shows_nothing_is_no_title(blanks: str) -> None:
    with pytest.raises(ValidationError):
        TITLE.validate_python(blanks)


@given(before=INVISIBLE, letter=LETTERS, after=INVISIBLE)
def test_what_shows_something_stays_as_it_is(before: str, letter: str, after: str) -> None:
    title = before + letter + after
    assert TITLE.validate_python(title) == title


@given(before=INVISIBLE, control=st.characters(categories=["Cc"], exclude_characters="\x00"), letter=LETTERS)
def test_what_a_terminal_would_obey_is_in_no_title(before: str, control: str, letter: str) -> None:
    title = TITLE.validate_python(before + control + letter)
    assert title in (before + letter, f"{before} {letter}") and TITLE.validate_python(title) == title


@pytest.mark.parametrize(
    ("given_", "title"),
    [("Docs\tSite", "Docs Site"), ("Two\r\nlines", "Two lines"), ("\x1b[31mred", "[31mred"), ("\x9b31mred", "31mred")],
)
def test_what_was_pasted_becomes_a_line(given_: str, title: str) -> None:
    assert TITLE.validate_python(given_) == title


@pytest.mark.parametrize("title", ["שלום", "مرحبا", "می‌خواهم", "日本語", "👩‍👩‍👧", "é", ""])
def test_titles_of_all_scripts_pass(title: str) -> None:
    assert TITLE.validate_python(title) == title
    assert not title or any(map(shows, title))
