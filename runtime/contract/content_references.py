"""What a link leads to: something of the platform, or an address (docs/contract/api.md, "Customization")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, Text
from runtime.contract.identifiers import ObjectId
from runtime.contract.url_parts import split_url

SCHEMES = ("", "http", "https", "mailto", "tel")


def _harmless(url: str) -> str:
    """Refuse addresses that run something where they are clicked."""
    try:
        scheme = split_url(url).scheme
    except ValueError:
        raise ValueError("is not an address") from None
    if scheme not in SCHEMES or any(sign <= " " for sign in url) or (not scheme and ":" in url.split("/", 1)[0]):
        raise ValueError("must begin with `https://`, `http://`, `mailto:`, `tel:` or `/`")
    return url


Address = Annotated[Text, StringConstraints(min_length=1, max_length=2048), AfterValidator(_harmless)]
Anchor = Annotated[Text, StringConstraints(max_length=512)]


class FileReference(Body):
    kind: Literal["file"]
    file: ObjectId


class UrlReference(Body):
    kind: Literal["url"]
    url: Address


class PageReference(Body):
    kind: Literal["page"]
    page: ObjectId
    space: ObjectId | MISSING = MISSING


class AnchorReference(Body):
    kind: Literal["anchor"]
    anchor: Anchor
    space: ObjectId | MISSING = MISSING
    page: ObjectId | MISSING = MISSING


class UserReference(Body):
    kind: Literal["user"]
    user: ObjectId


class CollectionReference(Body):
    kind: Literal["collection"]
    collection: ObjectId


class SpaceReference(Body):
    kind: Literal["space"]
    space: ObjectId


class ReusableContentReference(Body):
    kind: Literal["reusable-content"]
    reusable_content: ObjectId
    space: ObjectId | MISSING = MISSING


class OpenApiReference(Body):
    kind: Literal["openapi"]
    spec: ObjectId


ContentReference = Annotated[
    FileReference
    | UrlReference
    | PageReference
    | AnchorReference
    | UserReference
    | CollectionReference
    | SpaceReference
    | ReusableContentReference
    | OpenApiReference,
    Field(discriminator="kind"),
]
