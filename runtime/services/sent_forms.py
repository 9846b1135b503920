"""Forms that may be sent once: only one answer shows the secret of what they make."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.services import quotas
from runtime.store import locks, rows
from runtime.store.reach import HOST
from runtime.store.tables.sent_forms import SentFormRow

MAX_FORMS = 500
"""Forms of one session that are remembered."""
FULL = (
    "You created tokens or invited people {most} times in this session, which is the maximum. Sign out, and sign in "
    "again."
)


def take(session: Session, session_id: str, key: str, about: str) -> str | None:
    """Remember a form before it is acted on; returns the earlier `about` if it was sent already, else None.

    Raises BadRequest where the session has sent too many.
    """
    about = about.replace("\0", "")  # which a database refuses: what the form makes says so better
    locks.acquire(session, f"sent forms of {session_id}")
    earlier = rows.find(session, HOST, SentFormRow, session_id=session_id, key=key)
    if earlier is not None:
        return earlier.about
    quotas.enforce(session, SentFormRow, MAX_FORMS, FULL, session_id=session_id)
    session.add(SentFormRow(session_id=session_id, key=key, about=about[:300]))
    session.flush()
    return None


def give_back(session: Session, session_id: str, key: str) -> None:
    """Forget a form that made nothing: it may be sent again."""
    row = rows.find(session, HOST, SentFormRow, session_id=session_id, key=key)
    if row is not None:
        session.delete(row)
