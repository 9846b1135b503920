"""What a space says: its pages, its revisions, and change requests with what they change, to be merged."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.web.admin.asking import NOTHING_REFUSED, Refused, attempt
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.organizations import organization_around
from runtime.web.admin.paging import page_of
from runtime.web.admin.places import filters

CHANGES = 100
"""Changes of a change request that are listed."""
FOUND = 25
"""Pages that a search lists."""
LONGEST = 512
"""Characters of a search."""
STATES = ("open", "draft", "merged", "archived")


def mount_space_content(app: Flask, host: Host) -> None:
    """Add the pages."""
    space = f"{PATH}/spaces/<space>"
    add_page(app, host, f"{space}/pages", _pages, "GET")
    add_page(app, host, f"{space}/pages/<page>", _page, "GET")
    add_page(app, host, f"{space}/revisions/<revision>", _revision, "GET")
    add_page(app, host, f"{space}/change-requests", _change_requests, "GET")
    add_page(app, host, f"{space}/change-requests/<change_request>", _change_request, "GET")
    add_page(app, host, f"{space}/change-requests/<change_request>/<any(merge, update):way>", _bring_together, "POST")


def _pages(visit: OperatorVisit, space: str) -> Response:
    around, query = _around(visit, space), filters("query").get("query", "").strip()
    if query:
        found = visit.do(
            "searchSpaceContent", {"spaceId": space}, query={"query": query[:LONGEST], "limit": str(FOUND)}
        )
        return visit.page("space_pages", pages=(), revision=None, query=query, found=found, **around)
    shown = visit.do("listPages", {"spaceId": space})["pages"]
    return visit.page("space_pages", pages=shown, revision=None, **around)


def _revision(visit: OperatorVisit, space: str, revision: str) -> Response:
    around, path = _around(visit, space), {"spaceId": space, "revisionId": revision}
    shown = visit.do("listPagesInRevisionById", path)["pages"]
    changes = visit.do("getRevisionSemanticChanges", path, query={"limit": str(CHANGES)})
    return visit.page("space_pages", pages=shown, revision=revision, changes=changes, **around)


def _page(visit: OperatorVisit, space: str, page: str) -> Response:
    around = _around(visit, space)
    shown = visit.do("getPageById", {"spaceId": space, "pageId": page}, query={"format": "markdown"})
    return visit.page("space_page", page=shown, **around)


def _change_requests(visit: OperatorVisit, space: str) -> Response:
    around, chosen = _around(visit, space), filters("status")
    listed = page_of(visit, "listChangeRequestsForSpace", {"spaceId": space}, filters=chosen)
    return visit.page("change_requests", listed=listed, states=STATES, chosen=chosen.get("status", STATES[0]), **around)


def _change_request(
    visit: OperatorVisit, space: str, change_request: str, refused: Refused = NOTHING_REFUSED, conflicts: Any = ()
) -> Response:
    around, path = _around(visit, space), {"spaceId": space, "changeRequestId": change_request}
    shown = visit.do("getChangeRequestById", path)
    changes = visit.do("getChangeRequestChanges", path, query={"limit": str(CHANGES)})
    status = 409 if conflicts else refused.status
    return visit.page(
        "change_request", status, request=shown, changes=changes, refused=refused, conflicts=conflicts, **around
    )


def _bring_together(visit: OperatorVisit, space: str, change_request: str, way: str) -> Response:
    operation = {"merge": "mergeChangeRequest", "update": "updateChangeRequest"}[way]
    path, done = {"spaceId": space, "changeRequestId": change_request}, {}
    refused = attempt(visit, way, lambda: done.update(visit.do(operation, path)))
    if refused.form or done.get("conflicts"):
        return _change_request(visit, space, change_request, refused, done.get("conflicts", ()))
    return visit.to(f"{PATH}/spaces/{space}/change-requests/{change_request}")


def _around(visit: OperatorVisit, space: str) -> dict[str, Any]:
    shown = visit.do("getSpaceById", {"spaceId": space})
    return {"space": shown, "organization": organization_around(visit, shown), "here": "content"}
