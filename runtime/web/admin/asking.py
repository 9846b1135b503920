"""Forms that are refused are shown again with what was typed, and what destroys something asks first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import OperatorVisit, add_page


@dataclass(frozen=True, slots=True)
class Refused:
    """The form of a page that was not taken, why, and what was typed into it."""

    form: str = ""
    message: str = ""
    status: int = 200
    given: Mapping[str, str] = field(default_factory=dict)

    def typed(self, form: str, name: str, otherwise: Any = "") -> Any:
        """Return what was typed into a field of a form, or what it holds else."""
        return self.given.get(name, "") if form == self.form else otherwise

    def ticked(self, form: str, name: str, otherwise: bool) -> bool:
        """Return whether a box of a form is ticked: browsers send those alone."""
        return name in self.given if form == self.form else otherwise


NOTHING_REFUSED = Refused()


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody is asked before something goes: `back` is where they end who do not want it."""

    title: str
    text: str
    button: str
    back: str
    organization: Mapping[str, Any]
    here: str


def attempt(visit: OperatorVisit, form: str, act: Callable[[], Any]) -> Refused:
    """Do what a form asks for; raises Unauthorized only, and says what else came of it."""
    try:
        act()
    except errors.Unauthorized:
        raise
    except errors.ApiError as error:
        return Refused(form, error.message, errors.status_of(error), visit.form)
    return NOTHING_REFUSED


def add_question(
    app: Flask,
    host: Host,
    rule: str,
    question: Callable[..., Question],
    act: Callable[..., str],
) -> None:
    """Add a page that asks first, and does it then; `act` gives the page that follows."""

    def show(visit: OperatorVisit, problem: str = "", status: int = 200, **path: str) -> Response:
        asked = question(visit, **path)
        return visit.page("ask", status, asked=asked, problem=problem, organization=asked.organization, here=asked.here)

    def answer(visit: OperatorVisit, **path: str) -> Response:
        try:
            following = act(visit, **path)
        except (errors.Unauthorized, errors.NotFound):
            raise
        except errors.ApiError as error:
            return show(visit, error.message, errors.status_of(error), **path)
        return visit.to(following)

    add_page(app, host, rule, show, "GET")
    add_page(app, host, rule, answer, "POST")


def role_of(text: str) -> str | None:
    """Return the role that a field names: `none` is a guest's, or no access; what is missing is nobody's role."""
    return None if text == "none" else text
