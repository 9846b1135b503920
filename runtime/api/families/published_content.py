"""Published content: a site with everything needed to render it, and what an address leads to."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.sites import SITE
from runtime.api.operation import Family
from runtime.api.permission import PUBLIC, for_visitors, member, scoped
from runtime.contract import conditions, errors
from runtime.contract.published import (
    Customizations,
    Lookup,
    LookupQuery,
    PublishedContentSite,
    ResolveUrl,
)
from runtime.contract.site_structure import ShareKeyQuery
from runtime.serializers import site_structure as structure_serializers
from runtime.serializers import sites as serializers
from runtime.services import customizing, published_lookup, published_places, sharing, site_scripts
from runtime.services.published_lookup import Visitor
from runtime.store.tables.sites import SiteRow

published_content = Family("Published content")


@published_content.operation(
    f"GET {SITE.path}/published",
    PublishedContentSite,
    needs=for_visitors(scoped(member("read"), "site:metadata:read")),
)
def get_published_content_site(call: Call, site: SiteRow, query: ShareKeyQuery) -> PublishedContentSite:
    """Get a published site with everything needed to render it, as the visitor may see it."""
    if not site.published:
        raise errors.NotFound("This site is not published.")
    came, session = call.actor.visitor, call.session
    key = came.share_key if came is not None else sharing.key_that_opens(session, site, query.share_key)
    claims = came.claims if came is not None else {}
    visitor = conditions.ConditionEvaluator(claims)
    parts = published_places.visible_parts(session, site, visitor)
    looks = customizing.of_spaces(session, site, [part.id for part in parts.spaces])
    shown = call.show(partial(serializers.sites, share_key=key), site)
    return PublishedContentSite(
        site=shown.model_copy(update={"site_spaces": len(parts.spaces)}),
        structure=structure_serializers.structure(call.view(session), site, parts, share_key=key),
        customizations=Customizations(
            site=customizing.for_visitor(customizing.of_site(session, site), visitor),
            site_spaces={one: customizing.for_visitor(settings, visitor) for one, settings in looks.items()},
        ),
        scripts=site_scripts.of_site(session, site, call.host.addresses),
    )


@published_content.operation("GET /v1/urls/published", Lookup, needs=PUBLIC, own_transaction=True)
def get_published_content_by_url(call: Call, query: LookupQuery) -> Any:
    """Find what a published address leads to."""
    visitor = Visitor(query.visitor_auth_token or None)
    return _resolved(call, query.url, visitor, redirect_on_error=query.redirect_on_error)


@published_content.operation("POST /v1/urls/published", Lookup, needs=PUBLIC, own_transaction=True)
def resolve_published_content_by_url(call: Call, body: ResolveUrl) -> Any:
    """Find what a published address leads to for a visitor."""
    visitor = Visitor()
    if body.visitor is not MISSING:
        token = None if body.visitor.jwt_token is MISSING else body.visitor.jwt_token or None
        visitor = Visitor(token, None if body.visitor.unsigned_claims is MISSING else body.visitor.unsigned_claims)
    return _resolved(call, body.url, visitor, redirect_on_error=body.redirect_on_error)


def _resolved(call: Call, url: str, visitor: Visitor, *, redirect_on_error: bool) -> Any:
    with call.host.database.transaction(writes=False) as session:
        at, reach = call.host.addresses, call.actor.reach
        return published_lookup.resolve(session, at, url, visitor, reach, redirect_on_error=redirect_on_error)
