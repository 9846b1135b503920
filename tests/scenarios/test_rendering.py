"""Renders over HTTP: errors of scripts, the compressed form, and what is kept and dropped."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from typing import Any

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from lzstring import LZString

from tests.conftest import Answer, Api, HostProcess, Installed, Tenant, installed, publication
from tests.scenarios.people import person

CACHED = """
from runtime.sdk import Integration, Response, ui
import os, time

integration = Integration()


@integration.component("kept")
def kept(element, context):
    element.set_cache(int(element.props.get("age", 60)))
    return ui.block(ui.text(f"{time.time_ns()} {context.installation} {context.secrets}"))
"""


def compressed(value: Any) -> str:
    text: str = LZString().compressToEncodedURIComponent(value if isinstance(value, str) else json.dumps(value))
    return text


def request_of(one: Installed, component: str, **more: Any) -> dict[str, Any]:
    return {"componentId": component, "props": {}, "context": one.context(), **more}


def get(one: Installed, component: str = "counter", headers: dict[str, str] | None = None, **more: Any) -> Answer:
    query = {"request": compressed(request_of(one, component, **more))}
    return one.owner.api.call("GET", f"{one.path}/render", params=query, headers=headers or {})


def test_both_forms_give_the_same(counter: Installed) -> None:
    assert get(counter).json == counter.render().json
    assert get(counter).json["state"] == {"count": 0}


@pytest.mark.parametrize(("method", "before"), [("GET", "/"), ("GET", "//"), ("get", ""), ("Get", ""), ("HEAD", "/")])
def test_a_render_is_found_however_its_address_is_written(counter: Installed, method: str, before: str) -> None:
    path = f"{before}{counter.path}/render"
    asked = f"{path}?request={compressed(request_of(counter, 'counter'))}"
    assert _status(counter, method, asked, {"Authorization": f"Bearer {counter.owner.api.token}"}) == 200
    assert _status(counter, method, asked, {}) == 401
    for odd in (b"%FF", b"%ED%A0%80", b"%00", b"%0A", b"%25", b"%"):
        assert _status(counter, method, f"{before}/v1/integrations/{odd.decode()}/render", {}) == 401


@pytest.mark.parametrize(("method", "before"), [("POST", "/"), ("post", "")])
def test_a_render_with_a_body_is_found_as_well(counter: Installed, method: str, before: str) -> None:
    body = json.dumps(request_of(counter, "counter"))
    headers = {"Authorization": f"Bearer {counter.owner.api.token}", "Content-Type": "application/json"}
    path = f"{before}{counter.path}/render"
    assert _status(counter, method, path, headers, body) == 200
    assert _status(counter, method, path, headers, "{") == 400
    assert _status(counter, method, path, {}, body) == 401


def _status(one: Installed, method: str, path: str, headers: dict[str, str], body: str | None = None) -> int:
    """Return how an address is answered that goes out exactly as it is written here."""
    host = one.owner.api.url.removeprefix("http://")
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        connection.request(method, path, body, headers)
        return connection.getresponse().status


def test_an_action_changes_the_state(counter: Installed) -> None:
    answer = counter.render(state={"count": 4}, action={"action": "increment"})
    assert answer.json["state"] == {"count": 5}
    assert answer.json["type"] == "element"


@pytest.mark.parametrize(
    ("component", "status", "says"),
    [
        ("refuses", 422, "Not today."),
        ("breaks", 500, "event log"),
        ("missing", 404, "Component missing not found"),
    ],
)
def test_errors_of_the_script(counter: Installed, component: str, status: int, says: str) -> None:
    answer = counter.render(component)
    assert answer.status == answer.json["error"]["code"] == status
    assert says in answer.json["error"]["message"]
    assert "KeyError" not in answer.text


def test_a_context_nobody_installed_on_is_404(counter: Installed, alpha: Tenant) -> None:
    space = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    context = {"type": "document", "spaceId": space, "editable": False, "theme": "dark"}
    assert counter.render(context=context).status == 404


def test_every_context_is_found(counter: Installed, alpha: Tenant) -> None:
    for context in (
        {"type": "configuration_account", "organizationId": alpha.id},
        {"type": "configuration_space", "spaceId": counter.space},
        {"type": "configuration_site", "siteId": counter.site},
        {"type": "configuration_contentsource", "organizationId": alpha.id, "spaceId": counter.space},
    ):
        assert counter.render(context={**context, "theme": "light"}).status == 200


@pytest.mark.parametrize(
    "request_text",
    ["", "!!!", "N4Ig", "Q", "x" * 300_000, "%00", compressed("no json"), compressed("[]"), compressed("{}")],
)
def test_bad_compressed_requests(counter: Installed, request_text: str) -> None:
    answer = counter.owner.api.get(f"{counter.path}/render", request=request_text)
    assert answer.status in (400, 414, 431), answer.text[:200]
    if answer.json:
        assert set(answer.json["error"]) == {"code", "message"}


def test_a_decompression_bomb_is_refused(counter: Installed) -> None:
    bomb = compressed("a" * 2_000_000)
    assert len(bomb) < 20_000
    answer = counter.owner.api.get(f"{counter.path}/render", request=bomb)
    assert answer.status == 400
    assert "more than" in answer.json["error"]["message"]


@settings(max_examples=60, deadline=None)
@given(st.text("ABCDEFGHIJabcdefghij0123456789+-$/= ", max_size=200))
def test_no_text_is_more_than_a_bad_request(counter: Installed, text: str) -> None:
    assert counter.owner.api.get(f"{counter.path}/render", request=text).status == 400


def test_etag_and_not_modified(alpha: Tenant) -> None:
    one = installed(alpha, CACHED)
    first = get(one, "kept")
    assert first.headers["Cache-Control"] == "max-age=60"
    again = get(one, "kept", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status == 304 and again.text == ""
    assert get(one, "kept", headers={"If-None-Match": '"other"'}).status == 200
    # A script may let others keep it; who sends another token must not get it from them.
    assert (
        first.headers["Vary"] == again.headers["Vary"] == one.render("kept").headers["Vary"] == "Authorization, Cookie"
    )


def test_kept_renders_are_keyed_by_everything_the_script_saw(alpha: Tenant) -> None:
    one = installed(alpha, CACHED, secrets={"KEY": "one"})
    path = f"{one.path}/installations/{one.installation}"
    first = one.render("kept").text
    assert one.render("kept").text == first == get(one, "kept").text
    assert "Age" in one.render("kept").headers
    assert one.render("kept", props={"other": 1}).text != first
    assert one.render("kept", state={"a": 1}).text != first
    assert one.render("kept", context=one.context(theme="dark")).text != first
    assert one.render("kept", action={"action": "x"}).text != first
    assert one.render("kept").text == first
    alpha.api.call("PATCH", path, {"configuration": {"word": "new"}})
    configured = one.render("kept").text
    assert configured != first and "new" in configured
    assert one.render("kept").text == configured
    alpha.api.post(one.path, publication(alpha.id, CACHED, secrets={"KEY": "two"}))
    secret = one.render("kept").text
    assert secret != configured and "two" in secret
    alpha.api.post(one.path, publication(alpha.id, CACHED, secrets={"KEY": "two"}))
    assert one.render("kept").text != secret


def test_a_request_that_comes_again_follows_every_change(alpha: Tenant) -> None:
    """What a request asks for is remembered by its bytes, also where its answer is not kept."""
    one = installed(alpha, CACHED, secrets={"KEY": "one"})
    path = f"{one.path}/installations/{one.installation}"
    body = request_of(one, "kept", props={"age": 0})

    def again() -> Answer:
        return alpha.api.post(f"{one.path}/render", body)

    assert again().status == again().status == 200
    alpha.api.call("PATCH", path, {"configuration": {"word": "new"}})
    assert "new" in again().text
    alpha.api.post(one.path, publication(alpha.id, CACHED, secrets={"KEY": "two"}))
    assert "two" in again().text
    alpha.api.call("PATCH", path, {"status": "paused"})
    assert again().status == again().status == 412
    alpha.api.call("PATCH", path, {"status": "active"})
    assert again().status == again().status == 200
    alpha.api.call("DELETE", f"{path}/spaces/{one.space}")
    assert again().status == again().status == 404


def test_a_request_that_comes_again_needs_its_token_still(host: HostProcess, alpha: Tenant) -> None:
    one = installed(alpha, CACHED)
    member = person(host, alpha, "read")
    body = request_of(one, "kept", props={"age": 0})
    assert [member.api.post(f"{one.path}/render", body).status for _ in range(2)] == [200, 200]
    assert alpha.api.call("DELETE", f"/v1/orgs/{alpha.id}/members/{member.id}").status < 300
    assert member.api.post(f"{one.path}/render", body).status in (401, 404)


def test_max_age_zero_is_never_kept(alpha: Tenant) -> None:
    one = installed(alpha, CACHED)
    texts = {one.render("kept", props={"age": 0}).text for _ in range(3)}
    assert len(texts) == 3


def test_what_is_kept_is_not_shown_to_somebody_else(alpha: Tenant, beta: Tenant) -> None:
    one = installed(alpha, CACHED, visibility="public")
    assert one.render("kept").status == 200
    body = request_of(one, "kept")
    assert beta.api.post(f"{one.path}/render", body).status == 404
    assert beta.api.post(f"{one.path}/render", body, headers={"Authorization": ""}).status == 401


def test_renders_answer_every_method_and_a_slash_at_the_end(alpha: Tenant) -> None:
    one = installed(alpha)
    body = {"componentId": "counter", "props": {}, "context": one.context()}
    address = f"{one.path}/render"
    assert one.owner.api.post(f"{address}/", body).status == one.owner.api.post(address, body).status == 200
    for method in ("PUT", "DELETE", "PATCH"):
        refused = one.owner.api.call(method, address, body)
        assert refused.status == 405 and {"GET", "POST"} <= set(refused.headers["Allow"].split(", "))
        assert refused.json["error"]["code"] == 405
    assert requests.head(f"{one.owner.api.url}{address}", timeout=60).status_code == 401
    assert Api(one.owner.api.url, None).post(address, body).status == 401
    assert one.owner.api.post("/v1/integrations/nobody-knows/render", body).status == 404
    for wrong in (b"", b"{", b"[]", b'{"componentId": 1}'):
        headers = {"Authorization": f"Bearer {one.owner.api.token}", "Content-Type": "application/json"}
        answer = requests.post(f"{one.owner.api.url}{address}", data=wrong, headers=headers, timeout=60)
        assert answer.status_code == 400 and answer.json()["error"]["code"] == 400
