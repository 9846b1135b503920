"""`permissions` of an object promise what the server then does, for every role, in all kinds of objects.

Spaces and collections, where levels are inherited and granted, are walked in tests/scenarios/test_content_access.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from runtime.contract import permissions
from runtime.contract.identifiers import new_id
from runtime.contract.organizations import ROLES
from tests.conftest import Api, HostProcess, Installed, Tenant, installed, tenant
from tests.scenarios.content_deeds import DEEDS
from tests.scenarios.people import Person, person, team
from tests.scenarios.space_script import SCRIPT

KINDS = {
    "organization": permissions.ORGANIZATION,
    "space": permissions.SPACE,
    "collection": permissions.COLLECTION,
    "specification": permissions.OPENAPI_SPEC,
    "translation": permissions.TRANSLATION,
    "team": permissions.TEAM,
    "membership": permissions.MEMBERSHIP,
}
NOTHING_TO_DO_YET = {
    ("organization", "ingestConversations"),
    ("organization", "viewBilling"),
    *(("space", name) for name in ("viewInviteLinks", "edit", "merge", "review")),
    ("collection", "viewInviteLinks"),
}
"""Promises about what this host has no operation for; clients show what they need of it by them."""
ELSEWHERE = {("space", "access"), ("space", "installIntegration")}
"""Of spaces: `access` is `view`, and installing is a matter of the organization (test_promises_follow_the_level)."""


TEXT = {"source": {"text": "openapi: 3.1.0"}}


@dataclass
class World:
    """An organization with one of each, and a person of every role in it, also of none."""

    owner: Tenant
    people: list[Person]
    team: str
    translation: str
    one: Installed

    def path(self, kind: str, member: Person) -> str:
        """Give the path of the object that makes the promise."""
        home = f"/v1/orgs/{self.owner.id}"
        return home + {
            "organization": "",
            "team": f"/teams/{self.team}",
            "specification": "/openapi/known",
            "translation": f"/translations/{self.translation}",
            "membership": f"/teams/{self.team}/members",
        }.get(kind, "")


@pytest.fixture(scope="module")
def world(host: HostProcess) -> World:
    owner = tenant(host, "Promises", f"{new_id()}@example.com")
    people = [person(host, owner, role) for role in (*ROLES, None)]
    translation = owner.api.post(f"/v1/orgs/{owner.id}/translations", {"title": "Manual"}).json["id"]
    assert owner.api.call("PUT", f"/v1/orgs/{owner.id}/openapi/known", TEXT).status == 201
    mine = team(owner, Person(owner.user, owner.api))
    return World(owner, people, mine, translation, installed(owner, SCRIPT, blocks=[]))


Ask = Callable[[Api, World], int]


def asking(method: str, path: str, body: object = None) -> Ask:
    """Ask below the organization; the status tells."""

    def ask(api: Api, world: World) -> int:
        filled = path.format(team=world.team, translation=world.translation, me=world.owner.user)
        return api.call(method, f"/v1/orgs/{world.owner.id}{filled}", body).status

    return ask


def installing(api: Api, world: World) -> int:
    """Install what is installed: who may gets 409, before anything else is looked at."""
    return api.post(f"{world.one.path}/installations", {"organization": world.owner.id}).status


DONE = {200, 201, 204, 205, 409}
ASKED: dict[tuple[str, str], Ask] = {
    ("organization", "view"): asking("GET", ""),
    ("organization", "admin"): asking("PATCH", "", {"title": "Promises"}),
    ("organization", "ownTeam"): asking("PUT", "/teams", {"title": "Own", "members": []}),
    ("organization", "createContent"): asking("POST", "/spaces", {"title": "Made"}),
    ("organization", "createOpenAPISpec"): asking("PUT", "/openapi/another", TEXT),
    ("organization", "listMembers"): asking("GET", "/members"),
    ("organization", "listTeams"): asking("GET", "/teams"),
    ("organization", "listIntegrations"): asking("GET", "/integrations"),
    ("organization", "listInstallations"): asking("GET", "/installations"),
    ("organization", "installIntegration"): installing,
    ("team", "view"): asking("GET", "/teams/{team}"),
    ("team", "admin"): asking("PATCH", "/teams/{team}", {"title": "Team"}),
    ("specification", "view"): asking("GET", "/openapi/known"),
    ("specification", "edit"): asking("PUT", "/openapi/known", TEXT),
    ("translation", "view"): asking("GET", "/translations/{translation}"),
    ("translation", "edit"): asking("PUT", "/translations/{translation}", {"title": "Manual"}),
    ("membership", "view"): asking("GET", "/teams/{team}/members"),
}


def test_every_promise_is_looked_at() -> None:
    """A new entry of runtime/contract/permissions.py belongs into ASKED."""
    known = {(kind, name) for kind, promises in KINDS.items() for name in promises}
    of_content = {deed.promise for deed in DEEDS if deed.promise is not None} | ELSEWHERE
    assert known == {*ASKED, *of_content, *NOTHING_TO_DO_YET}
    said = [one for name, one in vars(permissions).items() if name.isupper()]
    assert sorted(map(id, KINDS.values())) == sorted(map(id, said))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if any(asked[0] == kind for asked in ASKED)])
def test_what_is_promised_is_what_the_server_does(kind: str, world: World) -> None:
    for member in world.people:
        answer = member.api.get(world.path(kind, member))
        shown = answer.json["items"][0] if "items" in answer.json else answer.json
        promised = shown.get("permissions", {})
        for (of, name), ask in ASKED.items():
            if of == kind:
                assert (ask(member.api, world) in DONE) == promised.get(name, False), (kind, name, member)
