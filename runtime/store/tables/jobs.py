"""Work that goes on in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ForeignKey, Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules


class JobRow(Table):
    """A piece of work for an organization, about one `subject`; the row is deleted when it is over.

    `progress` is what it saved of itself, for whoever goes on with it after the process that ran it died.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("jobs_due", "due_at", "id"),
        Index("jobs_of_subject", "kind", "subject"),
        Index("jobs_of_organization", "organization_id"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    kind: Mapped[str] = mapped_column(String(40))
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    subject: Mapped[str] = mapped_column(String(100))
    payload: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    progress: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    due_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    holder: Mapped[str | None] = mapped_column(String(20))
    leased_until: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
