"""The zygote: started once in the sandbox, everything imported, then forked for each worker."""

from __future__ import annotations

import base64
import gc
import importlib
import json
import os
import signal
import socket
import sys
import tempfile
from typing import Any, NoReturn

from runtime.engines import frames
from runtime.engines.python_process.child import confine
from runtime.engines.python_process.child.orders import TAKEN, UP
from runtime.engines.python_process.child.serve import Worker

PROXY_PORT = 3128
# What scripts and the SDK are likely to need; imported once here instead of in each worker.
_WARM = (
    "base64", "calendar", "collections", "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal",
    "email.parser",
    "enum", "functools", "hashlib", "hmac", "html", "http.client", "inspect", "itertools", "math", "queue", "random",
    "re", "secrets", "ssl", "string", "textwrap", "time", "typing", "unicodedata", "urllib.parse", "urllib.request",
    "uuid", "zipimport", "encodings.idna", "encodings.latin_1", "encodings.cp437",
)  # fmt: skip


class Zygote:
    """Waits for orders of the host on a control socket; each order is one socket for a new worker."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self._control = control
        self._confined: bool = settings["confined"]
        self._filter = base64.b64decode(settings["filter"])
        self._tmp_bytes: int = settings["tmp_bytes"]
        # None in a sandbox, where all end together, and where workers must have nothing in common.
        self._lifeline = None if self._confined else confine.Lifeline()

    def run(self) -> NoReturn:
        """Fork workers until the host goes away."""
        # The kernel reaps the workers, nobody asks how they ended.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self._control.sendall(UP)
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
            if not message:
                os._exit(0)
            if not self._confined:
                self._control.sendall(TAKEN)
            if os.fork() == 0:
                self._become_worker(descriptors[0])
            os.close(descriptors[0])

    def _become_worker(self, descriptor: int) -> NoReturn:
        try:
            # Everything of the zygote's goes: the control socket would let a script ask for workers.
            self._control.close()
            os.set_inheritable(descriptor, False)  # a program the script starts must not keep it open
            connection = socket.socket(fileno=descriptor)
            try:
                listener, folder, bounded = self._confine()
            except (confine.ConfineError, OSError) as error:
                connection.sendall(frames.pack(frames.BROKEN, str(error).encode()))
                os._exit(1)
            hello = frames.pack(frames.HELLO, frames.HELLO_HEAD.pack(os.getpid()))
            socket.send_fds(connection, [hello], [listener.fileno()])
            if self._confined:
                # Only now: handing a descriptor over is one of the calls that a script may not make.
                confine.lock(self._filter)
            connection.sendall(frames.pack(frames.LOCKED, bytes([bounded])))
            Worker(connection, folder, listener, confined=self._confined).run()
        finally:
            os._exit(0)

    def _confine(self) -> tuple[socket.socket, str, bool]:
        if self._lifeline is not None:
            self._lifeline.hold()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            confine.limit_resources(self._tmp_bytes, confined=False)
            folder = tempfile.mkdtemp()
            os.chdir(folder)
            return _listen(0), folder, False
        confine.enter_namespaces()
        if os.fork() != 0:
            os._exit(0)
        os.setsid()  # the kernel divides the processor among sessions: none shall live on the part of another
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        bounded = confine.private_files(self._tmp_bytes)
        confine.loopback_up()
        os.chdir("/tmp")
        listener = _listen(PROXY_PORT)
        confine.limit_resources(self._tmp_bytes, confined=True)
        return listener, "/tmp", bounded


def _listen(port: int) -> socket.socket:
    """Open the worker's way out; the host accepts on it."""
    listener = socket.create_server(("127.0.0.1", port), backlog=16)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    for name in ("EGRESS_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        os.environ[name] = address
    return listener


def main(descriptor: int) -> NoReturn:
    """Run the zygote on the control socket with this descriptor."""
    control = socket.socket(fileno=descriptor)
    with control.makefile("rb") as lines:
        settings = json.loads(lines.readline())
    if settings["user"] is not None:
        confine.become(settings["user"])
    for name in _WARM:
        importlib.import_module(name)
    null = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    sys.argv[:] = ["integration"]
    gc.collect()
    gc.freeze()
    Zygote(control, settings).run()
