"""Which blobs there are, and which space needs which."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules


class BlobRow(Table):
    """A blob that is stored, named by the SHA-256 of its bytes.

    `touched_at` is when somebody last stored or copied it, `organization_id` the last organization that stored it, and
    `sent_at` when that was.
    """

    __tablename__ = "blobs"
    __table_args__ = (
        Index("blobs_touched", "touched_at", "name"),
        # With the sizes, so that adding them up reads no row.
        Index("blobs_of_organization", "organization_id", "sent_at", "size"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    touched_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    organization_id: Mapped[str | None] = mapped_column(String(20))
    sent_at: Mapped[datetime | None] = mapped_column(UtcTime)


class SpaceBlobRow(Table):
    """A blob that content of a space needs, or needed a while ago."""

    __tablename__ = "space_blobs"
    __table_args__ = (Index("space_blobs_of_blob", "name"),)
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    added_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
