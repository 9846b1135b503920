"""Installations on organizations, spaces and sites, and the external ids they are found by."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    String,
    UniqueConstraint,
    and_,
    exists,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import INTEGRATION, ORGANIZATION, EpochRules, Of
from runtime.store.levels import role_level
from runtime.store.reach import Reach
from runtime.store.secrets import SealedJson, new_signing_secret

TIMES = frozenset(("created_at", "updated_at"))
OF_INSTALLATION = (
    Of("installation_id", (("installations", ORGANIZATION),)),
    Of("installation_id", (("installations", INTEGRATION),)),
)
"""The organization of the installation, and its integration, with which it goes."""

LIVE = text("deleted_at IS NULL")
GONE = text("deleted_at IS NOT NULL")
LARGE = text("size > 0")


def live(name: str, *columns: str) -> Index:
    """Let no two rows that are not deleted have the same values in these columns."""
    return Index(name, *columns, unique=True, sqlite_where=LIVE, postgresql_where=LIVE)


def gone(name: str) -> Index:
    """Find what was deleted long ago without reading what was not."""
    return Index(name, "deleted_at", sqlite_where=GONE, postgresql_where=GONE)


def large(name: str, *columns: str) -> Index:
    """Add up the bytes of long configurations without reading the others."""
    return Index(name, *columns, "size", sqlite_where=LARGE, postgresql_where=LARGE)


class Configured:
    """The columns that every kind of installation has; `revision` moves with each change of configuration.

    `paused_by_person` tells that a person paused it, so that only people resume it; `size` is the bytes of a
    configuration that counts as what its organization stores, 0 of short ones.
    """

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    status: Mapped[str] = mapped_column(String(10))
    paused: Mapped[bool] = mapped_column(default=False)
    paused_by_person: Mapped[bool] = mapped_column(default=False)
    configuration: Mapped[dict[str, Any]] = mapped_column(SealedJson, default=dict)
    size: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    revision: Mapped[int] = mapped_column(Integer, default=1)
    signing_secret: Mapped[str] = mapped_column(SealedJson, default=new_signing_secret)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)


class InstallationRow(Configured, Table):
    """An installation on an organization.

    `for_organization` tells that it was made of an integration for organizations: its blocks are in each space.
    """

    __tablename__ = "installations"
    __table_args__ = (
        live("installations_live", "integration_id", "organization_id"),
        gone("installations_gone"),
        Index("installations_of_integration", "integration_id", "created_at", "id"),
        large("installations_large", "organization_id"),
        Index("installations_of_organization", "organization_id", "created_at", "id"),
    )
    taken: ClassVar[str] = "The integration is already installed on this organization."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), TIMES, rests_on=(ORGANIZATION, INTEGRATION))

    integration_id: Mapped[str] = mapped_column(ForeignKey("integrations.id", ondelete="CASCADE"))
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    space_selection: Mapped[str] = mapped_column(String(10), default="selected")
    site_selection: Mapped[str] = mapped_column(String(10), default="selected")
    for_organization: Mapped[bool] = mapped_column(default=False)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """An integration sees its installations, an installation itself, people those of their organizations."""
        alive = cls.deleted_at.is_(None)
        if reach.kind == "integration":
            return and_(alive, cls.integration_id == reach.integration_id)
        if reach.kind == "installation":
            return and_(alive, cls.id == reach.installation_id)
        return and_(alive, cls.organization_id.in_(reach.organizations))

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """A person's role in the organization it is installed on."""
        return role_level(reach, cls.organization_id)

    @classmethod
    def within(cls, organization_id: str) -> ColumnElement[bool]:
        """Match the installations on an organization."""
        return cls.organization_id == organization_id


class Part(Configured):
    """What installations on spaces and on sites have in common: they stand and fall with their installation."""

    epoch_rules: ClassVar[EpochRules | None] = EpochRules(OF_INSTALLATION[:1], TIMES, rests_on=OF_INSTALLATION)

    installation_id: Mapped[str] = mapped_column(ForeignKey("installations.id", ondelete="CASCADE"))

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Who sees the installation sees where it is installed."""
        parent = exists().where(InstallationRow.id == cls.installation_id, InstallationRow.visible_to(reach))
        return and_(cls.deleted_at.is_(None), parent)

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The level on the installation."""
        of = select(InstallationRow.level_for(reach)).where(InstallationRow.id == cls.installation_id)
        return func.coalesce(of.scalar_subquery(), 0)

    @classmethod
    def within(cls, organization_id: str) -> ColumnElement[bool]:
        """Match those that belong to an organization."""
        return exists().where(InstallationRow.id == cls.installation_id, InstallationRow.within(organization_id))


class SpaceInstallationRow(Part, Table):
    __tablename__ = "space_installations"
    __table_args__ = (
        live("space_installations_live", "installation_id", "space_id"),
        gone("space_installations_gone"),
        large("space_installations_large", "installation_id"),
        Index("space_installations_of_installation", "installation_id", "created_at", "id"),
    )
    taken: ClassVar[str] = "The integration is already installed on this space."

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), index=True)


class SiteInstallationRow(Part, Table):
    __tablename__ = "site_installations"
    __table_args__ = (
        live("site_installations_live", "installation_id", "site_id"),
        gone("site_installations_gone"),
        large("site_installations_large", "installation_id"),
        Index("site_installations_of_installation", "installation_id", "created_at", "id"),
    )
    taken: ClassVar[str] = "The integration is already installed on this site."

    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), index=True)


class ExternalIdRow(Table):
    """One of at most five names an installation is known by elsewhere; `owner_id` is any kind of installation."""

    __tablename__ = "external_ids"
    __table_args__ = (UniqueConstraint("owner_id", "position"), Index("external_ids_by_value", "value", "owner_id"))
    taken: ClassVar[str] = "The external ids were changed concurrently; check them, and try again."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (
            Of(
                "owner_id",
                (
                    ("installations", ORGANIZATION),
                    ("space_installations", OF_INSTALLATION[0]),
                    ("site_installations", OF_INSTALLATION[0]),
                ),
            ),
        )
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    owner_id: Mapped[str] = mapped_column(String(20))
    position: Mapped[int] = mapped_column(Integer)
    value: Mapped[str] = mapped_column(String(500))


def selected_content(reach: Reach, table: Any, part: Any, part_key: Any, selection: str) -> ColumnElement[bool]:
    """Match the spaces or sites (`table`) that a script's installations select.

    `part` is the table of installations on them, `part_key` its column of their ids, and `selection` the column of an
    installation that may say `all`.
    """
    mine = (
        InstallationRow.id == reach.installation_id
        if reach.kind == "installation"
        else InstallationRow.integration_id == reach.integration_id
    )
    # Said outright: a query inside a query inside a query is tied to the innermost one around it only.
    installed = (
        exists()
        .where(part.installation_id == InstallationRow.id, part_key == table.id, part.deleted_at.is_(None))
        .correlate(InstallationRow, table)
    )
    return (
        exists()
        .where(
            mine,
            InstallationRow.deleted_at.is_(None),
            InstallationRow.organization_id == table.organization_id,
            or_(getattr(InstallationRow, selection) == "all", installed),
        )
        .correlate(table)
    )
