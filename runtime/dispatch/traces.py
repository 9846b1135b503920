"""Traces as they are stored and shown: with secrets masked, and limits next to the usage."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from runtime.contract.event_privacy import found_in, texts_of
from runtime.contract.invocation import Limits, LogLine, Subrequest, Trace
from runtime.contract.masking import Masker
from runtime.contract.timestamps import wire_time

Masked = Callable[[str], str]
CONFIGURED = "configured"
"""Field of a stored trace: what it has of a configuration that the integration's owner must not read."""
BODY_KEPT = "bodyKept"
"""Field of a stored trace: False if the request had a body that is not stored, so that nobody knows what is in it."""
MAX_BODY = 64 * 1024
"""Bytes of a request's body that are kept."""


def trace_text(
    trace: Trace,
    limits: Limits,
    masker: Masker,
    created: datetime,
    seconds: float,
    unrecorded: int = 0,
    answer: dict[str, Any] | None = None,
    ended: float | None = None,
    configured: Iterable[str] = (),
    body_kept: bool = True,
) -> str:
    """Return the trace of an event as the JSON text that is stored.

    `created` is when the event was created, `seconds` how long its call took until the answer, `unrecorded` how many
    calls of the same installation before it were counted and not written, `answer` what an endpoint answered, masked;
    `ended` is when all was over, in epoch seconds, None for now. `configured` are the texts of a configuration that
    readers of the integration's organization must not see (`Plan.configured`); those in the trace are kept with it,
    since the configuration may change before it is read. `body_kept` tells whether a body of the request is stored.
    """
    since = created.timestamp()
    texts = [line.message for line in trace.logs]
    texts += [f"{subrequest.url} {subrequest.refused}" for subrequest in trace.subrequests]
    # Searching all of them at once costs less than each one, and usually there is nothing to mask.
    quiet = not texts or masker.quiet("\n".join(texts))
    text, url = (_as_it_is, _as_it_is) if quiet else (masker.text, masker.url)
    trace_shown: dict[str, Any] = {
        "logs": [_log(line, text) for line in trace.logs],
        "subrequests": [_subrequest(subrequest, text, url, since) for subrequest in trace.subrequests],
        "usage": {
            "wallMs": round(trace.usage.wall * 1000, 3),
            "cpuMs": round(trace.usage.cpu * 1000, 3),
            "memoryBytes": trace.usage.memory,
            "subrequests": trace.usage.subrequests,
            "logBytes": trace.usage.log,
            "responseBytes": trace.usage.response,
        },
        "limits": _limits(limits),
        "moments": _moments(trace, since, seconds, time.time() if ended is None else ended),
    }
    if trace.fault is not None:
        fault = {key: value for key, value in asdict(trace.fault).items() if value is not None}
        trace_shown["fault"] = {
            key: masker.text(value) if isinstance(value, str) else value for key, value in fault.items()
        }
    if trace.failure is not None:
        trace_shown["failure"] = asdict(trace.failure)
    if configured and (found := found_in(configured, texts_of(trace_shown))):
        trace_shown[CONFIGURED] = found
    if not body_kept:
        trace_shown[BODY_KEPT] = False
    if answer is not None:
        trace_shown["answer"] = answer
    if unrecorded:
        trace_shown["unrecorded"] = unrecorded
    written = _written(trace_shown)
    return _NUL.sub(r"\1", written) if "\\u0000" in written else written


def trace_of(text: str | None) -> dict[str, Any] | None:
    """Read a stored trace; None if there is none, or if an earlier release stored invalid JSON."""
    try:
        trace: dict[str, Any] | None = json.loads(text) if text else None
    except ValueError:
        return None
    return trace


# Created once: creating one costs as much as writing a trace.
_written = json.JSONEncoder(separators=(",", ":")).encode
_NUL = re.compile(r"(\\\\)|\\u0000")
"""Finds U+0000 in JSON, and each escaped backslash: what follows one is text."""


def recorded_body(body: bytes | None, masker: Masker) -> str | None:
    """Return the body of a request as it is stored for replays; None if it is too long or not text."""
    if body is None or len(body) > MAX_BODY or b"\x00" in body:
        return None
    try:
        return masker.body(body.decode())
    except UnicodeDecodeError:
        return None


@lru_cache(maxsize=16)
def _limits(limits: Limits) -> dict[str, Any]:
    return {
        "wallMs": limits.wall * 1000,
        "cpuMs": limits.cpu * 1000,
        "memoryBytes": limits.memory,
        "subrequests": limits.subrequests,
        "logBytes": limits.log,
        "responseBytes": limits.response,
    }


def _moments(trace: Trace, since: float, seconds: float, ended: float) -> dict[str, float]:
    """Return the moments of a call, in milliseconds since the event was created: sent, begun, answered, ended."""
    moments = [("sentMs", trace.sent), ("beganMs", trace.began), ("answeredMs", trace.sent + seconds)]
    return {name: _after(since, moment) for name, moment in [*moments, ("endedMs", ended)] if moment}


def _after(since: float, moment: float) -> float:
    # The clock of the machine may have been set back in between.
    return round(max(0.0, moment - since) * 1000, 3)


def _moment(timestamp: float) -> str:
    return wire_time(datetime.fromtimestamp(min(max(timestamp, 0), 253402300799), UTC))


def _as_it_is(text: str) -> str:
    return text


def _log(line: LogLine, text: Masked) -> dict[str, str]:
    return {"timestamp": _moment(line.timestamp), "level": line.level, "message": text(line.message)}


def _subrequest(subrequest: Subrequest, text: Masked, url: Masked, since: float) -> dict[str, Any]:
    return {
        "startMs": _after(since, subrequest.timestamp),
        "timestamp": _moment(subrequest.timestamp),
        "method": subrequest.method,
        "url": url(subrequest.url),
        "status": subrequest.status,
        "durationMs": round(subrequest.duration_ms, 3),
        "refused": text(subrequest.refused) if subrequest.refused else subrequest.refused,
    }
