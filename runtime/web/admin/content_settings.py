"""Settings, position and deletion of a collection or a space, on the same kind of page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract.organizations import reaches
from runtime.contract.spaces import RESTORABLE_DAYS
from runtime.store import rows
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.spaces import SpaceRow
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.content_tree import Tree, tree_of
from runtime.web.admin.forms import NOTHING_REFUSED, Question, Refused, add_question, attempt, role_of
from runtime.web.admin.organizations import organization_around
from runtime.web.admin.paging import every
from runtime.web.admin.places import not_deleted


@dataclass(frozen=True, slots=True)
class ContentKind:
    """A kind of content: its word, and the operations on it."""

    word: str
    get: str
    update: str
    move: str
    delete: str
    deletion: str

    def place(self, one: str) -> str:
        """Return the page of one."""
        return f"{PATH}/{self.word}s/{one}"

    def path(self, one: str) -> dict[str, str]:
        """Return the path parameter that names one."""
        return {f"{self.word}Id": one}


COLLECTION = ContentKind(
    "collection",
    "getCollectionById",
    "updateCollectionById",
    "moveCollection",
    "deleteCollectionById",
    f"All collections and spaces inside it are deleted, too. The spaces can be restored within {RESTORABLE_DAYS} days, "
    "the collections cannot.",
)
SPACE = ContentKind(
    "space",
    "getSpaceById",
    "updateSpaceById",
    "moveSpace",
    "deleteSpaceById",
    "It is removed from its sites, and integrations are uninstalled from it. It can be restored within "
    f"{RESTORABLE_DAYS} days.",
)
KINDS = (COLLECTION, SPACE)


def mount_content_settings(app: Flask, host: Host) -> None:
    """Add the pages."""
    for kind in KINDS:
        rule = f"{PATH}/{kind.word}s/<one>"
        add_page(app, host, rule, partial(_show, kind), "GET")
        add_page(app, host, rule, partial(_save, kind), "POST")
        add_page(app, host, f"{rule}/move", partial(_move, kind), "POST")
        add_page(app, host, f"{rule}/<any(up, down):direction>", partial(_step, kind), "POST")
        add_question(app, host, f"{rule}/delete", partial(_ask, kind), partial(_delete, kind))
    add_page(app, host, f"{PATH}/spaces/<one>/duplicate", _duplicate, "POST")


def _show(kind: ContentKind, visit: OperatorVisit, one: str, refused: Refused = NOTHING_REFUSED) -> Response:
    shown = not_deleted(visit.do(kind.get, kind.path(one)))
    organization = organization_around(visit, shown)
    tree = tree_of(visit, shown["organization"]) if organization else _alone(kind, visit, shown)
    beside = [each["id"] for each in tree.beside(shown)]
    return visit.page(
        "content_settings",
        refused.status,
        organization=organization,
        here="content",
        kind=kind,
        one=shown,
        inside=tree.below.get(one, []) if kind is COLLECTION else [],
        ancestors=tree.ancestors_of(shown),
        tree=tree,
        places=tree.places_for(shown),
        standing=(beside.index(one) if one in beside else 0, len(beside)),
        may=_may(kind, visit, shown, tree, organization),
        refused=refused,
    )


def _may(
    kind: ContentKind, visit: OperatorVisit, shown: dict[str, Any], tree: Tree, organization: dict[str, Any]
) -> dict[str, bool]:
    """Return what of a page who is signed in may use."""
    place = shown.get("parent")
    around = tree.collections.get(place, {}) if place else organization
    may_add = around.get("permissions", {}).get("create" if place else "createContent", False)
    with visit.host.database.transaction(writes=False) as session:
        # `permissions` tells no level between `review` and `admin` on spaces, nor what guests may do in collections.
        table = CollectionRow if kind is COLLECTION else SpaceRow
        found = rows.find_with_level(session, visit.person().reach, table, id=shown["id"])
    change = found is not None and reaches(found[1], "create")
    return {"change": change, "admin": shown["permissions"]["admin"], "duplicate": may_add}


def _alone(kind: ContentKind, visit: OperatorVisit, shown: dict[str, Any]) -> Tree:
    """Return what a guest sees around something: itself, and the spaces in a collection."""
    inside: list[dict[str, Any]] = []
    if kind is COLLECTION:
        inside = list(every(visit, "listSpacesInCollectionById", kind.path(shown["id"])))
    return Tree({shown["id"]: inside}, {}, True)


def _save(kind: ContentKind, visit: OperatorVisit, one: str) -> Response:
    form = visit.form
    body: dict[str, Any] = {"title": form.get("title", "").strip()}
    if kind is COLLECTION:
        body["description"] = form.get("description", "")
    if kind is SPACE and "editMode" in form:
        body["editMode"] = form["editMode"]
    if "defaultLevel" in form:
        body["defaultLevel"] = role_of(form["defaultLevel"])
    return _after(kind, visit, one, "settings", kind.update, body)


def _move(kind: ContentKind, visit: OperatorVisit, one: str) -> Response:
    return _after(kind, visit, one, "move", kind.move, {"parent": visit.form.get("parent") or None})


def _step(kind: ContentKind, visit: OperatorVisit, one: str, direction: str) -> Response:
    """Put something one place up or down among what who is signed in sees there."""
    shown = not_deleted(visit.do(kind.get, kind.path(one)))
    tree = tree_of(visit, shown["organization"]) if organization_around(visit, shown) else _alone(kind, visit, shown)
    beside = tree.beside(shown)
    index = next((place for place, each in enumerate(beside) if each["id"] == one), 0)
    other = index - 1 if direction == "up" else index + 1
    if not 0 <= other < len(beside):
        return visit.to(kind.place(one))
    pointer = {"type": beside[other]["object"], beside[other]["object"]: beside[other]["id"]}
    side = "before" if direction == "up" else "after"
    # The keyboard stays on the button that was pressed, unless there is only the other one any more.
    at_end = {0: "down", len(beside) - 1: "up"}.get(other, direction)
    return _after(kind, visit, one, "step", kind.move, {"position": {side: pointer}}, focus=f"#move-{at_end}")


def _after(
    kind: ContentKind, visit: OperatorVisit, one: str, form: str, operation: str, body: dict[str, Any], focus: str = ""
) -> Response:
    refused = attempt(visit, form, lambda: visit.do(operation, kind.path(one), body=body))
    return _show(kind, visit, one, refused) if refused.form else visit.to(kind.place(one) + focus)


def _duplicate(visit: OperatorVisit, one: str) -> Response:
    made: dict[str, Any] = {}
    refused = attempt(visit, "duplicate", lambda: made.update(visit.do("duplicateSpace", SPACE.path(one))))
    return _show(SPACE, visit, one, refused) if refused.form else visit.to(SPACE.place(made["id"]))


def _ask(kind: ContentKind, visit: OperatorVisit, one: str) -> Question:
    shown = not_deleted(visit.do(kind.get, kind.path(one)))
    found = organization_around(visit, shown)
    title = f"Delete the {kind.word} {shown['title']}?"
    return Question(title, kind.deletion, f"Delete {kind.word}", kind.place(one), found, "content")


def _delete(kind: ContentKind, visit: OperatorVisit, one: str) -> str:
    shown = not_deleted(visit.do(kind.get, kind.path(one)))
    visit.do(kind.delete, kind.path(one))
    return f"{PATH}/orgs/{shown['organization']}/content" if organization_around(visit, shown) else PATH
