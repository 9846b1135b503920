"""The memory that organizations share stays bounded, and takes from whoever has most in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.store.fair_memory import FairMemory

MOST = 100
STEPS = st.lists(st.tuples(st.integers(0, 8), st.sampled_from("abc"), st.integers(1, 60)), max_size=60)


@given(STEPS)
def test_it_never_holds_more_than_it_may(steps: list[tuple[int, str, int]]) -> None:
    memory: FairMemory[int, tuple[str, int]] = FairMemory(MOST)
    for key, owner, size in steps:
        memory.keep(key, (owner, size), owner, size)
        kept = [value for place in range(9) if (value := memory.peek(place)) is not None]
        assert sum(size for _, size in kept) <= MOST


def test_who_has_most_in_it_loses_what_was_used_longest_ago() -> None:
    memory: FairMemory[str, str] = FairMemory(MOST)
    memory.keep("small", "1", "modest", 20)
    for number in range(40):
        memory.keep(f"large {number}", "2", "greedy", 20)
        memory.use("large 0")
    assert memory.peek("small") == "1"
    assert memory.peek("large 0") == memory.peek("large 39") == "2"
    assert memory.peek("large 1") is None


def test_what_is_kept_anew_counts_once() -> None:
    memory: FairMemory[str, int] = FairMemory(MOST)
    for number in range(10):
        memory.keep("same", number, "a", 90)
    memory.keep("other", 1, "a", 10)
    assert (memory.peek("same"), memory.peek("other")) == (9, 1)
    memory.drop("same")
    memory.drop("same")
    memory.keep("third", 2, "a", 90)
    assert memory.peek("other") == 1


def test_what_is_larger_than_all_of_it_is_not_kept() -> None:
    memory: FairMemory[str, int] = FairMemory(MOST)
    memory.keep("huge", 1, "a", MOST + 1)
    assert memory.peek("huge") is None
