"""An incoming request of a handler, and its response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from runtime.sdk.errors import ExposableError
from runtime.sdk.json_text import dump, load

_BREAKS = frozenset("\r\n\0")
_IN_ADDRESSES = "%/:?#[]@!$&'()*+,;=~"

Headers = Mapping[str, str] | Iterable[tuple[str, str]]


class Request:
    """One HTTP request on a public endpoint of the integration.

    `method` is upper case, `url` the full public address, `path` the part below the endpoint it was sent to (starts
    with "/"), `headers` have lower-case names, `body` is the raw bytes, `parameters` those of the route's path.
    """

    __slots__ = ("body", "headers", "method", "parameters", "path", "url", "user_id")

    def __init__(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        *,
        path: str | None = None,
        user_id: str | None = None,
    ) -> None:
        self.method = method.upper()
        self.url = url
        self.headers = {name.lower(): value for name, value in (headers or {}).items()}
        self.body = body
        self.path = path if path is not None else (urlsplit(url).path or "/")
        self.parameters: dict[str, str] = {}
        self.user_id = user_id

    @property
    def query(self) -> dict[str, str]:
        """The query parameters; of a repeated one, the last value."""
        return {name: values[-1] for name, values in self.query_lists.items()}

    @property
    def query_lists(self) -> dict[str, list[str]]:
        """The query parameters with all values."""
        return parse_qs(urlsplit(self.url).query, keep_blank_values=True)

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies of the request."""
        pairs = (part.partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name.strip(): unquote(value.strip().strip('"')) for name, separator, value in pairs if separator}

    def text(self) -> str:
        """Return the body as text; bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the body parsed as JSON; answers 400 if it is not JSON."""
        try:
            return load(self.body)
        except ValueError as error:
            raise ExposableError("The body of the request is not valid JSON") from error

    def form(self) -> dict[str, str]:
        """Return the body parsed as a URL-encoded form; of a repeated field the last value."""
        return {name: values[-1] for name, values in parse_qs(self.text(), keep_blank_values=True).items()}


class Response:
    """The response of a handler: bytes, text, or an iterator of chunks that is streamed.

    Of the headers every line is kept, so `set-cookie` may occur more than once.
    """

    __slots__ = ("body", "headers", "status")

    def __init__(
        self,
        body: bytes | str | Iterable[bytes | str] = b"",
        status: int = 200,
        headers: Headers | None = None,
        *,
        content_type: str | None = None,
    ) -> None:
        if not 200 <= status <= 599:
            raise ValueError(f"Response: status must be from 200 to 599, got {status}")
        lines = headers.items() if isinstance(headers, Mapping) else headers or ()
        self.status = status
        self.headers: list[tuple[str, str]] = []
        for name, value in lines:
            self.add_header(name, value)
        self.body: bytes | Iterator[bytes]
        if isinstance(body, str):
            self.body = body.encode()
            content_type = content_type or "text/plain; charset=utf-8"
        elif isinstance(body, (bytes, bytearray, memoryview)):
            self.body = bytes(body)
        else:
            self.body = (piece.encode() if isinstance(piece, str) else piece for piece in body)
        if content_type and self.header("content-type") is None:
            self.add_header("content-type", content_type)

    def add_header(self, name: str, value: str) -> None:
        """Add one header line; raises ValueError for line breaks, which would start another header."""
        line = (str(name).lower(), str(value))
        if _BREAKS.intersection(line[0] + line[1]):
            raise ValueError(f"Response: the header {line[0]!r} contains a line break or a NUL")
        self.headers.append(line)

    def header(self, name: str) -> str | None:
        """Return the first header of that name, or None."""
        lowered = name.lower()
        return next((value for key, value in self.headers if key == lowered), None)

    def set_cookie(
        self,
        name: str,
        value: str,
        *,
        max_age: int | None = None,
        path: str = "/",
        secure: bool = True,
        http_only: bool = True,
        same_site: str = "Lax",
    ) -> Response:
        """Add a cookie and return the response; without `max_age` (seconds) it is a session cookie."""
        parts = [f"{name}={quote(value, safe='')}", f"Path={path}", f"SameSite={same_site}"]
        if max_age is not None:
            parts.append(f"Max-Age={max_age}")
        if secure:
            parts.append("Secure")
        if http_only:
            parts.append("HttpOnly")
        self.add_header("set-cookie", "; ".join(parts))
        return self

    @classmethod
    def json(cls, value: object, status: int = 200, headers: Headers | None = None) -> Response:
        """Return a JSON response."""
        return cls(dump(value), status, headers, content_type="application/json")

    @classmethod
    def html(cls, text: str, status: int = 200, headers: Headers | None = None) -> Response:
        """Return an HTML response."""
        return cls(text, status, headers, content_type="text/html; charset=utf-8")

    @classmethod
    def javascript(cls, text: str, *, max_age: int | None = None) -> Response:
        """Return a JavaScript response; `max_age` is how many seconds browsers may cache it."""
        headers = {} if max_age is None else {"cache-control": f"max-age={max_age}"}
        return cls(text, 200, headers, content_type="application/javascript")

    @classmethod
    def redirect(cls, url: str, status: int = 302) -> Response:
        """Return a redirect; characters that are not valid in an address are percent-encoded."""
        return cls(b"", status, {"location": quote(url, safe=_IN_ADDRESSES)})
