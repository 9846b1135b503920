"""Take away from this process everything a script must not have; Linux calls by ctypes."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import sys
import threading

_NEW_NAMESPACES = 0x10000000 | 0x20000000 | 0x00020000 | 0x40000000 | 0x08000000 | 0x04000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 4, 24, 38, 22
_SECCOMP_MODE_FILTER = 2
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_LAST_CAPABILITY = 40
_PROC_FLAGS = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
INNER_USER = 1000
THREADS = 64
_FILES = 128
_SIGNALS = 64
_ADDRESSES = 1536 * 1024 * 1024  # what allocators reserve beyond what they use; bounds the page tables
# Least, first and most bytes of a TCP socket's buffers; the kernel's own go up to some megabytes each.
_BUFFERS = {"tcp_rmem": "4096 65536 131072", "tcp_wmem": "4096 16384 65536"}
_SIGKILL = 9
_RLIMIT_SIGPENDING, _RLIMIT_MSGQUEUE = 11, 12  # Linux; the module `resource` has not all names everywhere

_libc = ctypes.CDLL(None, use_errno=True)


class ConfineError(Exception):
    """A step of the sandbox failed; the message says which."""


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


class _CapabilityHead(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def _check(result: int, step: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise ConfineError(f"{step}: {os.strerror(code)}")


def _mount(kind: str, target: str, flags: int, options: str) -> None:
    name = kind.encode()
    _check(_libc.mount(name, target.encode(), name, flags, options.encode()), f"mounting {kind} on {target}")


def become(user: int) -> None:
    """Give up real root after mounting /proc; for a zygote that was started by root."""
    if sys.platform != "linux":
        raise ConfineError("the sandbox exists only on Linux")
    # Not read-only: the workers write their user mapping there. This user may write nothing else in it.
    _mount("proc", "/proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, "")
    drop_bounding_set()
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    drop_capabilities()
    # Changing the user made /proc/self belong to root; without this the user mapping cannot be written.
    _check(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "becoming dumpable")


def enter_namespaces() -> None:
    """Leave for namespaces of one's own; children are in the new process namespace, the caller is not."""
    user, group = os.geteuid(), os.getegid()
    _check(_libc.unshare(_NEW_NAMESPACES), "making namespaces")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INNER_USER} {user} 1")
    _write("/proc/self/gid_map", f"{INNER_USER} {group} 1")


def private_files(tmp_bytes: int) -> bool:
    """Mount an empty /tmp of limited size, no terminals, and a /proc that shows this process namespace only.

    Returns whether the buffers of sockets could be bounded.
    """
    _mount("tmpfs", "/tmp", _MS_NOSUID | _MS_NODEV, f"size={tmp_bytes},nr_inodes=4096,mode=1777")
    # Those of the zygote are the same for all its workers: what one writes to a terminal another could read.
    for shared in ("/dev/pts", "/dev/shm"):
        if os.path.isdir(shared):  # noqa: PTH112  (pathlib is not loaded here)
            _mount("tmpfs", shared, _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, "size=4096,nr_inodes=2")
    try:
        _mount("proc", "/proc", _PROC_FLAGS, "")
    except ConfineError:
        # The kernel refuses a new /proc where the outer one is partly covered, as in some containers. None is safer
        # than the outer one, which shows the other workers.
        _mount("tmpfs", "/proc", _MS_RDONLY | _PROC_FLAGS, "size=4096")
        return False
    for name, bytes_ in _BUFFERS.items():
        _write(f"/proc/sys/net/ipv4/{name}", bytes_)
    _mount("proc", "/proc", _MS_REMOUNT | _MS_RDONLY | _PROC_FLAGS, "")
    return True


def loopback_up() -> None:
    """Bring up `lo` in a new network namespace, the only interface there is."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(probe, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | _IFF_UP, b""))


def drop_bounding_set() -> None:
    """Make sure that no program started later can gain a capability."""
    for capability in range(_LAST_CAPABILITY + 1):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def drop_capabilities() -> None:
    """Empty the effective, permitted and inheritable sets."""
    head = _CapabilityHead(0x20080522, 0)
    _check(_libc.capset(ctypes.byref(head), (ctypes.c_uint32 * 6)()), "dropping capabilities")


def lock(program: bytes) -> None:
    """Drop what is left, for good: capabilities, new privileges, system calls outside the filter."""
    drop_bounding_set()
    drop_capabilities()
    _check(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "becoming undumpable")
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "giving up new privileges")
    filters = _FilterProgram(len(program) // 8, program)
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(filters), 0, 0), "filtering system calls")


class Lifeline:
    """Ends workers without a sandbox when the zygote, which makes this, has ended."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()

    def hold(self) -> None:
        """Bind this process, a fork of the zygote, and what it forks, to the zygote's life."""
        os.close(self._write)
        if hasattr(_libc, "prctl"):
            os.close(self._read)
            _die_with_parent()
            os.register_at_fork(after_in_child=_die_with_parent)
        else:
            threading.Thread(target=self._wait, name="lifeline", daemon=True).start()

    def _wait(self) -> None:
        os.read(self._read, 1)  # ends with whoever could write
        os.killpg(0, signal.SIGKILL)


def _die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "asking for the parent's death signal")


def limit_resources(tmp_bytes: int, *, confined: bool) -> None:
    """Set the limits that do not depend on the call."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_FSIZE, tmp_bytes)
    _lower(resource.RLIMIT_NOFILE, _FILES)
    _lower(resource.RLIMIT_MEMLOCK, 0)
    if sys.platform == "linux":
        _lower(_RLIMIT_MSGQUEUE, 0)
    if confined:  # without a user namespace these count everything else this user runs
        _lower(resource.RLIMIT_NPROC, THREADS)
        _lower(_RLIMIT_SIGPENDING, _SIGNALS)


def limit_memory(size: int, *, confined: bool) -> None:
    """Allow `size` bytes of data on top of what the process has now; without a sandbox, where the system can."""
    addresses, data = _memory_bytes()
    try:
        _lower(resource.RLIMIT_DATA, data + size)
        _lower(resource.RLIMIT_AS, addresses + size + _ADDRESSES)
    except (OSError, ValueError):  # as on macOS, which gives a process more addresses at its start
        if confined:
            raise


def _memory_bytes() -> tuple[int, int]:
    """Return the bytes of addresses and of data this process has."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  (pathlib is not loaded here)
            pages = file.read().split()
    except FileNotFoundError:
        return 512 * 1024 * 1024, 16 * 1024 * 1024
    return int(pages[0]) * resource.getpagesize(), int(pages[5]) * resource.getpagesize()


def _lower(name: int, value: int) -> None:
    hard = resource.getrlimit(name)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(name, (value, value))


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise ConfineError(f"writing {path}: {error.strerror}") from error
