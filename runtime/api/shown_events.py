"""Events as their reader may see them: the only place where an event of the log becomes an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import MISSING

from runtime.api.call import CallView
from runtime.contract.event_descriptions import ending, subject
from runtime.contract.event_privacy import texts_of, withheld_payload, withheld_trace
from runtime.contract.events import Delivery, EventDetail, IntegrationEvent, KeptAnswer
from runtime.contract.masking import BY_SHAPE
from runtime.dispatch.deliveries import level_of
from runtime.dispatch.traces import trace_of
from runtime.store import event_lists, installed, searching
from runtime.store.epoch_cache import Basis
from runtime.store.tables.events import EventRow


def shown_events(view: CallView, rows: Sequence[EventRow]) -> list[IntegrationEvent]:
    """Serialize events; those for an installation that the actor may not read without its data."""
    foreign, basis = _foreign(view, rows), view.call.host.database.basis()
    return [_event(row, _payload(view, row, basis), withheld=row.installation_id in foreign) for row in rows]


def event_details(view: CallView, rows: Sequence[EventRow]) -> list[EventDetail]:
    """Show events with their traces and the bodies of their requests."""
    foreign, basis = _foreign(view, rows), view.call.host.database.basis()
    configured = _configured(view, {installation_id for installation_id in foreign if installation_id is not None})
    return [
        _detail(
            row,
            _payload(view, row, basis),
            row.installation_id in foreign,
            configured.get(row.installation_id or "", ()),
        )
        for row in rows
    ]


def _payload(view: CallView, row: EventRow, basis: Basis) -> dict[str, Any]:
    """Return the payload without secrets: finished events are stored without them, waiting ones with them.

    `basis` is of this moment: a stream's call is older than what was configured meanwhile, and must not be shown.
    """
    payload: dict[str, Any] = json.loads(row.payload)
    if row.state in ("delivered", "given-up"):
        return payload
    places = (row.integration_id, row.installation_id, payload.get("spaceId"), payload.get("siteId"))
    plan = view.call.host.plans.get(places, basis, lambda session: level_of(session, *places))
    masked: dict[str, Any] = json.loads((plan.masker if plan else BY_SHAPE).payload(row.payload))
    return masked


def _detail(row: EventRow, payload: dict[str, Any], withheld: bool, configured: Iterable[str]) -> EventDetail:
    trace = trace_of(row.trace)
    answer = trace.pop("answer", None) if trace is not None else None
    if trace is not None and withheld:
        left = set(texts_of(withheld_payload(payload)))
        private = {*texts_of(payload), *configured, *([row.body] if row.body else [])} - left
        trace = withheld_trace(trace, private)
    return EventDetail(
        event=_event(row, payload, withheld=withheld),
        trace=MISSING if trace is None else trace,
        body=MISSING if row.body is None or withheld else row.body,
        answer=MISSING if answer is None or withheld else KeptAnswer.model_validate(answer),
    )


def _foreign(view: CallView, rows: Sequence[EventRow]) -> set[str | None]:
    """Return the installations whose configuration the actor may not read: a person who is not an administrator there.

    Scripts read their own. An installation that is gone from the database is nobody's any more.
    """
    ids = {row.installation_id for row in rows if row.installation_id is not None}
    if view.reach.kind != "user" or not ids:
        return set()
    return {*(ids - installed.administered(view.session, view.reach, ids))}


def _configured(view: CallView, ids: set[str]) -> dict[str, set[str]]:
    """Return the texts of the configurations that installations have now, with their spaces and sites."""
    texts: dict[str, set[str]] = {}
    for installation_id, configuration in searching.configurations(view.session, ids):
        texts.setdefault(installation_id, set()).update(texts_of(configuration))
    return texts


def _event(row: EventRow, payload: dict[str, Any], *, withheld: bool) -> IntegrationEvent:
    waits = row.state in ("pending", "failed")
    shown = withheld_payload(payload) if withheld else payload
    return IntegrationEvent(
        id=row.id,
        integration_id=row.integration_id,
        installation_id=row.installation_id or MISSING,
        created_at=row.created_at,
        subject=subject(shown),
        payload=shown,
        status="success" if row.state == "delivered" else "failed",
        delivery=Delivery(
            state=row.state,  # type: ignore[arg-type]
            attempts=row.attempts,
            ending=ending(row.type, row.state, row.answer),
            next_attempt_at=event_lists.moment(row.due_at) if waits else MISSING,
            answer=MISSING if row.answer is None else row.answer,
            duration_ms=MISSING if row.duration_ms is None else row.duration_ms,
        ),
        withheld=True if withheld else MISSING,
    )
