"""Turns in the interpreter: few threads want to run at a time, and no organization's many keep another's few waiting.

Python runs one thread at a time. Each that wants to run as well wakes up again and again to ask for it, and a thread
that has waited for a system call stands behind all of them, several times in each request. With fifty such threads the
machine is busy with waking them, a thread that holds a lock which others need gets a fiftieth of the time, and an
organization with eight connections gets eight turns of nine. Here two threads of an organization want to run at a time,
and one where there are others that work; the rest sleep in a line. In it whoever began first is first: work that lets
its turn go several times, as a write does, would otherwise stand in the line as often. Only those go past it that hold
what others wait for, such as the lock of all writers.

A turn is a courtesy, not a lock: who keeps it for longer than `SLICE` no longer counts, so nobody waits for long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from types import TracebackType

AT_ONCE = 2
"""Threads of an organization that have a turn at a time while no other one works."""
BESIDE_OTHERS = 1
"""The same while others work: with two, a thread of another organization got the interpreter every third time."""
ALONE_AFTER = 1.0
"""Seconds after which an organization that began nothing more does not count as one that works."""
SLICE = 0.03
"""Seconds after which the next in the line goes on beside a thread that still computes, or waits for something.

More than a page or a list takes: with less, thirty readers had seven threads computing.
"""

_own = threading.local()


class InterpreterTurns:
    """Divides the interpreter among the threads of each organization; safe to use from many threads."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._lock = threading.Lock()
        self._active: dict[str, list[Turn]] = {}
        self._line: dict[str, list[tuple[float, int, threading.Lock, Turn]]] = {}  # each a heap, the oldest work first
        self._counted = 0  # tells apart what began in the same tick
        self._latest = ""  # the organization that asked last
        self._shared_until = 0.0

    def of(self, owner: str, part: str = "") -> Turn:
        """Give the context in which a thread works for an organization, or a part of it."""
        return Turn(self, owner, part)

    @contextmanager
    def lent(self, owner: str, part: str = "") -> Iterator[None]:
        """Have the calling thread work for an organization for a while, and then again for whom it worked before."""
        turn: Turn | None = getattr(_own, "turn", None)
        if turn is None:
            with self.of(owner, part):
                yield
            return
        before = turn.owner, turn.part
        turn.become(owner, part)
        try:
            yield
        finally:
            turn.become(*before)

    def take(self, turn: Turn, *, ahead: bool = False) -> None:
        """Wait for a turn; `ahead` is for who holds what others wait for, and waits for nobody."""
        owner = turn.owner
        turn.runs, turn.since = True, time.monotonic()
        with self._lock:
            if owner and owner != self._latest:
                self._shared_until = turn.since + ALONE_AFTER if self._latest else 0.0
                self._latest = owner
            active = self._active.get(owner)
            if active is None:
                self._active[owner] = [turn]
                return
            if ahead or (owner not in self._line and self._has_room(active, turn.since)):
                active.append(turn)
                return
            handed = threading.Lock()
            handed.acquire()
            line = self._line.setdefault(owner, [])
            self._counted += 1
            heappush(line, (turn.began, self._counted, handed, turn))
            patience = SLICE * (1 + len(line) // AT_ONCE)
        # Who gives a turn back hands it on. Where nobody does, those that wait look who has had theirs for too long:
        # not all of them all the time, since each look takes the interpreter from those that work.
        while not handed.acquire(timeout=patience):
            with self._lock:
                self._hand_on(owner)
                patience = SLICE * (1 + len(self._line.get(owner, ())) // AT_ONCE)

    def give(self, turn: Turn) -> None:
        """Give a turn back, or on to whoever of the organization that waits began first."""
        owner = turn.owner
        turn.runs = False
        with self._lock:
            active = self._active.get(owner)
            if active is not None and turn in active:  # else it was kept for too long
                active.remove(turn)
            if owner in self._line:
                self._hand_on(owner)
            elif not active:
                self._active.pop(owner, None)

    def _has_room(self, active: list[Turn], now: float) -> bool:
        """Tell whether one more may run; who has had a turn for too long counts no more."""
        most = BESIDE_OTHERS if now < self._shared_until else AT_ONCE
        if len(active) >= most:
            active[:] = [turn for turn in active if now - turn.since < SLICE]
        return len(active) < most

    def _hand_on(self, owner: str) -> None:
        """Give turns to who waits, as far as there are some; the lock is held."""
        now, active, line = time.monotonic(), self._active.setdefault(owner, []), self._line.get(owner)
        while line and self._has_room(active, now):
            _, _, handed, turn = heappop(line)
            turn.since = now
            active.append(turn)
            handed.release()
        if line is not None and not line:
            del self._line[owner]


class Turn:
    """Work of a thread for an organization; what it does within other such work is a part of that.

    `began` is when the work did, in monotonic seconds; `runs` tells whether it has a turn now, `since` when it got one.
    """

    __slots__ = ("_outer", "began", "owner", "part", "runs", "since", "turns")

    def __init__(self, turns: InterpreterTurns, owner: str, part: str) -> None:
        self.turns, self.owner, self.part = turns, owner, part
        self.runs, self.since, self.began = False, 0.0, 0.0

    def __enter__(self) -> Turn:
        self._outer: Turn | None = getattr(_own, "turn", None)
        if self._outer is None:
            _own.turn = self
            self.began = time.monotonic()
            self.turns.take(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._outer is None:
            _own.turn = None
            self.turns.give(self)

    def become(self, owner: str, part: str) -> None:
        """Go on for this organization, once it is known whose work it is."""
        if self._outer is None and (owner, part) != (self.owner, self.part):
            ran = self.runs
            self.turns.give(self)
            self.owner, self.part = owner, part
            if ran:
                self.turns.take(self)


def owner_at_work() -> tuple[str, str] | None:
    """Tell for which organization, and which part of it, the calling thread works.

    None for a thread that works for no organization, or for all of them.
    """
    turn: Turn | None = getattr(_own, "turn", None)
    return None if turn is None else (turn.owner, turn.part)


class Waiting:
    """Lets the turn of the calling thread go while it waits for something; does nothing in a thread without one."""

    __slots__ = ("_turn",)
    _ahead = False

    def __enter__(self) -> None:
        turn: Turn | None = getattr(_own, "turn", None)
        if turn is not None and turn.runs:
            turn.turns.give(turn)
            self._turn: Turn | None = turn
        else:
            self._turn = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        turn = self._turn
        if turn is not None:
            turn.turns.take(turn, ahead=self._ahead)


class WaitingForLock(Waiting):
    """The same for what one thread has at a time: who has got it must not wait behind those that want it."""

    __slots__ = ()
    _ahead = True
