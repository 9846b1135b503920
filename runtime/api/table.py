"""All families: one list, in the order of the document."""

from __future__ import annotations

from runtime.api.families.access_tokens import access_tokens
from runtime.api.families.adaptive import adaptive
from runtime.api.families.computing import computing
from runtime.api.families.embedding import embedding
from runtime.api.families.installations import installations
from runtime.api.families.integrations import integrations
from runtime.api.families.organizations import organizations
from runtime.api.families.platform import platform
from runtime.api.families.rendering import rendering
from runtime.api.families.sites import sites
from runtime.api.families.spaces import spaces
from runtime.api.families.tunnels import tunnels
from runtime.api.families.versions import versions
from runtime.api.operation import Family, Operation

FAMILIES: tuple[Family, ...] = (
    platform,
    access_tokens,
    organizations,
    spaces,
    embedding,
    computing,
    sites,
    adaptive,
    integrations,
    rendering,
    installations,
    versions,
    tunnels,
)


def operations() -> list[Operation]:
    """List every operation."""
    return [operation for family in FAMILIES for operation in family.operations]
