"""API specifications of an organization: their sources, processing state and errors."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.api.page_operations import answered
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question, attempt
from runtime.web.admin.paging import page_of
from runtime.web.admin.places import organization_of, place

WORDS = {
    "FETCH_TIMEOUT": "It could not be fetched in time",
    "FETCH_ERROR": "It could not be fetched",
    "PARSE_ERROR": "It could not be read",
}


def mount_openapi_specs(app: Flask, host: Host) -> None:
    """Add the pages."""
    every, one = f"{PATH}/orgs/<organization>/openapi", f"{PATH}/orgs/<organization>/openapi/<spec>"
    add_page(app, host, every, _list, "GET")
    add_page(app, host, every, _create, "POST")
    add_page(app, host, one, _spec, "GET")
    add_page(app, host, one, _source, "POST")
    add_page(app, host, f"{one}/versions/<version>", _content, "GET")
    add_question(app, host, f"{one}/delete", _ask, _delete)


def _list(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found = organization_of(visit, organization)
    specs = page_of(visit, "listOpenAPISpecs", {"organizationId": organization})
    return visit.page(
        "openapi_specs", refused.status, organization=found, here="openapi", specs=specs, words=WORDS, refused=refused
    )


def _create(visit: OperatorVisit, organization: str) -> Response:
    slug = visit.form.get("slug", "").strip()
    body = {"slug": slug, "source": _given(visit)}
    path = {"organizationId": organization}
    refused = attempt(visit, "create", lambda: visit.do("createOpenAPISpec", path, body=body))
    return _list(visit, organization, refused) if refused.form else visit.to(_place(organization, slug))


def _spec(visit: OperatorVisit, organization: str, spec: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found, path = organization_of(visit, organization), _path(organization, spec)
    shown = visit.do("getOpenAPISpecBySlug", path)
    versions = page_of(visit, "listOpenAPISpecVersions", path)
    return visit.page(
        "openapi_spec",
        refused.status,
        organization=found,
        here="openapi",
        spec=shown,
        versions=versions,
        words=WORDS,
        at=_place(organization, spec),
        refused=refused,
    )


def _source(visit: OperatorVisit, organization: str, spec: str) -> Response:
    path = _path(organization, spec)
    visit.do("getOpenAPISpecBySlug", path)  # one that is gone is not made again by an old form
    body = {"source": _given(visit)}
    refused = attempt(visit, "source", lambda: visit.do("createOrUpdateOpenAPISpecBySlug", path, body=body))
    return _spec(visit, organization, spec, refused) if refused.form else visit.to(_place(organization, spec))


def _content(visit: OperatorVisit, organization: str, spec: str, version: str) -> Response:
    """Return all files of a version, as the API does."""
    path = {**_path(organization, spec), "versionId": version}
    basis = visit.host.database.basis()
    answer = answered(visit.host, visit.person(), basis, "getOpenAPISpecVersionContentById", path)
    answer.headers["Content-Disposition"] = f'attachment; filename="{spec}.json"'
    return answer


def _ask(visit: OperatorVisit, organization: str, spec: str) -> Question:
    found = organization_of(visit, organization)
    shown = visit.do("getOpenAPISpecBySlug", _path(organization, spec))
    return Question(
        f"Delete the API specification {shown['slug']}?",
        "Its versions are deleted, too. Pages that show parts of it no longer show them.",
        "Delete specification",
        _place(organization, spec),
        found,
        "openapi",
    )


def _delete(visit: OperatorVisit, organization: str, spec: str) -> str:
    visit.do("deleteOpenAPISpecBySlug", _path(organization, spec))
    return place("orgs", organization, "openapi")


def _given(visit: OperatorVisit) -> dict[str, Any]:
    return {"url": visit.form.get("url", "").strip()}


def _path(organization: str, spec: str) -> dict[str, str]:
    return {"organizationId": organization, "specSlug": spec}


def _place(organization: str, spec: str) -> str:
    return place("orgs", organization, "openapi", spec)
