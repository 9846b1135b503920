"""What large requests took goes back to the system, although some of what they made stays."""

from __future__ import annotations

import os

import pytest

from runtime.dispatch.free_memory import GROWN, FreeMemory
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
