"""Operations -> our OpenAPI 3.1 document."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from runtime import version
from runtime.api.described_streams import STREAMS, Stream
from runtime.api.operation import Operation
from runtime.api.statuses import BEFORE_THE_API, WITHOUT_BODY, WORDS, statuses_of

REF = "#/components/schemas/{model}"


def document(operations: list[Operation]) -> dict[str, Any]:
    """Describe every operation and every stream."""
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    described: list[Operation | Stream] = [*operations, *STREAMS]
    for operation in described:
        if operation.body is not None:
            models.append((operation.body, "validation"))
        if operation.query is not None:
            models.append((operation.query, "validation"))
    _, definitions = models_json_schema(models, ref_template=REF, by_alias=True)
    schemas: dict[str, Any] = dict(definitions.get("$defs", {}))
    paths: dict[str, Any] = {}
    for one in operations:
        answer = _answer_schema(one.answers, one.name, schemas)
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, answer, schemas)
    for stream in STREAMS:
        events = _answer_schema(stream.sends, stream.name, schemas)
        paths.setdefault(stream.path, {})[stream.method.lower()] = _stream(stream, events, schemas)
    for operation in described:
        if operation.query is not None:
            schemas.pop(operation.query.__name__, None)
    schemas["Error"] = _error_schema()
    return {
        "openapi": "3.1.0",
        "info": {"title": "Integration runtime", "version": version.VERSION},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _answer_schema(answers: Any, called: str, schemas: dict[str, Any]) -> dict[str, Any] | None:
    if answers is None:
        return None
    if answers is dict:
        return {"type": "object"}
    schema = TypeAdapter(answers).json_schema(ref_template=REF, by_alias=True, mode="serialization")
    for name, inner in schema.pop("$defs", {}).items():
        schemas.setdefault(name, _with_required(inner))
    if "properties" not in schema:
        return schema
    name = re.sub(r"\W+", "_", schema.get("title", called)).strip("_")
    schemas.setdefault(name, _with_required(schema))
    return {"$ref": REF.format(model=name)}


def _with_required(schema: dict[str, Any]) -> dict[str, Any]:
    """Require of an answer what has a default, too: it is always sent. What may be left out has none."""
    always = [name for name, inner in schema.get("properties", {}).items() if "default" in inner]
    required = [*schema.get("required", ()), *always]
    return schema | {"required": list(dict.fromkeys(required))} if required else schema


def _stream(stream: Stream, events: dict[str, Any] | None, schemas: dict[str, Any]) -> dict[str, Any]:
    responses = {status: _response(status, None) for status in stream.statuses}
    responses["200"]["content"] = {"text/event-stream": {"schema": events or {}}}
    described: dict[str, Any] = {
        "operationId": stream.name,
        "summary": stream.summary,
        "tags": [stream.tag],
        "parameters": [*_path_parameters(stream.parameters), *_query_parameters(stream.query, schemas)],
        "responses": responses,
    }
    if stream.body is not None:
        described["requestBody"] = _request_body(stream.body, required=True)
    return described


def _request_body(body: type[BaseModel], *, required: bool) -> dict[str, Any]:
    schema = {"$ref": REF.format(model=body.__name__)}
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def _operation(operation: Operation, answer: dict[str, Any] | None, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.tag],
        "parameters": [*_path_parameters(operation.parameters), *_query_parameters(operation.query, schemas)],
        "responses": {status: _response(status, answer) for status in statuses_of(operation)},
    }
    if operation.needs.public:
        described["security"] = [{}, {"token": []}]
    if operation.body is not None:
        described["requestBody"] = _request_body(operation.body, required=not operation.body_optional)
    if operation.uploads:
        anything = {"schema": {"type": "string", "format": "binary"}}
        described["requestBody"] = {"required": True, "content": {"application/octet-stream": anything}}
    return described


def _response(status: str, answer: dict[str, Any] | None) -> dict[str, Any]:
    described: dict[str, Any] = {"description": WORDS[status]}
    schema = answer if status.startswith("2") else {"$ref": REF.format(model="Error")}
    if schema is not None and status not in WITHOUT_BODY | BEFORE_THE_API:
        described["content"] = {"application/json": {"schema": schema}}
    return described


def _path_parameters(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(query: type[BaseModel] | None, schemas: dict[str, Any]) -> list[dict[str, Any]]:
    if query is None:
        return []
    schema = schemas[query.__name__]
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": inner}
        for name, inner in schema["properties"].items()
    ]


def _error_schema() -> dict[str, Any]:
    inner = {
        "type": "object",
        "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }
    return {"type": "object", "properties": {"error": inner}, "required": ["error"]}


def scopes(operations: list[Operation]) -> str:
    """Write the scopes of all operations as Python, for tools that need them without a host."""
    lines = [
        f'    ("{one.name}", "{one.method}", "{one.path}", "{one.needs.scope}"),'
        for one in operations
        if one.needs.scope is not None
    ]
    return "\n".join([*SCOPES_HEAD, *lines, ")", ""])


SCOPES = Path(__file__).parents[1] / "contract" / "served_scopes.py"
SCOPES_HEAD = (
    '"""The scopes of the operations that are served. Written by `make openapi`."""',
    "",
    "from __future__ import annotations",
    "",
    "from runtime.contract.integrations import Scope",
    "",
    "SERVED: tuple[tuple[str, str, str, Scope], ...] = (",
)


def main() -> int:
    """Write the document and the table of scopes, or check that the files hold them."""
    from runtime.api.table import operations  # the table knows every family, and every family knows Flask

    parser = argparse.ArgumentParser(description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", type=Path, metavar="FILE")
    mode.add_argument("--check", type=Path, metavar="FILE")
    options = parser.parse_args()
    texts = {
        options.write or options.check: json.dumps(document(operations()), indent=1, sort_keys=True) + "\n",
        SCOPES: scopes(operations()),
    }
    stale = [file for file, text in texts.items() if not file.exists() or file.read_text() != text]
    for file in stale:
        if options.write:
            file.write_text(texts[file])
        else:
            sys.stderr.write(f"{file} is not what the code says; run `make openapi` and commit it\n")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
