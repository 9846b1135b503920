"""Parts of Swagger 2.0 -> parts of OpenAPI 3.0, each by itself: parameters, bodies, answers, security, servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Convert = Callable[[Any], Any]

ANY_BODY = "application/json"
FORM, FILES = "application/x-www-form-urlencoded", "multipart/form-data"
_OF_PARAMETER = frozenset(("name", "in", "description", "required", "allowEmptyValue", "collectionFormat"))
_STYLES = {"csv": ("form", False), "tsv": ("form", False), "multi": ("form", True)} | {
    "ssv": ("spaceDelimited", False),
    "pipes": ("pipeDelimited", False),
}
_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}


def media_types(value: Any) -> list[str]:
    """Return the media types of a list, each once."""
    return list(dict.fromkeys(value or ()))


def servers(schemes: Any, host: Any, path: Any) -> list[dict[str, str]]:
    """Return the servers; without a scheme it is the one by which the document was reached."""
    below = (path or "").rstrip("/")
    if not host:
        return [{"url": below}] if below else []
    return [{"url": f"{scheme}//{host}{below}"} for scheme in [f"{one}:" for one in schemes or ()] or [""]]


def parameter(value: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
    """Convert a parameter of a path, a query or a header."""
    made = {key: value[key] for key in ("name", "in", "description", "required") if key in value}
    if value["in"] == "path":
        made["required"] = True
    if value["in"] == "query" and "allowEmptyValue" in value:
        made["allowEmptyValue"] = value["allowEmptyValue"]
    if value.get("type") == "array":
        made |= _style(value) if value["in"] == "query" else {"style": "simple"}
    return {**made, "schema": _schema(value, convert), **_extensions(value)}


def request_body(value: Mapping[str, Any], consumes: Sequence[str], convert: Convert) -> dict[str, Any]:
    """Convert the parameter that is a body."""
    made = {key: value[key] for key in ("description", "required") if key in value}
    schema = convert(value.get("schema", {}))
    content = {media_type: {"schema": schema} for media_type in consumes or (ANY_BODY,)}
    return {**made, "content": content, **_extensions(value)}


def form_body(fields: Sequence[tuple[Mapping[str, Any], Convert]], consumes: Sequence[str]) -> dict[str, Any]:
    """Convert the fields of a form to one body."""
    properties: dict[str, Any] = {}
    encoding: dict[str, Any] = {}
    for field, convert in fields:
        about = {"description": field["description"]} if "description" in field else {}
        properties[field["name"]] = {**_schema(field, convert), **about, **_extensions(field)}
        if field.get("type") == "array":
            encoding[field["name"]] = {key: part for key, part in _style(field).items() if not key.startswith("x-")}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [field["name"] for field, _ in fields if field.get("required") is True]:
        schema["required"] = list(dict.fromkeys(required))
    has_files = any(field.get("type") == "file" for field, _ in fields)
    fitting = [one for one in consumes if one.partition(";")[0].strip().lower() in (FORM, FILES)]
    if has_files:
        fitting = [one for one in fitting if one.partition(";")[0].strip().lower() == FILES] or [FILES]
    content = {"schema": schema} | ({"encoding": encoding} if encoding else {})
    body: dict[str, Any] = {"content": dict.fromkeys(fitting or (FORM,), content)}
    return body | ({"required": True} if required else {})


def response(value: Mapping[str, Any], produces: Sequence[str], convert: Convert) -> dict[str, Any]:
    """Convert an answer."""
    made: dict[str, Any] = {"description": value.get("description", "")}
    if "headers" in value:
        made["headers"] = {name: _header(header, convert) for name, header in value["headers"].items()}
    examples: Mapping[str, Any] = value.get("examples") or {}
    content: dict[str, Any] = {}
    if "schema" in value:
        schema = convert(value["schema"])
        content = {media_type: {"schema": schema} for media_type in (*(produces or (ANY_BODY,)), *examples)}
    for media_type, example in examples.items():
        content.setdefault(media_type, {})["example"] = example
    if content:
        made["content"] = content
    return made | _extensions(value)


def security_scheme(value: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a way to sign in."""
    about = {"description": value["description"]} if "description" in value else {}
    more = about | _extensions(value)
    if value.get("type") == "basic":
        return {"type": "http", "scheme": "basic", **more}
    if value.get("type") == "oauth2":
        addresses = {key: value[key] for key in ("authorizationUrl", "tokenUrl") if key in value}
        flow = {**addresses, "scopes": value.get("scopes", {})}
        return {"type": "oauth2", "flows": {_FLOWS[value["flow"]]: flow}, **more}
    return {key: value[key] for key in ("type", "name", "in") if key in value} | more


def _header(value: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
    about = {"description": value["description"]} if "description" in value else {}
    return {**about, "schema": _schema(value, convert), **_extensions(value)}


def _schema(value: Mapping[str, Any], convert: Convert) -> dict[str, Any]:
    """Gather what describes the value of a parameter, a field or a header into a schema."""
    own = {key: part for key, part in value.items() if key not in _OF_PARAMETER and not key.startswith("x-")}
    if isinstance(own.get("items"), dict):
        own["items"] = _schema(own["items"], lambda part: part)
    if "x-nullable" in value:
        own["x-nullable"] = value["x-nullable"]
    converted: dict[str, Any] = convert(own)
    return converted


def _style(value: Mapping[str, Any]) -> dict[str, Any]:
    """Say how several values are written one after the other."""
    written = value.get("collectionFormat", "csv")
    style, explode = _STYLES.get(written, ("form", False))
    # Between tabs there is not a style of 3.0: the old word stays, for whoever knows it.
    return {"style": style, "explode": explode} | ({"x-collectionFormat": "tsv"} if written == "tsv" else {})


def _extensions(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in value.items() if key.startswith("x-") and key != "x-nullable"}
