"""A space whose content is changed and read over HTTP."""

from __future__ import annotations

from typing import Any

from tests.conftest import Tenant
from tests.scenarios.answers import ok


class Space:
    """A new space of a tenant, with what tests do to its content."""

    def __init__(self, owner: Tenant) -> None:
        self.api = owner.api
        self.id = ok(owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Content"}), 201)["id"]
        self.path = f"/v1/spaces/{self.id}"

    def change_request(self, *changes: dict[str, Any]) -> str:
        """Begin a change request, with changes; returns its path."""
        made = ok(self.api.post(f"{self.path}/change-requests", {"subject": "Change"}), 201)["id"]
        path = f"{self.path}/change-requests/{made}"
        if changes:
            ok(self.api.post(f"{path}/content", {"changes": list(changes)}))
        return path

    def merge(self, *changes: dict[str, Any]) -> dict[str, Any]:
        """Change the content."""
        merged: dict[str, Any] = ok(self.api.post(f"{self.change_request(*changes)}/merge"))
        assert merged["result"] == "merge"
        return merged

    def markdown(self, path: str, **query: str) -> str:
        """Read a page by its path."""
        return str(ok(self.api.get(f"{self.path}/content/path/{path}", format="markdown", **query))["markdown"])

    def outline(self) -> list[Any]:
        """Write the tree of pages as titles."""

        def shown(pages: list[dict[str, Any]]) -> list[Any]:
            return [[page["title"], *shown(page.get("pages", []))] for page in pages]

        return shown(ok(self.api.get(f"{self.path}/content/pages"))["pages"])


def page(title: str, markdown: str | None = None, **fields: Any) -> dict[str, Any]:
    written = {"document": {"markdown": markdown}} if markdown is not None else {}
    return {"type": "insert_page", "title": title, **written, **fields}


def update(markdown: str, page_id: str = "page", **fields: Any) -> dict[str, Any]:
    return {"type": "update_page", "id": page_id, "document": {"markdown": markdown}, **fields}
