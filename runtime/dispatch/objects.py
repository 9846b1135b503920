"""Rows as the objects the wire knows: the API answers with them, scripts find them in their environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.addresses import Addresses
from runtime.contract.installations import (
    Installation,
    InstallationTarget,
    InstallationUrls,
    PartUrls,
    SiteInstallation,
    SpaceInstallation,
)
from runtime.contract.integrations import Integration, IntegrationPermissions, IntegrationUrls
from runtime.contract.organizations import Organization, OrganizationUrls, User, UserUrls, reaches
from runtime.contract.sites import CustomVisitorAuth, IntegrationVisitorAuth, Site, SiteProxy, SiteUrls
from runtime.contract.spaces import Space, SpaceUrls
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow, UserRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

NO_MERGE_RULES = {"type": "none"}


def user_object(row: UserRow, at: Addresses, *, with_email: bool) -> User:
    """Show a user; the e-mail address only to the user and to those who share an organisation."""
    email = row.email if with_email else MISSING
    return User(
        id=row.id,
        display_name=row.display_name,
        email=email,
        photoURL=MISSING,
        urls=UserUrls(location=at.api("users", row.id)),
    )


def organization_object(row: OrganizationRow, at: Addresses, role: str | None) -> Organization:
    """Show an organisation with what this role may do in it."""
    admin, create = reaches(role, "admin"), reaches(role, "create")
    view = reaches(role, "read")
    return Organization(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        email_domains=[],
        hostname=row.hostname or MISSING,
        type=row.type,  # type: ignore[arg-type]
        default_role=row.default_role,  # type: ignore[arg-type]
        merge_rules=NO_MERGE_RULES,
        urls=OrganizationUrls(location=at.api("orgs", row.id), app=at.app("orgs", row.id)),
        trial={"status": "notapplicable"},
        permissions={
            "view": view,
            "admin": admin,
            "ownTeam": admin,
            "createContent": create,
            "createOpenAPISpec": create,
            "ingestConversations": admin,
            "viewBilling": admin,
            "listMembers": view,
            "listTeams": view,
            "listIntegrations": view,
            "listInstallations": view,
            "installIntegration": admin,
        },
    )


def space_object(row: SpaceRow, at: Addresses, role: str | None) -> Space:
    """Show a space with what this role may do in it."""
    published = row.visibility not in ("private", "in-collection")
    app = at.app("spaces", row.id)
    return Space(
        id=row.id,
        title=row.title,
        emoji=row.emoji,
        visibility=row.visibility,  # type: ignore[arg-type]
        created_at=row.created_at,
        updated_at=row.updated_at,
        deleted_at=row.deleted_at or MISSING,
        edit_mode=row.edit_mode,  # type: ignore[arg-type]
        merge_rules={"type": "inherit"},
        urls=SpaceUrls(
            location=at.api("spaces", row.id),
            app=app,
            published=app if published else MISSING,
            public=app if published else MISSING,
        ),
        organization=row.organization_id,
        language=row.language or MISSING,
        revision=row.revision_id,
        default_level=row.default_level,  # type: ignore[arg-type]
        comments=0,
        change_requests=0,
        change_requests_open=0,
        change_requests_draft=0,
        permissions={
            "view": reaches(role, "read"),
            "access": reaches(role, "read"),
            "admin": reaches(role, "admin"),
            "viewInviteLinks": reaches(role, "admin"),
            "edit": reaches(role, "edit"),
            "triggerGitSync": reaches(role, "admin"),
            "comment": reaches(role, "comment"),
            "merge": reaches(role, "review"),
            "review": reaches(role, "review"),
            "installIntegration": reaches(role, "admin"),
        },
    )


def site_object(row: SiteRow, at: Addresses, site_spaces: int) -> Site:
    """Show a site; `site_spaces` is how many spaces are attached to it."""
    app = at.app("orgs", row.organization_id, "sites", row.id)
    return Site(
        id=row.id,
        type=row.type,  # type: ignore[arg-type]
        title=row.title,
        basename=row.basename or MISSING,
        proxy=SiteProxy(origin=row.proxy, target=at.site(row.id)) if row.proxy else MISSING,
        visibility=row.visibility,  # type: ignore[arg-type]
        published=row.published,
        site_spaces=site_spaces,
        created_at=row.created_at,
        adaptive_content={"enabled": row.adaptive_content},
        agents_context=row.agents_context,  # type: ignore[arg-type]
        features=[],
        visitor_auth=_visitor_auth(row),
        urls=SiteUrls(
            location=at.api("orgs", row.organization_id, "sites", row.id),
            app=app,
            published=at.site(row.id) if row.published else MISSING,
        ),
    )


def _visitor_auth(row: SiteRow) -> Any:
    if row.visitor_auth_backend == "integration" and row.visitor_auth_integration:
        return IntegrationVisitorAuth(backend="integration", integration=row.visitor_auth_integration)
    return CustomVisitorAuth(backend="custom") if row.visitor_auth_backend else MISSING


def pictures_of(row: IntegrationRow, at: Addresses) -> str:
    """Give the address below which the pictures of an integration's current version are.

    Browsers ask for them without a token. Those of a private integration stand under an id that nobody guesses, so that
    whoever was shown the integration sees its icon, and nobody else learns that there is one.
    """
    return f"{at.assets(row.name)}/{row.version_id if row.visibility == 'private' else row.version}"


def integration_object(
    row: IntegrationRow, owner: Organization, at: Addresses, *, admin: bool, install: bool
) -> Integration:
    """Show the current version of an integration; `admin` and `install` are what the one who asks may do."""
    manifest: dict[str, Any] = row.manifest
    endpoint = at.integration(row.name)
    fixed = pictures_of(row, at)
    return Integration(
        name=row.name,
        version=row.version,
        title=row.title,
        description=manifest["description"],
        summary=manifest.get("summary", MISSING),
        preview_images=[f"{fixed}/preview-{place}.png" for place in range(manifest["previewImages"])],
        target=row.target,  # type: ignore[arg-type]
        verified=False,
        visibility=row.visibility,  # type: ignore[arg-type]
        scopes=manifest["scopes"],
        categories=manifest["categories"],
        blocks=manifest.get("blocks", MISSING),
        content_sources=manifest.get("contentSources", MISSING),
        configurations=manifest.get("configurations", MISSING),
        external_links=manifest["externalLinks"],
        owner=owner,
        urls=IntegrationUrls(
            location=at.api("integrations", row.name),
            icon=f"{fixed}/icon.png" if manifest["icon"] else MISSING,
            app=at.app("integrations", row.name),
            assets=at.assets(row.name),
            public_endpoint=endpoint,
            public_content_endpoint=endpoint,
        ),
        permissions=IntegrationPermissions(admin=admin, install=install),
        content_security_policy=manifest.get("contentSecurityPolicy", MISSING),
        runtime=manifest["runtime"],
    )


def installation_object(
    row: InstallationRow, name: str, at: Addresses, *, spaces: int, external_ids: Sequence[str], reveal: bool
) -> Installation:
    """Show an installation; its configuration only where `reveal` allows (contract/extra.md, rules)."""
    endpoint = at.installation(name, row.id)
    return Installation(
        id=row.id,
        status=row.status,  # type: ignore[arg-type]
        space_selection=row.space_selection,  # type: ignore[arg-type]
        site_selection=row.site_selection,  # type: ignore[arg-type]
        spaces=spaces,
        configuration=row.configuration if reveal else {},
        created_at=row.created_at,
        updated_at=row.updated_at,
        urls=InstallationUrls(
            location=at.api("integrations", name, "installations", row.id),
            app=at.app("orgs", row.organization_id, "integrations", name),
            public_endpoint=endpoint,
            public_content_endpoint=endpoint,
        ),
        external_ids=list(external_ids),
        target=InstallationTarget(organization=row.organization_id),
    )


def space_installation_object(
    row: SpaceInstallationRow,
    name: str,
    at: Addresses,
    *,
    external_ids: Sequence[str],
    reveal: bool,
    space: str | Space,
) -> SpaceInstallation:
    """Show an installation on a space."""
    location = at.api("integrations", name, "installations", row.installation_id, "spaces", row.space_id)
    endpoint = at.space_installation(name, row.installation_id, row.space_id)
    fields = _part(row, name, location, endpoint, external_ids=external_ids, reveal=reveal)
    return SpaceInstallation(**fields, space=space)


def site_installation_object(
    row: SiteInstallationRow, name: str, at: Addresses, *, external_ids: Sequence[str], reveal: bool, site: str | Site
) -> SiteInstallation:
    """Show an installation on a site."""
    location = at.api("integrations", name, "installations", row.installation_id, "sites", row.site_id)
    endpoint = at.site_installation(name, row.installation_id, row.site_id)
    fields = _part(row, name, location, endpoint, external_ids=external_ids, reveal=reveal)
    return SiteInstallation(**fields, site=site)


def _part(
    row: SpaceInstallationRow | SiteInstallationRow,
    name: str,
    location: str,
    endpoint: str,
    *,
    external_ids: Sequence[str],
    reveal: bool,
) -> dict[str, Any]:
    """Give what installations on spaces and on sites have in common."""
    return {
        "integration": name,
        "installation": row.installation_id,
        "status": row.status,
        "configuration": row.configuration if reveal else {},
        "external_ids": list(external_ids),
        "urls": PartUrls(location=location, public_endpoint=endpoint, public_content_endpoint=endpoint),
    }
