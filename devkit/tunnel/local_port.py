"""Answers calls with a server on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import urllib3

from devkit.tunnel.exchange import Answer, Incoming
from runtime.engines.dev_tunnel.line import MAX_CALLS

BLOCK = 64 * 1024
WAIT = urllib3.Timeout(connect=3, read=120)
PASSED_BY = frozenset(("host", "connection", "content-length", "transfer-encoding"))
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

Log = Callable[[str, str, int, float], None]
"""Told of each call: method, path, status, milliseconds."""


class LocalPort:
    """Forwards calls to a port of this machine."""

    def __init__(self, port: int, log: Log) -> None:
        self._port, self._log = port, log
        self._pool = urllib3.HTTPConnectionPool(
            "localhost", port, maxsize=MAX_CALLS, timeout=WAIT, retries=False, block=True
        )
        self.address = ""
        """The tunnel's own address, once it is known: what the server calls itself is replaced by it in redirects."""

    def answer(self, incoming: Incoming) -> Answer:
        """Forward one call; 502 with a sentence if nothing listens."""
        began = time.perf_counter()
        headers = [(name, value) for name, value in incoming.headers if name.lower() not in PASSED_BY]
        sent = urllib3.HTTPHeaderDict([*headers, ("Host", f"localhost:{self._port}")])
        length = next((value for name, value in incoming.headers if name.lower() == "content-length"), None)
        body = self._body(incoming, sent, length)
        try:
            got = self._pool.urlopen(
                incoming.method,
                incoming.path,
                body=body,
                headers=sent,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
        except urllib3.exceptions.HTTPError as error:
            self._log(incoming.method, incoming.path, 502, (time.perf_counter() - began) * 1000)
            return _text(502, f"Nothing answers at localhost:{self._port} ({_reason(error)}); start the server there.")
        self._log(incoming.method, incoming.path, got.status, (time.perf_counter() - began) * 1000)
        answered = [(name, self._own(name, value)) for name, value in got.headers.items()]
        return Answer(got.status, answered, _blocks(got))

    @staticmethod
    def _body(
        incoming: Incoming, headers: urllib3.HTTPHeaderDict, length: str | None
    ) -> bytes | Iterator[bytes] | None:
        """Return the body in the announced form: none, with its length, or in chunks."""
        chunked = any(name.lower() == "transfer-encoding" for name, _ in incoming.headers)
        if length is not None:
            headers["Content-Length"] = length
            return incoming.body()
        return incoming.body() if chunked or incoming.method in ("POST", "PUT", "PATCH") else None

    def _own(self, name: str, value: str) -> str:
        """Rewrite a redirect to the server itself so that it leads to the tunnel."""
        if name.lower() != "location" or not self.address:
            return value
        parts = urlsplit(value)
        here = parts.netloc in {f"{host}:{self._port}" for host in LOOPBACK}
        here |= parts.netloc.endswith(f".localhost:{self._port}")
        if not here and (parts.netloc or not value.startswith("/")):
            return value
        return self.address + value[len(f"{parts.scheme}://{parts.netloc}") if parts.netloc else 0 :]


def _blocks(got: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Yield a body as it arrives: streamed pages must not wait until a block is full."""
    try:
        if got.headers.get("Transfer-Encoding", "").lower() == "chunked":
            yield from got.stream(BLOCK, decode_content=False)
            return
        while block := got.read1(BLOCK, decode_content=False):
            yield block
    finally:
        got.release_conn()


def _text(status: int, text: str) -> Answer:
    return Answer(status, [("Content-Type", "text/plain; charset=utf-8")], text.encode())


def _reason(error: urllib3.exceptions.HTTPError) -> str:
    return "connection refused" if isinstance(error, urllib3.exceptions.NewConnectionError) else type(error).__name__
