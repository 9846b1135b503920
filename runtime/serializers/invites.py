"""Invite links."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.invites import InviteLink, InviteLinkUrls
from runtime.contract.organizations import reaches
from runtime.serializers.view import View
from runtime.store.tables.invites import InviteLinkRow


def invite_links(view: View, links: Sequence[InviteLinkRow]) -> list[InviteLink]:
    """Show links, with the address that people follow as `urls.app`."""
    at = view.at
    return [
        InviteLink(
            id=link.id,
            role=link.role,
            redundant=link.role is None or reaches(level, link.role),
            urls=InviteLinkUrls(
                location=at.api("orgs", link.organization_id, "link-invites", link.id),
                app=at.app("join", link.organization_id, link.id),
            ),
        )
        for link, level in zip(links, view.levels(links), strict=True)
    ]
