"""Collections: folders of spaces and of other collections."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, StringConstraints

from runtime.contract.base import Body, ListQuery, Text, WireModel
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import Role
from runtime.contract.titles import Title

CollectionTitle = Annotated[Title, StringConstraints(max_length=50)]
CollectionDescription = Annotated[Text, StringConstraints(max_length=100)]


class CreateCollection(Body):
    """Everything is optional: an empty body creates an untitled collection at the top level of the organization."""

    title: CollectionTitle = "Untitled"
    parent: ObjectId | MISSING = MISSING


class UpdateCollection(Body):
    """A change of a collection; absent fields stay unchanged."""

    title: CollectionTitle | MISSING = MISSING
    description: CollectionDescription | MISSING = MISSING
    default_level: Role | Literal["inherit"] | MISSING | None = MISSING


class CollectionQuery(ListQuery):
    """Without `nested`, the list has only the collections at the top level of the organization."""

    nested: bool = True


class CollectionUrls(WireModel):
    location: str
    app: str


class Collection(WireModel):
    """A collection."""

    object: Literal["collection"] = "collection"
    id: str
    title: str
    description: str | MISSING = MISSING
    organization: str
    parent: str | MISSING = MISSING
    default_level: Role | Literal["inherit"] | None
    urls: CollectionUrls
    permissions: dict[str, bool]
