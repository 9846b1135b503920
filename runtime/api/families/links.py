"""Links: the references of pages of a space or a change request, and the references to a page or a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.change_requests import CHANGE_REQUEST
from runtime.api.families.content import PEOPLE_AND_SCRIPTS
from runtime.api.families.spaces import SPACE
from runtime.api.listing import list_of, page_of
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.contract import errors
from runtime.contract.base import JsonObject, ListOf, ListQuery
from runtime.contract.links import BrokenLinks, ChangeRequestLinksQuery, LinkList, LinksQuery, LinkStats
from runtime.engines.shares import NoneLeft
from runtime.serializers.links import Locations
from runtime.services import change_requests as editing
from runtime.services import content
from runtime.services.files import file_in
from runtime.services.linking import Links, Place, Usage, counted
from runtime.store.content import sizes
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

links = Family("Links")
IN_SPACE, IN_CHANGE_REQUEST = f"{SPACE.path}/content", f"{CHANGE_REQUEST.path}/content"
Backlinks = ListOf[JsonObject]
LARGE = 4 << 20
"""Bytes of a space's content, with earlier revisions, from which on its lists may take long."""
P = ParamSpec("P")
T = TypeVar("T")


@links.operation(f"GET {SPACE.path}/links", LinkList, needs=PEOPLE_AND_SCRIPTS)
def list_space_links(call: Call, space: SpaceRow, query: LinksQuery) -> LinkList:
    """List what the pages of a space refer to."""
    return _shown(call, _links(call, space, content.current(call.session, space)), query)


@links.operation(f"GET {IN_SPACE}/page/{{pageId}}/links", LinkList, needs=PEOPLE_AND_SCRIPTS)
def list_page_links_in_space(call: Call, space: SpaceRow, query: LinksQuery) -> LinkList:
    """List what a page of a space refers to."""
    return _shown(call, _links(call, space, content.current(call.session, space)), query, call.path["pageId"])


@links.operation(f"GET {IN_SPACE}/page/{{pageId}}/backlinks", Backlinks, needs=PEOPLE_AND_SCRIPTS)
def list_space_page_backlinks(call: Call, space: SpaceRow, query: ListQuery) -> Backlinks:
    """List the pages of a space that refer to a page."""
    return _backlinks(call, _links(call, space, content.current(call.session, space)), query, "page")


@links.operation(f"GET {IN_SPACE}/files/{{fileId}}/backlinks", Backlinks, needs=PEOPLE_AND_SCRIPTS)
def list_space_file_backlinks(call: Call, space: SpaceRow, query: ListQuery) -> Backlinks:
    """List the pages of a space that refer to a file."""
    return _backlinks(call, _links(call, space, content.current(call.session, space)), query, "file")


@links.operation(f"GET {CHANGE_REQUEST.path}/links", LinkList, needs=member("read"))
def list_change_request_links(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, query: ChangeRequestLinksQuery
) -> LinkList:
    """List what the pages of a change request refer to."""
    found = _links(call, space, editing.content_of(call.session, change_request))
    return _shown(call, found, query, change_request=change_request)


@links.operation(f"GET {IN_CHANGE_REQUEST}/page/{{pageId}}/links", LinkList, needs=member("read"))
def list_page_links_in_change_request(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, query: LinksQuery
) -> LinkList:
    """List what a page of a change request refers to."""
    found = _links(call, space, editing.content_of(call.session, change_request))
    return _shown(call, found, query, call.path["pageId"], change_request=change_request)


@links.operation(f"GET {IN_CHANGE_REQUEST}/page/{{pageId}}/backlinks", Backlinks, needs=member("read"))
def list_change_request_page_backlinks(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, query: ListQuery
) -> Backlinks:
    """List the pages of a change request that refer to a page."""
    found = _links(call, space, editing.content_of(call.session, change_request))
    return _backlinks(call, found, query, "page", change_request)


