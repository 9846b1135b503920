"""What of an event is left for a reader who may not read the installation it was for.

The owner of an integration sees that events happened to other organizations, of which kind, where and how they ended:
not what those organizations configured, wrote, or were visited by. What is not named here is left out, so that a new
field of an event is hidden until somebody decides otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote_plus

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
MAX_PARTS = 1000
"""Parameters of a form or an address, and cookies, that are looked at one by one."""
FEW = 50
"""So many words are looked for one by one."""
FREE = ("state", "props", "dependencies", "searchParams", "cookies", "visitor")
"""Fields whose inner names the contract does not decide."""
OWN = ("installation", "spaceInstallation", "siteInstallation")
"""Properties of a render of a configuration."""
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
    for item in _inside(value):
        if not isinstance(item, (dict, list)) and (text := _written(item)) is not None:
            yield text


def pieces_of(payload: Mapping[str, Any], body: str | None) -> set[str]:
    """Return what a script may have logged of an event and the body of its request: also what it reads out of texts.

    That is fields of JSON and of forms, parameters of addresses and cookies, and the names that others chose for these.
    """
    pieces = {*texts_of(payload), *([body] if body else [])}
    for name, value in payload.items():
        if name in FREE:
            # What a configuration calls its values is in the manifest, which the integration's owner wrote.
            chosen = {key: one for key, one in value.items() if key not in OWN} if isinstance(value, dict) else value
            pieces.update(_names_in(chosen))
    texts = [body, *(item for item in _inside(payload) if isinstance(item, str))]
    for text in texts:
        pieces.update(_parsed(text) if text else ())
    return {piece for piece in pieces if len(piece) >= SHORTEST}


def _inside(value: Any) -> Iterator[Any]:
    """Walk through a JSON value, however deep it is."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        yield item
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _written(value: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) >= SHORTEST else None


def _names_in(value: Any) -> Iterator[str]:
    for item in _inside(value):
        if isinstance(item, dict):
            yield from item


def _parsed(text: str) -> Iterator[str]:
    """Yield what is in a text that is JSON, a form, cookies, or an address with parameters."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        yield from texts_of(value)
        yield from _names_in(value)
    elif "=" in text:
        query = text.partition("?")[2].partition("#")[0] if "://" in text else text
        for part in re.split("[&;]", query)[:MAX_PARTS]:
            for side in part.split("=", 1):
                yield side.strip()
                yield unquote_plus(side.strip())


def found_in(words: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return those of many words, of `SHORTEST` characters or more, that are in some texts, the longest first."""
    whole, words = "\n".join(texts), set(words)
    if len(words) <= FEW:
        return sorted((word for word in words if word in whole), key=len, reverse=True)
    # What a word begins with is looked up, so that the time is that of reading both once.
    beginnings = {whole[place : place + SHORTEST] for place in range(len(whole) - SHORTEST + 1)}
    found = {word for word in words if word[:SHORTEST] in beginnings and word in whole}
    return sorted(found, key=len, reverse=True)


def withheld_trace(trace: dict[str, Any], private: set[str]) -> dict[str, Any]:
    """Return a trace without these texts, and without the queries of the addresses a script called."""
    words = found_in(private, (item for item in _inside(trace) if isinstance(item, str)))

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
