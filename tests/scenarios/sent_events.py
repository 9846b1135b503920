"""Events that were sent to integrations, and what lists say of them."""

from __future__ import annotations

from typing import Any

from tests.conftest import (
    Installed,
    Tenant,
    wait_for,
)


def items(owner: Tenant, path: str, **query: Any) -> list[Any]:
    found: list[Any] = owner.api.get(path, limit=1000, **query).json["items"]
    return found


def told(owner: Tenant, path: str, kind: str) -> int:
    return len(items(owner, f"{path}/events", type=kind))


def send(one: Installed, count: int = 1, **event: Any) -> dict[str, Any]:
    event = {"type": "space_content_updated", "revisionId": "r", **event}
    sent = one.owner.api.post(f"{one.path}/events", {"event": event, "count": count})
    assert sent.status == 202, sent.text
    value: dict[str, Any] = sent.json
    return value


def delivered(one: Installed, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page: dict[str, str] = {}
    while True:
        answer = one.owner.api.get(f"{one.path}/events", limit=1000, type=kind, **page).json
        found += [item for item in answer["items"] if item["delivery"]["state"] == "delivered"]
        if "next" not in answer:
            return found
        page = {"page": answer["next"]["page"]}


def events(one: Installed, kind: str, count: int) -> list[dict[str, Any]]:
    def delivered() -> Any:
        items = one.owner.api.get(f"{one.path}/events", type=kind).json["items"]
        return len(items) >= count and items

    found: list[dict[str, Any]] = wait_for(delivered)
    return list(reversed(found))
