"""What one look found, and where the doctor was called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import requests

from devkit.hosts import connections
from devkit.hosts.choosing import Choice
from devkit.hosts.credentials import Credentials
from devkit.terminal.output import Mistake, Problem

State = Literal["ok", "skipped", "warning", "problem"]
"""`skipped`: there was nothing to look at, or no answer."""


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found, what helps, and a function that applies the help where that is safe."""

    state: State
    found: str
    cure: str = ""
    fix: Callable[[], object] | None = None
    fixed: bool = False

    def after_mending(self) -> Examination:
        """Return the same, with the remark that something was done."""
        return replace(self, found=f"{self.found} (fixed)", fixed=True)

    def as_json(self, name: str) -> dict[str, Any]:
        """Return what can be written down, with the name of what was looked at."""
        fields = asdict(replace(self, fix=None))
        return {"name": name, **fields, "fix": self.fix is not None}


class Place:
    """Where the doctor was called: a folder, and the host it knows."""

    def __init__(self, folder: Path, chosen: Choice) -> None:
        self.folder, self._chosen = folder, replace(chosen, quiet=True)

    @cached_property
    def known(self) -> Credentials | None:
        """The host and token a command would use here; None without any. Raises Mistake for a host there cannot be."""
        try:
            return self._chosen.credentials(str(self.folder))
        except Mistake:
            raise
        except Problem:
            return None

    @cached_property
    def answer(self) -> requests.Response | None:
        """The host's answer to whether it is up; None when it does not answer."""
        if self.known is None:
            return None
        try:
            return connections.get(f"{self.known.host}/healthz", timeout=5)
        except requests.RequestException:
            return None
