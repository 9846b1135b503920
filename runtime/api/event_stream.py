"""The live stream of an integration's events: whoever follows sees each as soon as an attempt has ended (extension).

The table is read, not a queue in memory: events of every serving process are seen, and who comes back after a break, or
after a restart of the host, goes on where the stream ended.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from queue import Empty, Queue
from typing import Any

from flask import Flask, Response, request
from sqlalchemy.orm import Session

from runtime.api.call import Call
from runtime.api.counting import counted_as
from runtime.api.described_streams import EVENTS
from runtime.api.entrance import admit_alone
from runtime.api.families.integrations import INTEGRATION
from runtime.api.host import Host
from runtime.api.permission import Gate, member, own
from runtime.api.requests import parse_query
from runtime.api.server_sent_events import CONNECTED, STILL_HERE, stream, written
from runtime.api.shown_events import event_details
from runtime.api.stream_access import StreamAccess
from runtime.contract import errors
from runtime.contract.batches import batched
from runtime.contract.events import EventDetail, EventStreamQuery
from runtime.dispatch.announcing import Announcement
from runtime.engines.frames import LEVELS
from runtime.store import event_lists
from runtime.store.event_lists import Ended
from runtime.store.rows import Reach
from runtime.store.tables.events import EventRow
from runtime.store.tables.integrations import IntegrationRow

GATE = Gate(EVENTS.name, (INTEGRATION,), own(member("admin")))
LOOK_EVERY = 0.5
"""Seconds between two looks at the table; events of this process are seen at once."""
OVERLAP = 3.0
"""Seconds that are read again each time: what ended first may be committed last."""
BEAT = 5.0
"""Seconds of silence after which the stream says that it is still there."""
BATCH, AT_ONCE = 200, 10
"""Events that are listed at once, and those that are read with what they did: each may have 200 KB of logs and more."""
REMEMBERED = 20_000
MAX_SEARCHED = 1000
"""Past events among which those are looked for that pass a filter of level or text."""


def mount_event_stream(app: Flask, host: Host) -> None:
    """Add the stream of each integration."""
    app.add_url_rule(EVENTS.rule, "event stream", partial(_stream, host), methods=(EVENTS.method,))


def _stream(host: Host, **path: str) -> Response:
    counted_as(request.environ, GATE.name)
    reader = _Reader(host, path)
    query = parse_query(EventStreamQuery, request.args.lists())
    return stream(host, reader.integration.organization_id, lambda: _Following(reader, query).lines())


class _Reader:
    """Who follows an integration: the call as which its events are shown, as long as its rights hold."""

    def __init__(self, host: Host, path: dict[str, str]) -> None:
        self._followed: str | None = None
        self._access = StreamAccess(host, request.headers.get("Authorization"), path, self._admit)

    @property
    def call(self) -> Call:
        """The call as it was admitted last."""
        return self._access.call

    @property
    def integration(self) -> IntegrationRow:
        """The integration that is followed."""
        return _integration(self.call)

    def holds(self) -> bool:
        """Tell whether the reader still may, and note what it may see by now."""
        return self._access.holds()

    def _admit(self, call: Call) -> None:
        admit_alone(call, GATE)
        if self._followed not in (None, _integration(call).id):
            raise errors.NotFound  # another integration of the same name is no continuation
        self._followed = _integration(call).id


def _integration(call: Call) -> IntegrationRow:
    row = call.named.rows[INTEGRATION.name]
    assert isinstance(row, IntegrationRow)
    return row


class _Gone(Exception):
    """The reader lost the right to the stream."""


class _Following:
    """One reader of one integration's events."""

    def __init__(self, reader: _Reader, query: EventStreamQuery) -> None:
        self._reader, self._query = reader, query
        self._host, self._integration = reader.call.host, reader.integration
        self._seen: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._cursor = time.time() if query.after is None else query.after

    def lines(self) -> Iterator[bytes]:
        """Write events as they end; ends when the host stops, or its reader may no longer see them."""
        with self._host.announcer.listen(self._integration.name) as queue, self._followed(), suppress(_Gone):
            yield CONNECTED
            yield from self._past()
            if not self._query.follow:
                return
            spoke = time.monotonic()
            while True:
                self._still_held()
                for lines in self._new():
                    yield from lines
                    if lines:
                        spoke = time.monotonic()
                if time.monotonic() - spoke > BEAT:
                    yield STILL_HERE
                    spoke = time.monotonic()
                if not _wait(queue):
                    return

    def _followed(self) -> AbstractContextManager[None]:
        """Have every call written down from here on; past events are shown as they were."""
        return self._host.followers.follow(self._integration.id) if self._query.follow else nullcontext()

    @property
    def _reach(self) -> Reach:
        return self._reader.call.actor.reach

    def _past(self) -> Iterator[bytes]:
        """Write the last events before now; what an earlier stream already told comes from there on instead.

        What ended before the stream began and is not among them counts as told: the first look for new ones overlaps.
        """
        if self._query.after is not None:
            return
        with self._at_work():
            self._host.recorder.flush()
            # Before the last ones: what is committed between the two is told, as a past event or as a new one.
            recent = self._ended_just_before() if self._query.follow else []
            found = self._last()
        chosen = self._passing(found) if self._searches else found
        told = {(one.id, one.attempts) for one in chosen}
        self._seen.update((one, None) for one in recent if one not in told)
        for some in batched(chosen[::-1], AT_ONCE):
            yield from self._whole(some)

    def _last(self) -> list[Ended]:
        """List the past events that are wanted, or those among which they are looked for."""
        if not self._query.last:
            return []
        many = MAX_SEARCHED if self._searches else self._query.last
        with self._host.database.transaction(writes=False) as session:
            return event_lists.last_ended(session, self._reach, self._integration.id, self._query, many)

    def _ended_just_before(self) -> list[tuple[str, int]]:
        """List what ended before the stream began, as far back as the first look for new events goes."""
        began = self._cursor
        after = (began - OVERLAP, 0)
        with self._host.database.transaction(writes=False) as session:
            found = event_lists.ended(session, self._reach, self._integration.id, self._query, after, REMEMBERED)
        return [(one.id, one.attempts) for one in found if one.ended_at <= began]

    def _passing(self, found: Sequence[Ended]) -> list[Ended]:
        """Give as many of the last events as are wanted that pass the filters of level and text, the last one first."""
        chosen: list[Ended] = []
        for some in batched(found, AT_ONCE):
            with self._at_work(), self._host.database.transaction(writes=False) as session:
                rows = event_lists.whole_events(session, self._reach, some)
                details = self._details(session, rows)
                passing = {row.id for row, one in zip(rows, details, strict=True) if self._passes(_shown(one))}
            chosen += [one for one in some if one.id in passing]
            if len(chosen) >= self._query.last:
                break
        return chosen[: self._query.last]

    def _new(self) -> Iterator[list[bytes]]:
        """Read what ended since, in pieces; the last one may be empty."""
        after = (min(self._cursor, time.time()) - OVERLAP, 0)  # where the clock was set back, events end earlier now
        while True:
            with self._at_work(), self._host.database.transaction(writes=False) as session:
                found = event_lists.ended(session, self._reach, self._integration.id, self._query, after, BATCH)
            for some in batched([one for one in found if (one.id, one.attempts) not in self._seen], AT_ONCE):
                yield self._whole(some)
            if len(found) < BATCH:
                return
            after = (found[-1].ended_at, found[-1].seq)

    def _whole(self, some: Sequence[Ended]) -> list[bytes]:
        with self._at_work(), self._host.database.transaction(writes=False) as session:
            return self._written(session, event_lists.whole_events(session, self._reach, some))

    def _at_work(self) -> AbstractContextManager[object]:
        """Read and compute for the organization that follows, with a part of its connections."""
        actor = self._reader.call.actor
        return self._host.capacity.turns.of(actor.owner, actor.part)

    @property
    def _searches(self) -> bool:
        return bool(self._query.text or self._query.level)

    def _written(self, session: Session, found: Sequence[EventRow]) -> list[bytes]:
        """Write those that were not seen yet and pass the filters, as the reader may see them now."""
        fresh = [row for row in found if (row.id, row.attempts) not in self._seen]
        lines = []
        for row, detail in zip(fresh, self._details(session, fresh), strict=True):
            self._seen[row.id, row.attempts] = None
            self._cursor = max(self._cursor, row.ended_at or 0.0)
            shown = _shown(detail)
            if self._passes(shown):
                lines.append(written("event", shown, f"{row.ended_at:.6f}"))
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return lines

    def _details(self, session: Session, fresh: Sequence[EventRow]) -> list[EventDetail]:
        """Show events as the reader may see them when they are written, not when the last ones were; raises _Gone."""
        shown = None
        while True:
            self._still_held()
            if shown is not None and shown[0] is self._reader.call:
                return shown[1]
            call = self._reader.call
            shown = call, event_details(call.view(session), fresh)

    def _still_held(self) -> None:
        """Look whether the reader still may; raises _Gone."""
        if not self._reader.holds():
            raise _Gone

    def _passes(self, told: dict[str, Any]) -> bool:
        query, trace = self._query, told.get("trace") or {}
        logs = trace.get("logs", ())
        if query.event is not None and told["event"]["id"] != query.event:
            return False
        if query.level is not None:
            if told["event"]["delivery"]["ending"] == "not-handled":
                return False  # a runtime's own words about a handler that nobody wrote
            least = LEVELS.index(query.level)
            if not any(LEVELS.index(line["level"]) >= least for line in logs) and not (trace.get("fault")):
                return False
        if query.text is None:
            return True
        texts = [told["event"]["payload"]["type"], told["event"]["subject"], *(line["message"] for line in logs)]
        texts.append((trace.get("fault") or {}).get("message", ""))
        return any(query.text.casefold() in text.casefold() for text in texts)


def _shown(detail: EventDetail) -> dict[str, Any]:
    return detail.model_dump(mode="json", by_alias=True)


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
