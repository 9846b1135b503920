"""A request that works for every operation: the tests of bad input spoil it in one place each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from runtime.api.operation import Operation
from tests.conftest import Api, Installed, publication

OBJECTS = ("organizationId", "spaceId", "siteId", "integrationName", "installationId", "eventId", "tunnelId", "tokenId")


@dataclass
class World:
    """An integration that is installed, with a token of each kind and one recorded event."""

    installed: Installed
    integration: Api
    installation: Api
    reader: Api
    event: str
    tunnel: str
    token: str = "x" * 20

    def value(self, parameter: str) -> str:
        one = self.installed
        return {
            "organizationId": one.owner.id,
            "spaceId": one.space,
            "siteId": one.site,
            "integrationName": one.name,
            "installationId": one.installation,
            "eventId": self.event,
            "tunnelId": self.tunnel,
            "tokenId": self.token,
        }[parameter]

    def path(self, operation: Operation, **other: str) -> str:
        path = operation.path
        for parameter in operation.parameters:
            path = path.replace(f"{{{parameter}}}", other.get(parameter, self.value(parameter)))
        return path


@dataclass
class Good:
    """What works: `token` is user, integration or installation; `body` and `query` are made for a world."""

    body: Callable[[World], dict[str, Any]] | None = None
    query: Callable[[World], dict[str, str]] = field(default=lambda world: {})
    token: str = "user"
    spoiled: dict[str, Any] = field(default_factory=dict)
    """Values no body of this operation may have, by field."""


def render_body(world: World) -> dict[str, Any]:
    return {"componentId": "counter", "props": {}, "context": world.installed.context()}


SOURCES = """

source = integration.content_source("pages")


@source.revision
def pages(props):
    return [{"type": "document", "title": props.get("title", "Page")}]


@source.document
def page(props):
    return "# Hello"
