"""Calls a host's API."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import requests
from urllib3.exceptions import NameResolutionError

from devkit.hosts import connections
from devkit.hosts.budgets import Budget
from devkit.hosts.credentials import Credentials
from devkit.hosts.distances import Distance
from devkit.hosts.time_limits import Within
from devkit.terminal.output import Problem, shortened
from runtime import version
from runtime.contract.json_shapes import Shape, kinds, listed, plain_object, record

TIMEOUT = 60
"""Seconds without a byte."""
LONGEST = 300
"""Seconds that an answer takes as a whole: enough for the largest one over a slow line."""
MOST_ITEMS = 1000
"""Items asked for in one page of a list."""
MOST_BYTES = 128 * 1024 * 1024
"""Bytes of one answer that are read: more than a host ever sends, and less than would fill this machine's memory."""
MOST_VALUES = 8_000_000
"""Values in one answer: the smallest take thirty times as much memory as on their way here."""
PAGE = record(items=listed(plain_object))


class RequestRefused(Problem):
    """The host responded with an error; `status` is its HTTP status."""

    def __init__(self, status: int, sentence: str, hint: str = "") -> None:
        super().__init__(shortened(sentence), hint=hint, status=status)
        self.status = status


class HostUnreachable(Problem):
    """The host does not answer: there is none, or it went away; or what it answers cannot be read."""

    def __init__(self, message: str, *, hint: str = "", **more: Any) -> None:
        super().__init__(shortened(message), hint=hint, **more)


class TooMuch(HostUnreachable):
    """The host sends more than anybody reads."""


class Answer(dict[str, Any]):
    """A JSON object that a host sent; raises HostUnreachable for a field that is missing."""

    def __missing__(self, name: str) -> Any:
        raise HostUnreachable(
            f"the answer has no `{name}`",
            hint=f"check that the address is that of a host, and that its release fits devkit {version.VERSION}",
        )


class Client:
    """A connection to one host that is kept open between calls."""

    def __init__(self, credentials: Credentials) -> None:
        self.host = credentials.host
        self.distance: Distance | None = None
        """Of the farthest server that has answered for this host; None before the first answer."""
        self._session = connections.session()
        self._session.hooks["response"].append(self._measure)
        self._session.headers["Authorization"] = f"Bearer {credentials.token}"
        self._session.headers["User-Agent"] = f"devkit/{version.VERSION}"

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        data: Any = None,
        shape: Shape = plain_object,
        budget: Budget | None = None,
        **query: Any,
    ) -> Answer:
        """Call an operation and parse its JSON object; an empty response is an empty object.

        `data` is a raw body, bytes or a file; `shape` (`devkit/hosts/response_shapes.py`) validates the response, which
        counts in `budget`. Raises RequestRefused and HostUnreachable, the latter also for a response of another shape.
        """
        try:
            with Within(LONGEST):
                answer = self._session.request(
                    method,
                    f"{self.host}{path}",
                    json=body,
                    data=data,
                    params={name: value for name, value in query.items() if value is not None},
                    timeout=TIMEOUT,
                    stream=True,
                    allow_redirects=False,
                )
                content = read_whole(answer)
        except requests.RequestException as error:
            raise HostUnreachable(f"{self.host} does not answer ({reason(error)})") from error
        _refuse_redirect(answer)
        if answer.status_code >= 400:
            raise self._refusal(answer, content)
        if budget is not None:
            self.spend(budget, path, len(content), 0)
        if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:
            raise TooMuch(
                f"the answer at {path} has more than {MOST_VALUES:,} values",
                hint=f"check that {self.host} is the address of a host",
            )
        try:
            said = json.loads(content, object_pairs_hook=Answer) if content else Answer()
        except (ValueError, RecursionError) as error:  # which numbers of thousands of digits are, too
            raise HostUnreachable(
                f"{self.host} does not answer in JSON", hint="check that it is the address of a host"
            ) from error
        if not isinstance(said, Answer):
            raise HostUnreachable(
                f"the answer at {path} is not an object", hint=f"check that {self.host} is the address of a host"
            )
        self.must_be(shape, said, f"the answer at {path}")
        return said

    def spend(self, budget: Budget, path: str, size: int, items: int = 1) -> None:
        """Count what a list has given; raises TooMuch once that is more than anybody reads."""
        if spent := budget.spend(size, items):
            raise TooMuch(
                f"the list at {path} is too long: {self.host} sent {spent}",
                hint="ask for less of it if the command can; otherwise check that the address is that of a host",
            )

    def must_be(self, shape: Shape, value: Any, what: str) -> None:
        """Raise HostUnreachable, with the field and the host, for what the host sent and a command cannot read."""
        wrong = next(shape(value, ""), None)
        if wrong is not None:
            field = f"`{shortened(wrong.path.lstrip('.'), 200)}` " if wrong.path else ""
            raise HostUnreachable(
                f"{self.host} sent something that cannot be read: in {what}, {field}{wrong.rule}",
                hint=f"check that it is the address of a host, and that its release fits devkit {version.VERSION}",
            )

    def read(self, content: bytes, shape: Shape, what: str) -> Answer:
        """Read an object that the host sent in a stream; raises HostUnreachable."""
        try:
            value = json.loads(content, object_pairs_hook=Answer)
        except (ValueError, RecursionError) as error:
            raise HostUnreachable(f"{self.host} sent something that cannot be read: {what} is not JSON") from error
        self.must_be(kinds(object=shape), value, what)
        said: Answer = value
        return said

    def pages(
        self, path: str, size: int | None = None, shape: Shape = PAGE, budget: Budget | None = None, **query: Any
    ) -> Iterator[dict[str, Any]]:
        """Iterate over the pages of a list, of at most `size` objects, as far as `budget` goes.

        Raises RequestRefused, HostUnreachable.
        """
        page: str | None = None
        budget = budget or Budget()
        while True:
            answer = self.call("GET", path, shape=shape, budget=budget, page=page, limit=size, **query)
            self.spend(budget, path, 0, len(answer["items"]) or 1)
            yield answer
            before, page = page, _next_page(answer)
            if page is None:
                return
            if page == before:
                raise TooMuch(f"the list at {path} never ends", hint=f"check that {self.host} is the address of a host")

    def every(
        self,
        path: str,
        size: int = MOST_ITEMS,
        shape: Shape = plain_object,
        budget: Budget | None = None,
        **query: Any,
    ) -> Iterator[dict[str, Any]]:
        """Iterate over all objects of a list, `size` per request; `shape` validates each.

        `budget` is for several lists that a command puts together. Raises RequestRefused, HostUnreachable.
        """
        for answer in self.pages(path, size, record(items=listed(shape)), budget, **query):
            yield from answer["items"]

    def stream(self, path: str, silence: float = 60, **query: str | None) -> requests.Response:
        """Open a stream of server-sent events; `silence` is in seconds, after which it counts as broken.

        The stream has no total time limit. Raises RequestRefused, requests.RequestException.
        """
        params = {name: value for name, value in query.items() if value is not None}
        with Within(LONGEST):
            answer = self._session.get(
                f"{self.host}{path}", params=params, stream=True, timeout=(TIMEOUT, silence), allow_redirects=False
            )
            _refuse_redirect(answer)
            if answer.status_code >= 400:
                raise self._refusal(answer, read_whole(answer))
        return answer

    def _measure(self, answer: requests.Response, **_: Any) -> None:
        # The connection itself may be closed by now, if the host keeps none open.
        distance = getattr(answer.raw.connection, "distance", Distance.INTERNET)
        self.distance = distance if self.distance is None else max(self.distance, distance)

    def _refusal(self, answer: requests.Response, content: bytes) -> RequestRefused:
        hint = ""
        if answer.status_code == 401:
            hint = f"Create a token at {self.host}/app, and save it with `devkit login --host {self.host}`."
        message = _message(answer, content)
        if answer.status_code == 404 and message.startswith("There is no integration "):
            hint = "Start `devkit dev` in its folder, or put it on the host with `devkit publish`."
        return RequestRefused(answer.status_code, message, hint)


