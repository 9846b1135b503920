"""Leaving an organization, which guests can do as well: they see none of its pages."""

from __future__ import annotations

from flask import Flask
from sqlalchemy.orm import Session

from runtime.api.host import Host
from runtime.contract import errors
from runtime.services import membership
from runtime.store import rows
from runtime.store.rows import HOST
from runtime.store.tables.organizations import MemberRow, OrganizationRow
from runtime.web.admin.browser import PATH, OperatorVisit
from runtime.web.admin.forms import Question, add_question


def mount_leaving(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_question(app, host, f"{PATH}/leave/<organization>", _ask, _leave)


def _ask(visit: OperatorVisit, organization: str) -> Question:
    with visit.host.database.transaction(writes=False) as session:
        title = _own(session, visit, organization)[0].title
    text = "You lose your role, and what was granted to you there. To come back you need a new invite."
    return Question(f"Leave {title}?", text, "Leave", PATH, {}, "")


def _leave(visit: OperatorVisit, organization: str) -> str:
    with visit.host.database.transaction(writes=True) as session:
        membership.remove(session, *_own(session, visit, organization))
    return PATH


def _own(session: Session, visit: OperatorVisit, organization: str) -> tuple[OrganizationRow, MemberRow]:
    """Find an organization that this session shows, and the own membership in it; raises NotFound."""
    reach = visit.person().reach
    by = {"organization_id": organization, "user_id": reach.user_id}
    member = rows.find(session, HOST, MemberRow, **by) if reach.belongs_to(organization) else None
    if member is None:
        raise errors.NotFound("You are not in this organization.")
    return rows.by_id(session, OrganizationRow, [organization])[organization], member
