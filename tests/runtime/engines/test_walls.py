"""What one tenant's script may not do to another's: a table of attempts, each made in both languages where it can be.

Each attempt answers how far it came. Meanwhile and afterwards a neighbor's script must answer, in a process of its own
that has to be started, and all processes together must hold little memory.
"""

from __future__ import annotations

import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Limits, Script
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.processes import resident
from runtime.engines.table import ENGINES
from tests.runtime.engines.conftest import Answered, Ask, asker, handler
from tests.runtime.engines.good_scripts import GOOD
from tests.runtime.engines.process_family import OTHERS, family

MEGABYTE = 1 << 20
EACH = 40 * MEGABYTE
"""What a process holds that does nothing: the interpreter and what it has loaded."""
MOST = 440 * MEGABYTE
"""What all processes below this one may hold beyond that: a script at its limit, and the process before it, at its
limit too, of which the kernel has not let go yet where the machine is busy."""

JAVASCRIPT = "export default {{ async fetch(request, env, ctx) {{\n{code}\n}} }};\n"
SOCKETS = """
import errno, socket
kept, sent = [], 0
def stuff(end):
    global sent
    end.setblocking(False)
    try:
        while True: sent += end.send(b"x" * 65536)
    except (BlockingIOError, BrokenPipeError, ConnectionResetError): pass
"""


@dataclass(frozen=True)
class Attempt:
    """What is tried in each language, None where the language has no way to it, and what it must come to.

    `holds` is given what the script answered; a failure of the call is given as its limit.
    """

    name: str
    python: str | None
    javascript: str | None
    holds: Callable[[Any], bool]
    before: str = ""


def refused(answer: Any) -> bool:
    return bool(answer == "refused")


