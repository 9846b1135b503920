"""Walks the operations with the tokens of a script whose manifest asks for nothing: only what is its own is left."""

from __future__ import annotations

from typing import get_args

import pytest

from runtime.api.event_stream import GATE
from runtime.api.operation import Family
from runtime.api.permission import Needs, member, own, scoped
from runtime.api.table import operations
from runtime.contract.integrations import Scope
from runtime.store import tokens
from runtime.store.secrets import load_keyring, use_keyring
from tests import databases
from tests.conftest import COUNTER, SCOPES, Api, HostProcess, Tenant, installed, publication, wait_for
from tests.contract.operation_walk import send
from tests.contract.requests_table import (
    CONTENT_SOURCES,
    GOOD,
    HIDDEN,
    SOURCES,
    World,
    content_of,
    specification_of,
    structured,
)

KINDS = ("integration", "installation")
ALPHA_EMAIL = "alpha@example.com"
OWN = {
    "getApiInformation",
    "getEmbedByUrl",
    "getIntegrationByName",
    "getPublishedContentByUrl",
    "resolvePublishedContentByUrl",
    "getIntegrationEvent",
    "getIntegrationInstallationById",
    "getIntegrationSiteInstallation",
    "getIntegrationSpaceInstallation",
    "listIntegrationEvents",
    "listIntegrationInstallationSites",
    "listIntegrationInstallationSpaces",
    "listIntegrationInstallations",
    "listIntegrationSiteInstallations",
    "listIntegrationSpaceInstallations",
    "listIntegrations",
    "renderIntegrationUIWithGet",
    "renderIntegrationUIWithPost",
    "updateIntegrationInstallation",
    "updateIntegrationSiteInstallation",
    "updateIntegrationSpaceInstallation",
}
"""What is about the integration itself, which it may do whatever it asked for (docs/contract/api.md, "Roles")."""
OF_THE_INTEGRATION = {"createIntegrationInstallationToken", "queueIntegrationTask"}
"""The same, for the integration's token alone."""


@pytest.fixture(scope="module")
def bare(host: HostProcess, alpha: Tenant) -> World:
    """An integration that asks for no scope; its tokens claim every one."""
    one = installed(alpha, COUNTER + SOURCES, contentSources=CONTENT_SOURCES, scopes=[])
    one.render()
    events = wait_for(lambda: alpha.api.get(f"{one.path}/events").json["items"])
    use_keyring(load_keyring(host.data, None))
    ((found,),) = databases.ask(host.data, "SELECT id FROM integrations WHERE name = ?", [one.name])
    every = list(get_args(Scope))
    integration = Api(host.url, tokens.sign(found, None, None, every))
    installation = Api(host.url, tokens.sign(found, one.installation, alpha.id, every))
    named = {"eventId": events[0]["id"], **structured(one), **content_of(alpha, one.space), **specification_of(alpha)}
    return World(one, integration, installation, alpha.api, named)


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_scope_a_script_is_left_with_its_own(kind: str, bare: World) -> None:
    api = {"integration": bare.integration, "installation": bare.installation}[kind]
    allowed = OWN | (OF_THE_INTEGRATION if kind == "integration" else set())
    reached = set()
    for operation in operations():
        if HIDDEN & {*operation.parameters}:
            continue  # no script finds such a thing at all
        answer = send(bare, operation, api)
        if answer.status == 403:
            message = answer.json["error"]["message"]
            assert f"an {kind} token with the scopes none" in message
            assert operation.needs.scope is None or f"`{operation.needs.scope}`" in message
        else:
            assert answer.status == operation.status, (operation.name, answer.text)
            reached.add(operation.name)
    assert reached == allowed


@pytest.mark.parametrize("kind", KINDS)
def test_whole_spaces_and_sites_need_their_scope_wherever_they_are_shown(kind: str, bare: World) -> None:
    api = {"integration": bare.integration, "installation": bare.installation}[kind]
    mine = f"{bare.installed.path}/installations/{bare.installed.installation}"
    for part, one in (("space", bare.installed.space), ("site", bare.installed.site)):
        for base in (mine, bare.installed.path):
            assert api.get(f"{base}/{part}s").status == 200
            refused = api.get(f"{base}/{part}s", extended="true")
            assert refused.status == 403 and f"`{part}:metadata:read`" in refused.json["error"]["message"]
        for method, body in (("GET", None), ("PATCH", {"configuration": {"changed": True}})):
            refused = api.call(method, f"{mine}/{part}s/{one}", body, params={"extended": "true"})
            assert refused.status == 403 and f"`{part}:metadata:read`" in refused.json["error"]["message"]
        assert "changed" not in api.get(f"{mine}/{part}s/{one}").json["configuration"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_scope_binds_as_the_current_version_asks_for_it(kind: str, bare: World, alpha: Tenant) -> None:
    api = {"integration": bare.integration, "installation": bare.installation}[kind]
    scoped_ones = [one for one in operations() if one.needs.scope is not None and getattr(one.needs, kind)]
    assert len(scoped_ones) > 8
    path = bare.installed.path
    bare.named |= specification_of(alpha)  # the operations after it delete it
    for operation in scoped_ones:
        more = {"contentSources": CONTENT_SOURCES, "scopes": [operation.needs.scope]}
        assert alpha.api.post(path, publication(alpha.id, COUNTER + SOURCES, **more)).status == 200
        answer = send(bare, operation, api)
        assert answer.status == operation.status or operation.name == "getSiteAdaptiveSchema", answer.text
        assert answer.status != 403
        assert ALPHA_EMAIL not in answer.text, operation.name  # no scope covers who people are
    assert alpha.api.post(path, publication(alpha.id, COUNTER + SOURCES, scopes=[])).status == 200
    bare.named |= specification_of(alpha)
    for operation in scoped_ones:
        assert send(bare, operation, api).status == 403


def test_needs_that_leave_open_what_binds_a_script_are_not_made() -> None:
    for admitted in ({"integration": True}, {"installation": True}, {"integration": True, "installation": True}):
        with pytest.raises(ValueError, match="name a scope"):
            Needs(**admitted)
        with pytest.raises(ValueError, match="name a scope"):
            Needs(scope="space:content:read", own=True, **admitted)
    with pytest.raises(ValueError, match="name a scope"):
        Needs(user=True, scope="space:content:read")
    assert scoped(member("read"), "space:content:read").integration
    family = Family("Test")
    for path in ("/v1/spaces/{spaceId}", "/v1/orgs/{organizationId}/integrations/{integrationName}"):
        with pytest.raises(ValueError, match="begin with an integration"):
            family.operation(f"GET {path}", needs=own(member("read")))
    assert GATE.needs.own
    assert set(SCOPES) <= set(get_args(Scope))


def test_the_table_of_requests_is_walked_whole() -> None:
    assert {one.name for one in operations()} == set(GOOD)
