"""Visitor sign-in by a service of the site's owners: where visitors are sent, and the key that signs their tokens."""

from __future__ import annotations

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question
from runtime.web.admin.places import about_the_form, organization_of, place
from runtime.web.admin.sites import ONE, path_to, site_page


def mount_visitor_sign_in(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{ONE}/sign-in", _show, "GET")
    add_page(app, host, f"{ONE}/sign-in", _save, "POST")
    add_page(app, host, f"{ONE}/sign-in/key", _reveal, "POST")
    add_question(app, host, f"{ONE}/sign-in/replace", _before_replacing, _replace)


def _show(
    visit: OperatorVisit, organization: str, site: str, refused: Refused = NOTHING_REFUSED, key: bool = False
) -> Response:
    _needs_own_service(visit, organization, site)
    auth = visit.do("getSitePublishingAuthById", path_to(organization, site))
    return site_page(
        visit,
        organization,
        site,
        "visitor_sign_in",
        "settings",
        refused,
        fallback=auth.get("fallbackURL", ""),
        key=auth["privateKey"] if key else "",
        saved="saved" in request.args and not refused.message and not key,
    )


def _needs_own_service(visit: OperatorVisit, organization: str, site: str) -> None:
    """Raise PreconditionFailed where an integration signs visitors in, or nobody does."""
    found = visit.do("getSiteById", path_to(organization, site))
    if found.get("visitorAuth", {}).get("backend") != "custom":
        raise errors.PreconditionFailed(
            "No service of yours signs in the visitors of this site. Choose that in the settings of the site first."
        )


def _save(visit: OperatorVisit, organization: str, site: str) -> Response:
    _needs_own_service(visit, organization, site)
    body = {"backend": "custom", "fallbackURL": visit.form.get("fallbackURL", "").strip() or None}
    try:
        visit.do("updateSitePublishingAuthById", path_to(organization, site), body=body)
    except errors.ApiError as error:
        return _show(visit, organization, site, about_the_form(error))
    return visit.to(f"{place('orgs', organization, 'sites', site, 'sign-in')}?saved")


def _reveal(visit: OperatorVisit, organization: str, site: str) -> Response:
    """Show the key once it is asked for: a page that is only looked at does not reveal it to bystanders."""
    return _show(visit, organization, site, key=True)


def _before_replacing(visit: OperatorVisit, organization: str, site: str) -> Question:
    within = organization_of(visit, organization)
    _needs_own_service(visit, organization, site)
    visit.do("getSitePublishingAuthById", path_to(organization, site))
    return Question(
        title="Replace the signing key?",
        text="Visitors are signed out, and your service can sign nobody in until it uses the new key.",
        button="Replace key",
        back=place("orgs", organization, "sites", site, "sign-in"),
        organization=within,
        here="sites",
    )


def _replace(visit: OperatorVisit, organization: str, site: str) -> str:
    visit.do("regenerateSitePublishingAuthById", path_to(organization, site))
    return place("orgs", organization, "sites", site, "sign-in")
