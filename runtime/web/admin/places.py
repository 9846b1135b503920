"""Shared parts of the pages of an organization: addresses, resources, errors of forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from flask import request

from runtime.contract import errors
from runtime.web.admin.browser import PATH, OperatorVisit
from runtime.web.admin.forms import Refused
from runtime.web.admin.wording import on_page

Object = dict[str, Any]
ABOUT_THE_FORM = (400, 409, 412, 422)


def place(*parts: str) -> str:
    """Write the address of a page."""
    return "/".join([PATH, *(quote(part, safe="") for part in parts)])


def organization_of(visit: OperatorVisit, organization: str) -> Object:
    """Get the organization that a page is in; raises NotFound, also for its guests, for whom it has no pages."""
    found: Object = visit.do("getOrganizationById", {"organizationId": organization})
    if not found["permissions"]["listMembers"]:
        raise errors.not_seen(f"There is no organization `{organization[:60]}`")
    return found


def not_deleted(shown: Object) -> Object:
    """Return a space or a collection; raises NotFound for a deleted space, which has no pages until it is restored."""
    if "deletedAt" in shown:
        raise errors.NotFound(
            "This space was deleted; administrators can restore it from the content of the organization."
        )
    return shown


def filters(*names: str) -> dict[str, str]:
    """Return what the address of a page filters a list by."""
    return {name: request.args[name] for name in names if request.args.get(name)}


def titles_of(objects: Iterable[Object]) -> list[tuple[str, str]]:
    """Return ids and titles for a list to choose from."""
    return told_apart([(one["id"], one.get("title") or "Untitled") for one in objects])


def told_apart(choices: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put the id behind each title that others in the list have, too."""
    times = Counter(title for _, title in choices)
    return [(id, f"{title} ({id})" if times[title] > 1 else title) for id, title in choices]


def about_the_form(error: errors.ApiError) -> Refused:
    """Say what is wrong with what was sent; raises errors that are about something else."""
    if error.status not in ABOUT_THE_FORM:
        raise error
    return Refused(message=on_page(error), status=error.status)
