"""Share links and redirects of a site."""

from __future__ import annotations

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question
from runtime.web.admin.paging import page_of
from runtime.web.admin.places import Object, about_the_form, filters, organization_of, place
from runtime.web.admin.site_structure import parts_of
from runtime.web.admin.sites import ONE, path_to, site_page


def mount_site_access(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{ONE}/share-links", _links, "GET")
    add_page(app, host, f"{ONE}/share-links", _make_link, "POST")
    add_page(app, host, f"{ONE}/share-links/<link>", _switch, "POST")
    add_page(app, host, f"{ONE}/redirects", _redirects, "GET")
    add_page(app, host, f"{ONE}/redirects", _make_redirect, "POST")
    at = f"{ONE}/<any('share-links', redirects):kind>/<way>"
    add_question(app, host, f"{at}/remove", _before_removing, _remove)


def _links(visit: OperatorVisit, organization: str, site: str, refused: Refused = NOTHING_REFUSED) -> Response:
    links = page_of(visit, "listSiteShareLinks", path_to(organization, site))
    return site_page(visit, organization, site, "site_links", "share-links", refused, links=links)


def _make_link(visit: OperatorVisit, organization: str, site: str) -> Response:
    try:
        body = {"name": visit.form.get("name", "")}
        made = visit.do("createSiteShareLink", path_to(organization, site), body=body)
    except errors.ApiError as error:
        return _links(visit, organization, site, about_the_form(error))
    return visit.to(f"{place('orgs', organization, 'sites', site, 'share-links')}#link-{made['id']}")


def _switch(visit: OperatorVisit, organization: str, site: str, link: str) -> Response:
    """Switch a link on or off."""
    body = {"active": visit.form.get("active") == "yes"}
    visit.do("updateSiteShareLinkById", path_to(organization, site, shareLinkId=link), body=body)
    return visit.to(f"{place('orgs', organization, 'sites', site, 'share-links')}#switch-{link}")


def _redirects(visit: OperatorVisit, organization: str, site: str, refused: Refused = NOTHING_REFUSED) -> Response:
    query = filters("search")
    redirects = page_of(visit, "listSiteRedirects", path_to(organization, site), filters=query)
    parts = [*parts_of(visit.do("getSiteStructure", path_to(organization, site))["structure"])]
    targets = [one for one in parts if one["object"] != "site-section-group"]
    names = {one["id"]: one["title"] or "Untitled" for one in targets}
    return site_page(
        visit,
        organization,
        site,
        "site_redirects",
        "redirects",
        refused,
        redirects=redirects,
        query=query,
        targets=targets,
        names=names,
    )


def _make_redirect(visit: OperatorVisit, organization: str, site: str) -> Response:
    kind, _, target = visit.form.get("target", "").partition(" ")
    destination: Object = {"kind": kind, "siteSectionId" if kind == "site-section" else "siteSpaceId": target}
    try:
        body = {"source": visit.form.get("source", ""), "destination": destination}
        visit.do("createSiteRedirect", path_to(organization, site), body=body)
    except errors.ApiError as error:
        return _redirects(visit, organization, site, about_the_form(error))
    return visit.to(place("orgs", organization, "sites", site, "redirects"))


def _before_removing(visit: OperatorVisit, organization: str, site: str, kind: str, way: str) -> Question:
    within = organization_of(visit, organization)
    visit.do("getSiteById", path_to(organization, site))
    link = kind == "share-links"
    return Question(
        title="Revoke this share link?" if link else "Remove this redirect?",
        text="Visitors can no longer open the site with it." if link else "Its path no longer leads anywhere.",
        button="Revoke" if link else "Remove",
        back=place("orgs", organization, "sites", site, kind),
        organization=within,
        here="sites",
    )


def _remove(visit: OperatorVisit, organization: str, site: str, kind: str, way: str) -> str:
    if kind == "share-links":
        visit.do("deleteSiteShareLinkById", path_to(organization, site, shareLinkId=way))
    else:
        visit.do("deleteSiteRedirectById", path_to(organization, site, siteRedirectId=way))
    return place("orgs", organization, "sites", site, kind)
