"""Slugs of computed pages."""

from __future__ import annotations

from runtime.contract.slugs import Slugs


def test_each_slug_is_taken_once_however_many_ask_for_it() -> None:
    slugs = Slugs()
    assert [slugs.take(one) for one in ("a", "a", "a-2", "a", "b", "a-2")] == ["a", "a-2", "a-2-2", "a-3", "b", "a-2-3"]
    many = [slugs.take("same") for _ in range(200_000)]  # would take hours, were each to count from the beginning
    assert len(set(many)) == len(many) and many[-1] == "same-200000"
