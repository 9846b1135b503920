"""The only way out for a script: a proxy that accepts on the workers' own loopback sockets."""

from __future__ import annotations

import http.client
import json
import logging
import select
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO
from urllib.parse import SplitResult, urlsplit

from runtime.contract.invocation import Subrequest
from runtime.engines.egress import CheckedConnection, EgressRefused, EgressRules, open_connection, target_of
from runtime.engines.egress_account import Account, Gate
from runtime.engines.shares import Shares

_log = logging.getLogger(__name__)

_HEAD_BYTES = 65_536
_BODY_BYTES = 32 * 1024 * 1024
_PIECE = 65_536
_WAIT_SECONDS = 30.0
_MOST_CONNECTIONS = 128  # of all workers at one time
# How the proxy marks answers of its own, so that a script can tell them from a server's; RFC 9209 section 2.3.
_ERRORS = {
    400: "http_request_error",
    403: "destination_ip_prohibited",
    429: "http_request_denied",
    502: "destination_unavailable",
    503: "connection_limit_reached",
    504: "http_response_timeout",
}
_RESET = struct.pack("ii", 1, 0)
_LOOP_MARK = "docs-integration-runtime"  # RFC 8586
_HOP_BY_HOP = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
     "transfer-encoding", "upgrade", "expect")
)  # fmt: skip


class EgressProxy:
    """Accepts for all workers in one thread, and serves each connection in one of a bounded number of threads."""

    def __init__(self, rules: EgressRules) -> None:
        self._rules = rules
        self._gates: dict[int, Gate] = {}
        self._lock = threading.Lock()
        self._epoll = select.epoll()
        self._threads = ThreadPoolExecutor(_MOST_CONNECTIONS, "egress")
        self._shares = Shares(_MOST_CONNECTIONS)
        self._closed = False
        self._wake_read, self._wake_write = socket.socketpair()
        self._epoll.register(self._wake_read, select.EPOLLIN)
        self._acceptor = threading.Thread(target=self._accept_all, name="egress-accept", daemon=True)
        self._acceptor.start()

    def attach(self, listener: socket.socket) -> Gate:
        """Take over a listening socket of a worker."""
        listener.setblocking(False)
        gate = Gate(listener)
        with self._lock:
            self._gates[listener.fileno()] = gate
            self._epoll.register(listener, select.EPOLLIN)
        return gate

    def detach(self, gate: Gate) -> None:
        """Close a worker's way out, and what goes through it."""
        account = gate.account
        with self._lock:
            descriptor = gate.listener.fileno()
            if descriptor >= 0:
                self._gates.pop(descriptor, None)
                if not self._epoll.closed:
                    self._epoll.unregister(gate.listener)
                gate.listener.close()
        if account is not None:
            account.close()

    def close(self) -> None:
        """Stop accepting and end all connections."""
        if self._closed:
            return
        self._closed = True
        self._wake_write.send(b"x")
        self._acceptor.join()
        for gate in list(self._gates.values()):
            self.detach(gate)
        self._threads.shutdown()
        self._epoll.close()
        self._wake_read.close()
        self._wake_write.close()

    def _accept_all(self) -> None:
        while not self._closed:
            for descriptor, _ in self._epoll.poll():
                with self._lock:
                    gate = self._gates.get(descriptor)
                    try:
                        client = gate.listener.accept()[0] if gate else None
                    except OSError:  # the client went away, or the listener broke; the worker's end cleans up
                        client = None
                if gate is not None and client is not None:
                    self._hand_over(gate, client)

    def _hand_over(self, gate: Gate, client: socket.socket) -> None:
        try:
            self._threads.submit(self._serve, gate, client)
        except RuntimeError:  # the machine lets this process have no further thread
            _log.exception("a request of a script could not be served")
            client.close()

    def _serve(self, gate: Gate, client: socket.socket) -> None:
        account = gate.account
        with client:
            client.settimeout(_WAIT_SECONDS)
            if account is None:
                return
            if not self._shares.enter(*account.owner):
                _answer(client, 503, "Too many connections of this organization's integrations at the same time.")
                return
            if not account.enter(client):
                self._shares.leave(*account.owner)
                _answer(client, 503, "Too many connections at the same time.")
                return
            try:
                _Exchange(self._rules, account, client).run()
            except OSError:  # the script went away
                pass
            except Exception:
                _log.exception("a request of a script could not be served")
            finally:
                account.leave(client)
                self._shares.leave(*account.owner)


