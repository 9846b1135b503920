"""All families: one list, in the order of the document; nothing else depends on the order."""

from __future__ import annotations

from functools import cache

from runtime.api.families.access_tokens import access_tokens
from runtime.api.families.adaptive import adaptive
from runtime.api.families.app_addresses import app_addresses
from runtime.api.families.asking import asking
from runtime.api.families.change_request_comments import change_request_comments
from runtime.api.families.change_requests import change_requests
from runtime.api.families.collections import collections
from runtime.api.families.computing import computing
from runtime.api.families.content import content
from runtime.api.families.embedding import embedding
from runtime.api.families.files import files
from runtime.api.families.git import git
from runtime.api.families.grants import grants
from runtime.api.families.importing import importing
from runtime.api.families.installations import installations
from runtime.api.families.integration_events import integration_events
from runtime.api.families.integrations import integrations
from runtime.api.families.invites import invites
from runtime.api.families.links import links
from runtime.api.families.members import members
from runtime.api.families.openapi_specs import openapi_specs
from runtime.api.families.organizations import organizations
from runtime.api.families.people import people
from runtime.api.families.placements import placements
from runtime.api.families.platform import platform
from runtime.api.families.printing import printing
from runtime.api.families.published_content import published_content
from runtime.api.families.rendering import rendering
from runtime.api.families.reviewers import reviewers
from runtime.api.families.reviews import reviews
from runtime.api.families.saml import saml
from runtime.api.families.search import content_search
from runtime.api.families.site_publishing import site_publishing
from runtime.api.families.site_structure import site_parts
from runtime.api.families.sites import sites
from runtime.api.families.space_comments import space_comments
from runtime.api.families.spaces import spaces
from runtime.api.families.teams import teams
from runtime.api.families.translations import translations
from runtime.api.families.tunnels import tunnels
from runtime.api.families.versions import versions
from runtime.api.operation import Family, Operation, bound
from runtime.api.resource import Resource

FAMILIES: tuple[Family, ...] = (
    platform,
    people,
    access_tokens,
    organizations,
    members,
    invites,
    saml,
    teams,
    collections,
    spaces,
    grants,
    translations,
    openapi_specs,
    app_addresses,
    embedding,
    content,
    space_comments,
    change_requests,
    reviewers,
    reviews,
    files,
    git,
    importing,
    links,
    printing,
    change_request_comments,
    computing,
    content_search,
    asking,
    sites,
    site_parts,
    site_publishing,
    published_content,
    adaptive,
    integrations,
    integration_events,
    rendering,
    installations,
    placements,
    versions,
    tunnels,
)
PLACES = tuple(resource for family in FAMILIES for resource in family.resources)
RESOURCES = tuple(resource for resource in PLACES if isinstance(resource, Resource))


@cache
def operations() -> list[Operation]:
    """List every operation, bound to what its path names."""
    return [bound(operation, PLACES) for family in FAMILIES for operation in family.operations]
