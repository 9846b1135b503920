"""What a request may say has an effect: no field is ignored, neither of the published document nor of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.api.operation import Operation
from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant
from tests.contract import agreement
from tests.contract.operation_walk import OPERATIONS, build
from tests.contract.requests_table import World

Place = tuple[str, ...]
OURS = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
DEEPEST = 5

IGNORED = {
    ("createTranslation", "instructions"): "translation settings have a title alone, as the contract says",
    ("createTranslation", "language"): "as above",
    ("createTranslation", "source"): "as above",
    ("updateTranslation", "instructions"): "as above",
    **{
        ("trackEventsInSiteById", f"events.[].{one}"): "what of an event no integration is told is discarded"
        for one in (
            *("ad", "link", "operation", "placement", "query", "rating", "responseId", "result", "timestamp"),
            *("location.displayContext", "session.visitorAuthClaims", "session.visitorAuthToken"),
        )
    },
}
"""Fields of the published document that have no effect, with the reason."""
REFUSED = {
    ("createOrganizationInvite", "collection"),
    ("createOrganizationInvite", "level"),
    ("createOrganizationInvite", "space"),
    ("updateOrganizationInviteById", "level"),
    ("updateCommentReplyInChangeRequest", "resolved"),
}
"""Fields of the published document that are answered with 400."""


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].split("/")[1:]:
            found = found[part]
        schema = found
    return schema


def _fields(document: dict[str, Any], schema: dict[str, Any], before: Place = ()) -> Iterator[Place]:
    """Yield the fields that a schema declares; what ends with `*` may have any fields."""
    schema = _resolved(document, schema)
    if len(before) > DEEPEST:
        yield (*before, "*")
        return
    for name, inner in schema.get("properties", {}).items():
        yield (*before, name)
        yield from _fields(document, inner, (*before, name))
    members = [one for kind in ("allOf", "oneOf", "anyOf") for one in schema.get(kind, [])]
    if not (members or schema.get("properties") or "items" in schema) and schema.get("type", "object") == "object":
        yield (*before, "*")
    for one in members:
        yield from _fields(document, one, before)
    if "items" in schema:
        yield from _fields(document, schema["items"], (*before, "[]"))


def _sent(document: dict[str, Any], described: dict[str, Any]) -> set[Place]:
    body = _resolved(document, described.get("requestBody", {}))
    kinds = body.get("content", {}).values()
    inside = {place for kind in kinds for place in _fields(document, kind["schema"])}
    query = (_resolved(document, one) for one in described.get("parameters", []))
    return inside | {("?", one["name"]) for one in query if one["in"] == "query"}


def _missing(theirs: set[Place], ours: set[Place]) -> set[str]:
    free = {place[:-1] for place in ours if place[-1] == "*"}
    gone = {
        place
        for place in theirs - ours
        if place[-1] not in ("*", "[]") and not any(place[: len(one)] == one for one in free)
    }
    return {".".join(place) for place in gone if not any(place[:length] in gone for length in range(1, len(place)))}


def _both() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the operations that both documents have, as each describes them."""

    def plain(path: str) -> str:
        return re.sub(r"{\w+}", "x", path)

    here = {(method, plain(path)): one for path, item in OURS["paths"].items() for method, one in item.items()}
    for path, item in agreement.document()["paths"].items():
        for method in agreement.METHODS:
            own = here.get((method, "/v1" + plain(path)))
            if method in item and own is not None:
                yield own["operationId"], item[method], own


@pytest.mark.skipif(not agreement.DOCUMENT.exists(), reason=agreement.MISSING)
def test_what_the_published_document_declares_is_declared_here() -> None:
    gone = {
        (name, field)
        for name, theirs, ours in _both()
        for field in _missing(_sent(agreement.document(), theirs), _sent(OURS, ours))
    }
    assert gone == IGNORED.keys() | REFUSED


