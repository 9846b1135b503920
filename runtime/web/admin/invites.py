"""Invites into an organization, by e-mail and by link, for those who administer it."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import (
    NOTHING_REFUSED,
    Question,
    Refused,
    add_question,
    attempt,
    attempt_once,
    role_of,
    split_list,
)
from runtime.web.admin.paging import page_of
from runtime.web.admin.places import organization_of

DEFAULT = "default"
NAMED = 3
"""Addresses that a sentence names."""
ALREADY = "You already sent this form, to invite {about}."
NOT_AGAIN = " Their addresses to join are not shown again: if you did not copy them, invite the same people again."


def mount_invites(app: Flask, host: Host) -> None:
    """Add the pages."""
    every = f"{PATH}/orgs/<organization>/invites"
    add_page(app, host, every, _page, "GET")
    add_page(app, host, every, _invite, "POST")
    add_page(app, host, f"{every}/links", _add_link, "POST")
    add_page(app, host, f"{every}/links/<link>", _change_link, "POST")
    add_question(app, host, f"{every}/links/<link>/delete", _ask, _delete)
    add_question(app, host, f"{every}/pending/<tail:email>/withdraw", _ask_pending, _withdraw)


def _page(
    visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED, came: dict[str, Any] | None = None
) -> Response:
    found, path = organization_of(visit, organization), {"organizationId": organization}
    pending = page_of(visit, "listOrganizationEmailInvites", path, name="pending")
    links = page_of(visit, "listOrganizationInviteLinks", path)
    return visit.page(
        "invites",
        refused.status,
        organization=found,
        here="members",
        pending=pending,
        links=links,
        came=came,
        sends=visit.host.mailer is not None,
        refused=refused,
    )


def _invite(visit: OperatorVisit, organization: str) -> Response:
    """Invite people; the addresses to pass on are shown once, so no redirect follows, and a reload sends it again."""
    body: dict[str, Any] = {"emails": split_list(visit.form.get("emails", ""))}
    if not body["emails"]:
        return _page(visit, organization, Refused("people", "Write at least one e-mail address.", 400, visit.form))
    if visit.form.get("role", DEFAULT) != DEFAULT:
        body["role"] = role_of(visit.form["role"])
    came: dict[str, Any] = {}
    path = {"organizationId": organization}
    refused = attempt_once(
        visit,
        "people",
        lambda: came.update(visit.do("inviteUsersToOrganization", path, body=body)),
        _some(body["emails"]),
        ALREADY + (NOT_AGAIN if visit.host.mailer is None else ""),
    )
    return _page(visit, organization, refused, came or None)


def _some(emails: list[str]) -> str:
    """Name the first of the addresses, and how many more there are."""
    more = len(emails) - NAMED
    return ", ".join(one[:80] for one in emails[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _add_link(visit: OperatorVisit, organization: str) -> Response:
    path, body = {"organizationId": organization}, {"role": role_of(visit.form.get("role", ""))}
    return _after(visit, organization, "link", "createOrganizationInvite", path, body)


def _change_link(visit: OperatorVisit, organization: str, link: str) -> Response:
    path = {"organizationId": organization, "inviteId": link}
    body = {"role": role_of(visit.form.get("role", ""))}
    return _after(visit, organization, link, "updateOrganizationInviteById", path, body)


def _after(
    visit: OperatorVisit, organization: str, form: str, operation: str, path: dict[str, str], body: dict[str, Any]
) -> Response:
    refused = attempt(visit, form, lambda: visit.do(operation, path, body=body))
    return _page(visit, organization, refused) if refused.form else visit.to(f"{PATH}/orgs/{organization}/invites")


def _ask(visit: OperatorVisit, organization: str, link: str) -> Question:
    found = organization_of(visit, organization)
    shown = visit.do("getOrganizationInviteLink", {"organizationId": organization, "inviteId": link})
    return Question(
        "Delete this invite link?",
        f"Whoever has its address can no longer join with it: {shown['urls']['app']}",
        "Delete link",
        f"{PATH}/orgs/{organization}/invites",
        found,
        "members",
    )


def _delete(visit: OperatorVisit, organization: str, link: str) -> str:
    visit.do("deleteOrganizationInviteById", {"organizationId": organization, "inviteId": link})
    return f"{PATH}/orgs/{organization}/invites"


def _ask_pending(visit: OperatorVisit, organization: str, email: str) -> Question:
    return Question(
        "Withdraw this invite?",
        f"{email} can no longer accept it. You can invite the same address again.",
        "Withdraw invite",
        f"{PATH}/orgs/{organization}/invites",
        organization_of(visit, organization),
        "members",
    )


def _withdraw(visit: OperatorVisit, organization: str, email: str) -> str:
    visit.do("deleteOrganizationEmailInvite", {"organizationId": organization, "email": email})
    return f"{PATH}/orgs/{organization}/invites"
