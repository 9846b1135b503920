"""A system that refuses another thread."""

from __future__ import annotations

import threading

import pytest


def refuse(patch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """Refuse threads of these names; gives the list to which each one that was asked for is added."""
    asked: list[str] = []
    start = threading.Thread.start

    def refused(thread: threading.Thread) -> None:
        if thread.name in names:
            asked.append(thread.name)
            raise RuntimeError("can't start new thread")
        start(thread)

    patch.setattr(threading.Thread, "start", refused)
    return asked
