"""Events as their reader may see them: the only place where an event of the log becomes an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from typing import Any

from pydantic import MISSING

from runtime.api.call import CallView
from runtime.contract.event_descriptions import ending, subject
from runtime.contract.event_privacy import pieces_of, texts_of, withheld_payload, withheld_trace
from runtime.contract.events import Delivery, EventDetail, IntegrationEvent, KeptAnswer
from runtime.contract.masking import BY_SHAPE
from runtime.dispatch.deliveries import level_of
from runtime.dispatch.planning import Plan
from runtime.dispatch.traces import BODY_KEPT, CONFIGURED, trace_of
from runtime.store import event_lists, installed
from runtime.store.epoch_cache import Basis
from runtime.store.tables.events import EventRow


def shown_events(view: CallView, rows: Sequence[EventRow]) -> list[IntegrationEvent]:
    """Serialize events; those for an installation that the actor may not read without its data."""
    foreign, basis = _foreign(view, rows), view.call.host.database.basis()
    return [_event(row, _payload(view, row, basis), withheld=row.installation_id in foreign) for row in rows]


def event_details(view: CallView, rows: Sequence[EventRow]) -> list[EventDetail]:
    """Show events with their traces and the bodies of their requests."""
    foreign, basis = _foreign(view, rows), view.call.host.database.basis()
    return [
        _detail(
            row,
            _payload(view, row, basis),
            withheld=row.installation_id in foreign,
            configured=_configured(view, row, basis) if row.installation_id in foreign else frozenset(),
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
    plan = _plan(view, row, payload, basis)
    masked: dict[str, Any] = json.loads((plan.masker if plan else BY_SHAPE).payload(row.payload))
    return masked


def _plan(view: CallView, row: EventRow, payload: dict[str, Any], basis: Basis) -> Plan | None:
    places = (row.integration_id, row.installation_id, payload.get("spaceId"), payload.get("siteId"))
    return view.call.host.plans.get(places, basis, lambda session: level_of(session, *places))


def _configured(view: CallView, row: EventRow, basis: Basis) -> Set[str]:
    """Return the texts of today's configuration where an event was; those of its own time are in its trace.

    Earlier releases did not write them there.
    """
    plan = _plan(view, row, json.loads(row.payload), basis)
    return plan.configured if plan is not None else frozenset()


def _detail(row: EventRow, payload: dict[str, Any], *, withheld: bool, configured: Set[str]) -> EventDetail:
    trace = trace_of(row.trace)
    answer = trace.pop("answer", None) if trace is not None else None
    then = trace.pop(CONFIGURED, ()) if trace is not None else ()
    body_kept = trace is None or trace.pop(BODY_KEPT, True)
    if trace is not None and withheld:
        left = set(texts_of(withheld_payload(payload)))
        pieces = pieces_of(payload, row.body) if body_kept else None
        trace = withheld_trace(trace, ({*then, *configured} | pieces) - left if pieces is not None else None)
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
