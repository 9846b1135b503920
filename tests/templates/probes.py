"""What projects made from templates do once they run under `devkit dev`, in whatever language."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from tests.conftest import Answer, Api, wait_for
from tests.devkit.dev_process import PATIENCE, DevProcess, devkit


class Author:
    """Somebody who made a project, started it, and holds the key of its preview."""

    def __init__(self, folder: Path, process: DevProcess) -> None:
        self.folder, self.process = folder, process
        ready = process.wait("ready")
        self.host = str(ready["host"])
        self.api = Api(self.host, str(ready["url"]).partition("#key=")[2])
        self.name = folder.name
        self.state: Any = self.api.get(f"/preview/api/{self.name}").json

    def render(self, component: str, context: dict[str, Any] | None = None, **fields: Any) -> Answer:
        """Render a component in the sample space."""
        context = context or {"type": "document", "spaceId": self.state["space"]["id"], "editable": False}
        body = {"componentId": component, "props": {}, "context": {"theme": "light", **context}, **fields}
        return self.api.post(f"/v1/integrations/{self.name}/render", body)

    def logged(self, line: str) -> None:
        """Wait until an event has logged a line that holds this one."""

        def there() -> bool:
            traces = [
                message["event"].get("trace") or {} for message in self.process.messages if message["type"] == "event"
            ]
            return any(line in entry["message"] for trace in traces for entry in trace.get("logs", ()))

        wait_for(there, PATIENCE)


def question(author: Author) -> None:
    response = author.render("question")
    assert response.status == 200, response.text
    assert "What is 6" in response.text and '"42"' not in str(response.json["element"])
    response = author.render("question", state=response.json["state"], action={"action": "toggle"})
    assert response.json["element"]["children"][1]["type"] == "markdown"
    context = {"type": "document", "spaceId": author.state["space"]["id"], "editable": True}
    assert '"Save"' in author.render("question", context).text
    assert '"Save"' not in response.text


def config_screen(author: Author) -> None:
    installation = author.state["installation"]
    context = {"type": "configuration_account", "organizationId": author.state["organization"]["id"]}
    response = author.render("settings", context)
    assert response.status == 200, response.text
    address = response.json["element"]["children"][0]["element"]["options"]["url"]
    found = requests.get(f"http://{address['host']}{address['pathname']}", params={"q": "casc"}, timeout=60)
    assert found.json() == {"items": [{"id": "cascade", "label": "Cascade"}]}
    refused = author.render("settings", context, action={"action": "save"})
    assert (refused.status, refused.json["error"]["message"]) == (400, "Choose a project first")
    configuration = {"project": "cascade", "address": "me@example.com", "digest": False}
    assert author.render("settings", context, action={"action": "save", **configuration}).json["type"] == "complete"
    now = author.api.get(f"/v1/integrations/{author.name}/installations/{installation['id']}").json
    assert now["configuration"] == configuration


def triggered(author: Author, *arguments: str) -> str:
    """Send something as the template's README says, and give what is shown."""
    sent = devkit(author.process.home, "trigger", *arguments, folder=author.folder)
    assert sent.code == 0, sent.err
    return sent.out


def event_handler(author: Author) -> None:
    author.logged("installed on space")
    triggered(author, "page_feedback", "--set", "feedback.rating=bad", "--set", "feedback.comment=Too short")
    author.logged("was rated bad: Too short")


def webhook(author: Author) -> None:
    url = author.state["integration"]["urls"]["publicEndpoint"] + "/hook"
    body = b'{"id": "m1", "text": "hello"}'
    signature = hmac.new(b"only-for-this-machine", body, hashlib.sha256).hexdigest()
    answer = requests.post(url, body, headers={"x-hub-signature-256": f"sha256={signature}"}, timeout=60)
    assert answer.json() == {"accepted": "m1"}
    signed = ("--sign", "github", "--secret", "only-for-this-machine")
    assert "accepted" in triggered(author, "fetch", "--path", "/hook", "--body", "example.json", *signed)
    assert requests.post(url, body, timeout=60).status_code == 401
    author.logged("message m1: hello")


