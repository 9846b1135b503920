"""Refused forms are shown again with the typed values, and destructive actions ask for confirmation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.services import sent_forms
from runtime.web.admin.browser import STALE_FORM, OperatorVisit, add_page
from runtime.web.admin.wording import USUAL_LABELS_ONLY, on_page

FORM_KEY = re.compile(r"[\w-]{16,30}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused form: the error, and the typed values."""

    form: str = ""
    message: str = ""
    status: int = 200
    given: Mapping[str, str] = field(default_factory=dict)

    def typed(self, form: str, name: str, otherwise: Any = "") -> Any:
        """Return the typed value of a form field, or its stored value."""
        return self.given.get(name, "") if form == self.form else otherwise

    def ticked(self, form: str, name: str, otherwise: bool) -> bool:
        """Return whether a checkbox is checked: browsers send only checked ones."""
        return name in self.given if form == self.form else otherwise


NOTHING_REFUSED = Refused()


@dataclass(frozen=True, slots=True)
class Question:
    """A confirmation question; `back` is where people return who cancel."""

    title: str
    text: str
    button: str
    back: str
    organization: Mapping[str, Any]
    here: str


def attempt(
    visit: OperatorVisit, form: str, act: Callable[[], Any], labels: Mapping[str, str] = USUAL_LABELS_ONLY
) -> Refused:
    """Perform the action of a form; returns its error, and raises only Unauthorized."""
    try:
        act()
    except errors.Unauthorized:
        raise
    except errors.ApiError as error:
        return Refused(form, on_page(error, labels), errors.status_of(error), visit.form)
    return NOTHING_REFUSED


def attempt_once(
    visit: OperatorVisit,
    form: str,
    act: Callable[[], Any],
    about: str,
    already: str,
    labels: Mapping[str, str] = USUAL_LABELS_ONLY,
) -> Refused:
    """Perform the action of a form whose answer shows a secret; one that was sent before is refused.

    The form carries `form_key` as `once`. `about` names what it is to make, and `already` says so to who sends it
    again, by a reload or twice at once, with `{about}` in it. Raises Unauthorized, and Forbidden where there is no key.
    """
    key, session_id = visit.form.get("once", ""), visit.person().reach.token_id
    if session_id is None or not FORM_KEY.fullmatch(key):
        raise errors.Forbidden(STALE_FORM)
    database = visit.host.database
    # Before the action, in a transaction of its own: of two that are sent at once, one waits here, and is refused.
    with database.transaction(writes=True) as session:
        earlier = sent_forms.take(session, session_id, key, about)
    if earlier is not None:
        return Refused(form, already.format(about=earlier), 409, visit.form)
    refused = None
    try:
        refused = attempt(visit, form, act, labels)
    finally:
        if refused is None or refused.form:  # nothing was made, also where the host failed at it
            with database.transaction(writes=True) as session:
                sent_forms.give_back(session, session_id, key)
    return refused


def add_question(
    app: Flask,
    host: Host,
    rule: str,
    question: Callable[..., Question],
    act: Callable[..., str],
) -> None:
    """Add a page that asks for confirmation; `act` returns the next page."""

    def show(visit: OperatorVisit, problem: str = "", status: int = 200, **path: str) -> Response:
        asked = question(visit, **path)
        return visit.page("ask", status, asked=asked, problem=problem, organization=asked.organization, here=asked.here)

    def answer(visit: OperatorVisit, **path: str) -> Response:
        try:
            following = act(visit, **path)
        except (errors.Unauthorized, errors.NotFound):
            raise
        except errors.ApiError as error:
            return show(visit, on_page(error), errors.status_of(error), **path)
        return visit.to(following)

    add_page(app, host, rule, show, "GET")
    add_page(app, host, rule, answer, "POST")


def split_list(text: str) -> list[str]:
    """Read what people write one after the other: separated by spaces, line ends, commas or semicolons."""
    return text.replace(",", " ").replace(";", " ").split()


def role_of(text: str) -> str | None:
    """Return the role that a field names: `none` is a guest's, or no access; what is missing is nobody's role."""
    return None if text == "none" else text
