"""The integrations of an organization: the catalog, their permissions, and their installations."""

from __future__ import annotations

from typing import get_args

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.integrations import Category
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.places import Object, about_the_form, filters, organization_of, place
from runtime.web.admin.scope_words import in_words
from runtime.web.admin.security_policies import with_pictures
from runtime.web.admin.summaries import in_html

AT = f"{PATH}/orgs/<organization>/integrations"
ONE = f"{AT}/<name>"


def mount_integrations(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, AT, _catalogue, "GET")
    add_page(app, host, ONE, show, "GET")
    add_page(app, host, f"{ONE}/install", _install, "POST")
    add_page(app, host, f"{ONE}/status", _set_status, "POST")
    add_question(app, host, f"{ONE}/uninstall", _before_uninstalling, _uninstall)
    add_page(app, host, f"{PATH}/integrations", _lead_to_all, "GET")
    add_page(app, host, f"{PATH}/integrations/<name>", _lead, "GET")


def installations_in(visit: OperatorVisit, organization: str) -> dict[str, tuple[Object, Object]]:
    """Return what is installed on an organization: name -> the integration and its installation."""
    path = {"organizationId": organization}
    found = every(visit, "listOrganizationInstallations", path)
    return {one["integration"]["name"]: (one["integration"], one["installation"]) for one in found}


def installation_in(visit: OperatorVisit, organization: str, name: str) -> Object:
    """Return the installation of an integration on an organization; raises NotFound."""
    _, installation = installations_in(visit, organization).get(name, (None, None))
    if installation is None:
        raise errors.NotFound("This integration is not installed on this organization.")
    return installation


def path_to(installation: Object, name: str, **more: str) -> dict[str, str]:
    """Name an installation, or a part of it, as operations do."""
    return {"integrationName": name, "installationId": installation["id"], **more}


def _catalogue(visit: OperatorVisit, organization: str) -> Response:
    within = organization_of(visit, organization)
    query = filters("search", "category")
    listed = page_of(visit, "listOrganizationIntegrations", {"organizationId": organization}, filters=query)
    installed = installations_in(visit, organization)
    first = not query and "page" not in request.args
    return visit.page(
        "integrations",
        policy=with_pictures(visit.host),
        organization=within,
        here="integrations",
        at=place("orgs", organization, "integrations"),
        installed=[*installed.values()] if first else [],
        statuses={name: installation["status"] for name, (_, installation) in installed.items()},
        others=[one for one in listed.items if not (first and one["name"] in installed)],
        listed=listed,
        query=query,
        categories=get_args(Category),
    )


def show(visit: OperatorVisit, organization: str, name: str, refused: Refused = NOTHING_REFUSED) -> Response:
    """Show an integration, and what may be done with it here."""
    within = organization_of(visit, organization)
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    _, installation = installations_in(visit, organization).get(name, (None, None))
    return visit.page(
        "integration",
        refused.status,
        policy=with_pictures(visit.host),
        organization=within,
        here="integrations",
        at=place("orgs", organization, "integrations", name),
        integration=integration,
        installation=installation,
        summary=in_html(integration.get("summary") or ""),
        scopes=in_words(integration["scopes"]),
        may=within["permissions"]["installIntegration"],
        problem=refused.message,
    )


def _install(visit: OperatorVisit, organization: str, name: str) -> Response:
    try:
        visit.do("installIntegration", {"integrationName": name}, body={"organization": organization})
    except errors.ApiError as error:
        return show(visit, organization, name, about_the_form(error))
    return visit.to(place("orgs", organization, "integrations", name))


def _set_status(visit: OperatorVisit, organization: str, name: str) -> Response:
    """Pause, or resume."""
    installation = installation_in(visit, organization, name)
    try:
        body = {"status": visit.form.get("status", "")}
        visit.do("updateIntegrationInstallation", path_to(installation, name), body=body)
    except errors.ApiError as error:
        return show(visit, organization, name, about_the_form(error))
    return visit.to(place("orgs", organization, "integrations", name))


def _before_uninstalling(visit: OperatorVisit, organization: str, name: str) -> Question:
    within = organization_of(visit, organization)
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    installation_in(visit, organization, name)
    return Question(
        title=f"Uninstall {integration['title']}?",
        text=(
            "It is uninstalled from all spaces and sites of this organization, and its configuration there is deleted."
        ),
        button="Uninstall",
        back=place("orgs", organization, "integrations", name),
        organization=within,
        here="integrations",
    )


def _uninstall(visit: OperatorVisit, organization: str, name: str) -> str:
    visit.do("uninstallIntegration", path_to(installation_in(visit, organization, name), name))
    return place("orgs", organization, "integrations")


def _lead(visit: OperatorVisit, name: str) -> Response:
    """Redirect to an integration in the person's organization; with several, let them choose."""
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    return _where(visit, integration["title"], name)


def _lead_to_all(visit: OperatorVisit) -> Response:
    """Redirect to the integrations of the person's organization."""
    return _where(visit, "Integrations")


def _where(visit: OperatorVisit, title: str, *name: str) -> Response:
    """Redirect to a page of the person's only organization; with several, let them choose."""
    listed = page_of(visit, "listOrganizationsForAuthenticatedUser", {})
    able = [one for one in listed.items if one["permissions"]["listIntegrations"]]
    places = [(one["title"], place("orgs", one["id"], "integrations", *name)) for one in able]
    if len(places) == 1 and not listed.first and not listed.next:
        return visit.to(places[0][1])
    return visit.page("integration_places", title=title, places=places, listed=listed)
