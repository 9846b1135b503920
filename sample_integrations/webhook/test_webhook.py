"""The webhook, from event to signed request, against a real receiver and a real API."""

from __future__ import annotations

import base64
import hashlib
import hmac
import importlib.util
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

KEY = b"0123456789abcdef0123456789abcdef"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
INSTALLATION = "/v1/integrations/webhook/installations/inst1"
TASKS = "/v1/integrations/webhook/tasks"


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("webhook_sample", Path(__file__).with_name("integration.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class World:
    """One server that is both the platform's API and the receiver (below /hook)."""

    def __init__(self, script: Any, url: str) -> None:
        self.script = script
        self.url = url
        self.status = 204
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.api: list[tuple[str, str, Any]] = []
        self.configuration: dict[str, Any] = {"url": f"{url}/hook", "secret": SECRET}
        self.logs: list[tuple[str, str]] = []

    def tell(self, event: dict[str, Any], *, installed: bool = True) -> int:
        environment: dict[str, Any] = {
            "apiEndpoint": self.url,
            "apiTokens": {"integration": "t1"},
            "integration": {"name": "webhook", "version": 1},
            "secrets": {},
            "signingSecrets": {"integration": "s"},
        }
        if installed:
            environment["installation"] = {"id": "inst1", "configuration": self.configuration}
        text = json.dumps({"eventId": "ev1", **event}).encode()
        call = RawCall(text, json.dumps(environment).encode(), None, lambda *line: self.logs.append(line))
        return answer(find_integration(vars(self.script)), call).status

    @property
    def tasks(self) -> list[dict[str, Any]]:
        return [body for _, path, body in self.api if path == TASKS]


@pytest.fixture
def world(script: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.delenv("EGRESS_PROXY", raising=False)

    class Answering(BaseHTTPRequestHandler):
        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            content = b""
            if self.path == "/hook":
                made.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(made.status)
                self.send_header("location", "/elsewhere")
            else:
                made.api.append((self.command, self.path, json.loads(body) if body else None))
                content = json.dumps({"id": "inst1", "configuration": made.configuration}).encode()
                self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = _any

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    made = World(script, f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


UPDATED = {"type": "space_content_updated", "installationId": "inst1", "spaceId": "sp1", "revisionId": "r1"}


def test_an_event_arrives_signed(world: World) -> None:
    assert world.tell(UPDATED) == 200
    ((headers, body),) = world.received
    message = json.loads(body)
    assert message["type"] == "space_content_updated"
    assert message["data"] == {"installationId": "inst1", "spaceId": "sp1", "revisionId": "r1"}
    assert message["timestamp"].endswith("Z")
    assert (headers["webhook-id"], headers["content-type"]) == ("ev1", "application/json")
    signed = b".".join([b"ev1", headers["webhook-timestamp"].encode(), body])
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert world.tasks == []


def test_the_example_of_the_convention(script: Any) -> None:
    # From the Standard Webhooks specification: every library for it has this pair in its tests.
    made = script.signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}',
    )
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_cookies_of_visitors_stay_here(world: World) -> None:
    visitor = {"anonymousId": "a", "cookies": {"session": "x"}, "ip": "192.0.2.1", "userAgent": "u"}
    world.configuration["page_views"] = True
    world.tell({"type": "site_view", "visitor": visitor, "url": "https://x.example/p", "referrer": ""})
    assert json.loads(world.received[0][1])["data"]["visitor"] == {k: v for k, v in visitor.items() if k != "cookies"}


@pytest.mark.parametrize(
    ("event", "switch", "default"),
    [
        ("space_content_updated", "content_updates", True),
        ("site_view", "page_views", False),
        ("page_feedback", "page_feedback", True),
    ],
)
def test_each_event_has_its_switch(world: World, event: str, switch: str, default: bool) -> None:
    for setting, arrives in ((None, default), (True, True), (False, False)):
        world.received.clear()
        if setting is not None:
            world.configuration[switch] = setting
        assert world.tell({"type": event}) == 200
        assert len(world.received) == arrives


def test_without_an_address_nothing_is_sent(world: World) -> None:
    del world.configuration["url"]
    assert world.tell(UPDATED) == 200
    assert (world.received, world.tasks) == ([], [])


@pytest.mark.parametrize("status", [301, 400, 404, 429, 500])
def test_a_failure_is_tried_again(world: World, status: int) -> None:
    world.status = status
    assert world.tell(UPDATED) == 200
    (queued,) = world.tasks
    assert 4 <= queued["schedule"] <= 6
    assert queued["task"] == {"installation": "inst1", "id": "ev1", "body": queued["task"]["body"], "attempt": 1}
    assert len(world.received) == 1

    world.status = 200
    assert world.tell({"type": "task", "task": queued["task"]}, installed=False) == 200
    first, second = world.received
    assert first[1] == second[1]
    assert second[0]["webhook-id"] == "ev1"
    assert len(world.tasks) == 1


def test_a_receiver_that_is_not_there_is_tried_again(world: World) -> None:
    world.configuration["url"] = "http://127.0.0.1:1/hook"
    assert world.tell(UPDATED) == 200
    assert world.tasks[0]["task"]["attempt"] == 1


def test_a_retry_uses_the_address_and_secret_of_today(world: World) -> None:
    task = {"installation": "inst1", "id": "ev1", "body": "{}", "attempt": 3}
    del world.configuration["secret"]
    assert world.tell({"type": "task", "task": task}, installed=False) == 200
    assert (world.received, world.tasks) == ([], [])
    assert world.logs[-1][0] == "warn"


def test_every_delay_fits_into_a_task(world: World, script: Any) -> None:
    world.status = 500
    for attempt in range(len(script.DELAYS)):
        world.api.clear()
        world.tell({"type": "task", "task": {"installation": "inst1", "id": "e", "body": "{}", "attempt": attempt}})
        assert 0 < world.tasks[0]["schedule"] <= 86_400


def test_it_gives_up_in_the_end(world: World, script: Any) -> None:
    world.status = 500
    last = {"installation": "inst1", "id": "e", "body": "{}", "attempt": len(script.DELAYS)}
    assert world.tell({"type": "task", "task": last}, installed=False) == 200
    assert (world.tasks, world.logs[-1][0]) == ([], "error")


def test_410_ends_it(world: World) -> None:
    world.status = 410
    assert world.tell(UPDATED) == 200
    assert world.tasks == []


def test_a_broken_secret_is_told_in_the_log(world: World) -> None:
    world.configuration["secret"] = "whsec_not base64"
    assert world.tell(UPDATED) == 200
    assert (world.received, world.tasks) == ([], [])
    assert world.logs == [("error", "the signing secret is not base64 after whsec_: message ev1 is dropped")]


def test_an_installation_gets_a_secret_once(world: World) -> None:
    world.configuration = {"url": "https://x.example"}
    assert world.tell({"type": "installation_setup", "status": "active"}) == 200
    ((method, path, body),) = world.api
    assert (method, path) == ("PATCH", INSTALLATION)
    assert body["configuration"]["url"] == "https://x.example"
    assert len(base64.b64decode(body["configuration"]["secret"].removeprefix("whsec_"))) == 32

    world.configuration = body["configuration"]
    assert world.tell({"type": "installation_setup", "status": "active"}) == 200
    assert len(world.api) == 1
