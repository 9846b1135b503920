"""Transactional outbox: events are committed with the change that causes them.

The exception is an integration with so many waiting events (`queue.HARD_MAX_WAITING`, or so many bytes of them) that
none could be delivered in time anyway: events that would exceed that are dropped. If one change causes several for it
and they do not all fit, all of them are dropped.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.events import EVENTS
from runtime.contract.identifiers import new_id
from runtime.dispatch.matching import matching, why_not
from runtime.store import queue
from runtime.store.database import now
from runtime.store.installed import Installed
from runtime.store.tables.installations import InstallationRow

_log = logging.getLogger(__name__)

WAKE = "dispatcher should look"
MAX_CHANGES = 10
CHANGES_WINDOW = 10.0
"""A script that changes its configuration in its setup handler causes the next event by itself. All of these are
delivered, but at most this many per installation in this many seconds; the others wait."""
WARN_EVERY = 600.0
"""Seconds between two log lines about the full queue of an integration."""
_warned: dict[str, float] = {}
"""When this process last logged that the queue of an integration is full, by its id; in monotonic seconds. Never
emptied: few integrations ever have a full queue."""


def emit(
    session: Session,
    kind: str,
    candidates: Sequence[Installed],
    fields: dict[str, Any],
    *,
    space_id: str | None = None,
    site_id: str | None = None,
    count: int = 1,
    has_room: bool = False,
) -> tuple[list[str], str | None]:
    """Write an event for every installation that it matches.

    Visitors may cause any number of events: for those, it leaves out integrations with too many events waiting already.
    `has_room` says that the caller has checked that there is room. Returns the ids of the events and, where nothing
    matched, the reason of the last candidate.
    """
    matched = matching(EVENTS[kind], candidates, space_id=space_id, site_id=site_id)
    place = {"spaceId": space_id} if space_id else {}
    place |= {"siteId": site_id} if site_id else {}
    rows = [
        _row(kind, candidate.integration_id, candidate.installation_id, {**place, **fields})
        for candidate in matched
        for _ in range(count)
    ]
    full = set[str]()
    if EVENTS[kind].by_visitors:
        full = queue.full(session, rows)
    elif not has_room:
        full = _overfull(session, rows)
    rows = [row for row in rows if row["integration_id"] not in full]
    add(session, rows)
    if matched:
        return [row["id"] for row in rows], None
    reasons = [why_not(EVENTS[kind], candidate, space_id=space_id, site_id=site_id) for candidate in candidates]
    return [], reasons[-1] if reasons else "there is no installation that could receive it"


def emit_to(session: Session, kind: str, installation: InstallationRow, *fields: dict[str, Any]) -> None:
    """Write an event with each of these fields for one installation, whatever its status.

    They are left out if too many are waiting (see above); their ids are not returned, since they may not exist.
    """
    _insert_if_room(session, *(_row(kind, installation.integration_id, installation.id, one) for one in fields))


def emit_deletion(session: Session, kind: str, installation: InstallationRow, *fields: dict[str, Any]) -> None:
    """Write events like `emit_to`, behind all of the installation: a script that has cleaned up is not set up again."""
    queue.hold_no_longer(session, installation.id)
    emit_to(session, kind, installation, *fields)


def emit_change(session: Session, kind: str, installation: InstallationRow, fields: dict[str, Any]) -> None:
    """Write the event for a change of an installation's configuration, like `emit_to`; it may be held back.

    It is held back if there were too many changes recently.
    """
    row = _row(kind, installation.integration_id, installation.id, fields)
    due = queue.next_slot(session, installation.id, most=MAX_CHANGES, window=CHANGES_WINDOW)
    row["held"] = 0.0 if due is None else max(0.0, due - row["due_at"])
    row["due_at"] += row["held"]
    _insert_if_room(session, row)


def task_row(integration_id: str, task: dict[str, Any], delay: float) -> dict[str, Any]:
    """Make the row of a task of an integration that is due in `delay` seconds; `add` writes it."""
    row = _row("task", integration_id, None, {"task": task})
    row["due_at"] += delay
    row["lane"] = row["id"]  # tasks run concurrently, only events of an installation are ordered
    return row


def add(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows for which there is room."""
    if rows:
        queue.add(session, rows)
        session.info[WAKE] = True


def _row(kind: str, integration_id: str, installation_id: str | None, fields: dict[str, Any]) -> dict[str, Any]:
    event_id = new_id()
    payload: dict[str, Any] = {"eventId": event_id, "type": kind}
    if installation_id is not None:
        payload["installationId"] = installation_id
    text = encoded({**payload, **fields})
    return {
        "id": event_id,
        "integration_id": integration_id,
        "installation_id": installation_id,
        "lane": installation_id or event_id,
        "type": kind,
        "source": "visitors" if EVENTS[kind].by_visitors else None,
        "payload": text.decode(),
        "size": len(text),
        "state": "pending",
        "attempts": 0,
        "due_at": time.time(),
        "created_at": now(),
    }


def encoded(payload: dict[str, Any]) -> bytes:
    """Encode a payload in UTF-8; one with an unpaired surrogate, which UTF-8 cannot encode, is escaped to ASCII."""
    try:
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(payload, separators=(",", ":")).encode()


def _insert_if_room(session: Session, *events: dict[str, Any]) -> None:
    if not _overfull(session, events):
        add(session, events)


def _overfull(session: Session, rows: Sequence[dict[str, Any]]) -> set[str]:
    """Return the integrations with so many waiting events that none of these is added, and log it now and then."""
    full = queue.overfull(session, rows)
    moment = time.monotonic()
    for integration_id in full:
        if moment - _warned.get(integration_id, -WARN_EVERY) < WARN_EVERY:
            continue
        _warned[integration_id] = moment
        _log.warning(
            "%d events about changes were dropped for the integration %s: more than %d, or more than %d MB of them, "
            "would be waiting (logged at most every 10 minutes)",
            sum(row["integration_id"] == integration_id for row in rows),
            integration_id,
            queue.HARD_MAX_WAITING,
            queue.HARD_MAX_WAITING_BYTES >> 20,
        )
    return full
