"""Organizations."""

from __future__ import annotations

import re
from dataclasses import replace

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import USER, member, scoped
from runtime.api.resource import PathValue, Resource
from runtime.contract import errors
from runtime.contract.organizations import (
    EMAIL_DOMAIN,
    MAX_DOMAIN,
    CreateOrganization,
    Organization,
    OrganizationsOfDomain,
    Ping,
    UpdateOrganization,
)
from runtime.serializers import organizations as serializers
from runtime.services import organizations as service
from runtime.store import membership, tokens
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.organizations import OrganizationRow

ORGANIZATION = Resource(
    "organization",
    OrganizationRow,
    at="orgs/{organizationId}",
    model=Organization,
    serialize=serializers.organizations,
    order=newest_first(OrganizationRow.created_at, OrganizationRow.id),
    alias="hostname",
)

organizations = Family("Organizations", ORGANIZATION, PathValue("email-domains/{emailDomain}"))


@organizations.list("GET /v1/orgs", ORGANIZATION, needs=USER)
def list_organizations_for_authenticated_user(call: Call) -> Conditions:
    """List the organizations the user belongs to, also as a guest."""
    return []


crud.get(
    organizations,
    ORGANIZATION,
    "getOrganizationById",
    "Get an organization.",
    needs=scoped(USER, "space:metadata:read"),
)


@organizations.operation("POST /v1/orgs", ORGANIZATION, needs=USER, status=201)
def create_organization(call: Call, body: CreateOrganization) -> OrganizationRow:
    """Create an organization, with the caller as its administrator (extension)."""
    if call.actor.reach.bound_to is not None:
        raise errors.Forbidden(
            "You signed in for one organization only; use a token that is not bound to one to create another."
        )
    hostname = None if body.hostname is MISSING else body.hostname
    row = service.create(call.session, body.title, hostname, call.actor.reach.user_id or "")
    # The actor was authenticated before this membership existed; the answer shows the new permissions.
    call.actor = replace(call.actor, reach=call.actor.reach.joined(row.id, "admin"))
    return row


@organizations.operation(f"PATCH {ORGANIZATION.path}", ORGANIZATION, needs=member("admin"))
def update_organization_by_id(call: Call, organization: OrganizationRow, body: UpdateOrganization) -> OrganizationRow:
    """Change the settings of an organization."""
    return service.update(call.session, organization, body)


@organizations.operation("GET /v1/email-domains/{emailDomain}/orgs", OrganizationsOfDomain, needs=USER)
def get_organizations_for_email_domain(call: Call) -> OrganizationsOfDomain:
    """List the caller's organizations whose people have e-mail addresses of a domain."""
    domain = call.path["emailDomain"]
    if not re.fullmatch(EMAIL_DOMAIN, domain) or len(domain) > MAX_DOMAIN:
        raise errors.BadRequest("not a domain of e-mail addresses; write one like `example.com`", field="emailDomain")
    rows = membership.of_domain(call.session, call.actor.reach, domain)
    return OrganizationsOfDomain(organizations=serializers.organizations(call.view(call.session), rows))


@organizations.operation(f"POST {ORGANIZATION.path}/ping", Ping, needs=USER)
def update_organization_member_last_seen_at(call: Call, organization: OrganizationRow) -> Ping:
    """Record that the caller is active; returns a token that identifies them."""
    user_id = call.actor.reach.user_id or ""
    level = service.seen(call.session, organization, user_id)
    token = tokens.sign_claims({"userId": user_id, "organizationId": organization.id, "role": level})
    return Ping(service_visitor_claims=token, gitbookVisitorClaims=token)
