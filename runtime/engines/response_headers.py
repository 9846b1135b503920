"""Which headers of a script's answer may be passed on."""

from __future__ import annotations

import re

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.1
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
# About the connection, not the answer; the host's server writes its own.
_OF_THE_CONNECTION = frozenset(
    ("connection", "keep-alive", "proxy-connection", "transfer-encoding", "content-length", "te", "trailer", "upgrade")
)

Headers = list[tuple[str, str]]


def passable(headers: Headers) -> tuple[Headers, list[str]]:
    """Return the headers that may be passed on, and the names of those that are not valid HTTP."""
    passed: Headers = []
    left_out: list[str] = []
    for pair in headers:
        name, value = pair
        if _NAME.fullmatch(name) is None or _VALUE.fullmatch(value) is None:
            left_out.append(name)
        elif name.lower() not in _OF_THE_CONNECTION:
            passed.append(pair)
    return passed, left_out
