"""The base of every model that travels, and the list envelope."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import MISSING, AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints
from pydantic.alias_generators import to_camel

T = TypeVar("T")


class WireModel(BaseModel):
    """A JSON object with camelCase names; unknown properties are ignored (contract/errors.md section 3)."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")


class Body(WireModel):
    """A request body: types are not guessed, `"1"` is no number."""

    model_config = ConfigDict(strict=True)


class Query(WireModel):
    """Query parameters: text that is read as the type the operation names."""


class Next(WireModel):
    """Where the next page of a list begins."""

    page: str


class ListOf(WireModel, Generic[T]):
    """One page of a list; `count` is the number of all matching items (contract/gaps.md section 2)."""

    items: list[T]
    count: int
    next: Next | MISSING = MISSING


class ListQuery(Query):
    """The parameters of every paginated list."""

    page: Annotated[str, StringConstraints(max_length=512)] | None = None
    limit: Annotated[int, Field(ge=0, le=1000)] = 100


def wire_time(moment: datetime) -> str:
    """Write a moment as ISO 8601 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def has_no_nul(text: str) -> str:
    """Refuse the one character that PostgreSQL cannot store."""
    if "\x00" in text:
        raise ValueError("must not contain the character U+0000")
    return text


def nul_free(value: Any) -> Any:
    """Refuse U+0000 anywhere in a JSON value, and nesting deeper than 64 levels."""
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if depth > 64:
            raise ValueError("must not be nested deeper than 64 levels")
        if isinstance(item, str):
            has_no_nul(item)
        elif isinstance(item, dict):
            stack.extend((part, depth + 1) for pair in item.items() for part in pair)
        elif isinstance(item, list):
            stack.extend((part, depth + 1) for part in item)
    return value


Moment = Annotated[datetime, PlainSerializer(wire_time, return_type=str)]
Text = Annotated[str, AfterValidator(has_no_nul)]
JsonObject = Annotated[dict[str, Any], AfterValidator(nul_free)]
Url = Annotated[str, StringConstraints(max_length=2048)]
