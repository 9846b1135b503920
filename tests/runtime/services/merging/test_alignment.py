"""Which elements of a list are still there in a changed copy of it."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.services.merging import alignment
from runtime.services.merging.alignment import align, heaviest

LISTS = st.lists(st.sampled_from("abcdefgh"), max_size=14)


def longest(base: list[str], side: list[str]) -> int:
    """Count the elements of a longest common subsequence, by the textbook."""
    row = [0] * (len(side) + 1)
    for one in base:
        before = row
        row = [0]
        for place, other in enumerate(side):
            row.append(before[place] + 1 if one == other else max(before[place + 1], row[-1]))
    return row[-1]


@given(LISTS, LISTS)
def test_what_is_matched_is_equal_and_in_order(base: list[str], side: list[str]) -> None:
    pairs = align(base, side)
    assert all(base[place] == side[there] for place, there in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


@given(LISTS, st.sets(st.integers(0, 13)))
def test_what_is_only_taken_out_leaves_the_rest_matched(base: list[str], out: set[int]) -> None:
    side = [one for place, one in enumerate(base) if place not in out]
    assert len(align(base, side)) == len(side) == len(align(side, base))


@given(st.permutations(range(9)))
def test_of_elements_that_are_there_once_as_many_as_can_be_are_matched(side: list[int]) -> None:
    assert len(align(range(9), side)) == longest([str(one) for one in range(9)], [str(one) for one in side])


@given(LISTS, LISTS)
def test_the_heaviest_match_is_a_longest_one_where_all_weigh_the_same(base: list[str], side: list[str]) -> None:
    pairs = heaviest(len(base), len(side), lambda row, column: int(base[row] == side[column]))
    assert len(pairs) == longest(base, side)


def test_small_parts_of_repeated_elements_are_matched_exactly() -> None:
    assert align("abcabc", "bcabca") == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]


def test_a_list_is_not_cut_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cut of these lists makes one more element the only one of its kind, and leaves nearly all of them."""
    rounds: list[int] = []
    cut = alignment._once_in_both

    def counted(base: Sequence[Hashable], side: Sequence[Hashable], part: alignment.Part) -> alignment.Pairs:
        rounds.append(part[-1])
        return cut(base, side, part)

    monkeypatch.setattr(alignment, "_once_in_both", counted)
    base = [one for n in range(100) for one in (n + 1, n)]
    side = [one for n in range(100) for one in (n + 1, n, -n - 1)]
    assert len(align(base, side)) > 190
    assert max(rounds) == alignment.MAX_ROUNDS - 1


@given(LISTS, LISTS)
def test_large_parts_of_repeated_elements_are_matched_too(base: list[str], side: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MAX_PAIRS", 0)
        pairs = align(base, side)
        assert all(base[place] == side[there] for place, there in pairs)
        assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))
        assert bool(pairs) == bool(set(base) & set(side))
        assert align(base, base) == [(place, place) for place in range(len(base))]