@links.operation(f"GET {IN_CHANGE_REQUEST}/files/{{fileId}}/backlinks", Backlinks, needs=member("read"))
def list_change_request_file_backlinks(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, query: ListQuery
) -> Backlinks:
    """List the pages of a change request that refer to a file."""
    found = _links(call, space, editing.content_of(call.session, change_request))
    return _backlinks(call, found, query, "file", change_request)


def _links(call: Call, space: SpaceRow, row: RevisionRow) -> Links:
    return Links(call.session, call.actor.reach, call.host.addresses, space, row)


def _in_turn(make: Callable[Concatenate[Call, Links, P], T]) -> Callable[Concatenate[Call, Links, P], T]:
    """Make lists in turns of the space's organization: one of a large space takes seconds, and much memory.

    Lists of spaces with less than `LARGE` bytes wait for nobody, unless two were found to take long within a minute.
    """

    @wraps(make)
    def made(call: Call, found: Links, /, *args: P.args, **kwargs: P.kwargs) -> T:
        space = found.here.space
        try:
            large = sizes.size_of(call.session, space.id) > LARGE
            with call.host.capacity.links.turn(space.organization_id, space.id, long=large):
                return make(call, found, *args, **kwargs)
        except NoneLeft:
            raise errors.Unavailable(
                "Too many lists of links are being made for this organization; try again in a moment."
            ) from None

    return made


@_in_turn
def _shown(
    call: Call,
    found: Links,
    query: LinksQuery,
    page_id: str | None = None,
    *,
    change_request: ChangeRequestRow | None = None,
) -> LinkList:
    page = content.page_in(found.here.snapshot, page_id) if page_id is not None else None
    usages = found.usages(page)
    broken = counted(usages)["broken"]
    here: int | Any = MISSING
    known: set[str] = set()
    if change_request is not None:
        before = _links(call, found.here.space, editing.ancestor_of(call.session, change_request))
        old = before.here.snapshot.page_by_id.get(page_id) if page_id is not None else None
        known = {one.key for one in before.usages(old) if one.status == "broken"} if page_id is None or old else set()
        here = sum(one.count for one in usages if one.status == "broken" and one.key not in known)
    stats = LinkStats(total=counted(usages).total(), broken=BrokenLinks(total=broken, change_request=here))
    wanted = [one for one in usages if query.status is None or one.status == query.status]
    if isinstance(query, ChangeRequestLinksQuery) and query.broken_context is not None:
        old_ones = query.broken_context == "space"
        wanted = [one for one in wanted if one.status == "broken" and (one.key in known) is old_ones]
    locations = Locations(call.view(call.session), found.here, change_request, scopes=call.actor.scopes)
    part, following = page_of(wanted, _at_most(query, locations.most), lambda usage: usage.key)
    locations.load((one.ref for one in part if one.status == "ok"), found.elsewhere(part))
    return LinkList(
        items=[_usage(locations, one, len(part)) for one in part],
        count=len(wanted),
        next=following or MISSING,
        stats=stats,
    )


def _at_most(query: ListQuery, items: int) -> ListQuery:
    return query if query.limit <= items else query.model_copy(update={"limit": items})


def _usage(locations: Locations, usage: Usage, targets: int) -> JsonObject:
    target = locations.target(usage.ref) if usage.status != "broken" else None
    places = locations.places(usage.places, targets)
    shown = {"status": usage.status, "relation": usage.relation, "locationReferences": places}
    return {**shown, "targetReference": target} if target is not None else shown


@_in_turn
def _backlinks(
    call: Call,
    found: Links,
    query: ListQuery,
    kind: Literal["page", "file"],
    change_request: ChangeRequestRow | None = None,
) -> Backlinks:
    if kind == "page":
        target = content.page_in(found.here.snapshot, call.path["pageId"]).id
    else:
        target = file_in(found.here.snapshot, call.path["fileId"]).id
    places: Sequence[Place] = found.leading_to(kind, target)
    locations = Locations(call.view(call.session), found.here, change_request, scopes=call.actor.scopes)
    few = _at_most(query, locations.most)
    part, following = page_of(places, few, lambda place: f"{place.entry.kind} {place.entry.id}")
    return list_of([locations.place(one) for one in part], len(places), following)
