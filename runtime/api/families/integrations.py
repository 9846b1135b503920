"""Integrations: publishing them, finding them, their events, their development mode."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import ANYBODY_WITH_A_TOKEN, INTEGRATION_ONLY, USER, member, own
from runtime.api.shown_events import event_details, shown_events
from runtime.contract import errors
from runtime.contract.base import ListOf
from runtime.contract.events import (
    EVENTS,
    EventDetail,
    EventQuery,
    IntegrationEvent,
    TriggeredEvents,
    TriggerEvent,
)
from runtime.contract.integrations import (
    DevelopmentMode,
    Integration,
    IntegrationQuery,
    PublishIntegration,
    QueueTask,
    ShownDevelopmentMode,
)
from runtime.contract.organizations import reaches
from runtime.dispatch import objects, outbox
from runtime.services import publishing, triggering
from runtime.store import rows, searching, tunnels, versions
from runtime.store.rows import HOST
from runtime.store.tables.events import EventRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow

integrations = Family("Integrations")


def shown_integrations(call: Call) -> Callable[[Sequence[IntegrationRow]], list[Integration]]:
    """Give the function that shows integrations to this actor."""

    def show(found: Sequence[IntegrationRow]) -> list[Integration]:
        owners = searching.organizations(call.session, {row.organization_id for row in found})
        return [_shown(call, row, owners[row.organization_id]) for row in found]

    return show


def _shown(call: Call, row: IntegrationRow, owner: OrganizationRow) -> Integration:
    actor = call.actor
    role = actor.role_in(owner.id)
    return objects.integration_object(
        row,
        objects.organization_object(owner, call.host.addresses, role),
        call.host.addresses,
        admin=reaches(role, "admin"),
        install=any(reaches(one, "admin") for one in actor.roles.values()),
    )


@integrations.operation("GET /v1/integrations", ListOf[Integration], needs=ANYBODY_WITH_A_TOKEN)
def list_integrations(call: Call, query: IntegrationQuery) -> ListOf[Integration]:
    """List the integrations the caller may see."""
    return call.page(IntegrationRow, query, shown_integrations(call), *searching.integrations(query))


@integrations.operation("GET /v1/integrations/{integrationName}", Integration, needs=ANYBODY_WITH_A_TOKEN)
def get_integration_by_name(call: Call) -> Integration:
    """Get an integration."""
    return shown_integrations(call)([call.integration])[0]


@integrations.operation(
    "POST /v1/integrations/{integrationName}",
    Integration,
    needs=USER,
    missing="integrationName",
    own_transaction=True,
)
def publish_integration(call: Call, body: PublishIntegration) -> Integration:
    """Publish an integration, or a new version of it."""
    name, host = _valid_name(call.path["integrationName"]), call.host
    with host.database.transaction(writes=False) as session:
        owner = publishing.owner_of(session, body.organization)
        if owner is None or owner.id not in call.actor.roles:
            raise errors.NotFound(f"There is no organization `{body.organization[:60]}`, or this token may not see it.")
        call.require_role("admin", owner.id)
        taken = rows.find(session, HOST, IntegrationRow, name=name)
        if taken is not None and taken.organization_id != owner.id:
            raise errors.Forbidden(f"The name `{name}` belongs to another organization; choose another name.")
    pictures = publishing.pictures_of(body)
    script, report = publishing.check_script(host.engines, owner.id, name, body, host.invoker.limits.script)
    with host.database.transaction(writes=True) as session:
        keep = host.settings.keep_versions
        user = call.actor.reach.user_id
        row = publishing.store_version(session, owner, name, body, script, report, pictures, keep, user)
    same = taken is not None and (taken.manifest, taken.title) == (row.manifest, row.title)
    host.announcer.announce(name, "version", {"version": row.version, "manifest": not same})
    if taken is not None:
        host.engines.retire(taken.version_id)
    return _shown(call, row, owner)


def _valid_name(name: str) -> str:
    if not re.fullmatch(r"[a-zA-Z0-9-_.]{1,100}", name) or set(name) <= {"."}:
        raise errors.BadRequest("integrationName: only letters, digits, `-`, `_` and `.`, at most 100 of them")
    return name


@integrations.operation(
    "DELETE /v1/integrations/{integrationName}",
    needs=member("admin", of="owner"),
    status=205,
    missing="integrationName",
)
def unpublish_integration(call: Call) -> None:
    """Unpublish an integration, with its installations and events."""
    row = call.objects.integration
    if row is None:
        call.status = 204
        return
    versions.remove(call.session, row)
    call.after.append(lambda: call.host.engines.retire(row.version_id))


@integrations.operation(
    "GET /v1/integrations/{integrationName}/events",
    ListOf[IntegrationEvent],
    needs=own(member("admin", of="owner")),
)
def list_integration_events(call: Call, query: EventQuery) -> ListOf[IntegrationEvent]:
    """List the events of an integration, newest first."""
    call.host.recorder.flush()

    def show(found: Sequence[EventRow]) -> list[IntegrationEvent]:
        return shown_events(call, found)

    return call.page(EventRow, query, show, *searching.events(call.integration.id, query))


@integrations.operation(
    "GET /v1/integrations/{integrationName}/events/{eventId}",
    EventDetail,
    needs=own(member("admin", of="owner")),
)
def get_integration_event(call: Call) -> EventDetail:
    """Get an event with its trace."""
    return event_details(call, [call.event])[0]


@integrations.operation(
    "POST /v1/integrations/{integrationName}/events",
    TriggeredEvents,
    needs=member("admin", of="owner"),
    status=202,
    own_transaction=True,
)
def trigger_integration_event(call: Call, body: TriggerEvent) -> TriggeredEvents:
    """Send an event by hand to the owner's installations of an integration (extension)."""
    host = call.host
    kind = triggering.kind_of(body)
    if EVENTS[kind].waits:
        asking = triggering.Asking(host.database, host.plans, host.invoker)
        return asking.ask(call.integration, kind, body)
    with host.database.transaction(writes=True) as session:
        ids, reason = triggering.trigger(session, call.integration, kind, body)
    host.dispatcher.wake()
    return TriggeredEvents(events=ids, reason=reason or MISSING)


