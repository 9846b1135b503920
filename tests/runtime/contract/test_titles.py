"""Titles show something: whatever is seen in any script passes, what is blank does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from runtime.contract.titles import BLANK, Title, shows

TITLE: TypeAdapter[str] = TypeAdapter(Title)
BLANKS = st.text(st.characters(categories=["Z", "Cc", "Cf"]) | st.sampled_from(BLANK), min_size=1, max_size=60)
LETTERS = st.characters(categories=["L", "N", "P", "S"], exclude_characters=BLANK)


@given(blanks=BLANKS)
def test_what_shows_nothing_is_no_title(blanks: str) -> None:
    with pytest.raises(ValidationError):
        TITLE.validate_python(blanks)


@given(before=BLANKS | st.just(""), letter=LETTERS, after=BLANKS | st.just(""))
def test_what_shows_something_stays_as_it_is(before: str, letter: str, after: str) -> None:
    title = (before + letter + after).replace("\x00", "")
    assert TITLE.validate_python(title) == title


@pytest.mark.parametrize("title", ["שלום", "مرحبا", "می‌خواهم", "日本語", "👩‍👩‍👧", "é", ""])
def test_titles_of_all_scripts_pass(title: str) -> None:
    assert TITLE.validate_python(title) == title
    assert not title or any(map(shows, title))
