"""One part of a site: the settings, position and removal of a section, a group of sections, or a space."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question
from runtime.web.admin.places import Object, about_the_form, organization_of, place
from runtime.web.admin.site_structure import parts_of, spaces_left
from runtime.web.admin.sites import ONE, path_to, site_page


@dataclass(frozen=True, slots=True)
class SitePartKind:
    """A kind of part: how operations name it, and what is lost with it."""

    object: str
    word: str
    update: str
    delete: str
    key: str
    fields: tuple[str, ...]
    lost: str


KINDS = {
    "sections": SitePartKind(
        "site-section",
        "section",
        "updateSiteSectionById",
        "deleteSiteSectionById",
        "siteSectionId",
        ("title", "path", "description", "condition", "icon"),
        "It is removed from this site. Its spaces stay in the organization.",
    ),
    "groups": SitePartKind(
        "site-section-group",
        "group",
        "updateSiteSectionGroupById",
        "deleteSiteSectionGroupById",
        "siteSectionGroupId",
        ("title", "icon"),
        "Its sections and groups move up one level.",
    ),
    "spaces": SitePartKind(
        "site-space",
        "space",
        "updateSiteSpaceById",
        "deleteSiteSpaceById",
        "siteSpaceId",
        ("path", "condition"),
        "It is removed from this site. The space stays in the organization.",
    ),
}
NULL_WHEN_EMPTY = ("description", "condition", "icon")


def mount_site_parts(app: Flask, host: Host) -> None:
    """Add the pages."""
    at = f"{ONE}/<any(sections, groups, spaces):kind>/<part>"
    add_page(app, host, at, _show, "GET")
    add_page(app, host, at, _save, "POST")
    add_page(app, host, f"{at}/group", _regroup, "POST")
    add_page(app, host, f"{at}/section", _move_to_section, "POST")
    add_question(app, host, f"{at}/remove", _before_removing, _remove)


def _find(visit: OperatorVisit, organization: str, site: str, kind: str, part: str) -> tuple[Object, list[Object]]:
    """Return a part with all parts of its site; raises NotFound."""
    parts = [*parts_of(visit.do("getSiteStructure", path_to(organization, site))["structure"])]
    wanted = (one for one in parts if one["object"] == KINDS[kind].object and one["id"] == part)
    found = next(wanted, None)
    if found is None:
        raise errors.NotFound(f"There is no such {KINDS[kind].word} in this site.")
    return found, parts


def _show(
    visit: OperatorVisit, organization: str, site: str, kind: str, part: str, refused: Refused = NOTHING_REFUSED
) -> Response:
    found, parts = _find(visit, organization, site, kind, part)
    groups = [(one["id"], one["title"]) for one in parts if one["object"] == "site-section-group"]
    return site_page(
        visit,
        organization,
        site,
        "site_part",
        "",
        refused,
        kind=kind,
        word=KINDS[kind].word,
        one=found,
        fields=KINDS[kind].fields,
        groups=groups if kind == "sections" else [],
        sections=_elsewhere(found, parts) if kind == "spaces" else [],
        spaces=spaces_left(visit, organization, parts) if kind == "sections" else [],
    )


def _save(visit: OperatorVisit, organization: str, site: str, kind: str, part: str) -> Response:
    which = KINDS[kind]
    found, _ = _find(visit, organization, site, kind, part)
    # A browser writes an empty field for what is not there; what is the same is left alone.
    given = {name: visit.form.get(name, "").replace("\r\n", "\n") for name in which.fields}
    changed = {name: value for name, value in given.items() if value != (found.get(name) or "")}
    body = {name: None if name in NULL_WHEN_EMPTY and not value else value for name, value in changed.items()}
    try:
        visit.do(which.update, path_to(organization, site, **{which.key: part}), body=body)
    except errors.ApiError as error:
        return _show(visit, organization, site, kind, part, about_the_form(error))
    return visit.to(place("orgs", organization, "sites", site))


def _regroup(visit: OperatorVisit, organization: str, site: str, kind: str, part: str) -> Response:
    """Move a section into a group, or out of the one it is in."""
    found, _ = _find(visit, organization, site, kind, part)
    group = visit.form.get("group", "")
    try:
        if group and group != found.get("sectionGroup"):
            into = path_to(organization, site, siteSectionGroupId=group)
            visit.do("addSectionToGroup", into, body={"sectionId": part})
        elif not group and found.get("sectionGroup"):
            out = path_to(organization, site, siteSectionGroupId=found["sectionGroup"], siteSectionId=part)
            visit.do("removeSectionFromGroup", out)
    except errors.ApiError as error:
        return _show(visit, organization, site, kind, part, about_the_form(error))
    return visit.to(place("orgs", organization, "sites", site))


def _elsewhere(space: Object, parts: list[Object]) -> list[tuple[str, str]]:
    """Return the sections that a space could go to, each by the last space in it: behind that one it goes."""
    sections = [one for one in parts if one["object"] == "site-section"]
    others = [one for one in sections if all(inside["id"] != space["id"] for inside in one["siteSpaces"])]
    return [(one["siteSpaces"][-1]["id"], one["title"] or "Untitled") for one in others if one["siteSpaces"]]


def _move_to_section(visit: OperatorVisit, organization: str, site: str, kind: str, part: str) -> Response:
    """Move a space after the last one of another section."""
    last = {"type": "site-space", "siteSpace": visit.form.get("last", "")}
    try:
        path = path_to(organization, site, siteSpaceId=part)
        visit.do("moveSiteSpace", path, body={"position": {"after": last}})
    except errors.ApiError as error:
        return _show(visit, organization, site, kind, part, about_the_form(error))
    return visit.to(place("orgs", organization, "sites", site))


def _before_removing(visit: OperatorVisit, organization: str, site: str, kind: str, part: str) -> Question:
    within = organization_of(visit, organization)
    found, _ = _find(visit, organization, site, kind, part)
    return Question(
        title=f"Remove {found['title'] or 'Untitled'}?",
        text=KINDS[kind].lost,
        button="Remove",
        back=place("orgs", organization, "sites", site, kind, part),
        organization=within,
        here="sites",
    )


def _remove(visit: OperatorVisit, organization: str, site: str, kind: str, part: str) -> str:
    visit.do(KINDS[kind].delete, path_to(organization, site, **{KINDS[kind].key: part}))
    return place("orgs", organization, "sites", site)
