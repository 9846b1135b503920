"""Rules on what the manifest promises and the script must keep, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devkit.checking.rule import Rule
from devkit.checking.subject import Subject
from devkit.manifests.findings import Finding
from devkit.manifests.reading import ValuePath
from devkit.terminal.wording import nearest
from runtime.contract.events import EVENTS
from runtime.sdk.errors import RegistrationError
from runtime.sdk.routes import Route

ADDRESSES = ("callback_url", "completion_url")


def _registered(subject: Subject, name: str, where: ValuePath, rule: str) -> Iterator[Finding]:
    """Compare an id with what the script registers: Python reports it when loaded, JavaScript when rendered.

    Where a script in Python is not run, its text tells, unless something in it decides that at run time.
    """
    if subject.report is not None and subject.python:
        known = subject.report.components
    elif subject.python:
        code = subject.code
        known = (name,) if code.partial or code.other_components else tuple(one.name for one in code.components)
    else:
        lost = {drawing.component for drawing in subject.drawings if drawing.called.status == 404}
        known = tuple(component.name for component in subject.code.components) if name in lost else (name,)
    if name not in known:
        close = nearest(name, known)
        cure = f": write `{close}`, or register `{name}`" if close else f": register it; there are {_listed(known)}"
        yield subject.project.finding(where, f"the script registers no component `{name}`{cure}", rule)


def block_without_component(subject: Subject) -> Iterator[Finding]:
    """Each block is drawn by the component of its id."""
    for number, block in enumerate(subject.entries("blocks")):
        yield from _registered(subject, block.id, ("blocks", number, "id"), "block-without-component")


def screen_without_component(subject: Subject) -> Iterator[Finding]:
    """Each `componentId` of the manifest names a component."""
    for where, component in named_components(subject):
        yield from _registered(subject, component, where, "screen-without-component")


def named_components(subject: Subject) -> Iterator[tuple[ValuePath, str]]:
    """Yield the places where the manifest names a component, blocks aside."""
    for level, screen in subject.screens():
        if hasattr(screen, "component_id"):
            yield ("configurations", level, "componentId"), screen.component_id
    for number, source in enumerate(subject.entries("content_sources")):
        yield ("contentSources", number, "configuration", "componentId"), source.configuration.component_id


def source_without_handler(subject: Subject) -> Iterator[Finding]:
    """Each content source has its handlers; only Python reports it."""
    if not subject.python or subject.report is None:
        return
    known = subject.report.content_sources
    for number, source in enumerate(subject.entries("content_sources")):
        if source.id not in known:
            message = f"the script registers no content source `{source.id}`: register it; there are {_listed(known)}"
            yield subject.project.finding(("contentSources", number, "id"), message, "source-without-handler")


def event_outside_target(subject: Subject) -> Iterator[Finding]:
    """An integration for spaces hears nothing of sites, and the other way round."""
    target = subject.project.manifest.target
    if target == "all":
        return
    for use in subject.code.events:
        about = EVENTS[use.name].target if use.name in EVENTS else "any"
        if about in ("space", "site") and about != target:
            message = (
                f"`{use.name}` is never sent: the manifest's target is `{target}`; write `target: {about}` or `all`"
            )
            yield use.spot.finding(message, "event-outside-target", "warning")


def callback_without_route(subject: Subject) -> Iterator[Finding]:
    """A relative address of a form leads to a route of the script."""
    code = subject.code
    if code.partial or code.other_routes:
        return
    for where, address in _addresses(subject):
        path = address.partition("?")[0].partition("#")[0]
        if "://" in address or not path or _leads(subject, path):
            continue
        example = f'@integration.fetch("GET", "{path}")' if subject.python else f"a `fetch` handler for GET {path}"
        message = f"nothing in the script answers GET `{path}`: add {example}"
        yield subject.project.finding(where, message, "callback-without-route")


def _addresses(subject: Subject) -> Iterator[tuple[ValuePath, str]]:
    for level, screen in subject.screens():
        properties: dict[str, Any] = getattr(screen, "properties", {})
        for name, property_ in properties.items():
            for key in ADDRESSES:
                address = getattr(property_, key)
                if isinstance(address, str):
                    yield ("configurations", level, "properties", name, key), address


def _leads(subject: Subject, path: str) -> bool:
    address = path if path.startswith("/") else f"/{path}"
    if not subject.python:
        # A router may be anything; an address that stands nowhere in the script is answered by none.
        return any(path.strip("/") in text.value for text in subject.code.texts)
    try:
        routes = [Route(method, pattern) for method, pattern in subject.code.routes]
    except RegistrationError:  # the script cannot be loaded, and the engine reports why
        return True
    return any(route.takes("GET") and route.match(address) is not None for route in routes)


def _listed(known: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in known) or "none"


RULES = (
    Rule(
        "block-without-component",
        "error",
        "The script has no component with the id of a block in the manifest.",
        "Register the component, or correct the id.",
        block_without_component,
    ),
    Rule(
        "screen-without-component",
        "error",
        "A `componentId` of the manifest names a component that the script does not register.",
        "Register the component, or correct the id.",
        screen_without_component,
    ),
    Rule(
        "source-without-handler",
        "error",
        "A content source of the manifest has no handlers in the script.",
        'Register `integration.content_source("id")` with its handlers.',
        source_without_handler,
    ),
    Rule(
        "event-outside-target",
        "warning",
        "The script handles an event that integrations with this target never receive.",
        "Change `target`, or remove the handler.",
        event_outside_target,
    ),
    Rule(
        "callback-without-route",
        "error",
        "A `callback_url` or `completion_url` matches no route of the script.",
        "Add a route for GET requests to that path, or correct the path.",
        callback_without_route,
    ),
)
