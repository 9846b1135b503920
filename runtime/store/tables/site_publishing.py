"""How sites are reached and look: share links, redirects, settings of their looks."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.secrets import SealedText
from runtime.store.tables.sites import OF_SITE, PartOfSite


class ShareLinkRow(PartOfSite, Table):
    """A link with a key, by whose SHA-256 it is found."""

    __tablename__ = "site_share_links"
    __table_args__ = (Index("site_share_links_in_order", "site_id", "created_at", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(OF_SITE, frozenset(("created_at",)))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(50))
    active: Mapped[bool] = mapped_column(default=True)
    key: Mapped[str] = mapped_column(SealedText)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class RedirectRow(PartOfSite, Table):
    """Where visitors of a path are sent: to a section, a space, or a page of a space."""

    __tablename__ = "site_redirects"
    __table_args__ = (
        Index("site_redirects_in_order", "site_id", "created_at", "id"),
        Index("site_redirects_by_source", "site_id", "source", unique=True),
    )
    taken: ClassVar[str] = "The site already has a redirect from this path."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    source: Mapped[str] = mapped_column(String(512))
    site_section_id: Mapped[str | None] = mapped_column(ForeignKey("site_sections.id", ondelete="CASCADE"), index=True)
    site_space_id: Mapped[str | None] = mapped_column(ForeignKey("site_spaces.id", ondelete="CASCADE"), index=True)
    page_id: Mapped[str | None] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class SiteCustomizationRow(Table):
    """How a site looks, where somebody said so."""

    __tablename__ = "site_customizations"
    taken: ClassVar[str] = "The customization of this site was changed concurrently; check it, and try again."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), primary_key=True)
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)


class SiteSpaceCustomizationRow(Table):
    """What a space of a site has otherwise than the site."""

    __tablename__ = "site_space_customizations"
    taken: ClassVar[str] = "The customization of this space was changed concurrently; check it, and try again."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    site_space_id: Mapped[str] = mapped_column(ForeignKey("site_spaces.id", ondelete="CASCADE"), primary_key=True)
    overrides: Mapped[dict[str, Any]] = mapped_column(JSON)
