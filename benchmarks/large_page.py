"""`python -m benchmarks.large_page`: a tenant that reads the largest page there may be, again and again.

Reads where to go as JSON in one line of its standard input, says `ready`, and goes on until the process is killed.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import requests

PARAGRAPHS = 16_666
"""A document has at most 100,000 objects and lists: six for each of these paragraphs, and three."""
FORMS = ("document", "markdown")


def main(url: str, organization: str, token: str) -> None:
    """Write the page, and read it in each form in turn."""
    http = requests.Session()
    http.headers["Authorization"] = f"Bearer {token}"

    def call(method: str, path: str, body: Any = None) -> Any:
        answer = http.request(method, url + path, json=body, timeout=120)
        answer.raise_for_status()
        return answer.json()

    space = call("POST", f"/v1/orgs/{organization}/spaces", {"title": "Large"})["id"]
    request = f"/v1/spaces/{space}/change-requests/{call('POST', f'/v1/spaces/{space}/change-requests', {})['id']}"
    change = {"type": "insert_page", "page": "document", "id": "large", "title": "Large"}
    call("POST", f"{request}/content", {"changes": [{**change, "document": {"document": document()}}]})
    print("ready", flush=True)
    while True:
        for form in FORMS:
            call("GET", f"{request}/content/page/large?format={form}")


def document() -> dict[str, Any]:
    """Make the largest document of plain paragraphs."""
    leaf = {"object": "leaf", "text": "Words.", "marks": []}
    block = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    return {"object": "document", "data": {}, "nodes": [block] * PARAGRAPHS}


if __name__ == "__main__":
    main(**json.loads(sys.stdin.readline()))
