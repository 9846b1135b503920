"""The content of an organization as a tree; creating collections and spaces, and restoring deleted spaces."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.services.spaces import RESTORABLE
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.content_tree import tree_of
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question, attempt
from runtime.web.admin.places import organization_of

MAX_DELETED = 100
OPERATIONS = {"collection": "createCollection", "space": "createSpace"}


def mount_content(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{PATH}/orgs/<organization>/content", _show, "GET")
    add_page(app, host, f"{PATH}/orgs/<organization>/content/<any(collection, space):kind>", _create, "POST")
    add_question(app, host, f"{PATH}/orgs/<organization>/content/deleted/<space>", _ask, _restore)


def _show(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found = organization_of(visit, organization)
    tree = tree_of(visit, organization)
    return visit.page(
        "content",
        refused.status,
        organization=found,
        here="content",
        tree=tree,
        places=tree.places_for({"id": ""}),
        parent=request.args.get("parent", ""),
        deleted=_deleted(visit, organization),
        refused=refused,
    )


def _create(visit: OperatorVisit, organization: str, kind: str) -> Response:
    body = {"title": visit.form.get("title", "").strip() or "Untitled"}
    if visit.form.get("parent"):
        body["parent"] = visit.form["parent"]
    made: dict[str, Any] = {}
    path = {"organizationId": organization}
    refused = attempt(visit, kind, lambda: made.update(visit.do(OPERATIONS[kind], path, body=body)))
    return _show(visit, organization, refused) if refused.form else visit.to(f"{PATH}/{kind}s/{made['id']}")


def _deleted(visit: OperatorVisit, organization: str) -> list[dict[str, str]]:
    """List the spaces that the signed-in person may restore."""
    query = {"deleted": "true", "limit": str(MAX_DELETED)}
    found = visit.do("listSpacesInOrganizationById", {"organizationId": organization}, query=query)["items"]
    return [
        {
            "id": one["id"],
            "title": one["title"],
            "until": f"{datetime.fromisoformat(one['deletedAt']) + RESTORABLE:%Y-%m-%d %H:%M} UTC",
        }
        for one in found
    ]


def _ask(visit: OperatorVisit, organization: str, space: str) -> Question:
    found = organization_of(visit, organization)
    title = next((one["title"] for one in _deleted(visit, organization) if one["id"] == space), "this space")
    return Question(
        f"Restore {title}?",
        "It returns to its place, or to the top level if its collection was deleted. "
        "Integrations that are installed on all spaces are installed on it again; others are not.",
        "Restore space",
        f"{PATH}/orgs/{organization}/content",
        found,
        "content",
    )


def _restore(visit: OperatorVisit, organization: str, space: str) -> str:
    visit.do("restoreSpace", {"spaceId": space})
    return f"{PATH}/spaces/{space}"
