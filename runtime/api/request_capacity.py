"""The threads and other scarce parts of a serving process, divided among those who call it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TypeVar

from sqlalchemy.exc import TimeoutError as NoConnection

from runtime.api.anonymous_lanes import STRANGERS
from runtime.contract import errors
from runtime.engines.costly_turns import CostlyTurns
from runtime.engines.interpreter_turns import InterpreterTurns, Waiting, owner_at_work
from runtime.engines.shares import NoneLeft, Shares, Turns, WaitingShares
from runtime.store.database import CONNECTION_WAIT, CONNECTIONS

Body = TypeVar("Body")

SLOW_SECONDS = 0.05
"""Whatever took longer on behalf of a caller, such as the arrival of a body, may have ended after they lost rights."""
BODY_WAIT, BODY_LOOK = 0.1, 0.01
"""Seconds that a request waits until its body may be read, and between two looks: most bodies are there at once."""
READERS, READERS_WAITING, READER_SECONDS = 2, 4, 10.0
LINKS_WAITING = 12
"""Requests of an organization that wait to list links; each holds a connection of the database meanwhile."""
COPIES_WAITING, COPY_SECONDS = 8, 10.0
"""Copies of spaces of an organization that wait for the one that is made, and for how long."""
ANONYMOUS = ""
"""The owner that scarce resources are accounted to if a request names no organization and no person."""


class RequestCapacity:
    """The threads that handle requests, divided among organizations, with a reserve for health, metrics and the API.

    `calls` wait for a script or a developer's machine, `streams` are followed for as long as somebody likes, `bodies`
    are read from slow senders. A quarter is reserved for requests that need none of these; half of it may wait until
    their bodies are read, for `BODY_WAIT` seconds. `readers` are processes that parse long texts for an organization.
    `turns` are for the interpreter that all threads share, `pages` limit how many long pages of sites are written at a
    time, `links` how many lists of links are made, `copies` how many spaces are copied, `connections` are those
    of the database; some of them are reserved for the host's own threads.
    """

    def __init__(self, threads: int) -> None:
        """Take the number of threads in one process."""
        self.calls = Shares(max(2, threads // 2))
        self.streams = Shares(max(2, threads // 8))
        self.bodies = Shares(max(2, threads // 8))
        self._waiting_bodies = Shares(max(2, threads // 8))
        self.readers = Turns(READERS, READERS_WAITING, READER_SECONDS)
        self.turns = InterpreterTurns()
        self.pages = CostlyTurns(max(2, threads // 4))
        self.links = CostlyTurns(LINKS_WAITING)
        self.copies = Turns(1, COPIES_WAITING, COPY_SECONDS)
        self.connections = WaitingShares(CONNECTIONS * 3 // 4, CONNECTION_WAIT)
        self._reading = threading.local()

    def stream(self, owner: str, begin: Callable[[], Iterator[bytes]], part: str = "") -> Iterable[bytes]:
        """Begin a stream that a reader follows, for its owner; raises Unavailable if too many are open."""
        if not self.streams.enter(owner, part):
            raise errors.Unavailable("Too many streams are open; close one, or try again later.")
        try:
            return self.streams.held_by(owner, part, begin())
        except BaseException:
            self.streams.leave(owner, part)
            raise

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Hold a database connection for the organization that this thread works for; raises as the pool does."""
        at_work = owner_at_work()
        if at_work is None:
            yield
            return
        with ExitStack() as held:
            owner, part = at_work
            whose = (ANONYMOUS, owner) if owner.startswith(STRANGERS) else (owner, part)
            try:
                held.enter_context(self.connections.place(*whose, Waiting))
            except NoneLeft:
                raise NoConnection("an organization has as many connections as it may") from None
            yield

    def read(self, owner: str, body: Callable[[], Body], part: str = "", *, again: Callable[[], object]) -> Body:
        """Read a body, which may arrive slowly; raises Unavailable if the owner has too many in progress.

        `again` decides anew what was decided before: it is called if waiting and reading took more than `SLOW_SECONDS`,
        since the sender, who decides when it ends, may have lost their rights meanwhile. Raises what it raises.
        """
        began = time.monotonic()
        if not (self.bodies.enter(owner, part) or self._may_read_soon(owner, part)):
            raise errors.Unavailable("Too many request bodies are being received; try again in a moment.")
        held = self._holds_place()
        self._reading.holds_place = True
        try:
            try:
                with Waiting():
                    return body()
            finally:
                self._reading.holds_place = held
                self.bodies.leave(owner, part)
        finally:
            if time.monotonic() - began > SLOW_SECONDS:
                again()

    def _may_read_soon(self, owner: str, part: str) -> bool:
        """Wait up to `BODY_WAIT` seconds for a slot; False if none came free, or too many of the owner wait already."""
        until = time.monotonic() + BODY_WAIT
        with suppress(NoneLeft), self._waiting_bodies.place(owner, part), Waiting():
            while time.monotonic() < until:
                time.sleep(BODY_LOOK)
                if self.bodies.enter(owner, part):
                    return True
        return False

    @contextmanager
    def holding_place(self) -> Iterator[None]:
        """Let the calling thread read a body in a slot that it already holds."""
        before, self._reading.holds_place = self._holds_place(), True
        try:
            yield
        finally:
            self._reading.holds_place = before

    def _holds_place(self) -> bool:
        return getattr(self._reading, "holds_place", False)

    def read_piece(self, body: Callable[[], Body]) -> Body:
        """Read a piece of a body in the slot that the thread holds, otherwise in one of `ANONYMOUS`.

        Raises Unavailable as `read` does.
        """
        return body() if self._holds_place() else self.read(ANONYMOUS, body, again=lambda: None)