@integrations.operation(
    "GET /v1/integrations/{integrationName}/dev", ShownDevelopmentMode, needs=member("admin", of="owner")
)
def get_integration_development_mode(call: Call) -> ShownDevelopmentMode:
    """Tell whether development mode is on, and where events go (extension)."""
    url = call.integration.tunnel_url
    standing = tunnels.standing(call.session, url) if url else "elsewhere"
    return ShownDevelopmentMode(
        tunnel_url=url,
        all=call.integration.tunnel_all,
        connected=MISSING if standing == "elsewhere" else standing == "leased",
    )


@integrations.operation("PUT /v1/integrations/{integrationName}/dev", needs=member("admin", of="owner"), status=204)
def set_integration_development_mode(call: Call, body: DevelopmentMode) -> None:
    """Turn development mode on: events go to a tunnel."""
    if not tunnels.may_develop(call.session, body.tunnel_url, call.integration.organization_id):
        raise errors.BadRequest(
            "tunnelUrl: whoever holds this tunnel is no administrator of the organization that owns the integration"
        )
    call.integration.tunnel_url, call.integration.tunnel_all = body.tunnel_url, body.all


@integrations.operation("DELETE /v1/integrations/{integrationName}/dev", needs=member("admin", of="owner"), status=205)
def disable_integration_development_mode(call: Call) -> None:
    """Turn development mode off."""
    call.integration.tunnel_url, call.integration.tunnel_all = None, False


@integrations.operation("POST /v1/integrations/{integrationName}/tasks", needs=INTEGRATION_ONLY, status=204)
def queue_integration_task(call: Call, body: QueueTask) -> None:
    """Queue a task of the integration."""
    outbox.emit_task(call.session, call.integration.id, body.task, body.schedule)
