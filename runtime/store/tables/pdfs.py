"""PDFs that were made of content, or are being made."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules

HAS_BLOB = text("blob IS NOT NULL")


class PdfRow(Table):
    """A PDF of a revision, or of a page of it with what is in it, or of that page `only`.

    It is made once for all who ask: `blob` is there when it is done, `problem` when it cannot be made.
    """

    __tablename__ = "pdfs"
    __table_args__ = (
        Index("pdfs_of_what", "space_id", "revision_id", "page_id", "only", unique=True),
        Index("pdfs_by_use", "used_at", "id"),
        Index("pdfs_of_blob", "blob"),
        Index("pdfs_by_size", "space_id", "size", sqlite_where=HAS_BLOB, postgresql_where=HAS_BLOB),
    )
    taken: ClassVar[str] = "Somebody requested the same PDF concurrently; try again."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    revision_id: Mapped[str] = mapped_column(String(20))
    page_id: Mapped[str] = mapped_column(String(100), default="")
    only: Mapped[bool] = mapped_column(Boolean, default=False)
    name: Mapped[str] = mapped_column(String(200))
    blob: Mapped[str | None] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger, default=0)
    problem: Mapped[str | None] = mapped_column(String(500))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    used_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
