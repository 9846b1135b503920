"""The published runtime `@gitbook/runtime`, unchanged, bundled and run on a host: everything it offers to authors."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from devkit.build.bundle import publish_body
from devkit.projects.project import load
from tests.clients.compiling import check_types
from tests.clients.packages import FOLDER, MODULES, needs_packages
from tests.conftest import HostProcess, Installed, Tenant, init, tenant, wait_for

pytestmark = needs_packages
NAME = "everything"


class Provider(http.server.BaseHTTPRequestHandler):
    """Gives a token for a code, and remembers what it was asked."""

    def do_POST(self) -> None:
        asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.asked.append((self.path, asked))  # type: ignore[attr-defined]
        body = json.dumps({"access_token": f"for {asked['code'][0]}", "refresh_token": "again", "expires_in": 60})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture(scope="module")
def provider() -> Iterator[http.server.ThreadingHTTPServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def owner(provider: http.server.ThreadingHTTPServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    data = tmp_path_factory.mktemp("everything")
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--allow-egress", f"127.0.0.1:{provider.server_port}").start()
    yield tenant(process, "Owner", "owner@example.com")
    assert process.stop() == 0


@pytest.fixture(scope="module")
def one(
    owner: Tenant, provider: http.server.ThreadingHTTPServer, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    """The integration, bundled as an author's project is, published, and installed on a space and a site."""
    folder = tmp_path_factory.mktemp("project")
    for file in (FOLDER / NAME).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "node_modules").symlink_to(MODULES)
    (folder / ".env").write_text(f"EVERYTHING_PROVIDER=http://127.0.0.1:{provider.server_port}\n")
    published = owner.api.post(f"/v1/integrations/{NAME}", publish_body(load(str(folder)), owner.id))
    assert published.status == 200, published.text
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "A space"}).json["id"]
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "A site", "spaces": [space]}).json["id"]
    made = owner.api.post(f"/v1/integrations/{NAME}/installations", {"organization": owner.id}).json["id"]
    at = f"/v1/integrations/{NAME}/installations/{made}"
    assert owner.api.post(f"{at}/spaces", {"space": space}).status == 201
    assert owner.api.post(f"{at}/sites", {"siteId": site}).status == 201
    return Installed(NAME, owner, made, space, site)


def logs(one: Installed, kind: str) -> list[str]:
    """All that the calls of a kind of event have logged so far, the newest event first."""
    found = one.owner.api.get(f"{one.path}/events", type=kind).json["items"]
    details = [one.owner.api.get(f"{one.path}/events/{event['id']}").json for event in found]
    return [line["message"] for detail in details for line in detail.get("trace", {}).get("logs", [])]


def test_the_types_hold(tmp_path: Path) -> None:
    """The integration is what an author may write: the compiler has nothing to say of it."""
    assert check_types(FOLDER / NAME / "index.tsx", FOLDER / NAME / "text.d.ts") == ""


def test_components_have_state_and_actions(one: Installed) -> None:
    first = one.render(props={"step": 3})
    assert first.status == 200, first.text
    assert first.headers["Cache-Control"] == "max-age=60"
    assert (first.json["type"], first.json["state"]) == ("element", {"count": 3})
    text, button = first.json["element"]["children"]
    assert "".join(map(str, text["children"])) == "everything: 3"
    second = one.render(props={"step": 3}, state=first.json["state"], action=button["onPress"]).json
    assert second["state"] == {"count": 5}
    ended = one.render(state={"count": 9}, action={"action": "end"}).json
    assert ended == {"type": "complete", "returnValue": {"count": 9}}


def test_errors_are_shown_only_when_they_are_meant_to_be(one: Installed) -> None:
    refused = one.render("refusing")
    assert (refused.status, refused.json["error"]["message"]) == (422, "Not on Sundays.")
    failed = one.render("failing")
    assert failed.status == 500 and "secret detail" not in failed.text
    assert one.render("unknown").status == 404
    told = wait_for(lambda: [line for line in logs(one, "ui_render") if "secret detail" in line])
    # The place in the author's file, not the one in the bundle.
    assert "index.tsx:52:15" in told[0]


def test_events_reach_every_handler_and_work_goes_on_after_the_answer(one: Installed) -> None:
    wait_for(lambda: "after the answer" in logs(one, "installation_setup"))
    assert "set up active" in logs(one, "installation_setup")


