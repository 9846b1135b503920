"""The content of a space: its pages, and its revisions with their changes."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from flask import Flask, Response

from runtime.api.host import Host
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.organizations import organization_around
from runtime.web.admin.places import filters, not_deleted

CHANGES = 100
"""Changes of a revision or a change request that are listed."""
FOUND = 25
"""Pages that a search lists."""
LONGEST = 512
"""Characters of a search."""


def mount_space_content(app: Flask, host: Host) -> None:
    """Add the pages."""
    space = f"{PATH}/spaces/<space>"
    add_page(app, host, f"{space}/", _home, "GET")
    add_page(app, host, f"{space}/<path:page>", _by_path, "GET")
    add_page(app, host, f"{space}/pages", _pages, "GET")
    add_page(app, host, f"{space}/pages/<page>", _page, "GET")
    add_page(app, host, f"{space}/revisions/<revision>", _revision, "GET")


def _home(visit: OperatorVisit, space: str) -> Response:
    return visit.to(f"{PATH}/spaces/{quote(space)}")


def _by_path(visit: OperatorVisit, space: str, page: str) -> Response:
    """Lead to a page by its path: what integrations append to the address of a space."""
    shown = visit.do("getPageByPath", {"spaceId": space, "pagePath": page.strip("/")})
    return visit.to(f"{PATH}/spaces/{quote(space)}/pages/{quote(shown['id'])}")


def _pages(visit: OperatorVisit, space: str) -> Response:
    around, query = around_space(visit, space), filters("query").get("query", "").strip()
    if query:
        found = visit.do(
            "searchSpaceContent", {"spaceId": space}, query={"query": query[:LONGEST], "limit": str(FOUND)}
        )
        return visit.page("space_pages", pages=(), revision=None, query=query, found=found, **around)
    shown = visit.do("listPages", {"spaceId": space})["pages"]
    return visit.page("space_pages", pages=shown, revision=None, **around)


def _revision(visit: OperatorVisit, space: str, revision: str) -> Response:
    around, path = around_space(visit, space), {"spaceId": space, "revisionId": revision}
    shown = visit.do("listPagesInRevisionById", path)["pages"]
    changes = visit.do("getRevisionSemanticChanges", path, query={"limit": str(CHANGES)})
    return visit.page("space_pages", pages=shown, revision=revision, changes=changes, **around)


def _page(visit: OperatorVisit, space: str, page: str) -> Response:
    around = around_space(visit, space)
    shown = visit.do("getPageById", {"spaceId": space, "pageId": page}, query={"format": "markdown"})
    return visit.page("space_page", page=shown, **around)


def around_space(visit: OperatorVisit, space: str) -> dict[str, Any]:
    """Return what every page about the content of a space shows around it."""
    shown = not_deleted(visit.do("getSpaceById", {"spaceId": space}))
    return {"space": shown, "organization": organization_around(visit, shown), "here": "content"}
