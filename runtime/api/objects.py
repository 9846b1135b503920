"""What a path names."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow, TokenRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.tunnels import TunnelRow


@dataclass(slots=True)
class Objects:
    """The rows that a path names; None where the path names none, or nothing is there and that is allowed."""

    organization: OrganizationRow | None = None
    space: SpaceRow | None = None
    site: SiteRow | None = None
    integration: IntegrationRow | None = None
    installation: InstallationRow | None = None
    space_installation: SpaceInstallationRow | None = None
    site_installation: SiteInstallationRow | None = None
    event: EventRow | None = None
    tunnel: TunnelRow | None = None
    token: TokenRow | None = None
