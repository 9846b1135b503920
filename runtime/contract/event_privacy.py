"""What of an event is left for a reader who may not read the installation it was for.

The owner of an integration sees that events happened to other organizations, of which kind, where and how they ended:
not what those organizations configured, wrote, or were visited by. What is not named here is left out, so that a new
field of an event is hidden until somebody decides otherwise.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
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
MAX_PIECES, DEEPEST = 50_000, 4
"""Texts and numbers of an event that are looked for in a log, and how often one text may be inside another."""
WORD = re.compile(r"[^\s<>\"'=&;,(){}\[\]]{6,}")
"""A word of a text that is neither JSON nor a form."""
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


def pieces_of(payload: Mapping[str, Any], body: str | None) -> set[str] | None:
    """Return what a script may have logged of an event and the body of its request: also what it reads out of texts.

    That is what is in JSON, forms, addresses and cookies, also inside each other, the names that others chose there,
    and the words of other texts with several lines or tags. None if these are too many to look for.
    """
    reader = _Reader()
    try:
        for name, value in payload.items():
            reader.read(value, names=False)
            if name in FREE:
                # What a configuration calls its values is in the manifest, which the integration's owner wrote.
                own = {key: one for key, one in value.items() if key not in OWN} if isinstance(value, dict) else value
                reader.read(own, names=True)
        if body:
            reader.take(body, whole=True)
    except _TooMany:
        return None
    return reader.pieces


class _TooMany(Exception):
    """There is more in an event than anybody looks for."""


class _Reader:
    """Collects the texts and numbers in an event that are long enough to tell something."""

    def __init__(self) -> None:
        self.pieces: set[str] = set()
        self._left = MAX_PIECES

    def read(self, value: Any, *, names: bool, depth: int = 0) -> None:
        """Take what is in a JSON value, with `names` also what its fields are called."""
        for item in _inside(value):
            if isinstance(item, dict):
                for name in item if names else ():
                    self._add(name)
            elif isinstance(item, str):
                self.take(item, depth=depth)
            elif not isinstance(item, list) and (written := _written(item)) is not None:
                self._add(written)

    def take(self, text: str, *, depth: int = 0, whole: bool = False) -> None:
        """Take a text and what is in it; `whole` for the body of a request, of which scripts read single words."""
        self._add(text)
        start = text.lstrip()[:1]
        if depth > DEEPEST or len(text) < SHORTEST:
            return
        if start in ("{", "[") or (whole and start == '"'):
            for line in [text] if _is_json(text) else text.splitlines():
                self._json(line, depth, whole)
        elif text[:6].lower() == "basic ":
            with suppress(ValueError):
                self.take(b64decode(text[6:], validate=False).decode("latin-1").replace(":", ";="), depth=depth + 1)
        elif "=" in text and "<" not in text and "\n" not in text.strip():
            self._form(text.partition("?")[2].partition("#")[0] if "://" in text else text, depth)
        elif whole or "\n" in text or "<" in text:
            self._words(text)

    def _json(self, line: str, depth: int, whole: bool) -> None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            if whole:
                self._words(line)
            return
        self.read(value, names=True, depth=depth + 1)

    def _form(self, text: str, depth: int) -> None:
        for part in re.split("[&;]", text):
            for side in part.split("=", 1):
                self._add(side.strip())
                self.take(unquote_plus(side.strip()), depth=depth + 1)

    def _words(self, text: str) -> None:
        for word in WORD.findall(text):
            self._add(word)

    def _add(self, piece: str) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooMany
        if len(piece) >= SHORTEST:
            self.pieces.add(piece)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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


def found_in(words: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return those of many words, of `SHORTEST` characters or more, that are in some texts, the longest first."""
    whole, words = "\n".join(texts), set(words)
    if len(words) <= FEW:
        return sorted((word for word in words if word in whole), key=len, reverse=True)
    # What a word begins with is looked up, so that the time is that of reading both once.
    beginnings = {whole[place : place + SHORTEST] for place in range(len(whole) - SHORTEST + 1)}
    found = {word for word in words if word[:SHORTEST] in beginnings and word in whole}
    return sorted(found, key=len, reverse=True)


def withheld_trace(trace: dict[str, Any], private: set[str] | None) -> dict[str, Any]:
    """Return a trace without these texts, and without the queries of the addresses a script called.

    Without anything that the script wrote where it is not known what is private (None).
    """
    if private is None:
        logs = [{**line, "message": MASK} for line in trace.get("logs", ())]
        told = ("usage", "limits", "moments", "unrecorded")
        return {"logs": logs, "subrequests": [], **{name: trace[name] for name in told if name in trace}}
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
