"""Sites and the spaces they are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, Boolean, ForeignKey, Integer, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.secrets import SealedJson


class SiteRow(Table):
    """A site. `visitor_auth_backend` is null, `custom`, or `integration` with the name of that integration."""

    __tablename__ = "sites"
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
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
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)


class SiteSpaceRow(Table):
    """A space attached to a site; `position` orders them, the first is the default."""

    __tablename__ = "site_spaces"

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), index=True)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), index=True)
    position: Mapped[int] = mapped_column(Integer, default=0)


class SiteAdaptiveSchemaRow(Table):
    """What a site knows of its visitors: the JSON schema of their claims."""

    __tablename__ = "site_adaptive_schemas"

    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), primary_key=True)
    json_schema: Mapped[dict[str, Any]] = mapped_column(JSON)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)


class VisitorSessionRow(Table):
    """A visitor who signed in: only the SHA-256 of the cookie is kept, and the claims of the token, sealed.

    It holds as long as the installation that signed the token.
    """

    __tablename__ = "visitor_sessions"

    digest: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), index=True)
    site_installation_id: Mapped[str] = mapped_column(
        ForeignKey("site_installations.id", ondelete="CASCADE"), index=True
    )
    claims: Mapped[dict[str, Any]] = mapped_column(SealedJson)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    expires_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
