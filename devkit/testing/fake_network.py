"""Answers the requests of a script that runs in its sandbox: the way out leads to a server of the test."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from devkit.testing.fake_api import FakeApi, ScriptRequest
from runtime.engines.egress import Address, EgressRules, Watch

ENCRYPTED = 0x16
"""The first byte of a TLS handshake."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle_one_request(self) -> None:
        if self.rfile.peek(1)[:1] == bytes([ENCRYPTED]):  # type: ignore[attr-defined]  # a buffered reader has it
            self.server.api.miss(
                "the script made a request that only it can decrypt: use context.fetch, or run this test without "
                "--sandboxed"
            )
            self.close_connection = True
            return
        super().handle_one_request()

    def _any(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length") or 0))
        url = f"{self.server.scheme}://{headers.get('host', '')}{self.path}"
        self.close_connection = True
        try:
            reply = self.server.api.respond(ScriptRequest(self.command, url, headers, body))
        except OSError:  # nobody is to be there: the connection ends without an answer
            return
        named, content = reply.encoded()
        self.send_response(reply.status)
        for name, value in (*named.items(), ("content-length", str(len(content)))):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _any

    def log_message(self, *_: Any) -> None:
        """Stay silent: a test's output is its own."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, scheme: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = scheme
        self.api = FakeApi()


class FakeNetwork:
    """Two servers, for plain and for encrypted addresses; `api` answers, and every test puts its own there."""

    def __init__(self) -> None:
        self._servers = [_Server("http"), _Server("https")]
        self._threads = [
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
            for server in self._servers
        ]
        for thread in self._threads:
            thread.start()

    def use(self, api: FakeApi) -> None:
        """Answer with what a test has ready."""
        for server in self._servers:
            server.api = api

    def rules(self) -> EgressRules:
        """Return the egress rules under which every address leads here."""
        plain, secure = ((("127.0.0.1", server.server_port)) for server in self._servers)
        return _RedirectedEgress(plain=plain, secure=secure)

    def close(self) -> None:
        """Stop both servers."""
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()


@dataclass(frozen=True)
class _RedirectedEgress(EgressRules):
    """Leads every name to one address, and what would be encrypted, unencrypted, to another."""

    plain: Address = field(default=("127.0.0.1", 0))
    secure: Address = field(default=("127.0.0.1", 0))

    def resolve(self, host: str, port: int) -> list[Address]:
        return [self.plain]

    def encrypt(self, connection: socket.socket, host: str, watch: Watch) -> socket.socket:
        connection.close()
        plain = socket.create_connection(self.secure)
        try:
            watch(plain)
        except BaseException:
            plain.close()
            raise
        return plain
