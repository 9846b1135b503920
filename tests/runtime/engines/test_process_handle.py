"""Holding a process, with the kernel's own handle and without."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from runtime.engines import process_handle
from runtime.engines.process_handle import ProcessHandle
from runtime.engines.processes import hung_up
from tests.conftest import wait_for


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    started = subprocess.Popen(["sleep", "600"])
    yield started
    started.kill()
    started.wait()


def by_number(process: subprocess.Popen[bytes]) -> ProcessHandle:
    return process_handle._ByNumber(process.pid, lambda: process.poll() is None)


def by_descriptor(process: subprocess.Popen[bytes]) -> ProcessHandle:
    return process_handle.hold(process.pid, lambda: False)


@pytest.mark.parametrize("hold", [by_number, by_descriptor])
def test_a_process_is_held_until_it_ends(
    hold: Callable[[subprocess.Popen[bytes]], ProcessHandle], process: subprocess.Popen[bytes]
) -> None:
    handle = hold(process)
    assert handle.alive()
    handle.kill()
    wait_for(lambda: not handle.alive())
    process.wait()
    handle.kill()  # which means nobody any more
    handle.close()
    assert not handle.alive()
    handle.kill()


@pytest.mark.parametrize("hold", [by_number, by_descriptor])
def test_whoever_lets_go_ends_nothing(
    hold: Callable[[subprocess.Popen[bytes]], ProcessHandle], process: subprocess.Popen[bytes]
) -> None:
    handle = hold(process)
    handle.close()
    handle.kill()
    assert process.poll() is None


def test_a_number_without_its_process_is_not_used() -> None:
    """It may be that of another process by then: here, of this one."""
    process_handle._ByNumber(os.getpid(), lambda: False).kill()


def test_the_other_end_of_a_socket_hangs_up() -> None:
    here, there = socket.socketpair()
    with here:
        assert not hung_up(here.fileno())
        there.sendall(b"said")
        there.close()
        assert hung_up(here.fileno()), "whatever is left to read"
    assert hung_up(here.fileno())


def test_here_the_kernel_holds_processes() -> None:
    assert sys.platform == "linux"
    handle = process_handle.hold(os.getpid(), lambda: False)
    assert isinstance(handle, process_handle._ByDescriptor)
    handle.close()
