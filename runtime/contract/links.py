"""Links of pages: what they lead to, and whether it is there (docs/contract/api.md, "Links")."""

from __future__ import annotations

from typing import Literal

from pydantic import MISSING

from runtime.contract.base import JsonObject, ListQuery, Next, WireModel

LinkStatus = Literal["ok", "broken", "in-app"]
MAX_PLACES = 100
"""Places that are shown of one target."""


class LinksQuery(ListQuery):
    """`status` leaves out what has another one."""

    status: LinkStatus | None = None


class ChangeRequestLinksQuery(LinksQuery):
    """`brokenContext` leaves only broken links: those that the change request broke, or those the space has already."""

    broken_context: Literal["change-request", "space"] | None = None


class BrokenLinks(WireModel):
    """How many links are broken; `change_request` counts those that were not before it."""

    total: int
    change_request: int | MISSING = MISSING


class LinkStats(WireModel):
    """How many links there are, each place counted."""

    total: int
    broken: BrokenLinks


class LinkList(WireModel):
    """A page of what is linked to, with the places of each target; `count` is the number of targets."""

    items: list[JsonObject]
    count: int
    next: Next | MISSING = MISSING
    stats: LinkStats
