"""Where there is too much, the owner that has most of it loses first, and nothing is counted for good."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store.fair_eviction import FairEviction, Weights
from runtime.store.largest import Largest

STEPS = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from("abc"), st.dictionaries(st.sampled_from("xyz"), st.integers(0, 60))),
    max_size=80,
)


def test_a_part_that_has_grown_meanwhile_is_counted_as_it_is_and_leaves_nothing_behind() -> None:
    weights = Weights()
    weights.add({"shared": 40})
    weights.add({"shared": 90, "own": 20})
    assert weights.together == 110
    weights.add({"shared": 30})
    weights.remove(["shared"])
    assert weights.together == 110
    weights.remove(["shared"])
    weights.remove(["shared", "own"])
    assert weights.together == 0


@given(STEPS)
def test_what_is_kept_stays_within_both_bounds_or_is_one_value(steps: list[tuple[int, str, dict[str, int]]]) -> None:
    eviction, kept = FairEviction(most=6, heaviest=100), dict[int, tuple[str, dict[str, int]]]()
    for key, owner, parts in steps:
        if key in kept:
            eviction.remove(key, kept.pop(key)[0])
        eviction.add(key, owner, parts)
        kept[key] = owner, parts
        while (gone := eviction.too_much()) is not None:
            assert isinstance(gone, int)
            most = Counter(one for one, _ in kept.values())
            if len(kept) > 6:
                assert most[kept[gone][0]] == max(most.values())
            eviction.remove(gone, kept.pop(gone)[0])
        assert len(kept) <= 6 and kept
        lightest = {
            part: min(one[part] for _, one in kept.values() if part in one) for part in "xyz" if part in str(kept)
        }
        assert len(kept) == 1 or sum(lightest.values()) <= 100
    for key, (owner, _) in kept.items():
        eviction.remove(key, owner)
    assert eviction.too_much() is None


@pytest.mark.parametrize("by", ["number", "weight"])
def test_who_has_little_loses_nothing_to_who_has_much(by: str) -> None:
    eviction = FairEviction(most=100 if by == "number" else 10_000, heaviest=100 if by == "weight" else 10_000)
    for number in range(10):
        eviction.add(("modest", number), "modest", {("modest", number): 1})
    for number in range(500):
        eviction.add(("greedy", number), "greedy", {("greedy", number): 1})
        while (gone := eviction.too_much()) is not None:
            assert gone[0] == "greedy"  # type: ignore[index]
            eviction.remove(gone, "greedy")


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-1, 9)), max_size=300))
def test_the_largest_is_found_whatever_changed(changes: list[tuple[str, int]]) -> None:
    largest, has = Largest(), dict[str, int]()
    for owner, amount in changes:
        if amount >= 0:
            largest.set(owner, amount)
            has[owner] = amount
        elif has.pop(owner, None) is not None:
            largest.forget(owner)
        if has:
            assert has[largest.owner()] == max(has.values())
    assert len(largest._order) < 100
