"""Events: the outbox, the deliveries and what the calls left behind, in one row each."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, ColumnElement, Float, Index, Integer, String, select, text
from sqlalchemy.orm import Mapped, deferred, mapped_column

from runtime.store.database import Table, UtcTime
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.reach import Reach
from runtime.store.secrets import SealedText
from runtime.store.tables.integrations import IntegrationRow, LevelOfIntegration

UNFINISHED = ("pending", "failed", "claimed")
OVER = text("state IN ('delivered', 'given-up')")
STANDING = text(f"state IN {UNFINISHED}")
HELD = text("held IS NOT NULL")


class EventRow(LevelOfIntegration, Table):
    """One event for one installation, or for the integration itself.

    `state`: pending -> claimed -> delivered | failed (comes again at `due_at`) | given-up. `lane` names what is
    delivered in order. `payload`, `trace` and `body` are sealed: configurations and visitors are in them. Rows of calls
    somebody waited for are written when they are over. Times of the queue are seconds since the epoch, so that both
    databases compare them alike. `held` is set for events that a change of configuration caused: the seconds they were
    held back because there were too many. `ended_at` is when the latest attempt was written down: who follows an
    integration reads on from there. `source` is null for what the platform caused, `people` for calls somebody with a
    token waited for, `visitors` for what anybody may cause: each is kept by itself, so that none pushes out another.
    `size` is the bytes of the payload of what was queued, null for calls somebody waited for.
    """

    __tablename__ = "events"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT
    __table_args__ = (
        # What is not over, in the order it is taken in; what is over is most of the table.
        Index("events_standing", "seq", sqlite_where=STANDING, postgresql_where=STANDING),
        # With the bytes, so that adding them up reads no row.
        Index("events_waiting", "integration_id", "size", sqlite_where=STANDING, postgresql_where=STANDING),
        Index("events_due", "state", "due_at"),
        Index("events_of_integration", "integration_id", "seq"),
        Index("events_ended", "integration_id", "ended_at", "seq"),
        # What is over, by what it is counted by when the oldest is forgotten; not past all that waits.
        Index("events_over", "integration_id", "state", "source", "seq", sqlite_where=OVER, postgresql_where=OVER),
        Index("events_held", "installation_id", "due_at", sqlite_where=HELD, postgresql_where=HELD),
    )

    seq: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    id: Mapped[str] = mapped_column(String(20), unique=True)
    integration_id: Mapped[str] = mapped_column(String(20))
    installation_id: Mapped[str | None] = mapped_column(String(20), index=True)
    lane: Mapped[str] = mapped_column(String(20))
    type: Mapped[str] = mapped_column(String(40))
    source: Mapped[str | None] = mapped_column(String(10))
    payload: Mapped[str] = mapped_column(SealedText)
    size: Mapped[int | None] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(10))
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    due_at: Mapped[float] = mapped_column(Float)
    lease_owner: Mapped[str | None] = mapped_column(String(20))
    lease_until: Mapped[float | None] = mapped_column(Float)
    answer: Mapped[int | None] = mapped_column(Integer)
    duration_ms: Mapped[float | None] = mapped_column(Float)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    held: Mapped[float | None] = mapped_column(Float)
    ended_at: Mapped[float | None] = mapped_column(Float)
    trace: Mapped[str | None] = deferred(mapped_column(SealedText))
    body: Mapped[str | None] = deferred(mapped_column(SealedText))

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Events are seen by the integration and its owners; an installation sees its own."""
        if reach.kind == "integration":
            return cls.integration_id == reach.integration_id
        if reach.kind == "installation":
            return cls.installation_id == reach.installation_id
        return cls.integration_id.in_(select(IntegrationRow.id).where(IntegrationRow.owned_by(reach)))
