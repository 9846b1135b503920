"""Single sign-on: the identity providers of an organization."""

from __future__ import annotations

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.contract.saml import CreateSamlProvider, SamlLogins, SamlProvider, UpdateSamlProvider
from runtime.serializers import saml as serializers
from runtime.services import saml_providers as service
from runtime.store import rows
from runtime.store.cursors import newest_first
from runtime.store.rows import HOST
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.saml import SamlProviderRow

SAML_PROVIDER = Resource(
    "saml_provider",
    SamlProviderRow,
    at="saml/{samlProviderId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    model=SamlProvider,
    serialize=serializers.saml_providers,
    order=newest_first(SamlProviderRow.created_at, SamlProviderRow.id),
)

saml = Family("Single sign-on", SAML_PROVIDER)

crud.list_of(
    saml,
    SAML_PROVIDER,
    "listSAMLProvidersInOrganizationById",
    "List the identity providers of an organization.",
    needs=member("admin"),
)


@saml.operation(f"POST {SAML_PROVIDER.collection}", SAML_PROVIDER, needs=member("admin"), status=201)
def create_organization_saml_provider(
    call: Call, organization: OrganizationRow, body: CreateSamlProvider
) -> SamlProviderRow:
    """Add an identity provider."""
    return service.create(call.session, organization, body)


crud.get(saml, SAML_PROVIDER, "getOrganizationSAMLProviderById", "Get an identity provider.", needs=member("admin"))


@saml.operation(f"PATCH {SAML_PROVIDER.path}", SAML_PROVIDER, needs=member("admin"))
def update_organization_saml_provider(
    call: Call, saml_provider: SamlProviderRow, body: UpdateSamlProvider
) -> SamlProviderRow:
    """Change an identity provider; sign-ins in progress become invalid."""
    return service.update(call.session, saml_provider, body)


crud.delete(
    saml,
    SAML_PROVIDER,
    "deleteOrganizationSAMLProvider",
    "Remove an identity provider.",
    needs=member("admin"),
    status=204,
    by=lambda call, row: service.remove(call.session, row),
)


@saml.operation(f"GET {ORGANIZATION.path}/sso", SamlLogins, needs=member("read"))
def list_sso_provider_logins_in_organization(call: Call, organization: OrganizationRow) -> SamlLogins:
    """List the sign-in addresses of an organization."""
    providers = rows.every(call.session, HOST, SamlProviderRow, organization_id=organization.id)
    return SamlLogins(items=serializers.saml_logins(call.view(call.session), providers))
