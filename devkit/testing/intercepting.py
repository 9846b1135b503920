"""Answers the requests of a script that runs in this process: no socket is opened, and nothing real is reached."""

from __future__ import annotations

import http.client
import io
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

from devkit.testing.fake_api import FakeApi, ScriptRequest

PROXIES = ("EGRESS_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


class _Wire:
    """Stands for the socket of an HTTP connection: what is sent is a request, what can be read is its answer."""

    def __init__(self, api: FakeApi, origin: str) -> None:
        self._api, self._origin = api, origin
        self._sent = bytearray()

    def sendall(self, data: bytes) -> None:
        self._sent += data

    def makefile(self, mode: str, *_: Any, **__: Any) -> io.BytesIO:
        reader = io.BytesIO(bytes(self._sent))
        self._sent.clear()
        method, target = reader.readline().decode("latin-1").split()[:2]
        headers = {name.lower(): value for name, value in http.client.parse_headers(reader).items()}
        url = target if "://" in target else self._origin + target
        return io.BytesIO(_answer(self._api, ScriptRequest(method, url, headers, reader.read())))

    def setsockopt(self, *_: Any) -> None:
        pass

    def settimeout(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        pass


def _answer(api: FakeApi, request: ScriptRequest) -> bytes:
    reply = api.respond(request)
    headers, content = reply.encoded()
    reason = http.client.responses.get(reply.status, "Status")
    lines = [f"HTTP/1.1 {reply.status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    lines += [f"content-length: {len(content)}", "connection: close", "", ""]
    return "\r\n".join(lines).encode() + (b"" if request.method == "HEAD" else content)


@contextmanager
def intercepted(api: FakeApi) -> Iterator[None]:
    """Send what the script requests to the answers of a test, while it is being called.

    Seen is what goes through `http.client`, as the SDK and `urllib` do, and through `requests`. All else finds no
    network, and fails the test.
    """

    def connect(connection: http.client.HTTPConnection) -> None:
        scheme = "https" if isinstance(connection, http.client.HTTPSConnection) else "http"
        authority = connection.host if connection.port == connection.default_port else _authority(connection)
        connection.sock = _Wire(api, f"{scheme}://{authority}")

    def resolve(host: Any, *_: Any, **__: Any) -> NoReturn:
        name = host.decode("latin-1") if isinstance(host, bytes) else host
        api.miss(
            f"the script requested {name} in a way that tests cannot answer: "
            "use context.fetch, urllib, or requests imported at the top of the script"
        )
        raise OSError("there is no network in a test")

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(http.client.HTTPConnection, "connect", connect)
        patches.setattr(http.client.HTTPSConnection, "connect", connect)
        patches.setattr(socket, "getaddrinfo", resolve)
        if "requests.adapters" in sys.modules:
            patches.setattr("requests.adapters.HTTPAdapter.send", _adapter(api))
        for name in PROXIES:
            patches.delenv(name, raising=False)
        yield


def _authority(connection: http.client.HTTPConnection) -> str:
    return f"{connection.host}:{connection.port}"


def _adapter(api: FakeApi) -> Any:
    """Make what takes the place of `requests`' own way out."""
    import requests

    def send(adapter: Any, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        body = request.body or b""
        content = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else b"".join(body)
        headers = {name.lower(): str(value) for name, value in request.headers.items()}
        sent_request = ScriptRequest(request.method or "GET", request.url or "", headers, content)
        try:
            reply = api.respond(sent_request)
        except OSError as error:
            raise requests.ConnectionError(error, request=request) from error
        response = requests.Response()
        named, answer = reply.encoded()
        response.status_code, response.url, response.request = reply.status, sent_request.url, request
        response.headers = requests.structures.CaseInsensitiveDict(named)
        response.reason = http.client.responses.get(reply.status, "")
        response.raw = io.BytesIO(answer)
        response.encoding = requests.utils.get_encoding_from_headers(response.headers)
        return response

    return send
