"""Integrations and their published versions."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, Boolean, ForeignKey, Integer, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, deferred, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.secrets import SealedJson


def new_signing_secret() -> str:
    """Make a signing secret: 32 random bytes in base64url."""
    return secrets.token_urlsafe(32)


class IntegrationRow(Table):
    """An integration; `version` is the number of its current version."""

    __tablename__ = "integrations"
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    version_id: Mapped[str] = mapped_column(String(20))
    version: Mapped[int] = mapped_column(Integer)
    visibility: Mapped[str] = mapped_column(String(10))
    target: Mapped[str] = mapped_column(String(20))
    title: Mapped[str] = mapped_column(String(30))
    manifest: Mapped[dict[str, Any]] = mapped_column(JSON)
    signing_secret: Mapped[str] = mapped_column(SealedJson, default=new_signing_secret)
    tunnel_url: Mapped[str | None] = mapped_column(String(256))
    tunnel_all: Mapped[bool] = mapped_column(Boolean, default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)


class VersionRow(Table):
    """One published version: the code, its secrets and its pictures."""

    __tablename__ = "integration_versions"
    __table_args__ = (UniqueConstraint("integration_id", "number"),)
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    integration_id: Mapped[str] = mapped_column(ForeignKey("integrations.id", ondelete="CASCADE"), index=True)
    number: Mapped[int] = mapped_column(Integer)
    runtime: Mapped[str] = mapped_column(String(10))
    entry: Mapped[str] = mapped_column(String(200))
    script: Mapped[str] = deferred(mapped_column(Text))
    secrets: Mapped[dict[str, str]] = mapped_column(SealedJson)
    report: Mapped[dict[str, Any]] = mapped_column(JSON)
    icon: Mapped[bytes | None] = deferred(mapped_column(LargeBinary))
    previews: Mapped[int] = mapped_column(Integer, default=0)
    published: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    published_by: Mapped[str | None] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class PreviewImageRow(Table):
    """A picture of what an integration looks like."""

    __tablename__ = "integration_previews"

    version_id: Mapped[str] = mapped_column(ForeignKey("integration_versions.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(Integer, primary_key=True)
    image: Mapped[bytes] = mapped_column(LargeBinary)
