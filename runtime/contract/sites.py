"""Sites: published documentation, made of spaces."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import Body, Moment, Text, WireModel

SiteType = Literal["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]
SiteVisibility = Literal["public", "unlisted", "share-link", "visitor-auth"]
SiteTitle = Annotated[Text, StringConstraints(min_length=2, max_length=128)]


class CreateSite(Body):
    """Everything is optional; `spaces` names spaces, or asks for a new one (contract/gaps.md section 8)."""

    type: SiteType = "basic"
    title: SiteTitle = "Untitled site"
    visibility: SiteVisibility = "public"
    spaces: Annotated[list[str], Field(max_length=100)] | Literal["sample", "empty"] | MISSING = MISSING


class SiteUrls(WireModel):
    location: str
    app: str
    published: str | MISSING = MISSING


class Site(WireModel):
    """A site (specification, Site)."""

    object: Literal["site"] = "site"
    id: str
    type: SiteType
    title: str
    basename: str | MISSING = MISSING
    visibility: SiteVisibility
    published: bool
    site_spaces: int
    created_at: Moment
    adaptive_content: dict[str, bool]
    agents_context: Literal["excluded", "included"]
    features: list[Any]
    urls: SiteUrls


class SiteIntegrationScript(WireModel):
    """One script a published site embeds (contract/dispatch.md section 9)."""

    script: str
    content_security_policy: str | MISSING = MISSING
    cookies: bool
