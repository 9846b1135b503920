"""What people send fits where it is kept: a text that a model lets pass is no longer than its column."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter
from sqlalchemy import Enum, String, inspect

from runtime.api.operation import Operation
from runtime.api.table import RESOURCES, operations
from runtime.store.database import Table

CHANGING = [operation for operation in operations() if operation.body is not None]


def rows_of(operation: Operation) -> list[type[Table]]:
    """Give the tables an operation may write to: of what its path names last, and of what it shows, or makes."""
    makes = operation.shows is not None and operation.status == 201 and operation.shows.within is not None
    kinds = [
        *(resource.row for resource in operation.gate.chain[-1:] if not makes),
        *([operation.shows.row] if operation.shows else []),
    ]
    return list(dict.fromkeys(kinds))


def texts(schema: dict[str, Any], definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the texts that a value may be, of all that it may be."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    several = [inner for key in ("anyOf", "oneOf", "allOf") for inner in schema.get(key, [])]
    if several:
        return [found for inner in several for found in texts(inner, definitions)]
    return [schema] if schema.get("type") == "string" else []


def columns_of(operation: Operation) -> list[tuple[str, int, dict[str, Any]]]:
    """Give the fields of a body that are columns of the same name: field, room, and the text that may come."""
    assert operation.body is not None
    schema = TypeAdapter(operation.body).json_schema(by_alias=False)
    found = []
    for table in rows_of(operation):
        for column in inspect(table).columns:
            if column.foreign_keys:
                continue  # what it names must be there
            room = column.type.length if isinstance(column.type, String) and not isinstance(column.type, Enum) else None
            if room is None or column.key not in schema.get("properties", {}):
                continue
            for text in texts(schema["properties"][column.key], schema.get("$defs", {})):
                found.append((column.key, room, text))
    return found


@pytest.mark.parametrize("operation", CHANGING, ids=lambda operation: operation.name)
def test_a_text_fits_its_column(operation: Operation) -> None:
    for field, room, text in columns_of(operation):
        longest = max((len(one) for one in text["enum"]), default=0) if "enum" in text else text.get("maxLength")
        longest = len(text["const"]) if "const" in text else longest
        assert longest is not None, f"{field} is kept in {room} characters and may have any number"
        assert longest <= room, f"{field} may have {longest} characters and is kept in {room}"


def test_the_walk_sees_something() -> None:
    seen = {operation.name for operation in CHANGING if columns_of(operation)}
    assert {"createSpace", "updateSiteById", "createOrganizationTeam"} <= seen
    assert len(RESOURCES) > 20
