"""Integrations and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.addresses import Addresses
from runtime.contract.integrations import Integration, IntegrationVersion
from runtime.contract.organizations import reaches
from runtime.contract.presenting import PublishedVersion, integration_object
from runtime.serializers import organizations
from runtime.serializers.view import View
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.organizations import OrganizationRow

MANIFEST = ("description", "summary", "scopes", "blocks", "contentSources", "configurations", "contentSecurityPolicy")
"""What a version shows of its manifest, besides what it has fields of its own for."""


def integrations(view: View, rows: Sequence[IntegrationRow]) -> list[Integration]:
    """Show the current versions of integrations, with their owners and what the actor may do with them."""
    owner_rows = list(view.by_id(OrganizationRow, (row.organization_id for row in rows)).values())
    owners = {owner.id: owner for owner in organizations.owners(view, owner_rows)}
    install = any(reaches(role, "admin") for _, role in view.reach.roles)
    return [
        integration_object(
            PublishedVersion(
                name=row.name,
                version=row.version,
                title=row.title,
                target=row.target,
                visibility=row.visibility,
                manifest=row.manifest,
                pictures=pictures_address(row, view.at),
            ),
            owners[row.organization_id],
            view.at,
            admin=reaches(level, "admin"),
            install=install,
        )
        for row, level in zip(rows, view.levels(rows), strict=True)
    ]


def pictures_address(row: IntegrationRow, at: Addresses) -> str:
    """Return the address below which the pictures of an integration's current version are.

    Browsers ask for them without a token. Those of a private integration stand under an id that nobody guesses, so that
    whoever was shown the integration sees its icon, and nobody else learns that there is one.
    """
    return f"{at.assets(row.name)}/{row.version_id if row.visibility == 'private' else row.version}"


def integration_versions(view: View, rows: Sequence[VersionRow]) -> list[IntegrationVersion]:
    """Show versions; which one is current, their integration says."""
    owners = view.by_id(IntegrationRow, (row.integration_id for row in rows))
    return [_version(row, current=owners[row.integration_id].version_id == row.id) for row in rows]


def _version(row: VersionRow, *, current: bool) -> IntegrationVersion:
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
    public = {key: value for key, value in published["manifest"].items() if key in MANIFEST}
    return public | {"target": published["target"]}
