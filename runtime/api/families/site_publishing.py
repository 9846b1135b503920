"""Publishing of sites: share links, redirects, visitor sign-in, customization."""

from __future__ import annotations

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.site_structure import SITE_SPACE
from runtime.api.families.sites import SITE, require_create_on_all
from runtime.api.operation import Family
from runtime.api.permission import for_visitors, member, scoped
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.customization_overrides import OverrideCustomization
from runtime.contract.customizations import CustomizationQuery, SiteCustomizationSettings
from runtime.contract.site_publishing import (
    CreateRedirect,
    CreateShareLink,
    FoundRedirect,
    PublishingAuth,
    RedirectListQuery,
    RedirectQuery,
    ShareLink,
    SiteRedirect,
    UpdatePublishingAuth,
    UpdateRedirect,
    UpdateShareLink,
)
from runtime.serializers import site_publishing as serializers
from runtime.services import customizing, sharing, visitor_keys
from runtime.services.published_places import place_of_redirect
from runtime.store import share_links
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow

SHARE_LINK = Resource(
    "share_link",
    ShareLinkRow,
    at="share-links/{shareLinkId}",
    within=SITE,
    parent_column="site_id",
    model=ShareLink,
    serialize=serializers.share_links,
    order=newest_first(ShareLinkRow.created_at, ShareLinkRow.id),
)
REDIRECT = Resource(
    "redirect",
    RedirectRow,
    at="redirects/{siteRedirectId}",
    within=SITE,
    parent_column="site_id",
    model=SiteRedirect,
    serialize=serializers.redirects,
    order=newest_first(RedirectRow.created_at, RedirectRow.id),
)

site_publishing = Family("Site publishing", SHARE_LINK, REDIRECT)
EDITORS = member("create")
READERS = scoped(member("read"), "site:metadata:read")
AUTH = f"{SITE.path}/publishing/auth"
LOOKS = f"{SITE.path}/customization"
SPACE_LOOKS = f"{SITE_SPACE.path}/customization"

crud.list_of(
    site_publishing,
    SHARE_LINK,
    "listSiteShareLinks",
    "List the share links of a site, with their keys.",
    needs=EDITORS,
)


@site_publishing.operation(f"POST {SHARE_LINK.collection}", SHARE_LINK, needs=EDITORS, status=201)
def create_site_share_link(call: Call, site: SiteRow, body: CreateShareLink) -> ShareLinkRow:
    """Create a share link."""
    require_create_on_all(call, site)
    row = sharing.make_link(call.session, site, body.name)
    call.location = call.host.addresses.api("orgs", site.organization_id, "sites", site.id, "share-links", row.id)
    return row


@site_publishing.operation(f"PATCH {SHARE_LINK.path}", SHARE_LINK, needs=EDITORS)
def update_site_share_link_by_id(
    call: Call, site: SiteRow, share_link: ShareLinkRow, body: UpdateShareLink
) -> ShareLinkRow:
    """Change a share link."""
    if body.active is True and not share_link.active:
        require_create_on_all(call, site)
    return crud.patched(share_link, body)


crud.delete(
    site_publishing,
    SHARE_LINK,
    "deleteSiteShareLinkById",
    "Delete a share link: its key no longer works.",
    needs=EDITORS,
)


@site_publishing.list(f"GET {REDIRECT.collection}", REDIRECT, needs=READERS)
def list_site_redirects(call: Call, site: SiteRow, query: RedirectListQuery) -> Conditions:
    """List the redirects of a site."""
    return share_links.redirects(site, query.search)


@site_publishing.operation(f"POST {REDIRECT.collection}", REDIRECT, needs=EDITORS, status=201)
def create_site_redirect(call: Call, site: SiteRow, body: CreateRedirect) -> RedirectRow:
    """Create a redirect."""
    return sharing.make_redirect(call.session, site, body)


@site_publishing.operation(f"PATCH {REDIRECT.path}", REDIRECT, needs=EDITORS)
def update_site_redirect_by_id(call: Call, site: SiteRow, redirect: RedirectRow, body: UpdateRedirect) -> RedirectRow:
    """Change a redirect."""
    return sharing.update_redirect(call.session, site, redirect, body)


