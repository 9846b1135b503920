"""Identity providers of organizations, and sign-ins under way."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import Role
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, ORGANIZATION, EpochRules
from runtime.store.levels import SeenByMembers


class SamlProviderRow(SeenByMembers, Table):
    """An identity provider by which people sign in to an organization; what is not known yet is empty."""

    __tablename__ = "saml_providers"
    __table_args__ = (Index("saml_providers_of_organization", "organization_id", "created_at", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), frozenset(("created_at", "label")))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    label: Mapped[str] = mapped_column(String(30))
    sso_url: Mapped[str] = mapped_column(String(2048), default="")
    entity_id: Mapped[str] = mapped_column(String(1024), default="")
    certificate: Mapped[str] = mapped_column(Text, default="")
    default_team: Mapped[str | None] = mapped_column(ForeignKey("teams.id", ondelete="SET NULL"), index=True)
    default_role: Mapped[Role | None] = mapped_column(String(10))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @property
    def is_active(self) -> bool:
        """Return whether everything is known that a sign-in needs."""
        return bool(self.sso_url and self.entity_id and self.certificate.strip())


class SamlSignInRow(Table):
    """A sign-in that began here and has not ended: the request that its id names may be answered once.

    `browser` is the SHA-256 of what the browser that began it holds. When the answer was accepted, `code` is that of
    what the browser brings back, and `user_id` who signed in, until `signed_in_until` at most.
    """

    __tablename__ = "saml_sign_ins"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(48), primary_key=True)
    provider_id: Mapped[str] = mapped_column(ForeignKey("saml_providers.id", ondelete="CASCADE"), index=True)
    browser: Mapped[bytes] = mapped_column(LargeBinary(32))
    next: Mapped[str] = mapped_column(String(2048), default="")
    expires_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    code: Mapped[bytes | None] = mapped_column(LargeBinary(32), index=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    signed_in_until: Mapped[datetime | None] = mapped_column(UtcTime)