RULES = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}
DOCUMENT = {"object": "document", "data": {}, "nodes": []}
Value = Any | Callable[[World], Any]
SHOWN: dict[str, dict[str, tuple[Value, str]]] = {
    "updateOrganizationById": {
        "title": ("Renamed", "title"),
        "emailDomains": (["other.example"], "emailDomains"),
        "hostname": (lambda _: f"h-{new_id().lower()}", "hostname"),
        "defaultRole": ("comment", "defaultRole"),
        "defaultContent": (lambda world: {"type": "site", "site": world.installed.site}, "defaultContent"),
        "logo": ("https://a.example/logo.png", "urls.logo"),
        "ai": (True, "ai"),
        "inviteLinks": (False, "inviteLinks"),
        "mergeRules": (RULES, "mergeRules"),
    },
    "updateMemberInOrganizationById": {"role": ("edit", "role")},
    "updateOrganizationInviteById": {"role": ("review", "role")},
    "updateOrganizationSAMLProvider": {
        "label": ("Other", "label"),
        "entityID": ("urn:other", "entityID"),
        "ssoURL": ("https://idp.example/", "ssoURL"),
        "defaultTeam": (lambda world: world.value("teamId"), "defaultTeam.id"),
        "defaultRole": ("comment", "defaultRole"),
    },
    "updateTeamInOrganizationById": {"title": ("Authors", "title")},
    "updateCollectionById": {
        "title": ("Other", "title"),
        "description": ("What it is", "description"),
        "defaultLevel": ("comment", "defaultLevel"),
    },
    "updateSpaceById": {
        "title": ("Other", "title"),
        "emoji": ("1f389", "emoji"),
        "icon": ("https://a.example/icon.png", "urls.icon"),
        "editMode": ("live", "editMode"),
        "defaultLevel": ("comment", "defaultLevel"),
        "language": ("pt-br", "language"),
        "visibility": ("unlisted", "visibility"),
        "mergeRules": (RULES, "mergeRules"),
    },
    "updateChangeRequestById": {
        "subject": ("Other", "subject"),
        "description": (DOCUMENT, "description"),
        "status": ("open", "status"),
    },
    "updateSiteById": {
        "title": ("Other", "title"),
        "visibility": ("unlisted", "visibility"),
        "basename": (lambda _: f"b-{new_id().lower()}", "basename"),
        "adaptiveContent": ({"enabled": True}, "adaptiveContent"),
        "agentsContext": ("included", "agentsContext"),
        "published": (False, "published"),
    },
    "updateSiteSpaceById": {
        "path": ("other", "path"),
        "condition": ("visitor.claims.beta == true", "condition"),
    },
    "updateSiteSectionById": {
        "title": ("Other", "title"),
        "path": ("elsewhere", "path"),
        "condition": ("visitor.claims.beta == true", "condition"),
        "icon": ("book", "icon"),
        "description": ("What it is", "description"),
    },
    "updateSiteSectionGroupById": {"title": ("Other", "title"), "icon": ("book", "icon")},
    "updateSiteShareLinkById": {"name": ("Other", "name"), "active": (False, "active")},
    "updateSiteRedirectById": {"source": ("/other", "source")},
    "updateIntegrationInstallation": {
        "configuration": ({"a": "b"}, "configuration"),
        "externalIds": (["one"], "externalIds"),
        "status": ("paused", "status"),
        "space_selection": ("all", "space_selection"),
        "site_selection": ("all", "site_selection"),
    },
}
"""By operation and field: a value that is not there already, and where the answer shows it."""
ELSEWHERE = {
    ("updateOrganizationById", "sso"): "test_single_sign_on, as it needs an identity provider",
    ("updateOrganizationSAMLProvider", "certificate"): "test_single_sign_on, as it needs a real one",
    ("updateSiteById", "defaultSiteSpace"): "test_site_structure",
    ("updateSiteById", "defaultSiteSection"): "test_site_structure",
    ("updateSiteById", "proxy"): "test_sites",
    ("updateSiteById", "visitorAuth"): "test_published_content",
    ("updateSiteSpaceById", "spaceId"): "test_site_structure",
    ("updateSiteSectionById", "defaultSiteSpace"): "test_site_structure",
    ("updateSiteRedirectById", "destination"): "test_published_content",
}
"""Fields whose effect another test shows."""
NOT_SHOWN = {
    "sortSiteStructure": "moves something: test_site_structure",
    "overrideSiteSpaceCustomizationById": "settings, of which each is shown: test_sites",
    "updateSitePublishingAuthById": "test_visitors",
    "updateIntegrationSpaceInstallation": "as of an installation, with the same service",
    "updateIntegrationSiteInstallation": "as of an installation, with the same service",
}
"""Operations that are no plain change of what they answer with."""
PATCHING = {name: one for name, one in OPERATIONS.items() if one.method == "PATCH" and one.status == 200}


def _names(operation: Operation) -> set[str]:
    schema = operation.body.model_json_schema(by_alias=True) if operation.body is not None else {}
    return set(schema.get("properties", {}))


@pytest.fixture(scope="module")
def world(host: HostProcess, alpha: Tenant) -> World:
    owner = Tenant(alpha.api.post("/v1/orgs", {"title": "Declared"}).json["id"], alpha.user, alpha.api)
    return build(host, owner, specified=False)


def test_every_field_of_a_change_is_tried() -> None:
    assert PATCHING.keys() == SHOWN.keys() | NOT_SHOWN
    for name, fields in SHOWN.items():
        assert fields.keys() | {field for of, field in ELSEWHERE if of == name} == _names(PATCHING[name]), name


@pytest.mark.parametrize(("name", "field"), [(name, field) for name, fields in SHOWN.items() for field in fields])
def test_a_change_of_a_field_is_shown(name: str, field: str, world: World) -> None:
    value, place = SHOWN[name][field]
    sent = value(world) if callable(value) else value
    answer = world.installed.owner.api.call("PATCH", world.path(PATCHING[name]), {field: sent})
    assert answer.status == 200, answer.text
    shown: Any = answer.json
    for part in place.split("."):
        shown = shown[part]
    assert shown == sent


@pytest.mark.parametrize(("name", "field"), sorted(REFUSED))
def test_what_is_not_there_is_refused(name: str, field: str, world: World) -> None:
    operation = OPERATIONS[name]
    usual = {"role": "read"} if "Invite" in name else {"addedReactions": []}
    answer = world.installed.owner.api.call(operation.method, world.path(operation), usual | {field: "x"})
    assert answer.status == 400 and f"`{field}`" in answer.text
