"""By which way a visitor comes into a published site: openly, with a share link, or signed in.

A token of the content says which way its visitor came, and ends when that is closed: a link that is switched off, a key
that is another one now, a visibility that changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from runtime.services import visitor_keys
from runtime.services.visitor_keys import BadToken
from runtime.store import content_tokens, share_links
from runtime.store.content_tokens import ContentClaims, Preview
from runtime.store.tables.sites import SiteRow

UNSIGNED = "unsigned"
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Entry:
    """A visitor who is in: what they claim, the key they came with, and until when their own token holds."""

    way: str
    claims: Mapping[str, Any]
    share_key: str | None = None
    until: float | None = None

    def token(self, site: SiteRow, preview: Preview | None = None) -> str:
        """Make a token that reads the site for this visitor, and what somebody previews of it."""
        return content_tokens.sign(
            site.id, site.organization_id, self.way, self.claims, self.share_key, self.until, preview
        )


def enter(
    session: Session, site: SiteRow, token: str | None, unsigned: Mapping[str, Any], share_key: str | None
) -> Entry | None:
    """Let a visitor in; None for whom it is closed. Raises BadToken where one must sign in with another token.

    Of an open site a token only tells more of the visitor: one that is not accepted tells nothing.
    """
    way = way_into(session, site, share_key)
    if way is None or (site.visibility == "visitor-auth" and token is None):
        return None
    signed: Mapping[str, Any] = {}
    until = None
    key = visitor_keys.key_of(session, site) if token is not None else None
    if token is not None and key is not None:
        try:
            signed, moment = visitor_keys.claims_of(key, token)
            until = moment.timestamp()
        except BadToken:
            if site.visibility == "visitor-auth":
                raise
    claims = signed_claims(signed)
    claims |= {UNSIGNED: dict(unsigned)} if unsigned else {}
    return Entry(way, claims, share_key if site.visibility == "share-link" else None, until)


def signed_claims(signed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a token says: what it calls unsigned would pass for what the visitor says now."""
    return {name: value for name, value in signed.items() if name != UNSIGNED}


def way_into(session: Session, site: SiteRow, share_key: str | None) -> str | None:
    """Name the way into a site as it is now; None where it is closed."""
    if site.visibility == "share-link":
        link = share_links.active(session, site, share_key) if share_key else None
        return f"link {link.id}" if link is not None else None
    if site.visibility == "visitor-auth":
        key = visitor_keys.key_of(session, site)
        return f"key {hashlib.sha256(key.encode()).hexdigest()[:20]}" if key is not None else None
    return OPEN


def still_open(session: Session, site: SiteRow, claims: ContentClaims) -> bool:
    """Return whether the way by which the visitor of a token came in is still open."""
    return way_into(session, site, claims.share_key) == claims.entry
