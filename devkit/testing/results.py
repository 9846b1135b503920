"""What a test gets back of a call: the answer, what was logged, what was queued."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from devkit.offline.answers import ReadableAnswer
from runtime.contract.invocation import LogLine


@dataclass(frozen=True, slots=True)
class Queued:
    """A task the script queued; `schedule` is the seconds it was put off for."""

    task: dict[str, Any]
    schedule: int = 0


@dataclass(frozen=True, slots=True)
class Result(ReadableAnswer):
    """How a call ended. `headers` have lower-case names, of repeated ones the last; `tasks` are those it queued."""

    status: int
    headers: dict[str, str]
    body: bytes
    logged: list[LogLine] = field(default_factory=list)
    tasks: list[Queued] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the status is below 400."""
        return self.status < 400

    @property
    def logs(self) -> list[str]:
        """The lines the script wrote, without their levels; `logged` has those."""
        return [line.message for line in self.logged]

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def location(self) -> str | None:
        """Where a redirect leads, None if there is no redirect."""
        return self.headers.get("location")
