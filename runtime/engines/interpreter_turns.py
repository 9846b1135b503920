"""Turns in the interpreter, so that the many threads of one organization stand behind each other, not before others.

Python runs one thread at a time. A thread that has waited for a system call stands behind all that want to run, several
times in each request: beside eight connections of one organization everybody else gets one turn of nine. Here two
threads of an organization want to run at a time, while other organizations ask as well; the rest sleep.

A turn is a courtesy, not a lock: whoever has waited for `PATIENCE` goes on without one, so nothing can wait forever.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from types import TracebackType

AT_ONCE = 2
CROWDED_SECONDS = 1.0
"""How long after two organizations asked in turn they still count as asking at the same time."""
PATIENCE = 0.05

_own = threading.local()


class InterpreterTurns:
    """Divides the interpreter among organizations; safe to use from many threads."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._lock = threading.Lock()
        self._active: dict[str, int] = {}
        self._line: dict[str, deque[threading.Lock]] = {}
        self._last, self._changed = "", -CROWDED_SECONDS

    def of(self, owner: str, part: str = "") -> _Turn:
        """Give the context in which a thread works for an organization, or a part of it."""
        return _Turn(self, owner, part)

    def take(self, owner: str) -> None:
        """Wait for a turn, at most `PATIENCE` seconds."""
        with self._lock:
            if owner != self._last:
                self._last, self._changed = owner, time.monotonic()
            active = self._active.get(owner, 0)
            if active < AT_ONCE or time.monotonic() - self._changed > CROWDED_SECONDS:
                self._active[owner] = active + 1
                return
            handed = threading.Lock()
            handed.acquire()
            self._line.setdefault(owner, deque()).append(handed)
        if not handed.acquire(timeout=PATIENCE):
            self._go_without(owner, handed)

    def give(self, owner: str) -> None:
        """Give a turn back, or on to whoever of the organization has waited longest."""
        with self._lock:
            active = self._active[owner]
            if active <= AT_ONCE and owner in self._line:
                self._line[owner].popleft().release()
                self._forget_line(owner)
            elif active == 1:
                del self._active[owner]
            else:
                self._active[owner] = active - 1

    def _go_without(self, owner: str, handed: threading.Lock) -> None:
        with self._lock:
            if handed in self._line.get(owner, ()):  # else the turn came in the last moment
                self._line[owner].remove(handed)
                self._forget_line(owner)
                self._active[owner] += 1

    def _forget_line(self, owner: str) -> None:
        if not self._line[owner]:
            del self._line[owner]


class _Turn:
    """Work of a thread for an organization; what it does within other such work is a part of that."""

    __slots__ = ("_outer", "_turn")

    def __init__(self, turns: InterpreterTurns, owner: str, part: str) -> None:
        self._turn = (turns, owner, part)

    def __enter__(self) -> None:
        self._outer = getattr(_own, "turn", None)
        if self._outer is None:
            turns, owner, _ = _own.turn = self._turn
            turns.take(owner)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._outer is None:
            turns, owner, _ = self._turn
            _own.turn = None
            turns.give(owner)


def owner_at_work() -> tuple[str, str] | None:
    """Tell for which organization, and which part of it, the calling thread works.

    None for a thread that works for no organization, or for all of them.
    """
    turn: tuple[InterpreterTurns, str, str] | None = getattr(_own, "turn", None)
    return None if turn is None else turn[1:]


class WaitingForScript:
    """Lets the turn of the calling thread go for a while; does nothing in a thread without one."""

    __slots__ = ("_turn",)

    def __enter__(self) -> None:
        self._turn: tuple[InterpreterTurns, str, str] | None = getattr(_own, "turn", None)
        if self._turn is not None:
            turns, owner, _ = self._turn
            turns.give(owner)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._turn is not None:
            turns, owner, _ = self._turn
            turns.take(owner)