def published_script(author: Author) -> None:
    org, site = author.state["organization"]["id"], author.state["site"]["id"]
    (script,) = author.api.get(f"/v1/orgs/{org}/sites/{site}/integration-scripts").json
    assert "Welcome!" in triggered(author, "fetch_published_script")
    response = requests.get(script["script"], timeout=60)
    assert response.headers["content-type"] == "application/javascript"
    assert response.text.endswith('("Welcome!");\n')


def signed_in(page: requests.Response, visitor: requests.Session, person: str) -> requests.Response:
    """Choose somebody on the page of the identity provider."""
    assert "Sign in as Ada Lovelace" in page.text, page.text
    return visitor.get(f"{page.url}&person={person}", timeout=60)


def visitor_auth(author: Author) -> None:
    author.logged("visitors come back to http://")
    org, site = author.state["organization"]["id"], author.state["site"]["id"]
    guarded = {"visibility": "visitor-auth", "visitorAuth": {"backend": "integration", "integration": author.name}}
    changed = author.api.call("PATCH", f"/v1/orgs/{org}/sites/{site}", {"published": True, **guarded})
    assert changed.status == 200, changed.text
    home = changed.json["urls"]["published"]
    with requests.Session() as visitor:
        page = visitor.get(f"{home}guide", timeout=60)
        denied = signed_in(page, visitor, "nobody")
        assert (denied.status_code, "access_denied" in denied.text) == (403, True)
        inside = signed_in(page, visitor, "ada")
        assert (inside.status_code, inside.url) == (200, f"{home}guide"), inside.text
        assert "Sign out" in inside.text
    with requests.Session() as visitor:
        page = visitor.get(home, timeout=60)
        visitor.cookies.clear()
        stolen = signed_in(page, visitor, "ada")
        assert (stolen.status_code, "begin again" in stolen.text) == (403, True)


def oauth(author: Author) -> None:
    hint, button = author.render("profile").json["element"]["children"]
    assert "not connected yet" in str(hint)
    with requests.Session() as browser:
        page = browser.get(button["onPress"]["url"], timeout=60)
        assert page.url.startswith(f"{author.host}/identity/authorize?client_id=my-client&")
        done = signed_in(page, browser, "grace")
        assert (done.status_code, "close this window" in done.text) == (200, True)
    assert '"Grace Hopper"' in author.render("profile").text


def content_source(author: Author) -> None:
    place = f"/v1/spaces/{author.state['space']['id']}/content/computed"
    source = {"type": f"integration:{author.name}:glossary", "props": {"title": "Words"}}
    created = author.api.post(f"{place}/revision", {"source": source, "seed": "s"})
    assert created.status == 200, created.text
    (group,) = created.json["pages"]
    assert [page["title"] for page in group["pages"]] == ["Block", "Event", "Space"]
    written = author.api.post(f"{place}/document", {"source": group["pages"][0]["computed"], "seed": "s"})
    assert "A part of a page that an integration draws." in written.text
    assert "Space" in triggered(author, "content_compute_revision")
    document = triggered(author, "content_compute_document", "--set", "props.term=event")
    assert "that integrations are notified of" in document
    context = {"type": "configuration_contentsource", "organizationId": author.state["organization"]["id"]}
    assert author.render("setup", context).status == 200


def link_unfurl(author: Author) -> None:
    url = "https://team.tracker.example.com/tickets/1"
    embed = author.api.get(f"/v1/spaces/{author.state['space']['id']}/embed", url=url).json
    assert (embed["type"], embed["block"]["id"]) == ("integration", "ticket")
    response = author.render("ticket", action={"action": "@link.unfurl", "url": url})
    assert (response.status, response.json["props"]) == (200, {"number": "1", "url": url})
    assert "The search forgets what was typed" in response.text


PROBES: dict[str, Callable[[Author], None]] = {
    "block": question,
    "config-screen": config_screen,
    "event-handler": event_handler,
    "webhook": webhook,
    "published-script": published_script,
    "visitor-auth": visitor_auth,
    "oauth": oauth,
    "content-source": content_source,
    "link-unfurl": link_unfurl,
}
"""Template -> what its project does once it runs."""
