"""Published sites as whoever draws them gets them, and what an address leads to (docs/contract/api.md)."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, StringConstraints

from runtime.contract.base import Body, JsonObject, Query, Text, WebAddress, WireModel
from runtime.contract.customizations import SiteCustomizationSettings
from runtime.contract.site_structure import SiteStructure
from runtime.contract.sites import Site, SiteIntegrationScript

LONGEST_TOKEN = 8192
MAX_CLAIMS_BYTES = 4096
"""Bytes of JSON that a visitor says of themselves unsigned."""
VisitorToken = Annotated[Text, StringConstraints(max_length=LONGEST_TOKEN)]


def _few(claims: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(claims, ensure_ascii=False).encode("utf-8", "surrogatepass")) > MAX_CLAIMS_BYTES:
        raise ValueError(f"must not have more than {MAX_CLAIMS_BYTES} bytes")
    return claims


class Customizations(WireModel):
    site: SiteCustomizationSettings
    site_spaces: dict[str, SiteCustomizationSettings]


class PublishedContentSite(WireModel):
    """All that is needed to draw a site, as far as it is there for the visitor."""

    object: Literal["published-content-site"] = "published-content-site"
    site: Site
    structure: SiteStructure
    customizations: Customizations
    scripts: list[SiteIntegrationScript]


class ContentRedirect(WireModel):
    """Where the requester for an address is to be sent instead."""

    target: Literal["application", "content", "external"]
    redirect: str


class PublishedContent(WireModel):
    """What is at an address: paths are those of the address that was asked for."""

    site: str
    site_section: str | MISSING = MISSING
    site_space: str
    space: str
    change_request: str | MISSING = MISSING
    revision: str | MISSING = MISSING
    pathname: str
    base_path: str
    site_base_path: str
    api_token: str
    organization: str
    share_key: str | MISSING = MISSING
    complete: bool
    context_id: str | MISSING = MISSING
    canonical_url: str


Lookup = ContentRedirect | PublishedContent


class SiteVisitor(Body):
    """Who looks: a token signed with the site's key, and what they say of themselves."""

    jwt_token: VisitorToken | MISSING = MISSING
    unsigned_claims: Annotated[JsonObject, AfterValidator(_few)] | MISSING = MISSING


class ResolveUrl(Body):
    url: WebAddress
    redirect_on_error: bool = False
    visitor: SiteVisitor | MISSING = MISSING


class LookupQuery(Query):
    url: WebAddress
    visitor_auth_token: VisitorToken | None = None
    redirect_on_error: bool = False
