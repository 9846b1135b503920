"""JavaScript on a host over HTTP, as a platform meets it: what is refused, what is answered, what is recorded."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.conftest import Installed, Tenant, installed, publication, wait_for

SCRIPT = """
const element = (...children) => ({ type: "element", state: {}, props: {}, element: { type: "block", children } });
const text = (words) => ({ type: "text", children: [words] });
const answers = {
  counter: () => Response.json(element(text("drawn"))),
  sparse: () => Response.json(element(undefined, false, null, text("left"), [false, [undefined, text("nested")]], 0)),
  large: () => Response.json(element(text("x".repeat(5 * 1024 * 1024 - 300)))),
  "too-large": () => Response.json(element(text("x".repeat(6_000_000)))),
  "not-json": () => new Response("{ no json", { headers: { "content-type": "application/json" } }),
  "no-output": () => Response.json([1, 2]),
  "wrong-type": () => new Response("<p>hello</p>", { headers: { "content-type": "text/html" } }),
  throws: () => { throw new Error("a detail for the author"); },
  refuses: () => Response.json({ error: "Not today." }, { status: 422 }),
  cyclic: () => { const one = {}; one.children = [one]; return Response.json(element(one)); },
};

export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get("event"));
    if (event.type === "ui_render") return (answers[event.componentId] ?? answers.counter)();
    if (event.type !== "fetch") return Response.json({ error: "no handler" }, { status: 406 });
    const { pathname } = new URL(event.request.url);
    if (pathname.endsWith("/around")) return Response.redirect(event.request.url, 302);
    if (pathname.endsWith("/echo")) {
      return new Response(form.get("fetch-body"), { headers: { "content-type": "application/octet-stream" } });
    }
    console.log("asked for", pathname);
    return new Response(request.method + " " + event.request.method);
  },
};
"""


@pytest.fixture(scope="module")
def script(alpha: Tenant) -> Installed:
    """The script above on a space."""
    return installed(alpha, SCRIPT, runtime="v2")


def publish(owner: Tenant, script: str, runtime: str | None = "v2") -> Any:
    body = publication(owner.id, script)
    body.pop("runtime", None)
    return owner.api.post("/v1/integrations/bad-script", body | ({"runtime": runtime} if runtime else {}))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("export default {\n  fetch( {\n", ":2:"),
        ("throw new RangeError('too early');", "RangeError: too early"),
        ("export const x = 1;", "export default an object with a function fetch"),
        ("import fs from 'node:fs';\nexport default {};", "node:fs cannot be imported"),
        ("from runtime.sdk import Integration\nintegration = Integration()\n", 'publish it with runtime "python"'),
        ("// " + "x" * (11 * 1024 * 1024), "bytes; at most"),
    ],
)
@pytest.mark.parametrize("runtime", ["v1", "v2", None])
def test_a_script_that_cannot_run_is_refused_with_its_place(
    alpha: Tenant, source: str, says: str, runtime: str | None
) -> None:
    answer = publish(alpha, source, runtime)

    assert answer.status == 400
    assert says in answer.json["error"]["message"]
    assert alpha.api.get("/v1/integrations/bad-script").status == 404


def test_an_unknown_runtime_names_the_known_ones(alpha: Tenant) -> None:
    answer = publish(alpha, SCRIPT, "v3")

    assert answer.status == 400
    assert "python" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("component", "status", "says"),
    [
        ("too-large", 502, "more than the limit of 5 MB"),
        ("not-json", 502, "not a render output"),
        ("no-output", 502, "not a render output"),
        ("wrong-type", 502, "text/html"),
        ("throws", 500, "event log"),
        ("refuses", 422, "Not today."),
        ("cyclic", 500, "event log"),
    ],
)
def test_a_bad_answer_becomes_a_sentence(script: Installed, component: str, status: int, says: str) -> None:
    answer = script.render(component)

    assert answer.status == status
    assert says in answer.json["error"]["message"]
    assert "a detail" not in answer.text


def test_good_answers_pass(script: Installed) -> None:
    assert script.render("counter").json["element"]["children"][0]["children"] == ["drawn"]
    assert len(script.render("large").text) > 5_000_000
    assert script.render("sparse").json["element"]["children"][3]["children"] == ["left"]


def test_public_addresses_pass_everything_through(script: Installed) -> None:
    assert script.owner.api.call("GET", f"{script.path}/integration/around", allow_redirects=False).status == 302
    body = bytes(range(256)) * 100
    headers = {"content-type": "application/octet-stream"}
    answer = requests.post(
        f"{script.owner.api.url}{script.path}/integration/echo", data=body, headers=headers, timeout=60
    )
    assert answer.content == body


def test_the_trace_holds_what_the_script_said(script: Installed) -> None:
    script.render("throws")

    def told() -> Any:
        for item in script.owner.api.get(f"{script.path}/events", limit=20).json["items"]:
            if item["payload"].get("componentId") == "throws":
                return script.owner.api.get(f"{script.path}/events/{item['id']}").json
        return None

    event = wait_for(told)
    assert event["event"]["status"] == "failed"
    logs = [line["message"] for line in event["trace"]["logs"]]
    assert any("a detail for the author" in text and "script.js:" in text for text in logs)
