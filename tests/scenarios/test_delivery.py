"""Events: matched, delivered, repeated, given up, and never lost."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import (
    COUNTER,
    HostProcess,
    Installed,
    Tenant,
    free_port,
    init,
    installed,
    publication,
    tenant,
    wait_for,
)
from tests.scenarios.sent_events import delivered, send

RETRIES = {"DEVKIT_RETRY_SECONDS": "0.2,0.2", "DEVKIT_LEASE_SECONDS": "3"}
FAILS = """
from runtime.sdk import ExposableError, Integration, ui

integration = Integration()


@integration.component("counter")
def counter(element):
    return ui.block(ui.text("x"))


@integration.on("space_content_updated")
def fails(event, context):
    context.log.warning("attempt at %s", event["revisionId"])
    if event["revisionId"] == "refused":
        raise ExposableError("no", 422)
    raise RuntimeError("not yet")


@integration.task
def task(task, context):
    context.log.info("task %s", task["step"])
    if task["step"] < 3:
        context.queue_task({"step": task["step"] + 1}, schedule=0)
"""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that repeats events soon."""
    data = tmp_path_factory.mktemp("quick")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ=RETRIES).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that repeats events after minutes."""
    data = tmp_path_factory.mktemp("patient")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_RETRY_SECONDS": "600,600,600"}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def gamma(quick: HostProcess) -> Tenant:
    return tenant(quick, "Gamma", "gamma@example.com")


def detail(one: Installed, event: str) -> Any:
    answer = one.owner.api.get(f"{one.path}/events/{event}")
    return answer.json if answer.status == 200 else None


def many(one: Installed, kind: str = "space_content_updated") -> int:
    """Count what was delivered: reading a thousand events again and again would keep the host from delivering them."""
    count: int = one.owner.api.get(f"{one.path}/events", limit=1, type=kind, status="success").json["count"]
    return count


def test_an_event_is_delivered_with_its_trace(counter: Installed) -> None:
    sent = send(counter, revisionId="abc")["events"][0]
    shown = wait_for(lambda: (found := detail(counter, sent)) and "trace" in found and found)
    assert shown["event"]["status"] == "success", shown
    assert shown["event"]["payload"]["spaceId"] == counter.space
    assert [line["message"] for line in shown["trace"]["logs"]] == ["revision abc"]
    assert shown["trace"]["logs"][0]["level"] == "info"
    usage, limits = shown["trace"]["usage"], shown["trace"]["limits"]
    assert set(usage) == set(limits)
    assert 0 < usage["wallMs"] < limits["wallMs"] == 30_000


def test_events_go_only_where_they_match(counter: Installed, alpha: Tenant) -> None:
    assert send(counter, type="page_feedback", **FEEDBACK)["reason"].startswith("the integration does not ask for")
    other = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    assert "not installed on this space" in send(counter, spaceId=other)["reason"]
    refused = alpha.api.post(f"{counter.path}/events", {"event": {"type": "ui_render"}})
    assert refused.status == 400


FEEDBACK = {
    "feedback": {"rating": "ok"},
    "visitor": {"anonymousId": "a", "cookies": {}, "userAgent": "x", "ip": "203.0.113.7"},
    "url": "https://docs.example.com",
    "referrer": "",
}


def test_an_event_without_a_handler_is_no_failure(counter: Installed) -> None:
    visitor = {key: value for key, value in FEEDBACK.items() if key != "feedback"}
    sent = send(counter, type="site_view", **visitor)["events"][0]
    shown = wait_for(
        lambda: (found := detail(counter, sent)) and found["event"]["delivery"]["state"] == "delivered" and found
    )
    assert shown["event"]["delivery"]["answer"] == 406
    assert shown["event"]["status"] == "success", shown


@pytest.mark.parametrize("change", ["publish", "roll back"])
def test_a_new_version_gets_what_the_last_one_failed_at_and_what_waits_behind(
    patient: HostProcess, change: str
) -> None:
    owner = tenant(patient, f"Delta {change}", f"{change.replace(' ', '-')}@example.com")
    one = installed(owner)
    works = owner.api.get(one.path).json["version"]
    assert owner.api.post(one.path, publication(owner.id, FAILS)).status == 200
    failed, behind = (send(one)["events"][0] for _ in range(2))
    waits = wait_for(lambda: (found := state(one, failed)) and found["state"] == "failed" and found)
    assert waits["nextAttemptAt"] and state(one, behind)["attempts"] == 0
    if change == "publish":
        assert owner.api.post(one.path, publication(owner.id, COUNTER)).status == 200
    else:
        assert owner.api.post(f"{one.path}/rollback", {"version": works}).status == 200
    for event, attempts in ((failed, 2), (behind, 1)):
        shown = wait_for(lambda event=event: (found := state(one, event))["state"] == "delivered" and found, 20)
        assert shown["attempts"] == attempts


def state(one: Installed, event: str) -> Any:
    return detail(one, event)["event"]["delivery"]


def test_failures_are_repeated_and_then_given_up_visibly(gamma: Tenant) -> None:
    one = installed(gamma, FAILS)
    sent = send(one)["events"][0]
    shown = wait_for(
        lambda: (found := detail(one, sent)) and found["event"]["delivery"]["state"] == "given-up" and found
    )
    assert shown["event"]["delivery"]["attempts"] == 3
    assert shown["event"]["status"] == "failed"
    assert shown["trace"]["fault"]["message"].endswith("not yet")
    assert shown["trace"]["fault"]["line"] == 17
    moments = shown["trace"]["moments"]
    assert 0 <= moments["sentMs"] <= moments["beganMs"] <= moments["answeredMs"] <= moments["endedMs"]
    failed = gamma.api.get(f"{one.path}/events", status="failed").json["items"]
    assert [item["id"] for item in failed] == [sent]


def test_a_refusal_is_not_repeated(gamma: Tenant) -> None:
    one = installed(gamma, FAILS)
    sent = send(one, revisionId="refused")["events"][0]
    shown = wait_for(
        lambda: (found := detail(one, sent)) and found["event"]["delivery"]["state"] == "given-up" and found
    )
    assert shown["event"]["delivery"] | {"durationMs": 0} == {
        "state": "given-up",
        "attempts": 1,
        "answer": 422,
        "ending": "rejected",
        "durationMs": 0,
    }


def test_tasks_queue_tasks(gamma: Tenant) -> None:
    one = installed(gamma, FAILS)
    assert send(one, type="task", task={"step": 1})["events"]
    done = wait_for(lambda: len(found := delivered(one, "task")) == 3 and found)
    assert sorted(item["payload"]["task"]["step"] for item in done) == [1, 2, 3]


def test_events_of_an_installation_keep_their_order(gamma: Tenant) -> None:
    one = installed(gamma)
    sent = [send(one, revisionId=str(number))["events"][0] for number in range(30)]
    wait_for(lambda: len(delivered(one, "space_content_updated")) == 30)
    firsts = [detail(one, event)["trace"]["logs"][0]["timestamp"] for event in sent]
    assert firsts == sorted(firsts)


def test_old_events_are_forgotten_and_failures_are_not_hidden(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ=RETRIES | {"DEVKIT_KEEP_EVENTS": "20"}).start()
    one = installed(tenant(host, "First", "first@example.com"))
    for _ in range(5):
        assert one.render("breaks").status == 500
    send(one, count=4100)
    wait_for(lambda: 0 < many(one) <= 150, 60)
    failed = one.owner.api.get(f"{one.path}/events", status="failed").json
    assert failed["count"] == 5
    assert host.stop() == 0


SLOW = COUNTER.replace(
    'context.log.info("revision %s", event["revisionId"])',
    'import time; time.sleep(0.003); context.log.info("revision %s", event["revisionId"])',
)


def test_nothing_is_lost_when_the_host_is_killed(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ=RETRIES).start()
    one = installed(tenant(host, "First", "first@example.com"), SLOW)
    send(one, count=1000)
    for _ in range(3):
        wait_for(lambda: many(one) >= 50)
        host.kill()
        host.start()
    wait_for(lambda: many(one) == 1000, seconds=90)
    ids = {item["id"] for item in delivered(one, "space_content_updated")}
    assert len(ids) == 1000
    assert host.stop() == 0


def test_calls_in_flight_end_before_the_host_does(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    one = installed(tenant(host, "First", "first@example.com"), COUNTER.replace("time.sleep(0.003)", "") + SLEEPS)
    answers: list[Any] = []
    caller = threading.Thread(target=lambda: answers.append(one.render("sleeps")))
    caller.start()
    time.sleep(2)  # until it is under way, also on a busy machine
    assert host.stop() == 0
    caller.join()
    assert answers[0].status == 200


SLEEPS = """

