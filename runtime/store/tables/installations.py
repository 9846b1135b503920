"""Installations on organisations, spaces and sites, and the external ids they are found by."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ForeignKey, Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.secrets import SealedJson
from runtime.store.tables.integrations import new_signing_secret


class Configured:
    """The columns that every kind of installation has; `revision` moves with each change of configuration.

    `paused_by_person` tells that a person paused it, so that only people resume it.
    """

    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    status: Mapped[str] = mapped_column(String(10))
    paused: Mapped[bool] = mapped_column(default=False)
    paused_by_person: Mapped[bool] = mapped_column(default=False)
    configuration: Mapped[dict[str, Any]] = mapped_column(SealedJson, default=dict)
    revision: Mapped[int] = mapped_column(Integer, default=1)
    signing_secret: Mapped[str] = mapped_column(SealedJson, default=new_signing_secret)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)


class InstallationRow(Configured, Table):
    __tablename__ = "installations"
    __table_args__ = (Index("installations_of_integration", "integration_id", "organization_id"),)

    integration_id: Mapped[str] = mapped_column(ForeignKey("integrations.id", ondelete="CASCADE"))
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    space_selection: Mapped[str] = mapped_column(String(10), default="selected")
    site_selection: Mapped[str] = mapped_column(String(10), default="selected")


class SpaceInstallationRow(Configured, Table):
    __tablename__ = "space_installations"

    installation_id: Mapped[str] = mapped_column(ForeignKey("installations.id", ondelete="CASCADE"), index=True)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), index=True)


class SiteInstallationRow(Configured, Table):
    __tablename__ = "site_installations"

    installation_id: Mapped[str] = mapped_column(ForeignKey("installations.id", ondelete="CASCADE"), index=True)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), index=True)


class ExternalIdRow(Table):
    """One of at most five names an installation is known by elsewhere; `owner_id` is any kind of installation."""

    __tablename__ = "external_ids"
    __table_args__ = (UniqueConstraint("owner_id", "position"),)
    decides: ClassVar[bool] = True

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    owner_id: Mapped[str] = mapped_column(String(20), index=True)
    position: Mapped[int] = mapped_column(Integer)
    value: Mapped[str] = mapped_column(String(500), index=True)
