"""Organizations by their names, and what a new database needs before anybody can call it: one, its admin, a token."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from runtime.store import locks, rows, tokens
from runtime.store.reach import Reach
from runtime.store.rows import HOST
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow, UserRow

MIN_HOSTNAME = 3
MAX_FROM_TITLE = 24
"""Characters of a hostname that come from a title, with room for what tells it from another."""
LONGEST_READ = 200
"""Characters of a title that its hostname is made from."""


@dataclass(frozen=True, slots=True)
class NewOrganization:
    """The ids that were made or found, the hostname, and the token, which is not stored."""

    organization: str
    hostname: str
    user: str
    token: str
    is_new: bool
    """Whether the organization was made, and not there already."""


def named(session: Session, reach: Reach, name: str) -> OrganizationRow | None:
    """Find an organization that the actor sees, by its id or its hostname."""
    found = rows.find(session, reach, OrganizationRow, id=name)
    return found if found is not None else rows.find(session, reach, OrganizationRow, hostname=name)


def add(session: Session, title: str, hostname: str | None) -> OrganizationRow:
    """Add an organization; without a hostname it gets one from its title. One that is taken the database refuses."""
    if hostname is None:
        locks.acquire(session, "hostnames of organizations")
        hostname = free_hostname(title, lambda name: rows.find(session, HOST, OrganizationRow, hostname=name) is None)
    organization = OrganizationRow(title=title, hostname=hostname)
    session.add(organization)
    session.flush()
    return organization


def free_hostname(title: str, is_free: Callable[[str], bool]) -> str:
    """Write a title as a hostname that is free: 3 to 32 lower-case letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", title[:LONGEST_READ].casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_FROM_TITLE].strip("-")
    wanted = words if len(words) >= MIN_HOSTNAME else f"{words}-docs".strip("-")
    if is_free(wanted):
        return wanted
    # Not numbers: who counts them up would read every row of a host with many organizations of one title.
    return next(name for name in iter(lambda: f"{wanted}-{secrets.token_hex(3)}", None) if is_free(name))


def create_organization(
    session: Session, title: str, email: str, token: str | None = None, hostname: str | None = None
) -> NewOrganization:
    """Make an organization of this title unless the user is its admin already, and a token for the user.

    The same e-mail address is the same user. With `token` that one is used, and kept if it is known. One that is there
    gets the `hostname` that is given.
    """
    user = rows.find(session, HOST, UserRow, email=email)
    if user is None:
        user = UserRow(display_name=email.split("@")[0][:100], email=email)
        session.add(user)
        session.flush()
    organization = _own(session, user, title)
    is_new = organization is None
    if organization is None:
        organization = add(session, title, hostname)
        session.add(MemberRow(organization_id=organization.id, user_id=user.id, role="admin"))
    elif hostname is not None:
        organization.hostname = hostname
    fresh, digest = (token, tokens.digest_of(token)) if token else tokens.new_token()
    if rows.find(session, HOST, TokenRow, digest=digest) is None:
        session.add(TokenRow(user_id=user.id, digest=digest))
    session.flush()
    return NewOrganization(organization.id, organization.hostname or "", user.id, fresh, is_new)


def titles(session: Session, besides: str, most: int) -> list[str]:
    """Return the titles of organizations except for one, the oldest first, and no more than `most`."""
    others = select(OrganizationRow.title).where(OrganizationRow.id != besides)
    return list(session.scalars(others.order_by(OrganizationRow.created_at, OrganizationRow.id).limit(most)))


def _own(session: Session, user: UserRow, title: str) -> OrganizationRow | None:
    for member in rows.every(session, HOST, MemberRow, user_id=user.id, role="admin"):
        row = rows.find(session, HOST, OrganizationRow, id=member.organization_id, title=title)
        if row is not None:
            return row
    return None
