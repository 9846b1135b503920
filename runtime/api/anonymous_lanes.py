"""The queues in which requests of unknown senders wait, separate from all others, by network address.

Who sends a token that is not remembered may be anybody: a member whose first request this is, or somebody who makes
tokens up. The lines of strangers are few, so that many addresses take no more of the interpreter than a few
organizations, and all of them together have the part of one in what is counted.
"""

from __future__ import annotations

import hashlib
from ipaddress import IPv4Address, IPv6Address, ip_address
from wsgiref.types import WSGIEnvironment

from runtime.store.fair_memory import FairMemory

LANES = 8
"""Lines of strangers: whoever sends much from one address makes an eighth of the others wait."""
STRANGERS = "strangers "
"""Begins the name of each, which no organization's id does."""

HEAVIEST, BYTES_OF_ONE = 8_000_000, 400
"""Limit, in bytes, of what was sent before and led somewhere; and about how many bytes each of it takes."""
Whose = tuple[str, str]
"""An organization, and the integration of it whose part something is; "" for none."""


class KnownOwners:
    """The organization that a cookie, a site or an address belonged to when somebody without a token named it last.

    It grants nothing. What is made up is not among it, so whoever sends that waits among strangers while it is
    looked up, and keeps nobody else waiting. Safe to use from many threads.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: FairMemory[bytes, Whose] = FairMemory(HEAVIEST)

    def whose(self, *sent: str) -> Whose | None:
        """Tell whose it was; None for what led nowhere, or was not sent yet."""
        return self._kept.peek(_digest(sent))

    def note(self, whose: Whose | None, *sent: str) -> None:
        """Remember whose it is; None for what leads nowhere, or does so no longer."""
        key = _digest(sent)
        known = self._kept.peek(key)
        if whose is None and known is not None:
            self._kept.drop(key)
        elif whose is not None and whose != known:
            self._kept.keep(key, whose, whose[0], BYTES_OF_ONE)


def _digest(sent: tuple[str, ...]) -> bytes:
    return hashlib.sha256("\0".join(sent).encode("utf-8", "surrogatepass")).digest()


def lane_of(environ: WSGIEnvironment) -> str:
    """Name the line of who sends a request, one of a few; somebody who lies about their network chooses among them."""
    return f"{STRANGERS}{hash(network_of(environ)) % LANES}"


def network_of(environ: WSGIEnvironment) -> str:
    """Name the network of who sends a request: its address, of which those of one network of IPv6 (/64) count as one.

    Where another server passes requests on, which then has an address that is not public, the last address counts
    that it says.
    """
    peer = _address(environ.get("REMOTE_ADDR", ""))
    if peer is None or not peer.is_global:
        peer = _address(environ.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()) or peer
    return str(int(peer) >> 64 if isinstance(peer, IPv6Address) else peer)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
