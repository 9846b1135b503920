"""Errors of operations in the words of pages: the label of a field in place of its name in the API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from runtime.contract import errors

LABELS = {
    "ai": "AI features",
    "basename": "Basename",
    "certificate": "Certificate (X.509, PEM)",
    "condition": "Who sees it",
    "defaultContent": "Default site",
    "defaultLevel": "Default access for members",
    "defaultRole": "Role of new members",
    "defaultTeam": "Team they join",
    "description": "Description",
    "editMode": "How its content changes",
    "email": "E-mail address",
    "emailDomains": "E-mail domains",
    "emails": "E-mail addresses",
    "entityID": "Entity ID of the identity provider",
    "fallbackURL": "Sign-in page of your service",
    "hostname": "Hostname",
    "icon": "Icon",
    "inviteLinks": "Invite links",
    "label": "Name",
    "logo": "Logo",
    "name": "Name",
    "organization": "Organization",
    "path": "Path",
    "proxy": "Also reached at",
    "role": "Role",
    "slug": "Name",
    "spaceId": "Space",
    "sso": "Single sign-on only",
    "ssoURL": "Sign-in address (SSO URL)",
    "subject": "What it changes",
    "title": "Title",
    "url": "Address",
    "visibility": "Who may read it",
    "visitorAuth": "Who signs visitors in",
}
"""The labels of the fields of forms, by what operations call them."""
SOURCE_LABELS = {"source": "Path", "source.url": "Address"}
"""What operations call by one name, and pages by two: of redirects, and of specifications and imports."""
_INDEX = re.compile(r"[0-9]{1,6}")
_NAMED = re.compile(r"`(\w+)`")
USUAL_LABELS_ONLY: Mapping[str, str] = MappingProxyType({})
OBJECT_ALTERNATIVE = " or an object"


def on_page(error: errors.ApiError, labels: Mapping[str, str] = USUAL_LABELS_ONLY) -> str:
    """Say an error for people: in the labels of fields, and without what no form can send.

    `labels` are those that the form at hand has in place of the usual ones.
    """
    label = labels.get(error.field) or _label(error.field)
    if error.worded_for_pages or label is None:
        return error.on_pages
    said = _NAMED.sub(lambda name: f"“{LABELS[name[1]]}”" if name[1] in LABELS else name[0], error.rule)
    return f"{label}: {said.replace(OBJECT_ALTERNATIVE, '')}"


def _label(name: str) -> str | None:
    """Return the label of a field, with the number of an item in it, counted from one."""
    if name in SOURCE_LABELS:
        return SOURCE_LABELS[name]
    first, *inside = name.split(".")
    if first not in LABELS:
        return None
    number = next((f", number {int(part) + 1}" for part in inside if _INDEX.fullmatch(part)), "")
    return f"{LABELS[first]}{number}"
