"""How a site is reached: share links, redirects, and the key that signs its visitors in."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import quote, unquote

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract.base import Body, ListQuery, Moment, Query, Text, WebAddress, WireModel
from runtime.contract.expected import expecting
from runtime.contract.identifiers import IntegrationName, ObjectId
from runtime.contract.site_structure import PublishedUrls, ShareKey

LinkName = Annotated[Text, StringConstraints(max_length=50)]


def _as_asked_for(source: str) -> str:
    """Write a path as addresses are compared: nothing escaped that needs not be."""
    source = "/".join(quote(unquote(segment), safe="~") for segment in source.split("/"))
    if source == "/-" or source.startswith("/-/"):
        raise ValueError("must not begin with `/-/`, which is reserved for the site's own pages")
    return source


Source = Annotated[
    str,
    StringConstraints(
        max_length=512,
        pattern=expecting(
            "a path of letters, digits and -._~ that begins with / and does not end with it, such as /old/page",
            r"^/(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})+(?:/(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})+)*$",
        ),
    ),
    AfterValidator(_as_asked_for),
]


class ShareLink(WireModel):
    """A link with a key that opens a site."""

    object: Literal["share-link"] = "share-link"
    id: str
    created_at: Moment
    name: str
    active: bool
    urls: PublishedUrls


class CreateShareLink(Body):
    name: LinkName


class UpdateShareLink(Body):
    """A change of a link; at least one of the fields is there."""

    active: bool | MISSING = MISSING
    name: LinkName | MISSING = MISSING

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.active is MISSING and self.name is MISSING:
            raise ValueError("send what should change: `active`, `name` or both")
        return self


class ToSection(Body):
    kind: Literal["site-section"]
    site_section_id: ObjectId


class ToSiteSpace(Body):
    kind: Literal["site-space"]
    site_space_id: ObjectId


class ToPage(Body):
    kind: Literal["site-page"]
    site_space_id: ObjectId
    page_id: ObjectId


Destination = Annotated[ToSection | ToSiteSpace | ToPage, Field(discriminator="kind")]


class SiteRedirect(WireModel):
    """Where visitors of a path are sent instead."""

    object: Literal["site-redirect"] = "site-redirect"
    id: str
    source: str
    destination: Destination


class CreateRedirect(Body):
    source: Source
    destination: Destination


class UpdateRedirect(Body):
    source: Source | MISSING = MISSING
    destination: Destination | MISSING = MISSING


class RedirectListQuery(ListQuery):
    search: Annotated[Text, StringConstraints(max_length=512)] | None = None


class RedirectQuery(Query):
    source: Source
    share_key: ShareKey | None = None


class FoundRedirect(WireModel):
    redirect: SiteRedirect
    target: str


class PublishingAuth(WireModel):
    """Who signs visitors in, with the key that their tokens are signed with."""

    object: Literal["publishing-auth"] = "publishing-auth"
    backend: Literal["custom", "integration"]
    private_key: str
    fallback_url: str | MISSING = Field(MISSING, alias="fallbackURL")
    integration: str | MISSING = MISSING


class UpdatePublishingAuth(Body):
    """A change of who signs visitors in; `integration` names the one that does where more than one could."""

    backend: Literal["custom", "integration"]
    fallback_url: WebAddress | MISSING | None = Field(MISSING, alias="fallbackURL")
    integration: IntegrationName | MISSING = MISSING
