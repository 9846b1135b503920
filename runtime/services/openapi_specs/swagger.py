"""Swagger 2.0 -> OpenAPI 3.0: the whole document, and the schemas in the files around it.

Parameters, responses and path items of other files are written out where they are used, for what they become depends on
the media types there; schemas stay in their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from runtime.services.openapi_specs.faults import Unreadable
from runtime.services.openapi_specs.references import escaped
from runtime.services.openapi_specs.swagger_parts import (
    form_body,
    media_types,
    parameter,
    request_body,
    response,
    security_scheme,
    servers,
)
from runtime.services.openapi_specs.swagger_schemas import Schemas, lies_in, put_at

VERSION = "3.0.3"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_PASSED = ("tags", "summary", "description", "externalDocs", "operationId", "deprecated")


def converted(base: str, files: Mapping[str, Any], name_of: Callable[[str], str]) -> dict[str, Any]:
    """Convert the document at the address `base`, one of `files`; gives all files, converted where they have to be.

    `name_of` gives the name under which the document refers to another file. Raises Unreadable.
    """
    conversion = _Conversion(base, files, name_of)
    made = {**files, base: conversion.document()}
    schemas = conversion.schemas
    done: set[tuple[str, str]] = set()
    while waiting := sorted(schemas.elsewhere - done, key=lambda one: (len(one[1]), one)):
        for address, pointer in waiting:
            if not any(known == address and lies_in(pointer, outer) for known, outer in done):
                made[address] = put_at(made[address], pointer, partial(schemas.schema, at=address))
            done.add((address, pointer))
    if schemas.hoisted:
        made[base].setdefault("components", {}).setdefault("schemas", {}).update(schemas.hoisted)
    return made


class _Conversion:
    def __init__(self, base: str, files: Mapping[str, Any], name_of: Callable[[str], str]) -> None:
        self._root: Mapping[str, Any] = files[base]
        self._base = base
        self.schemas = Schemas(self._root, base, files, name_of)
        self._consumes = media_types(self._root.get("consumes"))
        self._produces = media_types(self._root.get("produces"))

    def document(self) -> dict[str, Any]:
        root = self._root
        made: dict[str, Any] = {"openapi": VERSION, "info": root.get("info")}
        if "externalDocs" in root:
            made["externalDocs"] = root["externalDocs"]
        if found := servers(root.get("schemes"), root.get("host"), root.get("basePath")):
            made["servers"] = found
        if "security" in root:
            made["security"] = self._security(root["security"])
        if "tags" in root:
            made["tags"] = root["tags"]
        made["paths"] = {
            path: item if path.startswith("x-") else self._path_item(item, self._base)
            for path, item in root.get("paths", {}).items()
        }
        if components := {name: part for name, part in self._components() if part}:
            made["components"] = components
        return made | extensions(root)

    def _components(self) -> Iterator[tuple[str, dict[str, Any]]]:
        root, names, schema = self._root, self.schemas.names, self._schema_at(self._base)
        definitions = root.get("definitions", {})
        yield "schemas", {names["definitions"][name]: schema(value) for name, value in definitions.items()}
        yield (
            "responses",
            {
                names["responses"][name]: self._response(value, self._base, self._produces, inline=True)
                for name, value in root.get("responses", {}).items()
            },
        )
        parameters: dict[str, Any] = {}
        bodies: dict[str, Any] = {}
        for name, value in root.get("parameters", {}).items():
            real, at, _ = self.schemas.resolved(value, self._base)
            if real.get("in") == "body":
                bodies[names["parameters"][name]] = request_body(real, self._consumes, self._schema_at(at))
            elif real.get("in") != "formData":  # fields of forms are written out where they are used
                parameters[names["parameters"][name]] = parameter(real, self._schema_at(at))
        yield "parameters", parameters
        yield "requestBodies", bodies
        yield (
            "securitySchemes",
            {
                names["securityDefinitions"][name]: security_scheme(value)
                for name, value in root.get("securityDefinitions", {}).items()
            },
        )

    def _schema_at(self, at: str) -> Callable[[Any], Any]:
        return lambda value: self.schemas.schema(value, at, self._base)

    def _security(self, requirements: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        names = self.schemas.names["securityDefinitions"]
        return [{names.get(name, name): scopes for name, scopes in one.items()} for one in requirements]

    def _path_item(self, item: Any, at: str) -> dict[str, Any]:
        if isinstance(item.get("$ref"), str):
            beside = {key: value for key, value in item.items() if key != "$ref"}
            item, at, _ = self.schemas.resolved(item, at)
            if not isinstance(item, dict):
                raise Unreadable("A path of the specification refers to something that is not a path.")
            if beside:  # both are in one file only where nothing in them is relative
                item = {**item, **beside}
        given = self._parameters(item.get("parameters", []), at)
        made: dict[str, Any] = {}
        if plain := [self._shown(one) for one in given if not one.is_sent]:
            made["parameters"] = plain
        for method in METHODS:
            if isinstance(item.get(method), dict):
                made[method] = self._operation(item[method], at, [one for one in given if one.is_sent])
        return made | extensions(item)

    def _operation(self, operation: Mapping[str, Any], at: str, inherited: list[_Given]) -> dict[str, Any]:
        own = self._parameters(operation.get("parameters", []), at)
        consumes = media_types(operation.get("consumes")) if "consumes" in operation else self._consumes
        produces = media_types(operation.get("produces")) if "produces" in operation else self._produces
        made = {key: operation[key] for key in _PASSED if key in operation}
        if plain := [self._shown(one) for one in own if not one.is_sent]:
            made["parameters"] = plain
        if body := self._body(own, inherited, consumes, "consumes" in operation):
            made["requestBody"] = body
        made["responses"] = {
            status: value
            if status.startswith("x-")
            else self._response(value, at, produces, inline="produces" in operation)
            for status, value in operation.get("responses", {}).items()
        }
        if "security" in operation:
            made["security"] = self._security(operation["security"])
        if operation.get("schemes") and (
            found := servers(operation["schemes"], self._root.get("host"), self._root.get("basePath"))
        ):
            made["servers"] = found
        return made | extensions(operation)

    def _body(self, own: list[_Given], inherited: list[_Given], consumes: list[str], inline: bool) -> dict[str, Any]:
        known = {one.name for one in own if one.is_sent}
        sent = [one for one in own if one.is_sent]
        if not any(one.value["in"] == "body" for one in sent):
            sent = [*(one for one in inherited if one.name not in known), *sent]
        for one in sent:
            if one.value["in"] == "body":
                if one.component is not None and not inline:
                    return {"$ref": f"#/components/requestBodies/{one.component}"}
                return request_body(one.value, consumes, self._schema_at(one.at))
        fields = [(one.value, self._schema_at(one.at)) for one in sent]
        return form_body(fields, consumes) if fields else {}

    def _parameters(self, values: Any, at: str) -> list[_Given]:
        return [self._given(value, at) for value in values]

    def _given(self, value: Any, at: str) -> _Given:
        real, real_at, pointer = self.schemas.resolved(value, at)
        if not isinstance(real, dict) or not isinstance(real.get("name"), str) or "in" not in real:
            raise Unreadable("A parameter of the specification refers to something that is not a parameter.")
        return _Given(real, real_at, self._component("parameters", real_at, pointer))

    def _component(self, part: str, at: str, pointer: str | None) -> str | None:
        """Return the name of the component that a pointer of the document leads to."""
        if at != self._base or pointer is None or not pointer.startswith(f"/{part}/"):
            return None
        for name, made in self.schemas.names[part].items():
            if pointer == f"/{part}/{escaped(name)}":
                return made
        return None

    def _shown(self, given: _Given) -> dict[str, Any]:
        if given.component is not None:
            return {"$ref": f"#/components/parameters/{given.component}"}
        return parameter(given.value, self._schema_at(given.at))

    def _response(self, value: Any, at: str, produces: list[str], *, inline: bool) -> dict[str, Any]:
        real, real_at, pointer = self.schemas.resolved(value, at)
        if not isinstance(real, dict):
            raise Unreadable("A response of the specification refers to something that is not a response.")
        component = self._component("responses", real_at, pointer)
        if component is not None and not inline:
            return {"$ref": f"#/components/responses/{component}"}
        return response(real, produces, self._schema_at(real_at))


class _Given:
    """A parameter as it is described, in which file, and as which component of the document."""

    def __init__(self, value: dict[str, Any], at: str, component: str | None) -> None:
        self.value, self.at, self.component = value, at, component

    @property
    def name(self) -> str:
        """The name of a field; a body has one that says nothing."""
        return "" if self.value["in"] == "body" else str(self.value["name"])

    @property
    def is_sent(self) -> bool:
        """Return whether it is in the body."""
        return self.value["in"] in ("body", "formData")


def extensions(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what somebody added, as it is."""
    return {key: part for key, part in value.items() if key.startswith("x-")}