crud.delete(site_publishing, REDIRECT, "deleteSiteRedirectById", "Delete a redirect.", needs=EDITORS)


@site_publishing.operation(f"GET {SITE.path}/redirect", FoundRedirect, needs=for_visitors(READERS))
def get_site_redirect_by_source(call: Call, site: SiteRow, query: RedirectQuery) -> FoundRedirect:
    """Get the redirect from a path, with the address it leads to."""
    visitor = call.actor.visitor
    key = visitor.share_key if visitor is not None else sharing.key_that_opens(call.session, site, query.share_key)
    claims = visitor.claims if visitor is not None else None
    row = sharing.redirect_from(call.session, site, query.source)
    place = place_of_redirect(call.session, site, row, claims) if row is not None else None
    if row is None or place is None:
        raise errors.NotFound("There is no redirect from this path.")
    home = call.host.addresses.site(site.id)
    return FoundRedirect(
        redirect=call.show(serializers.redirects, row), target=f"{home}{key}/{place}" if key else home + place
    )


@site_publishing.operation(f"GET {AUTH}", PublishingAuth, needs=member("admin"))
def get_site_publishing_auth_by_id(call: Call, site: SiteRow) -> PublishingAuth:
    """Get who signs the visitors of a site in, with the key."""
    return _auth(call, site)


@site_publishing.operation(f"PATCH {AUTH}", PublishingAuth, needs=member("admin"))
def update_site_publishing_auth_by_id(call: Call, site: SiteRow, body: UpdatePublishingAuth) -> PublishingAuth:
    """Change who signs the visitors of a site in."""
    visitor_keys.update(call.session, site, body)
    return _auth(call, site)


@site_publishing.operation(f"POST {AUTH}/regenerate", PublishingAuth, needs=member("admin"))
def regenerate_site_publishing_auth_by_id(call: Call, site: SiteRow) -> PublishingAuth:
    """Replace the key: tokens signed with the old one are no longer accepted."""
    visitor_keys.regenerate(call.session, site)
    return _auth(call, site)


def _auth(call: Call, site: SiteRow) -> PublishingAuth:
    key = visitor_keys.key_of(call.session, site)
    if key is None:
        raise errors.BadRequest(visitor_keys.NOT_ACTIVE)
    return serializers.publishing_auth(site, key)


@site_publishing.operation(f"GET {LOOKS}", SiteCustomizationSettings, needs=READERS)
def get_site_customization_by_id(call: Call, site: SiteRow, query: CustomizationQuery) -> SiteCustomizationSettings:
    """Get the customization of a site."""
    return customizing.of_site(call.session, site)


@site_publishing.operation(f"PUT {LOOKS}", SiteCustomizationSettings, needs=EDITORS)
def update_site_customization_by_id(
    call: Call, site: SiteRow, body: SiteCustomizationSettings
) -> SiteCustomizationSettings:
    """Set the whole customization of a site."""
    return customizing.set_site(call.session, site, body)


@site_publishing.operation(f"GET {SPACE_LOOKS}", SiteCustomizationSettings, needs=READERS)
def get_site_space_customization_by_id(
    call: Call, site: SiteRow, site_space: SiteSpaceRow, query: CustomizationQuery
) -> SiteCustomizationSettings:
    """Get the customization of a space of a site."""
    return customizing.of_space(call.session, site, site_space)


@site_publishing.operation(f"PATCH {SPACE_LOOKS}", SiteCustomizationSettings, needs=EDITORS)
def override_site_space_customization_by_id(
    call: Call, site: SiteRow, site_space: SiteSpaceRow, body: OverrideCustomization
) -> SiteCustomizationSettings:
    """Change the overrides of a space of a site."""
    return customizing.override(call.session, site, site_space, body)


@site_publishing.operation(f"DELETE {SPACE_LOOKS}", needs=EDITORS, status=205, also=("204",))
def delete_site_space_customization_by_id(call: Call, site: SiteRow, site_space: SiteSpaceRow) -> None:
    """Remove all overrides of a space of a site."""
    if not customizing.clear(call.session, site, site_space):
        call.status = 204
