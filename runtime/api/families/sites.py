"""Sites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import MISSING, StringConstraints

from runtime.api.call import Call
from runtime.api.families.integrations import shown_integrations
from runtime.api.operation import Family
from runtime.api.permission import member, scoped
from runtime.contract import errors
from runtime.contract.base import ListOf, ListQuery, Text
from runtime.contract.installations import SearchQuery
from runtime.contract.integrations import Integration
from runtime.contract.sites import CreateSite, Site, SiteIntegrationScript, UpdateSite
from runtime.dispatch import objects
from runtime.services import installing, site_scripts, site_settings
from runtime.store import installed, searching
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow, SiteSpaceRow
from runtime.store.tables.spaces import SpaceRow

sites = Family("Sites")


class SiteQuery(ListQuery):
    """The filters of the site list."""

    title: Annotated[Text, StringConstraints(max_length=128)] | None = None
    space: Annotated[Text, StringConstraints(max_length=100)] | None = None
    published: bool | None = None


@sites.operation("GET /v1/orgs/{organizationId}/sites", ListOf[Site], needs=member("read"))
def list_sites(call: Call, query: SiteQuery) -> ListOf[Site]:
    """List the sites of an organization."""

    def show(found: Sequence[SiteRow]) -> list[Site]:
        return _shown(call, found)

    return call.page(
        SiteRow, query, show, *searching.sites(call.organization.id, query.title, query.space, query.published)
    )


@sites.operation("POST /v1/orgs/{organizationId}/sites", Site, needs=member("create"), status=201, body_optional=True)
def create_site(call: Call, body: CreateSite) -> Site:
    """Create a site."""
    row = SiteRow(organization_id=call.organization.id, title=body.title, type=body.type, visibility=body.visibility)
    call.session.add(row)
    call.session.flush()
    for place, space_id in enumerate(_spaces_for(call, body)):
        call.session.add(SiteSpaceRow(site_id=row.id, space_id=space_id, position=place))
    call.session.flush()
    installing.content_added(call.session, row)
    shown = _shown(call, [row])[0]
    call.location = shown.urls.location
    return shown


def _spaces_for(call: Call, body: CreateSite) -> list[str]:
    """Give the ids of the spaces a new site is made of; raises BadRequest for one that is not there."""
    if body.spaces is MISSING:
        return []
    if isinstance(body.spaces, str):
        space = SpaceRow(
            organization_id=call.organization.id, title=body.title[:50], emoji="1f4d8", visibility="public"
        )
        call.session.add(space)
        call.session.flush()
        installing.content_added(call.session, space)
        return [space.id]
    known = {space.id for space in searching.spaces_among(call.session, call.organization.id, body.spaces)}
    for place, space_id in enumerate(body.spaces):
        if space_id not in known:
            raise errors.BadRequest(f"spaces.{place}: there is no such space in this organization")
    return list(dict.fromkeys(body.spaces))


@sites.operation(
    "GET /v1/orgs/{organizationId}/sites/{siteId}",
    Site,
    needs=scoped(member("read"), "site:metadata:read"),
)
def get_site_by_id(call: Call) -> Site:
    """Get a site."""
    return _shown(call, [call.site])[0]


@sites.operation("PATCH /v1/orgs/{organizationId}/sites/{siteId}", Site, needs=member("create"))
def update_site_by_id(call: Call, body: UpdateSite) -> Site:
    """Change a site; `published` and `visitorAuth` are extensions."""
    site_settings.update(call.session, call.site, body)
    return _shown(call, [call.site])[0]


@sites.operation(
    "GET /v1/orgs/{organizationId}/sites/{siteId}/integration-scripts",
    list[SiteIntegrationScript],
    needs=member("read"),
)
def list_site_integration_scripts(call: Call) -> list[SiteIntegrationScript]:
    """List the scripts a published site embeds."""
    return site_scripts.of_site(call.session, call.site, call.host.addresses)


@sites.operation("GET /v1/orgs/{organizationId}/sites/{siteId}/integrations", ListOf[Integration], needs=member("read"))
def list_site_integrations(call: Call, query: SearchQuery) -> ListOf[Integration]:
    """List the integrations installed on a site."""
    conditions = searching.integrations_on_site(call.site, query.search)
    return call.page(IntegrationRow, query, shown_integrations(call), *conditions)


def _shown(call: Call, found: Sequence[SiteRow]) -> list[Site]:
    counts = installed.count_site_spaces(call.session, [row.id for row in found])
    return [objects.site_object(row, call.host.addresses, counts.get(row.id, 0)) for row in found]
