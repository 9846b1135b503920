"""What cannot be measured counts as more than a process may hold."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from runtime.engines import processes
from runtime.engines.processes import UNKNOWN, measure, shown
from runtime.engines.spare_descriptors import MANY, SpareDescriptors


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """Take every descriptor that this process may still have."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    highest = max(int(one.name) for one in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 20, limits[1]))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.fixture
def child() -> Iterator[int]:
    program = "held = b'x' * 30_000_000; print(flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    with process:
        yield process.pid
        process.kill()


def test_a_process_is_measured_without_a_free_descriptor(child: int) -> None:
    least = 30 * 10**6
    assert least < measure(child, 0)[0] < 10 * least
    with no_descriptor_left():
        with pytest.raises(OSError, match="Too many open files"):
            Path("/proc/self/stat").read_bytes()
        assert [least < measure(child, 0)[0] < 10 * least for _ in range(3 * MANY)] == [True] * 3 * MANY
    assert least < measure(child, 0)[0] < 10 * least


def test_what_nothing_is_left_to_look_with_counts_as_too_much(
    child: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_spare", SpareDescriptors(0))
    with no_descriptor_left():
        assert [measure(child, 0)[0] for _ in range(3)] == [UNKNOWN] * 3
    assert len([one for one in caplog.records if "cannot be measured" in one.message]) == 1
    assert 0 < measure(child, 0)[0] < UNKNOWN


def test_a_process_that_has_ended_holds_nothing(child: int) -> None:
    os.kill(child, 9)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert measure(child, 0)[0] == 0
    assert measure(2**22 + 1, 0) == (0, 0.0)


def test_a_trace_shows_no_number_for_what_is_not_known() -> None:
    assert (shown(7, 100), shown(1000, 100), shown(UNKNOWN + 5, 100)) == (7, 1000, 101)
