"""The dev tunnel engine: a call goes to a developer's machine (docs/contract/scripts.md, "The request")."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Iterator

from runtime.contract.invocation import (
    Failure,
    Invocation,
    Limits,
    LoadReport,
    LogLine,
    Outcome,
    Script,
    Trace,
    TraceSink,
)
from runtime.engines.dev_tunnel.messages import TunnelCall
from runtime.engines.dev_tunnel.relay import DeveloperAway, LineBroken, LineBusy, Relay
from runtime.engines.egress import EgressRefused, EgressRules, FetchedResponse, FetchFailed, fetch
from runtime.engines.response_headers import passable
from runtime.engines.shares import NoneLeft, WaitingShares

_log = logging.getLogger(__name__)

_STATUS = {"timeout": 504, "unreachable": 502, "limit": 502, "overload": 503}


class DevTunnelEngine:
    """Calls the script at `Invocation.tunnel_url`; the `Engine` protocol. Its logs stay on that machine."""

    def __init__(self, rules: EgressRules, relay: Relay | None = None, most_calls: int = 64) -> None:
        """Take the egress rules for other tunnels, this machine's relay, and the number of concurrent calls."""
        self._rules = rules
        self._relay = relay
        self._shares = WaitingShares(most_calls, Limits().wall)
        self._in_flight = threading.BoundedSemaphore(most_calls)  # as many as the shares have: `close` waits for all
        self._most_calls = most_calls
        self._closed = False

    def check(self, script: Script, organization: str = "") -> LoadReport:
        """Report nothing: the code is on the developer's machine."""
        return LoadReport()

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call the script; see `Engine`."""
        trace = Trace()
        started = time.monotonic()
        outcome = self._call(invocation, trace)
        trace.usage.wall = time.monotonic() - started
        trace.failure = outcome.failure
        trace.usage.response = len(outcome.body) if isinstance(outcome.body, bytes) else 0
        try:
            done(trace)
        except Exception:
            _log.exception("the trace of a call could not be stored")
        return outcome

    def retire(self, version: str) -> None:
        """Do nothing: no process belongs to a version."""

    def ready(self) -> bool:
        """Return whether a call would be accepted now."""
        return not self._closed

    def close(self) -> None:
        """Stop accepting calls and wait for those in flight."""
        if not self._closed:
            self._closed = True
            for _ in range(self._most_calls):
                self._in_flight.acquire()

    def _call(self, invocation: Invocation, trace: Trace) -> Outcome:
        limits = invocation.limits
        if not invocation.tunnel_url:
            return _failed(Failure("unreachable", "The integration has no development tunnel."))
        deadline = time.monotonic() + limits.wall
        whose = invocation.organization, invocation.script.integration
        try:
            with self._shares.place(*whose, seconds=limits.wall):
                if self._closed or not self._in_flight.acquire(blocking=False):
                    return _failed(Failure("overload", "The host is being stopped; try again in a moment."))
                try:
                    trace.began = time.time()
                    got = self._send(invocation, invocation.tunnel_url, deadline)
                finally:
                    self._in_flight.release()
        except NoneLeft:
            return _failed(Failure("overload", "Too many calls through development tunnels are in progress."))
        except EgressRefused as error:
            _note(trace, f"{invocation.tunnel_url}: {error}")
            return _failed(
                Failure("unreachable", "The address of the integration's development tunnel is not allowed.")
            )
        except DeveloperAway as error:
            return _failed(Failure("unreachable", str(error)))
        except LineBusy as error:
            return _failed(Failure("overload", str(error)))
        except FetchFailed as error:
            _note(trace, f"{invocation.tunnel_url}: {error}")
            return _failed(_failure(error, limits.wall, limits.response))
        return Outcome(got.status, passable(got.headers)[0], got.body)

    def _send(self, invocation: Invocation, base: str, deadline: float) -> FetchedResponse:
        """Send a call through this machine's relay, or to an address elsewhere."""
        limits = invocation.limits
        left = deadline - time.monotonic()
        if left <= 0:
            raise FetchFailed("No time was left for the call.", timed_out=True)
        content_type, body = encode_parts(invocation)
        headers = {"Content-Type": content_type}
        tunnel = self._relay.tunnel_of(base) if self._relay is not None else None
        if self._relay is None or tunnel is None:
            url = base.rstrip("/") + "/v1"
            return fetch(self._rules, "POST", url, headers, body, left, max_bytes=limits.response)
        call = TunnelCall("POST", "/v1", list(headers.items()), iter([body]))
        try:
            answer = self._relay.call(tunnel, call, left, in_all=True)
            return FetchedResponse(answer.status, answer.headers, _bounded(answer.body, limits.response))
        except TimeoutError as error:
            raise FetchFailed("The developer's machine did not answer in time.", timed_out=True) from error
        except LineBusy:
            raise
        except LineBroken as error:
            raise FetchFailed(str(error)) from error


def _bounded(body: Iterator[bytes], most: int) -> bytes:
    """Read a whole body; raises `FetchFailed` when it is larger than `most` bytes."""
    whole = bytearray()
    for piece in body:
        whole += piece
        if len(whole) > most:
            raise FetchFailed(f"The answer is larger than {most} bytes.", too_large=True)
    return bytes(whole)


def encode_parts(invocation: Invocation) -> tuple[str, bytes]:
    """Return content type and body of a dispatch request; a fetch body is a file part, to keep its bytes."""
    boundary = f"part-{secrets.token_hex(16)}"
    parts = [
        ('name="event"', "", invocation.event),
        ('name="environment"', "", invocation.environment),
    ]
    if invocation.fetch_body is not None:
        kind = "Content-Type: application/octet-stream\r\n"
        parts.append(('name="fetch-body"; filename="fetch-body"', kind, invocation.fetch_body))
    pieces = []
    for name, kind, content in parts:
        pieces.append(f"--{boundary}\r\nContent-Disposition: form-data; {name}\r\n{kind}\r\n".encode())
        pieces.append(content)
        pieces.append(b"\r\n")
    pieces.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(pieces)


def _failure(error: FetchFailed, wall: float, response: int) -> Failure:
    if error.timed_out:
        return Failure("timeout", f"The integration took longer than the limit of {wall:g} seconds.", "wall")
    if error.too_large:
        return Failure("limit", f"The integration answered more than the limit of {response} bytes.", "response")
    return Failure("unreachable", "The integration's development tunnel did not answer.")


def _note(trace: Trace, text: str) -> None:
    """Log details for the author, which the public failure does not contain."""
    trace.logs.append(LogLine(time.time(), "error", text))


def _failed(failure: Failure) -> Outcome:
    return Outcome(_STATUS[failure.kind], [], b"", failure)
