"""Origins for what scripts send: one for each integration, site and tunnel below a wildcard, or one for all of them."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from runtime.contract.url_parts import split_url

OriginKind = Literal["integration", "site", "space", "tunnel"]
WILDCARD = "*."
LONGEST_LABEL, DIGEST = 63, 20
"""Characters of a DNS label (RFC 1035), and how many of them make it unique: 100 bits."""
NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*")
AUTHORITY = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?", re.IGNORECASE)
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Authority:
    """A host name in lower case, and a port; the name is empty where none could be read."""

    name: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Return whether this is the machine itself by an address or by `localhost`."""
        if self.name == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.name.strip("[]")).is_loopback
        except ValueError:
            return False


UNREGISTERED = (".localhost", ".local", ".internal")
"""Ends of names that nobody has on the public network: RFC 6761, RFC 6762, and what ICANN keeps for private use."""


def leads_anywhere(name: str) -> bool:
    """Tell whether whoever has a name decides where it leads, also to this machine; an address leads where it says."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        name = name.rstrip(".")
        return not name or ("." in name and not name.endswith(UNREGISTERED))
    return False


def authority(text: str, scheme: str) -> Authority:
    """Read a `Host` header, or what stands between `//` and `/` of an address."""
    match = AUTHORITY.fullmatch(text)
    return Authority(match[1].lower(), int(match[2] or PORTS[scheme])) if match else Authority("", 0)


def authority_of(url: str) -> Authority:
    """Return the authority of an address."""
    parts = split_url(url)
    return authority(parts.netloc, parts.scheme)


@lru_cache(maxsize=4096)
def label(kind: OriginKind, identity: str) -> str:
    """Return the DNS label of an integration (by name), a site, a space or a tunnel (by id).

    Names and ids are not labels: they are longer, and differ by capitals and by signs that no label holds. What can be
    read comes first, a digest of the whole makes it that one's alone. Two hyphens in a row would be taken for a
    name in another script (RFC 5891, section 4.2.3.1).
    """
    digest = base64.b32encode(hashlib.sha256(f"{kind}:{identity}".encode()).digest()).decode().lower()[:DIGEST]
    words = identity if kind == "integration" else kind
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower())[: LONGEST_LABEL - DIGEST - 1].strip("-")
    return f"{slug}-{digest}" if slug else digest


def is_wildcard(url: str) -> bool:
    """Return whether an origin stands for one of their own for everybody."""
    return split_url(url).netloc.startswith(WILDCARD)


def below(wildcard: str, kind: OriginKind, identity: str) -> str:
    """Return the origin of one below a wildcard."""
    return wildcard.replace("*", label(kind, identity), 1)


def read_content_origin(text: str) -> str:
    """Check an origin for content, and give it as it is used; raises ValueError with what to write instead."""
    url = text.strip().rstrip("/")
    try:
        parts = split_url(url)
        port = parts.port
    except ValueError:
        raise ValueError("write `https://*.content.example`, with a port from 1 to 65535 if there is one") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("write `https://*.content.example`, with `https://` or `http://` in front")
    if parts.path or parts.query or parts.fragment or parts.username is not None or "?" in url or "#" in url:
        raise ValueError("an origin is a scheme, a name and optionally a port: remove everything else")
    netloc = parts.netloc.lower()
    name = parts.hostname
    if "*" in netloc:
        name = name.removeprefix(WILDCARD)
        if not netloc.startswith(WILDCARD) or "*" in name:
            raise ValueError("`*` may appear once, as the first label of the name: `https://*.content.example`")
        if "." not in name and name != "localhost":
            raise ValueError(f"`*.{name}` would include names that belong to others; use a domain of your own below it")
        if not NAME.fullmatch(name) or name.rpartition(".")[2].isdecimal():
            raise ValueError(f"`{name}` is not a domain name: write ASCII letters, digits, hyphens and dots")
        if len(name) > 253 - LONGEST_LABEL - 1:
            raise ValueError(f"the domain is longer than {253 - LONGEST_LABEL - 1} characters")
    elif authority(netloc, parts.scheme).name == "":
        raise ValueError(f"`{netloc}` is not a host name")
    if port == 0:
        raise ValueError("the port must be between 1 and 65535")
    return f"{parts.scheme}://{netloc}"
