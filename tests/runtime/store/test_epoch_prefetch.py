"""What requests that begin alike ask for next: a bounded memory, of which each organization has its own part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store import epoch_prefetch
from runtime.store.epoch_cache import Basis
from runtime.store.epoch_prefetch import MOST_NEXT, EpochPrefetch
from runtime.store.epoch_rules import GLOBAL


def kept_of(known: EpochPrefetch, owner: str) -> int:
    return sum(owner in first for first in known._kept)


def size(known: EpochPrefetch) -> int:
    return sum(len(first) + len(following) for first, following in known._kept.items())


def test_who_asks_in_many_ways_takes_the_memory_of_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epoch_prefetch, "MOST", 100)
    known = EpochPrefetch()
    known.note(frozenset({GLOBAL, "small"}), {"next"}, set())
    for number in range(1000):
        known.note(frozenset({GLOBAL, "large", f"person{number}"}), {"next"}, set())
    assert len(known._kept) == 100
    assert known.next(frozenset({GLOBAL, "small"})) == {"next"}


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 300), st.integers(0, 300)), max_size=60))
def test_the_memory_is_bounded_in_bytes(asked: list[tuple[int, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(epoch_prefetch, "HEAVIEST", 200_000)
        known = EpochPrefetch()
    for first, missing, read in asked:
        own = {f"{first} {number}" for number in range(missing)}
        known.note(frozenset({GLOBAL, str(first)}), own, {f"read {number}" for number in range(read)})
        assert size(known) * epoch_prefetch.BYTES_OF_OWNER <= 200_000 or len(known._kept) == 1


def test_somebody_who_does_very_different_things_asks_for_no_more_than_they_need() -> None:
    """Otherwise each request would ask for all that any that began alike needed: more than a statement may name."""
    known, most = EpochPrefetch(), 0
    for number in range(1000):
        asked: list[set[str]] = []

        def ask(owners: object, asked: list[set[str]] = asked) -> dict[str, int]:
            asked.append(set(owners))  # type: ignore[call-overload]
            return dict.fromkeys(owners, 1)  # type: ignore[call-overload]

        basis = Basis(ask, known)
        assert basis.holds({GLOBAL: 1, "me": 1}) and basis.holds({f"thing{number}": 1})
        most = max(most, *map(len, asked))
    assert most <= MOST_NEXT + 2


def test_first_questions_that_are_very_long_are_not_remembered() -> None:
    known = EpochPrefetch()
    known.note(frozenset(map(str, range(MOST_NEXT + 1))), {"next"}, set())
    known.note(frozenset({"me"}), set(map(str, range(MOST_NEXT + 1))), set())
    assert not known._kept
