"""Sites and the spaces they are made of."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now


class SiteRow(Table):
    __tablename__ = "sites"
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    type: Mapped[str] = mapped_column(String(20), default="basic")
    title: Mapped[str] = mapped_column(String(128))
    visibility: Mapped[str] = mapped_column(String(20), default="public")
    published: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)


class SiteSpaceRow(Table):
    """A space attached to a site; `position` orders them, the first is the default."""

    __tablename__ = "site_spaces"

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), index=True)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), index=True)
    position: Mapped[int] = mapped_column(Integer, default=0)
