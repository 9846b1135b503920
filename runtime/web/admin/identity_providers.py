"""Single sign-on: the identity providers of an organization, for those who administer it."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question, attempt, role_of
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.places import organization_of, titles_of

FIELDS = ("label", "ssoURL", "entityID", "certificate")


def mount_identity_providers(app: Flask, host: Host) -> None:
    """Add the pages."""
    every, one = f"{PATH}/orgs/<organization>/sso", f"{PATH}/orgs/<organization>/sso/<provider>"
    add_page(app, host, every, _list, "GET")
    add_page(app, host, every, _add, "POST")
    add_page(app, host, one, _provider, "GET")
    add_page(app, host, one, _save, "POST")
    add_question(app, host, f"{one}/remove", _ask, _remove)


def _list(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found, path = organization_of(visit, organization), {"organizationId": organization}
    providers = page_of(visit, "listSAMLProvidersInOrganizationById", path)
    return visit.page(
        "identity_providers",
        refused.status,
        organization=found,
        here="",
        providers=providers,
        teams=_teams(visit, organization),
        refused=refused,
    )


def _add(visit: OperatorVisit, organization: str) -> Response:
    made: dict[str, Any] = {}
    path = {"organizationId": organization}
    refused = attempt(
        visit, "provider", lambda: made.update(visit.do("createOrganizationSAMLProvider", path, body=_body(visit)))
    )
    if refused.form:
        return _list(visit, organization, refused)
    return visit.to(f"{PATH}/orgs/{organization}/sso/{made['id']}")


def _provider(visit: OperatorVisit, organization: str, provider: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found = organization_of(visit, organization)
    shown = visit.do("getOrganizationSAMLProviderById", _path(organization, provider))
    return visit.page(
        "identity_provider",
        refused.status,
        organization=found,
        here="",
        provider=shown,
        teams=_teams(visit, organization),
        refused=refused,
    )


def _save(visit: OperatorVisit, organization: str, provider: str) -> Response:
    path, body = _path(organization, provider), _body(visit)
    refused = attempt(visit, "provider", lambda: visit.do("updateOrganizationSAMLProvider", path, body=body))
    if refused.form:
        return _provider(visit, organization, provider, refused)
    return visit.to(f"{PATH}/orgs/{organization}/sso/{provider}")


def _ask(visit: OperatorVisit, organization: str, provider: str) -> Question:
    found = organization_of(visit, organization)
    shown = visit.do("getOrganizationSAMLProviderById", _path(organization, provider))
    return Question(
        f"Remove {shown['label']}?",
        "Nobody can sign in with it any longer. Those who did stay members, but do not see this "
        "organization in the browser until they sign in with another identity provider. Their personal "
        "tokens keep working.",
        "Remove identity provider",
        f"{PATH}/orgs/{organization}/sso/{provider}",
        found,
        "",
    )


def _remove(visit: OperatorVisit, organization: str, provider: str) -> str:
    visit.do("deleteOrganizationSAMLProvider", _path(organization, provider))
    return f"{PATH}/orgs/{organization}/sso"


def _path(organization: str, provider: str) -> dict[str, str]:
    return {"organizationId": organization, "samlProviderId": provider}


def _body(visit: OperatorVisit) -> dict[str, Any]:
    form = visit.form
    plain = {name: form.get(name, "").strip() for name in FIELDS}
    chosen = {"defaultRole": role_of(form.get("defaultRole", "")), "defaultTeam": form.get("defaultTeam") or None}
    return plain | chosen


def _teams(visit: OperatorVisit, organization: str) -> list[tuple[str, str]]:
    return titles_of(every(visit, "listTeamsInOrganizationById", {"organizationId": organization}))
