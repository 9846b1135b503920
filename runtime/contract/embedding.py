"""The embed of an address in a page: an integration's block, or a link."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, StringConstraints

from runtime.contract.base import Query, WireModel
from runtime.contract.url_parts import split_url

LeftOut = Literal["icon", "urlUnfurl", "blocks"]


class IntegrationBlocks(WireModel):
    """The blocks of one integration; `leftOut` names what of them is not there as it would be too long (extension)."""

    name: str
    blocks: list[dict[str, Any]]
    left_out: list[LeftOut] | MISSING = MISSING


class LinkEmbed(WireModel):
    type: Literal["link"] = "link"
    title: str
    site: str
    icon: str | MISSING = MISSING


class IntegrationEmbed(WireModel):
    """A block for the address; its component is rendered with the action `@link.unfurl`."""

    type: Literal["integration"] = "integration"
    title: str
    site: str
    icon: str | MISSING = MISSING
    integration: str
    block: dict[str, Any]


Embed = LinkEmbed | IntegrationEmbed


def _is_web_address(address: str) -> str:
    if any(ord(character) <= 32 or ord(character) == 127 for character in address):
        raise ValueError("an address must not contain spaces or control characters")
    try:
        parts = split_url(address)
        is_web = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web:
        raise ValueError("write an absolute address: `https://...`")
    return address


WebAddress = Annotated[str, StringConstraints(min_length=1, max_length=2048), AfterValidator(_is_web_address)]


class EmbedQuery(Query):
    url: WebAddress
