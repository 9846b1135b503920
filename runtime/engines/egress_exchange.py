"""One outgoing request of a script: its head is read and checked, it is passed on, and recorded."""

from __future__ import annotations

import http.client
import json
import select
import socket
import struct
import tempfile
import time
from collections.abc import Iterator
from typing import IO, BinaryIO
from urllib.parse import SplitResult

from runtime.contract.invocation import Subrequest
from runtime.contract.url_parts import split_url
from runtime.engines.egress import CheckedConnection, EgressRefused, EgressRules, open_connection, target_of
from runtime.engines.egress_account import Account
from runtime.engines.work_limits import TooMuchWork, WorkLimit

_HEAD_BYTES = 65_536
_BODY_BYTES = 32 * 1024 * 1024
_PIECE = 65_536
_IN_MEMORY_BYTES = 262_144
_TOO_LARGE = f"A request body may have {_BODY_BYTES // 1024 // 1024} MB at most."
_LAST_WORDS_SECONDS = 1.0
LONGEST_REASON = 300
WAIT_SECONDS = 30.0
# Marks answers of the proxy itself, so that a script can tell them from a server's; RFC 9209 section 2.3.
_ERRORS = {
    400: "http_request_error",
    403: "destination_ip_prohibited",
    429: "http_request_denied",
    502: "destination_unavailable",
    503: "connection_limit_reached",
    504: "http_response_timeout",
}
_TLS_RECORD = b"\x16"  # how a client begins that speaks TLS; RFC 8446 section 5.1
_RESET = struct.pack("ii", 1, 0)
_LOOP_MARK = "docs-integration-runtime"  # RFC 8586
_HOP_BY_HOP = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
     "transfer-encoding", "upgrade", "expect")
)  # fmt: skip


class Exchange:
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
        """Serve the request; raises `OSError` if the script disconnects."""
        with self._client.makefile("rb") as reader:
            headers = self._read_head(reader)
            if headers is None:
                return
            if not self._account.admit():
                self._refuse(429, f"The limit of {self._account.limit} requests in one call is used up.")
                return
            self._served(reader, headers)

    def _read_head(self, reader: BinaryIO) -> http.client.HTTPMessage | None:
        """Read the first line and the headers; None if there is nothing to serve."""
        try:
            line = reader.readline(_HEAD_BYTES).decode("latin-1").split()
            if len(line) != 3:
                return None
            self._method, self._url = line[0], line[1]
            return http.client.parse_headers(reader)
        except (http.client.HTTPException, ValueError):
            answer(self._client, 400, "The request is malformed.")
            return None

    def _destination(self) -> tuple[str, int]:
        """Return host and port of a CONNECT, always parsed in the same way; raises `EgressRefused`."""
        host, _, port = self._url.rpartition(":")
        if not (port.isascii() and port.isdecimal() and len(port) < 6 and host and host.isascii()):
            raise EgressRefused("The address has no valid host and port.")
        return host.strip("[]").rstrip(".").lower(), int(port)

    def _answer_as(self, host: str, port: int) -> None:
        """Serve one request to the platform inside a connection: recorded, and limited to the API, like any other."""
        self._client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        if self._client.recv(1, socket.MSG_PEEK) != _TLS_RECORD:
            port_suffix = "" if port == 80 else f":{port}"
            Exchange(self._rules, self._account, self._client).serve_platform(f"http://{host}{port_suffix}")
            return
        if self._rules.authority is None:
            return
        context = self._rules.authority.context_for(self._rules.own_name(host, port))
        # The wrapper takes the descriptor over: it is what has to be shut down while a script stalls the handshake.
        with context.wrap_socket(self._client, server_side=True, do_handshake_on_connect=False) as client:
            self._account.watch(client)
            client.do_handshake()
            port_suffix = "" if port == 443 else f":{port}"
            Exchange(self._rules, self._account, client).serve_platform(f"https://{host}{port_suffix}")

    def serve_platform(self, origin: str) -> None:
        """Serve a request for a path at the platform's `origin`; it was counted with its connection."""
        with self._client.makefile("rb") as reader:
            headers = self._read_head(reader)
            if headers is None:
                return
            if self._method == "CONNECT" or not self._url.startswith("/"):
                self._refuse(403, "Through a connection to the platform, only the platform can be requested.")
                return
            self._url = origin + self._url
            self._served(reader, headers)

    def _served(self, reader: BinaryIO, headers: http.client.HTTPMessage) -> None:
        try:
            if self._method == "CONNECT":
                self._tunnel()
            else:
                self._forward(reader, headers)
        except EgressRefused as error:
            self._refuse(403, str(error))
        except TooMuchWork:
            self._fail(502, "The connection was closed because it sent too many small chunks.")
        except TimeoutError:
            self._fail(504, "The server did not answer in time.")
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._fail(502, f"The server could not be reached: {error or type(error).__name__}.")

    def _forward(self, reader: BinaryIO, headers: http.client.HTTPMessage) -> None:
        parts = split_url(self._url)
        self._hold_to_the_api(parts)
        connection = open_connection(self._rules, parts, WAIT_SECONDS)
        self._account.watch(connection)
        try:
            self._send(connection, parts, reader, headers)
            answer = connection.getresponse()
            self._record(answer.status)
            self._return(answer)
        finally:
            connection.close()

    def _hold_to_the_api(self, parts: SplitResult) -> None:
        if self._rules.is_own_outside_api(parts):
            raise EgressRefused("On the platform itself, a script may only request paths below /v1.")

    def _send(
        self, connection: CheckedConnection, parts: SplitResult, reader: BinaryIO, headers: http.client.HTTPMessage
    ) -> None:
        """Pass on head and body, chunk by chunk."""
        if "chunked" in (headers.get("transfer-encoding") or "").lower():
            # Buffered on disk first: not every server accepts a body of unknown length.
            with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as body:
                for piece in _chunks(reader):
                    body.write(piece)
                length = body.tell()
                body.seek(0)
                self._send_head(connection, parts, headers, length, declares_length=True)
                _copy(body, connection, length)
            return
        length = int(headers.get("content-length") or 0)
        if not 0 <= length <= _BODY_BYTES:
            raise EgressRefused(_TOO_LARGE)
        self._send_head(connection, parts, headers, length, declares_length="content-length" in headers)
        _copy(reader, connection, length)

    def _send_head(
        self,
        connection: CheckedConnection,
        parts: SplitResult,
        headers: http.client.HTTPMessage,
        length: int,
        *,
        declares_length: bool,
    ) -> None:
        dropped = {name.strip().lower() for name in (headers.get("connection") or "").split(",")} | _HOP_BY_HOP
        connection.putrequest(self._method, target_of(parts), skip_host=True, skip_accept_encoding=True)
        # Not the script's own Host header: it must name the host that was checked.
        connection.putheader("Host", parts.netloc.rpartition("@")[2])
        for name, value in headers.items():
            if name.lower() not in dropped and name.lower() not in ("host", "content-length"):
                connection.putheader(name, value)
        if length or declares_length:
            connection.putheader("Content-Length", str(length))
        connection.putheader("CDN-Loop", _LOOP_MARK)
        connection.putheader("Connection", "close")
        connection.endheaders()

    def _return(self, answer: http.client.HTTPResponse) -> None:
        """Pass back the answer; a body of unknown length ends with the connection."""
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
        """Connect the script with a server; their encrypted traffic is not inspected."""
        host, port = self._destination()
        if self._rules.own_address(host, port) is not None:
            self._answer_as(host, port)
            return
        self._url = f"https://{self._url}"
        with self._rules.connect(host, port, WAIT_SECONDS, self._account.watch) as server:
            self._record(200)
            self._client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._answered = True
            self._relay(server)

    def _relay(self, server: socket.socket) -> None:
        ends = {self._client.fileno(): (self._client, server), server.fileno(): (server, self._client)}
        poll = select.poll()
        for descriptor in ends:
            poll.register(descriptor, select.POLLIN)
        work = WorkLimit()
        while readable := poll.poll(WAIT_SECONDS * 1000):
            for descriptor, _ in readable:
                source, sink = ends[descriptor]
                data = source.recv(_PIECE)
                if not data:
                    return
                sink.sendall(data)
                work.took(len(data))

    def _refuse(self, status: int, sentence: str) -> None:
        self._record(None, refused=sentence)
        answer(self._client, status, sentence)

    def _fail(self, status: int, sentence: str) -> None:
        if self._answered:
            # An incomplete answer must not look like a complete one: this turns the close into a reset.
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            return
        self._record(None)
        answer(self._client, status, sentence)

    def _record(self, status: int | None, refused: str | None = None) -> None:
        duration = (time.monotonic() - self._clock) * 1000
        url = without_credentials(self._url)
        self._account.record(Subrequest(self._started, self._method, url, status, duration, refused))


