"""The members of an organization: search, roles, removal."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question, attempt, role_of
from runtime.web.admin.paging import page_of
from runtime.web.admin.places import organization_of

FILTERS = ("search", "role")


def mount_people(app: Flask, host: Host) -> None:
    """Add the pages."""
    every, one = f"{PATH}/orgs/<organization>/members", f"{PATH}/orgs/<organization>/members/<user>"
    add_page(app, host, every, _list, "GET")
    add_page(app, host, one, _change, "POST")
    add_question(app, host, f"{one}/remove", _ask, _remove)


def _list(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found, path = organization_of(visit, organization), {"organizationId": organization}
    filters = {name: request.args.get(name, "") for name in FILTERS}
    members = page_of(visit, "listMembersInOrganizationById", path, filters=filters)
    kept = {**filters, "page": request.args.get("page", "")}
    return visit.page(
        "members",
        refused.status,
        organization=found,
        here="members",
        members=members,
        filters=filters,
        kept=urlencode({name: value for name, value in kept.items() if value}),
        refused=refused,
    )


def _change(visit: OperatorVisit, organization: str, user: str) -> Response:
    body = {"role": role_of(visit.form.get("role", ""))}
    path = {"organizationId": organization, "userId": user}
    refused = attempt(visit, user, lambda: visit.do("updateMemberInOrganizationById", path, body=body))
    if refused.form:
        return _list(visit, organization, refused)
    filters = {name: request.args[name] for name in (*FILTERS, "page") if request.args.get(name)}
    # The keyboard stays on the button that was pressed, unless that person is not in the list any more.
    focus = "found" if filters.get("role", body["role"] or "guest") != (body["role"] or "guest") else f"role-{user}"
    return visit.to(f"{PATH}/orgs/{organization}/members" + (f"?{urlencode(filters)}" if filters else "") + f"#{focus}")


def _ask(visit: OperatorVisit, organization: str, user: str) -> Question:
    found = organization_of(visit, organization)
    member = visit.do("getMemberInOrganizationById", {"organizationId": organization, "userId": user})
    back = f"{PATH}/orgs/{organization}/members"
    if user == visit.person().reach.user_id:
        text = "You lose all access to it. To come back you need an invite, or its single sign-on."
        return Question(f"Leave {found['title']}?", text, "Leave organization", back, found, "members")
    name = member["user"]["displayName"]
    text = f"{name} leaves all teams and loses all access to {found['title']}. What they made stays."
    return Question(f"Remove {name}?", text, "Remove member", back, found, "members")


def _remove(visit: OperatorVisit, organization: str, user: str) -> str:
    visit.do("removeMemberFromOrganizationById", {"organizationId": organization, "userId": user})
    return PATH if user == visit.person().reach.user_id else f"{PATH}/orgs/{organization}/members"
