"""Sites."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from pydantic import MISSING, Field, StringConstraints

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.integrations import INTEGRATION
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import for_visitors, member, scoped
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.base import ListQuery, Text
from runtime.contract.installations import SearchQuery
from runtime.contract.organizations import reaches
from runtime.contract.sites import CreateSite, Site, SiteIntegrationScript, SiteType, UpdateSite
from runtime.serializers import sites as serializers
from runtime.services import installing, quotas, site_removal, site_scripts, site_settings, site_structure
from runtime.services import spaces as space_service
from runtime.store import rows, searching
from runtime.store import site_structure as stored
from runtime.store.cursors import newest_first
from runtime.store.levels import levels_on
from runtime.store.rows import Conditions
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

SITE = Resource(
    "site",
    SiteRow,
    at="sites/{siteId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    model=Site,
    serialize=serializers.sites,
    order=newest_first(SiteRow.created_at, SiteRow.id),
)

MAX_SITES, MAX_EVER = 2000, 100_000
"""Maximum number of sites of an organization: existing ones, and ever created ones."""
FULL = "An organization has at most {most} sites; delete some first."
FULL_FOREVER = "An organization can create at most {most} sites, including deleted ones; use another organization."

sites = Family("Sites", SITE)


class SiteQuery(ListQuery):
    """The filters of the site list."""

    title: Annotated[Text, StringConstraints(max_length=128)] | None = None
    space: Annotated[Text, StringConstraints(max_length=100)] | None = None
    published: bool | None = None
    type: Annotated[list[SiteType], Field(max_length=20)] | None = None


@sites.list(f"GET {SITE.collection}", SITE, needs=member("read"))
def list_sites(call: Call, organization: OrganizationRow, query: SiteQuery) -> Conditions:
    """List the sites of an organization."""
    return searching.sites(call.actor.reach, organization.id, query.title, query.space, query.published, query.type)


@sites.operation(f"POST {SITE.collection}", SITE, needs=member("create"), status=201, body_optional=True)
def create_site(call: Call, organization: OrganizationRow, body: CreateSite) -> SiteRow:
    """Create a site."""
    quotas.enforce(
        call.session, SiteRow, MAX_SITES, FULL, SiteRow.deleted_at.is_(None), organization_id=organization.id
    )
    quotas.enforce(call.session, SiteRow, MAX_EVER, FULL_FOREVER, organization_id=organization.id)
    row = SiteRow(organization_id=organization.id, title=body.title, type=body.type, visibility=body.visibility)
    call.session.add(row)
    call.session.flush()
    site_structure.start(call.session, row, _spaces_for(call, organization, body))
    installing.content_added(call.session, row)
    return row


def require_create_on(call: Call, organization_id: str, space_ids: Sequence[str], field: str) -> None:
    """Raise BadRequest for a space that the actor cannot see, and Forbidden for one they may not open to visitors.

    A site shows its spaces to people without a level on them, so adding a space to it needs `create` on the space.
    """
    for space_id in dict.fromkeys(space_ids):
        by = {"id": space_id, "organization_id": organization_id, "deleted_at": None}
        space = rows.find(call.session, call.actor.reach, SpaceRow, **by)
        if space is None:
            raise errors.BadRequest("there is no such space in this organization", field=field)
        if call.actor.kind == "user":
            call.require("create", space, "this space", call.session)


def require_create_on_all(call: Call, site: SiteRow) -> None:
    """Raise Forbidden for a person who may not open every space of a site to its visitors."""
    require_create_to_open(call, [part.space_id for part in stored.parts_of(call.session, site).spaces])


def require_create_to_open(call: Call, space_ids: list[str]) -> None:
    """Raise Forbidden for a person who may not open these spaces to others."""
    spaces = list(rows.by_id(call.session, SpaceRow, space_ids).values())
    weak = [level for level in levels_on(call.session, call.actor.reach, spaces) if not reaches(level, "create")]
    if call.actor.kind == "user" and weak:
        raise errors.Forbidden(
            "This needs `create` on every space that it could open to others. Ask an administrator of the organization."
        )


def _spaces_for(call: Call, organization: OrganizationRow, body: CreateSite) -> list[str]:
    """Return the ids of the spaces of a new site; if the body asks for a new space, create it."""
    if body.spaces is MISSING:
        return []
    if isinstance(body.spaces, str):
        space = SpaceRow(organization_id=organization.id, title=body.title[:50], emoji="1f4d8")
        quotas.for_spaces(call.session, organization.id)
        return [space_service.add(call.session, space, body.spaces).id]
    require_create_on(call, organization.id, body.spaces, "spaces")
    return body.spaces


@sites.operation(f"GET {SITE.path}", Site, needs=for_visitors(scoped(member("read"), "site:metadata:read")))
def get_site_by_id(call: Call, site: SiteRow) -> Site:
    """Get a site."""
    visitor = call.actor.visitor
    key = visitor.share_key if visitor is not None else None
    shown: Site = call.show(partial(serializers.sites, share_key=key), site)
    return shown


@sites.operation(f"PATCH {SITE.path}", SITE, needs=member("create"))
def update_site_by_id(call: Call, site: SiteRow, body: UpdateSite) -> SiteRow:
    """Change a site; `published` and `visitorAuth` are extensions."""
    signs_in = body.visitor_auth is not MISSING and not site_settings.visitors_sign_in_by(site, body.visitor_auth)
    if signs_in:
        call.require("admin", site, "this site", call.session)
    publishes = body.published is True and not site.published
    if publishes or signs_in or (body.visibility is not MISSING and body.visibility != site.visibility):
        require_create_on_all(call, site)
    site_settings.update(call.session, site, body)
    return site


crud.delete(
    sites,
    SITE,
    "deleteSiteById",
    "Delete a site.",
    needs=member("admin"),
    by=lambda call, site: site_removal.remove(call.session, site),
)


@sites.operation(f"POST {SITE.path}/publish", SITE, needs=member("create"))
def publish_site(call: Call, site: SiteRow) -> SiteRow:
    """Publish a site to the audience that its visibility allows."""
    site_removal.lock_site(call.session, site)  # a part that is added meanwhile is looked at, too
    require_create_on_all(call, site)
    site.published = True
    return site


@sites.operation(f"POST {SITE.path}/unpublish", SITE, needs=member("create"))
def unpublish_site(call: Call, site: SiteRow) -> SiteRow:
    """Unpublish a site: it can no longer be reached."""
    site_removal.lock_site(call.session, site)
    site.published = False
    return site


@sites.operation(
    f"GET {SITE.path}/integration-scripts", list[SiteIntegrationScript], needs=for_visitors(member("read"))
)
def list_site_integration_scripts(call: Call, site: SiteRow) -> list[SiteIntegrationScript]:
    """List the scripts a published site embeds."""
    return site_scripts.of_site(call.session, site, call.host.addresses)


@sites.list(f"GET {SITE.path}/integrations", INTEGRATION, needs=member("read"))
def list_site_integrations(call: Call, site: SiteRow, query: SearchQuery) -> Conditions:
    """List the integrations installed on a site."""
    return searching.integrations_on_site(site, query.search)
