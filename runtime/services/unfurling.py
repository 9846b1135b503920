"""Finds the block that is made for an address (docs/contract/contentkit.md, "Link unfurling").

There are many manifests, and some are long. Each version's URL patterns are cached, so that later lookups read
only the manifest whose block is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.batches import batched
from runtime.contract.embedding import Embed, IntegrationEmbed, LinkEmbed
from runtime.contract.url_parts import split_url
from runtime.contract.url_patterns import lower_host, matches
from runtime.serializers.integrations import pictures_address
from runtime.store import rows
from runtime.store.fair_memory import FairMemory
from runtime.store.searching import AT_ONCE, Current
from runtime.store.tables.integrations import IntegrationRow

HEAVIEST = 16 * 1024 * 1024
"""Bytes of all patterns that are remembered, about."""
OVERHEAD, OF_EACH = 400, 200
"""Bytes in memory that a version and a pattern take beside the pattern's characters, about."""


class _Pattern(NamedTuple):
    head: str
    """What an address must begin with, before anything else is looked at."""
    whole: str


class Unfurling:
    """The patterns of versions, by the organizations that published them; safe to use from many threads."""

    def __init__(self) -> None:
        self._kept: FairMemory[str, tuple[_Pattern, ...]] = FairMemory(HEAVIEST)

    def embed(self, session: Session, address: str, among: Sequence[Current], at: Addresses) -> Embed:
        """Return the first block, in the integrations' order, with a pattern matching the address; else a link."""
        host = split_url(address).hostname or ""
        for row in self._made_for(session, address, among):
            for block in row.manifest.get("blocks") or ():
                if any(matches(pattern, address) for pattern in block.get("urlUnfurl") or ()):
                    icon = f"{pictures_address(row, at)}/icon.png" if row.manifest["icon"] else MISSING
                    return IntegrationEmbed(
                        title=block["title"], site=host, icon=icon, integration=row.name, block=block
                    )
        return LinkEmbed(title=address, site=host)

    def _made_for(self, session: Session, address: str, among: Sequence[Current]) -> Iterator[IntegrationRow]:
        """Find the integrations that have a pattern for the address, in their order."""
        lowered = lower_host(address)
        for some in batched(among, AT_ONCE):
            patterns = {one.id: self._kept.use(one.version_id) for one in some}
            missing = [one for one, known in patterns.items() if known is None]
            if missing:
                patterns |= {row.id: self._read(row) for row in rows.by_id(session, IntegrationRow, missing).values()}
            for one in some:
                if any(
                    lowered.startswith(pattern.head) and matches(pattern.whole, address)
                    for pattern in patterns[one.id] or ()
                ):
                    yield from rows.by_id(session, IntegrationRow, [one.id]).values()

    def _read(self, row: IntegrationRow) -> tuple[_Pattern, ...]:
        every = [one for block in row.manifest.get("blocks") or () for one in block.get("urlUnfurl") or ()]
        patterns = tuple(_Pattern(lower_host(one).partition("*")[0], one) for one in every)
        size = OVERHEAD + sum(OF_EACH + 2 * len(one) for one in every)
        self._kept.keep(row.version_id, patterns, row.organization_id, size)
        return patterns
