"""Components: how an integration renders, and handles actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

from runtime.sdk.arguments import planned
from runtime.sdk.call import Call
from runtime.sdk.errors import RegistrationError
from runtime.sdk.json_text import dump, load

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])


class RenderContext(TypedDict):
    """Where a component is rendered (docs/contract/contentkit.md, "Contexts")."""

    type: Literal[
        "document",
        "configuration_account",
        "configuration_space",
        "configuration_site",
        "configuration_contentsource",
    ]
    theme: Literal["light", "dark"]
    spaceId: NotRequired[str]
    siteId: NotRequired[str]
    organizationId: NotRequired[str]
    editable: NotRequired[bool]


class Element:
    """One component on somebody's screen: its state, its props, and where it is drawn.

    `state` and `props` belong to this call; an action may change them in place or answer `ui.update(...)`.
    """

    __slots__ = ("component_id", "context", "max_age", "props", "state")

    def __init__(self, component_id: str, props: dict[str, Any], state: dict[str, Any], context: RenderContext) -> None:
        self.component_id = component_id
        self.props = props
        self.state = state
        self.context = context
        self.max_age: int | None = None

    def set_cache(self, max_age: int) -> None:
        """Let the host cache this render for `max_age` seconds."""
        if max_age < 0:
            raise ValueError(f"set_cache: max_age must not be negative, got {max_age}")
        self.max_age = int(max_age)

    def dynamic_state(self, key: str) -> dict[str, str]:
        """Return a binding that shows the current value of a state key without another render."""
        return {"$state": key}


# What the handlers of a component may name.
_COMPONENT_ARGUMENTS: dict[str, Callable[[Call], Any]] = {
    "element": lambda call: call.element,
    "props": lambda call: call.element.props,
    "event": lambda call: call.event,
    "context": lambda call: call.context,
    "environment": lambda call: call.context.environment,
}
_ACTION_ARGUMENTS: dict[str, Callable[[Call], Any]] = {
    **_COMPONENT_ARGUMENTS,
    "action": lambda call: call.event["action"],
}


class Component:
    """A registered component; register its actions with `@component.action("name")`."""

    __slots__ = ("_actions", "_any_action", "id", "initial", "render", "where")

    def __init__(
        self, component_id: str, render: Callable[..., Any], state: dict[str, Any] | Callable[..., Any] | None
    ) -> None:
        self.id = component_id
        self.render = planned(render, _COMPONENT_ARGUMENTS, f'component "{component_id}"')
        self.where = _place(render)
        self._actions: dict[str, Callable[[Call], Any]] = {}
        self._any_action: Callable[[Call], Any] | None = None
        self.initial: Callable[[Call], dict[str, Any]]
        if callable(state):
            self.initial = planned(state, _COMPONENT_ARGUMENTS, f'the initial state of component "{component_id}"')
            return
        try:
            # Kept as text, so that no call can change the initial state of another one.
            initial_text = dump(state or {})
        except (TypeError, ValueError) as error:
            raise RegistrationError(f'the initial state of component "{component_id}" is not JSON: {error}') from error
        self.initial = lambda call: load(initial_text)

    def action(self, name: str) -> Callable[[HandlerT], HandlerT]:
        """Register the handler of an action; `"*"` takes every action that has no handler of its own.

        The handler answers `ui.update(...)`, `ui.complete(...)`, or nothing.
        """
        if not isinstance(name, str) or not name:
            raise RegistrationError(f'component "{self.id}": write @component.action("name") with the action\'s name')
        if name in self._actions or (name == "*" and self._any_action):
            raise RegistrationError(f'component "{self.id}" has two handlers for the action "{name}"')

        def register(handler: HandlerT) -> HandlerT:
            plan = planned(handler, _ACTION_ARGUMENTS, f'action "{name}" of component "{self.id}"')
            if name == "*":
                self._any_action = plan
            else:
                self._actions[name] = plan
            return handler

        return register

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions that have a handler; `"*"` stands for every other one."""
        return (*self._actions, *(("*",) if self._any_action else ()))

    def handler_of(self, action: dict[str, Any]) -> Callable[[Call], Any] | None:
        """Return the handler of an action, or None: the component then just renders again."""
        return self._actions.get(action.get("action", ""), self._any_action)


def _place(function: Callable[..., Any]) -> str:
    """Return " (file:line)" of a function, for errors that come up after it has returned."""
    code = getattr(function, "__code__", None)
    return f" ({code.co_filename.rpartition('/')[2]}:{code.co_firstlineno})" if code else ""
