"""Resource limits of a process from its first instruction on: set by the program that becomes it, not from outside.

Limits set on a running process come too late for everything that it has already done.
"""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path

SIGPENDING, MSGQUEUE = 11, 12  # Linux; the module `resource` has not all names everywhere
_NAMES = {
    resource.RLIMIT_AS: ("as", "Max address space"),
    resource.RLIMIT_CORE: ("core", "Max core file size"),
    resource.RLIMIT_CPU: ("cpu", "Max cpu time"),
    resource.RLIMIT_DATA: ("data", "Max data size"),
    resource.RLIMIT_FSIZE: ("fsize", "Max file size"),
    resource.RLIMIT_MEMLOCK: ("memlock", "Max locked memory"),
    resource.RLIMIT_NOFILE: ("nofile", "Max open files"),
    resource.RLIMIT_NPROC: ("nproc", "Max processes"),
    SIGPENDING: ("sigpending", "Max pending signals"),
    MSGQUEUE: ("msgqueue", "Max msgqueue size"),
}
"""What the program `prlimit` and /proc call a limit."""


def find_program() -> str | None:
    """Return the path of the program that sets limits of its own and becomes another one; None without it."""
    program = shutil.which("prlimit")
    return os.path.realpath(program) if program is not None else None


def limiting(program: str, limits: Mapping[int, int]) -> list[str]:
    """Return the words before a command that bound whatever it starts; `program` is where `prlimit` is for it."""
    words = [f"--{_NAMES[limit][0]}={most}:{most}" for limit, most in _reachable(limits).items()]
    return [program, *words, "--"]


def missing_limit(pid: int, limits: Mapping[int, int]) -> str | None:
    """Name a limit that a process does not have; None where it has all of them. Raises OSError without the process."""
    shown = Path(f"/proc/{pid}/limits").read_text(encoding="ascii", errors="replace").splitlines()
    for limit, most in _reachable(limits).items():
        name = _NAMES[limit][1]
        line = next((line for line in shown if line.startswith(name)), name)
        allowed = line[len(name) :].split()[:2]  # soft and hard
        if len(allowed) != 2 or not all(value.isdecimal() and int(value) <= most for value in allowed):
            return name
    return None


def _reachable(limits: Mapping[int, int]) -> dict[int, int]:
    """Take what this process may not exceed itself where that is less: nobody without rights gets more."""
    reachable = {}
    for limit, most in limits.items():
        hard = resource.getrlimit(limit)[1]
        reachable[limit] = most if hard == resource.RLIM_INFINITY else min(most, hard)
    return reachable
