import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))


class Platform(BaseHTTPRequestHandler):
    """Knows one space."""

    def do_GET(self):
        there = self.path == "/v1/spaces/space1"
        body = json.dumps({"title": "Handbook"} if there else {"error": {"message": "no such space"}}).encode()
        self.send_response(200 if there else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def send():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Platform)
    threading.Thread(target=server.serve_forever).start()
    environment = {
        "apiEndpoint": f"http://127.0.0.1:{server.server_port}",
        "apiTokens": {"integration": "t1", "installation": "t2"},
        "integration": {"name": "my-integration", "version": 1},
    }

    def send(kind, **fields):
        """Send an event; gives the status and what was logged."""
        logs = []
        event = {"eventId": "e", "type": kind, "installationId": "inst1", **fields}
        call = RawCall(
            json.dumps(event).encode(), json.dumps(environment).encode(), None, lambda level, line: logs.append(line)
        )
        return answer(INTEGRATION, call).status, logs

    yield send
    server.shutdown()
    server.server_close()


def test_new_content_is_told_with_the_spaces_title(send):
    told = send("space_content_updated", spaceId="space1", revisionId="rev1")
    assert told == (200, ["Handbook has a new revision, rev1"])


def test_only_bad_ratings_are_told(send):
    about = {"siteId": "site1", "url": "https://docs.example/page", "referrer": "", "visitor": {}}
    assert send("page_feedback", feedback={"rating": "good"}, **about) == (200, [])
    told = send("page_feedback", feedback={"rating": "bad", "comment": "Too short"}, **about)
    assert told == (200, ["https://docs.example/page was rated bad: Too short"])


def test_only_the_first_setup_is_told(send):
    assert send("space_installation_setup", spaceId="space1", status="active") == (200, ["installed on space space1"])
    again = send("space_installation_setup", spaceId="space1", status="active", previous={"status": "paused"})
    assert again == (200, [])


def test_a_failure_is_answered_so_that_the_event_comes_again(send):
    assert send("space_content_updated", spaceId="unknown", revisionId="rev1")[0] == 500
