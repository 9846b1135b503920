"""Values of a specification -> what is wrong with it, by the schemas that the OpenAPI Initiative publishes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from runtime.services.openapi_specs.faults import MAX_FAULTS, Unreadable
from runtime.services.openapi_specs.references import escaped

SWAGGER = "2.0"
_VERSION = re.compile(r"(3\.[012])(\.\d+)*(-\S{1,20})?\Z")


def version_of(value: Any) -> str:
    """Return the version of a specification: 2.0, 3.0, 3.1 or 3.2; raises Unreadable."""
    if not isinstance(value, dict) or not ("openapi" in value or "swagger" in value):
        raise Unreadable(
            "This is not an OpenAPI specification: it has neither `openapi` nor `swagger` at the top "
            "level. Check that the address is that of the file itself, not of a page about it."
        )
    if "openapi" not in value:
        if value["swagger"] in (SWAGGER, 2):
            return SWAGGER
        raise Unreadable(
            f"Swagger {str(value['swagger'])[:20]} is not supported; Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are."
        )
    written = value["openapi"]
    match = _VERSION.match(written) if isinstance(written, str) else None
    if match is None:
        hint = " Write it in quotes, as in `openapi: '3.1.0'`." if isinstance(written, int | float) else ""
        raise Unreadable(
            f"OpenAPI {str(written)[:20]} is not supported; OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are.{hint}"
        )
    return match[1]


def faults(value: Any, version: str) -> list[str]:
    """Say what is wrong with a specification of a version, at most a few sentences of it."""
    # Only the separate process needs these: whatever else knows this module starts without them.
    import jsonschema_rs
    from openapi_spec_validator import schemas

    schema_of = {
        SWAGGER: schemas.get_schema_content_v2,
        "3.0": schemas.get_schema_content_v30,
        "3.1": schemas.get_schema_content_v31,
        "3.2": schemas.get_schema_content_v32,
    }
    # Without formats: patterns of another language's regular expressions are none of ours to refuse.
    validator = jsonschema_rs.validator_for(dict(schema_of[version]()), validate_formats=False)
    if validator.is_valid(value):
        return []
    found: list[str] = []
    for error in validator.iter_errors(value):
        sentence = _sentence(_nearest(error))
        if sentence not in found:
            found.append(sentence)
        if len(found) == MAX_FAULTS:
            break
    return found


def _nearest(error: Any) -> Any:
    """Find what is wrong in the alternative that was probably meant, for what fits none of several."""
    while (alternatives := getattr(error.kind, "context", None)) and (branches := list(_meant(alternatives))):
        error = max(branches[0], key=lambda one: len(one.instance_path))
    return error


def _meant(alternatives: Iterable[Iterable[Any]]) -> Iterator[list[Any]]:
    """Yield the alternatives, those that fit further first; a reference is not meant if there is none."""
    branches = [list(branch) for branch in alternatives]
    real = [branch for branch in branches if branch and not any("$ref" in one.message[:20] for one in branch)]
    yield from sorted(real or [branch for branch in branches if branch], key=len)


def _sentence(error: Any) -> str:
    place = "/".join(("#", *(escaped(str(part)) for part in error.instance_path)))
    message = error.message
    # What is wrong often quotes the whole value first; the end says what it lacks.
    return f"{place}: {message if len(message) <= 300 else '… ' + message[-200:]}"
