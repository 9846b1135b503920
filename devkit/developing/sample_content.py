"""Content of the sample space: documentation pages with the blocks of the integration."""

from __future__ import annotations

from typing import Any

from devkit.hosts.client import Client

WELCOME = """Pages like this one are what readers see. Change them over the API, or with a change request at `/app`.

## What is here

- [Every block of your integration](/pages/blocks), inside a page.
- Text with **marks**, `code`, [links](https://example.com/) and lists.

{% hint style="info" %}
Blocks are drawn by your script each time the page is read, and again when you save it.
{% endhint %}

```python
print("Hello from a page")
```

| Method | Path |
|---|---|
| GET | /v1/spaces |
| POST | /v1/integrations/NAME/render |
"""


def fill(client: Client, space_id: str, published: dict[str, Any]) -> None:
    """Write pages into a new space; raises Problem where the host does not take them."""
    path = f"/v1/spaces/{space_id}/change-requests"
    made = client.call("POST", path, {"subject": "Sample content"})
    changes = [
        {"type": "insert_page", "id": "welcome", "title": "About this space", "document": {"markdown": WELCOME}},
        {
            "type": "insert_page",
            "id": "blocks",
            "title": "Blocks in a page",
            "document": {"document": _blocks(published)},
        },
    ]
    client.call("POST", f"{path}/{made['id']}/content", {"changes": changes})
    client.call("POST", f"{path}/{made['id']}/merge")


def _blocks(published: dict[str, Any]) -> dict[str, Any]:
    nodes = [_paragraph("Text stands before a block, as it does in documentation.")]
    for block in published.get("blocks") or ():
        data = {"integration": published["name"], "block": block["id"], "props": {}}
        nodes.append(_block("heading-2", nodes=[_text(str(block.get("title") or block["id"]))], data={}))
        nodes.append({"object": "block", "type": "integration", "isVoid": True, "data": data})
        nodes.append(_paragraph("And text stands behind it."))
    return {"object": "document", "data": {}, "nodes": nodes}


def _paragraph(text: str) -> dict[str, Any]:
    return _block("paragraph", nodes=[_text(text)], data={})


def _block(kind: str, **more: Any) -> dict[str, Any]:
    return {"object": "block", "type": kind, **more}


def _text(text: str) -> dict[str, Any]:
    return {"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]}
