"""One call from its invocation to its outcome and its trace, over a connection that a pool lends."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from runtime.contract.invocation import Failure, Invocation, Outcome, Trace, TraceSink
from runtime.engines import frames
from runtime.engines.call_state import CallState, CallStopped, failed, over, stopped_at
from runtime.engines.connection import CallConnection
from runtime.engines.engine import AnswerCut, ScriptRefused, ScriptTooLarge
from runtime.engines.interpreter_turns import Waiting
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.threads import run_beside

_log = logging.getLogger(__name__)

Connection = TypeVar("Connection", bound=CallConnection)

_JSON = ("content-type", "application/json")
_ERROR = b'{"error":"Internal server error"}'


class PoolBusy(Exception):
    """No connection became free in time."""

    def __init__(self) -> None:
        super().__init__("no process became free in time; try again in a moment")


class ProcessBroken(Exception):
    """A process could not be set up; no line of a script has run."""


class Pool(Protocol[Connection]):
    """Lends connections on which a script is loaded."""

    def take(self, invocation: Invocation, state: CallState) -> Connection:
        """Return a connection whose call has begun.

        Raises `PoolBusy`, `SandboxUnavailable`, `ProcessBroken`, `ScriptRefused`, `CallStopped`.
        """

    def give(self, connection: Connection) -> None:
        """Return a connection after a call."""

    def drop(self, connection: Connection) -> None:
        """Close a connection that can no longer be used."""


class Caller(Generic[Connection]):
    """Makes calls over the connections of one pool; safe to use from many threads."""

    def __init__(self, pool: Pool[Connection], unknown: str) -> None:
        """Take what an author can do where nobody knows at which line a script was stopped for its time."""
        self._pool, self._unknown = pool, unknown

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call a script; see `Engine`."""
        state = CallState(invocation.limits, (invocation.organization, invocation.script.integration))
        try:
            with Waiting():
                connection = self._pool.take(invocation, state)
        except PoolBusy:
            failure = Failure("overload", "The integration is busy: no process became free in time.")
            return self.fail(state, failure, done)
        except (SandboxUnavailable, ProcessBroken) as error:
            _log.error("no process could be started: %s", error)
            return self.fail(state, Failure("unreachable", "The integration's process could not be started."), done)
        except CallStopped as stopped:
            return self.fail(state, stopped.failure, done)
        except ScriptTooLarge:
            return self.fail(state, over("script", invocation.limits), done)
        except ScriptRefused as refused:
            state.trace.fault = refused.fault
            _report(done, state.trace)
            return Outcome(500, [_JSON], _ERROR, fault=refused.fault)
        try:
            outcome, flags = connection.call(invocation)
            if not flags:
                connection.end()
        except CallStopped as stopped:
            self.drop(connection)
            return self.fail(state, stopped.failure, done)
        except BaseException:
            self.drop(connection)
            raise
        if not flags:
            self._pool.give(connection)
            _report(done, state.trace)
        elif flags & frames.STREAMED:
            deferred = bool(flags & frames.DEFERRED)
            outcome.body = _Streamed(self, connection, state, done, deferred=deferred)
        else:
            state.deadline = time.monotonic() + state.limits.wall
            self._finish_later(connection, state, done)
        return outcome

    def fail(self, state: CallState, failure: Failure, done: TraceSink) -> Outcome:
        """Record a call that ended without an answer."""
        state.trace.failure = failure
        state.trace.fault = state.trace.fault or stopped_at(failure, state.place, self._unknown)
        usage = state.trace.usage
        usage.wall = usage.wall or time.monotonic() - state.started
        state.note("error", failure.message)
        _report(done, state.trace)
        outcome = failed(failure)
        outcome.fault = state.trace.fault
        return outcome

    def drop(self, connection: Connection) -> None:
        """Close a connection whose call failed."""
        try:
            connection.end()
        except CallStopped:  # its reason is known already
            pass
        self._pool.drop(connection)

    def finish(self, connection: Connection, state: CallState, done: TraceSink) -> None:
        """Wait for the work after the answer, then return the connection."""
        try:
            connection.finish()
            connection.end()
        except CallStopped as stopped:
            self.drop(connection)
            self.fail(state, stopped.failure, done)
        else:
            self._pool.give(connection)
            _report(done, state.trace)

    def _finish_later(self, connection: Connection, state: CallState, done: TraceSink) -> None:
        run_beside("after-answer", self.finish, connection, state, done)

    def finish_streamed(self, connection: Connection, state: CallState, done: TraceSink, *, deferred: bool) -> None:
        """End a call whose last chunk was read; work after the answer continues in a separate thread."""
        now = time.monotonic()
        state.trace.usage.wall = now - state.started
        state.deadline = now + state.limits.wall
        if deferred:
            self._finish_later(connection, state, done)
        else:
            self.finish(connection, state, done)


class _Streamed(Generic[Connection]):
    """A body that is streamed while the script writes it; closing it early closes the connection."""

    def __init__(
        self, caller: Caller[Connection], connection: Connection, state: CallState, done: TraceSink, *, deferred: bool
    ) -> None:
        self._caller = caller
        self._connection = connection
        self._flight = state
        self._done: TraceSink | None = done
        self._deferred = deferred

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._done is None:
            raise StopIteration
        try:
            chunk = self._connection.chunk()
        except CallStopped as stopped:
            self._stop(stopped.failure)
            raise AnswerCut(stopped.failure) from stopped
        if chunk is not None:
            return chunk
        done, self._done = self._done, None
        self._caller.finish_streamed(self._connection, self._flight, done, deferred=self._deferred)
        raise StopIteration

    def close(self) -> None:
        """Discard the rest."""
        if self._done is not None:
            self._stop(Failure("unreachable", "The reader disconnected before the end of the answer."))

    def __del__(self) -> None:
        # In a thread of its own: the collector may run this while the pool's lock is held.
        if self._done is not None:
            threading.Thread(target=_Streamed.close, args=(self,), daemon=True).start()

    def _stop(self, failure: Failure) -> None:
        done, self._done = self._done, None
        if done is not None:
            self._caller.drop(self._connection)
            self._caller.fail(self._flight, failure, done)


def _report(done: TraceSink, trace: Trace) -> None:
    try:
        done(trace)
    except Exception:
        _log.exception("the trace of a call could not be stored")