"""
CONTENT_SOURCES = [{"id": "pages", "title": "Pages", "configuration": {"componentId": "counter"}}]


def compute(world: World) -> dict[str, Any]:
    return {"source": {"type": f"integration:{world.installed.name}:pages", "props": {}}, "seed": "s"}


def app_address(world: World) -> dict[str, str]:
    return {"url": world.installed.owner.api.get(f"/v1/spaces/{world.installed.space}").json["urls"]["app"]}


def render_query(world: World) -> dict[str, str]:
    import json

    from lzstring import LZString

    return {"request": LZString().compressToEncodedURIComponent(json.dumps(render_body(world)))}


SCHEMA = {"type": "object", "properties": {"beta": {"type": "boolean", "description": "Tries new things."}}}
NO_SCHEMA = {"type": "object", "properties": {"beta": {"type": "date"}}}


def page_view(**more: Any) -> dict[str, Any]:
    """What a published site tells when somebody looks at a page."""
    session = {"visitorId": "v", "sessionId": "s", "cookies": {"a": "1"}, "userAgent": "x"}
    place = dict.fromkeys(("siteSection", "siteSpace", "siteShareKey", "space", "revision", "page"))
    return {
        "type": "page_view",
        "session": session | {"language": None, "referrer": None},
        "location": {"url": "https://docs.example.com/a", **place},
        **more,
    }


GOOD: dict[str, Good] = {
    "getApiInformation": Good(),
    "getAuthenticatedUser": Good(),
    "listUserTokens": Good(),
    "revokeUserToken": Good(),
    "listOrganizationsForAuthenticatedUser": Good(),
    "getOrganizationById": Good(),
    "listSpacesInOrganizationById": Good(),
    "createSpace": Good(
        lambda world: {"title": "New"}, spoiled={"title": "x" * 51, "editMode": "sometimes", "emoji": 7}
    ),
    "getSpaceById": Good(),
    "updateSpaceById": Good(
        lambda world: {"title": "Another"},
        spoiled={
            "title": "x" * 51,
            "emoji": 7,
            "editMode": "sometimes",
            "defaultLevel": "king",
            "language": 1,
            "visibility": "hidden",
        },
    ),
    "getContentByUrl": Good(query=app_address),
    "listSpaceIntegrationsBlocks": Good(),
    "getEmbedByUrlInSpace": Good(query=lambda world: {"url": "https://example.com/a"}),
    "getEmbedByUrl": Good(query=lambda world: {"url": "https://example.com/a"}),
    "getComputedRevision": Good(compute, spoiled={"source": {"type": "builtin:openapi", "props": {}}, "seed": 1}),
    "getComputedDocument": Good(compute, spoiled={"source": {"type": "integration:a", "props": {}}, "seed": None}),
    "listSites": Good(),
    "createSite": Good(
        lambda world: {"title": "New site"},
        spoiled={"title": "x", "type": "luxury", "visibility": "hidden", "spaces": ["nowhere"]},
    ),
    "getSiteById": Good(),
    "updateSiteById": Good(
        lambda world: {"title": "Another title", "published": True},
        spoiled={
            "title": "x",
            "visibility": "hidden",
            "basename": "",
            "adaptiveContent": {"enabled": "yes"},
            "agentsContext": "all",
            "defaultSiteSpace": "nowhere",
            "defaultSiteSection": "nowhere",
            "proxy": "no proxy",
            "published": "yes",
            "visitorAuth": {"backend": "integration", "integration": "not-installed"},
        },
    ),
    "getSiteAdaptiveSchema": Good(),
    "updateSiteAdaptiveSchema": Good(lambda world: {"jsonSchema": SCHEMA}, spoiled={"jsonSchema": NO_SCHEMA}),
    "listSiteAdaptiveTemplateConditions": Good(),
    "trackEventsInSiteById": Good(
        lambda world: {"events": [page_view()]}, spoiled={"events": [page_view(type="page_blink")]}
    ),
    "listSiteIntegrationScripts": Good(),
    "listSiteIntegrations": Good(),
    "listIntegrations": Good(),
    "getIntegrationByName": Good(),
    "publishIntegration": Good(
        lambda world: publication(world.installed.owner.id),
        spoiled={
            "title": "x",
            "description": "x" * 101,
            "scopes": ["everything"],
            "visibility": "secret",
            "target": "moon",
            "runtime": "v9",
            "blocks": [{"id": "a", "title": "x"}],
            "secrets": {f"S{number}": "x" for number in range(21)},
            "externalLinks": [{"url": "https://example.com", "label": "x"}] * 6,
            "previewImages": ["aGVsbG8="],
            "icon": "no base64!",
            "configurations": {"account": {"properties": {"a": {"type": "date"}}}},
            "contentSecurityPolicy": {"script-source": "self"},
            "script": 5,
        },
    ),
    "unpublishIntegration": Good(),
    "listIntegrationEvents": Good(),
    "getIntegrationEvent": Good(),
    "triggerIntegrationEvent": Good(
        lambda world: {"event": {"type": "space_content_updated", "revisionId": "r"}},
        spoiled={"event": {"type": "space_content_updated"}, "count": 0},
    ),
    "getIntegrationDevelopmentMode": Good(),
    "setIntegrationDevelopmentMode": Good(
        lambda world: {"tunnelUrl": "https://tunnel.example.com"}, spoiled={"tunnelUrl": "x" * 257, "all": "yes"}
    ),
    "disableIntegrationDevelopmentMode": Good(),
    "queueIntegrationTask": Good(
        lambda world: {"task": {"type": "x"}}, token="integration", spoiled={"task": "x", "schedule": 86401}
    ),
    "renderIntegrationUIWithPost": Good(
        render_body, spoiled={"componentId": "", "props": [], "context": {"type": "dream"}, "state": 1}
    ),
    "renderIntegrationUIWithGet": Good(query=render_query),
    "listIntegrationInstallations": Good(token="integration"),
    "installIntegration": Good(lambda world: {"organization": world.installed.owner.id}, spoiled={"organization": 3}),
    "getIntegrationInstallationById": Good(),
    "updateIntegrationInstallation": Good(
        lambda world: {"configuration": {"a": 1}},
        spoiled={"configuration": [], "externalIds": ["x"] * 6, "space_selection": "some", "status": "sleeping"},
    ),
    "uninstallIntegration": Good(),
    "createIntegrationInstallationToken": Good(token="integration"),
    "installIntegrationOnSpace": Good(lambda world: {"space": world.installed.space}, spoiled={"space": 1}),
    "listIntegrationInstallationSpaces": Good(),
    "getIntegrationSpaceInstallation": Good(),
    "updateIntegrationSpaceInstallation": Good(
        lambda world: {"configuration": {}}, spoiled={"configuration": "x", "externalIds": "x"}
    ),
    "uninstallIntegrationFromSpace": Good(),
    "installIntegrationOnSite": Good(lambda world: {"siteId": world.installed.site}, spoiled={"siteId": 1}),
    "listIntegrationInstallationSites": Good(),
    "getIntegrationSiteInstallation": Good(),
    "updateIntegrationSiteInstallation": Good(
        lambda world: {"configuration": {}}, spoiled={"configuration": 1, "externalIds": [1]}
    ),
    "uninstallIntegrationFromSite": Good(),
    "listIntegrationSpaceInstallations": Good(token="integration"),
    "listIntegrationSiteInstallations": Good(token="integration"),
    "listOrganizationIntegrations": Good(),
    "listOrganizationInstallations": Good(),
    "listOrganizationIntegrationsStatus": Good(),
    "getOrganizationIntegrationStatus": Good(),
    "listSpaceIntegrations": Good(),
    "listIntegrationVersions": Good(),
    "rollBackIntegration": Good(lambda world: {"version": 1}, spoiled={"version": 0}),
    "listTunnels": Good(),
    "openTunnel": Good(lambda world: {"name": "laptop"}, spoiled={"name": ""}),
    "closeTunnel": Good(),
}
