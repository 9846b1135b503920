"""What the kernel has as the slices of a process's threads."""

from __future__ import annotations

import ctypes
import platform
import struct
from pathlib import Path

SLICES = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2]) >= (6, 12)
"""Whether this kernel knows slices; with others nothing has an effect, and nothing fails."""
_GET = {"x86_64": 315, "aarch64": 275}
_libc = ctypes.CDLL(None, use_errno=True)


def as_set(nanoseconds: int) -> int:
    """Return what the kernel says of a thread for which a slice was set."""
    return nanoseconds if SLICES else 0


def slices(pid: int) -> set[int]:
    """Return the nanoseconds that each thread of a process wants to run for."""
    return {slice_of(int(thread.name)) for thread in Path(f"/proc/{pid}/task").iterdir()}


def slice_of(thread: int = 0) -> int:
    """Return those of a thread, the calling one by default."""
    attributes = ctypes.create_string_buffer(48)
    assert _libc.syscall(_GET[platform.machine()], thread, attributes, 48, 0) == 0
    found: int = struct.unpack_from("Q", attributes, 24)[0]
    return found
