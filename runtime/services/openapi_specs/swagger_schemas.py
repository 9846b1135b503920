"""Schemas of Swagger 2.0 -> schemas of OpenAPI 3.0, and where references lead then."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import unquote, urldefrag

from runtime.contract.url_parts import join_url
from runtime.services.openapi_specs.faults import Unreadable
from runtime.services.openapi_specs.references import follow

MOST_HOPS = 20
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_SUBSCHEMAS = ("additionalProperties", "not")
_LISTS = ("allOf", "anyOf", "oneOf")
PARTS = {"definitions": "schemas", "parameters": "parameters", "responses": "responses"}


def component_names(names: Collection[str]) -> dict[str, str]:
    """Return each name one that components may have, none of them twice."""
    made = {name: name for name in names if name and not _NO_NAME.search(name)}
    taken = set(made.values())
    for name in names:
        if name not in made:
            plain = stem = _NO_NAME.sub("_", name).strip("_") or "unnamed"
            number = 2
            while plain in taken:
                plain, number = f"{stem}_{number}", number + 1
            made[name] = plain
            taken.add(plain)
    return made


class Schemas:
    """Converts schemas of a Swagger document `root` and of the files around it, which are known by their addresses.

    What a reference leads to in the middle of an operation becomes a component of its own, in `hoisted`.
    """

    def __init__(self, root: Mapping[str, Any], base: str, files: Mapping[str, Any], name_of: Callable[[str], str]):
        self._root, self._base, self._files, self._name_of = root, base, files, name_of
        self.names = {part: component_names(_mapping(root.get(part))) for part in (*PARTS, "securityDefinitions")}
        self.hoisted: dict[str, Any] = {}
        self._hoisted_names: dict[str, str] = {}
        self.elsewhere: set[tuple[str, str]] = set()
        """Schemas in other files that something leads to: address and pointer."""

    def resolved(self, value: Any, at: str) -> tuple[Any, str, str | None]:
        """Follow a reference, and those behind it, from a file.

        Gives what is there, its file, and its pointer: None where there was no reference. Raises Unreadable.
        """
        pointer: str | None = None
        for _ in range(MOST_HOPS):
            if not (isinstance(value, dict) and isinstance(value.get("$ref"), str)):
                return value, at, pointer
            written = value["$ref"]
            at, fragment = self._target(written, at)
            pointer = unquote(fragment)
            known, value = follow(self._files[at], pointer)
            if not known:
                raise Unreadable(f"The reference `{written[:200]}` has no target.")
        raise Unreadable(f"The reference `{written[:200]}` leads only to further references, without end.")

    def schema(self, value: Any, at: str, into: str | None = None) -> Any:
        """Convert a schema that is written in a file; `into` is the file it is put into, its own if not given."""
        if not isinstance(value, dict):
            return value
        into = at if into is None else into
        if isinstance(value.get("$ref"), str):
            return {**value, "$ref": self._reference(value["$ref"], at, into)}
        made = {key: self._field(key, part, at, into) for key, part in value.items() if key != "x-nullable"}
        if value.get("x-nullable") is True:
            made["nullable"] = True
        if isinstance(made.get("discriminator"), str):
            made["discriminator"] = {"propertyName": made["discriminator"]}
        return _typed(made)

    def _field(self, key: str, part: Any, at: str, into: str) -> Any:
        if key == "properties" and isinstance(part, dict):
            return {name: self.schema(one, at, into) for name, one in part.items()}
        if key == "items" and isinstance(part, list):  # one for each place, which 3.0 does not know
            return {"anyOf": [self.schema(one, at, into) for one in part]} if part else {}
        if key == "items" or key in _SUBSCHEMAS:
            return self.schema(part, at, into)
        if key in _LISTS and isinstance(part, list):
            return [self.schema(one, at, into) for one in part]
        return part

    def _target(self, written: str, at: str) -> tuple[str, str]:
        address, fragment = urldefrag(join_url(at, written))
        if written.startswith("#") or not address:
            address = at
        if address not in self._files:
            raise Unreadable(f"The reference `{written[:200]}` leads to a missing file.")
        return address, fragment

    def _reference(self, written: str, at: str, into: str) -> str:
        """Return the reference to the same schema, from the file it is put into, after the conversion."""
        target, fragment = self._target(written, at)
        pointer = unquote(fragment)
        # What is put into another file is put into the document; elsewhere a reference begins as it did.
        lead = written.partition("#")[0] if at == into else "" if target == into else self._name_of(target)
        if target == self._base:
            return lead + self._pointer_in_root(pointer)
        self.elsewhere.add((target, pointer))
        return f"{lead}#{fragment}" if fragment else lead

    def _pointer_in_root(self, pointer: str) -> str:
        part, _, rest = pointer.removeprefix("/").partition("/")
        name, _, inside = rest.partition("/")
        name = name.replace("~1", "/").replace("~0", "~")
        if part == "definitions" and name in self.names[part] and "/items/0" not in f"/{inside}":
            return f"#/components/schemas/{self.names[part][name]}" + (f"/{inside}" if inside else "")
        return f"#/components/schemas/{self._hoist(pointer)}"

    def _hoist(self, pointer: str) -> str:
        if pointer not in self._hoisted_names:
            taken = {*self.names["definitions"].values(), *self.hoisted}
            stem = name = _NO_NAME.sub("_", pointer).strip("_")[-80:] or "document"
            number = 2
            while name in taken:
                name, number = f"{stem}_{number}", number + 1
            self._hoisted_names[pointer] = name
            self.hoisted[name] = {}
            known, value = follow(self._root, pointer)
            if not known:
                raise Unreadable(f"The reference `#{pointer[:200]}` has no target.")
            self.hoisted[name] = self.schema(value, self._base)
        return self._hoisted_names[pointer]


def _typed(made: dict[str, Any]) -> dict[str, Any]:
    """Give a schema the one type that 3.0 knows, where it had several, `null` or `file`."""
    kind = made.get("type")
    if kind == "file":
        return {**made, "type": "string", "format": "binary"}
    kinds = kind if isinstance(kind, list) else [kind]
    if "null" in kinds:
        made["nullable"] = True
        kinds = [one for one in kinds if one != "null"]
    elif not isinstance(kind, list):
        return made
    made.pop("type")
    if len(kinds) == 1:
        return {"type": kinds[0], **made}
    return {**made, "anyOf": [{"type": one} for one in kinds]} if kinds else made


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def put_at(value: Any, pointer: str, change: Callable[[Any], Any]) -> Any:
    """Return a value with what is at a pointer changed; nothing of the value itself is."""
    if not pointer:
        return change(value)
    head, slash, rest = pointer[1:].partition("/")
    key = head.replace("~1", "/").replace("~0", "~")
    below = slash + rest
    if isinstance(value, dict) and key in value:
        return {**value, key: put_at(value[key], below, change)}
    if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        place = int(key)
        return [*value[:place], put_at(value[place], below, change), *value[place + 1 :]]
    return value


def lies_in(pointer: str, outer: str) -> bool:
    """Return whether a pointer leads to something inside of what another one leads to, or to the same."""
    return pointer == outer or pointer.startswith(f"{outer}/")
