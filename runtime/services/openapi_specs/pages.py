"""The outline of a specification -> pages, and what each of them says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.contract.computing import OPENAPI_SOURCE
from runtime.services.computed_pages import made_id
from runtime.services.documents import BRIEF
from runtime.services.markdown import nodes as make
from runtime.services.markdown.patience import TakesTooLong
from runtime.services.markdown.reading import document_of
from runtime.services.openapi_specs.outline import Outline

LONGEST_TITLE = 1000
LONGEST_DESCRIPTION = 300
LONGEST_MARKDOWN = 100_000
SCHEMAS = "Models"


def pages_of(outline: Outline, source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the pages of a source of the type `builtin:openapi`, as a script would: one for each tag.

    With `models` in its `props` there is one more with all schemas.
    """
    pages = [_page(tag["name"], {"doc": "operations", "page": tag["name"]}, source, tag) for tag in outline["tags"]]
    if _object(source.get("props")).get("models") is True and outline["schemas"]:
        pages.append(_page(SCHEMAS, {"doc": "models"}, source, {}))
    return pages


def document_in(outline: Outline, source: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the document of one of these pages; None where the specification has no such page."""
    props, ref = _object(source.get("props")), {"kind": "openapi", "spec": spec_of(source)}
    if props.get("doc") == "models":
        data = {"ref": ref, "grouped": True, "schemas": outline["schemas"]}
        return _document([make.block("openapi-schemas", data=data)])
    tag = next((tag for tag in outline["tags"] if tag["name"] == props.get("page")), None)
    if tag is None or props.get("doc") not in ("operations", "info"):
        return None
    if props["doc"] == "info":
        text = tag.get("description", "")[:LONGEST_MARKDOWN]
        try:
            return document_of(text, seconds=BRIEF)
        except TakesTooLong:  # the words of its author, as they stand
            return _document([make.paragraph([make.text(text)])])
    return _document([make.block("openapi-operation", data={**one, "ref": ref}) for one in tag["operations"]])


def spec_of(source: Mapping[str, Any]) -> str | None:
    """Return the slug of the specification that a source names; None for another source."""
    if source.get("type") != OPENAPI_SOURCE:
        return None
    ref = _object(_object(_object(source.get("dependencies")).get("spec")).get("ref"))
    slug = ref.get("spec")
    return slug if ref.get("kind") == "openapi" and isinstance(slug, str) else None


def _page(
    title: str, props: Mapping[str, Any], source: Mapping[str, Any], described: Mapping[str, Any]
) -> dict[str, Any]:
    page: dict[str, Any] = {"id": made_id(sorted(props.items())), "type": "document", "title": title[:LONGEST_TITLE]}
    description = " ".join(str(described.get("description", ""))[: 10 * LONGEST_DESCRIPTION].split())
    if description:
        page["description"] = description[:LONGEST_DESCRIPTION]
    spec = {"ref": {"kind": "openapi", "spec": spec_of(source)}}
    return {**page, "computed": {"type": OPENAPI_SOURCE, "props": dict(props), "dependencies": {"spec": spec}}}


def _document(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "document", "data": {}, "nodes": nodes}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
