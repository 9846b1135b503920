"""The events of an integration: what was delivered, with its trace, and events sent by hand."""

from __future__ import annotations

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.integrations import INTEGRATION
from runtime.api.operation import Family
from runtime.api.permission import member, own
from runtime.api.resource import Resource
from runtime.api.shown_events import event_details, shown_events
from runtime.contract.events import (
    EVENTS,
    EventDetail,
    EventQuery,
    IntegrationEvent,
    TriggeredEvents,
    TriggerEvent,
)
from runtime.services import disk_room, triggering
from runtime.store import event_lists
from runtime.store.cursors import Order
from runtime.store.rows import Conditions
from runtime.store.tables.events import EventRow
from runtime.store.tables.integrations import IntegrationRow

EVENT = Resource(
    "event",
    EventRow,
    at="events/{eventId}",
    within=INTEGRATION,
    parent_column="integration_id",
    level_source=INTEGRATION.level_source,
    model=IntegrationEvent,
    serialize=shown_events,
    order=(Order(EventRow.seq, descending=True),),
)
EVENT_WITH_TRACE = EVENT.shown_as(EventDetail, event_details)

integration_events = Family("Integrations", EVENT)

READERS = own(member("admin"))


@integration_events.list(f"GET {EVENT.collection}", EVENT, needs=READERS, recorded=True)
def list_integration_events(call: Call, integration: IntegrationRow, query: EventQuery) -> Conditions:
    """List the events of an integration, newest first."""
    return event_lists.events(integration.id, query)


@integration_events.operation(f"GET {EVENT.path}", EVENT_WITH_TRACE, needs=READERS)
def get_integration_event(call: Call, event: EventRow) -> EventRow:
    """Get an event with its trace."""
    return event


@integration_events.operation(
    f"POST {EVENT.collection}",
    TriggeredEvents,
    needs=member("admin"),
    status=202,
    own_transaction=True,
    also=("429",),
)
def trigger_integration_event(call: Call, integration: IntegrationRow, body: TriggerEvent) -> TriggeredEvents:
    """Send an event by hand to the owner's installations of an integration (extension)."""
    host = call.host
    disk_room.enforce_on(host.database.storage)
    kind = triggering.kind_of(body)
    if EVENTS[kind].waits:
        caller = triggering.EventCaller(host.database, host.plans, host.invoker)
        return caller.call(integration, kind, body)
    candidates = host.candidates.of(integration.organization_id, integration.id, call.basis)
    with host.database.transaction(writes=True) as session:
        ids, reason = triggering.trigger(session, integration, kind, body, candidates)
    host.dispatcher.wake()
    return TriggeredEvents(events=ids, reason=reason or MISSING)
