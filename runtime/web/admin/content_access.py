"""Access to a collection or a space: granting, changing and removing levels of people and teams."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.content_settings import KINDS, ContentKind
from runtime.web.admin.forms import NOTHING_REFUSED, Refused, attempt, role_of, split_list
from runtime.web.admin.organizations import organization_around
from runtime.web.admin.paging import every, page_of
from runtime.web.admin.places import not_deleted, titles_of

WHO = {"users": ("User", "userId"), "teams": ("Team", "teamId")}


def mount_content_access(app: Flask, host: Host) -> None:
    """Add the pages."""
    for kind in KINDS:
        rule = f"{PATH}/{kind.word}s/<one>/access"
        add_page(app, host, rule, partial(_show, kind), "GET")
        add_page(app, host, rule, partial(_give, kind), "POST")
        add_page(app, host, f"{rule}/everybody", partial(_everybody, kind), "GET")
        add_page(app, host, f"{rule}/<any(users, teams):who>/<whom>", partial(_change, kind), "POST")


def _show(kind: ContentKind, visit: OperatorVisit, one: str, refused: Refused = NOTHING_REFUSED) -> Response:
    shown, path, word = not_deleted(visit.do(kind.get, kind.path(one))), kind.path(one), kind.word.capitalize()
    given = {who: page_of(visit, f"list{named}PermissionsIn{word}", path, name=who) for who, (named, _) in WHO.items()}
    organization = organization_around(visit, shown)
    teams: list[tuple[str, str]] = []
    if organization:
        teams = titles_of(every(visit, "listTeamsInOrganizationById", {"organizationId": organization["id"]}))
    granted = titles_of(held["team"] for held in given["teams"].items)
    return visit.page(
        "content_access",
        refused.status,
        organization=organization,
        here="content",
        kind=kind,
        one=shown,
        given=given,
        teams=teams,
        titles=dict(granted) | dict(teams),
        refused=refused,
    )


def _give(kind: ContentKind, visit: OperatorVisit, one: str) -> Response:
    """Grant a level to people, by e-mail address, and to a team."""
    form = visit.form
    body: dict[str, Any] = {"role": form.get("role", "")}
    people = split_list(form.get("people", ""))
    if people:
        body["users"] = people
    if form.get("team"):
        body["teams"] = [form["team"]]
    return _after(kind, visit, one, "give", f"inviteTo{kind.word.capitalize()}", {}, body)


def _change(kind: ContentKind, visit: OperatorVisit, one: str, who: str, whom: str) -> Response:
    """Change or remove a grant."""
    named, key = WHO[who]
    word = kind.word.capitalize()
    if "remove" in visit.form:
        operation = f"remove{named}From{word}"
        return _after(kind, visit, one, whom, operation, {key: whom}, {}, focus=f"#{who}")
    body = {"role": role_of(visit.form.get("role", ""))}
    operation = f"update{named}PermissionIn{word}"
    return _after(kind, visit, one, whom, operation, {key: whom}, body, focus=f"#role-{whom}")


def _after(
    kind: ContentKind,
    visit: OperatorVisit,
    one: str,
    form: str,
    operation: str,
    more: dict[str, str],
    body: dict[str, Any],
    *,
    focus: str = "",
) -> Response:
    path = {**kind.path(one), **more}
    refused = attempt(visit, form, lambda: visit.do(operation, path, body=body))
    return _show(kind, visit, one, refused) if refused.form else visit.to(f"{kind.place(one)}/access{focus}")


def _everybody(kind: ContentKind, visit: OperatorVisit, one: str) -> Response:
    shown = not_deleted(visit.do(kind.get, kind.path(one)))
    operation = f"listPermissionsAggregateIn{kind.word.capitalize()}"
    everybody = page_of(visit, operation, kind.path(one))
    found = organization_around(visit, shown)
    return visit.page(
        "content_everybody", organization=found, here="content", kind=kind, one=shown, everybody=everybody
    )
