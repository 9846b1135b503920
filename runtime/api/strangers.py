"""In which line somebody waits of whom nothing is known yet: apart from all others, by where they come from.

Who sends a token that is not remembered may be anybody: a member whose first request this is, or somebody who makes
tokens up. The lines of strangers are few, so that many addresses take no more of the interpreter than a few
organizations, and all of them together have the part of one in what is counted.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address
from wsgiref.types import WSGIEnvironment

LANES = 8
"""Lines of strangers: whoever sends much from one address makes an eighth of the others wait."""
STRANGERS = "strangers "
"""Begins the name of each, which no organization's id does."""


def lane_of(environ: WSGIEnvironment) -> str:
    """Name the line of who sends a request; addresses of one network of IPv6 (/64) count as one.

    Where another server passes requests on, which then has an address that is not public, the last address counts
    that it says. Somebody who lies about that has a choice of lines, and nothing else.
    """
    peer = _address(environ.get("REMOTE_ADDR", ""))
    if peer is None or not peer.is_global:
        peer = _address(environ.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()) or peer
    network = int(peer) >> 64 if isinstance(peer, IPv6Address) else peer
    return f"{STRANGERS}{hash(str(network)) % LANES}"


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
