"""When serving processes are replaced, and when that is given up."""

from __future__ import annotations

import multiprocessing
from operator import setitem

from devkit.local_host.serving import GIVE_UP_AFTER, PAUSES, STEADY, Replacing, Shared, how_it_ended
from runtime.store.change_counts import ChangeCounts


def test_pauses_grow_while_a_process_dies_soon_and_begin_anew_after_it_served_for_a_while() -> None:
    replacing, now = Replacing(0.0), 100.0
    assert [replacing.ended(0, now, now + 1) for _ in range(8)] == [*PAUSES, PAUSES[-1], PAUSES[-1]]
    assert replacing.ended(1, now, now + 1) == PAUSES[0]
    assert replacing.ended(0, now, now + STEADY) == PAUSES[0]


def test_each_is_replaced_when_its_pause_is_over() -> None:
    replacing = Replacing(0.0)
    assert replacing.wait(0.0) is None
    replacing.ended(0, 0.0, 10.0)
    replacing.ended(1, 0.0, 10.0)
    assert replacing.due(10.0) == [0, 1]
    replacing.ended(1, 0.0, 10.0)
    assert (replacing.due(10.5), replacing.due(11.0), replacing.due(11.0)) == ([], [1], [])


def test_it_is_hopeless_when_none_served_for_a_minute() -> None:
    replacing = Replacing(0.0)
    replacing.ended(0, 5.0, 50.0)  # it served until then
    assert not replacing.hopeless(50.0 + GIVE_UP_AFTER - 1)
    replacing.ended(0, 0.0, 60.0)  # this one never did
    assert replacing.hopeless(50.0 + GIVE_UP_AFTER)


def test_it_is_said_how_a_process_ended() -> None:
    assert how_it_ended(3) == "exited with code 3"
    assert how_it_ended(-9) == "was killed by signal 9 (SIGKILL)"
    assert how_it_ended(-63) == "was killed by signal 63 (a signal without a name)"


def test_what_a_process_counts_is_seen_by_others_also_where_it_is_no_fork() -> None:
    shared = Shared(2)
    counts = ChangeCounts(shared.changes, 0)
    before = counts.seen()
    process = multiprocessing.get_context("spawn").Process(target=setitem, args=(shared.changes, 1, 1))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert counts.seen() != before
    assert shared.changes[:] == [0, 1]
