"""Dividing what is scarce: whoever comes new finds a place, whatever the others hold."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.engines.shares import NoneLeft, Shares, Turns, WaitingShares, eviction_order
from tests.conftest import wait_for

STEPS = st.lists(st.tuples(st.booleans(), st.sampled_from("abcde"), st.sampled_from(["", "x", "y"])), max_size=300)


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(0, 40))
def test_who_keeps_many_makes_room_first(owners: list[str], going: int) -> None:
    things = list(enumerate(owners))
    order = eviction_order(things, lambda thing: thing[1])
    assert sorted(order) == things
    stay = order[going:]
    counts = {owner: sum(whose == owner for _, whose in stay) for owner in set(owners)}
    for owner in counts:
        own = [thing for thing in things if thing[1] == owner]
        # Of one owner those go that were used longest ago, and nobody loses one while another keeps two more.
        assert sorted(thing for thing in stay if thing[1] == owner) == own[len(own) - counts[owner] :]
        assert counts[owner] == len(own) or counts[owner] >= max(counts.values(), default=0) - 1


@given(st.integers(2, 64), STEPS)
def test_a_newcomer_finds_a_place(total: int, steps: list[tuple[bool, str, str]]) -> None:
    shares, alone = Shares(total), (total - total // 8 + 1) // 2
    places: list[tuple[str, str]] = []
    for enters, owner, part in steps:
        if enters and shares.enter(owner, part):
            places.append((owner, part))
        elif not enters and (owner, part) in places:
            places.remove((owner, part))
            shares.leave(owner, part)
        owners = [owner for owner, _ in places]
        assert all(owners.count(owner) <= alone for owner in owners)
        assert shares.open_to("somebody new") == (len(places) < total)
        assert len(places) < total or (len(set(owners)) >= total // 8 and 2 ** len(set(owners)) > total)
        for one in set(owners):
            # Whatever one part holds, another part of the same owner gets a place as long as the owner does.
            if shares.open_to(one):
                assert shares.open_to(one, "another part")
    for owner, part in places:
        shares.leave(owner, part)
    assert [shares.enter("a") for _ in range(total)].count(True) == alone


def test_greedy_owners_together_leave_some_for_others() -> None:
    shares = Shares(128)
    greedy = [shares.enter(f"greedy {number}") for number in range(9) for _ in range(128)]

    assert greedy.count(True) < 128 - 7
    assert all(shares.enter(f"modest {number}") for number in range(7))


def test_a_part_leaves_some_of_its_owners() -> None:
    shares = Shares(128)

    assert [shares.enter("a", "slow") for _ in range(100)].count(True) == 28
    assert [shares.enter("a", "quick") for _ in range(100)].count(True) == 14
    assert [shares.enter("b", "") for _ in range(100)].count(True) == 35


def test_a_place_is_given_back_however_a_body_ends() -> None:
    shares = Shares(2)
    for finish in ("read", "closed", "forgotten"):
        assert shares.enter("a")
        body = shares.held_by("a", "", iter([b"x", b"y"]))
        if finish == "read":
            assert list(body) == [b"x", b"y"]
        elif finish == "closed":
            body.close()  # type: ignore[attr-defined]
        del body
        assert shares.open_to("a"), finish


def test_turns_are_few_and_so_are_those_who_wait() -> None:
    turns = Turns(2, 1, 5.0)
    leave, inside, refused = threading.Event(), threading.Semaphore(0), threading.Semaphore(0)

    def take() -> None:
        try:
            with turns.turn("a"):
                inside.release()
                leave.wait(10)
        except NoneLeft:
            refused.release()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert inside.acquire(timeout=5) and inside.acquire(timeout=5)
    assert refused.acquire(timeout=5)  # one waits, the other is told
    assert not inside.acquire(timeout=0.1)
    with turns.turn("b"):  # others have turns of their own
        pass
    leave.set()
    assert inside.acquire(timeout=5)
    for thread in threads:
        thread.join()
    assert turns._held == turns._queued == {}


def test_who_waits_too_long_for_a_turn_is_told() -> None:
    turns = Turns(1, 1, 0.05)
    with turns.turn("a"), pytest.raises(NoneLeft), turns.turn("a"):
        pass
    assert turns._held == turns._queued == {}


def test_who_waits_for_a_place_stands_behind_their_own() -> None:
    places, ends = WaitingShares(8, 5.0), threading.Event()
    inside: list[str] = []

    def hold(owner: str) -> None:
        with places.place(owner):
            inside.append(owner)
            ends.wait(10)

    with ThreadPoolExecutor(20) as threads:
        many = [threads.submit(hold, "many") for _ in range(12)]
        wait_for(lambda: len(inside) == 4)
        began = time.monotonic()
        with places.place("somebody new"):
            assert time.monotonic() - began < 1
        assert inside == ["many"] * 4
        ends.set()
        for one in many:
            one.result()
    assert len(inside) == 12 and all_back(places, 8)


def all_back(places: WaitingShares, total: int) -> bool:
    """Tell whether nobody holds a place, or waits for one."""
    shares = places._shares
    return (shares._held, shares._held_by_part, shares._free, places._lines) == ({}, {}, total, {})


def test_a_part_that_waits_for_places_leaves_some_of_its_owners() -> None:
    places = WaitingShares(16, 5.0)
    inside: list[str] = []
    ends = threading.Event()

    def hold(part: str) -> None:
        with places.place("owner", part):
            inside.append(part)
            ends.wait(10)

    with ThreadPoolExecutor(20) as threads:
        many = [threads.submit(hold, "script") for _ in range(12)]
        wait_for(lambda: inside == ["script"] * 4)
        few = [threads.submit(hold, "") for _ in range(4)]  # its people, who are not kept waiting
        wait_for(lambda: inside == ["script"] * 4 + [""] * 3)
        ends.set()
        for one in (*many, *few):
            one.result()
    assert len(inside) == 16 and all_back(places, 16)


def test_nobody_waits_for_a_place_forever() -> None:
    places = WaitingShares(2, 0.1)
    with places.place("a"):
        for _ in range(3):
            with pytest.raises(NoneLeft), places.place("a"):
                pytest.fail("there is none")
        with places.place("b"):
            assert places._shares._held == {"a": 1, "b": 1}
    assert all_back(places, 2)


def test_places_that_many_take_and_give_back_are_all_there_in_the_end() -> None:
    places = WaitingShares(6, 0.005)

    def work(number: int) -> int:
        try:
            with places.place("abc"[number % 3]):
                time.sleep(0.002)
        except NoneLeft:
            return 0
        return 1

    with ThreadPoolExecutor(24) as threads:
        assert sum(threads.map(work, range(600))) > 100
    assert all_back(places, 6)
