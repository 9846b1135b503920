"""Control groups: limits that the kernel enforces for a script's process, if this host may create groups.

Version 2 of the kernel's interface, with the controllers memory and pids, and cpu if available. A group counts
everything that is used for its processes: shared memory, files in memory, socket buffers, page tables.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from itertools import count
from pathlib import Path

_log = logging.getLogger(__name__)

_NEEDED = frozenset(("memory", "pids"))
_WANTED = ("memory", "pids", "cpu")
_HOST = "host"
_SCRIPT = re.compile(r"script-(\d+)-\d+")
_ENDING_SECONDS = 2.0
_HOST_WEIGHT = "1000"  # weight of processor time, where a script's group has 100


class Group:
    """The group of one script's process."""

    def __init__(self, folder: Path, pid: int, memory: int, threads: int) -> None:
        """Create the group and add the process; `memory` in bytes. Raises `OSError`."""
        self._folder = folder
        folder.mkdir()
        try:
            for name, value in (("memory.max", memory), ("memory.oom.group", 1), ("pids.max", threads)):
                (folder / name).write_text(str(value))
            swap = folder / "memory.swap.max"
            if swap.exists():  # not on kernels without swap
                swap.write_text("0")
            (folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            folder.rmdir()
            raise

    def memory(self) -> int:
        """Return the bytes in use now; 0 if the group is gone."""
        try:
            return int((self._folder / "memory.current").read_text())
        except OSError:
            return 0

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel has killed the process because of its memory."""
        try:
            events = dict(line.split() for line in (self._folder / "memory.events").read_text().splitlines())
        except OSError:
            return False
        return int(events.get("oom_kill", 0)) > 0

    def close(self) -> bool:
        """Kill all processes in the group and remove it; returns False while the kernel is still killing them."""
        try:
            kill = self._folder / "cgroup.kill"
            if kill.exists():  # from Linux 5.14 on
                kill.write_text("1")
            self._folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


class Groups:
    """Creates groups below one that this host may divide; safe to use from many threads."""

    def __init__(self, folder: Path) -> None:
        """Take a folder prepared by `find_groups`."""
        self._folder = folder
        self._numbers = count()
        self._leaving: list[Group] = []
        self._lock = threading.Lock()

    def put(self, pid: int, memory: int, threads: int) -> Group:
        """Put a process into a group of its own; raises `OSError`."""
        return Group(self._folder / f"script-{os.getpid()}-{next(self._numbers)}", pid, memory, threads)

    def remove(self, group: Group) -> None:
        """Remove a group, as soon as the kernel allows it."""
        with self._lock:
            self._leaving.append(group)
        self.sweep()

    def sweep(self) -> None:
        """Remove the groups that could not be removed yet."""
        with self._lock:
            if self._leaving:
                self._leaving = [group for group in self._leaving if not group.close()]

    def close(self) -> None:
        """Remove the remaining groups, waiting a moment for processes that are just ending."""
        deadline = time.monotonic() + _ENDING_SECONDS
        while self._leaving and time.monotonic() < deadline:
            self.sweep()
            time.sleep(0.01)


def find_groups(path: str = "") -> tuple[Groups | None, str]:
    """Return the groups this host may create, or None, and a message that says why or why not.

    `path` is the folder of a group that an operator has set aside; else it is the host's own group, if nothing else
    runs in it.
    """
    try:
        folder = Path(path) if path else _own_group()
        return Groups(_prepared(folder)), f"control groups below {folder}"
    except (OSError, LookupError) as error:
        return None, f"no control groups: {error}"


def _own_group() -> Path:
    """Return the group this process is in; raises `LookupError`."""
    own = next(
        (line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), None
    )
    if own is None:
        raise LookupError("this kernel has no control groups of version 2")
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] == "cgroup2":
            folder = Path(fields[4], os.path.relpath(own, fields[3]))
            # Another process of this host was here first and has moved all of them.
            return folder.parent if folder.name == _HOST else folder
    raise LookupError("no control groups of version 2 are mounted")


def _prepared(folder: Path) -> Path:
    """Prepare a group for subgroups; raises `OSError`, `LookupError`."""
    there = set((folder / "cgroup.controllers").read_text().split())
    if not there >= _NEEDED:
        raise LookupError(f"{folder} lacks the controllers {', '.join(sorted(_NEEDED - there))}")
    if not os.access(folder, os.W_OK):
        raise LookupError(f"{folder} may not be changed by this user")
    _empty(folder)
    controllers = " ".join(f"+{name}" for name in _WANTED if name in there)
    (folder / "cgroup.subtree_control").write_text(controllers)
    _remove_left(folder)
    return folder


def _empty(folder: Path) -> None:
    """Move this host's processes into a subgroup: the kernel does not divide a group that has processes itself."""
    pids = [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    strangers = [pid for pid in pids if not _is_ours(pid)]
    if strangers:
        raise LookupError(f"{folder} holds other programs, too (process {strangers[0]})")
    host = folder / _HOST
    host.mkdir(exist_ok=True)
    for pid in pids:
        try:
            (host / "cgroup.procs").write_text(str(pid))
        except ProcessLookupError:  # it has just ended
            pass
    weight = host / "cpu.weight"
    if weight.exists():
        weight.write_text(_HOST_WEIGHT)


def _is_ours(pid: int) -> bool:
    """Return whether a process is this one or a descendant; one that has just ended counts as ours."""
    while pid not in (os.getpid(), 0):
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:
            return True
    return pid != 0


def _remove_left(folder: Path) -> None:
    """Remove the groups of hosts that were killed."""
    for left in folder.glob("script-*"):
        match = _SCRIPT.fullmatch(left.name)
        if match is not None and not Path("/proc", match[1]).exists():
            try:
                left.rmdir()
            except OSError:  # something still runs in it, or another process was quicker
                _log.debug("the control group %s could not be removed", left)
