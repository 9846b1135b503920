"""Turns what a site tells of its visitors into events for integrations (docs/contract/scripts.md, "Events")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.events import EVENTS
from runtime.contract.insights import InsightsEvent, PagePostFeedback, PagePostFeedbackComment, PageView
from runtime.dispatch import outbox
from runtime.dispatch.matching import matching
from runtime.store import installed
from runtime.store.tables.sites import SiteRow

TOLD = ("site_view", "page_feedback")


def heard(session: Session, site: SiteRow) -> frozenset[str]:
    """Name what readers do that an integration on a site hears of: `site_view`, `page_feedback`."""
    candidates = installed.in_organization(session, site.organization_id, place=site.id)
    return frozenset(name for name in TOLD if matching(EVENTS[name], candidates, space_id=None, site_id=site.id))


def track(session: Session, site: SiteRow, events: Sequence[InsightsEvent]) -> None:
    """Commit `site_view` and `page_feedback` events for the integrations on a site that ask for them.

    A rating whose comment follows in the same batch is told once, with the comment.
    """
    commented = {_of(event) for event in events if isinstance(event, PagePostFeedbackComment)}
    candidates = installed.in_organization(session, site.organization_id, place=site.id)
    for event in events:
        if isinstance(event, PageView):
            outbox.emit(session, "site_view", candidates, _view(event), site_id=site.id)
        elif isinstance(event, PagePostFeedbackComment) or (
            isinstance(event, PagePostFeedback) and _of(event) not in commented
        ):
            outbox.emit(session, "page_feedback", candidates, _feedback(event), site_id=site.id)


def _of(event: InsightsEvent) -> tuple[str | None, ...]:
    """Tell apart visits of pages: who, when, where."""
    return event.session.visitor_id, event.session.session_id, event.location.page, event.location.url


def _view(event: InsightsEvent) -> dict[str, Any]:
    site_space = event.location.site_space
    return {**({"siteSpaceId": site_space} if site_space else {}), **_visit(event)}


def _feedback(event: PagePostFeedback | PagePostFeedbackComment) -> dict[str, Any]:
    return {"feedback": event.feedback.model_dump(mode="json", by_alias=True), **_visit(event)}


def _visit(event: InsightsEvent) -> dict[str, Any]:
    visitor: dict[str, Any] = {
        "anonymousId": event.session.visitor_id,
        "cookies": event.session.cookies,
        "userAgent": event.session.user_agent,
        "ip": event.session.ip,
    }
    if event.session.language is not None:
        visitor["language"] = event.session.language
    page = {"pageId": event.location.page} if event.location.page else {}
    return {**page, "visitor": visitor, "url": event.location.url, "referrer": event.session.referrer or ""}
