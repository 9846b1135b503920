"""What somebody typed into a form that came too late: shown to them, so that they can copy it before they sign in.

It is kept nowhere: the values of a form that outlive a sign-in could be somebody else's, and would be sent by whoever
signs in.
"""

from __future__ import annotations

from collections.abc import Mapping

LABELS = {
    "title": "Title",
    "name": "Name",
    "subject": "What it changes",
    "description": "Description",
    "comment": "Comment",
    "emails": "E-mail addresses",
    "people": "People, by e-mail address",
    "emailDomains": "E-mail domains",
    "condition": "Who sees it",
}
"""Fields whose text is worth copying; none holds a secret, as addresses may."""


def typed_texts(form: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what was typed, each with the label of its field."""
    return [(label, form[name]) for name, label in LABELS.items() if form.get(name, "").strip()]
