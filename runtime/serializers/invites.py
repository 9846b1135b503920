"""Invites by e-mail, and invite links."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.invites import EmailInvite, EmailInviteUrls, InviteLink, InviteLinkUrls
from runtime.contract.organizations import reaches
from runtime.serializers.view import View
from runtime.store.tables.invites import EmailInviteRow, InviteLinkRow


def email_invites(view: View, invites: Sequence[EmailInviteRow]) -> list[EmailInvite]:
    """Show invites by e-mail, without what lets their receivers in."""
    return [
        EmailInvite(
            email=invite.email,
            role=invite.role,
            sso=invite.sso,
            created_at=invite.created_at,
            expires_at=invite.expires_at,
            urls=EmailInviteUrls(
                location=view.at.api("orgs", invite.organization_id, "email-invites", invite.email),
            ),
        )
        for invite in invites
    ]


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
