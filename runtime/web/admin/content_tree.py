"""The content tree of an organization, as the signed-in person sees it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from runtime.store import structure
from runtime.web.admin.browser import OperatorVisit
from runtime.web.admin.paging import every
from runtime.web.admin.places import titles_of, told_apart

LARGEST_PAGE = 1000
MAX_PAGES = 10
"""Pages of collections and of spaces that a tree shows; what is beyond is found over the API."""


@dataclass(frozen=True, slots=True)
class Tree:
    """All content in its order: `below` holds by the id of a collection, or nothing for the top, what is in it."""

    below: dict[str, list[dict[str, Any]]]
    collections: dict[str, dict[str, Any]]
    is_whole: bool

    def beside(self, one: dict[str, Any]) -> list[dict[str, Any]]:
        """List what is in the same place as something, and itself."""
        found = self.below.get(self.place_of(one), [])
        return [each for each in found if each.get("parent") == one.get("parent")]

    def place_of(self, one: dict[str, Any]) -> str:
        """Return the collection that something is in; nothing for the top, and for one that is not to be seen."""
        parent = one.get("parent", "")
        return parent if parent in self.collections else ""

    def ancestors_of(self, one: dict[str, Any]) -> list[dict[str, Any]]:
        """List the collections above something, the highest first."""
        above: list[dict[str, Any]] = []
        seen: set[str] = set()
        place = self.place_of(one)
        while place and place not in seen:
            seen.add(place)
            above.insert(0, self.collections[place])
            place = self.place_of(self.collections[place])
        return above

    def places_for(self, one: dict[str, Any]) -> list[tuple[str, str]]:
        """List the collections that something may move into, each with its whole way: id and title."""
        found: list[tuple[str, str]] = []
        waiting = [(each, "") for each in reversed(self.below.get("", []))]
        while waiting:
            each, way = waiting.pop()
            if each["object"] != "collection" or each["id"] == one["id"]:
                continue
            title = f"{way} / {each['title']}" if way else each["title"]
            if each["permissions"]["create"] or each["id"] == one.get("parent"):
                found.append((each["id"], title))
            waiting += [(inner, title) for inner in reversed(self.below.get(each["id"], []))]
        return told_apart(found)


def spaces_to_choose(visit: OperatorVisit, organization: str) -> list[tuple[str, str]]:
    """List all spaces of an organization, by id and title; those of equal titles by the collections they are in."""
    spaces = [*every(visit, "listSpacesInOrganizationById", {"organizationId": organization})]
    times = Counter(one["title"] for one in spaces)
    equal = [one for one in spaces if times[one["title"]] > 1]
    if not equal:
        return titles_of(spaces)
    collections, _ = _every(visit, "listCollectionsInOrganizationById", organization)
    tree = Tree({}, {one["id"]: one for one in collections}, True)
    ways = {
        one["id"]: " / ".join([*(above["title"] for above in tree.ancestors_of(one)), one["title"] or "Untitled"])
        for one in equal
    }
    return told_apart([(one["id"], ways.get(one["id"]) or one["title"] or "Untitled") for one in spaces])


def tree_of(visit: OperatorVisit, organization: str) -> Tree:
    """Return the tree of an organization."""
    collections, all_of_them = _every(visit, "listCollectionsInOrganizationById", organization)
    spaces, all_spaces = _every(visit, "listSpacesInOrganizationById", organization)
    with visit.host.database.transaction(writes=False) as session:
        keys = structure.positions(session, organization)
    by_id = {one["id"]: one for one in collections}
    tree = Tree({}, by_id, all_of_them and all_spaces)
    for one in sorted([*collections, *spaces], key=lambda one: keys.get(one["id"], (0, one["id"]))):
        tree.below.setdefault(tree.place_of(one), []).append(one)
    return tree


def _every(visit: OperatorVisit, operation: str, organization: str) -> tuple[list[dict[str, Any]], bool]:
    found: list[dict[str, Any]] = []
    query = {"limit": str(LARGEST_PAGE)}
    for _ in range(MAX_PAGES):
        answer = visit.do(operation, {"organizationId": organization}, query=query)
        found += answer["items"]
        if "next" not in answer:
            return found, True
        query["page"] = answer["next"]["page"]
    return found, False
