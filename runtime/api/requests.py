"""Requests -> models: size first, then type, then shape."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar
from wsgiref.types import WSGIEnvironment

from pydantic import MISSING, BaseModel, ValidationError
from werkzeug.sansio.utils import get_content_length
from werkzeug.wsgi import get_input_stream

from runtime.api.operation import MAX_BODY, Operation
from runtime.contract import errors
from runtime.contract.base import TOO_MANY_PARTS
from runtime.contract.json_parts import TOO_MANY
from runtime.contract.validation import bad_request

M = TypeVar("M", bound=BaseModel)


def read_json(environ: WSGIEnvironment, most: int = MAX_BODY, *, optional: bool = False) -> bytes:
    """Read a JSON body: its size first, then how it is encoded; raises TooLarge, UnsupportedMediaType, BadRequest."""
    length = get_content_length(environ.get("CONTENT_LENGTH"), environ.get("HTTP_TRANSFER_ENCODING"))
    if length is not None and length > most:
        raise errors.TooLarge(f"The body has {length} bytes; this operation takes at most {most}.")
    content = get_input_stream(environ).read(most + 1)
    if len(content) > most:
        raise errors.TooLarge(f"The body is larger than the {most} bytes this operation takes.")
    if content:
        refuse_encoded(environ)
        if not _is_json(environ.get("CONTENT_TYPE", "")):
            raise errors.UnsupportedMediaType
    if not content and optional:
        return b"{}"
    if not content:
        raise errors.BadRequest("This operation needs a JSON object as its body.")
    return content


def refuse_encoded(environ: WSGIEnvironment) -> None:
    """Raise EncodedBody for a compressed body: what it unpacks to is not bounded by the size that it has."""
    codings = environ.get("HTTP_CONTENT_ENCODING", "").split(",")
    if any(coding.strip().lower() not in ("", "identity") for coding in codings):
        raise errors.EncodedBody


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def read_body(operation: Operation, environ: WSGIEnvironment) -> bytes:
    """Read the body of an operation; raises TooLarge, UnsupportedMediaType, BadRequest."""
    return read_json(environ, operation.max_body_bytes, optional=operation.body_optional)


def parse_body(model: type[M], content: bytes) -> M:
    """Read a body as a model; raises BadRequest naming the field, TooLarge for what would take too long to read."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0] if error.error_count() == 1 else None
        if first is not None and first["type"] == TOO_MANY_PARTS:
            raise errors.TooLarge(f"The body has {TOO_MANY}; send it in several requests.") from None
        raise bad_request(error, of=_read(content)) from None


def parse_query(model: type[M], arguments: Iterable[tuple[str, list[str]]]) -> M:
    """Read query parameters as a model, repeated ones as lists where it wants lists; raises BadRequest."""
    several = _lists(model)
    values: dict[str, Any] = {name: texts if name in several else texts[-1] for name, texts in arguments}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise bad_request(error, of=values) from None


def _read(content: bytes) -> Any:
    """Read the keys of a body that its model refused; none if it is not JSON."""
    try:
        return json.loads(content.decode())  # as UTF-8 alone: of bytes, Python guesses what they are, uncounted
    except (ValueError, RecursionError):
        return MISSING


@lru_cache(maxsize=512)
def _lists(model: type[BaseModel]) -> frozenset[str]:
    """Return the names of the parameters that may be repeated."""
    return frozenset(field.alias or name for name, field in model.model_fields.items() if _is_list(field.annotation))


def _is_list(annotation: Any) -> bool:
    return typing.get_origin(annotation) is list or any(_is_list(part) for part in typing.get_args(annotation))
