"""What a site knows of its visitors: a JSON schema of their claims (docs/contract/api.md, "Sites").

The superset of the specification's and the published document's claims: boolean, string, one of several strings,
number, list, nested object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, Moment, Text, WireModel
from runtime.contract.conditions import LONGEST

MAX_CLAIMS = 200
MAX_SCHEMA = 128 * 1024
"""Bytes of a schema as JSON."""
MAX_SUGGESTIONS = 500
DEEPEST = 10

ClaimName = Annotated[Text, StringConstraints(min_length=1, max_length=200)]
Description = Annotated[Text, StringConstraints(max_length=1024)]


class BooleanClaim(Body):
    type: Literal["boolean"]
    description: Description = ""


class StringClaim(Body):
    type: Literal["string"]
    enum: Annotated[list[Annotated[Text, StringConstraints(max_length=1024)]], Field(max_length=500)] | MISSING = (
        MISSING
    )
    description: Description = ""


class NumberClaim(Body):
    type: Literal["number"]
    description: Description = ""


PrimitiveClaim = Annotated[BooleanClaim | StringClaim | NumberClaim, Field(discriminator="type")]


class ArrayClaim(Body):
    type: Literal["array"]
    description: Description = ""
    items: PrimitiveClaim


class ObjectClaim(Body):
    """Nested claims; `unsigned` is one of them, and contains unsigned claims of visitors."""

    type: Literal["object"]
    description: Description = ""
    properties: Annotated[dict[ClaimName, Claim], Field(max_length=MAX_CLAIMS)]
    additional_properties: Literal[False] = False


Claim = Annotated[BooleanClaim | StringClaim | NumberClaim | ArrayClaim | ObjectClaim, Field(discriminator="type")]


def _not_deep(properties: dict[str, Claim]) -> dict[str, Claim]:
    level = list(properties.values())
    for _ in range(DEEPEST):
        level = [inner for claim in level if isinstance(claim, ObjectClaim) for inner in claim.properties.values()]
        if not level:
            return properties
    raise ValueError(f"claims must not be nested deeper than {DEEPEST} levels")


class AdaptiveJsonSchema(Body):
    """A schema of draft 07 that describes claims and nothing else."""

    dialect: Literal["http://json-schema.org/draft-07/schema#"] | MISSING = Field(MISSING, alias="$schema")
    id: Annotated[Text, StringConstraints(max_length=2048)] | MISSING = Field(MISSING, alias="$id")
    type: Literal["object"]
    properties: Annotated[dict[ClaimName, Claim], Field(max_length=MAX_CLAIMS), AfterValidator(_not_deep)]
    additional_properties: Literal[False] = False


def _short(schema: AdaptiveJsonSchema) -> AdaptiveJsonSchema:
    size = len(schema.model_dump_json(by_alias=True).encode("utf-8", "surrogatepass"))
    if size > MAX_SCHEMA:
        raise ValueError(f"has {size:,} bytes as JSON; at most {MAX_SCHEMA:,} are allowed")
    return schema


class UpdateAdaptiveSchema(Body):
    json_schema: Annotated[AdaptiveJsonSchema, AfterValidator(_short)]


class SiteAdaptiveSchema(WireModel):
    """The schema of a site."""

    object: Literal["site-adaptive-schema"] = "site-adaptive-schema"
    json_schema: AdaptiveJsonSchema
    updated_at: Moment


class TemplateCondition(WireModel):
    """A condition that a schema suggests: `condition` is an expression over the visitor."""

    description: str
    condition: str


class TemplateConditions(WireModel):
    items: list[TemplateCondition]


def template_conditions(schema: AdaptiveJsonSchema) -> list[TemplateCondition]:
    """Suggest a condition for each claim with few values: a boolean that holds, each string of an enumeration.

    At most `MAX_SUGGESTIONS`, and none that would be too long for a condition: a schema of a few kilobytes could name
    values by paths that are longer than itself.
    """
    return list(islice((one for one in _suggested(schema) if len(one.condition) <= LONGEST), MAX_SUGGESTIONS))


def _suggested(schema: AdaptiveJsonSchema) -> Iterator[TemplateCondition]:
    waiting = deque((_place("visitor.claims", name), claim) for name, claim in schema.properties.items())
    while waiting:
        place, claim = waiting.popleft()
        if len(place) > LONGEST:
            continue
        if isinstance(claim, BooleanClaim):
            yield TemplateCondition(description=claim.description or place, condition=f"{place} == true")
        elif isinstance(claim, StringClaim) and isinstance(claim.enum, list):
            what = claim.description or place
            for value in claim.enum:
                yield TemplateCondition(description=f"{what}: {value}", condition=f"{place} == {_quoted(value)}")
        elif isinstance(claim, ObjectClaim):
            waiting.extend((_place(place, name), inner) for name, inner in claim.properties.items())


def _place(inside: str, name: str) -> str:
    return f"{inside}.{name}" if name.isidentifier() and name.isascii() else f"{inside}[{_quoted(name)}]"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