class _Exchange:
    """One request of a script: read its head, check it, pass it on, record it."""

    def __init__(self, rules: EgressRules, account: Account, client: socket.socket) -> None:
        self._rules = rules
        self._account = account
        self._client = client
        self._started = time.time()
        self._clock = time.monotonic()
        self._method = "?"
        self._url = ""
        self._answered = False

    def run(self) -> None:
        """Serve the request; raises `OSError` when the script goes away."""
        with self._client.makefile("rb") as reader:
            try:
                line = reader.readline(_HEAD_BYTES).decode("latin-1").split()
                if len(line) != 3:
                    return
                self._method, self._url = line[0], line[1]
                headers = http.client.parse_headers(reader)
            except (http.client.HTTPException, ValueError):
                _answer(self._client, 400, "The request is malformed.")
                return
            if not self._account.admit():
                self._refuse(429, f"The limit of {self._account.limit} requests in one call is used up.")
                return
            try:
                if self._method == "CONNECT":
                    self._tunnel()
                else:
                    self._forward(reader, headers)
            except EgressRefused as error:
                self._refuse(403, str(error))
            except TimeoutError:
                self._fail(504, "The server did not answer in time.")
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._fail(502, f"The server could not be reached: {error or type(error).__name__}.")

    def _forward(self, reader: BinaryIO, headers: http.client.HTTPMessage) -> None:
        parts = urlsplit(self._url)
        connection = open_connection(self._rules, parts, _WAIT_SECONDS)
        self._account.watch(connection)
        try:
            self._send(connection, parts, reader, headers)
            answer = connection.getresponse()
            self._record(answer.status)
            self._return(answer)
        finally:
            connection.close()

    def _send(
        self, connection: CheckedConnection, parts: SplitResult, reader: BinaryIO, headers: http.client.HTTPMessage
    ) -> None:
        """Pass head and body on; a chunked body is gathered, since its length is not known."""
        body: bytes | None = None
        length = int(headers.get("content-length") or 0)
        if "chunked" in (headers.get("transfer-encoding") or "").lower():
            body = _read_chunked(reader)
            length = len(body)
        if not 0 <= length <= _BODY_BYTES:
            raise EgressRefused(f"A request body may have {_BODY_BYTES // 1024 // 1024} MB at most.")
        dropped = {name.strip().lower() for name in (headers.get("connection") or "").split(",")} | _HOP_BY_HOP
        connection.putrequest(self._method, target_of(parts), skip_host=True, skip_accept_encoding=True)
        # Not the script's own Host header: it must name the host that was checked.
        connection.putheader("Host", parts.netloc.rpartition("@")[2])
        for name, value in headers.items():
            if name.lower() not in dropped and name.lower() not in ("host", "content-length"):
                connection.putheader(name, value)
        if length or "content-length" in headers or body is not None:
            connection.putheader("Content-Length", str(length))
        connection.putheader("CDN-Loop", _LOOP_MARK)
        connection.putheader("Connection", "close")
        connection.endheaders()
        if body is not None:
            connection.send(body)
            return
        while length > 0:
            piece = reader.read(min(length, _PIECE))
            if not piece:
                raise ValueError("the request's body ended too early")
            connection.send(piece)
            length -= len(piece)

    def _return(self, answer: http.client.HTTPResponse) -> None:
        """Pass the answer back; the end of the connection is the end of a body of unknown length."""
        head = [f"HTTP/1.1 {answer.status} {answer.reason}"]
        # Not a server's own Proxy-Status: only what this proxy says may pass for it.
        dropped = _HOP_BY_HOP | {"content-length", "proxy-status"}
        head += [f"{name}: {value}" for name, value in answer.getheaders() if name.lower() not in dropped]
        if answer.length is not None:
            head.append(f"Content-Length: {answer.headers.get('content-length', answer.length)}")
        head += ["Connection: close", "", ""]
        self._answered = True
        self._client.sendall("\r\n".join(head).encode("latin-1", "replace"))
        while piece := answer.read1(_PIECE):
            self._client.sendall(piece)

    def _tunnel(self) -> None:
        """Connect the script with a server; what they say is encrypted and not seen."""
        host, _, port = self._url.rpartition(":")
        if not port.isdigit():
            raise EgressRefused("The address has no proper host and port.")
        self._url = f"https://{self._url}"
        with self._rules.connect(host, int(port), _WAIT_SECONDS) as server:
            self._account.watch(server)
            self._record(200)
            self._client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._answered = True
            self._relay(server)

    def _relay(self, server: socket.socket) -> None:
        ends = {self._client.fileno(): (self._client, server), server.fileno(): (server, self._client)}
        poll = select.poll()
        for descriptor in ends:
            poll.register(descriptor, select.POLLIN)
        while readable := poll.poll(_WAIT_SECONDS * 1000):
            for descriptor, _ in readable:
                source, sink = ends[descriptor]
                data = source.recv(_PIECE)
                if not data:
                    return
                sink.sendall(data)

    def _refuse(self, status: int, sentence: str) -> None:
        self._record(None, refused=sentence)
        _answer(self._client, status, sentence)

    def _fail(self, status: int, sentence: str) -> None:
        if self._answered:
            # Half an answer must not look like a whole one: this makes the close a reset.
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            return
        self._record(None)
        _answer(self._client, status, sentence)

    def _record(self, status: int | None, refused: str | None = None) -> None:
        duration = (time.monotonic() - self._clock) * 1000
        url = without_credentials(self._url)
        self._account.record(Subrequest(self._started, self._method, url, status, duration, refused))


def without_credentials(url: str) -> str:
    """Return a URL without user name and password."""
    scheme, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{mark}{authority.rpartition('@')[2]}{slash}{path}"[:4000] if mark else url[:4000]


def _read_chunked(reader: BinaryIO) -> bytes:
    """Read a body sent in chunks; raises `ValueError`, `EgressRefused`."""
    body = bytearray()
    while size := int(reader.readline(1024).partition(b";")[0].strip(), 16):
        if size < 0 or len(body) + size > _BODY_BYTES:
            raise EgressRefused(f"A request body may have {_BODY_BYTES // 1024 // 1024} MB at most.")
        piece = reader.read(size)
        if len(piece) < size:
            raise ValueError("the request's body ended too early")
        body += piece
        reader.readline(16)
    while reader.readline(_HEAD_BYTES).strip():
        pass
    return bytes(body)


def _answer(client: socket.socket, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    reason = http.client.responses.get(status, "Error")
    head = (
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Proxy-Status: egress; error={_ERRORS[status]}\r\nConnection: close\r\n\r\n"
    )
    client.sendall(head.encode() + body)