ATTEMPTS = (
    Attempt("processes from a second thread", """
        import threading, os
        said = []
        def fork():
            try: said.append(os.fork())
            except PermissionError: said.append("refused")
        thread = threading.Thread(target=fork); thread.start(); thread.join()
        return Response.json(said[0])
        """, "return Response.json(typeof Worker === 'undefined' ? 'refused' : 'a worker')", refused),
    Attempt("descriptors under way", """
        import socket
        one, other = socket.socketpair()
        try:
            for _ in range(300): socket.send_fds(one, [b"x"], [one.fileno()])
        except PermissionError: return Response.json("refused")
        """, None, refused),
    Attempt("shared memory", """
        import mmap
        try: mmap.mmap(-1, 600 << 20)
        except PermissionError: return Response.json("refused")
        """, """
        globalThis.kept = new Uint8Array(new SharedArrayBuffer(600 << 20)).fill(1);
        return Response.json('kept');
        """, lambda answer: answer in ("refused", "memory", 500)),
    Attempt("buffers kept", """
        global kept
        try: kept = [bytearray(b"x") * (8 << 20) for _ in range(80)]
        except MemoryError: return Response.json("refused")
        """, """
        globalThis.kept = [];
        try { for (let i = 0; i < 80; i += 1) kept.push(new Uint8Array(8 << 20).fill(1)); }
        catch { return Response.json('refused'); }
        """, lambda answer: answer in ("refused", "memory")),
    Attempt("buffers made after the answer", """
        import threading, time
        def later():
            time.sleep(0.1)
            kept = []
            while True: kept.append(bytearray(b"x") * (8 << 20))
        threading.Thread(target=later, daemon=True).start()
        return Response.json("answered")
        """, """
        globalThis.kept = [];
        const grow = () => { kept.push(new Uint8Array(8 << 20).fill(1)); setTimeout(grow, 1); };
        setTimeout(grow, 100);
        return Response.json('answered');
        """, lambda answer: answer == "answered"),
    Attempt("computing after the answer", """
        import threading
        def spin():
            while True: pass
        for _ in range(8): threading.Thread(target=spin, daemon=True).start()
        return Response.json("answered")
        """, "setTimeout(() => { for (;;); }, 20); return Response.json('answered');",
        lambda answer: answer in ("answered", "wall", "cpu", "unreachable")),
    Attempt("socket buffers", """
        try:
            while True:
                pair = socket.socketpair(); kept.append(pair)
                for end in pair:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
                    stuff(end)
        except OSError: pass
        return Response.json(sent)
        """, None, lambda answer: answer < 40 * MEGABYTE, SOCKETS),
    Attempt("buffers of connections to itself", """
        for port in range(20000, 20400):
            try:
                end = socket.socket(); kept.append(end)
                end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
                end.bind(("127.0.0.1", port)); end.connect(("127.0.0.1", port))
            except OSError: break
            stuff(end)
        return Response.json(sent)
        """, None, lambda answer: answer < 48 * MEGABYTE, SOCKETS),
    Attempt("connections nobody accepts", """
        listener = socket.socket(socket.AF_UNIX); listener.bind("\\0there")
        try: listener.listen(4096)
        except PermissionError: return Response.json("refused")
        """, None, refused, SOCKETS),
    Attempt("pipes", """
        import os
        try: os.pipe()
        except PermissionError: return Response.json("refused")
        """, None, refused),
    Attempt("signals that wait", """
        import ctypes, signal
        libc = ctypes.CDLL(None)
        signal.pthread_sigmask(signal.SIG_BLOCK, {40})
        return Response.json(sum(libc.sigqueue(1, 40, 0) == 0 for _ in range(5000)))
        """, None, lambda answer: answer <= 64),
    Attempt("threads", """
        import threading, time
        made = 0
        try:
            for _ in range(1000):
                threading.Thread(target=time.sleep, args=(5,), daemon=True).start(); made += 1
        except RuntimeError: pass
        return Response.json(made)
        """, None, lambda answer: answer <= 64),
    Attempt("terminals", """
        import os
        try: os.openpty()
        except OSError: pass
        else: return Response.json("a terminal")
        return Response.json("refused" if os.listdir("/dev/pts") == [] else "shared")
        """, "return Response.json(typeof Deno === 'undefined' ? 'refused' : 'Deno')", refused),
    Attempt("WebAssembly", None, """
        const module = "AGFzbQEAAAABBQFgAAF/AwIBAAcFAQFmAAAKBgEEAEEqCw==";
        const bytes = Uint8Array.fromBase64(module);
        const ways = [
          () => new WebAssembly.Module(bytes),
          () => WebAssembly.instantiate(bytes),
          () => WebAssembly.compileStreaming(new Response(bytes, { headers: { "content-type": "application/wasm" } })),
          () => new WebAssembly.Memory({ initial: 1000 }),
          () => import(`data:application/wasm;base64,${module}`),
          () => import(URL.createObjectURL(new Blob([bytes], { type: "application/wasm" }))),
          () => import("data:text/javascript," + encodeURIComponent(
            `export { f } from "data:application/wasm;base64,${module}"`)),
        ];
        const came = [];
        for (const [number, way] of ways.entries()) {
          try { await way(); came.push(number); } catch { /* as it should be */ }
        }
        return Response.json(came);
        """, lambda answer: answer == []),
)  # fmt: skip


RUNTIMES = ("python", "v2")


