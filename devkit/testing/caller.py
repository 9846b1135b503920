"""What a test needs of whatever runs a script: one call in, one answer out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from devkit.testing.fake_api import FakeApi
from runtime.contract.invocation import LogLine, ScriptFault


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended; `fault` is the error nobody expected, `error` the exception itself where it is at hand."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    logs: list[LogLine] = field(default_factory=list)
    fault: ScriptFault | None = None
    error: BaseException | None = None


class Caller(Protocol):
    """Runs a project's script: in this process, or in its engine."""

    def call(self, event: Mapping[str, Any], environment: Mapping[str, Any], body: bytes | None, api: FakeApi) -> Ended:
        """Send an event and wait until all work for it is done."""
