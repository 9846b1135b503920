"""Change requests of a space: their changes, reviewers and reviews, merging and archiving."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Refused, attempt
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.places import filters
from runtime.web.admin.space_content import CHANGES, around_space

STATES = ("open", "draft", "merged", "archived")
OPEN = ("open", "draft")
MOST_PEOPLE = 500
"""People who can be chosen to review."""


def mount_change_requests(app: Flask, host: Host) -> None:
    """Add the pages."""
    all_ = f"{PATH}/spaces/<space>/change-requests"
    one = f"{all_}/<change_request>"
    add_page(app, host, all_, _list, "GET")
    add_page(app, host, all_, _create, "POST")
    add_page(app, host, one, _show, "GET")
    add_page(app, host, f"{one}/<any(merge, update):way>", _bring_together, "POST")
    add_page(app, host, f"{one}/reviewers", _ask, "POST")
    add_page(app, host, f"{one}/reviewers/<user>/remove", _ask_no_longer, "POST")
    add_page(app, host, f"{one}/reviews", _review, "POST")


def _list(visit: OperatorVisit, space: str, refused: Refused = NOTHING_REFUSED) -> Response:
    around, chosen = around_space(visit, space), filters("status")
    listed = page_of(visit, "listChangeRequestsForSpace", {"spaceId": space}, filters=chosen)
    state = chosen.get("status", STATES[0])
    return visit.page(
        "change_requests",
        refused.status,
        listed=listed,
        states=STATES,
        chosen=state,
        elsewhere=_elsewhere(visit, space, state) if not listed.items else (),
        refused=refused,
        **around,
    )


def _elsewhere(visit: OperatorVisit, space: str, chosen: str) -> list[tuple[str, int]]:
    """Count the change requests of the other states, so that an empty list leads on; empty states are left out."""
    counts = [
        (
            state,
            visit.do("listChangeRequestsForSpace", {"spaceId": space}, query={"status": state, "limit": "1"})["count"],
        )
        for state in STATES
        if state != chosen
    ]
    return [(state, count) for state, count in counts if count]


def _create(visit: OperatorVisit, space: str) -> Response:
    subject, made = visit.form.get("subject", "").strip(), dict[str, Any]()
    body = {"subject": subject} if subject else {}
    refused = attempt(visit, "new", lambda: made.update(visit.do("createChangeRequest", {"spaceId": space}, body=body)))
    return _list(visit, space, refused) if refused.form else visit.to(_place(space, made["id"]))


def _show(
    visit: OperatorVisit, space: str, change_request: str, refused: Refused = NOTHING_REFUSED, conflicts: Any = ()
) -> Response:
    around, path = around_space(visit, space), _path(space, change_request)
    shown = visit.do("getChangeRequestById", path)
    changes = visit.do("getChangeRequestChanges", path, query={"limit": str(CHANGES)})
    reviewers = list(islice(every(visit, "getRequestedReviewersByChangeRequestId", path), MOST_PEOPLE))
    reviews = page_of(visit, "getReviewsByChangeRequestId", path, filters={"format": "markdown"}, name="reviews")
    is_open, may = shown["status"] in OPEN, around["space"]["permissions"]
    return visit.page(
        "change_request",
        409 if conflicts else refused.status,
        request=shown,
        changes=changes,
        is_open=is_open,
        reviewers=reviewers,
        people=_people(visit, around["space"]) if is_open and may["edit"] else (),
        reviews=reviews,
        refused=refused,
        conflicts=conflicts,
        **around,
    )


def _people(visit: OperatorVisit, space: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List who may be asked, as ids and names: people who see the space, or all members, if those may not be listed.

    For guests, who may list neither, nobody.
    """
    for operation, path in (
        ("listPermissionsAggregateInSpace", {"spaceId": space["id"]}),
        ("listMembersInOrganizationById", {"organizationId": space["organization"]}),
    ):
        try:
            found = list(islice(every(visit, operation, path), MOST_PEOPLE))
            break
        except (errors.Forbidden, errors.NotFound):
            found = []
    people = [(one["user"]["id"], one["user"]["displayName"]) for one in found]
    return sorted(people, key=lambda person: person[1].lower())


def _bring_together(visit: OperatorVisit, space: str, change_request: str, way: str) -> Response:
    operation = {"merge": "mergeChangeRequest", "update": "updateChangeRequest"}[way]
    done: dict[str, Any] = {}
    refused = attempt(visit, way, lambda: done.update(visit.do(operation, _path(space, change_request))))
    if refused.form or done.get("conflicts"):
        return _show(visit, space, change_request, refused, done.get("conflicts", ()))
    return visit.to(_place(space, change_request))


def _ask(visit: OperatorVisit, space: str, change_request: str) -> Response:
    body = {"users": [visit.form.get("user", "")]}
    return _after(visit, space, change_request, "ask", "requestReviewersForChangeRequest", "reviewers", body=body)


def _ask_no_longer(visit: OperatorVisit, space: str, change_request: str, user: str) -> Response:
    operation = "removeRequestedReviewerFromChangeRequest"
    return _after(visit, space, change_request, "ask", operation, "reviewers", userId=user)


def _review(visit: OperatorVisit, space: str, change_request: str) -> Response:
    body: dict[str, Any] = {"status": visit.form.get("status", "")}
    comment = visit.form.get("comment", "").strip()
    if comment:
        body["comment"] = {"markdown": comment}
    return _after(visit, space, change_request, "review", "submitChangeRequestReview", "reviews", body=body)


def _after(
    visit: OperatorVisit,
    space: str,
    change_request: str,
    form: str,
    operation: str,
    part: str,
    body: dict[str, Any] | None = None,
    **more: str,
) -> Response:
    path = {**_path(space, change_request), **more}
    refused = attempt(visit, form, lambda: visit.do(operation, path, body=body))
    if refused.form:
        return _show(visit, space, change_request, refused)
    return visit.to(f"{_place(space, change_request)}#{part}")


def _path(space: str, change_request: str) -> dict[str, str]:
    return {"spaceId": space, "changeRequestId": change_request}


def _place(space: str, change_request: str) -> str:
    return f"{PATH}/spaces/{space}/change-requests/{change_request}"
