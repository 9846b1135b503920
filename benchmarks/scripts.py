"""The component that both sides draw, in this host's language, and the events both get."""

from __future__ import annotations

import json
from typing import Any

SCOPES = ["space:content:read"]
COUNTER = """
from runtime.sdk import Integration, ui

integration = Integration()


@integration.component("counter", state={"count": 0})
def counter(element):
    return ui.block(ui.text(f"Clicked {element.state['count']} times"), ui.button("Click me", on_press="increment"))


@counter.action("increment")
def increment(element):
    return ui.update(state={"count": element.state["count"] + 1})


@integration.component("cached", state={"count": 0})
def cached(element):
    element.set_cache(3600)
    return ui.block(ui.text(f"Clicked {element.state['count']} times"), ui.button("Click me", on_press="increment"))


@integration.on("space_content_updated")
def updated(event):
    pass
"""
"""The peer's is `peer/counter.tsx`; events and the cached component have no counterpart there."""

BOUNDARY = "benchmark"


def render_body(space: str, component: str = "counter") -> dict[str, Any]:
    """Give the body of a render request to the host."""
    context = {"type": "document", "spaceId": space, "editable": False, "theme": "light"}
    return {"componentId": component, "props": {}, "context": context}


def peer_body() -> bytes:
    """Give the same render as the host would send it to a script: multipart, with an environment of the usual size."""
    event = {"eventId": "e" * 20, "type": "ui_render", "installationId": "i" * 20, "spaceId": "s" * 20}
    event |= render_body("s" * 20)
    at = "https://platform.example/v1/integrations/counter"
    urls = {"location": at, "publicEndpoint": f"{at}/fetch"}
    environment = {
        "apiEndpoint": "https://platform.example",
        "apiTokens": {"integration": "t" * 220, "installation": "t" * 320},
        "authToken": "t" * 320,
        "integration": {
            "object": "integration",
            "name": "counter",
            "version": 1,
            "title": "Counter",
            "scopes": ["space:content:read"],
            "categories": [],
            "blocks": [{"id": "counter", "title": "Counter"}],
            "visibility": "private",
            "target": "all",
            "owner": {"object": "organization", "id": "o" * 20, "title": "Owner", "urls": urls},
            "urls": {**urls, "app": at, "assets": f"{at}/assets"},
        },
        "installation": {
            "id": "i" * 20,
            "status": "active",
            "configuration": {},
            "externalIds": [],
            "target": {"organization": "o" * 20},
            "urls": urls,
        },
        "spaceInstallation": {
            "integration": "counter",
            "installation": "i" * 20,
            "space": "s" * 20,
            "status": "active",
            "configuration": {},
            "externalIds": [],
            "urls": urls,
        },
        "secrets": {},
        "signingSecrets": {"integration": "x" * 43, "installation": "x" * 43, "spaceInstallation": "x" * 43},
    }
    parts = {"event": event, "environment": environment}
    text = "".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{json.dumps(value)}\r\n'
        for name, value in parts.items()
    )
    return f"{text}--{BOUNDARY}--\r\n".encode()
