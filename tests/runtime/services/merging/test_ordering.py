"""The order of what is in one place, after both sides changed it."""

from __future__ import annotations

import graphlib
import itertools

from hypothesis import given
from hypothesis import strategies as st

from runtime.services.merging.ordering import _placed, merge_order

NAMES = "abcdefg"


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """Orders of one set of names, and names that are new on one side or on both."""
    base = list(draw(st.permutations(NAMES[: draw(st.integers(0, len(NAMES)))])))
    both = draw(st.sampled_from([[], ["x"]]))
    ours = [*base, *both, *draw(st.sampled_from([[], ["m"], ["m", "n"]]))]
    theirs = [*base, *both, *draw(st.sampled_from([[], ["t"], ["t", "u"]]))]
    return base, list(draw(st.permutations(ours))), list(draw(st.permutations(theirs)))


@given(sides())
def test_everything_is_there_once(orders: tuple[list[str], list[str], list[str]]) -> None:
    _, ours, theirs = orders
    assert sorted(merge_order(*orders)) == sorted({*ours, *theirs})


@given(sides())
def test_what_one_side_did_is_taken(orders: tuple[list[str], list[str], list[str]]) -> None:
    base, ours, _ = orders
    assert merge_order(base, base, ours) == merge_order(base, ours, base) == merge_order(base, ours, ours) == ours


@given(st.permutations(NAMES[:5]), st.permutations(NAMES[:5]))
def test_orders_that_agree_are_both_kept(ours: list[str], theirs: list[str]) -> None:
    """Of each two names the side that changed which comes first decides, if that is an order at all.

    What both sides moved stands where theirs has it, and is left out here.
    """
    base = list(NAMES[:5])
    before: dict[str, set[str]] = {name: set() for name in base}
    for one, other in itertools.combinations(base, 2):
        first, second = (
            (one, other) if all(side.index(one) < side.index(other) for side in (ours, theirs)) else (other, one)
        )
        before[second].add(first)
    try:
        wanted = list(graphlib.TopologicalSorter(before).static_order())
    except graphlib.CycleError:
        return
    if _placed(base, ours) & _placed(base, theirs):
        return
    assert merge_order(base, ours, theirs) == merge_order(base, theirs, ours) == wanted
