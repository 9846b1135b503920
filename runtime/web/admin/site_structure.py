"""The structure of a site: moving, adding, and choosing defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.sites import SiteIntegrationScript
from runtime.web.admin.browser import OperatorVisit, add_page
from runtime.web.admin.content_tree import spaces_to_choose
from runtime.web.admin.forms import NOTHING_REFUSED, Refused
from runtime.web.admin.paging import every
from runtime.web.admin.places import Object, about_the_form, place
from runtime.web.admin.sites import ONE, path_to, site_page
from runtime.web.sites.policy import scripts_that_fit


def mount_site_structure(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, ONE, show, "GET")
    add_page(app, host, f"{ONE}/structure", _change, "POST")


def parts_of(structure: list[Object]) -> Iterator[Object]:
    """Yield all groups, sections and spaces of a structure, from the outside in."""
    for part in structure:
        yield part
        yield from parts_of(part.get("children") or part.get("siteSpaces") or [])


def spaces_left(visit: OperatorVisit, organization: str, structure: list[Object]) -> list[tuple[str, str]]:
    """Return the spaces of the organization that are no part of a site yet, in a list to choose from."""
    used = {part["space"]["id"] for part in parts_of(structure) if part["object"] == "site-space"}
    return [(id, title) for id, title in spaces_to_choose(visit, organization) if id not in used]


def show(visit: OperatorVisit, organization: str, site: str, refused: Refused = NOTHING_REFUSED) -> Response:
    """Show a site: whether it is published, and what it is made of."""
    structure = visit.do("getSiteStructure", path_to(organization, site))
    tree = structure["structure"]
    groups = [part for part in parts_of(tree) if part["object"] == "site-section-group"]
    return site_page(
        visit,
        organization,
        site,
        "site",
        "",
        refused,
        tree=tree,
        flat=structure["type"] == "siteSpaces",
        groups=groups,
        spaces=spaces_left(visit, organization, tree),
        left_out=_left_out(visit, organization, site),
    )


def _left_out(visit: OperatorVisit, organization: str, site: str) -> list[str]:
    """Name the integrations whose scripts the pages of a site have no room for."""
    path, at = path_to(organization, site), visit.host.addresses
    scripts = [SiteIntegrationScript.model_validate(one) for one in visit.do("listSiteIntegrationScripts", path)]
    shown = {one.script for one in scripts_that_fit(scripts)}
    missing = [one.script for one in scripts if one.script not in shown]
    found = every(visit, "listSiteIntegrations", path) if missing else ()
    begins = {at.of_integration(one["name"]) + "/": one["title"] for one in found}
    return [title for begin, title in begins.items() if any(one.startswith(begin) for one in missing)]


def _change(visit: OperatorVisit, organization: str, site: str) -> Response:
    wish = WISHES.get(visit.form.get("do", ""))
    if wish is None:
        raise errors.BadRequest("Unknown action; reload the page and try again.")
    try:
        wish(visit, path_to(organization, site), visit.form)
    except errors.ApiError as error:
        return show(visit, organization, site, about_the_form(error))
    focus = visit.form.get("focus", "")
    if wish is _move:
        focus = _arrow_left(visit, path_to(organization, site), focus)
    here = place("orgs", organization, "sites", site)
    return visit.to(f"{here}#{focus}" if focus.replace("-", "").isalnum() and focus.isascii() else here)


def _arrow_left(visit: OperatorVisit, path: dict[str, str], focus: str) -> str:
    """Return which arrow of an item takes the keyboard: the one that was pressed, unless only the other is left."""
    arrow, _, moved = focus.partition("-")
    levels = [visit.do("getSiteStructure", path)["structure"]]
    while levels:
        items = levels.pop()
        ids = [one["id"] for one in items]
        if moved in ids and arrow in ("up", "down") and len(ids) > 1:
            return f"down-{moved}" if ids[0] == moved else f"up-{moved}" if ids[-1] == moved else focus
        levels += [one.get("children") or one.get("siteSpaces") or [] for one in items]
    return focus


def _move(visit: OperatorVisit, path: dict[str, str], form: dict[str, str]) -> None:
    """Move an item before or after another one."""
    where = "before" if form.get("where") == "before" else "after"
    anchor = {"type": form.get("anchor-kind", ""), "id": form.get("anchor", "")}
    body = {"item": {"type": form.get("kind", ""), "id": form.get("id", "")}, "position": {where: anchor}}
    visit.do("sortSiteStructure", path, body=body)


def _add_section(visit: OperatorVisit, path: dict[str, str], form: dict[str, str]) -> None:
    body = {"spaceId": form.get("space", "")}
    if form.get("title"):
        body["title"] = form["title"]
    made = visit.do("addSectionToSite", path, body=body)
    if form.get("group"):
        into = {**path, "siteSectionGroupId": form["group"]}
        visit.do("addSectionToGroup", into, body={"sectionId": made["id"]})


def _add_group(visit: OperatorVisit, path: dict[str, str], form: dict[str, str]) -> None:
    body = {"title": form.get("title", "")}
    if form.get("group"):
        body["parent"] = form["group"]
    visit.do("addSectionGroupToSite", path, body=body)


def _add_space(visit: OperatorVisit, path: dict[str, str], form: dict[str, str]) -> None:
    body = {"spaceId": form.get("space", "")}
    if form.get("section"):
        body["sectionId"] = form["section"]
    visit.do("addSpaceToSite", path, body=body)


def _default(visit: OperatorVisit, path: dict[str, str], form: dict[str, str]) -> None:
    """Make a section, or a space of one, the default."""
    kind, id = form.get("kind", ""), form.get("id", "")
    if kind == "site-space" and form.get("section"):
        within = {**path, "siteSectionId": form["section"]}
        visit.do("updateSiteSectionById", within, body={"defaultSiteSpace": id})
    else:
        field = "defaultSiteSpace" if kind == "site-space" else "defaultSiteSection"
        visit.do("updateSiteById", path, body={field: id})


WISHES: dict[str, Callable[[OperatorVisit, dict[str, str], dict[str, str]], None]] = {
    "move": _move,
    "add-section": _add_section,
    "add-group": _add_group,
    "add-space": _add_space,
    "default": _default,
}
