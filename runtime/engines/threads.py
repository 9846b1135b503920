"""Threads where the system may refuse another one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def run_beside(name: str, work: Callable[P, object], *arguments: P.args, **options: P.kwargs) -> None:
    """Run `work` in a thread of its own, or in this one if the system refuses another."""
    thread = threading.Thread(target=work, args=arguments, kwargs=options, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        work(*arguments, **options)
