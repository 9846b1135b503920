"""Versions of integrations, and the way back to one (extension)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.integrations import shown_integrations
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.contract.base import ListOf, ListQuery
from runtime.contract.integrations import Integration, IntegrationVersion, RollBack
from runtime.services import publishing
from runtime.store.tables.integrations import VersionRow

versions = Family("Integrations")

MANIFEST = ("description", "summary", "scopes", "blocks", "contentSources", "configurations", "contentSecurityPolicy")
"""What a version shows of its manifest, besides what it has fields of its own for."""


@versions.operation(
    "GET /v1/integrations/{integrationName}/versions", ListOf[IntegrationVersion], needs=member("admin", of="owner")
)
def list_integration_versions(call: Call, query: ListQuery) -> ListOf[IntegrationVersion]:
    """List the versions of an integration that are kept, newest first (extension)."""

    def show(found: Sequence[VersionRow]) -> list[IntegrationVersion]:
        return [_shown(row, current=row.id == call.integration.version_id) for row in found]

    return call.page(VersionRow, query, show, VersionRow.integration_id == call.integration.id)


def _shown(row: VersionRow, *, current: bool) -> IntegrationVersion:
    published = row.published or {}
    return IntegrationVersion(
        id=row.id,
        version=row.number,
        created_at=row.created_at,
        current=current,
        restorable=row.published is not None,
        runtime=row.runtime,  # type: ignore[arg-type]
        title=published.get("title", MISSING),
        visibility=published.get("visibility", MISSING),
        manifest=_manifest(published) if published else MISSING,
        published_by=row.published_by or MISSING,
    )


def _manifest(published: dict[str, Any]) -> dict[str, Any]:
    kept = published["manifest"]
    shown = {key: value for key, value in kept.items() if key in MANIFEST}
    return shown | {"target": published["target"]}


@versions.operation("POST /v1/integrations/{integrationName}/rollback", Integration, needs=member("admin", of="owner"))
def roll_back_integration(call: Call, body: RollBack) -> Integration:
    """Publish an earlier version of an integration once more, as its next one (extension)."""
    row, host, left = call.integration, call.host, call.integration.version_id
    keep, user = host.settings.keep_versions, call.actor.reach.user_id
    publishing.roll_back(call.session, row, body.version, keep, user)
    call.after.append(partial(host.announcer.announce, row.name, "version", {"version": row.version}))
    call.after.append(partial(host.engines.retire, left))
    return shown_integrations(call)([row])[0]
