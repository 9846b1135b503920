"""Integrations and their published versions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import (
    JSON,
    Boolean,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    exists,
    false,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Mapped, deferred, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import INTEGRATION, NOT_KEPT, EpochRules, Of
from runtime.store.levels import role_level
from runtime.store.reach import Reach
from runtime.store.secrets import SealedJson, new_signing_secret
from runtime.store.tables.installations import InstallationRow

TUNNELED = text("tunnel_url IS NOT NULL")


class IntegrationRow(Table):
    """An integration; `version` is the number of its current version."""

    __tablename__ = "integrations"
    __table_args__ = (
        Index("integrations_listed", "created_at", "id"),
        Index("integrations_of_organization", "organization_id", "created_at", "id"),
        Index("integrations_tunneled", "tunnel_url", sqlite_where=TUNNELED, postgresql_where=TUNNELED),
    )
    taken: ClassVar[str] = "The name of this integration is taken; choose another one."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (Of("id"),),
        frozenset(("title", "created_at", "updated_at")),  # what a title is changed with is a new version
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    version_id: Mapped[str] = mapped_column(String(20))
    version: Mapped[int] = mapped_column(Integer)
    visibility: Mapped[str] = mapped_column(String(10))
    target: Mapped[str] = mapped_column(String(20))
    title: Mapped[str] = mapped_column(String(30))
    manifest: Mapped[dict[str, Any]] = mapped_column(JSON)
    signing_secret: Mapped[str] = mapped_column(SealedJson, default=new_signing_secret)
    tunnel_url: Mapped[str | None] = mapped_column(String(256))
    tunnel_all: Mapped[bool] = mapped_column(Boolean, default=False)
    tunnel_by: Mapped[str | None] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """A private integration exists for its owner and for who installed it; an unlisted one is found by its name."""
        return or_(cls.visibility.in_(("public", "unlisted")), cls._concerns(reach))

    @classmethod
    def listed_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Only public integrations are listed to everybody; to a script, of all others only itself."""
        return or_(cls.visibility == "public", cls._concerns(reach))

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """A person's role in the organization that owns the integration."""
        return role_level(reach, cls.organization_id)

    @classmethod
    def _concerns(cls, reach: Reach) -> ColumnElement[bool]:
        """Match an actor's integrations: a script's own; those that organizations of people and visitors have."""
        if reach.kind not in ("user", "visitor"):
            return cls.id == reach.integration_id
        homes = reach.organizations if reach.kind == "user" else (reach.home_id,)
        # Said outright: a query that joins installations would take this one's for its own.
        installed = (
            exists()
            .where(
                InstallationRow.integration_id == cls.id,
                InstallationRow.deleted_at.is_(None),
                InstallationRow.organization_id.in_(homes),
            )
            .correlate(cls)
        )
        return or_(cls.organization_id.in_(reach.organizations), installed)

    @classmethod
    def owned_by(cls, reach: Reach) -> ColumnElement[bool]:
        """Match the integrations that a person's organizations own."""
        return cls.organization_id.in_(reach.organizations)


class LevelOfIntegration:
    """Mixin for tables whose rows belong to an integration; must precede `Table`."""

    if TYPE_CHECKING:
        integration_id: Any

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The level on the integration."""
        of = select(IntegrationRow.level_for(reach)).where(IntegrationRow.id == cls.integration_id)
        return func.coalesce(of.scalar_subquery(), 0)


class VersionRow(LevelOfIntegration, Table):
    """One published version: the code, its secrets and its pictures, and how many bytes all of it has."""

    __tablename__ = "integration_versions"
    __table_args__ = (
        UniqueConstraint("integration_id", "number"),
        Index("integration_versions_by_size", "integration_id", "size"),
    )
    taken: ClassVar[str] = "Another version was published concurrently; publish again."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (INTEGRATION,), frozenset(("icon", "previews", "published_by", "created_at"))
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    integration_id: Mapped[str] = mapped_column(ForeignKey("integrations.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(Integer)
    runtime: Mapped[str] = mapped_column(String(10))
    entry: Mapped[str] = mapped_column(String(200))
    script: Mapped[str] = deferred(mapped_column(Text))
    secrets: Mapped[dict[str, str]] = mapped_column(SealedJson)
    report: Mapped[dict[str, Any]] = mapped_column(JSON)
    icon: Mapped[bytes | None] = deferred(mapped_column(LargeBinary))
    previews: Mapped[int] = mapped_column(Integer, default=0)
    size: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    published: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    published_by: Mapped[str | None] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Versions are their owners' business."""
        if reach.kind != "user":
            return false()
        return cls.integration_id.in_(select(IntegrationRow.id).where(IntegrationRow.owned_by(reach)))


class PreviewImageRow(Table):
    """A picture of what an integration looks like."""

    __tablename__ = "integration_previews"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    version_id: Mapped[str] = mapped_column(ForeignKey("integration_versions.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(Integer, primary_key=True)
    image: Mapped[bytes] = mapped_column(LargeBinary)
