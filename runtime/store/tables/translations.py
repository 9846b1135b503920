"""Translation settings of organizations."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.levels import SeenByMembers


class TranslationRow(SeenByMembers, Table):
    __tablename__ = "translations"
    __table_args__ = (Index("translations_of_organization", "organization_id", "created_at", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(String(100))
    languages: Mapped[list[str]] = mapped_column(JSON, default=list)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)
