"""Registering: what works, and the sentence for what cannot."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from typing import Any, get_args

import pytest

from runtime.contract import events as contract
from runtime.sdk import Integration, RegistrationError, events, ui
from runtime.sdk.events import ANSWERED_EVENTS, BACKGROUND_EVENTS, BackgroundEvent
from tests.runtime.sdk.conftest import Tell


def test_event_names_are_written_the_same_twice() -> None:
    assert get_args(BackgroundEvent) == BACKGROUND_EVENTS


@pytest.mark.parametrize("event", BACKGROUND_EVENTS)
def test_every_event_reaches_its_handler(tell: Tell, event: BackgroundEvent) -> None:
    integration, calls = Integration(), []
    integration.on(event)(lambda event: calls.append(event["type"]))
    assert tell(integration, {"type": event}).status == 200
    assert calls == [event]


@pytest.mark.parametrize("event", ANSWERED_EVENTS)
def test_an_event_with_an_answer_names_its_decorator(event: str) -> None:
    with pytest.raises(RegistrationError) as raised:
        Integration().on(event)  # type: ignore[arg-type]
    assert ANSWERED_EVENTS[event] in str(raised.value)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ("space_content_update", 'did you mean "space_content_updated"?'),
        ("zzz", "events are installation_setup, "),
        (print, "with the type of the event"),
    ],
)
def test_an_unknown_event_is_refused(event: Any, sentence: str) -> None:
    with pytest.raises(RegistrationError) as raised:
        Integration().on(event)
    assert sentence in str(raised.value)


def test_arguments_come_by_name_in_any_order(tell: Tell) -> None:
    integration, calls = Integration(), []

    class Bound:
        def method(self, context: Any, event: Any) -> None:
            calls.append((event["type"], context.configuration))

        def __call__(self, environment: Any) -> None:
            calls.append(environment["secrets"])

    @functools.lru_cache  # has no code of its own
    def cached() -> None:
        calls.append("cached")

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def inner(*values: Any, **named: Any) -> None:
            calls.append("around")
            function(*values, **named)

        return inner

    def with_default(event: Any, retries: int = 3) -> None:
        calls.append((event["type"], retries))

    def keyword_only(*, event: Any) -> None:
        calls.append(event["eventId"])

    def all_of(environment: Any, context: Any, event: Any) -> None:
        calls.append((environment is context.environment, event["type"]))

    def none() -> None:
        calls.append("none")

    for handler in (Bound().method, Bound(), cached, with_default, keyword_only, all_of, none, decorated(none)):
        integration.on("site_view")(handler)
    integration.on("site_view")(functools.partial(with_default, retries=4))
    assert tell(integration, {"type": "site_view"}).status == 200
    assert calls == [
        ("site_view", {"color": "red"}),
        {"KEY": "s3cret"},
        "cached",
        ("site_view", 3),
        "ev1",
        (True, "site_view"),
        "none",
        "around",
        "none",
        ("site_view", 4),
    ]


async def coroutine() -> None:
    """Stand for a handler written for another model."""


@pytest.mark.parametrize(
    ("handler", "sentence"),
    [
        (lambda evnt: None, 'asks for the argument "evnt", which does not exist here; it may name context, '),
        (lambda *all_: None, "takes *args or **kwargs"),
        (lambda **all_: None, "takes *args or **kwargs"),
        (functools.partial(lambda **all_: None), "takes *args or **kwargs"),
        (coroutine, "without `async`"),
        (functools.partial(coroutine), "without `async`"),
        (5, "must be a function, got int"),
    ],
)
def test_a_handler_that_cannot_be_called_is_refused(handler: Any, sentence: str) -> None:
    with pytest.raises(RegistrationError) as raised:
        Integration().on("site_view")(handler)
    assert sentence in str(raised.value)
    assert 'the handler of "site_view"' in str(raised.value)


def twice(register: Callable[[], object]) -> str:
    register()
    with pytest.raises(RegistrationError) as raised:
        register()
    return str(raised.value)


def test_what_may_be_there_only_once() -> None:
    integration = Integration()
    assert "two components" in twice(lambda: integration.component("c")(lambda: ui.block()))
    assert "two content sources" in twice(lambda: integration.content_source("s"))
    assert "two task handlers" in twice(lambda: integration.task(lambda: None))
    assert "published script" in twice(lambda: integration.published_script(lambda: None))
    assert "visitor authentication" in twice(lambda: integration.visitor_authentication(lambda: None))
    source = integration.content_sources["s"]
    assert "two revision handlers" in twice(lambda: source.revision(lambda: None))
    assert "two document handlers" in twice(lambda: source.document(lambda: None))
    component = integration.components["c"]
    assert "two handlers for the action" in twice(lambda: component.action("a")(lambda: None))
    assert "two handlers for the action" in twice(lambda: component.action("*")(lambda: None))


def test_decorators_without_parentheses_are_explained() -> None:
    integration = Integration()

    def handler() -> Any:
        return ui.block()

    component = integration.component("c")(handler)
    for register, sentence in (
        (integration.component, "@integration.component"),
        (integration.fetch, "@integration.fetch"),
        (component.action, "@component.action"),
    ):
        with pytest.raises(RegistrationError) as raised:
            register(handler)  # type: ignore[arg-type]
        assert sentence in str(raised.value)


def test_an_initial_state_must_be_json() -> None:
    with pytest.raises(RegistrationError, match="is not JSON"):
        Integration().component("c", state={"x": {1}})(lambda: ui.block())


def test_decorated_functions_stay_themselves() -> None:
    integration = Integration()

    def handler() -> None:
        pass

    assert integration.on("site_view")(handler) is handler
    assert integration.fetch("GET", "/")(handler) is handler
    assert integration.task(handler) is handler
    assert integration.content_source("s").document(handler) is handler


@pytest.mark.parametrize("kind", BACKGROUND_EVENTS)
def test_what_an_event_is_promised_to_carry_it_must_have(kind: str) -> None:
    """The class editors know is named as that of the contract, and promises nothing that may be missing."""
    told, sent = getattr(events, contract.EVENTS[kind].__name__), contract.EVENTS[kind]
    required = {field.alias for field in sent.model_fields.values() if field.is_required()}
    about = {"organization": set(), "space": {"spaceId"}, "site": {"siteId"}}[sent.target]
    hints = typing.get_type_hints(told, include_extras=True)
    promised = {name for name, hint in hints.items() if typing.get_origin(hint) is not typing.NotRequired}
    assert promised - {"eventId", "installationId"} - about == required
