"""Versions of integrations, and rollback to one (extension)."""

from __future__ import annotations

from functools import partial

from runtime.api.call import Call
from runtime.api.families.integrations import INTEGRATION
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.contract.integrations import IntegrationVersion, RollBack
from runtime.serializers import integrations as serializers
from runtime.services import publishing
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.integrations import IntegrationRow, VersionRow

VERSION = Resource(
    "version",
    VersionRow,
    at="versions/{versionId}",
    within=INTEGRATION,
    parent_column="integration_id",
    model=IntegrationVersion,
    serialize=serializers.integration_versions,
    order=newest_first(VersionRow.created_at, VersionRow.id),
)

versions = Family("Integrations", VERSION)


@versions.list(f"GET {VERSION.collection}", VERSION, needs=member("admin"))
def list_integration_versions(call: Call, integration: IntegrationRow) -> Conditions:
    """List the stored versions of an integration, newest first (extension)."""
    return [VersionRow.integration_id == integration.id]


@versions.operation(f"POST {INTEGRATION.path}/rollback", INTEGRATION, needs=member("admin"))
def roll_back_integration(call: Call, integration: IntegrationRow, body: RollBack) -> IntegrationRow:
    """Publish an earlier version of an integration again, as its next version (extension)."""
    host, left = call.host, integration.version_id
    publishing.roll_back(call.session, integration, body.version, host.settings.keep_versions, call.actor.reach.user_id)
    version = {"version": integration.version}
    call.after.append(partial(host.announcer.announce, integration.name, "version", version))
    call.after.append(partial(host.engines.retire, left))
    call.after.append(host.dispatcher.wake)
    return integration
