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
from runtime.store.content.snapshot import Snapshot
from runtime.store.rows import Reach
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.indexes import is_index, parts_listed
from runtime.web.sites.markdown import ENDING
from runtime.web.sites.site_map import Computed, SiteMap


def computed_for(host: Host, site: SiteRow, claims: Mapping[str, Any] | None, place: str) -> Computed:
    """Have computed what a page at a place shows, and what stands beside it; no transaction may be open.

    For an index of the site, that is the pages of each space it lists, as far as one read may ask sources for them.
    """
    with host.database.transaction(writes=False) as session:
        map_ = SiteMap(session, site, claims)
        part = map_.part_at(place)
        index = is_index(place) and map_.at(place) is None
        parts = parts_listed(map_, site, place) if index else [part] if part is not None else []
        asked = {one.space_id: one for one in parts if _computes(map_.snapshot_of(one))}
        if not asked:
            return Computed()
        read = [
            (map_.space_of(one), map_.snapshot_of(one), content.current(session, map_.space_of(one)).id)
            for one in asked.values()
        ]
        spaces = frozenset(one.space_id for one in map_.parts.spaces)
    reach = Reach("visitor", site_id=site.id, home_id=site.organization_id, spaces=spaces)
    client = ContentSourceClient(host.database, host.plans, host.invoker, host.addresses)
    computed = ComputedContent(client, host.renders, host.database, host.blobs)
    readers = {space.id: computed.reader(reach, space, revision_id, snapshot) for space, snapshot, revision_id in read}
    filled: dict[str, Snapshot] = {
        space.id: readers[space.id].filled() if snapshot.sources else snapshot for space, snapshot, _ in read
    }
    map_.fill(Computed(filled))
    shown = map_.at(place) or map_.at(place.removesuffix(ENDING))
    if shown is None or shown.space.id not in readers or not shown.page.is_computed:
        return Computed(filled)
    document = readers[shown.space.id].document(shown.page)
    return Computed(filled, {shown.page.id: document} if document is not None else {})


def _computes(snapshot: Snapshot) -> bool:
    return bool(snapshot.sources) or any(page.is_computed for page in snapshot.pages)
