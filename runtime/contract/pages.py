"""Pages as the contract shows them, for the document of the API: they are built as JSON objects, without models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, Field, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema

from runtime.contract.base import JsonObject, Moment, WireModel


class PageUrls(WireModel):
    app: str


class ShownLayout(WireModel):
    """How a page is laid out, whole."""

    width: Literal["default", "wide"]
    cover: bool
    cover_size: Literal["hero", "full"]
    title: bool
    description: bool
    table_of_contents: bool
    outline: bool
    pagination: bool
    metadata: bool


class _Page(WireModel):
    id: str
    title: str
    emoji: str | MISSING = MISSING
    icon: str | MISSING = MISSING
    created_at: Moment | MISSING = MISSING
    updated_at: Moment | MISSING = MISSING


class ComputedPage(_Page):
    """A page in whose place stands what a content source computes."""

    type: Literal["computed"]
    computed: JsonObject


class LinkPage(_Page):
    """An entry of the navigation that leads elsewhere."""

    type: Literal["link"]
    kind: Literal["link"]
    target: JsonObject | None
    href: str | MISSING = MISSING
    hidden: bool | MISSING = MISSING
    no_index: bool | MISSING = MISSING
    no_robots_index: bool | MISSING = MISSING


class _PageWithPages(_Page):
    slug: str
    path: str
    hidden: bool | MISSING = MISSING
    no_index: bool | MISSING = MISSING
    no_robots_index: bool | MISSING = MISSING
    pages: list[AnyPage]


class GroupPage(_PageWithPages):
    """A heading of the navigation with pages below."""

    type: Literal["group"]
    kind: Literal["group"]


class DocumentPage(_PageWithPages):
    """A page with a document: `documentId` names it, `markdown` or `document` are there if a format was asked for."""

    type: Literal["document"]
    kind: Literal["sheet"]
    urls: PageUrls
    layout: ShownLayout
    description: str | MISSING = MISSING
    cover: JsonObject | MISSING = MISSING
    variables: JsonObject | MISSING = MISSING
    git: JsonObject | MISSING = MISSING
    document_id: str | MISSING = MISSING
    computed: JsonObject | MISSING = MISSING
    computed_seed: str | MISSING = MISSING
    markdown: str | MISSING = MISSING
    document: JsonObject | MISSING = MISSING


AnyPage = Annotated[DocumentPage | GroupPage | LinkPage | ComputedPage, Field(discriminator="type")]


class _Described:
    """Describes a JSON object as a page in the document, and leaves it unchecked."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        for model in (GroupPage, DocumentPage):
            model.model_rebuild()
        return handler(TypeAdapter(AnyPage).core_schema)


Page = Annotated[dict[str, Any], _Described()]
"""A page as the contract shows it. Built as it is: a revision has thousands, and a model of each would cost seconds."""
