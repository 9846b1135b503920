"""The world outside a script: requests it makes, and the answers a test has ready for them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

API = "http://offline.invalid"
"""Where scripts under test find the platform's API: a name that is promised never to exist (RFC 2606)."""
PARAMETER = re.compile(r"\{(\w+)\}")
STATUSES = range(200, 600)


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """A request of a script. Header names are lower case; `parameters` are those of the route that answered it."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The path, without the query."""
        return urlsplit(self.url).path or "/"

    @property
    def query(self) -> dict[str, str]:
        """The query parameters; of a repeated one, the last value."""
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.url).query, True).items()}

    @property
    def json(self) -> Any:
        """The body as JSON, None without one; raises ValueError."""
        return json.loads(self.body) if self.body else None

    @property
    def form(self) -> dict[str, str]:
        """The fields of a form in the body; of a repeated one the last."""
        return {name: values[-1] for name, values in parse_qs(self.body.decode(), True).items()}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a request of a script; objects and lists are sent as JSON, None as an empty body."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def encoded(self) -> tuple[dict[str, str], bytes]:
        """Return headers and body as they are sent."""
        if isinstance(self.body, bytes):
            kind, content = "application/octet-stream", self.body
        elif isinstance(self.body, str):
            kind, content = "text/plain; charset=utf-8", self.body.encode()
        else:
            kind, content = "application/json", b"" if self.body is None else json.dumps(self.body).encode()
        headers_ = {name.lower(): value for name, value in self.headers.items()}
        return ({"content-type": kind} if content else {}) | headers_, content


class NoAnswer(OSError):
    """There is nobody at the address."""


Answering = Callable[[ScriptRequest], Any]


@dataclass(frozen=True, slots=True)
class _Route:
    method: str
    pattern: re.Pattern[str]
    answer: Answering


class FakeApi:
    """The answers a test has ready, by route, and all requests the script made: `calls`.

    api.answers("GET", "/v1/spaces/{id}", {"title": "Handbook"})
    api.answers("POST", "https://hooks.example.com/x", status=204)
    """

    def __init__(self) -> None:
        self.calls: list[ScriptRequest] = []
        self._own: list[_Route] = []
        self._routes: list[_Route] = []
        self._unanswered: list[str] = []

    def answers(
        self, method: str, route: str, body: Any = None, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Have an answer ready for a path of the API, which begins with /v1, or for a whole address elsewhere.

        `{name}` in the route stands for one part of the path; the query does not count. `body` is sent as JSON, text
        or bytes; a function gets the request and returns a body or a Reply. Of routes that fit, the last one answers.
        Raises ValueError for a route or a status that cannot be.
        """
        if status not in STATUSES:
            raise ValueError(f"a status is a number from 200 to 599, not {status}")
        if callable(body):
            self._routes.append(_route(method, route, body))
            return
        reply = Reply(body, status, headers or {})
        self._routes.append(_route(method, route, lambda request: reply))

    def breaks(self, method: str, route: str) -> None:
        """Have nobody at this address: the script gets no answer."""

        def nobody(request: ScriptRequest) -> Any:
            raise NoAnswer("nothing listens there")

        self._routes.append(_route(method, route, nobody))

    def reply(self, body: Any = None, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """Make what a function given to `answers` may return besides a body."""
        return Reply(body, status, headers or {})

    def knows(self, method: str, route: str, answer: Answering) -> None:
        """Have an answer of the platform itself ready, which those of the test come before."""
        self._own.append(_route(method, route, answer))

    def calls_to(self, route: str) -> list[ScriptRequest]:
        """Return the requests whose address fits a route."""
        pattern = _pattern(route)
        return [call for call in self.calls if pattern.fullmatch(_address(call.url))]

    def respond(self, request: ScriptRequest) -> Reply:
        """Answer a request of the script; raises NoAnswer."""
        for route in (*reversed(self._routes), *self._own):
            match = route.pattern.fullmatch(_address(request.url))
            if match is not None and route.method in (request.method, "*"):
                known = ScriptRequest(request.method, request.url, request.headers, request.body, match.groupdict())
                if route not in self._own:
                    self.calls.append(known)
                content = route.answer(known)
                return content if isinstance(content, Reply) else Reply(content)
        self.calls.append(request)
        path = _address(request.url).removeprefix(API)
        sentence = (
            f"the script requested {request.method} {path}, and no answer is prepared: "
            f'write api.answers("{request.method}", "{path}", {{...}}) before'
        )
        self.miss(sentence)
        return Reply({"error": {"code": 501, "message": sentence}}, 501)

    def miss(self, sentence: str) -> None:
        """Note a request that was not answered: the test fails with the sentence."""
        self._unanswered.append(sentence)

    def missed(self) -> str | None:
        """Return the first request that was not answered, once; None where there was none."""
        sentences, self._unanswered = self._unanswered, []
        return sentences[0] if sentences else None


def _route(method: str, route: str, answer: Answering) -> _Route:
    return _Route(method.upper(), _pattern(route), answer)


def _pattern(route: str) -> re.Pattern[str]:
    """Read a route; raises ValueError."""
    if not route.startswith(("/v1/", "http://", "https://")):
        raise ValueError(f"{route}: write a path of the API that begins with /v1/, or a whole address with https://")
    whole = _address(API + route if route.startswith("/") else route)
    pieces = PARAMETER.split(whole)
    # Every second piece is the name of a parameter.
    text = [f"(?P<{piece}>[^/]+)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces)]
    return re.compile("".join(text))


def _address(url: str) -> str:
    """Return an address as routes are compared with it: without the query, the host in lower case."""
    bare = url.partition("#")[0].partition("?")[0]
    scheme, _, rest = bare.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}/{path if slash else ''}"
