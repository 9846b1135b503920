"""Scripts that try to do harm: each is stopped as documented, and a neighbor's call works meanwhile and after."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from runtime.contract.invocation import FailureKind, LimitName, Limits, Script
from tests.runtime.engines.conftest import Probe

GOOD = Script(
    "good",
    "python",
    """
from runtime.sdk import Integration, Response
integration = Integration()

@integration.fetch("GET", "/")
def run(request, context):
    return Response.json({"neighbor": "fine"})
""",
)

SMALL = Limits(wall=4.0, cpu=0.4, memory=48 * 1024 * 1024, log=20_000, response=50_000)
SHORT = Limits(wall=0.4, cpu=5.0)

STOPPED: list[tuple[str, str, Limits, FailureKind, LimitName | None]] = [
    ("exits the process", "import os; os._exit(3)", SMALL, "unreachable", None),
    ("sleeps for ever", "import time; time.sleep(1000)", SHORT, "timeout", "wall"),
    ("loops for ever", "while True: pass", SMALL, "timeout", "cpu"),
    ("loops in threads", """
        import threading, time
        def spin():
            while True: pass
        for _ in range(4): threading.Thread(target=spin).start()
        time.sleep(1000)
        """, SMALL, "timeout", "cpu"),
    ("allocates without end", """
        kept = []
        while True:
            kept.append(bytearray(1024 * 1024))
        """, SMALL, "limit", "memory"),
    ("allocates at once", "x = bytearray(1 << 40)", SMALL, "limit", "memory"),
    ("fills its disk and its memory", """
        import time
        open("/tmp/filled", "wb").write(bytes(30 << 20))
        kept = bytearray(b"x") * (30 << 20)
        time.sleep(1000)
        """, Limits(wall=8.0, cpu=8.0, memory=48 * 1024 * 1024), "limit", "memory"),
    ("prints megabytes", """
        while True:
            print("x" * 1000)
        """, SMALL, "limit", "log"),
    ("prints one endless line", "print('x' * 5_000_000)", SMALL, "limit", "log"),
    ("prints empty lines", """
        while True:
            print()
        """, Limits(wall=4.0, cpu=3.0, log=2000), "limit", "log"),
    ("answers megabytes", "return Response('x' * 200_000)", SMALL, "limit", "response"),
    ("closes its descriptors", "import os; os.closerange(0, 1024)", SMALL, "unreachable", None),
    ("writes nonsense to its sockets", """
        import os
        for descriptor in range(3, 64):
            try: os.write(descriptor, b'\\xff' * 4096)
            except OSError: pass
        """, SMALL, "unreachable", None),
    ("announces a gigantic frame", """
        import os
        for descriptor in range(3, 64):
            try: os.write(descriptor, b'\\x15\\xff\\xff\\xff\\xff')
            except OSError: pass
        """, SMALL, "limit", "response"),
    ("requests without end", """
        import os, socket
        proxy = os.environ["EGRESS_PROXY"].rpartition("//")[2].rpartition(":")
        while True:
            line = socket.create_connection((proxy[0], int(proxy[2])))
            line.sendall(b"GET http://10.0.0.1/ HTTP/1.1\\r\\n\\r\\n")
            line.recv(4096)
            line.close()
        """, Limits(wall=8.0, cpu=8.0), "limit", "subrequests"),
    ("tells faults without end", """
        import os, struct
        fault = b'{"message": "x"}'
        for descriptor in range(3, 64):
            try:
                while True: os.write(descriptor, struct.pack("<BI", 19, len(fault)) + fault)
            except OSError: pass
        """, SMALL, "unreachable", None),
    ("crashes the interpreter", "import ctypes; ctypes.string_at(0)", SMALL, "unreachable", None),
    ("kills all it can see", """
        import os
        for pid in (-1, *range(1, 5000)):
            try: os.kill(pid, 9)
            except OSError: pass
        os.abort()
        """, SMALL, "unreachable", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "limits", "kind", "limit"), [case[1:] for case in STOPPED], ids=[case[0] for case in STOPPED]
)
def test_script_is_stopped(
    probe: Probe, ask: Probe, code: str, limits: Limits, kind: FailureKind, limit: LimitName | None
) -> None:
    neighbors: list[Any] = []
    neighbor = threading.Thread(target=lambda: neighbors.append(ask(GOOD, tenant="during")))
    neighbor.start()
    got = probe(code, limits=limits)
    neighbor.join()

    assert got.outcome.failure is not None
    assert (got.outcome.failure.kind, got.outcome.failure.limit) == (kind, limit)
    assert got.outcome.status == (504 if kind == "timeout" else 502)
    assert got.body == b""
    assert got.trace.failure == got.outcome.failure
    assert got.trace.logs[-1].message == got.outcome.failure.message
    assert neighbors[0].json() == {"neighbor": "fine"}
    assert ask(GOOD, tenant="after").json() == {"neighbor": "fine"}


def test_limit_is_named_with_its_value(probe: Probe) -> None:
    got = probe("import time; time.sleep(1000)", limits=Limits(wall=0.3))

    assert got.outcome.failure.message == "The integration took longer than the limit of 0.3 seconds."


def test_full_disk_is_the_scripts_own(probe: Probe) -> None:
    got = probe(
        """
        written = 0
        try:
            for number in range(100):
                with open(f"/tmp/{number}", "wb") as file:
                    written += file.write(bytes(1 << 20))
        except OSError as error:
            return Response.json({"written": written, "error": error.strerror})
        """
    )

    assert got.json()["error"] == "No space left on device"
    assert got.json()["written"] <= 32 << 20
    assert probe("import os; return Response.json(os.listdir('/tmp'))").json() == []


def test_sys_exit_is_an_error_with_its_line(probe: Probe) -> None:
    got = probe("import sys\nsys.exit(1)")

    assert (got.outcome.status, got.json()) == (500, {"error": "Internal server error"})
    assert got.trace.fault.line == 8


def test_memory_error_caught_by_the_script_is_not_a_failure(probe: Probe) -> None:
    got = probe(
        """
        try:
            bytearray(1 << 40)
        except MemoryError:
            return Response.json("caught")
        """
    )

    assert got.json() == "caught"


def test_threads_left_running_end_the_worker_not_the_next_call(ask: Probe) -> None:
    source = """
