"""The index behind search (`runtime/store/search_index`): made of the current content of each space, and of it alone.

It holds nothing that could not be made again. The host reads it for whoever may see the space.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Index, Integer, LargeBinary, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from runtime.store.database import Table, UtcTime
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.search_index.words import MOST_BYTES


class SearchSpaceRow(Table):
    """How far the index of a space is: `revision_id` is what it says, whole; `version` is that of its form.

    `generation` counts its changes: who prepared one for an older generation begins again. Until `leased_until` one
    process works on it alone.
    """

    __tablename__ = "search_spaces"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    revision_id: Mapped[str | None] = mapped_column(String(20))
    version: Mapped[int] = mapped_column(Integer, default=0)
    generation: Mapped[int] = mapped_column(Integer, default=0)
    pages: Mapped[int] = mapped_column(Integer, default=0)
    leased_until: Mapped[datetime | None] = mapped_column(UtcTime)


class SearchPageRow(Table):
    """A page as it was indexed: `content` is compressed JSON of its description and sections.

    `fingerprint` names all that it was made of, and `drawn` what it shows of reusable contents and variables of the
    space, null where it shows none. One that is not `listed` is not found by visitors of sites.
    """

    __tablename__ = "search_pages"
    __table_args__ = (
        Index("search_pages_by_number", "space_id", "number", unique=True),
        Index(
            "search_pages_unlisted",
            "space_id",
            "number",
            sqlite_where=text("NOT listed"),
            postgresql_where=text("NOT listed"),
        ),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    page_id: Mapped[str] = mapped_column(String(100), primary_key=True)
    number: Mapped[int] = mapped_column(Integer)
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(16))
    drawn: Mapped[bytes | None] = mapped_column(LargeBinary(16))
    listed: Mapped[bool] = mapped_column(default=True)
    title: Mapped[str] = mapped_column(Text)
    path: Mapped[str] = mapped_column(Text)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class SearchWordRow(Table):
    """A word of a space; `backward` is the word from its last letter on, to find it by its end."""

    __tablename__ = "search_words"
    __table_args__ = (Index("search_words_backward", "space_id", "backward"), {"sqlite_with_rowid": False})
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    word: Mapped[bytes] = mapped_column(LargeBinary(MOST_BYTES), primary_key=True)
    backward: Mapped[bytes] = mapped_column(LargeBinary(MOST_BYTES))


class SearchPostingRow(Table):
    """The pages of one chunk that have a word (`runtime/store/search_index/postings.py`)."""

    __tablename__ = "search_postings"
    __table_args__ = ({"sqlite_with_rowid": False},)
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    word: Mapped[bytes] = mapped_column(LargeBinary(MOST_BYTES), primary_key=True)
    chunk: Mapped[int] = mapped_column(Integer, primary_key=True)
    entries: Mapped[bytes] = mapped_column(LargeBinary)
