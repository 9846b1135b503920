"""Imports into a space: what is imported where, how far each one is, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.services.files import MAX_FILE
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Refused, attempt
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.space_content import around_space

SOURCES = {
    "zip": "Zip of a folder",
    "markdown": "Markdown",
    "html": "HTML",
    "docx": "Document of Word",
    "google-docs": "Document of Google",
    "website": "Website, page by page",
    "confluence": "Export of Confluence as HTML",
    "notion": "Export of Notion as Markdown and CSV",
    "github-wiki": "Wiki of GitHub",
}
STATES = {
    "pending": "Waiting",
    "in-progress": "In progress",
    "completed": "Completed",
    "failed": "Failed",
    "cancelled": "Cancelled",
}
UNDER_WAY = ("pending", "in-progress")
INTO_SPACE, INTO_NEW = "space", "new"
MOST_PAGES = 300
"""Pages that one can choose from to import into."""
LONGEST_SUBJECT = 100


def mount_imports(app: Flask, host: Host) -> None:
    """Add the pages."""
    every = f"{PATH}/spaces/<space>/imports"
    add_page(app, host, every, _list, "GET")
    add_page(app, host, every, _begin, "POST", most_file=MAX_FILE)
    add_page(app, host, f"{every}/<import_>", _import, "GET")
    add_page(app, host, f"{every}/<import_>/cancel", _cancel, "POST")


MOST_WAITING = 500
"""Change requests to choose from."""


def _list(visit: OperatorVisit, space: str, refused: Refused = NOTHING_REFUSED) -> Response:
    around, path = around_space(visit, space), {"spaceId": space}
    listed = page_of(visit, "listImports", path)
    choices: dict[str, Any] = {}
    if around["space"]["permissions"]["edit"]:
        found = (every(visit, "listChangeRequestsForSpace", path, status=status) for status in ("open", "draft"))
        waiting = list(islice(chain.from_iterable(found), MOST_WAITING))
        live = around["space"]["editMode"] == "live"
        chosen = request.args.get("into") or (INTO_SPACE if live else INTO_NEW)
        pages = list(islice(_flat(visit.do("listPages", path)["pages"]), MOST_PAGES))
        choices = {"requests": waiting, "live": live, "into": chosen, "pages": pages, "most": MAX_FILE >> 20}
        choices["not_all"] = len(waiting) == MOST_WAITING
    return visit.page(
        "imports", refused.status, listed=listed, sources=SOURCES, states=STATES, refused=refused, **choices, **around
    )


def _begin(visit: OperatorVisit, space: str) -> Response:
    made: dict[str, Any] = {}
    refused = attempt(visit, "import", lambda: made.update(_begun(visit, space)))
    return _list(visit, space, refused) if refused.form else visit.to(f"{PATH}/spaces/{space}/imports/{made['id']}")


def _begun(visit: OperatorVisit, space: str) -> Any:
    """Start an import of an address or a file; if it is refused, a change request created for it is archived."""
    url = visit.form.get("url", "").strip()
    if bool(url) == (visit.file is not None):
        raise errors.BadRequest("Enter an address, or choose a file, but not both.")
    into = visit.form.get("into", "")
    if into != INTO_NEW:
        return _started(visit, space, url, None if into == INTO_SPACE else into)
    subject = f"Import {visit.file.name if visit.file is not None else url}"[:LONGEST_SUBJECT]
    path = {"spaceId": space}
    new = visit.do("createChangeRequest", path, body={"subject": subject})["id"]
    try:
        return _started(visit, space, url, new)
    except errors.ApiError:
        visit.do("updateChangeRequestById", {**path, "changeRequestId": new}, body={"status": "archived"})
        raise


def _started(visit: OperatorVisit, space: str, url: str, change_request: str | None) -> Any:
    given = {"source": visit.form.get("source", "")}
    if visit.form.get("page"):
        given["page"] = visit.form["page"]
    if change_request is not None:
        given["changeRequest"] = change_request
    path = {"spaceId": space}
    if visit.file is None:
        return visit.do("beginImport", path, body={**given, "url": url})
    return visit.do("uploadImport", path, query={**given, "name": visit.file.name}, upload=visit.file.upload)


def _import(visit: OperatorVisit, space: str, import_: str, refused: Refused = NOTHING_REFUSED) -> Response:
    around, path = around_space(visit, space), {"spaceId": space}
    shown = visit.do("getImportById", {**path, "importId": import_})
    within = None
    if "changeRequest" in shown:
        within = visit.do("getChangeRequestById", {**path, "changeRequestId": shown["changeRequest"]})
    return visit.page(
        "import",
        refused.status,
        one=shown,
        within=within,
        sources=SOURCES,
        states=STATES,
        under_way=shown["status"] in UNDER_WAY,
        refused=refused,
        **around,
    )


def _cancel(visit: OperatorVisit, space: str, import_: str) -> Response:
    path = {"spaceId": space, "importId": import_}
    refused = attempt(visit, "cancel", lambda: visit.do("cancelImport", path))
    if refused.form:
        return _import(visit, space, import_, refused)
    return visit.to(f"{PATH}/spaces/{space}/imports/{import_}")


def _flat(pages: Sequence[dict[str, Any]], depth: int = 0) -> Iterator[tuple[str, str, int]]:
    """List the pages that others can be in, as id, title and depth."""
    for page in pages:
        if page["type"] in ("document", "group"):
            yield page["id"], page["title"], depth
            yield from _flat(page.get("pages", ()), depth + 1)
