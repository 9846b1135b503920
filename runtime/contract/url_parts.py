"""The parts of an address that anybody may have written."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit

LONGEST_AUTHORITY = 1000
"""Characters of the part that names the host. Where they are not ASCII, Python puts them into a normal form; that takes
the square of their number and holds the interpreter meanwhile, for 20,000 combining characters three seconds."""
_AUTHORITY = re.compile(r"[\x00-\x20]*(?:[^:/?#]*:)?//([^/?#]*)")
_DROPPED = str.maketrans("", "", "\t\r\n")
"""Characters that `urlsplit` leaves out before it looks for slashes."""


def split_url(url: str) -> SplitResult:
    """Split an address as `urlsplit` does; raises ValueError as that does, and where the authority of one that is
    not ASCII is longer than `LONGEST_AUTHORITY`.
    """
    _refuse_long_authority(url)
    return urlsplit(url)


def join_url(base: str, url: str) -> str:
    """Join an address with one that may be relative to it as `urljoin` does; raises ValueError as `split_url` does."""
    _refuse_long_authority(base)
    _refuse_long_authority(url)
    return urljoin(base, url)


def _refuse_long_authority(url: str) -> None:
    if not url.isascii():
        authority = _AUTHORITY.match(url.translate(_DROPPED))
        if authority is not None and len(authority[1]) > LONGEST_AUTHORITY:
            raise ValueError(
                f"the part of the address that names the host is too long, with over {LONGEST_AUTHORITY} characters"
            )
