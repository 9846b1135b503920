"""From one event to one answer (docs/contract/scripts.md, "Answers" and "Errors of a script")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from runtime.sdk.call import Call, Deferred
from runtime.sdk.call import RawCall as RawCall
from runtime.sdk.component import Component, Element
from runtime.sdk.errors import ExposableError
from runtime.sdk.http_messages import Request, Response
from runtime.sdk.integration import Integration
from runtime.sdk.json_text import dump, load

_JSON = ("content-type", "application/json")
_ROOTS = ("block", "modal", "configuration")


class RawAnswer:
    """The answer to the host.

    `deferred` is work for after the answer was sent. `error` is the unexpected exception behind a 500.
    """

    __slots__ = ("body", "deferred", "error", "headers", "status")

    def __init__(
        self,
        status: int,
        headers: list[tuple[str, str]],
        body: bytes | Iterator[bytes],
        deferred: Deferred,
        error: BaseException | None = None,
    ) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.deferred = deferred
        self.error = error


def answer(integration: Integration, call: RawCall) -> RawAnswer:
    """Answer one event; errors become answers, too."""
    deferred: Deferred = []
    try:
        event = load(call.event)
        handle = _HANDLERS.get(event["type"], _background)
        return handle(integration, Call(call, event, deferred))
    except ExposableError as error:
        return _failed(error.code, error.message, deferred)
    except (Exception, SystemExit) as error:
        return RawAnswer(500, [_JSON], b'{"error":"Internal server error"}', deferred, error)


def find_integration(namespace: Mapping[str, Any]) -> Integration:
    """Return the script's only Integration; raises LookupError if there is none, or several."""
    integrations = {id(value): (name, value) for name, value in namespace.items() if isinstance(value, Integration)}
    if len(integrations) == 1:
        return next(iter(integrations.values()))[1]
    if not integrations:
        other = namespace.get("integration")
        if other is not None:
            raise LookupError(f"`integration` is a {type(other).__name__}; write `integration = Integration()`")
        raise LookupError("the script has no Integration; write `integration = Integration()` at its top level")
    names = " and ".join(sorted(f"`{name}`" for name, _ in integrations.values()))
    raise LookupError(f"the script has several Integrations ({names}); register everything on one")


def describe(integration: Integration) -> dict[str, list[Any]]:
    """Return the handlers of a script: ids of components and content sources, types of events."""
    events = list(integration.event_plans)
    sources = integration.content_sources.values()
    answered = {
        "ui_render": bool(integration.components),
        "fetch": bool(integration.routes),
        "fetch_published_script": integration.published_script_plan is not None,
        "fetch_visitor_authentication": integration.visitor_authentication_plan is not None,
        "content_compute_revision": any(source.revision_plan for source in sources),
        "content_compute_document": any(source.document_plan for source in sources),
        "task": integration.task_plan is not None,
    }
    return {
        "components": list(integration.components),
        "actions": [[one.id, name] for one in integration.components.values() for name in one.actions],
        "events": [*events, *(name for name, there in answered.items() if there)],
        "content_sources": list(integration.content_sources),
    }


def _failed(status: int, text: str, deferred: Deferred) -> RawAnswer:
    return RawAnswer(status, [_JSON], dump({"error": text}), deferred)


def _ok(call: Call) -> RawAnswer:
    return RawAnswer(200, [("content-type", "text/plain")], b"OK", call.deferred)


def _unhandled(call: Call, status: int) -> RawAnswer:
    return _failed(status, f'Integration does not handle "{call.event["type"]}" events', call.deferred)


def _background(integration: Integration, call: Call) -> RawAnswer:
    """Call all handlers of the event; the first failure is reported after all of them have run."""
    plans = integration.event_plans.get(call.event["type"])
    if not plans:
        return _unhandled(call, 406)
    failure: Exception | None = None
    for plan in plans:
        try:
            plan(call)
        except Exception as error:
            if failure is not None:
                call.context.log.error("another handler failed too: %s: %s", type(error).__name__, error)
            failure = failure or error
    if failure is not None:
        raise failure
    return _ok(call)


def _render(integration: Integration, call: Call) -> RawAnswer:
    """Render a component, after its action if there is one (docs/contract/contentkit.md, "Rendering")."""
    event = call.event
    component = integration.components.get(event["componentId"])
    if component is None:
        return _failed(404, f"Component {event['componentId']} not found", call.deferred)
    state = event.get("state")
    element = call.element = Element(component.id, event.get("props") or {}, state or {}, event["context"])
    if not state:
        element.state = component.initial(call) or {}
    action = event.get("action")
    handler = component.handler_of(action) if action else None
    if action and handler is None:
        _tell_unhandled(component, action.get("action"), call)
    output = _act(component, element, handler(call)) if handler else None
    if output is None:
        root = component.render(call)
        if not isinstance(root, dict) or root.get("type") not in _ROOTS:
            kind = root.get("type") if isinstance(root, dict) else type(root).__name__
            raise TypeError(
                f'component "{component.id}"{component.where} returned {kind}; '
                "it must return ui.block(...), ui.modal(...) or ui.configuration(...)"
            )
        output = {"type": "element", "state": element.state, "props": element.props, "element": root}
    headers = [_JSON]
    if element.max_age is not None:
        headers.append(("cache-control", f"max-age={element.max_age}"))
    try:
        body = dump(output)
    except (TypeError, ValueError) as error:
        raise TypeError(f'component "{component.id}"{component.where}: {error}') from error
    return RawAnswer(200, headers, body, call.deferred)


