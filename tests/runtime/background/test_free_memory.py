"""What large requests took goes back to the system, although some of what they made stays."""

from __future__ import annotations

import errno
import os
import threading

import pytest

from runtime.background import free_memory
from runtime.background.free_memory import GROWN, FreeMemory
from runtime.engines.processes import resident

pytestmark = pytest.mark.skipif(FreeMemory()._trim is None, reason="this system's allocator has no such call")


def test_what_is_free_between_what_stays_is_given_back() -> None:
    memory = FreeMemory()
    memory.give_back()
    made = [b"x" * 60_000 for _ in range(2000)]
    stays = made[::100]
    del made
    held = resident(os.getpid())
    assert memory.give_back()
    assert held - resident(os.getpid()) > 2 * GROWN
    assert not memory.give_back(), "it has not grown since"
    assert len(stays) == 20


def test_a_want_of_descriptors_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, looked_again = [], threading.Event()

    def resident_or_not(pid: int) -> int:
        looks.append(pid)
        if len(looks) == 1:
            raise OSError(errno.EMFILE, "Too many open files")
        looked_again.set()
        return 0

    monkeypatch.setattr(free_memory, "EVERY", 0.01)
    monkeypatch.setattr(free_memory, "resident", resident_or_not)
    memory = FreeMemory()
    memory.start()
    assert looked_again.wait(10)
    memory.close()
