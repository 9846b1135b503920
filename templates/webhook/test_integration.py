import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

SCRIPT = runpy.run_path(str(Path(__file__).with_name("integration.py")))
INTEGRATION = find_integration(SCRIPT)
ENDPOINT = "https://host.example/v1/integrations/my-integration/integration"
SECRET = "a secret"


class Platform(BaseHTTPRequestHandler):
    """Keeps the tasks that are queued."""

    tasks: list = []

    def do_POST(self):
        assert self.path == "/v1/integrations/my-integration/tasks"
        self.tasks.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["task"])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def platform():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Platform)
    threading.Thread(target=server.serve_forever).start()
    Platform.tasks.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def tell(event, platform, body=None):
    """Send an event; gives the status, the answer's body, and what was logged."""
    logs = []
    environment = {
        "apiEndpoint": platform,
        "apiTokens": {"integration": "t1"},
        "integration": {"name": "my-integration", "version": 1, "urls": {"publicEndpoint": ENDPOINT}},
        "secrets": {"WEBHOOK_SECRET": SECRET},
    }
    told = json.dumps({"eventId": "e", **event}).encode()
    call = RawCall(told, json.dumps(environment).encode(), body, lambda level, line: logs.append(line))
    result = answer(INTEGRATION, call)
    return result.status, result.body, logs


def post(platform, body, signature=None):
    headers = {"x-hub-signature-256": SCRIPT["signature"](SECRET, body) if signature is None else signature}
    request = {"method": "post", "url": f"{ENDPOINT}/hook", "headers": headers}
    return tell({"type": "fetch", "request": request}, platform, body)


def test_a_signed_message_is_worked_off_in_a_task(platform):
    message = {"id": "m1", "text": "hello"}
    status, body, _ = post(platform, json.dumps(message).encode())
    assert (status, json.loads(body)) == (200, {"accepted": "m1"})
    assert Platform.tasks == [{"message": message}]
    assert tell({"type": "task", "task": Platform.tasks[0]}, platform) == (200, b"OK", ["message m1: hello"])


@pytest.mark.parametrize("signature", ["", "sha256=00", "é"])
def test_a_wrong_signature_is_refused(platform, signature):
    assert post(platform, b'{"id": "m1"}', signature)[0] == 401
    assert Platform.tasks == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"id": 1}'])
def test_a_message_that_cannot_be_read_is_refused(platform, body):
    assert post(platform, body)[0] == 400
    assert Platform.tasks == []
