"""Finds the block that is made for an address (docs/contract/contentkit.md, "Link unfurling")."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from pydantic import MISSING

from runtime.contract.addresses import Addresses
from runtime.contract.embedding import Embed, IntegrationBlocks, IntegrationEmbed, LinkEmbed
from runtime.contract.url_patterns import matches
from runtime.serializers.integrations import pictures_address
from runtime.store.tables.integrations import IntegrationRow


def blocks_of(integrations: Iterable[IntegrationRow]) -> list[IntegrationBlocks]:
    """List the blocks of each integration that has some."""
    return [
        IntegrationBlocks(name=row.name, blocks=row.manifest["blocks"])
        for row in integrations
        if row.manifest.get("blocks")
    ]


def embed(address: str, integrations: Iterable[IntegrationRow], at: Addresses) -> Embed:
    """Give the first block one of whose patterns is for the address, else a link."""
    host = urlsplit(address).hostname or ""
    for row in integrations:
        for block in row.manifest.get("blocks") or ():
            if any(matches(pattern, address) for pattern in block.get("urlUnfurl") or ()):
                icon = f"{pictures_address(row, at)}/icon.png" if row.manifest["icon"] else MISSING
                return IntegrationEmbed(title=block["title"], site=host, icon=icon, integration=row.name, block=block)
    return LinkEmbed(title=address, site=host)
