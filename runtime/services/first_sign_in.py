"""First sign-in on a new host: a link that works until somebody has used it.

Its code is derived from the host's key, so every process of a host knows it and nothing is stored. It works only while
there are no accounts; whoever uses it becomes the administrator of the first organization.
"""

from __future__ import annotations

import hmac

from pydantic import ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.invites import FirstPerson
from runtime.contract.validation import bad_request
from runtime.services import organizations
from runtime.store import locks, rows
from runtime.store.secrets import keyring
from runtime.store.tables.organizations import UserRow

USED = (
    "This host already has an account, or the link is for another host. Sign in, or ask an administrator for an invite."
)


def code() -> str:
    """Return the code of this host's link."""
    return hmac.new(keyring().derive("first sign-in"), b"", "sha256").hexdigest()


def link(session: Session, at: Addresses) -> str | None:
    """Return the address of the first sign-in; None if the host has an account."""
    return at.app("first", code()) if rows.is_empty(session, UserRow) else None


def check(session: Session, given: str) -> None:
    """Raise NotFound unless a code opens this host now."""
    if not hmac.compare_digest(given.encode(), code().encode()) or not rows.is_empty(session, UserRow):
        raise errors.NotFound(USED)


def use(session: Session, given: str, form: dict[str, str]) -> str:
    """Create the first person and their organization; returns the person's id. Raises NotFound, BadRequest."""
    locks.acquire(session, "first sign-in")
    check(session, given)
    try:
        person = FirstPerson.model_validate({name: form.get(name, "") for name in ("name", "email", "organization")})
    except ValidationError as error:
        raise bad_request(error) from None
    user = UserRow(display_name=person.name, email=person.email)
    session.add(user)
    session.flush()
    organizations.create(session, person.organization, None, user.id)
    return user.id
