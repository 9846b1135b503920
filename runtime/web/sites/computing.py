"""Pages of a site that sources compute: what is computed for a page, before the page is written.

It is computed as the API computes it for a visitor: with what the visitor may see, and only what the content names. A
source without a valid answer leaves its place empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.api.host import Host
from runtime.services import content
from runtime.services.computed_content import ComputedContent
from runtime.services.computing import ContentSourceClient
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.rows import Reach
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.map import Computed, SiteMap
from runtime.web.sites.markdown import ENDING


def computed_for(host: Host, site: SiteRow, claims: Mapping[str, Any] | None, place: str) -> Computed:
    """Have computed what a page at a place shows, and what stands beside it; no transaction may be open."""
    with host.database.transaction(writes=False) as session:
        map_ = SiteMap(session, site, claims)
        part = map_.part_at(place)
        if part is None:
            return Computed()
        space, snapshot = map_.space_of(part), map_.snapshot_of(part)
        if not snapshot.sources and not any(map(_is_computed, snapshot.pages)):
            return Computed()
        revision_id = content.current(session, space).id
        spaces = frozenset(one.space_id for one in map_.parts.spaces)
    reach = Reach("visitor", site_id=site.id, home_id=site.organization_id, spaces=spaces)
    client = ContentSourceClient(host.database, host.plans, host.invoker, host.addresses)
    computed = ComputedContent(client, host.renders, host.database, host.blobs)
    reader = computed.reader(reach, space, revision_id, snapshot)
    filled: Snapshot = reader.filled() if snapshot.sources else snapshot
    map_.fill(Computed({space.id: filled}))
    shown = map_.at(place) or map_.at(place.removesuffix(ENDING))
    document = reader.document(shown.page) if shown is not None and _is_computed(shown.page) else None
    documents = {shown.page.id: document} if shown is not None and document is not None else {}
    return Computed({space.id: filled}, documents)


def _is_computed(page: Page) -> bool:
    return page.type == "document" and page.computed is not None
