"""What one does with spaces and collections, and the level it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from runtime.contract.organizations import Role
from tests.conftest import Answer, Api, Tenant
from tests.scenarios.people import collection, space


@dataclass
class Place:
    """A collection in a collection, with a space in it."""

    outer: str
    collection: str
    space: str


@dataclass(frozen=True)
class Deed:
    """What one does: the level it needs, what `permissions` calls it, and the request, which changes nothing."""

    name: str
    needs: Role
    promise: tuple[str, str] | None
    send: Callable[[Api, Place, Tenant], Answer]
    done: tuple[int, ...] = (200, 204, 205)
    guests: bool = True
    unseen: int = 404


def _at(kind: str, path: str, method: str = "GET", body: Any = None) -> Callable[[Api, Place, Tenant], Answer]:
    def sent(api: Api, place: Place, owner: Tenant) -> Answer:
        return api.call(method, f"/v1/{kind}s/{getattr(place, kind)}{path}", body)

    return sent


def _made(kind: str) -> Callable[[Api, Place, Tenant], Answer]:
    def sent(api: Api, place: Place, owner: Tenant) -> Answer:
        return api.post(f"/v1/orgs/{owner.id}/{kind}s", {"parent": place.collection, "title": "Made"})

    return sent


def _given_up(kind: str) -> Callable[[Api, Place, Tenant], Answer]:
    """Ask for a transfer that would change nothing: who may gets 409, the others 403 or 404."""

    def sent(api: Api, place: Place, owner: Tenant) -> Answer:
        return api.post(f"/v1/{kind}s/{getattr(place, kind)}/transfer", {"organization": owner.id})

    return sent


def _deleted(kind: str) -> Callable[[Api, Place, Tenant], Answer]:
    """Delete something new, on which everybody has what they have on the collection it is in."""

    def sent(api: Api, place: Place, owner: Tenant) -> Answer:
        made = (space if kind == "space" else collection)(owner, place.collection)
        return api.call("DELETE", f"/v1/{kind}s/{made}")

    return sent


def _deeds(kind: str) -> Iterator[Deed]:
    nobody = {"role": None, "users": []}
    yield Deed(f"view {kind}", "read", (kind, "view"), _at(kind, ""))
    yield Deed(f"change {kind}", "create", None, _at(kind, "", "PATCH", {"title": "Same"}))
    yield Deed(f"open {kind}", "admin", (kind, "admin"), _at(kind, "", "PATCH", {"defaultLevel": "inherit"}))
    yield Deed(f"move {kind}", "create", None, _at(kind, "/move", "POST", {"position": {}}), done=(400,))
    yield Deed(f"invite to {kind}", "admin", (kind, "admin"), _at(kind, "/permissions", "POST", nobody), done=(400,))
    for part in ("users", "teams", "aggregate"):
        yield Deed(f"list {part} of {kind}", "admin", (kind, "admin"), _at(kind, f"/permissions/{part}"))
    for part in ("users", "teams"):
        gone = f"/permissions/{part}/nobody"
        yield Deed(f"remove {part} of {kind}", "admin", (kind, "admin"), _at(kind, gone, "DELETE"))
    yield Deed(f"give away {kind}", "admin", (kind, "admin"), _given_up(kind), done=(409,))
    yield Deed(f"delete {kind}", "admin", (kind, "admin"), _deleted(kind), done=(205,), unseen=204)


NOWHERE = {"url": "http://127.0.0.1:1/a.git", "ref": "refs/heads/main", "commitMessage": "Publish"}
DEEDS = [
    *_deeds("space"),
    *_deeds("collection"),
    Deed("list spaces", "read", ("collection", "view"), _at("collection", "/spaces")),
    Deed("make a space", "create", ("collection", "create"), _made("space"), done=(201,), guests=False),
    Deed("make a collection", "create", ("collection", "create"), _made("collection"), done=(201,), guests=False),
    Deed("restore", "admin", ("space", "admin"), _at("space", "/restore", "POST"), done=(409,)),
    Deed("copy", "create", ("collection", "create"), _at("space", "/duplicate", "POST"), done=(201,), guests=False),
    Deed("comment", "comment", ("space", "comment"), _at("space", "/comments", "POST", {"body": {"markdown": "Hi."}})),
    Deed("list integrations", "read", ("space", "view"), _at("space", "/integrations")),
    Deed("import", "admin", ("space", "triggerGitSync"), _at("space", "/git/import", "POST", NOWHERE), done=(204,)),
    Deed("export", "admin", ("space", "triggerGitSync"), _at("space", "/git/export", "POST", NOWHERE), done=(204,)),
]
