"""The live stream of an integration's events: whoever follows sees each as soon as an attempt has ended (extension).

The table is read, not a queue in memory: events of every serving process are seen, and who comes back after a break, or
after a restart of the host, goes on where the stream ended.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import partial
from queue import Empty, Queue
from typing import Any

from flask import Flask, Response, request

from runtime.api.call import Call
from runtime.api.families.integrations import event_details
from runtime.api.host import Host
from runtime.api.mount import parse
from runtime.api.permission import member, own
from runtime.api.permitting import permit
from runtime.api.resolve import resolve
from runtime.contract import errors
from runtime.contract.events import EventStreamQuery
from runtime.dispatch.announcing import Announcement
from runtime.engines.frames import LEVELS
from runtime.store import searching
from runtime.store.tables.events import EventRow

NEEDS = own(member("admin", of="owner"))
LOOK_EVERY = 0.5
"""Seconds between two looks at the table; events of this process are seen at once."""
OVERLAP = 3.0
"""Seconds that are read again each time: what ended first may be committed last."""
BEAT = 5.0
"""Seconds of silence after which the stream says that it is still there, and asks whether its reader still may."""
BATCH = 200
REMEMBERED = 20_000
MOST_SEARCHED = 1000
"""Past events among which those are looked for that pass a filter of level or text."""


def mount_event_stream(app: Flask, host: Host) -> None:
    """Add the stream of each integration."""
    rule = "/v1/integrations/<integrationName>/events/stream"
    app.add_url_rule(rule, "event stream", partial(_stream, host), methods=("GET",))


def _stream(host: Host, **path: str) -> Response:
    call = _enter(host, path)
    query = parse(EventStreamQuery, query=request)
    assert isinstance(query, EventStreamQuery)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    authorization = request.headers.get("Authorization")
    return Response(_Following(call, query, authorization).lines(), 200, headers, mimetype="text/event-stream")


def _enter(host: Host, path: dict[str, str]) -> Call:
    epoch = host.database.epoch()
    call = Call(host, host.authenticator.actor(request.headers.get("Authorization"), epoch), path, epoch)
    with host.database.transaction(writes=False) as session:
        call.opened = session
        resolve(call, ("integrationName",), frozenset())
        permit(call, NEEDS)
        call.opened = None
    return call


class _Following:
    """One reader of one integration's events."""

    def __init__(self, call: Call, query: EventStreamQuery, authorization: str | None) -> None:
        self._call, self._query, self._authorization = call, query, authorization
        self._integration = call.integration
        self._seen: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._cursor = time.time() if query.after is None else query.after

    def lines(self) -> Iterator[bytes]:
        """Write events as they end; ends when the host stops, or its reader may no longer see them."""
        host = self._call.host
        with host.announcer.listen(self._integration.name) as queue:
            yield b": connected\n\n"
            yield from self._past()
            if not self._query.follow:
                return
            spoke = time.monotonic()
            while True:
                wrote = False
                for line in self._new():
                    yield line
                    wrote = True
                if wrote:
                    spoke = time.monotonic()
                elif time.monotonic() - spoke > BEAT:
                    if not self._still_may():
                        return
                    yield b": still here\n\n"
                    spoke = time.monotonic()
                if not _wait(queue):
                    return

    def _still_may(self) -> bool:
        try:
            self._call.host.authenticator.actor(self._authorization, self._call.host.database.epoch())
        except errors.Unauthorized:
            return False
        return True

    def _past(self) -> Iterator[bytes]:
        """Write the last events before now; what an earlier stream already told comes from there on instead."""
        if not self._query.last or self._query.after is not None:
            return
        self._call.host.recorder.flush()
        searched = self._query.text or self._query.level
        many = MOST_SEARCHED if searched else self._query.last
        with self._call.host.database.transaction(writes=False) as session:
            found = searching.last_ended(session, self._integration.id, self._query, many)
            self._call.opened = session
            lines = list(self._written(found))[-self._query.last :]
            self._call.opened = None
        yield from lines

    def _new(self) -> Iterator[bytes]:
        after = (self._cursor - OVERLAP, 0)
        while True:
            with self._call.host.database.transaction(writes=False) as session:
                found = searching.ended(session, self._integration.id, self._query, after, BATCH)
                self._call.opened = session
                lines = list(self._written(found))
                self._call.opened = None
            yield from lines
            if len(found) < BATCH:
                return
            after = (found[-1].ended_at or 0.0, found[-1].seq)

    def _written(self, found: Sequence[EventRow]) -> Iterator[bytes]:
        """Write those that were not seen yet and pass the filters."""
        fresh = [row for row in found if (row.id, row.attempts) not in self._seen]
        for row, detail in zip(fresh, event_details(self._call, fresh), strict=True):
            self._seen[row.id, row.attempts] = None
            self._cursor = max(self._cursor, row.ended_at or 0.0)
            told = detail.model_dump(mode="json", by_alias=True)
            if self._passes(told):
                yield f"event: event\nid: {row.ended_at:.6f}\ndata: {json.dumps(told)}\n\n".encode()
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)

    def _passes(self, told: dict[str, Any]) -> bool:
        query, trace = self._query, told.get("trace") or {}
        logs = trace.get("logs", ())
        if query.event is not None and told["event"]["id"] != query.event:
            return False
        if query.level is not None:
            least = LEVELS.index(query.level)
            if not any(LEVELS.index(line["level"]) >= least for line in logs) and not (trace.get("fault")):
                return False
        if query.text is None:
            return True
        texts = [told["event"]["payload"]["type"], *(line["message"] for line in logs)]
        texts.append((trace.get("fault") or {}).get("message", ""))
        return any(query.text.casefold() in text.casefold() for text in texts)


def _wait(queue: Queue[Announcement | None]) -> bool:
    """Wait until an event has ended here, or it is time to look; tells whether the host goes on."""
    until = time.monotonic() + LOOK_EVERY
    try:
        told = queue.get(timeout=LOOK_EVERY)
        while told is not None and told.kind != "event":  # a new version, say: whoever saves waits for the screen now
            told = queue.get(timeout=max(0.0, until - time.monotonic()))
        while told is not None:
            told = queue.get_nowait()
    except Empty:
        return True
    return False
