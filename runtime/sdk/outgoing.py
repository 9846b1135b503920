"""Outgoing HTTP of a script: through the egress proxy if the host names one, otherwise directly."""

from __future__ import annotations

import http.client
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlencode, urljoin, urlsplit

from runtime.sdk.errors import FetchError
from runtime.sdk.json_text import dump, load

_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 10
# Marks answers of the egress proxy itself (RFC 9209), as opposed to those of servers.
_PROXY_NAME = "egress"


class FetchResponse:
    """The answer to an outgoing request; header names are lower case, repeated ones are joined with a comma."""

    __slots__ = ("body", "headers", "status", "url")

    def __init__(self, url: str, status: int, headers: dict[str, str], body: bytes) -> None:
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def ok(self) -> bool:
        """Whether the status is from 200 to 299."""
        return 200 <= self.status <= 299

    def text(self) -> str:
        """Return the body as text; bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the body parsed as JSON; raises ValueError."""
        return load(self.body)


def fetch(
    url: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | str | None = None,
    json: object = None,
    form: Mapping[str, str] | None = None,
    timeout: float = 20.0,
    follow_redirects: bool = True,
) -> FetchResponse:
    """Send one request and return its answer, whatever the status; at most one of `body`, `json` and `form`.

    `timeout` is in seconds, for each wait. Redirects are followed as browsers do. Raises FetchError without an answer.
    """
    send = {name.lower(): value for name, value in (headers or {}).items()}
    content: bytes | None = body.encode() if isinstance(body, str) else body
    if json is not None:
        content = dump(json)
        send.setdefault("content-type", "application/json")
    elif form is not None:
        content = urlencode(form).encode()
        send.setdefault("content-type", "application/x-www-form-urlencoded")
    method = method.upper()
    for _ in range(_MAX_REDIRECTS + 1):
        answer = _exchange(method, url, send, content, timeout)
        location = answer.headers.get("location")
        if not (follow_redirects and location and answer.status in _REDIRECTS):
            return answer
        target = urljoin(url, location)
        if _address(target)[:2] != _address(url)[:2]:
            # Another origin must not get credentials for this one.
            send = {name: value for name, value in send.items() if name not in ("authorization", "cookie")}
        if answer.status == 303 or (answer.status in (301, 302) and method == "POST"):
            method, content = ("HEAD" if method == "HEAD" else "GET"), None
            send = {name: value for name, value in send.items() if not name.startswith("content-")}
        url = target
    raise FetchError(f"{url}: more than {_MAX_REDIRECTS} redirects")


def _address(url: str) -> SplitResult:
    """Return the parts of an address; raises FetchError for what cannot be fetched."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise FetchError(f"{url}: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FetchError(f"{url}: only http:// and https:// addresses can be fetched")
    return parts


def _exchange(method: str, url: str, headers: dict[str, str], body: bytes | None, timeout: float) -> FetchResponse:
    """Send one request without following anything."""
    parts = _address(url)
    proxy = os.environ.get("EGRESS_PROXY")
    try:
        if proxy:
            # The whole address goes to the proxy, for https too: it makes the TLS connection, so that it can check
            # where the request goes and show it in the event's trace.
            relay = urlsplit(proxy)
            connection = http.client.HTTPConnection(relay.hostname or "127.0.0.1", relay.port, timeout=timeout)
            target = parts._replace(fragment="").geturl()
        else:
            make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            connection = make(parts.hostname or "", parts.port, timeout=timeout)
            target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
        try:
            connection.request(method, target, body, {"connection": "close", **headers})
            answer = connection.getresponse()
            received: dict[str, str] = {}
            for name, value in answer.getheaders():
                key = name.lower()
                received[key] = f"{received[key]}, {value}" if key in received else value
            content = answer.read()
            if proxy and received.get("proxy-status", "").partition(";")[0].strip() == _PROXY_NAME:
                raise FetchError(f"{method} {url}: {content.decode('utf-8', 'replace')}")
            return FetchResponse(url, answer.status, received, content)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise FetchError(f"{method} {url}: {error or type(error).__name__}") from error
