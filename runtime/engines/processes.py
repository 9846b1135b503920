"""What a process and all below it use, as the kernel tells."""

from __future__ import annotations

import os
import select
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_MOST_PROCESSES = 128


def measure(pid: int, base: int) -> tuple[int, float]:
    """Return the bytes a process and all below it hold, and the processor seconds of those below it.

    `base` is left out for each process: what every worker has from the zygote. What a script shares with processes it
    forked counts for each of them, since they may write to it at any time.
    """
    memory, cpu = 0, 0.0
    todo = [pid]
    seen = 0
    while todo and seen < _MOST_PROCESSES:
        current = todo.pop()
        seen += 1
        try:
            memory += max(0, resident(current) - base)
            fields = Path(f"/proc/{current}/stat").read_bytes().rpartition(b")")[2].split()
            # Of every thread: a process is the child of the thread that made it.
            children = [child for file in Path(f"/proc/{current}/task").glob("*/children") for child in _words(file)]
        except (OSError, IndexError):  # it has just ended
            continue
        # Of the worker itself only what its ended children used; its own time has a finer clock.
        first = 13 if current == pid else 11
        cpu += sum(int(field) for field in fields[first:15]) / _TICKS_PER_SECOND
        todo += [int(child) for child in children]
    return memory, cpu


def resident(pid: int) -> int:
    """Return the bytes of anonymous and shared memory a process holds, with the tables for them; raises `OSError`."""
    total = 0
    for line in Path(f"/proc/{pid}/status").read_bytes().splitlines():
        if line.startswith((b"RssAnon:", b"RssShmem:", b"VmPTE:")):
            total += int(line.split()[1]) * 1024
    return total


def scratch(pid: int) -> int:
    """Return the bytes a process has written to the /tmp of its own; 0 where that is hidden from this user."""
    try:
        about = os.statvfs(f"/proc/{pid}/root/tmp")
    except OSError:
        return 0
    return (about.f_blocks - about.f_bfree) * about.f_frsize


def _words(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().split()
    except OSError:  # the thread has just ended
        return []


def readable(descriptor: int, seconds: float) -> bool:
    """Tell whether there is something to read; not `select`, which knows no descriptors from 1024 on."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
