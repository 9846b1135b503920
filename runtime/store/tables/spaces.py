"""Spaces."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now


class SpaceRow(Table):
    __tablename__ = "spaces"
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    title: Mapped[str] = mapped_column(String(50))
    emoji: Mapped[str] = mapped_column(String(50))
    visibility: Mapped[str] = mapped_column(String(20), default="private")
    edit_mode: Mapped[str] = mapped_column(String(10), default="locked")
    language: Mapped[str | None] = mapped_column(String(10))
    revision_id: Mapped[str] = mapped_column(String(20), default=new_id)
    default_level: Mapped[str | None] = mapped_column(String(10), default="inherit")
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)
