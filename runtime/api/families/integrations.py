"""Integrations: publishing them, finding them, their development mode, their tasks."""

from __future__ import annotations

import time
from functools import partial

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import ANYBODY_WITH_A_TOKEN, INTEGRATION_ONLY, USER, member
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.integration_names import RULE, is_integration_name
from runtime.contract.integrations import (
    DevelopmentMode,
    Integration,
    IntegrationQuery,
    PublishIntegration,
    QueueTask,
    ShownDevelopmentMode,
)
from runtime.dispatch.recorder import summary
from runtime.serializers import integrations as serializers
from runtime.services import disk_room, publishing, triggering
from runtime.store import queue, rows, searching, tunnels, versions
from runtime.store.cursors import newest_first
from runtime.store.rows import HOST, Conditions
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow

INTEGRATION = Resource(
    "integration",
    IntegrationRow,
    at="integrations/{integrationName}",
    key="name",
    anywhere=True,
    level_source=" in the organization that owns the integration",
    model=Integration,
    serialize=serializers.integrations,
    order=newest_first(IntegrationRow.created_at, IntegrationRow.id),
)

integrations = Family("Integrations", INTEGRATION)

MAX_PUBLISHED = 24 * 1024 * 1024
"""Bytes of a published integration: a script of 10 MB, escaped, with its pictures."""


@integrations.list("GET /v1/integrations", INTEGRATION, needs=ANYBODY_WITH_A_TOKEN)
def list_integrations(call: Call, query: IntegrationQuery) -> Conditions:
    """List the integrations the caller may see."""
    return searching.integrations(query)


crud.get(integrations, INTEGRATION, "getIntegrationByName", "Get an integration.", needs=ANYBODY_WITH_A_TOKEN)


@integrations.operation(
    f"POST {INTEGRATION.path}", INTEGRATION, needs=USER, own_transaction=True, max_body_bytes=MAX_PUBLISHED
)
def publish_integration(call: Call, integration: IntegrationRow | None, body: PublishIntegration) -> IntegrationRow:
    """Publish an integration, or a new version of it."""
    name, host = _valid_name(call.path["integrationName"]), call.host
    with host.database.transaction(writes=False) as session:
        owner = _publisher(call, session, body.organization)
        taken = rows.find(session, HOST, IntegrationRow, name=name)
        if taken is not None and taken.organization_id != owner.id:
            raise errors.Forbidden(f"The name `{name}` belongs to another organization; choose another name.")
    began, pictures = time.monotonic(), publishing.pictures_of(body)
    script, report = publishing.check_script(host.engines, owner.id, name, body, host.invoker.limits.script)
    call.reauthenticate_if_slow(began)
    with host.database.transaction(writes=True) as session:
        owner = _publisher(call, session, body.organization)  # again: a script may take long to load
        keep = host.settings.keep_versions
        user = call.actor.reach.user_id
        row = publishing.store_version(session, owner, name, body, script, report, pictures, keep, user)
    if row.version_id != script.version:
        return row  # nothing changed, so nobody has to be notified
    same = taken is not None and (taken.manifest, taken.title) == (row.manifest, row.title)
    host.announcer.announce(name, "version", {"version": row.version, "manifest": not same})
    if taken is not None:
        host.engines.retire(taken.version_id)
        host.dispatcher.wake()
    return row


def _publisher(call: Call, session: Session, named: str) -> OrganizationRow:
    """Find the organization to publish for; raises NotFound, and Forbidden for who does not administer it."""
    owner = publishing.owner_of(session, named)
    if owner is None or not call.actor.reach.belongs_to(owner.id):
        raise errors.not_seen(f"There is no organization `{named[:60]}`")
    call.require("admin", owner, f"organization {owner.id}", session)
    return owner


def _valid_name(name: str) -> str:
    if not is_integration_name(name):
        raise errors.BadRequest(RULE, field="integrationName")
    return name


def _unpublish(call: Call, row: IntegrationRow) -> None:
    versions.remove(call.session, row)
    call.after.append(lambda: call.host.engines.retire(row.version_id))


crud.delete(
    integrations,
    INTEGRATION,
    "unpublishIntegration",
    "Unpublish an integration, with its installations and events.",
    needs=member("admin"),
    by=_unpublish,
)

DEV = f"{INTEGRATION.path}/dev"


@integrations.operation(f"GET {DEV}", ShownDevelopmentMode, needs=member("admin"))
def get_integration_development_mode(call: Call, integration: IntegrationRow) -> ShownDevelopmentMode:
    """Return whether development mode is on, and where events go (extension)."""
    url = integration.tunnel_url
    state = tunnels.lease_state(call.session, integration) if url else "elsewhere"
    return ShownDevelopmentMode(
        tunnel_url=url,
        all=integration.tunnel_all,
        connected=MISSING if state == "elsewhere" else state == "leased",
    )


@integrations.operation(f"PUT {DEV}", needs=member("admin"), status=204)
def set_integration_development_mode(call: Call, integration: IntegrationRow, body: DevelopmentMode) -> None:
    """Turn development mode on: events go to a tunnel."""
    if not tunnels.may_develop(call.session, body.tunnel_url, integration.organization_id):
        raise errors.BadRequest(
            "the holder of this tunnel is not an administrator of the organization that owns the integration",
            field="tunnelUrl",
        )
    integration.tunnel_url, integration.tunnel_all = body.tunnel_url, body.all
    integration.tunnel_by = call.actor.reach.user_id
    if queue.retry_now(call.session, integration.id):
        call.after.append(call.host.dispatcher.wake)


@integrations.operation(f"DELETE {DEV}", needs=member("admin"), status=205)
def disable_integration_development_mode(call: Call, integration: IntegrationRow) -> None:
    """Turn development mode off."""
    integration.tunnel_url, integration.tunnel_all, integration.tunnel_by = None, False, None


@integrations.operation(f"POST {INTEGRATION.path}/tasks", needs=INTEGRATION_ONLY, status=204, also=("429",))
def queue_integration_task(call: Call, integration: IntegrationRow, body: QueueTask) -> None:
    """Queue a task of the integration."""
    disk_room.enforce(call.session)  # a script would fill in seconds what is left to others
    (row,) = triggering.queue_tasks(call.session, integration, body.task, delay=body.schedule)
    announcer, name = call.host.announcer, integration.name
    if body.schedule and announcer.heard(name):
        queued = summary({**row, "duration_ms": None})
        call.after.append(partial(announcer.announce, name, "event", queued))
