"""The sites of an organization: list, creation, publishing, settings, and deletion."""

from __future__ import annotations

import re
from typing import Any, get_args

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.sites import SiteVisibility
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.content_tree import spaces_to_choose
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.places import Object, about_the_form, filters, organization_of, place
from runtime.web.admin.security_policies import with_pictures

AT = f"{PATH}/orgs/<organization>/sites"
ONE = f"{AT}/<site>"
SCHEME = re.compile(r"^https?://", re.IGNORECASE)
"""How the address of a proxy begins where it is copied from a browser; the operation takes it without."""
VISIBILITIES = {
    "public": "Public: everybody, and search engines",
    "unlisted": "Unlisted: everybody who knows the address",
    "share-link": "Share links: everybody who has one",
    "visitor-auth": "Visitors who sign in",
}


def mount_sites(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, AT, _list, "GET")
    add_page(app, host, AT, _create, "POST")
    add_page(app, host, f"{ONE}/publishing", _publish, "POST")
    add_page(app, host, f"{ONE}/settings", _settings, "GET")
    add_page(app, host, f"{ONE}/settings", _change, "POST")
    add_question(app, host, f"{ONE}/delete", _before_deleting, _delete)


def path_to(organization: str, site: str, **more: str) -> dict[str, str]:
    """Name a site, or a part of it, as operations do."""
    return {"organizationId": organization, "siteId": site, **more}


def site_page(
    visit: OperatorVisit,
    organization: str,
    site: str,
    template: str,
    part: str,
    refused: Refused = NOTHING_REFUSED,
    **values: Any,
) -> Response:
    """Fill in a page of a site; `part` is which one it is."""
    within = organization_of(visit, organization)
    return visit.page(
        template,
        refused.status,
        policy=with_pictures(visit.host),
        organization=within,
        here="sites",
        part=part,
        at=place("orgs", organization, "sites", site),
        site=visit.do("getSiteById", path_to(organization, site)),
        may=within["permissions"]["createContent"],
        may_delete=within["permissions"]["admin"],
        visibilities=VISIBILITIES,
        problem=refused.message,
        form=visit.form,
        **values,
    )


def _list(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    within = organization_of(visit, organization)
    path, query = {"organizationId": organization}, filters("title")
    listed = page_of(visit, "listSites", path, filters=query)
    may = within["permissions"]["createContent"]
    return visit.page(
        "sites",
        refused.status,
        organization=within,
        here="sites",
        at=place("orgs", organization, "sites"),
        listed=listed,
        query=query,
        spaces=spaces_to_choose(visit, organization) if may else [],
        visibilities=VISIBILITIES,
        may=may,
        problem=refused.message,
        form=visit.form,
    )


def _create(visit: OperatorVisit, organization: str) -> Response:
    space = visit.form.get("space", "")
    body: Object = {"title": visit.form.get("title", ""), "visibility": visit.form.get("visibility", "public")}
    if space != "none":
        body["spaces"] = [space] if space else "empty"
    try:
        made = visit.do("createSite", {"organizationId": organization}, body=body)
    except errors.ApiError as error:
        return _list(visit, organization, about_the_form(error))
    return visit.to(place("orgs", organization, "sites", made["id"]))


def _publish(visit: OperatorVisit, organization: str, site: str) -> Response:
    """Publish or unpublish a site."""
    wish = "unpublishSite" if visit.form.get("do") == "unpublish" else "publishSite"
    visit.do(wish, path_to(organization, site))
    return visit.to(f"{place('orgs', organization, 'sites', site)}#publish")


def _settings(visit: OperatorVisit, organization: str, site: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found = every(visit, "listSiteIntegrations", path_to(organization, site))
    signing_in = [(one["name"], one["title"]) for one in found if "site:visitor:auth" in one["scopes"]]
    more = {"saved": "saved" in request.args and not refused.message, "signing_in": signing_in}
    return site_page(visit, organization, site, "site_settings", "settings", refused, **more)


def _change(visit: OperatorVisit, organization: str, site: str) -> Response:
    form = visit.form
    body: Object = {
        "title": form.get("title", ""),
        "visibility": form.get("visibility", ""),
        "proxy": SCHEME.sub("", form.get("proxy", "").strip()).rstrip("/") or None,
        "adaptiveContent": {"enabled": "adaptive" in form},
        "agentsContext": "included" if "agents" in form else "excluded",
    }
    if "auth" in form:
        backend, _, name = form["auth"].partition(" ")
        body["visitorAuth"] = {"backend": backend, **({"integration": name} if name else {})} if backend else None
    if form.get("basename"):
        body["basename"] = form["basename"]
    if body["visibility"] not in get_args(SiteVisibility):
        return _settings(visit, organization, site, Refused(message="Choose who may read the site.", status=400))
    try:
        visit.do("updateSiteById", path_to(organization, site), body=body)
    except errors.ApiError as error:
        return _settings(visit, organization, site, about_the_form(error))
    return visit.to(place("orgs", organization, "sites", site, "settings") + "?saved")


def _before_deleting(visit: OperatorVisit, organization: str, site: str) -> Question:
    within = organization_of(visit, organization)
    found = visit.do("getSiteById", path_to(organization, site))
    return Question(
        title=f"Delete {found['title']}?",
        text=(
            "Nobody can open it any longer, and its structure, share links and redirects are deleted. Its spaces stay."
        ),
        button="Delete",
        back=f"{place('orgs', organization, 'sites', site)}/settings",
        organization=within,
        here="sites",
    )


def _delete(visit: OperatorVisit, organization: str, site: str) -> str:
    visit.do("deleteSiteById", path_to(organization, site))
    return place("orgs", organization, "sites")