def _tell_unhandled(component: Component, name: object, call: Call) -> None:
    """Log an action without a handler, which is often misspelled; the host's own, as "@link.unfurl", need none.

    Anybody who reads the block can send any name, so it is cut, and logged as info: warnings are always recorded.
    """
    if isinstance(name, str) and not name.startswith("@"):
        known = f"its actions: {', '.join(component.actions)}" if component.actions else "it has no actions"
        call.context.log.info(
            'component "%s" has no action "%s", so it only renders again; %s', component.id, name[:100], known
        )


def _act(component: Component, element: Element, result: object) -> dict[str, Any] | None:
    """Apply the result of an action; returns the output if the component is complete."""
    if result is None:
        return None
    if not isinstance(result, dict):
        raise TypeError(
            f'an action of component "{component.id}"{component.where} returned {type(result).__name__}; '
            "it may return ui.update(...), ui.complete(...) or nothing"
        )
    if result.get("type") == "complete":
        return result
    if result.get("state") is not None:
        element.state = result["state"]
    if result.get("props") is not None:
        element.props = result["props"]
    return None


def _fetch(integration: Integration, call: Call) -> RawAnswer:
    """Find the route of a request and return the answer of its handler."""
    if not integration.routes:
        return _unhandled(call, 400)
    sent = call.event["request"]
    user = (call.event.get("auth") or {}).get("userId")
    path = _below_endpoint(sent["url"], call.context.environment)
    request = Request(sent["method"], sent["url"], sent.get("headers"), call.fetch_body, path=path, user_id=user)
    call.request = request
    allowed: list[str] = []
    for route in integration.routes:
        parameters = route.match(path)
        if parameters is None:
            continue
        if route.takes(request.method):
            request.parameters = parameters
            return _responded(_response(route.plan(call)), call)
        allowed.append(route.method)
    if not allowed:
        return _failed(404, f"No handler for {request.method} {path}", call.deferred)
    refused = _failed(405, f"{request.method} is not allowed here", call.deferred)
    refused.headers.append(("allow", ", ".join(sorted(set(allowed)))))
    return refused


def _below_endpoint(url: str, environment: Mapping[str, Any]) -> str:
    """Return the path of a request below its endpoint (docs/contract/scripts.md, "Public endpoints")."""
    path = urlsplit(url).path or "/"
    for level in ("spaceInstallation", "siteInstallation", "installation", "integration"):
        urls = (environment.get(level) or {}).get("urls") or {}
        for key in ("publicEndpoint", "publicContentEndpoint"):
            base = urlsplit(urls.get(key) or "").path.rstrip("/")
            if urls.get(key) and (path == base or path.startswith(f"{base}/")):
                return path[len(base) :] or "/"
    return path


def _response(value: object) -> Response:
    """Return a response for the result of a fetch handler."""
    if isinstance(value, Response):
        return value
    if value is None:
        return Response(status=204)
    if isinstance(value, (str, bytes)):
        return Response(value)
    if isinstance(value, (dict, list, int, float)):
        return Response.json(value)
    raise TypeError(f"a fetch handler returned {type(value).__name__}; it may return a Response, text or a JSON value")


def _responded(response: Response, call: Call) -> RawAnswer:
    return RawAnswer(response.status, response.headers, response.body, call.deferred)


def _published_script(integration: Integration, call: Call) -> RawAnswer:
    """Return the script that a published site loads."""
    if integration.published_script_plan is None:
        return _unhandled(call, 400)
    script = integration.published_script_plan(call)
    if script is None:
        script = Response.javascript("/** no-op */")
    elif isinstance(script, str):
        script = Response.javascript(script, max_age=604_800)
    return _responded(_response(script), call)


def _visitor_authentication(integration: Integration, call: Call) -> RawAnswer:
    """Return the response that starts a visitor's sign-in."""
    if integration.visitor_authentication_plan is None:
        return _unhandled(call, 400)
    return _responded(_response(integration.visitor_authentication_plan(call)), call)


def _task(integration: Integration, call: Call) -> RawAnswer:
    """Handle one task."""
    if integration.task_plan is None:
        return _unhandled(call, 400)
    integration.task_plan(call)
    return _ok(call)


def _content(integration: Integration, call: Call) -> RawAnswer:
    """Compute the pages of a content source, or one document of it."""
    source_id = call.event["sourceId"]
    source = integration.content_sources.get(source_id)
    revision = call.event["type"] == "content_compute_revision"
    plan = source and (source.revision_plan if revision else source.document_plan)
    if not plan:
        return _failed(404, f"Content source {source_id} not found", call.deferred)
    body = plan(call)
    output = _pages(body) if revision else {"document": _document(body)}
    return RawAnswer(200, [_JSON], dump(output), call.deferred)


def _pages(body: Any) -> Any:
    """Wrap a bare list of pages into the form that can also contain files."""
    return {"pages": body} if isinstance(body, list) else body or {}


def _document(body: Any) -> Any:
    """Wrap Markdown text or a bare JSON document into the form that says which of the two it is."""
    if isinstance(body, str):
        return {"markdown": body}
    if isinstance(body, dict) and body.get("object") == "document":
        return {"document": body}
    return body or {}


_HANDLERS: dict[str, Callable[[Integration, Call], RawAnswer]] = {
    "ui_render": _render,
    "fetch": _fetch,
    "fetch_published_script": _published_script,
    "fetch_visitor_authentication": _visitor_authentication,
    "content_compute_revision": _content,
    "content_compute_document": _content,
    "task": _task,
}
