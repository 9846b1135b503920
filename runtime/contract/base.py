"""The base of all models of the wire contract, and the list envelope."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import (
    MISSING,
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from runtime.contract.finite_json import finite_json
from runtime.contract.json_parts import TOO_MANY, decode_json, has_too_many_parts
from runtime.contract.timestamps import wire_time
from runtime.contract.url_parts import split_url

T = TypeVar("T")


NOT_FINITE = PydanticCustomError("not_finite", "numbers must be finite: no NaN, Infinity, or more than 1.8e308")
TOO_MANY_PARTS = "too_many_parts"
"""The type of the error of a text that has more parts than are decoded in one piece."""
_TOO_MANY = PydanticCustomError(TOO_MANY_PARTS, f"has {TOO_MANY}")
LONG = 64 * 1024
"""Bytes from which on a body is looked at for missing fields before it is validated."""


class WireModel(BaseModel):
    """A JSON object with camelCase names; unknown properties are ignored (docs/contract/api.md, "Errors")."""

    # Built when they are first used: no process uses all of them, and each starts half a second sooner.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", defer_build=True)


class Body(WireModel):
    """A request body: types are not coerced, `"1"` is not a number, and every number must be finite."""

    model_config = ConfigDict(strict=True)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Read a body; raises ValidationError, also for `NaN`, `Infinity` and `1e999` in what is ignored otherwise.

        What has more than `MAX_PARTS` objects and arrays is refused unread.
        """
        data = json_data.encode("utf-8", "surrogatepass") if isinstance(json_data, str) else bytes(json_data)
        wrong = _TOO_MANY if has_too_many_parts(data) else None if finite_json(data) else NOT_FINITE
        if wrong is not None:
            raise ValidationError.from_exception_data(cls.__name__, [{"type": wrong, "loc": (), "input": None}])
        if len(data) > LONG:
            cls._refuse_missing(data)
        return super().model_validate_json(json_data, **options)

    @classmethod
    def _refuse_missing(cls, data: bytes) -> None:
        """Raise ValidationError if several required fields are missing.

        Pydantic would make Python objects of the whole body for each of them, in one piece: seconds, for 18 of them and
        two megabytes of anything else.
        """
        try:
            value = decode_json(data.decode())
        except (ValueError, RecursionError):
            return  # said by whoever reads it
        fields = {name: field for name, field in cls.model_fields.items() if field.is_required()}
        names = [field.alias or name for name, field in fields.items()]
        missing = [
            alias
            for name, alias in zip(fields, names, strict=True)
            if isinstance(value, dict) and alias not in value and name not in value
        ]
        if len(missing) > 1:
            raise ValidationError.from_exception_data(
                cls.__name__, [{"type": "missing", "loc": (name,), "input": None} for name in missing]
            )


def refusing(**reasons: str) -> Any:
    """Make a body refuse fields of the contract that no host has: ignored, they would seem to have an effect."""

    def check(cls: type[BaseModel], value: Any) -> Any:
        for name, reason in reasons.items():
            if isinstance(value, dict) and name in value:
                raise ValueError(f"must have no `{name}`: {reason}")
        return value

    return model_validator(mode="before")(classmethod(check))  # type: ignore[arg-type]


class Query(WireModel):
    """Query parameters: text that is read as the type the operation names."""


class Next(WireModel):
    """The cursor of the next page of a list."""

    page: str


class ListOf(WireModel, Generic[T]):
    """One page of a list; `count` is the number of all matching items (docs/contract/api.md, "Lists")."""

    items: list[T]
    count: int
    next: Next | MISSING = MISSING


class ListQuery(Query):
    """The parameters of every paginated list."""

    page: Annotated[str, StringConstraints(max_length=512)] | None = None
    limit: Annotated[int, Field(ge=0, le=1000)] = 100


def no_number(value: Any) -> Any:
    """Refuse a number, also as text: seconds or milliseconds since the epoch would be guessed by its size."""
    try:
        float(value)
    except (TypeError, ValueError):
        return value
    raise ValueError("must be an ISO 8601 timestamp with a time zone, for example `2026-01-31T12:00:00Z`")


def has_no_nul(text: str) -> str:
    """Refuse U+0000, which PostgreSQL cannot store."""
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


def in_utc(moment: datetime) -> datetime:
    """Return a moment in UTC; refuses those that have no year there."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("must be between the years 1 and 9999 in UTC") from None


Moment = Annotated[datetime, PlainSerializer(wire_time, return_type=str)]
GivenMoment = Annotated[AwareDatetime, BeforeValidator(no_number), AfterValidator(in_utc)]
Text = Annotated[str, AfterValidator(has_no_nul)]
JsonObject = Annotated[dict[str, Any], AfterValidator(nul_free)]
MAX_SMALL = 128 << 10
"""Bytes of a JSON object of which there may be very many."""


def small(value: Any) -> Any:
    """Refuse JSON of more than `MAX_SMALL` bytes."""
    size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_SMALL:
        raise ValueError(f"has {size:,} bytes as JSON; at most {MAX_SMALL:,} are allowed")
    return value


SmallJsonObject = Annotated[JsonObject, AfterValidator(small)]
Url = Annotated[str, StringConstraints(max_length=2048)]


def _web_address(url: str) -> str:
    try:
        parts = split_url(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known or any(sign <= " " for sign in url):
        raise ValueError("must be an address that begins with `https://` or `http://`")
    return url


WebAddress = Annotated[Url, AfterValidator(has_no_nul), AfterValidator(_web_address)]
