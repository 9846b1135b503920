"""Render requests and their contexts (docs/contract/contentkit.md, "Contexts"; docs/contract/api.md, "Rendering")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import Body, JsonObject, Query, Text

ObjectId = Annotated[Text, StringConstraints(min_length=1, max_length=100)]
Theme = Literal["dark", "light"]


class DocumentContext(Body):
    type: Literal["document"]
    space_id: ObjectId
    editable: bool
    theme: Theme


class AccountContext(Body):
    type: Literal["configuration_account"]
    organization_id: ObjectId
    theme: Theme


class SpaceContext(Body):
    type: Literal["configuration_space"]
    space_id: ObjectId
    theme: Theme


class SiteContext(Body):
    type: Literal["configuration_site"]
    site_id: ObjectId
    theme: Theme


class ContentSourceContext(Body):
    type: Literal["configuration_contentsource"]
    organization_id: ObjectId
    space_id: ObjectId | MISSING = MISSING
    theme: Theme


Context = Annotated[
    DocumentContext | AccountContext | SpaceContext | SiteContext | ContentSourceContext, Field(discriminator="type")
]


class RenderIntegration(Body):
    """What is drawn: a component with its props, its state and, after a press, an action."""

    component_id: ObjectId
    props: JsonObject
    state: JsonObject | MISSING = MISSING
    context: Context
    action: JsonObject | MISSING = MISSING


class RenderQuery(Query):
    """The same request as LZ-string compressed JSON."""

    request: Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
