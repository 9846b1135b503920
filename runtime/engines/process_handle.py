"""A handle of a process that cannot refer to another process with a reused process id."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Protocol

from runtime.engines.processes import readable

ASKING = signal.SIGURG
"""What `ask` sends: a process that does not wait for it ignores it."""


class ProcessHandle(Protocol):
    """A process that this one may kill; `close` comes last."""

    def alive(self) -> bool:
        """Return whether the process still runs."""

    def kill(self) -> None:
        """End the process at once; nothing happens when it has ended."""

    def ask(self) -> None:
        """Ask the process where it is, with a signal that it may ignore; see `python_process/child/serve.py`."""

    def close(self) -> None:
        """Release the handle; later calls treat the process as ended."""


if sys.platform == "linux":

    class _ByDescriptor:
        """A pidfd, which refers to this one process for as long as it is open."""

        def __init__(self, pid: int) -> None:
            """Take a process that runs; raises `ProcessLookupError`."""
            self._descriptor = os.pidfd_open(pid)

        def alive(self) -> bool:
            return self._descriptor >= 0 and not readable(self._descriptor, 0.0)

        def kill(self) -> None:
            self._send(signal.SIGKILL)

        def ask(self) -> None:
            self._send(ASKING)

        def _send(self, number: signal.Signals) -> None:
            if self._descriptor < 0:
                return
            try:
                signal.pidfd_send_signal(self._descriptor, number)
            except ProcessLookupError:  # it has ended by itself
                pass

        def close(self) -> None:
            descriptor, self._descriptor = self._descriptor, -1
            if descriptor >= 0:
                os.close(descriptor)


class _ByNumber:
    """Where the kernel has no such handle: the number, used only while something else tells that the process runs."""

    def __init__(self, pid: int, running: Callable[[], bool]) -> None:
        self._pid, self._running, self._closed = pid, running, False

    def alive(self) -> bool:
        return not self._closed and self._running()

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def ask(self) -> None:
        self._send(ASKING)

    def _send(self, number: signal.Signals) -> None:
        if not self.alive():
            return
        try:
            os.kill(self._pid, number)
        except ProcessLookupError:  # it has just ended
            pass

    def close(self) -> None:
        self._closed = True


def hold(pid: int, running: Callable[[], bool]) -> ProcessHandle:
    """Take hold of a process; `running` tells whether it runs, where the kernel does not. Raises `OSError`."""
    if sys.platform == "linux":
        return _ByDescriptor(pid)
    return _ByNumber(pid, running)
