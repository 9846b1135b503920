"""The process that has imported `devkit` and forks for each command: started by `tests.preloaded`, never imported."""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests import preloaded

LONGEST_REQUEST = 1 << 20
FIRST_FILE = 3
"""What is open beyond input, output and errors belongs to this process alone."""


def load() -> None:
    """Import every command, and what commands import only once they run."""
    import devkit.commands

    for module in pkgutil.iter_modules(devkit.commands.__path__, "devkit.commands."):
        importlib.import_module(module.name)
    for name in ("devkit.cli", "devkit.local_host.process", "runtime.app"):
        importlib.import_module(name)
    assert threading.active_count() == 1, threading.enumerate()
    gc.collect()
    gc.freeze()  # so that looking for garbage in a fork copies no page of this process


class Template:
    """Forks for each request that comes in, and tells who asked the exit code in the end."""

    def __init__(self, address: str) -> None:
        self._ready = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(address)
        self._listener.listen(16)
        self._ready.register(self._listener, selectors.EVENT_READ)
        self._ready.register(sys.stdin, selectors.EVENT_READ)

    def run(self) -> dict[str, Any] | None:
        """Serve until the tests end; gives, in each fork, the request that it is for."""
        while True:
            for key, _ in self._ready.select():
                if key.fileobj is sys.stdin:  # closed: the tests are over
                    return None
                if key.fileobj is self._listener:
                    if request := self._take():
                        return request
                else:
                    self._tell(key)

    def _take(self) -> dict[str, Any] | None:
        """Fork for one request; gives it in the fork."""
        asked, _ = self._listener.accept()
        text, files, _, _ = socket.recv_fds(asked, LONGEST_REQUEST, FIRST_FILE)
        process = os.fork()
        if process:
            for file in files:
                os.close(file)
            self._ready.register(os.pidfd_open(process), selectors.EVENT_READ, (process, asked))
            return None
        os.setsid()
        asked.send(b"%d" % os.getpid())  # not before: who is told may send signals to the whole session
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(FIRST_FILE, os.sysconf("SC_OPEN_MAX"))
        request: dict[str, Any] = json.loads(text)
        return request

    def _tell(self, ended: selectors.SelectorKey) -> None:
        """Tell the exit code of a fork that has ended."""
        process, asked = ended.data
        self._ready.unregister(ended.fd)
        os.close(ended.fd)
        _, status = os.waitpid(process, 0)
        try:
            asked.send(b"%d" % os.waitstatus_to_exitcode(status))
        except OSError:
            pass  # nobody waits for it any more
        asked.close()


def show(command: list[str]) -> None:
    """Write a command line over that of the process this is a fork of."""
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    line = b"\0".join(map(os.fsencode, command))[: end - start - 1]
    ctypes.memmove(start, line.ljust(end - start, b"\0"), end - start)


def become(request: dict[str, Any]) -> None:
    """Make this fork what `python -m devkit` with these arguments is."""
    os.environ.clear()
    os.environ.update(request["environ"])
    time.tzset()
    os.chdir(request["folder"])
    os.umask(request["umask"])
    sys.path[0] = request["folder"]
    preloaded.use_template(sys.argv[1])
    from devkit.local_host import process

    process.start_host = preloaded.start_host  # type: ignore[assignment]
    show([sys.executable, "-m", "devkit", *request["arguments"]])
    sys.argv = ["devkit", *request["arguments"]]
    gc.enable()
    runpy.run_module("devkit", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    gc.disable()
    load()
    template = Template(sys.argv[1])
    print("ready", flush=True)
    if (request := template.run()) is not None:
        become(request)
