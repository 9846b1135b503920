"""Turns what a site tells of its visitors into events for integrations (contract/dispatch.md section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.insights import InsightsEvent, PagePostFeedback, PagePostFeedbackComment, PageView
from runtime.dispatch import outbox
from runtime.store import installed
from runtime.store.tables.sites import SiteRow


def track(session: Session, site: SiteRow, told: Sequence[InsightsEvent]) -> None:
    """Commit `site_view` and `page_feedback` events for the integrations on a site that ask for them.

    A rating whose comment follows in the same batch is told once, with the comment.
    """
    commented = {_of(one) for one in told if isinstance(one, PagePostFeedbackComment)}
    candidates = installed.in_organization(session, site.organization_id)
    for one in told:
        if isinstance(one, PageView):
            outbox.emit(session, "site_view", candidates, _view(one), site_id=site.id)
        elif isinstance(one, PagePostFeedbackComment) or (
            isinstance(one, PagePostFeedback) and _of(one) not in commented
        ):
            outbox.emit(session, "page_feedback", candidates, _feedback(one), site_id=site.id)


def _of(one: InsightsEvent) -> tuple[str | None, ...]:
    """Tell apart visits of pages: who, when, where."""
    return one.session.visitor_id, one.session.session_id, one.location.page, one.location.url


def _view(one: InsightsEvent) -> dict[str, Any]:
    site_space = one.location.site_space
    return {**({"siteSpaceId": site_space} if site_space else {}), **_visit(one)}


def _feedback(one: PagePostFeedback | PagePostFeedbackComment) -> dict[str, Any]:
    return {"feedback": one.feedback.model_dump(mode="json", by_alias=True), **_visit(one)}


def _visit(one: InsightsEvent) -> dict[str, Any]:
    visitor: dict[str, Any] = {
        "anonymousId": one.session.visitor_id,
        "cookies": one.session.cookies,
        "userAgent": one.session.user_agent,
        "ip": one.session.ip,
    }
    if one.session.language is not None:
        visitor["language"] = one.session.language
    page = {"pageId": one.location.page} if one.location.page else {}
    return {**page, "visitor": visitor, "url": one.location.url, "referrer": one.session.referrer or ""}
