"""Content that scripts compute: pages, files and documents, and what becomes of a wrong answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Installed, Tenant, installed
from tests.scenarios.content_sources import SOURCES, ask

SCRIPT = """
import json

from runtime.sdk import ExposableError, Integration

integration = Integration()
source = integration.content_source("tickets")

TEXT = '''# Title

Some **bold _both_** and `code` with a [link](https://example.com).

1. one
2. two
   - deep

> quoted

```python
print(1)
```

| A | B |
|---|---|
| 1 | 2 |
'''


@source.revision
def pages(props, event, context):
    context.log.info("seen %s in %s", event["sourceId"], context.environment["spaceInstallation"]["space"])
    if props.get("refuse"):
        raise ExposableError("No tickets today.", 422)
    if props.get("fail"):
        raise RuntimeError("broken")
    if "answer" in props:
        return props["answer"]
    leaf = {"type": "document", "title": "Ticket 1", "description": "First."}
    leaf["computed"] = {"type": f"integration:x:{event['sourceId']}", "props": {"ticket": "1"}}
    group = {"type": "group", "title": "Open tickets", "id": "open", "pages": [leaf, {**leaf, "emoji": "1f600"}]}
    link = {"type": "link", "title": "Tracker", "target": {"kind": "url", "url": "https://example.com"}}
    file = {"name": "a.png", "contentType": "image/png", "downloadURL": "https://example.com/a.png", "size": 3}
    return {"pages": [group, link], "files": [file]}


@source.document
def document(props, dependencies):
    if "answer" in props:
        return props["answer"]
    if props.get("dependencies"):
        raise ExposableError(json.dumps(dependencies, sort_keys=True))
    return TEXT
