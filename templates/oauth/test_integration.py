import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))
ENDPOINT = "https://host.example/v1/integrations/my-integration/installations/inst1"
INSTALLATION = "/v1/integrations/my-integration/installations/inst1"


class World(BaseHTTPRequestHandler):
    """The platform's API and the other service in one: tokens at /token, whom a token belongs to at /user."""

    configuration: dict = {}

    def do_GET(self):
        if self.path == "/user":
            known = self.headers["authorization"] == "Bearer good"
            self.answer({"name": "Ada"} if known else {}, 200 if known else 401)
        else:
            assert self.path == INSTALLATION
            self.answer({"configuration": World.configuration})

    def do_PATCH(self):
        assert self.path == INSTALLATION
        World.configuration = json.loads(self.body())["configuration"]
        self.answer({})

    def do_POST(self):
        form = parse_qs(self.body().decode())
        assert (self.path, form["client_id"], form["code"]) == ("/token", ["id"], ["code1"])
        self.answer({"access_token": "good", "token_type": "bearer"})

    def body(self):
        return self.rfile.read(int(self.headers["content-length"]))

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def tell():
    server = ThreadingHTTPServer(("127.0.0.1", 0), World)
    threading.Thread(target=server.serve_forever).start()
    World.configuration = {"other": 1}
    url = f"http://127.0.0.1:{server.server_port}"

    def tell(kind, **fields):
        event = {"eventId": "e", "type": kind, "installationId": "inst1", **fields}
        environment = {
            "apiEndpoint": url,
            "apiTokens": {"integration": "t1", "installation": "t2"},
            "integration": {"name": "my-integration", "version": 1, "urls": {}},
            "installation": {
                "id": "inst1",
                "configuration": World.configuration,
                "urls": {"publicEndpoint": ENDPOINT},
            },
            "secrets": {
                "OAUTH_CLIENT_ID": "id",
                "OAUTH_CLIENT_SECRET": "secret",
                "OAUTH_AUTHORIZE_URL": "https://service.example/authorize",
                "OAUTH_TOKEN_URL": f"{url}/token",
                "API_URL": f"{url}/user",
            },
        }
        call = RawCall(json.dumps(event).encode(), json.dumps(environment).encode(), None, lambda level, line: None)
        told = answer(INTEGRATION, call)
        assert told.error is None, told.error
        return told.status, dict(told.headers), told.body.decode()

    yield tell
    server.shutdown()
    server.server_close()


def get(tell, query=""):
    return tell("fetch", request={"method": "get", "url": f"{ENDPOINT}/oauth{query}", "headers": {}})


def render(tell):
    context = {"type": "document", "spaceId": "space", "editable": False, "theme": "light"}
    return tell("ui_render", componentId="profile", props={}, context=context)


def test_an_account_is_connected_and_its_name_shown(tell):
    assert "not connected yet" in render(tell)[2]
    status, headers, _ = get(tell)
    query = parse_qs(urlsplit(headers["location"]).query)
    assert (status, query["client_id"], query["redirect_uri"]) == (302, ["id"], [f"{ENDPOINT}/oauth"])
    status, _, page = get(tell, f"?code=code1&state={quote(query['state'][0])}")
    assert (status, "Connected" in page) == (200, True)
    assert World.configuration == {"other": 1, "oauth_credentials": {"access_token": "good"}}
    assert '"title":"Ada"' in render(tell)[2].replace(": ", ":")


def test_a_refused_sign_in_is_told(tell):
    status, _, told = get(tell, "?error=access_denied")
    assert (status, "access_denied" in told) == (400, True)


def test_a_token_that_is_no_longer_good_is_told(tell):
    World.configuration = {"oauth_credentials": {"access_token": "old"}}
    status, _, told = render(tell)
    assert (status, "connect the account again" in told) == (502, True)
