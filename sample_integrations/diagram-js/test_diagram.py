"""The diagram sample: its types, what its script answers, and that both command lines can build it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devkit.build.bundle import publish_body
from devkit.project import load
from runtime.contract.invocation import Invocation, Outcome, Script
from runtime.engines.egress import EgressRules
from runtime.engines.table import create_engines

FOLDER = Path(__file__).parent
ENDPOINT = "http://host.example/v1/integrations/diagram/installations/inst1/spaces/sp1"
ENVIRONMENT = {
    "apiEndpoint": "http://host.example",
    "apiTokens": {"integration": "t1", "installation": "t2"},
    "integration": {"name": "diagram", "version": 1, "urls": {"publicEndpoint": "http://host.example/wrong"}},
    "installation": {"id": "inst1", "urls": {"publicEndpoint": "http://host.example/wrong"}},
    "spaceInstallation": {"space": "sp1", "urls": {"publicEndpoint": ENDPOINT}},
    "secrets": {},
}

pytestmark = pytest.mark.skipif(
    not (FOLDER / "node_modules" / ".installed").exists(),
    reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
)
Call = Callable[..., Outcome]


@pytest.fixture(scope="module")
def call() -> Iterator[Call]:
    """Send an event to the sample's script, in the engine that runs it on a host."""
    body = publish_body(load(str(FOLDER)), "any")
    engines = create_engines("required", EgressRules())
    script = Script("1", body["runtime"], body["script"], body["entry"])

    def send(kind: str, **event: Any) -> Outcome:
        told = json.dumps({"eventId": "e", "type": kind, "installationId": "inst1", **event}).encode()
        return engines.invoke(Invocation(script, "inst1", told, json.dumps(ENVIRONMENT).encode()), lambda trace: None)

    yield send
    engines.close()


def text(outcome: Outcome) -> str:
    body = outcome.body if isinstance(outcome.body, bytes) else b"".join(outcome.body)
    assert outcome.status == 200, body
    return body.decode()


def rendered(call: Call, editable: bool, **event: Any) -> Any:
    context = {"type": "document", "spaceId": "sp1", "editable": editable, "theme": "light"}
    event = {"componentId": "diagram", "props": {}, "context": context, "spaceId": "sp1"} | event
    return json.loads(text(call("ui_render", **event)))


def test_the_types_hold() -> None:
    compiler = FOLDER / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        ["node", compiler, "--noEmit", "--project", FOLDER], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_a_reader_sees_the_frame_alone(call: Call) -> None:
    output = rendered(call, editable=False, props={"content": "A -> B", "direction": "down"})
    assert output["state"] == {"content": "A -> B", "direction": "down"}
    (frame,) = output["element"]["children"]
    assert (frame["type"], frame["source"]["url"]) == ("webframe", f"{ENDPOINT}/frame")
    assert frame["data"] == {"content": {"$state": "content"}, "direction": {"$state": "direction"}}


def test_an_editor_gets_the_text_and_the_choice_of_direction(call: Call) -> None:
    code, frame, row = rendered(call, editable=True)["element"]["children"]
    assert (code["type"], code["state"], frame["type"]) == ("codeblock", "content", "webframe")
    assert code["onContentChange"]["action"] == "@editor.node.updateProps"
    choice, button = row["children"]
    assert [option["id"] for option in choice["options"]] == ["right", "down"]
    changed = rendered(call, editable=True, state={"content": "", "direction": "down"}, action=button["onPress"])
    assert changed["state"]["content"].startswith("Browser -> Server")
    assert changed["state"]["direction"] == "down"


def test_the_frame_and_the_published_script_are_served(call: Call) -> None:
    asked = {"method": "get", "url": f"{ENDPOINT}/frame", "headers": {}}
    page = call("fetch", request=asked)
    assert dict(page.headers)["content-type"] == "text/html; charset=utf-8"
    assert "@webframe.ready" in text(page)
    assert call("fetch", request=asked | {"url": f"{ENDPOINT}/other"}).status == 404
    script = call("fetch_published_script", siteId="s1")
    assert dict(script.headers)["content-type"] == "application/javascript"
    assert "code.language-diagram" in text(script)