@pytest.fixture(scope="module", params=RUNTIMES)
def runtime(request: pytest.FixtureRequest) -> str:
    """Each runtime in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def engine(runtime: str) -> Iterator[Engine]:
    """An engine whose processes are the only ones below this one."""
    OTHERS.update(family())  # hosts and browsers that tests of other files share
    engine_ = ENGINES[runtime]("required", EgressRules())
    yield engine_
    engine_.close()
    OTHERS.clear()


def source_of(attempt: Attempt, runtime: str) -> str | None:
    if runtime != "python":
        return attempt.javascript and JAVASCRIPT.format(code=textwrap.dedent(attempt.javascript))
    return attempt.python and attempt.before + handler(attempt.python).replace(
        "def run(request, context):", "def run(request, context):\n    global kept, sent"
    )


CASES = [
    pytest.param(runtime, source, attempt.holds, id=f"{runtime}: {attempt.name}")
    for runtime in RUNTIMES
    for attempt in ATTEMPTS
    if (source := source_of(attempt, runtime)) is not None
]


@pytest.mark.parametrize(("runtime", "source", "holds"), CASES, indirect=["runtime"])
def test_a_neighbor_keeps_answering(
    engine: Engine, runtime: str, source: str, holds: Callable[[Any], bool], request: pytest.FixtureRequest
) -> None:
    ask = asker(engine)
    with Watching(ask, runtime) as watching:
        answers = [answered(ask(Script(request.node.name, runtime, source))) for _ in range(3)]
        watching.settle()

    assert all(holds(answer) for answer in answers), answers
    assert watching.answers and set(watching.answers) == {"fine"}
    assert watching.most < MOST, f"{watching.most >> 20} MB"


def answered(got: Answered) -> Any:
    failure = got.outcome.failure
    if failure is not None:
        return failure.limit or failure.kind
    return got.json() if got.outcome.status == 200 else got.outcome.status


class Watching:
    """Asks a neighbor again and again, each time one that has no process yet, and weighs all processes."""

    def __init__(self, ask: Ask, runtime: str) -> None:
        self._ask, self._runtime = ask, runtime
        self._done = threading.Event()
        self._threads = [threading.Thread(target=run) for run in (self._neighbor, self._weigh)]
        self.answers: list[Any] = []
        self.most = 0

    def __enter__(self) -> Watching:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def settle(self) -> None:
        """Wait until nothing computes any more: what a script left behind has been ended."""
        deadline = time.monotonic() + 20
        while True:
            before = {pid: _ticks(pid) for pid in family()}
            time.sleep(0.3)
            if all(_ticks(pid) - used < 15 for pid, used in before.items()):
                return
            assert time.monotonic() < deadline, "something computes for ever"

    def _neighbor(self) -> None:
        while not self._done.is_set():
            fresh = Script(uuid.uuid4().hex, self._runtime, GOOD[self._runtime])
            self.answers.append(answered(self._ask(fresh, limits=Limits(wall=20.0))))
            self._done.wait(0.1)

    def _weigh(self) -> None:
        while not self._done.is_set():
            self.most = max(self.most, sum(_held(pid) for pid in family()))
            self._done.wait(0.02)


OURS = Path("/proc/self/cmdline").read_bytes()


def _held(pid: int) -> int:
    try:
        if Path(f"/proc/{pid}/cmdline").read_bytes() == OURS:
            return 0  # it is about to become another program, and until then what it shows is the memory of the tests
        return max(0, resident(pid) - EACH)
    except OSError:
        return 0


def _ticks(pid: int) -> int:
    try:
        return sum(int(part) for part in Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[11:13])
    except OSError:
        return 0


@pytest.mark.parametrize("runtime", ["python"], indirect=True)  # a JavaScript script has no files
def test_locks_of_shared_files_are_not_seen_by_others(engine: Engine, runtime: str) -> None:
    source = """
import fcntl, os
from runtime.sdk import Integration, Response
integration = Integration()
shared = open(os.__file__)

@integration.fetch("GET", "/")
def run(request, context):
    fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(shared, fcntl.LOCK_SH | fcntl.LOCK_NB)
    try:
        fcntl.fcntl(shared, fcntl.F_GETLK, bytes(32))
    except OSError:
        return Response.json("locked, and nobody else seen")
"""
    ask = asker(engine)
    script = Script("locks", runtime, source)

    assert {ask(script, tenant=tenant).json() for tenant in ("one", "two", "three")} == {"locked, and nobody else seen"}


def test_short_calls_add_up_to_no_more_memory_than_one(engine: Engine, runtime: str) -> None:
    grows = {
        "python": HEAD_OF_GROWING,
        "v2": "const kept = []; export default { fetch() { kept.push(new Uint8Array(4 << 20).fill(1)); "
        "return Response.json(kept.length); } };",
    }
    ask = asker(engine)
    script = Script(f"grows-{time.time()}", runtime, grows[runtime])
    with Watching(ask, runtime) as watching:
        answers = [answered(ask(script)) for _ in range(120)]

    assert watching.most < MOST, f"{watching.most >> 20} MB"
    assert len([one for one in answers if one == 1]) > 1, "it was never started over"


HEAD_OF_GROWING = """
from runtime.sdk import Integration, Response
integration = Integration()
kept = []

@integration.fetch("GET", "/")
def run(request, context):
    kept.append(bytearray(b"x") * (4 << 20))
    return Response.json(len(kept))
"""
