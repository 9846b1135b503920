"""The object on which a script registers its handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from runtime.sdk.arguments import planned
from runtime.sdk.call import Call
from runtime.sdk.component import Component
from runtime.sdk.content_source import ContentSource
from runtime.sdk.errors import RegistrationError
from runtime.sdk.events import ANSWERED_EVENTS, BACKGROUND_EVENTS, BackgroundEvent
from runtime.sdk.routes import Route

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
Plan = Callable[["Call"], Any]

# What the handlers of events may name; component.py and content_source.py have lists of their own.
_EVENT_ARGUMENTS: dict[str, Callable[[Call], Any]] = {
    "event": lambda call: call.event,
    "context": lambda call: call.context,
    "environment": lambda call: call.context.environment,
}
_FETCH_ARGUMENTS: dict[str, Callable[[Call], Any]] = {**_EVENT_ARGUMENTS, "request": lambda call: call.request}
_TASK_ARGUMENTS: dict[str, Callable[[Call], Any]] = {**_EVENT_ARGUMENTS, "task": lambda call: call.event["task"]}


class Integration:
    """The handlers of one integration. Create one in the script and name it `integration`.

    Handlers are plain functions and get the arguments they name, in any order: a component `element`, an event handler
    `event`, a fetch handler `request` and the parameters of its path, a task handler `task`, and all of them `context`.
    Every method raises RegistrationError, with a helpful message, for invalid arguments.
    """

    def __init__(self) -> None:
        self.components: dict[str, Component] = {}
        self.content_sources: dict[str, ContentSource] = {}
        self.event_plans: dict[str, list[Plan]] = {}
        self.routes: list[Route] = []
        self.published_script_plan: Plan | None = None
        self.visitor_authentication_plan: Plan | None = None
        self.task_plan: Plan | None = None

    def component(
        self, component_id: str, *, state: dict[str, Any] | Callable[..., dict[str, Any]] | None = None
    ) -> Callable[[Callable[..., Any]], Component]:
        """Register a component: a block, a modal, or a configuration screen.

        The function renders it: it answers `ui.block(...)`, `ui.modal(...)` or `ui.configuration(...)`. `state` is the
        initial state, an object or a function of `props`, `context` and `environment`.
        """
        if not isinstance(component_id, str) or not component_id:
            raise RegistrationError('write @integration.component("id") with the id the manifest names')
        if component_id in self.components:
            raise RegistrationError(f'there are two components with the id "{component_id}"')

        def register(render: Callable[..., Any]) -> Component:
            component = Component(component_id, render, state)
            self.components[component_id] = component
            return component

        return register

    def on(self, event: BackgroundEvent) -> Callable[[HandlerT], HandlerT]:
        """Register a handler of an event; an event may have several."""
        if event not in BACKGROUND_EVENTS:
            raise RegistrationError(_unknown_event(event))

        def register(handler: HandlerT) -> HandlerT:
            plan = planned(handler, _EVENT_ARGUMENTS, f'the handler of "{event}"')
            self.event_plans.setdefault(event, []).append(plan)
            return handler

        return register

    def fetch(self, method: str = "*", path: str = "/*") -> Callable[[HandlerT], HandlerT]:
        """Register a handler of HTTP requests on the public endpoint; the first matching route handles the request.

        `path` is relative to the endpoint: "/hooks/{id}", "/files/{name:path}" or "/below/*". The handler may name the
        parameters of its path. It answers a Response, text, a JSON value, or None for an empty answer.
        """
        if not isinstance(method, str):
            raise RegistrationError('write @integration.fetch("GET", "/path"), with parentheses')
        route = Route(method, path)

        def register(handler: HandlerT) -> HandlerT:
            named = {name: _parameter(name) for name in route.parameters}
            route.plan = planned(handler, {**named, **_FETCH_ARGUMENTS}, f'the handler of "{route.method} {path}"')
            self.routes.append(route)
            return handler

        return register

    def published_script(self, handler: HandlerT) -> HandlerT:
        """Register the handler of the script for a published site: returns JavaScript text, a Response, or None."""
        if self.published_script_plan:
            raise RegistrationError("there are two handlers of the published script")
        self.published_script_plan = planned(handler, _EVENT_ARGUMENTS, "the published script")
        return handler

    def visitor_authentication(self, handler: HandlerT) -> HandlerT:
        """Register the handler that signs in visitors without a session: returns a Response, usually a redirect."""
        if self.visitor_authentication_plan:
            raise RegistrationError("there are two handlers of the visitor authentication")
        self.visitor_authentication_plan = planned(handler, _EVENT_ARGUMENTS, "the visitor authentication")
        return handler

    def task(self, handler: HandlerT) -> HandlerT:
        """Register the handler of tasks queued with `context.queue_task`; there is one for all kinds of tasks."""
        if self.task_plan:
            raise RegistrationError("there are two task handlers; distinguish the kinds of task inside one")
        self.task_plan = planned(handler, _TASK_ARGUMENTS, "the task handler")
        return handler

    def content_source(self, source_id: str) -> ContentSource:
        """Register a content source; register its two handlers on the returned object."""
        if source_id in self.content_sources:
            raise RegistrationError(f'there are two content sources with the id "{source_id}"')
        source = ContentSource(source_id)
        self.content_sources[source_id] = source
        return source


def _parameter(name: str) -> Callable[[Call], Any]:
    """Return what reads one parameter of the path."""
    return lambda call: call.request.parameters[name]


def _unknown_event(event: object) -> str:
    """Say why there is no such event, and what was probably meant."""
    if not isinstance(event, str):
        return 'write @integration.on("event_type") with the type of the event'
    if event in ANSWERED_EVENTS:
        return f'"{event}" needs an answer: register it with {ANSWERED_EVENTS[event]}'
    from difflib import get_close_matches

    close = get_close_matches(event, BACKGROUND_EVENTS, 1)
    if close:
        return f'there is no event "{event}"; did you mean "{close[0]}"?'
    return f'there is no event "{event}"; events are {", ".join(BACKGROUND_EVENTS)}'