@integration.component("sleeps")
def sleeps(element):
    import time
    time.sleep(6)
    return ui.block(ui.text("slept"))
"""


def test_a_serving_process_that_dies_is_replaced(tmp_path: Path) -> None:
    import os
    import signal
    import subprocess

    import requests

    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    assert host.process is not None
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(host.process.pid)], capture_output=True, text=True, check=True
    )
    os.kill(int(children.stdout.split()[0]), signal.SIGKILL)

    def back() -> bool:
        try:
            return requests.get(f"{host.url}/readyz", timeout=2).status_code == 200
        except requests.RequestException:
            return False

    wait_for(lambda: not back(), seconds=5)
    wait_for(back, seconds=30)
    host.stop()


class Tunnel(http.server.BaseHTTPRequestHandler):
    """A developer's machine: answers every event with what it was."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = "ui_render" if b'"type":"ui_render"' in body else "other"
        element = {"type": "block", "children": [{"type": "text", "children": [f"tunnelled {kind} {self.path}"]}]}
        answer = json.dumps({"type": "element", "state": {}, "props": {}, "element": element}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        return


def test_development_mode_sends_events_through_the_tunnel(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    port = free_port()
    tunnel = http.server.ThreadingHTTPServer(("127.0.0.1", port), Tunnel)
    threading.Thread(target=tunnel.serve_forever, daemon=True).start()
    host = HostProcess(tmp_path, "--allow-egress", f"127.0.0.1:{port}").start()
    mine, theirs = tenant(host, "First", "first@example.com"), tenant(host, "Second", "second@example.com")
    one = installed(mine, visibility="public")
    space = theirs.api.post(f"/v1/orgs/{theirs.id}/spaces", {}).json["id"]
    made = theirs.api.post(f"{one.path}/installations", {"organization": theirs.id}).json["id"]
    assert theirs.api.post(f"{one.path}/installations/{made}/spaces", {"space": space}).status == 201
    other = Installed(one.name, theirs, made, space, "")

    def tunnelled(which: Installed) -> bool:
        return "tunnelled ui_render /v1" in which.render().text

    assert (tunnelled(one), tunnelled(other)) == (False, False)
    assert mine.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": f"http://127.0.0.1:{port}"}).status == 204
    assert (tunnelled(one), tunnelled(other)) == (True, False)
    assert (
        mine.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": f"http://127.0.0.1:{port}/x", "all": True}).status == 204
    )
    assert ("/x/v1" in one.render().text, "/x/v1" in other.render().text) == (True, True)
    sent = send(one)["events"][0]
    wait_for(lambda: (found := detail(one, sent)) and found["event"]["status"] == "success")
    mine.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": "http://169.254.169.254/latest"})
    assert one.render().status == 502
    assert mine.api.call("DELETE", f"{one.path}/dev").status == 205
    assert (tunnelled(one), tunnelled(other)) == (False, False)
    tunnel.shutdown()
    tunnel.server_close()
    assert host.stop() == 0
