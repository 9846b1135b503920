"""How long the kernel lets a thread run before another that wakes up may go on in its place.

Since Linux 6.6 that is some milliseconds, as long as several renders take; since 6.12 a thread may ask for another
slice of time, and gives way at once to one that asked for a shorter. Kernels before that do not look at it (those
before 6.6 have no need to), other systems do not have it: then nothing here has an effect.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LONG = 100_000_000
"""Nanoseconds for who computes: the most that the kernel takes."""
SHORT = 500_000
"""Nanoseconds for threads that answer. One that waits for the interpreter asks for it after a moment (`serve`), for
which it has to run: beside a thread that computed on the same processor that took 3 ms, and a health check ten times as
long as alone. With 200_000, threads change so often that renders take a fifth more processor time; with this, none.
"""
USUAL = 0

_SET = {"x86_64": 314, "aarch64": 274}  # the numbers of `sched_setattr`, after which comes `sched_getattr`
_ATTRIBUTES = struct.Struct("IIQiIQQQ")  # `struct sched_attr`, in its first version
_libc = ctypes.CDLL(None, use_errno=True)


def answer_soon() -> None:
    """Let the calling thread go on as soon as it is woken, and the threads and processes it starts."""
    _set(0, SHORT)


@contextmanager
def as_usual() -> Iterator[None]:
    """Start a process from here that has the usual slice."""
    mine = _get()
    _set(0, USUAL)
    try:
        yield
    finally:
        _set(0, mine)


def set_slice(pid: int, nanoseconds: int) -> None:
    """Set the slice of all threads of a process."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - only names are wanted
    except OSError:  # it has just ended; or there is no such folder on this system
        return
    for thread in threads:
        try:
            _set(int(thread), nanoseconds)
        except ProcessLookupError:  # a thread that has just ended
            continue


def _get() -> int:
    """Return the slice of the calling thread."""
    number = _SET.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return USUAL
    attributes = ctypes.create_string_buffer(_ATTRIBUTES.size)
    if _libc.syscall(number + 1, 0, attributes, _ATTRIBUTES.size, 0) != 0:
        return USUAL
    slice_: int = _ATTRIBUTES.unpack(attributes.raw)[5]
    return slice_


def _set(thread: int, nanoseconds: int) -> None:
    number = _SET.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return
    niceness = os.getpriority(os.PRIO_PROCESS, thread)
    attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, 0, 0, niceness, 0, nanoseconds, 0, 0)
    _libc.syscall(number, thread, attributes, 0)  # where it is refused, all stays as it was
