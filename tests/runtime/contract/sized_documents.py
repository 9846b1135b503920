"""Documents of a given number of objects and arrays."""

from __future__ import annotations

from typing import Any


def document_with(parts: int, text: str = "a") -> dict[str, Any]:
    """Make a document of so many objects and arrays: itself, its data, its blocks, then marks and more blocks."""
    whole, marks = divmod(parts - 3, 6)
    nodes = [paragraph(text) for _ in range(whole)]
    nodes[-1]["nodes"][0]["leaves"][0]["marks"] = [{"object": "mark", "type": "bold"} for _ in range(marks)]
    return {"object": "document", "data": {}, "nodes": nodes}


def paragraph(text: str) -> dict[str, Any]:
    """Make a block of six objects and arrays."""
    leaf = {"object": "leaf", "text": text, "marks": []}
    return {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
