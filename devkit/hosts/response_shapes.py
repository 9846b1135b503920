"""The shapes of host responses, as far as commands read them.

The other side can be another program, a host of another release, or malicious. Fields that a command only passes on,
as `--json` does, are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from runtime.contract.json_shapes import (
    Optional,
    Shape,
    Violation,
    anything,
    boolean,
    kinds,
    listed,
    mapping,
    one_of,
    record,
    step,
    text,
)
from runtime.contract.json_shapes import number as any_number
from runtime.engines.frames import LEVELS

MOST = 2**63
"""Larger numbers than any host counts to."""
LONGEST_NAME = 10_000
_NO_NAME = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def number(value: Any, path: str) -> Iterator[Violation]:
    """Accept finite numbers within a sane range."""
    wrong = [*any_number(value, path)]
    if not wrong and not -MOST < value < MOST:
        wrong = [Violation(path, "is a number that is out of range")]
    yield from wrong


def whole(value: Any, path: str) -> Iterator[Violation]:
    """Accept integers from 0."""
    wrong = [*number(value, path)]
    if not wrong and (value != int(value) or value < 0):
        wrong = [Violation(path, "must be a whole number, 0 or more")]
    yield from wrong


def seconds(value: Any, path: str) -> Iterator[Violation]:
    """Accept durations that a command can wait for."""
    wrong = [*number(value, path)]
    if not wrong and not 1 <= value <= 86_400:
        wrong = [Violation(path, "must be between 1 and 86400")]
    yield from wrong


def _name(value: str, path: str) -> Iterator[Violation]:
    if not value or len(value) > LONGEST_NAME or _NO_NAME.search(value):
        yield Violation(path, "is empty, too long, or has characters that names cannot have")


def _moment(value: str, path: str) -> Iterator[Violation]:
    try:
        good = datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        good = False
    if not good:
        yield Violation(path, "is not a time with a time zone")


def _texts(value: dict[str, Any], path: str) -> Iterator[Violation]:
    for key, one in value.items():
        yield from text(one, step(path, key))


def _pair(value: list[Any], path: str) -> Iterator[Violation]:
    if len(value) != 2 or not all(isinstance(one, str) for one in value):
        yield Violation(path, "must hold a name and a value")


name = kinds(text=_name)
"""Ids, names and paths: what becomes part of an address, or the name of a file."""
moment = kinds(text=_moment)
pair = kinds(list=_pair)

USER = record(displayName=text, id=name, email=Optional(text))
TOKEN = record(id=name, current=boolean, createdAt=text, title=Optional(text), expiresAt=Optional(text))
NEW_TOKEN = record(id=name, title=text, token=name, expiresAt=Optional(text))
_rights = record(admin=boolean, listMembers=boolean)
ORGANIZATION = record(id=name, title=text, hostname=Optional(text), permissions=_rights)
SPACE = record(revision=name)
MODE = record(tunnelUrl=Optional(text), connected=Optional(boolean))
TUNNEL = record(id=name, url=text, leaseSeconds=seconds)

_urls = record(app=Optional(text))
INSTALLATION = record(id=name, status=text, urls=_urls, space_selection=Optional(text), site_selection=Optional(text))
INSTALLED = record(integration=record(name=text), installation=INSTALLATION)
_thing = kinds(object=record(id=name, title=Optional(text)), text=_name)
PARTS = {kind: record(status=text, urls=_urls, **{kind: _thing}) for kind in ("space", "site")}

NAMED = record(name=text)
ENDPOINT = record(urls=record(publicEndpoint=text))
LOCATED = record(urls=record(location=text), owner=record(id=name))
PUBLISHED = record(version=whole, urls=record(app=text))
ROLLED_BACK = record(version=whole)
_parts = Optional(listed(record(id=text)))
MANIFEST: dict[str, Shape | Optional] = {
    "scopes": Optional(listed(text)),
    "contentSecurityPolicy": Optional(kinds(text=anything, object=_texts)),
    "visibility": Optional(text),
    "blocks": _parts,
    "contentSources": _parts,
    "configurations": Optional(mapping(anything)),
}
INTEGRATION = record(version=whole, **MANIFEST)
OFFERED = record(blocks=_parts, contentSources=_parts)
VERSION = record(version=whole, current=boolean, restorable=boolean, createdAt=text, runtime=text, title=Optional(text))
KEPT_VERSION = record(
    version=whole, current=boolean, restorable=boolean, runtime=text, title=text, visibility=text,
    manifest=record(**MANIFEST),
)  # fmt: skip

PLACE = record(id=name, title=Optional(text), urls=record(app=Optional(text), published=Optional(text)))
CHANGE_REQUEST = record(id=name, number=whole, status=text, urls=record(app=text))
UPDATED = record(result=text)
MERGED = record(result=text, revision=name, conflicts=Optional(listed(record(message=text))))

ADDED = record(id=name)
PAGE = record(id=name)
IMPORT = record(
    id=name, status=text, totalResources=Optional(whole), importedResources=Optional(whole),
    problems=Optional(listed(text)), error=Optional(text), revision=Optional(text),
)  # fmt: skip
FILE = record(path=name, size=whole, text=Optional(text), downloadURL=Optional(text))

SENT = record(events=listed(name), reason=Optional(text), answer=Optional(record(status=whole, body=Optional(text))))
_delivery = record(
    state=text, attempts=whole, answer=Optional(whole), durationMs=Optional(number), nextAttemptAt=Optional(moment)
)
_request = record(method=text, url=text, headers=mapping(text))


_summary = record(
    id=name,
    installationId=Optional(name),
    createdAt=moment,
    payload=record(type=text),
    delivery=_delivery,
    withheld=Optional(boolean),
    body=Optional(text),
)


def EVENT(value: Any, path: str) -> Iterator[Violation]:
    """Take events; those of other organizations come without what they were about."""
    wrong = [*_summary(value, path)]
    yield from wrong
    if not wrong and value["payload"]["type"] == "fetch" and not value.get("withheld"):
        yield from record(payload=record(request=_request))(value, path)


_trace = record(
    logs=Optional(listed(record(level=one_of(*LEVELS), message=text))),
    subrequests=Optional(listed(record(method=text, url=text, status=Optional(whole), refused=Optional(text)))),
    fault=Optional(
        record(message=text, file=Optional(text), line=Optional(whole), source=Optional(text), hint=Optional(text))
    ),
    unrecorded=Optional(whole),
    usage=Optional(mapping(number)),
    limits=Optional(mapping(number)),
)
_stored_answer = record(status=whole, bytes=whole, headers=listed(pair), body=Optional(text))
DETAIL = record(event=EVENT, trace=Optional(_trace), answer=Optional(_stored_answer), body=Optional(text))

CALL = record(method=text, path=text, headers=listed(pair))
PIECE = record(data=text)


def page_of(item: Shape, **beside: Shape) -> Shape:
    """Take one page of a list of items."""
    return record(items=listed(item), **beside)
