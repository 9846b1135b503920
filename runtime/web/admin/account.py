"""The account page: the person, their sessions, and invites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.services import first_sign_in, inviting, sessions, signing_in
from runtime.store import rows, structure
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.invites import EmailInviteRow
from runtime.store.tables.organizations import OrganizationRow, TokenRow, UserRow
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Refused
from runtime.web.admin.signing_in import browser_name
from runtime.web.admin.wording import on_page

MOST_SHARED = 200
"""Spaces, and collections, that are listed for a guest of an organization."""
MOST_GUEST_OF = 20
"""Organizations whose shared content is listed."""


def mount_account(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, PATH, account_page, "GET")
    add_page(app, host, f"{PATH}/first/<given>", _first, "GET")
    add_page(app, host, f"{PATH}/first/<given>", _open, "POST")
    add_page(app, host, f"{PATH}/sessions/<row>", _end_session, "POST")
    add_page(app, host, f"{PATH}/join/<organization>/<invite>", _invited, "GET")
    add_page(app, host, f"{PATH}/join/<organization>/<invite>", _join, "POST")


def account_page(
    visit: OperatorVisit, refused: Refused = NOTHING_REFUSED, made: Mapping[str, str] | None = None
) -> Response:
    """Show the account; `made` is a token that was just made, shown this once."""
    reach = visit.person().reach
    with visit.host.database.transaction(writes=False) as session:
        user = rows.find(session, HOST, UserRow, id=reach.user_id)
        organizations = rows.by_id(session, OrganizationRow, [place for place, _ in reach.roles])
        places = [(organizations[place].title, place, role) for place, role in reach.roles if place in organizations]
        places.sort(key=lambda one: one[:2])
        guest_of = [place for _, place, role in places if role is None]
        shared = {
            place: structure.shared_with(session, reach, place, MOST_SHARED) for place in guest_of[:MOST_GUEST_OF]
        }
        by = {"user_id": reach.user_id, "kind": "session"}
        rows_of = rows.every(session, reach, TokenRow, **by)
        opened = [row for row in rows_of if row.expires_at and row.expires_at > now()]
        shown = [(row.id, row.title or "", row.created_at, row.id == reach.token_id) for row in opened]
        name, email = (user.display_name, user.email) if user is not None else ("", "")
    newest = sorted(shown, key=lambda one: one[2], reverse=True)
    return visit.page(
        "account",
        refused.status,
        name=name,
        email=email,
        places=places,
        shared=shared,
        full={place for place, listed in shared.items() if MOST_SHARED in Counter(one[0] for one in listed).values()},
        most_shared=MOST_SHARED,
        unlisted=guest_of[MOST_GUEST_OF:],
        sessions=newest,
        tokens=visit.do("listUserTokens", {}, query={"limit": "1000"})["items"],
        made=made,
        refused=refused,
    )


def _first(visit: OperatorVisit, given: str, problem: str = "") -> Response:
    """Show the form for the first account."""
    with visit.host.database.transaction(writes=False) as session:
        first_sign_in.check(session, given)
    status = 400 if problem else 200
    return visit.page("first", status, problem=problem, form=visit.form, place=f"{PATH}/first/{given}")


def _open(visit: OperatorVisit, given: str) -> Response:
    """Create the first account, and sign in with it."""
    until = now() + signing_in.SESSION_FOR
    with visit.host.database.transaction(writes=False) as session:  # a link that is made up keeps no writer waiting
        first_sign_in.check(session, given)
    try:
        with visit.host.database.transaction(writes=True) as session:
            user_id = first_sign_in.use(session, given, visit.form)
            value = sessions.begin(session, user_id, browser_name(), until, None)
    except errors.BadRequest as error:
        return _first(visit, given, on_page(error))
    visit.begin(value, until)
    return visit.to(PATH)


def _end_session(visit: OperatorVisit, row: str) -> Response:
    """End one of the person's sessions, possibly this one."""
    reach = visit.person().reach
    with visit.host.database.transaction(writes=True) as session:
        sessions.end_one(session, reach, row)
    visit.ended = row == reach.token_id
    return visit.to(PATH)


def _invited(visit: OperatorVisit, organization: str, invite: str) -> Response:
    """Show an invite, and who would accept it."""
    with visit.host.database.transaction(writes=False) as session:
        found = inviting.find(session, organization, invite)
        title = getattr(rows.find(session, HOST, OrganizationRow, id=organization), "title", "")
        address = found.email if isinstance(found, EmailInviteRow) else ""
    return visit.page(
        "join",
        title=title,
        address=address,
        role=found.role or "guest",
        may_open=bool(address),
        place=f"{PATH}/join/{organization}/{invite}",
    )


def _join(visit: OperatorVisit, organization: str, invite: str) -> Response:
    """Accept an invite as the signed-in person, or as the person to whom it was sent."""
    with visit.host.database.transaction(writes=False) as session:  # an invite that is made up keeps no writer waiting
        inviting.find(session, organization, invite)
    with visit.host.database.transaction(writes=True) as session:
        if visit.actor is not None:
            inviting.join_as(session, organization, invite, visit.actor.reach)
            return visit.to(PATH)
        user_id = inviting.join_by_email(session, organization, invite, visit.form.get("name", ""))
        if user_id is None:
            raise errors.Unauthorized
        until = now() + signing_in.SESSION_FOR
        # What an invite proves about a person counts only for the organization that sent it.
        value = sessions.begin(session, user_id, browser_name(), until, organization)
    visit.begin(value, until)
    return visit.to(PATH)
