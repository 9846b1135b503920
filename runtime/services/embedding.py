"""Finds the block for a pasted address (docs/contract/contentkit.md, "Link unfurling")."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.embedding import Embed, IntegrationBlocks, IntegrationEmbed, LinkEmbed
from runtime.contract.url_patterns import matches
from runtime.serializers.integrations import pictures_address
from runtime.store import searching
from runtime.store.reach import Reach
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.spaces import SpaceRow

MOST_BLOCKS = 16_000_000
"""Characters of all blocks of a space, as JSON: they are one answer."""


def blocks_of(session: Session, space: SpaceRow, reach: Reach) -> list[IntegrationBlocks]:
    """List the blocks of each integration that is active in a space and has some.

    Raises BadRequest where they are too long for one answer.
    """
    length = searching.length_of_blocks(session, space, reach)
    if length > MOST_BLOCKS:
        raise errors.BadRequest(
            f"The blocks of the integrations in this space have {length:,} characters with their icons; one answer "
            f"has at most {MOST_BLOCKS:,}. Uninstall integrations from the space, or make their icons smaller."
        )
    return [
        IntegrationBlocks(name=row.name, blocks=row.manifest["blocks"])
        for row in searching.active_on_space(session, space, reach)
        if row.manifest.get("blocks")
    ]


def embed(address: str, integrations: Iterable[IntegrationRow], at: Addresses) -> Embed:
    """Return the first block one of whose patterns is for the address, else a link."""
    host = urlsplit(address).hostname or ""
    for row in integrations:
        for block in row.manifest.get("blocks") or ():
            if any(matches(pattern, address) for pattern in block.get("urlUnfurl") or ()):
                icon = f"{pictures_address(row, at)}/icon.png" if row.manifest["icon"] else MISSING
                return IntegrationEmbed(title=block["title"], site=host, icon=icon, integration=row.name, block=block)
    return LinkEmbed(title=address, site=host)
