"""Organizations."""

from __future__ import annotations

from collections.abc import Sequence, Set

from pydantic import MISSING

from runtime.contract import presenting
from runtime.contract.organizations import Organization, Role
from runtime.serializers.view import View
from runtime.store.tables.organizations import OrganizationRow

HIDDEN = {
    "default_role": MISSING,
    "default_content": MISSING,
    "email_domains": [],
    "merge_rules": {"type": "none"},
}
"""What is shown in place of settings: the published document requires some of them."""


def organizations(view: View, rows: Sequence[OrganizationRow]) -> list[Organization]:
    """Show organizations that the actor asks for, with what it may do in each; guests are shown no settings.

    Scripts are: for the organizations that they find they need a scope.
    """
    scripts = view.reach.kind in ("integration", "installation")
    return _shown_each(view, rows, {row.id for row in rows if scripts or view.reach.role_in(row.id) is not None})


def owners(view: View, rows: Sequence[OrganizationRow]) -> list[Organization]:
    """Show organizations as owners of what others see, too: with settings only to people with a role there."""
    return _shown_each(view, rows, {row.id for row in rows if view.reach.role_in(row.id) is not None})


def _shown_each(view: View, rows: Sequence[OrganizationRow], whole: Set[str]) -> list[Organization]:
    return [_shown(view, row, level, row.id in whole) for row, level in zip(rows, view.levels(rows), strict=True)]


def _shown(view: View, row: OrganizationRow, level: Role | None, whole: bool) -> Organization:
    details = presenting.OrganizationDetails(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        type=row.type,
        hostname=row.hostname,
        default_role=row.default_role,
        default_content=row.default_content,
        email_domains=row.email_domains,
        logo=row.logo,
        sso=row.sso,
        ai=row.ai,
        invite_links=row.invite_links,
        merge_rules=row.merge_rules,
    )
    shown = presenting.organization_object(details, level, view.at)
    if whole:
        return shown
    allowed = shown.permissions | {"view": view.reach.belongs_to(row.id)}
    return shown.model_copy(update={**HIDDEN, "permissions": allowed})
