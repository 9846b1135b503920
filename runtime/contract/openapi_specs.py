"""API specifications of an organization."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, BeforeValidator, Field, StringConstraints

from runtime.contract.base import Body, Moment, Url, WebAddress, WireModel
from runtime.contract.expected import expecting
from runtime.contract.url_parts import split_url

MAX_TEXT = 20 * 1024 * 1024
"""Bytes of a specification that is sent as text."""
ProcessingState = Literal["pending", "progress", "complete"]
ErrorCode = Literal["FETCH_TIMEOUT", "FETCH_ERROR", "PARSE_ERROR"]
LONGEST_SLUG = 100
SLUG = expecting(
    "lowercase letters, digits and single hyphens between them, such as orders-api", r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
)
SpecSlug = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_SLUG, pattern=SLUG)]


def is_slug(text: str) -> bool:
    """Return whether a text may be a slug: words of small letters and digits, with hyphens between them."""
    return len(text) <= LONGEST_SLUG and re.fullmatch(SLUG.removesuffix("$"), text) is not None


def _without_password(url: str) -> str:
    if "@" in split_url(url).netloc:
        raise ValueError(
            "must not contain a user name or password: everybody who sees the specification sees its address"
        )
    return url


def _not_too_long(text: str) -> str:
    # Half of a character is not text in any encoding; reading it says so.
    if len(text) > MAX_TEXT or len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT:
        raise ValueError(f"must have at most {MAX_TEXT} bytes")
    return text


def _one_of_both(value: Any) -> Any:
    if isinstance(value, dict) and ("url" in value) == ("text" in value):
        raise ValueError("must have either `url` or `text`")
    return value


class UrlSource(Body):
    """A specification that is fetched."""

    url: Annotated[WebAddress, AfterValidator(_without_password)]


class TextSource(Body):
    """A specification that is sent."""

    text: Annotated[str, StringConstraints(min_length=1), AfterValidator(_not_too_long)]


SpecSource = Annotated[UrlSource | TextSource, BeforeValidator(_one_of_both)]


class CreateSpec(Body):
    slug: SpecSlug
    source: SpecSource


class WriteSpec(Body):
    source: SpecSource


class SpecError(WireModel):
    """What is wrong with a specification, for people; `code` is that of its processing."""

    message: str
    code: str | MISSING = MISSING


class SpecUrls(WireModel):
    location: Url
    app: Url


class OpenApiSpec(WireModel):
    """A specification, and how far its processing is."""

    object: Literal["openapi-spec"] = "openapi-spec"
    id: str
    created_at: Moment
    updated_at: Moment
    slug: SpecSlug
    source_url: Annotated[Url | MISSING, Field(alias="sourceURL")] = MISSING
    processing_state: ProcessingState
    visibility: Literal["private", "public"]
    last_version: str | MISSING = MISSING
    last_processed_at: Moment | MISSING = MISSING
    last_process_error_code: ErrorCode | MISSING = MISSING
    last_processed_errors: list[SpecError] | MISSING = MISSING
    permissions: dict[str, bool]
    urls: SpecUrls


class VersionUrls(WireModel):
    location: Url


class OpenApiSpecVersion(WireModel):
    """What a specification was at a time; `url` is where all of it is."""

    object: Literal["openapi-spec-version"] = "openapi-spec-version"
    id: str
    created_at: Moment
    url: Url
    urls: VersionUrls


class OpenApiSpecContent(WireModel):
    """All files of a specification, by their names, the document first."""

    filesystem: dict[str, Any]
    url: Url
