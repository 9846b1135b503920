"""An organization: its overview, and its settings for those who administer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Refused, attempt, role_of, split_list
from runtime.web.admin.paging import every
from runtime.web.admin.places import organization_of, titles_of


def mount_organizations(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{PATH}/orgs/<organization>", _overview, "GET")
    add_page(app, host, f"{PATH}/orgs/<organization>", _save, "POST")


def organization_around(visit: OperatorVisit, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the organization of a space or a collection; nothing to guests, who see only what was granted to them."""
    try:
        return organization_of(visit, content["organization"])
    except errors.NotFound:
        return {}


def _overview(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found = organization_of(visit, organization)
    logins = visit.do("listSSOProviderLoginsInOrganization", {"organizationId": organization})["items"]
    numbers = {
        part: visit.do(operation, {"organizationId": organization}, query={"limit": "0"})["count"]
        for part, operation in (
            ("members", "listMembersInOrganizationById"),
            ("teams", "listTeamsInOrganizationById"),
            ("spaces", "listSpacesInOrganizationById"),
        )
    }
    # Only the form of administrators has them to choose from.
    sites = every(visit, "listSites", {"organizationId": organization}) if found["permissions"]["admin"] else ()
    return visit.page(
        "organization",
        refused.status,
        organization=found,
        here="",
        numbers=numbers,
        logins=logins,
        sites=titles_of(sites),
        refused=refused,
    )


def _save(visit: OperatorVisit, organization: str) -> Response:
    form = visit.form
    site = form.get("defaultSite", "")
    body = {
        "title": form.get("title", ""),
        **({"hostname": form["hostname"].strip()} if form.get("hostname", "").strip() else {}),
        "logo": form.get("logo", "").strip() or None,
        "defaultContent": {"type": "site", "site": site} if site else None,
        "defaultRole": role_of(form.get("defaultRole", "")),
        "emailDomains": split_list(form.get("emailDomains", "")),
        **{name: name in form for name in ("inviteLinks", "sso", "ai")},
    }
    path = {"organizationId": organization}
    refused = attempt(visit, "settings", lambda: visit.do("updateOrganizationById", path, body=body))
    return _overview(visit, organization, refused) if refused.form else visit.to(f"{PATH}/orgs/{organization}")
