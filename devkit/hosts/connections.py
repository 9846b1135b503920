"""HTTP sessions of commands. Names below `localhost` mean this machine, even if the resolver does not know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.connectionpool import ConnectionPool

from devkit.hosts.time_limits import POOLS, Within

LOOPBACK = "127.0.0.1"


class PatientAdapter(HTTPAdapter):
    """Registers connections, so that `Within` can end responses that never end."""

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        """Make what gives connections."""
        super().init_poolmanager(*arguments, **named)
        self.poolmanager.pool_classes_by_scheme = POOLS


class LoopbackAdapter(PatientAdapter):
    """Connects to this machine for every name below `localhost` (RFC 6761, section 6.3), and says which was meant."""

    def get_connection_with_tls_context(
        self,
        request: requests.PreparedRequest,
        verify: bool | str | None,
        proxies: Mapping[str, str] | None = None,
        cert: tuple[str, str] | str | None = None,
    ) -> ConnectionPool:
        """Return the connections for a request."""
        parts = urlsplit(request.url or "")
        if parts.scheme == "http" and (parts.hostname or "").endswith(".localhost"):
            request.headers.setdefault("Host", parts.netloc)
            connections: ConnectionPool = self.poolmanager.connection_from_host(LOOPBACK, parts.port or 80, "http")
            return connections
        return super().get_connection_with_tls_context(request, verify, proxies, cert)


def session() -> requests.Session:
    """Open a session that ignores proxy variables and `.netrc`."""
    opened = requests.Session()
    opened.trust_env = False
    opened.mount("https://", PatientAdapter())
    opened.mount("http://", LoopbackAdapter())
    return opened


def get(url: str, timeout: float) -> requests.Response:
    """Request status and headers, within `timeout` seconds, without reading the body or following redirects.

    Raises requests.RequestException.
    """
    with (
        session() as once,
        Within(timeout),
        once.get(url, timeout=timeout, stream=True, allow_redirects=False) as answer,
    ):
        return answer