def _next_page(answer: Answer) -> str | None:
    """Return the cursor of a list's next page; None at the end. Raises HostUnreachable."""
    following = answer.get("next")
    if following is None:
        return None
    page = following.get("page") if isinstance(following, dict) else 0
    if page is not None and not isinstance(page, str):
        raise HostUnreachable("the answer's `next` has no page", hint="check that the address is that of a host")
    return page


def part(text: str) -> str:
    """Quote a path segment."""
    return quote(text, safe="", errors="replace")


def reason(error: requests.RequestException) -> str:
    """Describe why a host did not answer: unknown name, connection refused, untrusted certificate, timeout."""
    cause = _cause(error)
    if isinstance(cause, NameResolutionError):
        return "the name cannot be resolved; is it spelled correctly?"
    if isinstance(error, requests.exceptions.SSLError):
        return _distrust(cause)
    if isinstance(error, requests.Timeout):
        return "it took too long"
    if "refused" in str(error).lower():
        return "connection refused; is it running?"
    if "unreachable" in str(error).lower() or "no route" in str(error).lower():
        return "it is unreachable from this network"
    return "the connection broke"


def _cause(error: requests.RequestException) -> object:
    """Return the innermost exception below those of requests and urllib3."""
    cause: object = error.args[0] if error.args else error
    return getattr(cause, "reason", None) or cause


def _distrust(cause: object) -> str:
    """Describe a TLS error."""
    detail = cause.args[0] if isinstance(cause, Exception) and cause.args else cause
    if isinstance(detail, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {detail.verify_message}"
    if "WRONG_VERSION_NUMBER" in str(cause) or "HTTP_REQUEST" in str(cause):
        return "it does not use TLS; try http:// instead of https://"
    return "the TLS handshake failed"


def _refuse_redirect(answer: requests.Response) -> None:
    """Refuse a redirect: the request and its token are meant for the host that was named. Raises HostUnreachable."""
    if answer.is_redirect:
        raise HostUnreachable(
            f"{answer.url} redirects to {answer.headers['Location']}; if the host is there, run `devkit login --host` "
            "with that address"
        )


def read_whole(answer: requests.Response) -> bytes:
    """Read a whole response; raises TooMuch if it is larger than `MOST_BYTES`."""
    read, pieces = 0, []
    for piece in answer.iter_content(1 << 16):
        read += len(piece)
        if read > MOST_BYTES:
            answer.close()
            raise TooMuch(
                f"the answer has more than {MOST_BYTES // 1024 // 1024} MB",
                hint="check that the address is that of a host",
            )
        pieces.append(piece)
    return b"".join(pieces)


def _message(answer: requests.Response, content: bytes) -> str:
    try:
        return str(json.loads(content)["error"]["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"the host answered {answer.status_code} {answer.reason}"
