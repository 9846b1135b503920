"""Ports of `devkit dev --debug`: reserved while the command runs, and open only to its own user.

The debugged process behind them restarts: a port that it released could be taken by somebody else, to whom the
author's editor and the host would then connect.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import threading
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from devkit.developing import peer_user
from devkit.terminal.output import Problem

PIECE = 65_536
HEAD = 65_536
"""Bytes that the head of a request may have."""
PATIENCE = 30.0
"""Seconds for the head of a request, and for the process behind a port to listen."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")


class GuardedPort(ABC):
    """A port of 127.0.0.1; connections of other users are closed without reading."""

    def __init__(self, port: int, option: str = "--debug-port") -> None:
        """Take the port; raises Problem, which names the option that chooses another."""
        self.port = port
        self._closed = False
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("127.0.0.1", port))
            self._listener.listen()
        except OSError as error:
            self._listener.close()
            raise Problem(f"port {port} is taken", hint=f"choose another with {option}") from error
        threading.Thread(target=self._accept, name=f"debug port {port}", daemon=True).start()

    @abstractmethod
    def serve(self, client: socket.socket) -> None:
        """Serve a connection of this user; raises OSError."""

    def close(self) -> None:
        """Release the port."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                if self._closed:
                    return
                time.sleep(0.05)  # of descriptors there are too few, for now
                continue
            threading.Thread(target=self._admit, args=(client,), name="debug port", daemon=True).start()

    def _admit(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            if peer_user.is_own(client):
                self.serve(client)

    def behind(self, port: int) -> socket.socket:
        """Connect to a port that a process of this user listens at; raises OSError."""
        deadline = time.monotonic() + PATIENCE
        while not self._closed:
            try:
                server = socket.create_connection(("127.0.0.1", port), PATIENCE)
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
                continue
            if peer_user.listens(port):
                return server
            server.close()
            break
        raise ConnectionRefusedError


class AdapterPort(GuardedPort):
    """Where editors attach to debugpy's adapter, which listens at a port of its own."""

    def __init__(self, port: int, inner: int) -> None:
        """Take the port, and that of the adapter; raises Problem."""
        self._inner = inner
        super().__init__(port)

    def serve(self, client: socket.socket) -> None:
        """Relay data between editor and adapter."""
        with self.behind(self._inner) as server:
            relay(client, server)


class InspectorPort(GuardedPort):
    """Where editors attach to the inspector of V8, which tells nobody under which name it listens."""

    def __init__(self, port: int) -> None:
        """Take the port; raises Problem."""
        self._inner, self._name = 0, ""
        self._known = threading.Event()
        super().__init__(port)

    def open(self, inner: int, name: str) -> None:
        """Take the inspector's port and its name."""
        self._inner, self._name = inner, name
        self._known.set()

    def serve(self, client: socket.socket) -> None:
        """List the targets, or relay data between editor and inspector."""
        head = read_head(client)
        _, path, host = _asked(head)
        if host.rpartition(":")[0] not in LOCAL and host not in LOCAL:
            _answer(client, "400 Bad Request", {"error": "Invalid Host header"})
        elif not self._known.wait(PATIENCE):
            _answer(client, "503 Service Unavailable", {"error": "The inspector is not listening yet."})
        elif path.rstrip("/") in ("/json", "/json/list"):
            _answer(client, "200 OK", [self._target()])
        elif path.rstrip("/") == "/json/version":
            _answer(client, "200 OK", {"Browser": "Deno", "Protocol-Version": "1.3"})
        else:
            with self.behind(self._inner) as server:
                server.sendall(head)
                relay(client, server)

    def _target(self) -> dict[str, str]:
        at = f"127.0.0.1:{self.port}/{self._name}"
        return {
            "description": "deno",
            "devtoolsFrontendUrl": f"devtools://devtools/bundled/js_app.html?ws={at}&experiments=true&v8only=true",
            "id": self._name,
            "title": "devkit dev",
            "type": "node",
            "url": "file://",
            "webSocketDebuggerUrl": f"ws://{at}",
        }


class CallPort(GuardedPort):
    """Where the host calls the debugged script, which serves at a Unix socket; `url` has what others do not know.

    Pages in the author's browser are this user's, too, and could call it with an environment of their own making.
    """

    def __init__(self, port: int, inner: Path) -> None:
        """Take the port, and the script's socket; raises Problem."""
        self._inner, self._secret = inner, f"/{secrets.token_urlsafe(24)}"
        self.url = f"http://127.0.0.1:{port}{self._secret}"
        super().__init__(port)

    def serve(self, client: socket.socket) -> None:
        """Pass one request on that names the secret, without it."""
        head = read_head(client)
        method, path, _ = _asked(head)
        if not secrets.compare_digest(path[: len(self._secret)].encode(), self._secret.encode()):
            _answer(client, "404 Not Found", {"error": "There is nothing here."})
            return
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(str(self._inner))
            rest = head.split(b" ", 2)[2]
            server.sendall(f"{method} {path[len(self._secret) :] or '/'} ".encode() + rest)
            relay(client, server)


def read_head(client: socket.socket) -> bytes:
    """Read a request until its head is whole, perhaps with some of its body; raises OSError."""
    client.settimeout(PATIENCE)
    head = b""
    while b"\r\n\r\n" not in head:
        piece = client.recv(PIECE)
        head += piece
        if not piece or (len(head) > HEAD and b"\r\n\r\n" not in head):
            raise ConnectionAbortedError
    return head


def relay(one: socket.socket, other: socket.socket) -> None:
    """Relay data between two sockets, until both have ended or one is gone."""
    for end in (one, other):
        end.settimeout(None)
    back = threading.Thread(target=_pass_on, args=(other, one), name="debug port back", daemon=True)
    back.start()
    _pass_on(one, other)
    back.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(PIECE):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # one is gone, and the other hears of it
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _asked(head: bytes) -> tuple[str, str, str]:
    """Return method, path and host of a request; raises ConnectionAbortedError if it is not one."""
    first, *lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3:
        raise ConnectionAbortedError
    hosts = [value.strip() for name, _, value in (line.partition(":") for line in lines) if name.lower() == "host"]
    return words[0], words[1], hosts[0] if len(hosts) == 1 else ""


def _answer(client: socket.socket, status: str, value: Any) -> None:
    body = json.dumps(value).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    client.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)
