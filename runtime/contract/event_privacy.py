"""What of an event is left for a reader who may not read the installation it was for.

The owner of an integration sees that events happened to other organizations, of which kind, where and how they ended:
not what those organizations configured, wrote, or were visited by. What is not named here is left out, so that a new
field of an event is hidden until somebody decides otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

SHOWN = frozenset(
    (
        "eventId",
        "type",
        "installationId",
        "spaceId",
        "siteId",
        "siteSpaceId",
        "pageId",
        "status",
        "state",
        "revisionId",
        "commitId",
        "previousVisibility",
        "visibility",
        "componentId",
        "sourceId",
    )
)
"""Ids and words of the contract; shown where they are texts: the `state` of a render is an object."""
SHORTEST = 6
"""Texts shorter than this are too common to be taken out of what a script logged."""
MASK = "[withheld]"
WORDS = frozenset(("level", "timestamp", "kind", "limit", "method"))
"""Fields of traces that hold words of the host."""


def _empty(value: Any) -> Any:
    """Return the empty value of the same kind, so that an event keeps its shape."""
    return type(value)() if isinstance(value, (dict, list, str)) else None


def _only(*names: str) -> Callable[[Any], Any]:
    """Keep texts of these names of an object, and empty what stands beside them."""

    def of(value: Any) -> Any:
        if not isinstance(value, dict):
            return _empty(value)
        return {
            name: value_ if name in names and isinstance(value_, (str, bool)) else _empty(value_)
            for name, value_ in value.items()
        }

    return of


def _request(value: Any) -> Any:
    """Keep of a request which of the script's own routes it was for."""
    if not isinstance(value, dict):
        return _empty(value)
    return {"method": value.get("method", ""), "url": without_query(str(value.get("url", ""))), "headers": {}}


CUT: dict[str, Callable[[Any], Any]] = {
    "previous": _only("status"),
    "context": _only("type", "organizationId", "spaceId", "siteId", "editable", "theme"),
    "action": _only("action"),
    "feedback": _only("rating"),
    "request": _request,
    **dict.fromkeys(("visitor", "violation"), _only()),
    **dict.fromkeys(("state", "props", "dependencies", "url", "referrer", "location", "updatedBy"), _empty),
    **dict.fromkeys(("searchParams", "cookies"), _empty),
}
"""Field -> what is left of it."""


def without_query(url: str) -> str:
    """Return an address without what stands behind its path."""
    return url.partition("?")[0].partition("#")[0]


def withheld_payload(payload: dict[str, Any]) -> dict[str, Any]:
    """Return an event without what belongs to the installation it was for."""
    remaining: dict[str, Any] = {}
    for name, value in payload.items():
        if name in SHOWN and isinstance(value, str):
            remaining[name] = value
        elif name in CUT:
            remaining[name] = CUT[name](value)
    return remaining


def texts_of(value: Any) -> Iterator[str]:
    """Yield the texts and long numbers inside a JSON value that would tell something where they were logged."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, (str, int)) and len(str(item)) >= SHORTEST:
            yield str(item)


def withheld_trace(trace: dict[str, Any], private: set[str]) -> dict[str, Any]:
    """Return a trace without these texts, and without the queries of the addresses a script called."""
    words = sorted(private, key=len, reverse=True)

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: subrequest if name in WORDS else clean(subrequest) for name, subrequest in value.items()}
        if isinstance(value, list):
            return [clean(subrequest) for subrequest in value]
        if isinstance(value, str):
            for word in words:
                value = value.replace(word, MASK)
        return value

    subrequests = [
        {**subrequest, "url": without_query(subrequest["url"])} for subrequest in trace.get("subrequests", ())
    ]
    cleaned: dict[str, Any] = clean({**trace, **({"subrequests": subrequests} if "subrequests" in trace else {})})
    return cleaned
