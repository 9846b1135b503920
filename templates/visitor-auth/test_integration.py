import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))
ENDPOINT = "https://host.example/v1/integrations/my-integration/installations/inst1/sites/site1"
SIGNING = "the secret of this site, long enough"


class Platform(BaseHTTPRequestHandler):
    """Knows one published site."""

    def do_GET(self):
        assert self.path == "/v1/orgs/org1/sites/site1"
        body = json.dumps({"urls": {"published": "https://docs.example/guide/"}}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def tell():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Platform)
    threading.Thread(target=server.serve_forever).start()
    environment = {
        "apiEndpoint": f"http://127.0.0.1:{server.server_port}",
        "apiTokens": {"integration": "t1", "installation": "t2"},
        "integration": {"name": "my-integration", "version": 1, "urls": {}},
        "installation": {
            "id": "inst1",
            "target": {"organization": "org1"},
            "urls": {"publicEndpoint": "https://other"},
        },
        "siteInstallation": {"site": "site1", "urls": {"publicEndpoint": ENDPOINT}},
        "secrets": {"SITE_PASSWORD": "open sesame"},
        "signingSecrets": {"integration": "s", "siteInstallation": SIGNING},
    }

    def tell(kind, body=None, **fields):
        event = {"eventId": "e", "type": kind, "installationId": "inst1", "siteId": "site1", **fields}
        call = RawCall(json.dumps(event).encode(), json.dumps(environment).encode(), body, lambda level, line: None)
        told = answer(INTEGRATION, call)
        assert told.error is None, told.error
        return told.status, dict(told.headers), told.body.decode()

    yield tell
    server.shutdown()
    server.server_close()


def post(tell, **fields):
    request = {"method": "post", "url": f"{ENDPOINT}/sign-in", "headers": {}}
    return tell("fetch", urlencode(fields).encode(), request=request)


def test_a_visitor_is_sent_to_the_form(tell):
    status, headers, _ = tell("fetch_visitor_authentication", location="a/page")
    assert (status, headers["location"]) == (302, f"{ENDPOINT}/sign-in?location=a%2Fpage")
    status, _, page = tell("fetch", request={"method": "get", "url": headers["location"], "headers": {}})
    assert status == 200 and 'value="a/page"' in page


def test_the_right_password_leads_back_with_a_token(tell):
    status, headers, _ = post(tell, name="Ada", password="open sesame", location="a/page")
    address = urlsplit(headers["location"])
    assert (status, address.netloc, address.path) == (302, "docs.example", "/guide/a/page")
    claims = jwt.decode(parse_qs(address.query)["jwt_token"][0], SIGNING, algorithms=["HS256"])
    assert claims["name"] == "Ada"


def test_a_wrong_password_leads_nowhere(tell):
    status, headers, page = post(tell, name="Ada", password="sesame", location='"><script>')
    assert (status, "location" in headers) == (403, False)
    assert "That is not the password." in page and "<script>" not in page
