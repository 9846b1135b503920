"""How the text of a page changes with a change request, line by line."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.services import line_changes
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.space_content import around_space

ON_A_PAGE = 500
"""Lines that one page shows."""


def mount_page_changes(app: Flask, host: Host) -> None:
    """Add the page."""
    add_page(app, host, f"{PATH}/spaces/<space>/change-requests/<change_request>/pages/<page>", _show, "GET")


def _show(visit: OperatorVisit, space: str, change_request: str, page: str) -> Response:
    around, path = around_space(visit, space), {"spaceId": space, "changeRequestId": change_request}
    shown = visit.do("getChangeRequestById", path)
    base = shown.get("revisionMergedAncestor", shown["revisionInitial"])
    before = _page(visit, "getPageInRevisionById", {"spaceId": space, "revisionId": base, "pageId": page})
    after = _page(visit, "getPageInChangeRequestById", {**path, "pageId": page})
    if before is None and after is None:
        raise errors.NotFound("There is no such page, neither in this change request nor before it.")
    old, new = ((one or {}).get("markdown", "") for one in (before, after))
    lines, cut = line_changes.between(old, new)
    start = request.args.get("from", "")
    first = min(int(start), len(lines)) if start.isascii() and start.isdigit() and len(start) < 7 else 0
    return visit.page(
        "page_changes",
        request=shown,
        one=after or before,
        is_new=before is None,
        is_gone=after is None,
        lines=lines[first : first + ON_A_PAGE],
        first=first,
        following=first + ON_A_PAGE if first + ON_A_PAGE < len(lines) else 0,
        same=old == new,
        cut=line_changes.MAX_LINES if cut else 0,
        **around,
    )


def _page(visit: OperatorVisit, operation: str, path: dict[str, str]) -> dict[str, Any] | None:
    """Return a page with its text; None where it is not there."""
    try:
        found: dict[str, Any] = visit.do(operation, path, query={"format": "markdown"})
    except errors.NotFound:
        return None
    return found
