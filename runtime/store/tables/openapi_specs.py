"""API specifications of organizations, and their versions."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import JSON, BigInteger, ColumnElement, ForeignKey, Index, Integer, String, exists, false, func, select
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.levels import role_level
from runtime.store.reach import Reach
from runtime.store.tables.organizations import OrganizationRow


class OpenApiSpecRow(Table):
    """A specification: where it comes from, and how far its processing is.

    It comes from `source_url`, or from a text that waits as the blob `source_blob` to be processed. `revision` counts
    how often a source was given: what comes of an earlier one is thrown away.
    """

    __tablename__ = "openapi_specs"
    __table_args__ = (
        Index("openapi_specs_by_slug", "organization_id", "slug", unique=True),
        Index("openapi_specs_of_organization", "organization_id", "created_at", "id"),
        Index("openapi_specs_of_blob", "source_blob"),
    )
    taken: ClassVar[str] = "The organization already has an API specification with this slug; choose another one."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    slug: Mapped[str] = mapped_column(String(100))
    source_url: Mapped[str | None] = mapped_column(String(2048))
    source_blob: Mapped[str | None] = mapped_column(String(64))
    source_blob_came_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revision: Mapped[int] = mapped_column(Integer, default=1)
    state: Mapped[str] = mapped_column(String(10), default="pending")
    error_code: Mapped[str | None] = mapped_column(String(20))
    errors: Mapped[list[str]] = mapped_column(JSON, default=list)
    last_version: Mapped[str | None] = mapped_column(String(20))
    last_processed_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Members of the organization, and scripts where they are installed; what they need, the scopes say.

        Visitors of its sites as well: which of them a page shows is looked at where one is read.
        """
        if reach.kind == "visitor":
            return cls.organization_id == reach.home_id
        if reach.kind == "user":
            return cls.organization_id.in_(reach.organizations)
        visible = select(OrganizationRow.id).where(OrganizationRow.visible_to(reach))
        return cls.organization_id.in_(visible) if reach.kind in ("integration", "installation") else false()

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """A person's role in the organization."""
        return role_level(reach, cls.organization_id)


class OpenApiVersionRow(Table):
    """What a specification was at a time: the blob with all of its files, whose name tells versions apart."""

    __tablename__ = "openapi_spec_versions"
    __table_args__ = (
        Index("openapi_versions_of_spec", "spec_id", "created_at", "id"),
        Index("openapi_versions_of_blob", "blob"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    spec_id: Mapped[str] = mapped_column(ForeignKey("openapi_specs.id", ondelete="CASCADE"))
    blob: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Whoever sees the specification."""
        return exists().where(OpenApiSpecRow.id == cls.spec_id, OpenApiSpecRow.visible_to(reach)).correlate(cls)

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The level on the specification."""
        of = select(OpenApiSpecRow.level_for(reach)).where(OpenApiSpecRow.id == cls.spec_id)
        return func.coalesce(of.scalar_subquery(), 0)
