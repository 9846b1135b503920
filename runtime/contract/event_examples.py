"""A realistic payload for every type of event, without its ids; what is for one integration only is put in later."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

VISITOR = {
    "anonymousId": "7b6a1c90-52a4-4d43-9a6e-0f6f6a2d7f11",
    "cookies": {"__gitbook_cookie_granted": "yes"},
    "userAgent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
    "ip": "203.0.113.7",
    "language": "en",
}
EVENTS: dict[str, dict[str, Any]] = {
    "installation_setup": {
        "status": "active",
        "previous": {"status": "pending", "configuration": {}},
    },
    "installation_deleted": {"previous": {"configuration": {}}},
    "space_installation_setup": {"status": "active", "previous": {"status": "pending", "configuration": {}}},
    "space_installation_deleted": {"previous": {"configuration": {}}},
    "site_installation_setup": {"status": "active", "previous": {"status": "pending", "configuration": {}}},
    "site_installation_deleted": {"previous": {"configuration": {}}},
    "site_view": {
        "visitor": VISITOR,
        "url": "https://docs.example.com/getting-started",
        "referrer": "https://www.example.com/",
        "pageId": "kV2n8sQfJ0bXyT4LrE6w",
    },
    "page_feedback": {
        "feedback": {"rating": "good", "comment": "Clear and short."},
        "visitor": VISITOR,
        "url": "https://docs.example.com/getting-started",
        "referrer": "",
        "pageId": "kV2n8sQfJ0bXyT4LrE6w",
    },
    "space_content_updated": {
        "revisionId": "Zt3XqLm9Pw0aHs5RcVd2",
        "updatedBy": [
            {
                "object": "user",
                "id": "Hq4TzUe8Jm1oWc6YbNs3",
                "displayName": "Ada Lovelace",
                "urls": {"location": "https://docs.example.com/v1/users/Hq4TzUe8Jm1oWc6YbNs3"},
            }
        ],
    },
    "space_gitsync_started": {
        "revisionId": "Zt3XqLm9Pw0aHs5RcVd2",
        "commitId": "3f1c9a0e5b7d2846c1f09e8ab34d57120c6f9e81",
    },
    "space_gitsync_completed": {
        "state": "success",
        "revisionId": "Zt3XqLm9Pw0aHs5RcVd2",
        "commitId": "3f1c9a0e5b7d2846c1f09e8ab34d57120c6f9e81",
    },
    "space_visibility_updated": {"previousVisibility": "private", "visibility": "public"},
    "fetch": {
        "request": {
            "method": "post",
            "url": "/",
            "headers": {"content-type": "application/json", "user-agent": "devkit"},
        },
    },
    "fetch_published_script": {},
    "fetch_visitor_authentication": {
        "location": "/getting-started",
        "searchParams": {"theme": "dark"},
        "cookies": {"session": "5f0d2c7a"},
    },
    "ui_render": {
        "componentId": "block",
        "props": {},
        "context": {"type": "document", "editable": True, "theme": "light"},
    },
    "content_compute_revision": {"sourceId": "source", "props": {}, "dependencies": {}},
    "content_compute_document": {"sourceId": "source", "props": {"path": "getting-started"}, "dependencies": {}},
    "task": {"task": {"type": "example", "attempt": 1}},
}
"""Type -> payload; a `fetch` by its path, relative to the endpoint."""
REQUEST_BODY = b'{"id": "evt_1Q2w3E4r5T6y", "type": "ping", "data": {"message": "Hello from devkit."}}'
"""What a `fetch` carries where nobody says anything else."""
PER_INTEGRATION = {
    "ui_render": "componentId",
    "content_compute_revision": "sourceId",
    "content_compute_document": "sourceId",
}
"""Type -> the field that names a block or a content source of the integration it is sent to."""


def suited(event: str, integration: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fresh payload for an integration: with its first block or content source where the type needs one."""
    event_payload = payload(event)
    field = PER_INTEGRATION.get(event)
    offered = integration.get("blocks" if field == "componentId" else "contentSources") or []
    return event_payload | ({field: offered[0]["id"]} if field and offered else {})


def payload(event: str) -> dict[str, Any]:
    """Return a fresh payload of an event type."""
    return {"type": event} | copy.deepcopy(EVENTS[event])
