"""What a script answers (docs/contract/scripts.md, "Answers" and "Errors of a script")."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from runtime.sdk import ExposableError, Integration, Response, ui
from runtime.sdk.answering import RawCall, answer, describe, find_integration
from tests.runtime.sdk.conftest import Tell


def fetch_event(method: str = "get", path: str = "/x", **fields: Any) -> dict[str, Any]:
    url = f"https://host.example/v1/integrations/demo/installations/inst1{path}"
    return {"type": "fetch", "request": {"method": method, "url": url, "headers": {}}, **fields}


@pytest.mark.parametrize("event", ["space_content_updated", "site_view", "installation_setup", "something_new"])
def test_event_without_handler_is_406(tell: Tell, event: str) -> None:
    response = tell(Integration(), {"type": event})
    assert response.status == 406
    assert response.headers["content-type"] == "application/json"
    assert response.json == {"error": f'Integration does not handle "{event}" events'}


@pytest.mark.parametrize("event", ["fetch", "fetch_published_script", "fetch_visitor_authentication", "task"])
def test_answered_event_without_handler_is_400(tell: Tell, event: str) -> None:
    response = tell(Integration(), {"type": event, "task": {}})
    assert response.status == 400
    assert response.json["error"].startswith("Integration does not handle ")


def test_every_handler_of_an_event_runs(tell: Tell) -> None:
    integration, calls = Integration(), []
    integration.on("space_content_updated")(lambda event: calls.append(event["revisionId"]))
    integration.on("space_content_updated")(lambda: calls.append("second"))
    response = tell(integration, {"type": "space_content_updated", "revisionId": "r1"})
    assert (response.status, response.headers["content-type"], response.body) == (200, "text/plain", b"OK")
    assert calls == ["r1", "second"]


def test_a_failing_handler_does_not_keep_others_from_running(tell: Tell) -> None:
    integration, calls = Integration(), []

    @integration.on("site_view")
    def first() -> None:
        raise ExposableError("first", 422)

    @integration.on("site_view")
    def second() -> None:
        raise RuntimeError("second")

    integration.on("site_view")(lambda: calls.append("third"))
    response = tell(integration, {"type": "site_view"})
    assert (response.status, response.json, calls) == (422, {"error": "first"}, ["third"])
    assert response.logs == [("error", "another handler failed too: RuntimeError: second")]


@pytest.mark.parametrize(("code", "status"), [(None, 400), (422, 422), (503, 503)])
def test_exposable_error_answers_its_code_and_text(tell: Tell, code: int | None, status: int) -> None:
    integration = Integration()

    @integration.on("site_view")
    def fails() -> None:
        raise ExposableError("Do this: x") if code is None else ExposableError("Do this: x", code)

    response = tell(integration, {"type": "site_view"})
    assert (response.status, response.json, response.raw.error) == (status, {"error": "Do this: x"}, None)


@pytest.mark.parametrize("code", [200, 399, 600])
def test_exposable_error_refuses_a_code_that_is_not_an_error(code: int) -> None:
    with pytest.raises(ValueError, match="from 400 to 599"):
        ExposableError("x", code)


@pytest.mark.parametrize("raised", [RuntimeError("secret"), MemoryError(), RecursionError(), SystemExit(3)])
def test_anything_else_is_a_neutral_500(tell: Tell, raised: BaseException) -> None:
    integration = Integration()

    @integration.on("site_view")
    def fails() -> None:
        raise raised

    response = tell(integration, {"type": "site_view"})
    assert (response.status, response.json) == (500, {"error": "Internal server error"})
    assert response.headers["content-type"] == "application/json"
    assert response.raw.error is raised


@pytest.mark.parametrize("event", [b"", b"{", b"[]", b'{"eventId":"x"}', b'{"type":["x"]}', b"\xff", b"[" * 100_000])
def test_malformed_event_is_500(event: bytes) -> None:
    response = answer(Integration(), RawCall(event, b"{}", None, lambda level, line: None))
    assert (response.status, response.body) == (500, b'{"error":"Internal server error"}')
    assert response.error is not None


def test_unknown_component_is_404(render: Tell) -> None:
    response = render(Integration(), "nope")
    assert (response.status, response.json) == (404, {"error": "Component nope not found"})


@pytest.mark.parametrize("event", ["content_compute_revision", "content_compute_document"])
def test_unknown_content_source_is_404(tell: Tell, event: str) -> None:
    response = tell(Integration(), {"type": event, "sourceId": "s", "props": {}, "dependencies": {}})
    assert (response.status, response.json) == (404, {"error": "Content source s not found"})


def test_content_source_answers_revision_and_document(tell: Tell) -> None:
    integration = Integration()
    source = integration.content_source("tickets")

    @source.revision
    def revision(props: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "document", "title": props["title"]}]

    @source.document
    def document(dependencies: dict[str, Any]) -> str:
        return f"# {dependencies['d']['value']}"

    event = {"sourceId": "tickets", "props": {"title": "T"}, "dependencies": {"d": {"value": "v"}}}
    response = tell(integration, {"type": "content_compute_revision", **event})
    assert (response.status, response.json) == (200, {"pages": [{"type": "document", "title": "T"}]})
    assert response.headers["content-type"] == "application/json"
    response = tell(integration, {"type": "content_compute_document", **event})
    assert response.json == {"document": {"markdown": "# v"}}


@pytest.mark.parametrize(
    ("created", "document"),
    [
        (None, {}),
        ({"markdown": "x"}, {"markdown": "x"}),
        ({"document": {"object": "document"}}, {"document": {"object": "document"}}),
        ({"object": "document", "nodes": []}, {"document": {"object": "document", "nodes": []}}),
    ],
)
def test_document_forms(tell: Tell, created: object, document: dict[str, Any]) -> None:
    integration = Integration()
    integration.content_source("s").document(lambda: created)
    assert tell(integration, {"type": "content_compute_document", "sourceId": "s"}).json == {"document": document}


def test_task_gets_its_object_and_answers_ok(tell: Tell) -> None:
    integration, calls = Integration(), []
    integration.task(lambda task: calls.append(task))
    response = tell(integration, {"type": "task", "task": {"type": "sync"}})
    assert (response.status, response.headers["content-type"], response.body, calls) == (
        200,
        "text/plain",
        b"OK",
        [{"type": "sync"}],
    )


def test_published_script_that_returns_nothing_is_a_comment(tell: Tell) -> None:
    integration = Integration()
    integration.published_script(lambda: None)
    response = tell(integration, {"type": "fetch_published_script"})
    assert (response.status, response.headers["content-type"], response.body) == (
        200,
        "application/javascript",
        b"/** no-op */",
    )


def test_published_script_text_is_kept_for_a_week(tell: Tell) -> None:
    integration = Integration()
    integration.published_script(lambda: "alert(1)")
    response = tell(integration, {"type": "fetch_published_script"})
    assert response.headers == {"content-type": "application/javascript", "cache-control": "max-age=604800"}
    assert response.body == b"alert(1)"


def test_visitor_authentication_redirects_with_cookies(tell: Tell) -> None:
    integration = Integration()

    @integration.visitor_authentication
    def login(event: dict[str, Any]) -> Response:
        return (
            Response.redirect(f"https://idp.example/?to={event['location']}").set_cookie("a", "1").set_cookie("b", "2")
        )

    response = tell(integration, {"type": "fetch_visitor_authentication", "location": "docs"})
    assert (response.status, response.headers["location"]) == (302, "https://idp.example/?to=docs")
    assert [value.split(";")[0] for name, value in response.raw.headers if name == "set-cookie"] == ["a=1", "b=2"]


def test_fetch_streams_an_iterator_piece_by_piece(tell: Tell) -> None:
    integration, created = Integration(), []

    @integration.fetch("GET", "/x")
    def stream() -> Response:
        def pieces() -> Any:
            for piece in ("a", b"b"):
                created.append(piece)
                yield piece

        return Response(pieces(), headers=[("X-One", "1"), ("x-one", "2")])

    response = tell(integration, fetch_event())
    assert created == []
    assert response.body == b"ab"
    assert response.raw.headers == [("x-one", "1"), ("x-one", "2")]


def test_fetch_hands_on_the_request(tell: Tell) -> None:
    integration = Integration()

    @integration.fetch("PUT", "/items/{item}")
    def put(request: Any, item: str) -> dict[str, Any]:
        return {
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "item": item,
            "body": request.body.hex(),
            "header": request.headers["x-a"],
            "user": request.user_id,
            "cookies": request.cookies,
        }

    event = fetch_event("put", "/items/a%20b?q=1&q=2&e=", auth={"userId": "u1"})
    event["request"]["headers"] = {"X-A": "v", "cookie": "a=1; b=x%20y"}
    assert tell(integration, event, body=b"\x00\xff").json == {
        "method": "PUT",
        "path": "/items/a%20b",
        "query": {"q": "2", "e": ""},
        "item": "a b",
        "body": "00ff",
        "header": "v",
        "user": "u1",
        "cookies": {"a": "1", "b": "x y"},
    }


@pytest.mark.parametrize(
    ("returned", "status", "content_type", "body"),
    [
        (None, 204, None, b""),
        ("hi", 200, "text/plain; charset=utf-8", b"hi"),
        ({"a": 1}, 200, "application/json", b'{"a":1}'),
        ([1], 200, "application/json", b"[1]"),
        (Response.html("<p>"), 200, "text/html; charset=utf-8", b"<p>"),
        (Response.json({"error": "x"}, 418), 418, "application/json", b'{"error":"x"}'),
    ],
)
def test_what_a_fetch_handler_may_return(
    tell: Tell, returned: object, status: int, content_type: str | None, body: bytes
) -> None:
    integration = Integration()
    integration.fetch("GET", "/x")(lambda: returned)
    response = tell(integration, fetch_event())
    assert (response.status, response.headers.get("content-type"), response.body) == (status, content_type, body)


def test_fetch_handler_that_returns_something_odd_is_500(tell: Tell) -> None:
    integration = Integration()
    integration.fetch("GET", "/x")(lambda: object())
    response = tell(integration, fetch_event())
    assert response.status == 500
    assert "may return a Response" in str(response.raw.error)


def test_no_route_is_404_and_wrong_method_405(tell: Tell) -> None:
    integration = Integration()
    integration.fetch("POST", "/x")(lambda: "")
    integration.fetch("DELETE", "/x")(lambda: "")
    assert tell(integration, fetch_event("get", "/y")).status == 404
    response = tell(integration, fetch_event("get", "/x"))
    assert (response.status, response.headers["allow"]) == (405, "DELETE, POST")


def test_broken_json_in_a_request_is_the_callers_fault(tell: Tell) -> None:
    integration = Integration()
    integration.fetch("POST", "/x")(lambda request: request.json())
    for body in (b"{", b"[" * 100_000, b""):
        response = tell(integration, fetch_event("post"), body=body)
        assert (response.status, response.json) == (400, {"error": "The body of the request is not valid JSON"})


@pytest.mark.parametrize(
    ("level", "url", "path"),
    [
        ("integration", "https://host.example/v1/integrations/demo/integration/oauth?x=1", "/oauth"),
        ("installation", "https://host.example/v1/integrations/demo/installations/inst1", "/"),
        ("spaceInstallation", "https://host.example/v1/integrations/demo/installations/inst1/spaces/sp1/a/b", "/a/b"),
        ("siteInstallation", "https://host.example/v1/integrations/demo/installations/inst1/sites/si1/", "/"),
        ("installation", "https://host.example/v1/integrations/demo/installations/inst10/x", None),
    ],
)
def test_paths_are_relative_to_the_most_specific_endpoint(
    tell: Tell, environment: dict[str, Any], level: str, url: str, path: str | None
) -> None:
    base = environment["installation"]["urls"]["publicEndpoint"]
    if level == "integration":
        del environment["installation"]
    elif level == "spaceInstallation":
        environment["spaceInstallation"] = {"urls": {"publicEndpoint": f"{base}/spaces/sp1"}}
    elif level == "siteInstallation":
        environment["siteInstallation"] = {"urls": {"publicEndpoint": f"{base}/sites/si1"}}
    integration = Integration()
    integration.fetch()(lambda request: request.path)
    event = {"type": "fetch", "request": {"method": "get", "url": url, "headers": {}}}
    expected = path or "/v1/integrations/demo/installations/inst10/x"
    assert tell(integration, event, environment).body.decode() == expected


def test_deferred_work_is_handed_out_also_after_an_error(tell: Tell) -> None:
    integration, done = Integration(), []

    @integration.on("site_view")
    def later(context: Any) -> None:
        context.wait_until(lambda: done.append(1))
        context.wait_until(done.append, 2)
        raise RuntimeError

    response = tell(integration, {"type": "site_view"})
    assert (response.status, done) == (500, [])
    for work in response.raw.deferred:
        work()
    assert done == [1, 2]


def test_environment_is_not_parsed_unless_asked_for() -> None:
    integration = Integration()
    integration.on("site_view")(lambda context: context.log.info("x"))
    lines: list[tuple[str, str]] = []
    event = json.dumps({"type": "site_view"}).encode()
    response = answer(integration, RawCall(event, b"no json", None, lambda *line: lines.append(line)))
    assert (response.status, lines) == (200, [("info", "x")])


def test_text_with_half_a_surrogate_pair_still_answers(render: Tell) -> None:
    integration = Integration()
    integration.component("c")(lambda props: ui.block(ui.text(props["t"])))
    response = render(integration, "c", props={"t": "é\ud83d"})
    assert response.status == 200
    assert response.json["props"] == {"t": "é\ud83d"}


def test_find_integration() -> None:
    integration = Integration()
    assert find_integration({"integration": integration, "x": 1}) is integration
    assert find_integration({"app": integration, "alias": integration}) is integration
    with pytest.raises(LookupError, match="write `integration = Integration\\(\\)` at its top level"):
        find_integration({"x": 1})
    with pytest.raises(LookupError, match="is a type"):
        find_integration({"integration": Integration})
    with pytest.raises(LookupError, match="several Integrations \\(`a` and `b`\\)"):
        find_integration({"a": integration, "b": Integration()})


def test_an_action_without_handler_is_logged(tell: Tell) -> None:
    integration = Integration()
    component = integration.component("c")(lambda: ui.block())
    component.action("toggle")(lambda: None)
    event = {"type": "ui_render", "componentId": "c", "context": {"type": "document"}}
    told = tell(integration, {**event, "action": {"action": "toggel"}})
    assert told.status == 200
    [(level, line)] = told.logs
    assert (level, line) == (
        "info",
        'component "c" has no action "toggel", so it only renders again; its actions: toggle',
    )
    assert not tell(integration, {**event, "action": {"action": "@link.unfurl"}}).logs


def test_describe_names_what_was_registered() -> None:
    integration = Integration()
    assert describe(integration) == {"components": [], "actions": [], "events": [], "content_sources": []}
    component = integration.component("c")(lambda: ui.block())
    component.action("press")(lambda: None)
    component.action("*")(lambda: None)
    integration.on("site_view")(lambda: None)
    integration.fetch()(lambda: None)
    integration.task(lambda: None)
    integration.published_script(lambda: None)
    integration.visitor_authentication(lambda: None)
    integration.content_source("s").document(lambda: None)
    assert describe(integration) == {
        "components": ["c"],
        "actions": [["c", "press"], ["c", "*"]],
        "events": [
            "site_view",
            "ui_render",
            "fetch",
            "fetch_published_script",
            "fetch_visitor_authentication",
            "content_compute_document",
            "task",
        ],
        "content_sources": ["s"],
    }


def test_sdk_imports_the_standard_library_only() -> None:
    import subprocess

    script = (
        "import sys; before = set(sys.modules); import runtime.sdk.answering, runtime.sdk.outgoing, runtime.sdk.oauth;"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - {"runtime"} <= set(sys.stdlib_module_names)
