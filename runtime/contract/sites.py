"""Sites: published documentation, made of spaces."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import Body, Moment, Text, WireModel
from runtime.contract.expected import expecting
from runtime.contract.favicons import Favicon
from runtime.contract.identifiers import IntegrationName
from runtime.contract.titles import Title

SiteType = Literal["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]
SiteVisibility = Literal["public", "unlisted", "share-link", "visitor-auth"]
SiteTitle = Annotated[Title, StringConstraints(min_length=2, max_length=128)]


class CreateSite(Body):
    """Everything is optional; `spaces` names spaces, or asks for a new one (docs/contract/api.md, "Sites")."""

    type: SiteType = "basic"
    title: SiteTitle = "Untitled site"
    visibility: SiteVisibility = "public"
    spaces: Annotated[list[str], Field(max_length=100)] | Literal["sample", "empty"] | MISSING = MISSING


class AdaptiveContent(Body):
    enabled: bool


class CustomVisitorAuth(Body):
    """Visitors are signed in elsewhere."""

    backend: Literal["custom"]


class IntegrationVisitorAuth(Body):
    """Visitors are signed in by an integration that is installed on the site."""

    backend: Literal["integration"]
    integration: IntegrationName


VisitorAuth = Annotated[CustomVisitorAuth | IntegrationVisitorAuth, Field(discriminator="backend")]
PROXY = expecting(
    "a host and a path without https://, such as example.com/docs",
    r"^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(/[\w-]+)+$",
)
Proxy = Annotated[Text, StringConstraints(max_length=512, pattern=PROXY)]
ObjectId = Annotated[Text, StringConstraints(min_length=1, max_length=100)]


class UpdateSite(Body):
    """A change of a site: what is absent stays.

    `published` and `visitor_auth` are extensions: the contract shows both and has no operation that sets them.
    """

    title: SiteTitle | MISSING = MISSING
    visibility: SiteVisibility | MISSING = MISSING
    basename: Annotated[Text, StringConstraints(min_length=1, max_length=100)] | MISSING = MISSING
    adaptive_content: AdaptiveContent | MISSING = MISSING
    agents_context: Literal["excluded", "included"] | MISSING = MISSING
    default_site_space: ObjectId | MISSING = MISSING
    default_site_section: ObjectId | MISSING = MISSING
    proxy: Proxy | MISSING | None = MISSING
    published: bool | MISSING = MISSING
    visitor_auth: VisitorAuth | MISSING | None = MISSING


class SiteUrls(WireModel):
    location: str
    app: str
    published: str | MISSING = MISSING


class SiteProxy(WireModel):
    """The address under which a site is also reached, and the one it is fetched from."""

    origin: str
    target: str


SiteFeatureKey = Literal[
    "sites-adaptive-content", "sites-advanced-customization", "sites-share-links", "sites-visitor-authentication"
]
"""The features of the contract that a site of this host may have; it has no plans that sites pay for."""


class SiteFeature(WireModel):
    """A feature that is enabled on a site; `plan` is that of the site, as every plan has all of them."""

    id: SiteFeatureKey
    plan: SiteType
    frozen: bool = False


class Site(WireModel):
    """A site; `visitor_auth` is an extension."""

    object: Literal["site"] = "site"
    id: str
    type: SiteType
    title: str
    icon: Favicon | MISSING = MISSING
    basename: str | MISSING = MISSING
    proxy: SiteProxy | MISSING = MISSING
    visibility: SiteVisibility
    published: bool
    site_spaces: int
    created_at: Moment
    adaptive_content: dict[str, bool]
    agents_context: Literal["excluded", "included"]
    features: list[SiteFeature]
    visitor_auth: VisitorAuth | MISSING = MISSING
    urls: SiteUrls


class SiteIntegrationScript(WireModel):
    """One script a published site embeds (docs/contract/scripts.md, "Published scripts")."""

    script: str
    content_security_policy: str | MISSING = MISSING
    cookies: bool
