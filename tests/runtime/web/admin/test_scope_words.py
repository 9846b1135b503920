"""Every scope is said in words."""

from __future__ import annotations

from typing import get_args

from runtime.contract.integrations import Scope
from runtime.web.admin.scope_words import WORDS, in_words


def test_every_scope_has_words_of_its_own() -> None:
    assert set(WORDS) == set(get_args(Scope))
    assert len(set(WORDS.values())) == len(WORDS)


def test_an_unknown_scope_stands_by_its_name() -> None:
    assert in_words(["site:views:read", "x:y"])[1] == ("x:y", "x:y")
