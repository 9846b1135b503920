"""Search in a space, in an organization, and in a published site."""

from __future__ import annotations

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.content import PEOPLE_AND_SCRIPTS
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.families.sites import SITE
from runtime.api.families.spaces import SPACE
from runtime.api.operation import Family
from runtime.api.permission import USER, for_visitors, member, scoped
from runtime.contract import errors
from runtime.contract.base import ListOf, ListQuery, Next
from runtime.contract.conditions import ConditionEvaluator
from runtime.contract.search import AnySiteScope, ContentSearchQuery, SearchPageResult, SearchSite, SearchSpaceResult
from runtime.serializers import search as serializers
from runtime.services import published_places, search, site_search
from runtime.services.search import Found, FoundPage, FoundSpace
from runtime.store import searching
from runtime.store.search_index import finding
from runtime.store.search_index.finding import Scope
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

IN_SITE = for_visitors(scoped(member("read"), "space:content:read"))

content_search = Family("Search")


@content_search.operation(f"GET {SPACE.path}/search", ListOf[SearchPageResult], needs=PEOPLE_AND_SCRIPTS)
def search_space_content(call: Call, space: SpaceRow, query: ContentSearchQuery) -> ListOf[SearchPageResult]:
    """Search the content of a space."""
    found = search.pages(call.session, Scope([space.id]), query.query, query.page, query.limit)
    return ListOf[SearchPageResult](
        items=[_page(call, page) for page in found.items], count=found.count, next=_next(found)
    )


@content_search.operation(
    f"GET {ORGANIZATION.path}/search",
    ListOf[SearchSpaceResult],
    needs=scoped(USER, "space:content:read"),
)
def search_organization_content(
    call: Call, organization: OrganizationRow, query: ContentSearchQuery
) -> ListOf[SearchSpaceResult]:
    """Search the content of the spaces of an organization that the requester may see."""
    ids = finding.spaces_seen(call.session, call.actor.reach, organization.id)
    return _spaces(call, search.spaces(call.session, Scope(ids), query.query, query.page, query.limit))


@content_search.operation(f"POST {SITE.path}/search", ListOf[SearchSpaceResult], needs=IN_SITE, own_transaction=True)
def search_site_content(call: Call, site: SiteRow, query: ListQuery, body: SearchSite) -> ListOf[SearchSpaceResult]:
    """Search a published site, as the visitor may see it."""
    with call.host.database.transaction(writes=False) as session:
        call.opened = session
        scope = scope_in_site(call, site, body.where)
        return _spaces(call, search.spaces(session, scope, body.query, query.page, query.limit))


def scope_in_site(call: Call, site: SiteRow, where: AnySiteScope) -> Scope:
    """Return the spaces of a site to search: those for its visitor; other callers must also be able to see each."""
    if not site.published:
        raise errors.NotFound("This site is not published.")
    claims = call.actor.visitor.claims if call.actor.visitor is not None else {}
    parts = published_places.visible_parts(call.session, site, ConditionEvaluator(claims))
    ids = list(dict.fromkeys(part.space_id for part in site_search.chosen(call.session, parts, where)))
    if call.actor.visitor is None:
        seen = set(finding.spaces_seen(call.session, call.actor.reach, site.organization_id))
        ids = [space_id for space_id in ids if space_id in seen]
    return Scope(ids, listed=True)


def _spaces(call: Call, found: Found[FoundSpace]) -> ListOf[SearchSpaceResult]:
    titles = searching.contents(call.session, SpaceRow, [one.space_id for one in found.items])
    items = [
        SearchSpaceResult(
            id=one.space_id,
            title=titles[one.space_id].title,
            pages=[_page(call, page) for page in one.pages],
        )
        for one in found.items
        if one.space_id in titles
    ]
    return ListOf[SearchSpaceResult](items=items, count=found.count, next=_next(found))


def _page(call: Call, page: FoundPage) -> SearchPageResult:
    return serializers.page(call.host.addresses, page.row, page.excerpts)


def _next(found: Found[FoundPage] | Found[FoundSpace]) -> Next | MISSING:
    return Next(page=found.next) if found.next is not None else MISSING
