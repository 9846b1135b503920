"""How far from this machine a server is, so that a host cannot name one that answers this machine or network alone."""

from __future__ import annotations

import ipaddress
import socket
import threading
from enum import IntEnum
from types import TracebackType

from urllib3.exceptions import HTTPError

from runtime.contract.public_addresses import is_public

_own = threading.local()
_SHARED = ipaddress.IPv4Network("100.64.0.0/10")  # inside the networks of carriers (RFC 6598), and of some VPNs


class Distance(IntEnum):
    """Where a server is, as seen from this machine."""

    THIS_MACHINE = 0
    PRIVATE_NETWORK = 1
    INTERNET = 2


class TooNear(HTTPError):
    """A server is nearer than may be asked."""


class NoNearerThan:
    """Refuses connections of the calling thread to servers that are nearer than `distance`, with TooNear.

    What counts is the address that is connected to, before anything is sent there: what a name resolves to may change
    from one moment to the next.
    """

    def __init__(self, distance: Distance) -> None:
        self._distance = distance

    def __enter__(self) -> None:
        self._before: Distance | None = getattr(_own, "least", None)
        _own.least = self._distance

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _own.least = self._before


def checked(connection: socket.socket, host: str) -> Distance:
    """Return how far a connection leads that has just been made; raises TooNear, and closes it, if it may not."""
    distance = distance_of(connection)
    least: Distance | None = getattr(_own, "least", None)
    if least is not None and distance < least:
        connection.close()
        raise TooNear(host)
    return distance


def distance_of(connection: socket.socket) -> Distance:
    """Return how far the other end of a connection is."""
    text = str(connection.getpeername()[0])
    if text == connection.getsockname()[0]:
        return Distance.THIS_MACHINE  # by its public address
    return distance_of_address(text)


def distance_of_address(text: str) -> Distance:
    """Return how far an IP address is, as far as it tells by itself."""
    if is_public(text):
        return Distance.INTERNET
    address = ipaddress.ip_address(text)
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or address.is_unspecified or address.is_link_local:
        return Distance.THIS_MACHINE
    # At the other special addresses, clouds and routers answer requests of this machine alone.
    within = address.is_private or address in _SHARED
    return Distance.PRIVATE_NETWORK if within else Distance.THIS_MACHINE
