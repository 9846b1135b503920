"""Contents that include each other end soon, wherever a page is read."""

from __future__ import annotations

from typing import Any

from runtime.contract.document_sections import MAX_BLOCKS, sections_of
from runtime.contract.inclusions import MAX_INCLUSIONS, Inclusions
from runtime.services.html.writing import html_of
from runtime.services.markdown.writing import markdown_of
from tests.runtime.services.link_targets import Targets


def including(content_id: str, times: int) -> dict[str, Any]:
    ref = {"kind": "reusable-content", "reusableContent": content_id}
    block = {"object": "block", "type": "reusable-content", "isVoid": True, "data": {"ref": ref}}
    return {"object": "document", "data": {}, "nodes": [block] * times}


def test_what_includes_itself_many_times_is_read_once() -> None:
    asked: list[str] = []

    def included(content_id: str) -> dict[str, Any]:
        asked.append(content_id)
        return including(content_id, 60)

    assert sections_of(including("a", 60), included) == []
    assert len(asked) <= MAX_INCLUSIONS


def test_what_includes_each_other_in_a_chain_ends() -> None:
    asked: list[str] = []

    def included(content_id: str) -> dict[str, Any]:
        asked.append(content_id)
        return including(str(int(content_id) + 1), 60)

    assert sections_of(including("0", 60), included) == []
    assert len(asked) <= MAX_INCLUSIONS


def test_many_blocks_without_a_text_end() -> None:
    empty = [{"object": "block", "type": "divider", "isVoid": True, "data": {}}] * (MAX_BLOCKS + 10)
    paragraph = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [{"text": "late"}]}]}
    assert sections_of({"nodes": [*empty, paragraph]}) == []


def test_only_what_fits_is_kept() -> None:
    inclusions = Inclusions()
    assert inclusions.fits("x" * 3_000_000) and not inclusions.fits("x" * 3_000_000)


def table(cells: int, text: str) -> dict[str, Any]:
    """A table whose cells all name one fragment."""
    leaf = {"object": "leaf", "text": text, "marks": []}
    paragraph = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    fragment = {"object": "fragment", "fragment": "f", "type": "f", "nodes": [paragraph]}
    records = {str(one): {"orderIndex": f"{one:06}", "values": {"c": "f"}} for one in range(cells)}
    definition = {"c": {"id": "c", "type": "text", "title": "C", "textAlignment": "left"}}
    data = {"view": {"type": "grid", "columns": ["c"]}, "records": records, "definition": definition}
    block = {"object": "block", "type": "table", "isVoid": True, "data": data, "fragments": [fragment]}
    return {"object": "document", "data": {}, "nodes": [block]}


def test_a_text_that_many_cells_name_is_written_once() -> None:
    document = table(500, "long" * 10_000)
    assert len(markdown_of(document)) < 100_000
    assert len(html_of(document, Targets())) < 100_000


def test_cells_that_say_the_same_say_it_all() -> None:
    document = table(3, "x")
    for record in document["nodes"][0]["data"]["records"].values():
        record["values"]["c"] = "yes"
    assert markdown_of(document).count("yes") == 3
    assert html_of(document, Targets()).count("yes") == 3