import threading
from runtime.sdk import Integration, Response
integration = Integration()

def spin():
    while True: pass

@integration.fetch("GET", "/")
def run(request, context):
    threading.Thread(target=spin, daemon=True).start()
    return Response.json("started")
"""
    spinner = Script("spinner", "python", source)

    assert [ask(spinner).json() for _ in range(3)] == ["started"] * 3
    assert ask(GOOD).json() == {"neighbor": "fine"}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("libc.ptrace(16, 1, 0, 0)", "EPERM"),
        ("libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None)", "EPERM"),
        ("libc.unshare(0x10000000)", "EPERM"),
        ("libc.syscall(425, 8, 0)", "EPERM"),  # io_uring_setup
        ("libc.memfd_create(b'x', 0)", "EPERM"),
        ("libc.socket(16, 3, 0)", "EAFNOSUPPORT"),  # netlink
        ("libc.socket(2, 3, 1)", "EPERM"),  # raw
        ("libc.socket(17, 3, 0)", "EAFNOSUPPORT"),  # packet
        ("libc.chroot(b'/tmp')", "EPERM"),
        ("libc.personality(0x0040000)", "EPERM"),
        ("libc.syscall(9999)", "ENOSYS"),
        ("libc.fork()", "EPERM"),
        ("libc.syscall(56, 0x10900, 0, 0, 0, 0)", "EPERM"),  # clone of a thread with descriptors of its own
        ("libc.sendfile(1, 0, None, ctypes.c_size_t(1))", "EPERM"),
        ("libc.pipe((ctypes.c_int * 2)())", "EPERM"),
        ("libc.prctl(22, 2, 0, 0, 0)", "EPERM"),  # a filter more
        ("libc.syscall(317, 1, 0, 0)", "EPERM"),  # seccomp
        ("libc.socket(2, 1, 262)", "EPROTONOSUPPORT"),  # MPTCP
        ("libc.setsockopt(0, 41, 32, 0, 4)", "EPERM"),  # flow labels
        ("libc.vfork()", "EPERM"),
        ("libc.syscall(56, 17, 0, 0, 0, 0)", "EPERM"),  # clone of a process
        ("libc.execv(b'/proc/self/exe', (ctypes.c_char_p * 2)(b'python', None))", "EPERM"),
        ("libc.sendmsg(0, 0, 0)", "EPERM"),
        ("libc.listen(0, 1)", "EPERM"),
        ("libc.inotify_init()", "EPERM"),
        ("libc.syscall(206, 65536, 0)", "EPERM"),  # io_setup
        ("libc.syscall(162)", "EPERM"),  # sync
        ("libc.mlock(ctypes.create_string_buffer(8192), 8192)", "EPERM"),
        ("libc.fcntl(0, 1031, 1 << 20)", "EPERM"),  # F_SETPIPE_SZ
        ("libc.fcntl(0, 1024, 0)", "EPERM"),  # F_SETLEASE
        ("libc.mmap(None, ctypes.c_size_t(4096), 3, 0x21, -1, 0)", "EPERM"),  # shared memory
        ("libc.mmap(None, ctypes.c_size_t(4096), 3, 0x122, -1, 0)", "EPERM"),  # counted as stack
        ("libc.splice(0, 0, 1, 0, 4096, 0)", "EPERM"),
        ("libc.setsockopt(0, 1, 60, 0, 4)", "EPERM"),  # SO_ZEROCOPY
    ],
)
def test_system_call_is_refused(probe: Probe, code: str, error: str) -> None:
    got = probe(
        f"""
        import ctypes, errno
        libc = ctypes.CDLL(None, use_errno=True)
        result = {code}
        return Response.json([result, errno.errorcode[ctypes.get_errno()]])
        """
    )

    assert got.json() == [-1, error]
