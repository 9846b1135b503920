"""Organisations."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import USER, member, scoped
from runtime.contract.base import ListOf, ListQuery
from runtime.contract.organizations import Organization
from runtime.dispatch import objects
from runtime.store.tables.organizations import OrganizationRow

organizations = Family("Organizations")


@organizations.operation("GET /v1/orgs", ListOf[Organization], needs=USER)
def list_organizations_for_authenticated_user(call: Call, query: ListQuery) -> ListOf[Organization]:
    """List the organizations the user belongs to."""

    def show(found: Sequence[OrganizationRow]) -> list[Organization]:
        return [objects.organization_object(row, call.host.addresses, call.actor.role_in(row.id)) for row in found]

    return call.page(OrganizationRow, query, show)


@organizations.operation(
    "GET /v1/orgs/{organizationId}",
    Organization,
    needs=scoped(member("read"), "space:metadata:read"),
)
def get_organization_by_id(call: Call) -> Organization:
    """Get an organization."""
    row = call.organization
    return objects.organization_object(row, call.host.addresses, call.actor.role_in(row.id))
