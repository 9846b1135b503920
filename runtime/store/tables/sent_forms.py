"""Forms of pages that were sent and may not be sent again."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from runtime.store.database import Table
from runtime.store.epoch_rules import NOT_KEPT, EpochRules


class SentFormRow(Table):
    """A form that somebody sent in a session, and what it was about; it goes with the session.

    Outside of the session a form is refused anyway: its CSRF token is that of the session.
    """

    __tablename__ = "sent_forms"
    taken: ClassVar[str] = "This form was sent twice at once; look at what it made."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    session_id: Mapped[str] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(30), primary_key=True)
    about: Mapped[str] = mapped_column(String(300))
