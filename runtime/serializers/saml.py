"""Identity providers of organizations."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.saml import SamlLogin, SamlProvider, SamlProviderUrls, SamlService
from runtime.serializers.teams import teams
from runtime.serializers.view import View
from runtime.store.tables.saml import SamlProviderRow
from runtime.store.tables.teams import TeamRow


def saml_providers(view: View, providers: Sequence[SamlProviderRow]) -> list[SamlProvider]:
    """Show identity providers, each with the team that new people join."""
    found = view.by_id(TeamRow, (row.default_team for row in providers if row.default_team))
    shown = {team.id: team for team in teams(view, list(found.values()))}
    return [
        SamlProvider(
            id=row.id,
            label=row.label,
            ssoURL=row.sso_url or MISSING,
            entityID=row.entity_id,
            certificate=row.certificate,
            default_team=shown.get(row.default_team or "", MISSING),
            default_role=row.default_role,
            created_at=row.created_at,
            status="active" if row.is_active else "pending",
            service=SamlService(
                acsURL=view.at.saml(row.id, "acs"),
                startURL=view.at.saml(row.id, "start"),
                entityID=view.at.saml(row.id),
            ),
            urls=SamlProviderUrls(location=view.at.api("orgs", row.organization_id, "saml", row.id)),
        )
        for row in providers
    ]


def saml_logins(view: View, providers: Sequence[SamlProviderRow]) -> list[SamlLogin]:
    """Show where people sign in, of identity providers that are ready for it."""
    return [
        SamlLogin(id=row.id, label=row.label, startURL=view.at.saml(row.id, "start"))
        for row in providers
        if row.is_active
    ]
