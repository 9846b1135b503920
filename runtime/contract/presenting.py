"""What integrations and installations look like, made of plain values: of rows by the host, by tests without one.

Source: docs/contract/scripts.md, "The environment".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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
from runtime.contract.organizations import Organization, OrganizationUrls, Role
from runtime.contract.permissions import ORGANIZATION, permissions
from runtime.contract.sites import Site
from runtime.contract.spaces import Space


@dataclass(frozen=True, slots=True)
class OrganizationDetails:
    """What an organization is; `created_at` in UTC."""

    id: str
    title: str
    created_at: datetime
    type: str = "business"
    hostname: str | None = None
    default_role: str | None = "read"
    default_content: Mapping[str, Any] | None = None
    email_domains: Sequence[str] = ()
    logo: str | None = None
    sso: bool = False
    ai: bool = False
    invite_links: bool = False
    merge_rules: Mapping[str, Any] = field(default_factory=lambda: {"type": "none"})


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """The current version of an integration; `pictures` is the address below which its pictures are."""

    name: str
    version: int
    title: str
    target: str
    visibility: str
    manifest: Mapping[str, Any]
    pictures: str


def organization_object(details: OrganizationDetails, level: Role | None, at: Addresses) -> Organization:
    """Show an organization with what an actor of this level may do in it."""
    return Organization(
        id=details.id,
        title=details.title,
        created_at=details.created_at,
        email_domains=list(details.email_domains),
        hostname=details.hostname or MISSING,
        type=details.type,  # type: ignore[arg-type]
        default_role=details.default_role,  # type: ignore[arg-type]
        default_content=dict(details.default_content) if details.default_content else MISSING,
        sso=details.sso,
        ai=details.ai,
        invite_links=details.invite_links,
        merge_rules=dict(details.merge_rules),
        urls=OrganizationUrls(
            location=at.api("orgs", details.id), app=at.app("orgs", details.id), logo=details.logo or MISSING
        ),
        trial={"status": "notapplicable"},
        permissions=permissions(ORGANIZATION, level),
    )


def integration_object(
    current: PublishedVersion, owner: Organization, at: Addresses, *, admin: bool, install: bool
) -> Integration:
    """Show the current version of an integration; `admin` and `install` are what the one who asks may do."""
    manifest, name = current.manifest, current.name
    endpoint = at.integration(name)
    return Integration(
        name=name,
        version=current.version,
        title=current.title,
        description=manifest["description"],
        summary=manifest.get("summary", MISSING),
        preview_images=[f"{current.pictures}/preview-{place}.png" for place in range(manifest["previewImages"])],
        target=current.target,  # type: ignore[arg-type]
        verified=False,
        visibility=current.visibility,  # type: ignore[arg-type]
        scopes=manifest["scopes"],
        categories=manifest["categories"],
        blocks=manifest.get("blocks", MISSING),
        content_sources=manifest.get("contentSources", MISSING),
        configurations=manifest.get("configurations", MISSING),
        external_links=manifest["externalLinks"],
        owner=owner,
        urls=IntegrationUrls(
            location=at.api("integrations", name),
            icon=f"{current.pictures}/icon.png" if manifest["icon"] else MISSING,
            app=at.app("integrations", name),
            assets=at.assets(name),
            public_endpoint=endpoint,
            public_content_endpoint=endpoint,
        ),
        permissions=IntegrationPermissions(admin=admin, install=install),
        content_security_policy=manifest.get("contentSecurityPolicy", MISSING),
        runtime=manifest["runtime"],
    )


def installation_object(
    *,
    id: str,
    integration: str,
    organization: str,
    status: str,
    selections: tuple[str, str],
    spaces: int,
    configuration: Mapping[str, Any],
    external_ids: Sequence[str],
    created_at: datetime,
    updated_at: datetime,
    at: Addresses,
) -> Installation:
    """Show an installation; `selections` is what it selects of spaces and of sites."""
    endpoint = at.installation(integration, id)
    return Installation(
        id=id,
        status=status,  # type: ignore[arg-type]
        space_selection=selections[0],  # type: ignore[arg-type]
        site_selection=selections[1],  # type: ignore[arg-type]
        spaces=spaces,
        configuration=dict(configuration),
        created_at=created_at,
        updated_at=updated_at,
        urls=InstallationUrls(
            location=at.api("integrations", integration, "installations", id),
            app=at.app("orgs", organization, "integrations", integration),
            public_endpoint=endpoint,
            public_content_endpoint=endpoint,
        ),
        external_ids=list(external_ids),
        target=InstallationTarget(organization=organization),
    )


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """An installation on one space or site; `place` is the id of that."""

    integration: str
    installation: str
    place: str
    status: str
    configuration: Mapping[str, Any]
    external_ids: Sequence[str]


def space_installation_object(part: PlacedPart, at: Addresses, space: Space | None = None) -> SpaceInstallation:
    """Show an installation on a space, with the whole space where it is given."""
    endpoint = at.space_installation(part.integration, part.installation, part.place)
    return SpaceInstallation(**_part(part, "spaces", endpoint, at), space=space or part.place)


def site_installation_object(part: PlacedPart, at: Addresses, site: Site | None = None) -> SiteInstallation:
    """Show an installation on a site, with the whole site where it is given."""
    endpoint = at.site_installation(part.integration, part.installation, part.place)
    return SiteInstallation(**_part(part, "sites", endpoint, at), site=site or part.place)


def _part(part: PlacedPart, kind: str, endpoint: str, at: Addresses) -> dict[str, Any]:
    location = at.api("integrations", part.integration, "installations", part.installation, kind, part.place)
    return {
        "integration": part.integration,
        "installation": part.installation,
        "status": part.status,
        "configuration": dict(part.configuration),
        "external_ids": list(part.external_ids),
        "urls": PartUrls(location=location, public_endpoint=endpoint, public_content_endpoint=endpoint),
    }


def environment(
    *,
    at: Addresses,
    tokens: Mapping[str, str],
    integration: Integration,
    parts: Mapping[str, Installation | SpaceInstallation | SiteInstallation],
    secrets: Mapping[str, str],
    signing_secrets: Mapping[str, str],
) -> dict[str, Any]:
    """Return what a script finds in its environment (docs/contract/scripts.md, "The environment").

    `parts` are `installation`, `spaceInstallation` and `siteInstallation`, as far as the call is about them. The last
    of `tokens` and of `signing_secrets` are those a script uses unless it asks for another.
    """
    return {
        "apiEndpoint": at.public_url,
        "apiTokens": dict(tokens),
        "authToken": list(tokens.values())[-1],
        "integration": integration.model_dump(mode="json", by_alias=True),
        **{name: part.model_dump(mode="json", by_alias=True) for name, part in parts.items()},
        "secrets": dict(secrets),
        "signingSecrets": dict(signing_secrets),
        "signingSecret": list(signing_secrets.values())[-1],
    }
