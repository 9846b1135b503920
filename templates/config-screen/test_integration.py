import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))
ENDPOINT = "https://host.example/v1/integrations/my-integration/installations/inst1"


class Platform(BaseHTTPRequestHandler):
    """The one operation of the platform's API that saving calls."""

    saved: list = []

    def do_PATCH(self):
        self.saved.append((self.path, json.loads(self.rfile.read(int(self.headers["content-length"])))))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def platform():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Platform)
    threading.Thread(target=server.serve_forever).start()
    Platform.saved.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def tell(event, platform="http://127.0.0.1:1", **configuration):
    environment = {
        "apiEndpoint": platform,
        "apiTokens": {"integration": "t1", "installation": "t2"},
        "integration": {"name": "my-integration", "version": 1, "urls": {}},
        "installation": {"id": "inst1", "configuration": configuration, "urls": {"publicEndpoint": ENDPOINT}},
    }
    call = RawCall(json.dumps(event).encode(), json.dumps(environment).encode(), None, lambda level, line: None)
    told = answer(INTEGRATION, call)
    return told.status, json.loads(told.body)


def screen(platform="http://127.0.0.1:1", configuration=None, **fields):
    kept = configuration or {}
    context = {"type": "configuration_account", "organizationId": "org", "theme": "light"}
    props = {"installation": {"configuration": kept}}
    event = {"eventId": "e", "type": "ui_render", "componentId": "settings", "props": props, "context": context}
    return tell({**event, **fields}, platform, **kept)


def test_it_begins_with_what_was_saved():
    status, shown = screen(configuration={"project": "atlas", "address": "a@example.com", "digest": False})
    assert status == 200
    assert shown["state"] == {"project": "atlas", "address": "a@example.com", "digest": False}
    assert shown["element"]["type"] == "configuration"


@pytest.mark.parametrize("wrong", [{}, {"project": "nothing", "address": "a@b"}, {"project": "atlas", "address": "a"}])
def test_what_is_missing_is_said(wrong):
    status, told = screen(action={"action": "save", **wrong})
    assert (status, set(told)) == (400, {"error"})


def test_saving_keeps_the_rest_of_the_configuration(platform):
    choice = {"project": "atlas", "address": "a@example.com", "digest": True}
    status, told = screen(platform, {"other": 1}, action={"action": "save", **choice})
    assert (status, told["type"]) == (200, "complete")
    path = "/v1/integrations/my-integration/installations/inst1"
    assert Platform.saved == [(path, {"configuration": {"other": 1, **choice}})]


def test_projects_are_found_by_what_was_typed():
    request = {"method": "get", "url": f"{ENDPOINT}/projects?q=bor", "headers": {}}
    status, told = tell({"eventId": "e", "type": "fetch", "installationId": "inst1", "request": request})
    assert (status, told) == (200, {"items": [{"id": "borealis", "label": "Borealis"}]})