@pytest.mark.parametrize("level", ["installation", "space", "site"])
@pytest.mark.parametrize("path", ["oauth", "oauth-keep"])
def test_oauth_ends_with_the_credentials_in_the_configuration(
    path: str, level: str, one: Installed, provider: Any
) -> None:
    ends = {"installation": "", "space": f"/spaces/{one.space}", "site": f"/sites/{one.site}"}
    at = f"{one.path}/installations/{one.installation}{ends[level]}"
    assert one.owner.api.call("PATCH", at, {"configuration": {"kept": "yes"}}).status == 200
    endpoint = one.owner.api.get(at).json["urls"]["publicEndpoint"]
    asked = requests.get(f"{endpoint}/{path}", allow_redirects=False, timeout=60)
    assert asked.status_code == 302, asked.text
    target = urlsplit(asked.headers["Location"])
    query = {name: values[0] for name, values in parse_qs(target.query).items()}
    assert target.netloc == f"127.0.0.1:{provider.server_port}"
    assert (query["client_id"], query["scope"], query["prompt"]) == ("the-client", "read write", "consent")
    assert query.get("for") == (one.installation if path == "oauth-keep" else None)
    assert query["redirect_uri"] == f"{endpoint}/{path}"
    # Many providers know one address only: the answer comes back on the integration's own.
    own = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    back = requests.get(
        f"{own}/{path}", params={"code": "c1", "state": query["state"]}, allow_redirects=False, timeout=60
    )
    assert back.status_code == 200 and "close this window" in back.text
    sent, form = provider.asked[-1]
    assert sent == ("/token" if path == "oauth" else f"/token?for={one.installation}")
    assert (form["client_secret"], form["grant_type"]) == (["hidden"], ["authorization_code"])
    configuration = one.owner.api.get(at).json["configuration"]
    assert configuration["oauth_credentials"]["access_token"] == "for c1"
    assert configuration.get("kept") == ("yes" if path == "oauth-keep" else None)


def test_oauth_cannot_begin_without_an_installation(one: Installed) -> None:
    own = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    answer = requests.get(f"{own}/oauth", allow_redirects=False, timeout=60)
    assert (answer.status_code, "without an installation" in answer.text) == (400, True)
    missing = requests.get(f"{own}/other", timeout=60)
    assert (missing.status_code, missing.json()) == (404, {"error": "There is nothing here."})


def test_content_sources_give_pages_and_documents(one: Installed) -> None:
    source = {"source": {"type": f"integration:{NAME}:pages", "props": {"title": "Tickets"}}, "seed": "s"}
    at = f"/v1/spaces/{one.space}/content/computed"
    revision = one.owner.api.post(f"{at}/revision", source)
    assert revision.status == 200, revision.text
    assert [page["title"] for page in revision.json["pages"]] == ["Tickets"]
    document = one.owner.api.post(f"{at}/document", source)
    assert document.status == 200, document.text
    assert "Tickets by everything" in document.text


def test_a_published_script_follows_the_configuration(one: Installed) -> None:
    at = f"{one.path}/installations/{one.installation}/sites/{one.site}"
    listed = f"/v1/orgs/{one.owner.id}/sites/{one.site}/integration-scripts"
    assert one.owner.api.call("PATCH", at, {"configuration": {}}).status == 200
    first = one.owner.api.get(listed).json[0]["script"]
    assert requests.get(first, timeout=60).text == "/** no-op */"
    assert one.owner.api.call("PATCH", at, {"configuration": {"word": "hello"}}).status == 200
    second = one.owner.api.get(listed).json[0]["script"]
    answer = requests.get(second, timeout=60)
    assert (second != first, answer.text) == (True, "window.shown = 'hello';\n")
    assert answer.headers["Content-Type"] == "application/javascript"
    assert answer.headers["Cache-Control"] == "max-age=604800"


def test_visitors_are_signed_in(one: Installed) -> None:
    site = f"/v1/orgs/{one.owner.id}/sites/{one.site}"
    guard = {"visibility": "visitor-auth", "published": True}
    guard["visitorAuth"] = {"backend": "integration", "integration": NAME}  # type: ignore[assignment]
    home = one.owner.api.call("PATCH", site, guard).json["urls"]["published"]
    browser = requests.Session()
    asked = browser.get(f"{home}guide/start", allow_redirects=False, timeout=60)
    assert asked.headers["Location"].startswith(f"{home}guide/start?jwt_token=")
    opened = browser.get(asked.headers["Location"], allow_redirects=False, timeout=60)
    assert opened.headers["Location"] == f"{home}guide/start"
    assert browser.get(home, allow_redirects=False, timeout=60).status_code == 200


def test_tasks_queue_tasks(one: Installed) -> None:
    endpoint = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    assert requests.post(f"{endpoint}/task", timeout=60).status_code == 202
    wait_for(lambda: {"left 2", "left 1", "left 0"} <= set(logs(one, "task")))
