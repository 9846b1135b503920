"""Sources of computed content, asked over HTTP."""

from __future__ import annotations

from typing import Any

from tests.conftest import Answer, Installed

SOURCES = [{"id": "tickets", "title": "Tickets", "configuration": {"componentId": "c"}}]


def ask(one: Installed, what: str, props: Any = None, space: str | None = None, **more: Any) -> Answer:
    kind = more.pop("type", f"integration:{one.name}:tickets")
    body = {"source": {"type": kind, "props": props or {}, **more}, "seed": "seed"}
    return one.owner.api.post(f"/v1/spaces/{space or one.space}/content/computed/{what}", body)
