"""Git: what is to be imported or exported, and what was at last."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, Boolean, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.secrets import SealedText


class GitOperationRow(Table):
    """An import from a repository or an export to one; the row goes when it is over, with the credentials in its `url`.

    `revision_id` is that of the revision to come, from the start. `values` has what else was asked for.
    `commit_id` is the commit that integrations were told of.
    """

    __tablename__ = "git_operations"
    __table_args__ = (Index("git_operations_of_space", "space_id"),)
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    direction: Mapped[str] = mapped_column(String(10))
    url: Mapped[str] = mapped_column(SealedText)
    ref: Mapped[str] = mapped_column(Text)
    directory: Mapped[str] = mapped_column(Text, default="")
    values: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    asked_at: Mapped[datetime | None] = mapped_column(UtcTime)
    force: Mapped[bool] = mapped_column(Boolean, default=False)
    revision_id: Mapped[str] = mapped_column(String(20), default=new_id)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    integration_id: Mapped[str | None] = mapped_column(String(20))
    installation_id: Mapped[str | None] = mapped_column(String(20))
    commit_id: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class GitSyncRow(Table):
    """Where a space is synchronized with, and how the last operation ended.

    `repository`, `ref` and `directory` say where `commit_id` is, from or to which `revision_id` went, and
    `same` whether both say the same; `asked_at` is the
    latest `timestamp` of what was done. `provider` and `url` are what the caller said about itself.
    """

    __tablename__ = "git_syncs"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    provider: Mapped[str | None] = mapped_column(String(20))
    url: Mapped[str | None] = mapped_column(Text)
    repository: Mapped[str | None] = mapped_column(Text)
    ref: Mapped[str | None] = mapped_column(Text)
    directory: Mapped[str | None] = mapped_column(Text)
    commit_id: Mapped[str | None] = mapped_column(String(64))
    revision_id: Mapped[str | None] = mapped_column(String(20))
    same: Mapped[bool] = mapped_column(Boolean, default=False)
    asked_at: Mapped[datetime | None] = mapped_column(UtcTime)
    direction: Mapped[str | None] = mapped_column(String(10))
    state: Mapped[str | None] = mapped_column(String(10))
    error: Mapped[str | None] = mapped_column(Text)
    problems: Mapped[list[str]] = mapped_column(JSON, default=list)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
