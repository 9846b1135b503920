"""Opens addresses that a host names, which may not be nearer to this machine than the host itself."""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import requests

from devkit.hosts.distances import Distance, NoNearerThan, TooNear, distance_of_address
from devkit.hosts.time_limits import Within
from devkit.terminal.output import Problem

HINT = "such an address may answer this machine alone; ask whoever runs the host"


@contextmanager
def opened(
    session: requests.Session, method: str, url: str, host: Distance | None, within: float, **named: Any
) -> Iterator[requests.Response]:
    """Send a request to an address that a host named, and give the response, whose body is still to be read.

    `host` is the distance of the host (`Client.distance`), `within` the seconds that everything may take. Redirects are
    not followed: they could lead to a server that answers this machine alone. Raises Problem for an address that is
    nearer than the host, and requests.RequestException.
    """
    try:
        with (
            Within(within),
            NoNearerThan(Distance.INTERNET if host is None else host),
            session.request(method, url, stream=True, allow_redirects=False, **named) as answer,
        ):
            yield answer
    except TooNear as error:
        raise Problem(f"the host names {error}, which is nearer to this machine than the host is", hint=HINT) from error


class Resolver:
    """Resolves names for scripts that run here; what a host named must be no nearer than the host.

    `allowed` is what the author named, "host" or "host:port".
    """

    def __init__(self, urls: Collection[str], host: Distance | None, allowed: Collection[str]) -> None:
        """Take the addresses of the host and those that it named: whoever runs it decides where their names lead."""
        self._names = frozenset((urlsplit(url).hostname or "").rstrip(".") for url in urls)
        self._least = Distance.INTERNET if host is None else host
        self._allowed = frozenset(one.lower().replace("[", "").replace("]", "") for one in allowed)

    def __call__(self, name: str, port: int, **named: Any) -> list[Any]:
        """Return the addresses, as `socket.getaddrinfo` does; raises OSError."""
        found = socket.getaddrinfo(name, port, **named)
        plain = name.lower().rstrip(".")
        if plain not in self._names or {plain, f"{plain}:{port}"} & self._allowed:
            return found
        return [one for one in found if distance_of_address(str(one[4][0])) >= self._least]
