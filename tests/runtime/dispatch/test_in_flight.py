"""What is in flight is counted by the organization it was claimed for, until it is stored."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from runtime.dispatch.in_flight import Flight, InFlight
from runtime.store.claims import Claimed


def flight(seq: int, integration: str = "i", organization: str = "o") -> Flight:
    event = Claimed(seq, f"e{seq}", integration, None, f"e{seq}", "task", "{}", 1, None, datetime.now(UTC))
    return Flight(event, organization, 0.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ij"), st.sampled_from("op")), max_size=40), st.data())
def test_nothing_is_counted_when_everything_has_landed(events: list[tuple[int, str, str]], data: st.DataObject) -> None:
    in_flight = InFlight(1_000, 1)
    flights = [flight(*event) for event in events]
    in_flight.add(flights)
    left = data.draw(st.permutations(flights))
    half = len(left) // 2
    in_flight.remove(left[:half])
    assert len(in_flight) == len(left) - half
    in_flight.remove(left)  # the first half has landed already
    assert (len(in_flight), in_flight.room()) == (0, (1_000, [], []))


def test_one_organization_never_takes_all_that_is_left() -> None:
    in_flight = InFlight(10, 4)
    in_flight.add([flight(number, "i", "o") for number in range(5)] + [flight(9, "j", "p")])
    assert in_flight.room() == (4, ["i"], ["o"])


def test_an_event_that_is_claimed_again_counts_for_itself() -> None:
    in_flight = InFlight(10, 10)
    first, again = flight(1), flight(1)
    in_flight.add([first])
    in_flight.add([again])  # it was given back in the database, and the first flight not yet removed
    in_flight.remove([first])
    assert len(in_flight) == 1
    in_flight.extend({1}, 7.0)
    assert (first.leased_until, again.leased_until) == (0.0, 7.0)
    in_flight.remove([again])
    assert in_flight.room() == (10, [], [])
