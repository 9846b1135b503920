"""Tells what a command is at, on a terminal; nothing where nobody looks."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.status import Status


class Progress:
    """One line that changes, gone when the work is done. A context manager."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        visible = console.is_terminal and sys.stdout.isatty()
        self._status = Status("", console=console) if visible else None

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def at(self, step: str) -> None:
        """Tell the step that begins."""
        if self._status is not None:
            self._status.update(f"{step} …")
