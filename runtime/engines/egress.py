"""Egress rules, which apply to every outgoing request on behalf of others."""

from __future__ import annotations

import errno
import http.client
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

import certifi

from runtime.contract.public_addresses import is_public
from runtime.contract.url_parts import split_url
from runtime.engines.buffered_responses import BufferedResponse
from runtime.engines.own_tls import OwnAuthority

Address = tuple[str, int]
Resolver = Callable[..., Sequence[tuple[Any, ...]]]
Watch = Callable[[socket.socket], None]

MAX_ADDRESSES = 4
"""Addresses of a name that are tried: its owner may name thousands, which this host would all knock at."""
_NO_PORTS = (0, 25)  # nothing, and mail


class EgressRefused(Exception):
    """The destination is not allowed; the message says why."""


@dataclass(frozen=True)
class EgressRules:
    """Which destinations are open.

    `allow` names destinations inside the private network, "host" or "host:port". `own` maps an authority of the
    platform, "host:port" in lower case, to the address it really listens on, in plain text; "*.host:port" stands for
    every name one level below. Of the platform what lies below `own_paths` may be requested. Where one of its
    addresses is an https one, `authority` vouches for the proxy, which answers there. `ca_file` replaces the usual
    certificate authorities.
    """

    allow: tuple[str, ...] = ()
    own: Mapping[str, Address] = field(default_factory=dict)
    own_paths: tuple[str, ...] = ("/v1",)
    authority: OwnAuthority | None = None
    ca_file: str | None = None
    resolver: Resolver = socket.getaddrinfo

    def resolve(self, host: str, port: int) -> list[Address]:
        """Return the checked addresses to connect to, the best one first; raises `EgressRefused`."""
        own = self.own_address(host, port)
        if own is not None:
            return [own]
        name, authority = _named(host, port)
        if not name or port in _NO_PORTS or not 0 < port < 65536:
            raise EgressRefused(f"{host}:{port} cannot be requested.")
        allowed = name in self._open or authority in self._open
        try:
            addresses = self.resolver(name, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise EgressRefused(f"{host} could not be resolved.") from error
        found = dict.fromkeys(str(entry[4][0]) for entry in addresses)
        open_ = [(address, port) for address in found if allowed or is_public(address)][:MAX_ADDRESSES]
        if not open_:
            raise EgressRefused(
                f"{host} is an address of a private network, which scripts may not reach. An operator can "
                f"allow it with --allow-egress {authority}."
            )
        return open_

    def own_address(self, host: str, port: int) -> Address | None:
        """Return where the platform itself listens; None if the destination is not the platform."""
        authority = _named(host, port)[1]
        return self.own.get(authority) or self.own.get(f"*.{authority.partition('.')[2]}")

    def is_own_outside_api(self, parts: SplitResult, *, besides: str | None = None) -> bool:
        """Tell whether an address is one of the platform outside its API: metrics, health, pages, sites.

        It may answer its own machine there what it answers nobody else. What begins with `besides` counts as its API.
        Raises ValueError for an invalid address.
        """
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if self.own_address(parts.hostname or "", port) is None:
            return False
        inside = any(parts.path == path or parts.path.startswith(f"{path}/") for path in self.own_paths)
        inside = inside or (besides is not None and parts.path.startswith(besides))
        return not inside or ".." in parts.path.split("/")

    def own_name(self, host: str, port: int) -> str:
        """Return the key of an address of the platform: its own, or the wildcard one level up."""
        name, authority = _named(host, port)
        return name if authority in self.own else f"*.{name.partition('.')[2]}"

    def certificates(self) -> str:
        """Return the certificates that scripts trust, as PEM."""
        usual = Path(self.ca_file or certifi.where()).read_text(encoding="utf-8")
        return f"{usual}\n{self.authority.pem}" if self.authority else usual

    def more_certificates(self) -> str:
        """Return those of them that are not the usual ones, as PEM; empty if there are none."""
        extra = Path(self.ca_file).read_text(encoding="utf-8") if self.ca_file else ""
        return extra + (self.authority.pem if self.authority else "")

    @cached_property
    def _open(self) -> frozenset[str]:
        return frozenset(entry.lower().replace("[", "").replace("]", "") for entry in self.allow)

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """The TLS context that verifies servers."""
        return ssl.create_default_context(cafile=self.ca_file or certifi.where())

    def connect(self, host: str, port: int, timeout: float, watch: Watch) -> socket.socket:
        """Open a connection to one of the checked addresses; raises `EgressRefused`, `OSError`.

        `watch` gets the socket while it is being connected, so that another thread can end the attempt by shutting it
        down; `timeout` is in seconds, for all addresses that are tried. Resolving the name is not part of it.
        """
        addresses = self.resolve(host, port)
        deadline = time.monotonic() + timeout
        for left in range(len(addresses) - 1, 0, -1):
            try:
                return self._connected(addresses.pop(0), (deadline - time.monotonic()) / (left + 1), watch)
            except ConnectionAbortedError:  # by `watch`: whoever waited for it is gone
                raise
            except OSError:  # the next one may answer
                continue
        return self._connected(addresses[0], deadline - time.monotonic(), watch)

    def _connected(self, tried: Address, timeout: float, watch: Watch) -> socket.socket:
        if timeout <= 0:
            raise TimeoutError("timed out")
        family, kind, protocol, _, address = socket.getaddrinfo(*tried, type=socket.SOCK_STREAM)[0]
        connection = socket.socket(family, kind, protocol)
        try:
            # Watched only once the attempt has begun: to shut the socket down before would have no effect.
            connection.setblocking(False)
            _raise_for(connection.connect_ex(address), but=errno.EINPROGRESS)
            watch(connection)
            connection.settimeout(timeout)
            poll = select.poll()
            poll.register(connection, select.POLLOUT)
            if not poll.poll(timeout * 1000):
                raise TimeoutError("timed out")
            _raise_for(connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
        except BaseException:
            connection.close()
            raise
        return connection

    def encrypt(self, connection: socket.socket, host: str, watch: Watch) -> socket.socket:
        """Speak TLS over a connection, to a server that proves to be `host`; raises `OSError`.

        `watch` gets the socket that takes the connection's place before the handshake, which a server may stall.
        """
        encrypted = self.tls.wrap_socket(connection, server_hostname=host, do_handshake_on_connect=False)
        try:
            watch(encrypted)
            encrypted.do_handshake()
        except BaseException:
            encrypted.close()
            raise
        return encrypted


def _raise_for(number: int, but: int = 0) -> None:
    if number not in (0, but):
        raise OSError(number, os.strerror(number))


def _named(host: str, port: int) -> tuple[str, str]:
    """Return a host's name and authority, normalized for comparison."""
    name = host.strip("[]").rstrip(".").lower()
    return name, f"{name}:{port}"


class CheckedConnection(http.client.HTTPConnection):
    """An HTTP connection whose socket is opened under the egress rules."""

    response_class = BufferedResponse

    def __init__(self, rules: EgressRules, parts: SplitResult, timeout: float) -> None:
        """Take the parts of a URL, and the timeout of each wait in seconds."""
        self._secure = parts.scheme == "https"
        self._own = rules.own_address(parts.hostname or "", parts.port or (443 if self._secure else 80)) is not None
        # The scheme's own port must not appear in the Host header.
        self.default_port = 443 if self._secure else 80
        super().__init__(parts.hostname or "", parts.port or self.default_port, timeout=timeout)
        self._rules = rules
        self._timeout = timeout
        self._opened: socket.socket | None = None
        self.was_cut = False

    def connect(self) -> None:
        """Open the socket; raises `EgressRefused`, `OSError`."""
        self.sock = raw = self._rules.connect(self.host, self.port, self._timeout, self._watch)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._secure or self._own:
            return
        try:
            self.sock = self._rules.encrypt(raw, self.host, self._watch)
        except BaseException:
            self.close()
            raise

    def _watch(self, opened: socket.socket) -> None:
        """Have `cut` end this from now on; raises `OSError` if it was called before."""
        self._opened = opened
        if self.was_cut:
            raise ConnectionAbortedError("the exchange was ended")

    def cut(self) -> None:
        """End the exchange from another thread; a waiting reader gets an error or the end of the stream."""
        self.was_cut = True
        if self._opened is not None:
            try:
                # Not SSLSocket.shutdown, which would turn the rest into plain text.
                socket.socket.shutdown(self._opened, socket.SHUT_RDWR)
            except OSError:  # it is closed already
                pass


def open_connection(rules: EgressRules, parts: SplitResult, timeout: float) -> CheckedConnection:
    """Return a connection for an http or https URL, opened at the first request; raises `EgressRefused`.

    `timeout` is in seconds, for each wait.
    """
    if parts.scheme not in ("http", "https"):
        raise EgressRefused("Only http and https addresses can be requested.")
    try:
        known = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    if not known:
        raise EgressRefused("The address has no valid host and port.")
    return CheckedConnection(rules, parts, timeout)


def target_of(parts: SplitResult) -> str:
    """Return the part of a URL that goes into a request line."""
    path = parts.path or "/"
    return f"{path}?{parts.query}" if parts.query else path


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """An answer; header names are as received."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class FetchFailed(Exception):
    """There was no valid answer; `timed_out` and `too_large` say whether because of its time or its size."""

    def __init__(self, message: str, *, timed_out: bool = False, too_large: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.too_large = too_large


def fetch(
    rules: EgressRules,
    method: str,
    url: str,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    timeout: float = 30.0,
    max_bytes: int = 5 * 1024 * 1024,
) -> FetchedResponse:
    """Send one request under the egress rules, without following redirects.

    `timeout` is in seconds, for the whole exchange; `max_bytes` bounds the answer's body. Raises `EgressRefused`,
    `FetchFailed`.
    """
    try:
        parts = split_url(url)
    except ValueError as error:
        raise EgressRefused("The address is not a valid URL.") from error
    connection = open_connection(rules, parts, timeout)
    alarm = threading.Timer(timeout, connection.cut)
    alarm.daemon = True
    alarm.start()
    try:
        connection.request(method, target_of(parts), body, {"Connection": "close", **(headers or {})})
        answer = connection.getresponse()
        content = answer.read(max_bytes + 1)
        if connection.was_cut:
            raise TimeoutError
        if len(content) > max_bytes:
            raise FetchFailed(f"The answer is larger than {max_bytes} bytes.", too_large=True)
        if answer.length:
            total = len(content) + answer.length
            raise FetchFailed(f"The answer announced {total} bytes and ended after {len(content)}.")
        return FetchedResponse(answer.status, answer.getheaders(), content)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if connection.was_cut or isinstance(error, TimeoutError):
            raise FetchFailed(f"No answer within {timeout:g} seconds.", timed_out=True) from error
        raise FetchFailed(f"No answer: {error or type(error).__name__}.") from error
    finally:
        alarm.cancel()
        connection.close()
