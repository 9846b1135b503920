"""All pages for the people of an organization, and the files they load."""

from __future__ import annotations

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.account import mount_account
from runtime.web.admin.browser import PATH
from runtime.web.admin.change_requests import mount_change_requests
from runtime.web.admin.content import mount_content
from runtime.web.admin.content_access import mount_content_access
from runtime.web.admin.content_settings import mount_content_settings
from runtime.web.admin.form_addresses import mount_form_addresses
from runtime.web.admin.identity_providers import mount_identity_providers
from runtime.web.admin.imports import mount_imports
from runtime.web.admin.integration_configuration import mount_integration_configuration
from runtime.web.admin.integration_events import mount_integration_events
from runtime.web.admin.integration_parts import mount_integration_parts
from runtime.web.admin.integrations import mount_integrations
from runtime.web.admin.invites import mount_invites
from runtime.web.admin.leaving import mount_leaving
from runtime.web.admin.openapi_specs import mount_openapi_specs
from runtime.web.admin.organizations import mount_organizations
from runtime.web.admin.page_changes import mount_page_changes
from runtime.web.admin.people import mount_people
from runtime.web.admin.personal_tokens import mount_personal_tokens
from runtime.web.admin.signing_in import mount_signing_in
from runtime.web.admin.site_access import mount_site_access
from runtime.web.admin.site_parts import mount_site_parts
from runtime.web.admin.site_structure import mount_site_structure
from runtime.web.admin.sites import mount_sites
from runtime.web.admin.space_content import mount_space_content
from runtime.web.admin.teams import mount_teams
from runtime.web.admin.visitor_sign_in import mount_visitor_sign_in
from runtime.web.assets import STATIC, serve
from runtime.web.origins import on_public_origin


def mount_admin(app: Flask, host: Host) -> None:
    """Add the pages."""
    files = serve(STATIC / "admin", Cache_Control="no-cache")
    app.add_url_rule(f"{PATH}/static/<path:file>", "admin file", on_public_origin(host, files), methods=("GET",))
    app.add_url_rule("/", "front door", on_public_origin(host, _front_door), methods=("GET",))
    mount_signing_in(app, host)
    mount_account(app, host)
    mount_integrations(app, host)
    mount_integration_parts(app, host)
    mount_integration_configuration(app, host)
    mount_integration_events(app, host)
    mount_sites(app, host)
    mount_site_structure(app, host)
    mount_site_parts(app, host)
    mount_site_access(app, host)
    mount_visitor_sign_in(app, host)
    mount_personal_tokens(app, host)
    mount_organizations(app, host)
    mount_leaving(app, host)
    mount_identity_providers(app, host)
    mount_people(app, host)
    mount_invites(app, host)
    mount_teams(app, host)
    mount_openapi_specs(app, host)
    mount_content(app, host)
    mount_content_settings(app, host)
    mount_space_content(app, host)
    mount_change_requests(app, host)
    mount_page_changes(app, host)
    mount_imports(app, host)
    mount_content_access(app, host)
    mount_form_addresses(app, host)


def _front_door() -> Response:
    """Redirect people to the integrations, through sign-in; programs get a 404 as before."""
    if request.accept_mimetypes.quality("text/html") <= request.accept_mimetypes.quality("application/json"):
        raise errors.NotFound()
    return Response(b"", 303, {"Location": f"{PATH}/integrations", "Vary": "Accept", "Cache-Control": "no-store"})
