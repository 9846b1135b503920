"""A host that answers byte by byte."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from contextlib import suppress

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
SLOW: dict[str, tuple[bytes, bytes]] = {
    "its head": (b"", HEAD + b"X-Filling: " + b"x" * 1000),
    "a header without an end": (HEAD, b"X-Filling: " + b"x" * 1000),
    "a body of a length": (HEAD + b"Content-Length: 1000\r\n\r\n", b" " * 1000),
    "a body up to the end": (HEAD + b"\r\n{}", b" " * 1000),
    "a body in chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 200),
    "a refusal": (b"HTTP/1.1 400 Bad\r\nContent-Length: 1000\r\n\r\n", b" " * 1000),
}


class Dripping:
    """A host that sends the beginning of its answer at once, and the rest byte by byte, for ten seconds at most."""

    def __init__(self, at_once: bytes, then: bytes, context: ssl.SSLContext | None = None) -> None:
        self._at_once, self._then, self._context = at_once, then, context
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._drip, args=(connection,), daemon=True).start()

    def _drip(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            connection.recv(65_536)
            connection.sendall(self._at_once)
            until = time.monotonic() + 10
            for byte in self._then:
                if time.monotonic() > until:
                    break
                connection.sendall(bytes((byte,)))
                time.sleep(0.05)
        connection.close()

    def close(self) -> None:
        self._listening.close()
