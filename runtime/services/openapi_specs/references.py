"""References in the files of a specification: where each leads. Nothing is ever put in the place of a reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urldefrag

from runtime.contract.url_parts import join_url, split_url
from runtime.services.openapi_specs.faults import Unreadable

NAMES = frozenset(
    (
        *("properties", "patternProperties", "dependentSchemas", "definitions", "$defs", "schemas", "responses"),
        *("parameters", "examples", "requestBodies", "headers", "securitySchemes", "links", "callbacks", "pathItems"),
        *("paths", "webhooks", "variables", "content", "encoding", "mapping", "scopes", "securityDefinitions"),
    )
)
"""Keys below which keys are names that somebody chose."""
DATA = frozenset(("example", "default", "enum", "const", "value"))
"""Keys below which there is not a specification, but data of whoever wrote it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference, as it is written; `address` is that of the file it leads to, empty for its own file.

    `pointer` leads on inside of that file; None where only who understands JSON Schema's ids could follow it.
    """

    written: str
    place: str
    address: str
    pointer: str | None


def references(value: Any, base: str, *, ids: frozenset[str] = frozenset()) -> Iterator[Reference]:
    """Find the references of one file, whose address is `base` (empty for a text).

    `ids` are the names that schemas give themselves. Raises Unreadable for an address that is none.
    """
    stack: list[tuple[Any, bool, str, bool, str]] = [(value, False, base, True, "#")]
    while stack:
        item, named, at, plain, place = stack.pop()
        if isinstance(item, list):
            stack.extend((one, False, at, plain, f"{place}/{number}") for number, one in enumerate(item))
            continue
        if not isinstance(item, dict):
            continue
        if not named and isinstance(item.get("$id"), str):
            at, plain = _joined(at, item["$id"], place), False
        written = item.get("$ref")
        if not named and isinstance(written, str):
            yield _reference(written, place, at, base, plain, ids)
        for key, child in item.items():
            if isinstance(child, dict | list) and (named or not (key in DATA or key.startswith("x-"))):
                below = not named and key in NAMES and isinstance(child, dict)
                stack.append((child, below, at, plain, f"{place}/{escaped(key)}"))


def ids_of(value: Any, base: str) -> frozenset[str]:
    """Collect the names that schemas of a file give themselves, as whole addresses."""
    found: set[str] = set()
    stack: list[tuple[Any, str]] = [(value, base)]
    while stack:
        item, at = stack.pop()
        if isinstance(item, dict):
            if isinstance(item.get("$id"), str):
                at = _joined(at, item["$id"], "#")
                found.add(urldefrag(at).url)
            stack.extend((child, at) for child in item.values())
        elif isinstance(item, list):
            stack.extend((child, at) for child in item)
    return frozenset(found - {""})


def follow(value: Any, pointer: str) -> tuple[bool, Any]:
    """Follow a JSON pointer; gives whether it leads somewhere, and what is there.

    What it crosses another reference for counts as there: it is not followed.
    """
    if not pointer:
        return True, value
    if not pointer.startswith("/"):
        return True, None  # a name that a schema gave itself (`$anchor`)
    for part in pointer[1:].split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and len(part) < 10 and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and isinstance(value.get("$ref"), str):
            return True, None
        else:
            return False, None
    return True, value


def dangling(files: Mapping[str, Any], found: Mapping[str, list[Reference]]) -> Iterator[str]:
    """Say of each reference that leads nowhere where it is; `files` are values by address."""
    for address, references_ in found.items():
        for one in references_:
            target = files.get(one.address or address)
            if one.pointer is not None and target is not None and not follow(target, one.pointer)[0]:
                yield f"The reference `{one.written}` at {one.place} has no target."


def escaped(key: str) -> str:
    """Write a key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _reference(written: str, place: str, at: str, base: str, plain: bool, ids: frozenset[str]) -> Reference:
    whole = _joined(at, written, place)
    address, fragment = urldefrag(whole)
    if written.startswith("#") or address in ids or address == base:
        inside = plain and address not in ids - {base}
        return Reference(written, place, "", unquote(fragment) if inside else None)
    if split_url(address).scheme not in ("http", "https"):
        lead = (
            "is relative, but the specification has no address: send the specification as a URL"
            if not base and not split_url(address).scheme
            else "cannot be fetched: only http and https references are supported"
        )
        raise Unreadable(f"The reference `{written[:200]}` at {place} {lead}.")
    return Reference(written, place, address, unquote(fragment))


def _joined(base: str, written: str, place: str) -> str:
    try:
        joined = join_url(base, written)
        split_url(joined).port  # noqa: B018  a port that is none is found here
    except ValueError:
        raise Unreadable(f"The reference `{written[:200]}` at {place} is not a valid address.") from None
    return joined
