"""Sites and the spaces they are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    Boolean,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    and_,
    exists,
    func,
    select,
)
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, ORGANIZATION, EpochRules, Of
from runtime.store.levels import role_level
from runtime.store.reach import Reach
from runtime.store.secrets import SealedJson
from runtime.store.tables.installations import SiteInstallationRow, selected_content

OF_SITE = (Of("site_id", (("sites", ORGANIZATION),)),)


class SiteRow(Table):
    """A site. `visitor_auth_backend` is null, `custom`, or `integration` with the name of that integration.

    `auth_revision` counts the keys its visitors' tokens were signed with, `fallback_url` is where they sign in.
    """

    __tablename__ = "sites"
    __table_args__ = (
        Index("sites_of_organization", "organization_id", "created_at", "id"),
        Index("sites_proxy", "proxy", unique=True),
    )
    taken: ClassVar[str] = "Another site is reached at this address already."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), frozenset(("title", "created_at")))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    type: Mapped[str] = mapped_column(String(20), default="basic")
    title: Mapped[str] = mapped_column(String(128))
    visibility: Mapped[str] = mapped_column(String(20), default="public")
    published: Mapped[bool] = mapped_column(default=False)
    basename: Mapped[str | None] = mapped_column(String(100))
    proxy: Mapped[str | None] = mapped_column(String(512))
    adaptive_content: Mapped[bool] = mapped_column(Boolean, default=False)
    agents_context: Mapped[str] = mapped_column(String(10), default="included")
    visitor_auth_backend: Mapped[str | None] = mapped_column(String(20))
    visitor_auth_integration: Mapped[str | None] = mapped_column(String(100))
    auth_revision: Mapped[int] = mapped_column(Integer, default=1)
    fallback_url: Mapped[str | None] = mapped_column(String(2048))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Members see it, installations that select it, and visitors while it is published."""
        alive = cls.deleted_at.is_(None)
        if reach.kind == "user":
            return and_(alive, cls.organization_id.in_(reach.organizations))
        if reach.kind == "visitor":
            return and_(alive, cls.published, cls.id == reach.site_id)
        return and_(
            alive, selected_content(reach, cls, SiteInstallationRow, SiteInstallationRow.site_id, "site_selection")
        )

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """A person's role in the organization."""
        return role_level(reach, cls.organization_id)


class PartOfSite:
    """What belongs to a site: who sees the site sees it, and the level on the site decides over it."""

    epoch_rules: ClassVar[EpochRules | None] = EpochRules(OF_SITE)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"))

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Who sees the site sees what it is made of."""
        return exists().where(SiteRow.id == cls.site_id, SiteRow.visible_to(reach))

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The level on the site."""
        of = select(SiteRow.level_for(reach)).where(SiteRow.id == cls.site_id)
        return func.coalesce(of.scalar_subquery(), 0)


class SiteAdaptiveSchemaRow(Table):
    """What a site knows of its visitors: the JSON schema of their claims."""

    __tablename__ = "site_adaptive_schemas"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), primary_key=True)
    json_schema: Mapped[dict[str, Any]] = mapped_column(JSON)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)


class VisitorSessionRow(Table):
    """A visitor who signed in: only the SHA-256 of the cookie is kept, and the claims of the token, sealed.

    It holds as long as the installation that signed the token, of which there is none where the site's owners did.
    """

    __tablename__ = "visitor_sessions"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    digest: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), index=True)
    site_installation_id: Mapped[str | None] = mapped_column(
        ForeignKey("site_installations.id", ondelete="CASCADE"), index=True
    )
    claims: Mapped[dict[str, Any]] = mapped_column(SealedJson)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    expires_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
