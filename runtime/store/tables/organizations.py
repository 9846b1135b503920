"""Organisations, users, members and their tokens."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now


class OrganizationRow(Table):
    __tablename__ = "organizations"
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    title: Mapped[str] = mapped_column(String(255))
    hostname: Mapped[str | None] = mapped_column(String(32), unique=True)
    type: Mapped[str] = mapped_column(String(20), default="business")
    default_role: Mapped[str | None] = mapped_column(String(10), default="read")
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class UserRow(Table):
    __tablename__ = "users"

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    display_name: Mapped[str] = mapped_column(String(100))
    email: Mapped[str] = mapped_column(String(320), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class MemberRow(Table):
    __tablename__ = "members"
    decides: ClassVar[bool] = True

    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str | None] = mapped_column(String(10))
    joined_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class TokenRow(Table):
    """A personal token: only its SHA-256 is kept."""

    __tablename__ = "tokens"
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
