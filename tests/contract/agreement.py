"""Holds every answer the tests provoke against the published OpenAPI document of the contract.

The document is read from the npm package that today's clients are built from; it is no part of this repository. What
differs on purpose stands in `DIFFERENCES`, with its reason; any other difference fails the test that met it. So does a
status that our own document does not name for its operation, whether the package is there or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from jsonschema import ValidationError
from jsonschema.exceptions import best_match
from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

from runtime.api import statuses
from runtime.api.operation import Operation
from runtime.api.table import operations
from tests.clients.packages import MISSING, MODULES

DOCUMENT = MODULES / "@gitbook" / "api" / "spec" / "openapi.json"
METHODS = ("get", "post", "put", "patch", "delete")
LARGEST = 1_000_000
"""Bytes of a body that is held against its schema: the validator takes minutes for larger ones, on a busy machine so
many that the test is ended, and what they consist of is in smaller ones too."""
COVERED: set[str] = set()
"""Operations of the published document of which an answer has been checked in this process."""


@dataclass(frozen=True)
class Difference:
    """Where we differ from the published document on purpose: `place` is a pattern of what is told of a difference."""

    place: str
    reason: str


DIFFERENCES = (
    Difference(
        r"^(listTranslations|createTranslation|getTranslation|updateTranslation) 20[01] ",
        "translation settings have a title, as the contract says; the document has what came after them",
    ),
    Difference(
        r"^list\w+[Ll]inks\w* 200 \$[^:]*: \{'kind': .*'organization': \{'object': 'organization', 'id': '\w+'\}",
        "who may not read an organization by itself is shown its id alone where links name it",
    ),
    Difference(
        r"^\w+SAML\w+ 20[01] \$[^:]*: 'ssoURL' is a required property",
        "a provider that waits for its address has none; an empty text, which has been sent, is no address",
    ),
    Difference(
        r"^renderIntegrationUIWith\w+ 200 \$\.element: {'type': 'block', 'children': \[None, False",
        "a tree passes as its script made it; what JSX leaves among children, whoever draws the tree skips",
    ),
    Difference(
        r"^(listIntegrationEvents|getIntegrationEvent) 200 \$\.[^:]*payload: {'eventId': '\w+', 'type': 'task'",
        "the event of a task came later; the runtime of the same time handles it already",
    ),
    Difference(
        r"^(listIntegrationEvents|getIntegrationEvent) 200 \$\.[^:]*payload: {'eventId': '\w+', 'type': 'site_policy",
        "where the preview is served, what a site's policy kept out stands in the log; no script is told of it",
    ),
    Difference(
        r"^renderIntegrationUIWithGet 304 status",
        "a render that has not changed is not sent again to whoever says which one they have",
    ),
    Difference(
        r"^renderIntegrationUIWithGet 414 content-type: none",
        "an address that is longer than any request may be is refused before the API sees it",
    ),
)


@dataclass(frozen=True)
class Published:
    """An operation of the published document."""

    name: str
    pattern: re.Pattern[str]
    method: str
    pointer: str
    answers: dict[str, Any]


@cache
def document() -> dict[str, Any]:
    """Read the published document as one that answers can be held against.

    Its discriminators name schemas that it does not have, the members of its `oneOf` overlap (a number is also a
    "plain object" there), and its empty document, which every page may be, forbids all other properties. What fits
    any member counts as right, and a document without content may have properties.
    """
    value: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"), object_hook=_usable)
    return value


def _usable(value: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value.get("oneOf"), list):
        value["anyOf"] = value.pop("oneOf")
        value.pop("discriminator", None)
    if value.get("title") == "Empty":
        value.pop("additionalProperties", None)
    return value


@cache
def published() -> tuple[Published, ...]:
    """List the published operations, those with fewer parameters in their path first."""
    found = []
    for path, item in document()["paths"].items():
        pattern = re.compile("/v1" + re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "/?$")
        for method in METHODS:
            if method in item:
                pointer = f"#/paths/{path.replace('/', '~1')}/{method}"
                name = item[method]["operationId"]
                found.append(Published(name, pattern, method.upper(), pointer, item[method]["responses"]))
    return tuple(sorted(found, key=lambda one: one.pattern.pattern.count("[^/]")))


def find(method: str, path: str) -> Published | None:
    """Find the published operation a request is for."""
    return next((one for one in published() if one.method == method and one.pattern.match(path)), None)


@cache
def registry() -> Registry[Any]:
    """Make the published document known under a name, so that its references can be followed."""
    return Registry().with_resource("urn:published", DRAFT4.create_resource(document()))


@cache
def validator(pointer: str) -> OAS30Validator:
    """Give the validator of one schema of the published document."""
    return OAS30Validator({"$ref": f"urn:published{pointer}"}, registry=registry())


def differences(method: str, url: str, status: int, kind: str, body: bytes) -> Iterator[str]:
    """Tell where an answer differs from what is published for its operation, but for what is meant to."""
    operation = find(method, urlsplit(url).path) if DOCUMENT.exists() else None
    if operation is None or operation.name not in ours():
        return
    COVERED.add(operation.name)
    for told in told_of(operation, status, kind, body):
        sentence = f"{operation.name} {status} {told}"
        if not any(re.search(one.place, sentence) for one in DIFFERENCES):
            yield sentence


def told_of(operation: Published, status: int, kind: str, body: bytes) -> Iterator[str]:
    """Tell all differences of one answer as `place: what is wrong`."""
    pointer = answer_pointer(operation, status)
    if pointer is None:
        if status < 400:
            yield f"status: only {', '.join(operation.answers)} are published"
            return
        pointer = "#/components/schemas/Error"
    elif not pointer:
        return
    if not kind.startswith("application/json"):
        yield f"content-type: {kind or 'none'} in place of JSON"
        return
    if len(body) > LARGEST:
        return
    for error in validator(pointer).iter_errors(json.loads(body)):
        deepest: ValidationError = best_match([error])
        yield f"{deepest.json_path}: {deepest.message[:300]}"


def answer_pointer(operation: Published, status: int) -> str | None:
    """Point to the schema of an answer; empty where it has no JSON body, None where the status is not published."""
    answer = operation.answers.get(str(status))
    if answer is None:
        return None
    pointer = f"{operation.pointer}/responses/{status}"
    if "$ref" in answer:
        pointer = answer["$ref"]
        answer = document()["components"]["responses"][pointer.rsplit("/", 1)[1]]
    if "application/json" not in answer.get("content", {}):
        return ""
    return f"{pointer}/content/application~1json/schema"


@cache
def ours() -> frozenset[str]:
    """Name the published operations that we have too."""

    def plain(path: str) -> str:
        return re.sub(r"{\w+}", "x", path)

    known = {(operation.method, plain(operation.path)) for operation in operations()}
    every = ((method, path) for path, item in document()["paths"].items() for method in METHODS if method in item)
    return frozenset(
        document()["paths"][path][method]["operationId"]
        for method, path in every
        if (method.upper(), "/v1" + plain(path)) in known
    )


@cache
def own_paths() -> tuple[tuple[re.Pattern[str], Operation], ...]:
    """List our operations by their paths, those with fewer parameters first."""
    return tuple(
        (re.compile(re.sub(r"{\w+}", "[^/]+", one.path) + "/?"), one)
        for one in sorted(operations(), key=lambda one: len(one.parameters))
    )


def undocumented(method: str, url: str, status: int) -> str | None:
    """Tell of an answer whose status `openapi.json` does not name for its operation."""
    path = urlsplit(url).path
    known = (one for pattern, one in own_paths() if one.method == method and pattern.fullmatch(path))
    operation = next(known, None)
    if operation is None or statuses.names(operation, status):
        return None
    return f"openapi.json has no {status} for {operation.name}"


def watch(send: Callable[..., requests.Response]) -> Callable[..., requests.Response]:
    """Make the one way out of `requests` check each answer of a host that has been read."""

    def checked(session: Any, request: Any, **options: Any) -> requests.Response:
        answer = send(session, request, **options)
        if not options.get("stream") and urlsplit(answer.url).hostname == "127.0.0.1":
            kind = answer.headers.get("Content-Type", "")
            found = list(differences(request.method, request.url, answer.status_code, kind, answer.content))
            assert not found, "differs from the published contract: " + "; ".join(found)
            unnamed = undocumented(request.method, request.url, answer.status_code)
            assert unnamed is None, (
                f"{unnamed}: `also` of the operation, or runtime/api/statuses.py, is where it belongs"
            )
        return answer

    return checked


@pytest.fixture(scope="session", autouse=True)
def published_contract() -> Iterator[None]:
    """Check every answer of every test of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requests.Session, "send", watch(requests.Session.send))
        yield


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the leading process what this one covered."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["covered"] = sorted(COVERED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what another process covered."""
    COVERED.update(getattr(node, "workeroutput", {}).get("covered", ()))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell how much of the published contract the tests have seen."""
    terminalreporter.section("published contract")
    if not DOCUMENT.exists():
        terminalreporter.line(f"not checked: {MISSING}")
        return
    every = len(published())
    terminalreporter.line(
        f"answers of {len(COVERED)} of our {len(ours())} published operations agree with the document "
        f"({every} operations in all, {len(DIFFERENCES)} differences on purpose)"
    )
    missing = sorted(ours() - COVERED)
    if 0 < len(missing) <= 10:  # a run of a few tests leaves out most of them, and that is no news
        terminalreporter.line(f"no answer seen of {', '.join(missing)}")