def without_credentials(url: str) -> str:
    """Return a URL without user name and password."""
    scheme, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{mark}{authority.rpartition('@')[2]}{slash}{path}"[:4000] if mark else url[:4000]


def _copy(reader: IO[bytes], connection: CheckedConnection, length: int) -> None:
    while length > 0:
        piece = reader.read(min(length, _PIECE))
        if not piece:
            raise ValueError("the request's body ended too early")
        connection.send(piece)
        length -= len(piece)


def _chunks(reader: BinaryIO) -> Iterator[bytes]:
    """Read a chunked body, a limited piece at a time; raises `ValueError`, `EgressRefused`."""
    total, work = 0, WorkLimit()
    while size := int(reader.readline(1024).partition(b";")[0].strip(), 16):
        total += size
        if size < 0 or total > _BODY_BYTES:
            raise EgressRefused(_TOO_LARGE)
        while size > 0:
            piece = reader.read(min(size, _PIECE))
            if not piece:
                raise ValueError("the request's body ended too early")
            size -= len(piece)
            yield piece
            work.took(len(piece))
        reader.readline(16)
    while line := reader.readline(_HEAD_BYTES).strip():
        work.took(len(line))


def turn_away(client: socket.socket, sentence: str) -> None:
    """Refuse a connection for which there is no thread, without waiting, and close it."""
    client.setblocking(False)
    try:
        client.send(_refusal(503, sentence))
        client.shutdown(socket.SHUT_WR)
    except OSError:  # it does not read, and need not know
        pass
    client.close()


def answer(client: socket.socket, status: int, sentence: str) -> None:
    """Send an answer of the proxy itself; raises `OSError` if the script has disconnected."""
    client.sendall(_refusal(status, sentence))
    _hear_out(client)


def _refusal(status: int, sentence: str) -> bytes:
    body = json.dumps({"error": sentence}).encode()
    # Clients that cannot connect through a proxy show their caller nothing of its answer but this.
    reason = "".join(char if " " <= char <= "~" else "?" for char in sentence)[:LONGEST_REASON]
    head = (
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Proxy-Status: egress; error={_ERRORS[status]}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def _hear_out(client: socket.socket) -> None:
    """Read what a client still sends: if a connection is closed before that, it is reset, and the answer lost."""
    deadline = time.monotonic() + _LAST_WORDS_SECONDS  # of all together: one byte at a time holds a thread, too
    try:
        client.shutdown(socket.SHUT_WR)
        while (left := deadline - time.monotonic()) > 0:
            client.settimeout(left)
            if not client.recv(_PIECE):
                return
    except OSError:  # it has gone, or goes on for too long
        pass
