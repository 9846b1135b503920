"""The change request that an import goes into, and merging it."""

from __future__ import annotations

from typing import Any

from devkit.hosts import response_shapes
from devkit.hosts.client import Client, part
from devkit.importing.packing import named
from devkit.terminal.output import Problem, shortened

NEW = "new"
LONGEST_SUBJECT = 100


def is_locked(client: Client, space: str) -> bool:
    """Return whether the content of a space changes by change requests alone."""
    return client.call("GET", f"/v1/spaces/{part(space)}", shape=response_shapes.SPACE).get("editMode") == "locked"


def opened(client: Client, space: str, what: str) -> dict[str, Any]:
    """Create a change request for an import."""
    path, subject = _all(space), _subject(what)
    return client.call("POST", path, {"subject": subject}, shape=response_shapes.CHANGE_REQUEST)


def given_up(client: Client, space: str, request: str) -> None:
    """Archive a change request that was made for an import that failed."""
    client.call("PATCH", path_of(space, request), {"status": "archived"})


def shown(client: Client, space: str, request: str) -> dict[str, Any]:
    """Get a change request."""
    return client.call("GET", path_of(space, request), shape=response_shapes.CHANGE_REQUEST)


def updated(client: Client, space: str, request: str) -> bool:
    """Bring what the space has now into a change request; False where both changed the same places."""
    done = client.call("POST", f"{path_of(space, request)}/update", shape=response_shapes.UPDATED)
    return bool(done["result"] == "update")


def merged(client: Client, space: str, request: dict[str, Any]) -> str:
    """Merge a change request, and return the revision that the space then has; raises Problem for conflicts."""
    done = client.call("POST", f"{path_of(space, request['id'])}/merge", shape=response_shapes.MERGED)
    if done["result"] == "merge":
        return str(done["revision"])
    conflicts = [str(one.get("message", "")) for one in done.get("conflicts") or ()]
    more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
    raise Problem(
        f"it was imported, but not merged, because the space was changed at the same places: "
        f"{shortened(conflicts[0]) if conflicts else 'there are conflicts'}{more}; look at {request['urls']['app']}"
    )


def _subject(what: str) -> str:
    return f"Import {named(_without_query(what))}"[:LONGEST_SUBJECT]


def _without_query(what: str) -> str:
    return what.partition("?")[0] if what.startswith(("http://", "https://")) else what


def _all(space: str) -> str:
    return f"/v1/spaces/{part(space)}/change-requests"


def path_of(space: str, request: str) -> str:
    """Address of a change request."""
    return f"{_all(space)}/{part(request)}"
