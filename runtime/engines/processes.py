"""What a process and all below it use, as the kernel reports."""

from __future__ import annotations

import logging
import os
import re
import select
from functools import partial

from runtime.engines.exhaustion import EXHAUSTED, Exhaustion
from runtime.engines.spare_descriptors import SpareDescriptors

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_MAX_PROCESSES = 128
_MAX_BYTES = 16_384
UNKNOWN = 1 << 62
"""What a process holds that cannot be looked at: more than any may, so that no limit is open meanwhile."""
_spare = SpareDescriptors()
_blind = Exhaustion(
    logging.getLogger(__name__), "scripts cannot be measured, and are ended as if they held too much memory"
)
_HELD = re.compile(rb"^(?:RssAnon|RssShmem|VmPTE):\s+(\d+)", re.MULTILINE)


def measure(pid: int, base: int) -> tuple[int, float]:
    """Return the bytes a process and all below it hold, and the processor seconds of those below it.

    `base` is left out for each process: what every worker has from the zygote. What a script shares with processes it
    forked counts for each of them, since they may write to it at any time. Where there is no descriptor to look with,
    the bytes are `UNKNOWN`.
    """
    memory, cpu = 0, 0.0
    todo = [pid]
    count = 0
    while todo and count < _MAX_PROCESSES:
        current = todo.pop()
        count += 1
        try:
            memory += max(0, resident(current) - base)
            fields = _read(f"/proc/{current}/stat").rpartition(b")")[2].split()
            children = _children(current)
        except OSError as error:
            if error.errno in EXHAUSTED:
                _blind.tell(error)
                return UNKNOWN, cpu
            continue  # it has just ended
        except IndexError:  # it has just ended
            continue
        # Of the worker itself only what its ended children used; its own time has a finer clock.
        first = 13 if current == pid else 11
        cpu += sum(int(field) for field in fields[first:15]) / _TICKS_PER_SECOND
        todo += [int(child) for child in children]
    return memory, cpu


def descendants(pid: int) -> list[int]:
    """List a process and all below it, as far as that can be seen now."""
    found = [pid]
    for one in found:
        if len(found) >= _MAX_PROCESSES:
            break
        try:
            found += map(int, _children(one))
        except OSError:  # it has just ended, or cannot be looked at for now
            continue
    return found


def shown(memory: int, most: int) -> int:
    """Say what a process holds as a trace shows it: where that is unknown, one byte more than it may."""
    return most + 1 if memory >= UNKNOWN else memory


def measurable() -> bool:
    """Tell whether this system says what processes use; without, no limit of it holds outside a sandbox."""
    try:
        return resident(os.getpid()) > 0
    except OSError:
        return False


def resident(pid: int) -> int:
    """Return the bytes of anonymous and shared memory a process holds, with the tables for them; raises `OSError`."""
    return sum(int(kilobytes) for kilobytes in _HELD.findall(_read(f"/proc/{pid}/status"))) * 1024


def scratch(pid: int) -> int:
    """Return the bytes a process has written to the /tmp of its own; 0 where that is hidden from this user."""
    try:
        about = os.statvfs(f"/proc/{pid}/root/tmp")
    except OSError:
        return 0
    return (about.f_blocks - about.f_bfree) * about.f_frsize


def _children(pid: int) -> list[bytes]:
    """List the children of every thread: a process is the child of the thread that made it; raises `OSError`."""
    threads = _spare.run(partial(os.listdir, f"/proc/{pid}/task"))
    return [child for thread in threads for child in _children_of_thread(f"/proc/{pid}/task/{thread}/children")]


def _children_of_thread(file: str) -> list[bytes]:
    try:
        return _read(file).split()
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise
        return []  # the thread has just ended


def _read(file: str) -> bytes:
    return _spare.run(partial(_content, file))


def _content(file: str) -> bytes:
    """Read what the kernel reports; every busy worker is looked at many times a second, so that little must be done."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _MAX_BYTES)
    finally:
        os.close(descriptor)


def hung_up(descriptor: int) -> bool:
    """Tell whether nobody holds the other end of a stream socket any more."""
    if descriptor < 0:
        return True
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN | select.POLLHUP)
    return any(state & (select.POLLHUP | select.POLLNVAL) for _, state in waiting.poll(0))


def readable(descriptor: int, seconds: float) -> bool:
    """Tell whether there is something to read; not `select`, which knows no descriptors from 1024 on."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
