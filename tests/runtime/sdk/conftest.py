"""What the tests of the SDK share: a call as the host makes it, and a real HTTP service to talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from runtime.sdk import Integration
from runtime.sdk.answering import RawAnswer, RawCall, answer

ENVIRONMENT: dict[str, Any] = {
    "apiEndpoint": "http://127.0.0.1:9",
    "apiTokens": {"integration": "integration-token", "installation": "installation-token"},
    "integration": {
        "name": "demo",
        "version": 3,
        "title": "Demo",
        "urls": {"publicEndpoint": "https://host.example/v1/integrations/demo/integration"},
    },
    "installation": {
        "id": "inst1",
        "status": "active",
        "configuration": {"color": "red"},
        "externalIds": [],
        "target": {"organization": "org1"},
        "urls": {"publicEndpoint": "https://host.example/v1/integrations/demo/installations/inst1"},
    },
    "secrets": {"KEY": "s3cret"},
    "signingSecrets": {"integration": "a", "installation": "b"},
}


@dataclass
class Told:
    """An answer of a script, with the lines it logged."""

    raw: RawAnswer
    logs: list[tuple[str, str]]

    @property
    def status(self) -> int:
        return self.raw.status

    @property
    def body(self) -> bytes:
        return self.raw.body if isinstance(self.raw.body, bytes) else b"".join(self.raw.body)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def headers(self) -> dict[str, str]:
        return dict(self.raw.headers)


Tell = Callable[..., Told]


def send(
    integration: Integration,
    event: dict[str, Any],
    environment: dict[str, Any] | None = None,
    body: bytes | None = None,
) -> Told:
    logs: list[tuple[str, str]] = []
    text = json.dumps(ENVIRONMENT if environment is None else environment).encode()
    call = RawCall(json.dumps({"eventId": "ev1", **event}).encode(), text, body, lambda *line: logs.append(line))
    return Told(answer(integration, call), logs)


@pytest.fixture(scope="session")
def tell() -> Callable[..., Told]:
    """Send an event to an integration: `tell(integration, event, environment=None, body=None)`."""
    return send


@pytest.fixture(scope="session")
def render() -> Callable[..., Told]:
    """Render a component: `render(integration, component, **fields of the event)`."""

    def rendered(integration: Integration, component: str, **fields: Any) -> Told:
        context = {"type": "document", "spaceId": "sp1", "editable": False, "theme": "light"}
        event = {"type": "ui_render", "componentId": component, "props": {}, "context": context, **fields}
        return send(integration, event)

    return rendered


@pytest.fixture
def environment() -> dict[str, Any]:
    """A copy of the environment that calls get."""
    copied: dict[str, Any] = json.loads(json.dumps(ENVIRONMENT))
    return copied


@dataclass
class Heard:
    """One request that reached the service."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Service:
    """A real HTTP server: what it heard, and what it answers (by "METHOD target", else 200 {})."""

    url: str
    heard: list[Heard] = field(default_factory=list)
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)

    def says(self, what: str, value: object = None, status: int = 200, **headers: str) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.answers[what] = (status, {name.replace("_", "-"): text for name, text in headers.items()}, body)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.delenv("EGRESS_PROXY", raising=False)

    class Answering(BaseHTTPRequestHandler):
        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            running.heard.append(Heard(self.command, self.path, headers, body))
            status, extra, content = running.answers.get(f"{self.command} {self.path}", (200, {}, b"{}"))
            self.send_response(status)
            for name, value in extra.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _any

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    running = Service(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    server.shutdown()
    thread.join()
    server.server_close()
