"""Personal tokens, on the account page."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.web.admin.account import account_page
from runtime.web.admin.browser import PATH, OperatorVisit, add_page
from runtime.web.admin.forms import Question, add_question, attempt_once

LABELS = {"title": "What it is for"}
ALREADY = (
    "You already sent this form, for the token “{about}”. Its value is not shown again: if you did not copy it, revoke "
    "that token and create another one."
)


def mount_personal_tokens(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{PATH}/tokens", _create, "POST")
    add_question(app, host, f"{PATH}/tokens/<token>/revoke", _ask, _revoke)


def _create(visit: OperatorVisit) -> Response:
    """Create a token; its value is shown only once, so no redirect follows, and a reload sends it again."""
    days = visit.form.get("days", "")[:6]
    until = None if days == "never" else int(days) if days.isdecimal() else 0
    body: dict[str, Any] = {"title": visit.form.get("title", ""), "expiresIn": until}
    made: dict[str, Any] = {}
    refused = attempt_once(
        visit,
        "token",
        lambda: made.update(visit.do("createUserToken", {}, body=body)),
        body["title"].strip(),
        ALREADY,
        LABELS,
    )
    return account_page(visit, refused, made or None)


def _ask(visit: OperatorVisit, token: str) -> Question:
    found = visit.do("listUserTokens", {}, query={"limit": "1000"})["items"]
    title = next((one["title"] for one in found if one["id"] == token), None) or "this token"
    return Question(
        f"Revoke {title}?", "Whatever uses this token is refused from now on.", "Revoke token", PATH, {}, ""
    )


def _revoke(visit: OperatorVisit, token: str) -> str:
    visit.do("revokeUserToken", {"tokenId": token})
    return PATH
