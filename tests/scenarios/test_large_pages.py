"""Pages that are too large are refused at every way in, and what one organization stores keeps no other waiting."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.contract.document_size import MAX_DOCUMENT_PARTS, size_of
from runtime.contract.json_parts import MAX_PARTS
from runtime.services.documents import LONG
from tests.conftest import Tenant, installed
from tests.runtime.contract.sized_documents import document_with, paragraph
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.content_sources import SOURCES, ask
from tests.scenarios.elsewhere import packed
from tests.scenarios.importing import sent

PARAGRAPHS = (MAX_DOCUMENT_PARTS - 3) // 7
"""How many paragraphs of Markdown a page has: each is a block with data and a list, a text, a leaf, and their lists."""
LARGEST = "a\n\n" * PARAGRAPHS
TOO_LARGE = "b\n\n" * (PARAGRAPHS + 1)
LONG_PARAGRAPH = "word " * (LONG // 5)
"""With it, a text is parsed in a separate process."""
SAYS = f"a document has at most {MAX_DOCUMENT_PARTS:,}; split it into several pages"


def change(space: Space, *changes: dict[str, Any]) -> Any:
    made = ok(space.api.post(f"{space.path}/change-requests", {}), 201)["id"]
    return space.api.post(f"{space.path}/change-requests/{made}/content", {"changes": list(changes)})


def test_the_largest_page_is_stored_and_read_in_every_form(space: Space) -> None:
    space.merge(page("Markdown", LARGEST, id="markdown"))
    space.merge({**page("Json", id="json"), "document": {"document": document_with(MAX_DOCUMENT_PARTS)}})
    for one in ("markdown", "json"):
        read = ok(space.api.get(f"{space.path}/content/page/{one}", format="document"))["document"]
        assert MAX_DOCUMENT_PARTS - 7 < size_of(read).parts <= MAX_DOCUMENT_PARTS
        assert ok(space.api.get(f"{space.path}/content/page/{one}", format="markdown"))["markdown"]


@pytest.mark.parametrize(
    "given",
    [
        {"markdown": TOO_LARGE},
        {"markdown": TOO_LARGE + LONG_PARAGRAPH},
        {"document": document_with(MAX_DOCUMENT_PARTS + 1)},
    ],
    ids=["markdown", "long markdown", "json"],
)
@pytest.mark.parametrize("kind", ["insert_page", "update_page", "put_reusable_content"])
def test_no_change_writes_a_larger_one(space: Space, given: dict[str, Any], kind: str) -> None:
    space.merge(page("Page", "x", id="page"))
    written: dict[str, Any] = {"type": kind, "title": "Large", "document": given}
    written |= {"page": "document"} if kind == "insert_page" else {"id": "page"} if kind == "update_page" else {}
    answer = change(space, page("Small", "small"), written)
    assert answer.status == 400 and answer.json["error"]["message"].endswith(SAYS), answer.text
    assert "changes.1" in answer.json["error"]["message"]
    assert space.outline() == [["Page"]] and space.markdown("page") == "x\n"


def test_no_merge_makes_a_larger_one(space: Space) -> None:
    half = "a\n\n" * (PARAGRAPHS // 2)
    space.merge(page("Page", f"first\n\nmiddle\n\n{half}", id="page"))

    def writes(markdown: str) -> dict[str, Any]:
        return {"type": "update_page", "id": "page", "document": {"markdown": markdown}}

    more = "".join(f"more {number}\n\n" for number in range(PARAGRAPHS // 2 - 2))
    theirs = space.change_request(writes(f"first\n\nmiddle\n\n{half}{more}"))
    space.merge(writes(f"first\n\nother 1\n\nother 2\n\nother 3\n\nother 4\n\nother 5\n\nmiddle\n\n{half}"))
    for way in ("merge", "update"):
        answer = space.api.post(f"{theirs}/{way}")
        assert answer.status == 400 and SAYS in answer.text, answer.text
        assert answer.json["error"]["message"].startswith("Together they exceed a limit: `Page` has 100,")


def test_no_description_has_a_larger_one(space: Space) -> None:
    block = {**paragraph("a"), "data": {"much": [[]] * MAX_DOCUMENT_PARTS}}
    document = {"object": "document", "data": {}, "nodes": [block]}
    answer = space.api.call("PATCH", space.change_request(), {"description": document})
    assert answer.status == 400 and SAYS in answer.text, answer.text


def test_an_import_leaves_out_a_larger_one(space: Space) -> None:
    files: dict[str, str | bytes] = {"large.md": TOO_LARGE, "small.md": "# Small\n\nHere.", "most.md": LARGEST}
    ok(space.api.call("PATCH", space.path, {"editMode": "live"}))
    ended = sent(space, packed(files), "zip")
    assert ended["status"] == "completed" and len(ended["problems"]) == 1, ended
    assert ended["problems"][0].startswith("large.md is left out. Its document has ")
    assert ended["problems"][0].endswith(f"{SAYS}.")
    assert sorted(title for (title,) in space.outline()) == ["Most", "Small"]


SCRIPT = """
from runtime.sdk import Integration

integration = Integration()
source = integration.content_source("tickets")


@source.document
def document(props):
    leaf = {"object": "leaf", "text": "a", "marks": []}
    block = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    return {"document": {"object": "document", "data": {}, "nodes": [block] * props["blocks"]}}
"""


def test_no_source_computes_a_larger_one(alpha: Tenant) -> None:
    most = (MAX_DOCUMENT_PARTS - 3) // 6
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    assert len(ok(ask(one, "document", {"blocks": most}))["nodes"]) == most
    answer = ask(one, "document", {"blocks": most + 1})
    assert answer.status == 502 and SAYS in answer.text, answer.text
    answer = ask(one, "document", {"blocks": MAX_PARTS // 6 + 1})
    assert answer.status == 502 and "has more than 200,000 JSON objects and arrays" in answer.text, answer.text


def test_a_body_of_too_many_parts_is_refused(space: Space) -> None:
    body = json.dumps({"changes": [], "more": [[]] * MAX_PARTS})
    made = ok(space.api.post(f"{space.path}/change-requests", {}), 201)["id"]
    headers = {"Content-Type": "application/json"}
    path = f"{space.path}/change-requests/{made}/content"
    answer = space.api.call("POST", path, data=body, headers=headers)
    assert answer.status == 413 and "more than 200,000 JSON objects and arrays, or" in answer.text
