"""The spaces and sites of an installed integration: all, or a selection."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Refused
from runtime.web.admin.integrations import ONE, installation_in, path_to
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.places import Object, about_the_form, filters, organization_of, place


@dataclass(frozen=True, slots=True)
class InstallationKind:
    """Spaces or sites: how operations name them."""

    word: str
    listed: str
    parts: str
    install: str
    get: str
    update: str
    uninstall: str
    key: str
    sent: str

    @property
    def plural(self) -> str:
        """What addresses and pages call them."""
        return f"{self.word}s"


KINDS = {
    "spaces": InstallationKind(
        "space",
        "listSpacesInOrganizationById",
        "listIntegrationInstallationSpaces",
        "installIntegrationOnSpace",
        "getIntegrationSpaceInstallation",
        "updateIntegrationSpaceInstallation",
        "uninstallIntegrationFromSpace",
        "spaceId",
        "space",
    ),
    "sites": InstallationKind(
        "site",
        "listSites",
        "listIntegrationInstallationSites",
        "installIntegrationOnSite",
        "getIntegrationSiteInstallation",
        "updateIntegrationSiteInstallation",
        "uninstallIntegrationFromSite",
        "siteId",
        "siteId",
    ),
}


def mount_integration_parts(app: Flask, host: Host) -> None:
    """Add the pages."""
    at = f"{ONE}/<any(spaces, sites):kind>"
    add_page(app, host, at, _show, "GET")
    add_page(app, host, at, _select, "POST")
    add_page(app, host, f"{at}/<part>", _change, "POST")


def _show(
    visit: OperatorVisit, organization: str, name: str, kind: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    which = KINDS[kind]
    within = organization_of(visit, organization)
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    installation = installation_in(visit, organization, name)
    listed = page_of(visit, which.listed, {"organizationId": organization})
    parts = {one[which.word]: one for one in every(visit, which.parts, path_to(installation, name))}
    configurations = integration.get("configurations") or {}
    return visit.page(
        "integration_parts",
        refused.status,
        organization=within,
        here="integrations",
        at=place("orgs", organization, "integrations", name),
        integration=integration,
        kind=kind,
        word=which.word,
        rows=[(one, parts.get(one["id"])) for one in listed.items],
        listed=listed,
        selection=installation[f"{which.word}_selection"],
        configured=which.word in configurations,
        may=within["permissions"]["installIntegration"],
        shown_page=filters("page").get("page", ""),
        problem=refused.message,
    )


def _select(visit: OperatorVisit, organization: str, name: str, kind: str) -> Response:
    """Choose all, or those that are selected one by one."""
    installation = installation_in(visit, organization, name)
    try:
        body = {f"{KINDS[kind].word}_selection": visit.form.get("selection", "")}
        visit.do("updateIntegrationInstallation", path_to(installation, name), body=body)
    except errors.ApiError as error:
        return _show(visit, organization, name, kind, about_the_form(error))
    return visit.to(place("orgs", organization, "integrations", name, kind))


def _change(visit: OperatorVisit, organization: str, name: str, kind: str, part: str) -> Response:
    """Install on one of them, pause, resume, or uninstall."""
    which = KINDS[kind]
    installation = installation_in(visit, organization, name)
    path = path_to(installation, name, **{which.key: part})
    try:
        _run(visit, which, installation, path, part, name)
    except errors.ApiError as error:
        return _show(visit, organization, name, kind, about_the_form(error))
    here = place("orgs", organization, "integrations", name, kind)
    shown = urlencode({"page": visit.form["page"]}) if visit.form.get("page") else ""
    return visit.to(f"{here}?{shown}#part-{quote(part)}")


def _run(
    visit: OperatorVisit, which: InstallationKind, installation: Object, path: dict[str, str], part: str, name: str
) -> None:
    wish = visit.form.get("do", "")
    if wish == "install":
        visit.do(which.install, path_to(installation, name), body={which.sent: part})
    elif wish == "uninstall":
        visit.do(which.uninstall, path)
    elif wish in ("active", "paused"):
        visit.do(which.update, path, body={"status": wish})
    else:
        raise errors.BadRequest("Unknown action; reload the page and try again.")
