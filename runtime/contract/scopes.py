"""Which scope a script's token needs for which operation, for whoever must know without asking a host.

What the host serves is written by `make openapi` from what its operations need (docs/contract/api.md, "Scopes").
"""

from __future__ import annotations

import re
from typing import NamedTuple

from runtime.contract.integrations import Scope
from runtime.contract.served_scopes import SERVED


class ScopedCall(NamedTuple):
    """An operation, by its name in the contract and by its address, and the scope it needs."""

    name: str
    method: str
    path: str
    scope: Scope


CALLS: tuple[ScopedCall, ...] = tuple(ScopedCall(*call) for call in SERVED)
_PARAMETER = re.compile(r"\\\{\w+\\\}")
_PATTERNS = [(one, re.compile(_PARAMETER.sub("[^/]+", re.escape(one.path)))) for one in CALLS]


def call_at(method: str, path: str) -> ScopedCall | None:
    """Find the operation at an address such as `/v1/spaces/abc`; None where it needs no scope, or is not known."""
    return next((call for call, pattern in _PATTERNS if call.method == method and pattern.fullmatch(path)), None)
