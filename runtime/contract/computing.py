"""Content that an integration computes, and what its script answers (docs/contract/scripts.md, "Answers")."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, Self

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract.base import Body, JsonObject, Query, Text, WireModel
from runtime.contract.content_references import ContentReference
from runtime.contract.expected import NEW_ID, expecting
from runtime.contract.titles import Line

SOURCE = re.compile(r"integration:([^:]+):([^:]+)")
OPENAPI_SOURCE = "builtin:openapi"
MAX_DEPENDENCIES = 50
MAX_SOURCE = 10_000
"""Characters of a source that stands in a page, as JSON: whoever reads a page reads the list of all of them."""

SOURCE_TYPE = expecting(
    "`builtin:openapi`, `builtin:translation` or `integration:NAME:SOURCE`",
    r"^(builtin:(openapi|translation)|integration:[^:]+:[^:]+)$",
)
DOWNLOAD = expecting("an address that begins with https://, http:// or data:", r"^(https?://|data:)[^\s]+$")
ObjectId = Annotated[Text, StringConstraints(min_length=1, max_length=100)]


def _is_computed_here(kind: str) -> str:
    if not SOURCE.fullmatch(kind) and kind != OPENAPI_SOURCE:
        raise ValueError(
            f"must be `integration:<name>:<source>` or `{OPENAPI_SOURCE}`, the only types that this host computes"
        )
    return kind


class SpaceRef(Body):
    kind: Literal["space"]
    space: ObjectId


class OpenApiRef(Body):
    kind: Literal["openapi"]
    spec: ObjectId


class TranslationRef(Body):
    kind: Literal["translation"]
    translation: ObjectId


class Dependency(Body):
    """A dependency of the content; its value is not taken from the request but looked up."""

    ref: Annotated[SpaceRef | OpenApiRef | TranslationRef, Field(discriminator="kind")]


class ComputedSource(Body):
    """A content source with its properties."""

    type: Annotated[Text, StringConstraints(max_length=300), AfterValidator(_is_computed_here)]
    props: JsonObject
    dependencies: Annotated[dict[ObjectId, Dependency], Field(max_length=MAX_DEPENDENCIES)] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def names_a_specification(self) -> Self:
        """Check that a source of type `builtin:openapi` names its specification."""
        spec = self.dependencies.get("spec")
        if self.type == OPENAPI_SOURCE and (spec is None or not isinstance(spec.ref, OpenApiRef)):
            raise ValueError(
                'name the specification: `dependencies: {"spec": {"ref": {"kind": "openapi", "spec": SLUG}}}`'
            )
        return self

    @property
    def names(self) -> tuple[str, str]:
        """The integration's name and the id of the source; only for a source of an integration."""
        _, integration, source = self.type.split(":")
        return integration, source


def _short(source: PageSource) -> PageSource:
    if len(json.dumps(source.model_dump(mode="json", by_alias=True))) > MAX_SOURCE:
        raise ValueError(f"a source has at most {MAX_SOURCE} characters as JSON")
    return source


class PageSource(Body):
    """A source in a page; values of dependencies are ignored."""

    type: Annotated[
        Text,
        StringConstraints(max_length=300, pattern=SOURCE_TYPE),
    ]
    props: JsonObject
    dependencies: Annotated[dict[ObjectId, Dependency], Field(max_length=MAX_DEPENDENCIES)] | MISSING = MISSING


GivenSource = Annotated[PageSource, AfterValidator(_short)]


class Compute(Body):
    """The content to compute; the same seed gives the same ids."""

    source: ComputedSource
    seed: Annotated[Text, StringConstraints(max_length=1000)]


class DocumentQuery(Query):
    document_schema: Literal["current", "next"] | None = Field(None, alias="schema")


class ComputedRevision(WireModel):
    """The pages and files of a source as a revision holds them."""

    pages: list[dict[str, Any]]
    files: list[dict[str, Any]]
    reusable_contents: list[dict[str, Any]]


class JsonDocument(WireModel):
    """A document as nodes."""

    object: Literal["document"] = "document"
    data: dict[str, Any]
    nodes: list[dict[str, Any]]


class InputBase(Body):
    """Common fields of the pages of a source."""

    id: Annotated[str, StringConstraints(pattern=NEW_ID)] | MISSING = MISSING
    title: Annotated[Line, StringConstraints(min_length=1, max_length=1000)]
    emoji: Annotated[Text, StringConstraints(max_length=50)] | MISSING = MISSING
    icon: Annotated[Text, StringConstraints(max_length=50)] | MISSING = MISSING


class AnySource(Body):
    """A source inside a computed page; it is checked when that page's content is requested."""

    type: Annotated[Text, StringConstraints(pattern=SOURCE_TYPE)]
    props: JsonObject
    dependencies: JsonObject | MISSING = MISSING


class InputPageLink(InputBase):
    type: Literal["link"]
    target: ContentReference


class InputPageComputed(InputBase):
    type: Literal["computed"]
    computed: AnySource


class InputPageDocument(InputBase):
    type: Literal["document"]
    description: Annotated[Text, StringConstraints(max_length=300)] | MISSING = MISSING
    slug: Annotated[Text, StringConstraints(max_length=200)] | MISSING = MISSING
    pages: list[InputLeaf] = Field(default_factory=list)
    computed: AnySource | MISSING = MISSING


class InputPageGroup(InputBase):
    type: Literal["group"]
    slug: Annotated[Text, StringConstraints(max_length=200)] | MISSING = MISSING
    pages: Annotated[list[InputLeaf], Field(min_length=1)]


InputLeaf = Annotated[InputPageDocument | InputPageLink | InputPageComputed, Field(discriminator="type")]
InputPage = Annotated[
    InputPageDocument | InputPageGroup | InputPageLink | InputPageComputed, Field(discriminator="type")
]


class Dimensions(Body):
    width: float
    height: float


class InputFile(Body):
    id: Annotated[Text, StringConstraints(min_length=1, max_length=100)] | MISSING = MISSING
    name: Annotated[Text, StringConstraints(min_length=1, max_length=1000)]
    content_type: Annotated[Text, StringConstraints(min_length=1, max_length=200)]
    download_url: Annotated[Text, StringConstraints(max_length=4096, pattern=DOWNLOAD), Field(alias="downloadURL")]
    size: Annotated[float, Field(ge=0)]
    dimensions: Dimensions | MISSING = MISSING


class ComputedPages(Body):
    """A script's answer to `content_compute_revision`."""

    pages: list[InputPage] = Field(default_factory=list)
    files: list[InputFile] = Field(default_factory=list)


class InputDocument(Body):
    """Markdown text, or nodes, or nothing."""

    markdown: Text | MISSING = MISSING
    document: JsonObject | MISSING = MISSING


class ComputedDocument(Body):
    """A script's answer to `content_compute_document`."""

    document: InputDocument