"""


@pytest.fixture(scope="module")
def one(alpha: Tenant) -> Installed:
    return installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])


def test_pages_and_files_become_those_of_a_revision(one: Installed) -> None:
    made = ask(one, "revision").json
    assert made == ask(one, "revision").json  # the same seed gives the same ids
    assert set(made) == {"pages", "files", "reusableContents"}
    group, link = made["pages"]
    assert (group["id"], group["type"], group["kind"], group["path"]) == ("open", "group", "group", "open-tickets")
    assert [page["path"] for page in group["pages"]] == ["open-tickets/ticket-1", "open-tickets/ticket-1-2"]
    first, second = group["pages"]
    assert (
        first["kind"] == "sheet" and first["computedSeed"].startswith("seed~") and first["layout"]["width"] == "default"
    )
    assert first["computed"]["props"] == {"ticket": "1"} and first["id"] != second["id"]
    assert "emoji" not in first and second["emoji"] == "1f600"
    assert link["kind"] == "link" and link["target"]["kind"] == "url"
    assert made["files"][0]["downloadURL"] == "https://example.com/a.png" and made["files"][0]["id"]
    other = one.owner.api.post(
        f"/v1/spaces/{one.space}/content/computed/revision",
        {"source": {"type": f"integration:{one.name}:tickets", "props": {}}, "seed": "other"},
    ).json
    assert other["pages"][1]["id"] != link["id"]


def test_markdown_becomes_a_document(one: Installed) -> None:
    made = ask(one, "document").json
    assert made["object"] == "document"
    kinds = [node["type"] for node in made["nodes"]]
    assert kinds == ["heading-1", "paragraph", "list-ordered", "blockquote", "code", "table"]
    leaves = made["nodes"][1]["nodes"][0]["leaves"]
    assert [(leaf["text"], [mark["type"] for mark in leaf["marks"]]) for leaf in leaves] == [
        ("Some ", []),
        ("bold ", ["bold"]),
        ("both", ["bold", "italic"]),
        (" and ", []),
        ("code", ["code"]),
        (" with a ", []),
    ]
    assert made["nodes"][1]["nodes"][1]["data"] == {"ref": {"kind": "url", "url": "https://example.com"}}
    table = made["nodes"][5]
    cells = {one["fragment"]: one["nodes"][0]["nodes"][0]["leaves"][0]["text"] for one in table["fragments"]}
    row = table["data"]["records"]["r0"]["values"]
    assert {column: cells[value] for column, value in row.items()} == {"c0": "1", "c1": "2"}
    assert ask(one, "document", {"answer": {}}).json == {"object": "document", "data": {}, "nodes": []}
    assert ask(one, "document", {"answer": {"document": made}}).json == made


def test_dependencies_are_looked_up_and_not_believed(one: Installed, beta: Tenant) -> None:
    theirs = beta.api.post(f"/v1/orgs/{beta.id}/spaces", {}).json["id"]
    dependencies = {
        "mine": {"ref": {"kind": "space", "space": one.space}},
        "theirs": {
            "ref": {"kind": "space", "space": theirs},
            "value": {"object": "space", "id": theirs, "revision": "x"},
        },
        "spec": {"ref": {"kind": "openapi", "spec": "petstore"}},
        "translation": {"ref": {"kind": "translation", "translation": "t"}},
    }
    answer = ask(one, "document", {"dependencies": True}, dependencies=dependencies)
    assert answer.status == 400
    seen = json.loads(answer.json["error"]["message"])
    revision = one.owner.api.get(f"/v1/spaces/{one.space}").json["revision"]
    assert seen["mine"]["value"] == {"object": "space", "id": one.space, "revision": revision}
    assert [seen[name]["value"] for name in ("theirs", "spec", "translation")] == [None, None, None]


@pytest.mark.parametrize(
    ("what", "answer", "named"),
    [
        ("revision", {"pages": [{"type": "document"}]}, "title"),
        ("revision", {"pages": [{"type": "chapter", "title": "x"}]}, "pages.0.type: must be one of 'document'"),
        ("revision", {"pages": [{"type": "group", "title": "x", "pages": []}]}, "pages"),
        ("revision", {"pages": [{"type": "document", "title": "x", "id": "no id"}]}, "id"),
        ("revision", {"pages": [{"type": "document", "title": "x", "id": "a"}] * 2}, "twice"),
        ("revision", {"files": [{"name": "x"}]}, "files"),
        ("revision", {"pages": [{"type": "link", "title": "x", "target": {"kind": "url"}}]}, "url"),
        ("revision", {"pages": [{"type": "link", "title": "x", "target": {"kind": "else"}}]}, "target"),
        ("revision", {"pages": "many"}, "pages"),
        ("revision", "text", "not pages"),
        ("document", {"document": {"object": "document", "nodes": [{"object": "block", "type": "list-item"}]}}, "top"),
        ("document", {"document": {"nodes": []}}, "object"),
        ("document", {"markdown": 7}, "markdown"),
        ("document", {"markdown": "x" * 1_000_001}, "longer"),
    ],
)
def test_a_wrong_answer_is_named(one: Installed, what: str, answer: Any, named: str) -> None:
    refused = ask(one, what, {"answer": answer})
    assert refused.status == 502, refused.text
    message = refused.json["error"]["message"]
    assert named in message and f"integration:{one.name}:tickets" in message


def test_the_scripts_refusals_and_failures(one: Installed) -> None:
    refused = ask(one, "revision", {"refuse": True})
    assert (refused.status, refused.json["error"]["message"]) == (422, "No tickets today.")
    broken = ask(one, "revision", {"fail": True})
    assert broken.status == 500 and "event log" in broken.json["error"]["message"]


def test_only_where_it_is_installed(one: Installed, alpha: Tenant, beta: Tenant) -> None:
    elsewhere = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    assert ask(one, "revision", space=elsewhere).status == 404
    unknown = ask(one, "revision", type=f"integration:{one.name}:nothing")
    assert unknown.status == 404 and "nothing" in unknown.text
    assert ask(one, "revision", type="integration:nobody:tickets").status == 404
    for type_, said in (
        ("builtin:other", "source.type: must be"),
        ("builtin:openapi", "source: name the specification"),
    ):
        builtin = ask(one, "revision", type=type_)
        assert builtin.status == 400 and said in builtin.json["error"]["message"], builtin.text
    body = {"source": {"type": f"integration:{one.name}:tickets", "props": {}}, "seed": "s"}
    assert beta.api.post(f"/v1/spaces/{one.space}/content/computed/revision", body).status == 404
    theirs = beta.api.post(f"/v1/orgs/{beta.id}/spaces", {}).json["id"]
    assert beta.api.post(f"/v1/spaces/{theirs}/content/computed/revision", body).status == 404
    part = f"{one.path}/installations/{one.installation}/spaces/{one.space}"
    assert alpha.api.call("PATCH", part, {"status": "paused"}).status == 200
    assert ask(one, "revision").status == 404
    assert alpha.api.call("PATCH", part, {"status": "active"}).status == 200
    assert ask(one, "revision").status == 200
