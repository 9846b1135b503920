"""A site that is built of sections, groups and spaces."""

from __future__ import annotations

from typing import Any

from tests.conftest import Answer, Tenant
from tests.scenarios.answers import ok


class Site:
    """A site that is built, with as many spaces as it needs."""

    def __init__(self, owner: Tenant, spaces: int = 1) -> None:
        self.owner, self.api = owner, owner.api
        body = {"title": "Handbook", "spaces": [self.space(f"Space {number}") for number in range(spaces)]}
        made = self.api.post(f"/v1/orgs/{owner.id}/sites", body)
        assert made.status == 201, made.text
        self.id: str = made.json["id"]
        self.path = f"/v1/orgs/{owner.id}/sites/{self.id}"

    def space(self, title: str = "A space") -> str:
        made: str = self.api.post(f"/v1/orgs/{self.owner.id}/spaces", {"title": title}).json["id"]
        return made

    def section(self, title: str = "Section", **more: Any) -> dict[str, Any]:
        return ok(self.api.post(f"{self.path}/sections", {"spaceId": self.space(title), "title": title, **more}), 201)

    def group(self, *sections: dict[str, Any], **more: Any) -> dict[str, Any]:
        body = {"title": "Group", "sections": [section["id"] for section in sections], **more}
        return ok(self.api.post(f"{self.path}/section-groups", body), 201)

    def sort(self, kind: str, item: dict[str, Any], **position: dict[str, Any]) -> Answer:
        pointers = {where: {"type": one["object"], "id": one["id"]} for where, one in position.items()}
        body = {"item": {"type": kind, "id": item["id"]}, "position": pointers}
        return self.api.call("PATCH", f"{self.path}/structure/sort", body)

    def outline(self) -> list[Any]:
        """Write the structure as titles, with groups as lists; the default section has a star."""
        found = ok(self.api.get(f"{self.path}/structure"))
        if found["type"] == "siteSpaces":
            return [part["title"] + "*" * part["default"] for part in found["structure"]]

        def shown(node: dict[str, Any]) -> Any:
            if node["object"] == "site-section-group":
                assert [one["id"] for one in node["children"] if one["object"] == "site-section"] == [
                    one["id"] for one in node["sections"]
                ]
                return [shown(child) for child in node["children"]]
            assert [part["default"] for part in node["siteSpaces"]].count(True) == 1
            return node["title"] + "*" * node["default"]

        return [shown(node) for node in found["structure"]]

    def sections(self) -> list[Any]:
        found: list[Any] = ok(self.api.get(f"{self.path}/sections"))["items"]
        return found
