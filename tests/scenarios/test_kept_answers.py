"""The log of events: answers of endpoints without secrets, what nobody handled as no failure, and what waits."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from tests.conftest import COUNTER, HostProcess, Installed, installed, publication, tenant, wait_for

KEY = "the-key-of-the-door"
SCRIPT = (
    COUNTER
    + """
@integration.fetch("GET", "/refuses")
def refuses(request, context):
    answer = Response("who is there? not " + context.secrets["KEY"], status=401)
    answer.add_header("Set-Cookie", "session=0123456789")
    answer.add_header("X-Told", "key " + context.secrets["KEY"])
    return answer


@integration.fetch("GET", "/signs-in")
def signs_in(request):
    return Response("", status=302, headers={"Location": "/back?code=c0de&state=st4te&jwt_token=a.b.c&page=2"})


@integration.fetch("GET", "/sends")
def sends(request):
    return Response("x" * int(request.query["size"]))


@integration.fetch("GET", "/sends-json")
def sends_json(request, context):
    context.log.info("was asked for %s", request.query["text"])
    return Response('{"text": "' + request.query["text"] + '"}', status=400)


@integration.fetch("GET", "/streams")
def streams(request):
    def pieces():
        for number in range(int(request.query["pieces"])):
            yield f"piece {number} " * 100
    return Response(pieces())


@integration.fetch("POST", "/later")
def later(request, context):
    context.queue_task({"type": "sync"}, schedule=3600)
    return Response("ok")
"""
)


@pytest.fixture(scope="module")
def one(host: HostProcess) -> Installed:
    return installed(tenant(host, "Answers", "answers@example.com"), SCRIPT, secrets={"KEY": KEY})


def ask(one: Installed, path: str, method: str = "GET") -> dict[str, Any]:
    """Send a request to the endpoint; gives how the log shows it."""
    base = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    subject = f"{method} {path.partition('?')[0]}"
    before = {item["id"] for item in listed(one, type="fetch")}
    requests.request(method, base + path, timeout=20, allow_redirects=False)
    (fresh,) = wait_for(lambda: [item for item in listed(one, type="fetch") if item["id"] not in before])
    assert fresh["subject"] == subject
    detail: dict[str, Any] = one.owner.api.get(f"{one.path}/events/{fresh['id']}").json
    return detail


def listed(one: Installed, **query: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = one.owner.api.get(f"{one.path}/events", limit=1000, **query).json["items"]
    return items


def test_the_answer_of_an_endpoint_is_kept_without_secrets(one: Installed) -> None:
    detail = ask(one, "/refuses")
    assert detail["event"]["delivery"]["ending"] == "refused"
    answer = detail["answer"]
    assert answer["status"] == 401
    assert answer["body"] == "who is there? not [secret]"
    headers = dict(answer["headers"])
    assert headers["set-cookie"] == "[secret]"
    assert headers["x-told"] == "key [secret]"
    assert "answer" not in detail["trace"]
    assert KEY not in json.dumps(detail)
    assert "0123456789" not in json.dumps(detail)


def test_a_text_that_names_the_character_no_text_may_have_is_kept(one: Installed) -> None:
    told = ask(one, r"/sends-json?text=\u0000")
    assert told["answer"]["body"] == r'{"text": "\u0000"}'
    assert [line["message"] for line in told["trace"]["logs"]] == [r"was asked for \u0000"]


def test_the_way_back_from_a_sign_in_is_kept_without_its_credentials(one: Installed) -> None:
    (location,) = [value for name, value in ask(one, "/signs-in")["answer"]["headers"] if name == "location"]
    assert location == "/back?code=[secret]&state=[secret]&jwt_token=[secret]&page=2"


@pytest.mark.parametrize(("size", "kept"), [(64 * 1024, True), (64 * 1024 + 1, False)])
def test_of_a_long_body_the_size_is_kept(one: Installed, size: int, kept: bool) -> None:
    answer = ask(one, f"/sends?size={size}")["answer"]
    assert answer["bytes"] == size
    assert ("body" in answer) is kept


@pytest.mark.parametrize(("pieces", "kept"), [(3, True), (200, False)])
def test_a_streamed_body_is_kept_as_it_went_out(one: Installed, pieces: int, kept: bool) -> None:
    answer = ask(one, f"/streams?pieces={pieces}")["answer"]
    whole = "".join(f"piece {number} " * 100 for number in range(pieces))
    assert answer["bytes"] == len(whole)
    assert answer.get("body") == (whole if kept else None)


def test_a_script_without_a_handler_fails_in_nothing(one: Installed) -> None:
    change = {"event": {"type": "space_visibility_updated", "previousVisibility": "public", "visibility": "private"}}
    assert one.owner.api.post(f"{one.path}/events", change).status == 202
    (event,) = wait_for(lambda: listed(one, type="space_visibility_updated", status="success"))
    assert event["delivery"]["ending"] == "not-handled"
    assert event["subject"] == "private"
    assert listed(one, type="space_visibility_updated", status="failed") == []
    assert listed(one, type="space_visibility_updated", ending="not-handled") == [event]


def test_tasks_that_wait_are_listed_when_asked_for(one: Installed) -> None:
    ask(one, "/later", "POST")
    assert listed(one, type="task") == []
    (task,) = listed(one, type="task", queued="true")
    assert (task["subject"], task["delivery"]["ending"]) == ("sync", "queued")
    assert task["delivery"]["nextAttemptAt"] > task["createdAt"]
    assert listed(one, type="task", ending="queued") == [task]


def test_who_may_not_read_the_installation_sees_no_answer(one: Installed, host: HostProcess) -> None:
    other = tenant(host, "Asks", "asks@example.com")
    public = publication(one.owner.id, SCRIPT, secrets={"KEY": KEY}, visibility="public")
    assert one.owner.api.post(one.path, public).status == 200
    made = other.api.post(f"{one.path}/installations", {"organization": other.id})
    assert made.status == 201, made.text
    address = made.json["urls"]["publicEndpoint"]
    assert requests.get(f"{address}/refuses", timeout=20).status_code == 401
    (event,) = wait_for(lambda: listed(one, type="fetch", installation=made.json["id"]))
    detail = one.owner.api.get(f"{one.path}/events/{event['id']}").json
    assert detail["event"]["withheld"] is True
    assert "answer" not in detail
    assert "who is there" not in json.dumps(detail)
