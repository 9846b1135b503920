"""The system calls a script may not make, as a BPF program for the kernel."""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Callable

# Every call that reaches kernel features a script has no use for: other processes, mounts, modules, keys, tracing,
# memory that no limit counts (memfd, System V shared memory, pages given to pipes), clocks, and whatever the kernel
# counts for a user or for the whole machine (asynchronous I/O, inotify, descriptors under way in messages, writing all
# disks out). Numbers: (x86_64, aarch64), None where absent.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "fanotify_init": (300, 262),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "create_module": (174, None),
    "query_module": (178, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "nfsservctl": (180, 42),
    "lookup_dcookie": (212, 18),
    "syslog": (103, 116),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "vhangup": (153, 58),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "remap_file_pages": (216, 234),
    # A script is one process: what it started could stay after the answer and be counted nowhere.
    "fork": (57, None),
    "vfork": (58, None),
    # Descriptors under way are counted for the user, and all scripts of a machine may be one user.
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    # Connections nobody accepts keep what was sent through them, beyond any count of descriptors.
    "listen": (50, 201),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "io_pgetevents": (333, 292),
    "vmsplice": (278, 75),
    "splice": (275, 76),
    "tee": (276, 77),
    # Buffers count the bytes that are sent from a file, while the kernel keeps whole pages of it.
    "sendfile": (40, 71),
    # The pages of pipes are counted for the user.
    "pipe": (22, None),
    "pipe2": (293, 59),
    # Each filter takes from memory that the whole machine has for them.
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "sync": (162, 81),
    "syncfs": (306, 267),
}
_CHILDREN = ("fork", "vfork", "pipe", "pipe2", "sendmsg")
"""What a program needs that starts others and reads what they say."""
_EXECUTE: dict[str, tuple[int | None, int | None]] = {"execve": (59, 221), "execveat": (322, 281)}
# Answered as if done. A script is alone in its process, so a lock of its own files is always free; a lock of a file
# that others see, too, would be a way to talk to them. Dropping such a file from memory would slow the others down.
# The times of files are of no use to a script, and devices are the machine's own.
_PRETENDED: dict[str, tuple[int | None, int | None]] = {
    "flock": (73, 32),
    "fadvise64": (221, 223),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
_NEWEST_KNOWN = 450  # later calls answer ENOSYS until somebody has looked at them

_CLONE, _CLONE3, _SOCKET, _IOCTL = (56, 220), (435, 435), (41, 198), (16, 29)
_MMAP, _FCNTL, _SETSOCKOPT, _PRCTL = (9, 222), (72, 25), (54, 208), (157, 167)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000
# CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM: a thread in full. One with descriptors of its own would have as many
# again as the process may.
_WHOLE_THREAD = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_TYPE_MASK, _SOCK_RAW, _SOCK_PACKET = 0xF, 3, 10
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_MAP_TYPE, _MAP_PRIVATE = 0x0F, 0x02
_MAP_UNCOUNTED = 0x100 | 0x40000  # MAP_GROWSDOWN counts as stack, MAP_HUGETLB takes from the machine's own supply
_LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW and those of open file descriptions
_ASKING_FOR_LOCKS = (5, 36)
_FILE_CONTROLS = (1024, 1026, 1031)  # F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ
_SOL_SOCKET = 1
_BUFFER_SIZES = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF and those that force
_SO_ZEROCOPY = 60
_IPPROTO_IPV6, _FLOW_LABELS = 41, 32  # labels are counted for the whole machine
_PROTOCOLS = (0, 6, 17)  # the usual one, TCP, UDP
_PR_SET_SECCOMP = 22

_LOAD, _JUMP_EQUAL, _JUMP_GREATER, _JUMP_BITS, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NUMBER, _ARCH, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; arguments are 8 bytes each, low half first
_DONE = 0x00050000  # the call returns 0 and nothing happens


def _refuse(code: int) -> int:
    return 0x00050000 | code


class _Program:
    """Instructions whose jumps stay short, so that none overflows its byte."""

    def __init__(self) -> None:
        self.instructions: list[bytes] = []

    def add(self, code: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        self.instructions.append(struct.pack("=HBBI", code, if_true, if_false, value))

    def answer_when_equal(self, value: int, answer: int) -> None:
        self.add(_JUMP_EQUAL, value, 0, 1)
        self.add(_RETURN, answer)

    def guard(self, number: int, rules: Callable[[_Program], None]) -> None:
        """Ask the rules about one call; what they do not answer passes."""
        inner = _Program()
        rules(inner)
        inner.add(_RETURN, _ALLOW)
        self.add(_JUMP_EQUAL, number, 0, len(inner.instructions))
        self.instructions += inner.instructions


def build_filter(machine: str | None = None, *, execute: bool = False, children: bool = False) -> bytes:
    """Return the filter as an array of `struct sock_filter`; raises `LookupError` on an unknown processor.

    With `execute` a program may still be started in this process: for one that is put under the filter before it runs.
    With `children` it may also have processes of its own: for programs of authors, whose time is bounded as a whole.
    """
    name = machine or platform.machine()
    if name not in _ARCHITECTURES:
        raise LookupError(f"no system call table for the processor {name!r}; known: {', '.join(_ARCHITECTURES)}")
    column, audit = _ARCHITECTURES[name]
    program = _Program()
    program.add(_LOAD, _ARCH)
    program.add(_JUMP_EQUAL, audit, 1, 0)
    program.add(_RETURN, _KILL)
    program.add(_LOAD, _NUMBER)
    # Also catches the x32 numbers of x86_64, which start at 0x40000000.
    program.add(_JUMP_GREATER, _NEWEST_KNOWN, 0, 1)
    program.add(_RETURN, _refuse(errno.ENOSYS))
    # The C library falls back to clone, whose flags a filter can read.
    program.answer_when_equal(_CLONE3[column], _refuse(errno.ENOSYS))
    refused = {name: numbers for name, numbers in _REFUSED.items() if not (children and name in _CHILDREN)}
    for numbers in [*refused.values(), *(() if execute else _EXECUTE.values())]:
        number = numbers[column]
        if number is not None:
            program.answer_when_equal(number, _refuse(errno.EPERM))
    for numbers in _PRETENDED.values():
        number = numbers[column]
        if number is not None:
            program.answer_when_equal(number, _DONE)
    for guarded, rules in _GUARDS:
        program.guard(guarded[column], _no_namespaces if children and rules is _threads_only else rules)
    program.add(_RETURN, _ALLOW)
    return b"".join(program.instructions)


def _threads_only(program: _Program) -> None:
    """Let threads pass; new processes and namespaces not."""
    program.add(_LOAD, _ARGUMENT)
    program.add(_JUMP_BITS, _NAMESPACES, 2, 0)
    program.add(_AND, _WHOLE_THREAD)
    program.add(_JUMP_EQUAL, _WHOLE_THREAD, 1, 0)
    program.add(_RETURN, _refuse(errno.EPERM))


def _no_namespaces(program: _Program) -> None:
    """Let threads and processes pass; new namespaces not."""
    program.add(_LOAD, _ARGUMENT)
    program.add(_JUMP_BITS, _NAMESPACES, 0, 1)
    program.add(_RETURN, _refuse(errno.EPERM))


def _plain_sockets(program: _Program) -> None:
    """Let stream and datagram sockets of the Unix and internet families pass."""
    program.add(_LOAD, _ARGUMENT)
    program.add(_JUMP_EQUAL, _AF_UNIX, 3, 0)
    program.add(_JUMP_EQUAL, _AF_INET, 2, 0)
    program.add(_JUMP_EQUAL, _AF_INET6, 1, 0)
    program.add(_RETURN, _refuse(errno.EAFNOSUPPORT))
    program.add(_LOAD, _ARGUMENT + 8)
    program.add(_AND, _SOCK_TYPE_MASK)
    program.answer_when_equal(_SOCK_RAW, _refuse(errno.EPERM))
    program.answer_when_equal(_SOCK_PACKET, _refuse(errno.EPERM))
    program.add(_LOAD, _ARGUMENT + 16)
    for protocol in _PROTOCOLS:
        program.answer_when_equal(protocol, _ALLOW)
    program.add(_RETURN, _refuse(errno.EPROTONOSUPPORT))


def _no_typing(program: _Program) -> None:
    """Keep a script from typing into a terminal."""
    program.add(_LOAD, _ARGUMENT + 8)
    program.answer_when_equal(_TIOCSTI, _refuse(errno.EPERM))
    program.answer_when_equal(_TIOCLINUX, _refuse(errno.EPERM))


def _counted_memory(program: _Program) -> None:
    """Let private memory pass, which the limit of data counts; memory shared with nobody is still not counted."""
    program.add(_LOAD, _ARGUMENT + 24)
    program.add(_JUMP_BITS, _MAP_UNCOUNTED, 2, 0)
    program.add(_AND, _MAP_TYPE)
    program.add(_JUMP_EQUAL, _MAP_PRIVATE, 1, 0)
    program.add(_RETURN, _refuse(errno.EPERM))


def _own_files(program: _Program) -> None:
    """Keep a script from locking and watching files that others see, and from larger pipes."""
    program.add(_LOAD, _ARGUMENT + 8)
    for command in _LOCKS:
        program.answer_when_equal(command, _DONE)
    for command in _ASKING_FOR_LOCKS:
        program.answer_when_equal(command, _refuse(errno.EINVAL))
    for command in _FILE_CONTROLS:
        program.answer_when_equal(command, _refuse(errno.EPERM))


def _usual_buffers(program: _Program) -> None:
    """Leave the sizes of socket buffers as they are, and the pages of a script out of them."""
    program.add(_LOAD, _ARGUMENT + 8)
    program.add(_JUMP_EQUAL, _IPPROTO_IPV6, 0, 3)
    program.add(_LOAD, _ARGUMENT + 16)
    program.answer_when_equal(_FLOW_LABELS, _refuse(errno.EPERM))
    program.add(_LOAD, _ARGUMENT + 8)
    program.add(_JUMP_EQUAL, _SOL_SOCKET, 0, 2 * len(_BUFFER_SIZES) + 3)
    program.add(_LOAD, _ARGUMENT + 16)
    for option in _BUFFER_SIZES:
        program.answer_when_equal(option, _DONE)
    program.answer_when_equal(_SO_ZEROCOPY, _refuse(errno.EPERM))


def _one_filter(program: _Program) -> None:
    """Let a thread name itself and the like, but put no filters of its own upon this one."""
    program.add(_LOAD, _ARGUMENT)
    program.answer_when_equal(_PR_SET_SECCOMP, _refuse(errno.EPERM))


_GUARDS = (
    (_CLONE, _threads_only),
    (_SOCKET, _plain_sockets),
    (_IOCTL, _no_typing),
    (_MMAP, _counted_memory),
    (_FCNTL, _own_files),
    (_SETSOCKOPT, _usual_buffers),
    (_PRCTL, _one_filter),
)
"""Calls whose arguments decide: instructions that answer, or run to their end where the call may pass."""
