"""Organizations."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract import presenting
from runtime.contract.organizations import Organization
from runtime.serializers.view import View
from runtime.store.tables.organizations import OrganizationRow


def organizations(view: View, rows: Sequence[OrganizationRow]) -> list[Organization]:
    """Show organizations, each with what the actor may do in it."""
    return [
        presenting.organization_object(
            presenting.OrganizationDetails(
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
            ),
            level,
            view.at,
        )
        for row, level in zip(rows, view.levels(rows), strict=True)
    ]
