"""Teams of an organization, and who is in them."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question, attempt, split_list
from runtime.web.admin.paging import page_of
from runtime.web.admin.places import organization_of, titles_of


def mount_teams(app: Flask, host: Host) -> None:
    """Add the pages."""
    every, one = f"{PATH}/orgs/<organization>/teams", f"{PATH}/orgs/<organization>/teams/<team>"
    add_page(app, host, every, _list, "GET")
    add_page(app, host, every, _create, "POST")
    add_page(app, host, one, _team, "GET")
    add_page(app, host, one, _rename, "POST")
    add_page(app, host, f"{one}/members", _add, "POST")
    add_page(app, host, f"{one}/members/<user>", _change, "POST")
    add_question(app, host, f"{one}/members/<user>/remove", _ask_member, _remove)
    add_question(app, host, f"{one}/delete", _ask, _delete)


def _list(visit: OperatorVisit, organization: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found, path = organization_of(visit, organization), {"organizationId": organization}
    filters = {"title": request.args.get("title", "")}
    teams = page_of(visit, "listTeamsInOrganizationById", path, filters=filters)
    return visit.page(
        "teams",
        refused.status,
        organization=found,
        here="teams",
        teams=teams,
        titles=dict(titles_of(teams.items)),
        filters=filters,
        refused=refused,
    )


def _create(visit: OperatorVisit, organization: str) -> Response:
    made: dict[str, Any] = {}
    path = {"organizationId": organization}
    body = {"title": visit.form.get("title", "").strip(), "members": []}
    refused = attempt(visit, "create", lambda: made.update(visit.do("createOrganizationTeam", path, body=body)))
    return _list(visit, organization, refused) if refused.form else visit.to(_place(organization, made["id"]))


def _team(visit: OperatorVisit, organization: str, team: str, refused: Refused = NOTHING_REFUSED) -> Response:
    found, path = organization_of(visit, organization), _path(organization, team)
    shown = visit.do("getTeamInOrganizationById", path)
    members = page_of(visit, "listTeamMembersInOrganizationById", path)
    return visit.page(
        "team", refused.status, organization=found, here="teams", team=shown, members=members, refused=refused
    )


def _rename(visit: OperatorVisit, organization: str, team: str) -> Response:
    body = {"title": visit.form.get("title", "").strip()}
    return _after(visit, organization, team, "rename", "updateTeamInOrganizationById", body)


def _add(visit: OperatorVisit, organization: str, team: str) -> Response:
    people = split_list(visit.form.get("people", ""))
    return _after(visit, organization, team, "people", "updateMembersInOrganizationTeam", {"add": people})


def _change(visit: OperatorVisit, organization: str, team: str, user: str) -> Response:
    body, operation = {"role": visit.form.get("role", "")}, "addMemberToOrganizationTeamById"
    return _after(visit, organization, team, user, operation, body, focus=f"#role-{user}", userId=user)


def _after(
    visit: OperatorVisit,
    organization: str,
    team: str,
    form: str,
    operation: str,
    body: dict[str, Any],
    *,
    focus: str = "",
    **more: str,
) -> Response:
    path = {**_path(organization, team), **more}
    refused = attempt(visit, form, lambda: visit.do(operation, path, body=body))
    return _team(visit, organization, team, refused) if refused.form else visit.to(_place(organization, team) + focus)


def _ask(visit: OperatorVisit, organization: str, team: str) -> Question:
    found = organization_of(visit, organization)
    shown = visit.do("getTeamInOrganizationById", _path(organization, team))
    text = "Its members lose what was granted to the team. They stay members of the organization."
    title = f"Delete the team {shown['title']}?"
    return Question(title, text, "Delete team", _place(organization, team), found, "teams")


def _delete(visit: OperatorVisit, organization: str, team: str) -> str:
    visit.do("removeTeamFromOrganizationById", _path(organization, team))
    return f"{PATH}/orgs/{organization}/teams"


def _ask_member(visit: OperatorVisit, organization: str, team: str, user: str) -> Question:
    found = organization_of(visit, organization)
    shown = visit.do("getTeamInOrganizationById", _path(organization, team))
    member = visit.do("getMemberInOrganizationById", {"organizationId": organization, "userId": user})
    name = member["user"]["displayName"]
    return Question(
        f"Remove {name} from the team {shown['title']}?",
        f"{name} loses what was granted to the team, and stays a member of {found['title']}.",
        "Remove from team",
        _place(organization, team),
        found,
        "teams",
    )


def _remove(visit: OperatorVisit, organization: str, team: str, user: str) -> str:
    visit.do("deleteMemberFromOrganizationTeamById", {**_path(organization, team), "userId": user})
    return _place(organization, team)


def _path(organization: str, team: str) -> dict[str, str]:
    return {"organizationId": organization, "teamId": team}


def _place(organization: str, team: str) -> str:
    return f"{PATH}/orgs/{organization}/teams/{team}"
