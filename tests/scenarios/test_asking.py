"""Ask over HTTP: answers from passages, whole and streamed, by themselves and worded by a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Tenant, init, tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.people import person
from tests.scenarios.search_results import found

KEYS = "Intro.\n\n## Rotating keys\n\nA key rotates every night.\n\n## Losing keys\n\nAsk the janitor."
QUESTION = "How often does a key rotate?"


class Model(BaseHTTPRequestHandler):
    """Streams an answer the way OpenAI does; what it was asked is kept, and `broken` makes it fail."""

    asked: ClassVar[list[dict[str, Any]]]
    broken = ""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
        self.send_response(500 if self.broken == "status" else 200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if self.broken == "status":
            return
        for word in ("It ", "rotates **nightly**", "."):
            if self.broken == "midway" and word == ".":
                self.wfile.write(b"data: {broken\n\n")
                return
            self.wfile.write(b"data: " + json.dumps({"choices": [{"delta": {"content": word}}]}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def model() -> Iterator[type[Model]]:
    class Here(Model):
        pass

    Here.asked = []

    with ThreadingHTTPServer(("127.0.0.1", 0), Here) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Here.server_version = f"http://127.0.0.1:{server.server_port}/v1"
        yield Here
        server.shutdown()


@pytest.fixture(scope="module")
def owner(model: type[Model], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    """A tenant of a host that has a model."""
    data: Path = tmp_path_factory.mktemp("asking")
    settings = {"DEVKIT_ASK_URL": model.server_version, "DEVKIT_ASK_KEY": "secret", "DEVKIT_ASK_MODEL": "small"}
    init(data, "First", "first@example.com")
    host = HostProcess(data, environ=settings).start()
    yield tenant(host, "Asking", "asking@example.com")
    host.stop()


def asked(api: Api, organization: str, query: str, **more: Any) -> dict[str, Any]:
    return dict(ok(api.post(f"/v1/orgs/{organization}/ask?format=markdown", {"query": query, **more})))


def streamed(api: Api, path: str, body: Any = None, **query: str) -> list[tuple[str, dict[str, Any]]]:
    """Read a stream to its end: the name of each event with its data."""
    headers = {"Authorization": f"Bearer {api.token}"}
    method = "GET" if body is None else "POST"
    answer = requests.request(method, api.url + path, params=query, json=body, headers=headers, timeout=30)
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/event-stream"), answer.text
    events = [part.split("\n") for part in answer.content.decode().split("\n\n") if part.startswith("event: ")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in events]


def test_an_answer_is_the_best_passage_with_its_source(host: HostProcess) -> None:
    alpha = tenant(host, "Asked alone", f"{new_id()}@example.com")  # others' pages would answer, too
    space = Space(alpha)
    space.merge(page("Xylophone keys", KEYS, id="keys", slug="keys"), page("Other", "Nothing of that."))
    found(space, "xylophone janitor", "Xylophone keys")
    answer = asked(alpha.api, alpha.id, "How often does a xylophone key rotate?")["answer"]
    assert answer["answer"]["markdown"].startswith("A key rotates every night.")
    source = next(one for one in answer["sources"] if one["space"] == space.id)
    assert source["page"] == "keys" and "rotating-keys" in source["sections"] and source["reason"]
    assert source["revision"] == ok(space.api.get(space.path))["revision"]
    assert any("Losing keys" in question for question in answer["followupQuestions"])
    by_title = asked(alpha.api, alpha.id, "xylophone")["answer"]
    assert by_title["answer"]["markdown"].startswith("Intro.") and by_title["sources"][0]["sections"] == ["keys"]
    whole = ok(alpha.api.post(f"/v1/orgs/{alpha.id}/ask", {"query": "xylophone"}))["answer"]["answer"]
    assert whole["document"]["object"] == "document"
    assert asked(alpha.api, alpha.id, "qqqqqqqq") == {}
    events = streamed(alpha.api, f"/v1/orgs/{alpha.id}/ask/stream", query="xylophone janitor", format="markdown")
    assert [name for name, _ in events] == ["answer", "done"]
    assert events[0][1]["type"] == "answer" and "janitor" in events[0][1]["answer"]["answer"]["markdown"]
    assert streamed(alpha.api, f"/v1/orgs/{alpha.id}/ask/stream", query="qqqqqqqq") == [("done", {})]
    assert alpha.api.get(f"/v1/orgs/{alpha.id}/ask/stream").status == 400
    ok(alpha.api.call("PATCH", space.path, {"defaultLevel": None}))
    member = person(host, alpha)
    listed = asked(member.api, alpha.id, "xylophone rotate").get("answer", {"sources": []})["sources"]
    assert space.id not in [one["space"] for one in listed]
    assert alpha.api.get(f"/v1/orgs/{NOBODY}/ask/stream", query="x").status == 404


NOBODY = "x" * 20


def test_questions_are_asked_on_a_site(alpha: Tenant) -> None:
    space = Space(alpha)
    space.merge(page("Theremin", "A theremin is played by nobody's touch."))
    found(space, "theremin", "Theremin")
    site = ok(alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Docs", "spaces": [space.id]}), 201)["id"]
    path = f"/v1/orgs/{alpha.id}/sites/{site}"
    ok(alpha.api.post(f"{path}/publish"))
    url = ok(alpha.api.get(path))["urls"]["published"]
    visitor = Api(alpha.api.url, ok(alpha.api.post("/v1/urls/published", {"url": url}))["apiToken"])
    body = {"question": "Who plays the theremin?", "scope": {"mode": "all"}}
    events = streamed(visitor, f"{path}/ask", body, format="markdown")
    assert "touch" in events[0][1]["answer"]["answer"]["markdown"] and events[-1] == ("done", {})
    assert visitor.post(f"{path}/ask", {"question": "Who?"}).status == 400


def test_a_model_words_the_answer_where_the_organization_allows_it(owner: Tenant, model: type[Model]) -> None:
    space = Space(owner)
    space.merge(page("Keys", KEYS, id="keys"))
    found(space, "rotates", "Keys")
    before = len(model.asked)
    assert asked(owner.api, owner.id, QUESTION)["answer"]["answer"]["markdown"].startswith("A key rotates every")
    assert len(model.asked) == before
    ok(owner.api.call("PATCH", f"/v1/orgs/{owner.id}", {"ai": True}))
    answer = asked(owner.api, owner.id, QUESTION, previousQueries=["What is a key?"])["answer"]
    assert answer["answer"] == {"markdown": "It rotates **nightly**."} and answer["sources"][0]["page"] == "keys"
    told = model.asked[-1]
    assert (told["path"], told["key"], told["model"]) == ("/v1/chat/completions", "Bearer secret", "small")
    text = told["messages"][-1]["content"]
    assert "A key rotates every night." in text and QUESTION in text and "What is a key?" in text
    events = streamed(owner.api, f"/v1/orgs/{owner.id}/ask/stream", query=QUESTION, format="markdown")
    assert events[-2][1]["answer"]["answer"] == {"markdown": "It rotates **nightly**."}
    assert events[-1] == ("done", {})


@pytest.mark.parametrize("broken", ["status", "midway"])
def test_the_passages_are_the_answer_where_the_model_fails(owner: Tenant, model: type[Model], broken: str) -> None:
    space = Space(owner)
    space.merge(page("Keys", KEYS))
    found(space, "rotates", "Keys")
    ok(owner.api.call("PATCH", f"/v1/orgs/{owner.id}", {"ai": True}))
    model.broken = broken
    try:
        answer = asked(owner.api, owner.id, QUESTION)["answer"]["answer"]["markdown"]
        events = streamed(owner.api, f"/v1/orgs/{owner.id}/ask/stream", query=QUESTION, format="markdown")
    finally:
        model.broken = ""
    assert answer.startswith("A key rotates every night.")
    assert events[-2][1]["answer"]["answer"]["markdown"] == answer and events[-1] == ("done", {})
