"""The table of operations, a world with one of each thing they name, and good requests."""

from __future__ import annotations

from typing import Any

from runtime.api.operation import Operation
from runtime.api.table import operations
from runtime.contract.identifiers import new_id
from runtime.store import tokens
from runtime.store.secrets import load_keyring, use_keyring
from tests import databases
from tests.conftest import COUNTER, SCOPES, Answer, Api, HostProcess, Tenant, installed, wait_for
from tests.contract.requests_table import (
    CONTENT_SOURCES,
    GOOD,
    SCHEMA,
    SOURCES,
    Good,
    World,
    content_of,
    specification_of,
    structured,
)
from tests.scenarios.people import reader

OPERATIONS = {operation.name: operation for operation in operations()}


def build(host: HostProcess, owner: Tenant, *, specified: bool = True) -> World:
    one = installed(owner, COUNTER + SOURCES, contentSources=CONTENT_SOURCES)
    one.render()
    site = f"/v1/orgs/{owner.id}/sites/{one.site}"
    assert owner.api.call("PUT", f"{site}/adaptive-schema", {"jsonSchema": SCHEMA}).status == 200
    events = wait_for(lambda: owner.api.get(f"{one.path}/events").json["items"])
    use_keyring(load_keyring(host.data, None))
    (found,) = databases.ask(host.data, "SELECT id FROM integrations WHERE name = ?", [one.name])
    integration = Api(host.url, tokens.sign(found[0], None, None, SCOPES))
    made = integration.post(f"{one.path}/installations/{one.installation}/tokens")
    person = reader(host, owner)[1]
    team = team_of(owner, person)
    collection, translation = collection_of(owner, one.space, person, team)
    return World(
        one,
        integration,
        Api(host.url, made.json["token"]),
        Api(host.url, reader(host, owner)[0]),
        {
            "eventId": events[0]["id"],
            "tunnelId": owner.api.post(f"/v1/orgs/{owner.id}/tunnels", {"name": f"of {one.name}"}).json["id"],
            "tokenId": another_token(host, owner),
            "userId": person,
            "teamId": team,
            "inviteId": link_of(owner),
            "email": invite_of(owner),
            "samlProviderId": owner.api.post(f"/v1/orgs/{owner.id}/saml", {"label": "Company"}).json["id"],
            "collectionId": collection,
            "translationSettingsId": translation,
            **(specification_of(owner) if specified else {}),
            **structured(one),
            **content_of(owner, one.space, person),
        },
    )


def link_of(owner: Tenant) -> str:
    """Make an invite link; gives its id."""
    organization = f"/v1/orgs/{owner.id}"
    assert owner.api.call("PATCH", organization, {"inviteLinks": True}).status == 200
    return str(owner.api.post(f"{organization}/link-invites", {"role": "read"}).json["id"])


def invite_of(owner: Tenant) -> str:
    """Invite somebody by e-mail; gives the address."""
    address = f"{new_id().lower()}@example.com"
    assert owner.api.post(f"/v1/orgs/{owner.id}/invites", {"emails": [address]}).status == 200
    return address


def collection_of(owner: Tenant, space: str, person: str, team: str) -> tuple[str, str]:
    """Give a collection, and translation settings; a member and a team were given access there and to a space."""
    made = owner.api.post(f"/v1/orgs/{owner.id}/collections", {"title": "Manuals"}).json["id"]
    owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Inside", "parent": made})
    for content in (f"/v1/spaces/{space}", f"/v1/collections/{made}"):
        body = {"role": "read", "users": [person], "teams": [team]}
        assert owner.api.post(f"{content}/permissions", body).status == 204
    return made, owner.api.post(f"/v1/orgs/{owner.id}/translations", {"title": "Manual"}).json["id"]


def team_of(owner: Tenant, person: str) -> str:
    """Make a team that a member is in; gives its id."""
    body = {"title": "Writers", "members": [person]}
    return owner.api.call("PUT", f"/v1/orgs/{owner.id}/teams", body).json["id"]


def another_token(host: HostProcess, owner: Tenant) -> str:
    """Make one more token of a person, which nobody uses; gives its id."""
    made = new_id()
    row = (made, owner.user, tokens.new_token()[1], "2026-01-01 00:00:00.000000")
    databases.ask(host.data, "INSERT INTO tokens (id, user_id, digest, created_at) VALUES (?, ?, ?, ?)", row)
    return made


def api_of(world: World, good: Good) -> Api:
    return {"user": world.installed.owner.api, "integration": world.integration, "installation": world.installation}[
        good.token
    ]


def send(world: World, operation: Operation, api: Api | None = None, **more: Any) -> Answer:
    good = GOOD[operation.name]
    path = more.pop("path", None) or world.path(operation)
    body = more.pop("body") if "body" in more else good.body(world) if good.body else None
    query = good.query(world) | more.pop("query", {})
    if good.upload is not None:
        more.setdefault("data", good.upload)
    return (api or api_of(world, good)).call(operation.method, path, body, params=query, **more)
