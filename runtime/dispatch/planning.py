"""Everything a call needs besides its event: the script, the environment, what must not be logged.

A plan is made from rows once and used for many calls, as long as the store's epoch stands still.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.credentials import marked_properties, of_configuration
from runtime.contract.invocation import Script
from runtime.contract.masking import Masker
from runtime.contract.security_policy import normalise
from runtime.dispatch import objects
from runtime.store import installed, rows, tokens
from runtime.store.rows import HOST
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.organizations import OrganizationRow

FRESH = 600.0
"""Seconds a plan's tokens are handed out; they live for an hour."""
KEPT_SCRIPTS = 64


@dataclass(frozen=True, slots=True)
class Level:
    """Who a call is for: the integration alone, an installation, or an installation on a space or site."""

    integration: IntegrationRow
    installation: InstallationRow | None = None
    space: SpaceInstallationRow | None = None
    site: SiteInstallationRow | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What stays the same from call to call.

    `organization_id` is where the integration is installed, or who owns it where a call is for no installation.
    `fingerprint` changes with everything the script can see, except its tokens. `masker` takes out of what is kept
    whatever must not be in it. `made` is the monotonic time the tokens were made.
    """

    integration_id: str
    integration: str
    installation_id: str | None
    organization_id: str
    script: Script
    environment: bytes
    fingerprint: str
    masker: Masker
    tunnel_url: str | None
    policy: str | None
    endpoint: str
    made: float

    @property
    def fresh(self) -> bool:
        """Tell whether the tokens inside may still be handed out."""
        return time.monotonic() - self.made < FRESH


class Scripts:
    """The scripts in use, read from the database once for each version."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Script, dict[str, str]]] = OrderedDict()
        self._lock = Lock()

    def of(self, session: Session, integration: IntegrationRow) -> tuple[Script, dict[str, str]]:
        """Give the current script of an integration and its secrets."""
        with self._lock:
            kept = self._kept.get(integration.version_id)
            if kept is not None:
                self._kept.move_to_end(integration.version_id)
                return kept
        row = rows.find(session, HOST, VersionRow, id=integration.version_id)
        if row is None:
            raise LookupError(f"version {integration.version_id} of {integration.name} is not in the database")
        made = (Script(row.id, row.runtime, row.script, row.entry, integration.name), dict(row.secrets))
        with self._lock:
            self._kept[row.id] = made
            while len(self._kept) > KEPT_SCRIPTS:
                self._kept.popitem(last=False)
        return made


class Planner:
    """Makes plans."""

    def __init__(self, addresses: Addresses) -> None:
        self._at = addresses
        self._scripts = Scripts()

    def plan(self, session: Session, level: Level) -> Plan:
        """Read what a call of this level needs; the environment is as contract/dispatch.md section 3 says."""
        integration, installation = level.integration, level.installation
        script, secrets = self._scripts.of(session, integration)
        visible = self._visible(session, level, secrets)
        fingerprint = hashlib.sha256(json.dumps([script.version, visible], sort_keys=True).encode()).hexdigest()
        made = tokens_for(integration, installation)
        environment = {
            "apiEndpoint": self._at.public_url,
            "apiTokens": made,
            "authToken": list(made.values())[-1],
            **visible,
        }
        return Plan(
            integration_id=integration.id,
            integration=integration.name,
            installation_id=installation.id if installation else None,
            organization_id=(installation or integration).organization_id,
            script=script,
            environment=json.dumps(environment, separators=(",", ":")).encode(),
            fingerprint=fingerprint,
            masker=Masker(_hidden(integration.manifest, visible, made)),
            tunnel_url=self._tunnel(integration, installation),
            policy=policy_header(integration),
            endpoint=self._endpoint(level),
            made=time.monotonic(),
        )

    def _visible(self, session: Session, level: Level, secrets: dict[str, str]) -> dict[str, Any]:
        """Give the environment without its tokens."""
        integration = level.integration
        owner = rows.find(session, HOST, OrganizationRow, id=integration.organization_id)
        if owner is None:
            raise LookupError(f"the owner of {integration.name} is not in the database")
        shown = objects.integration_object(
            integration, objects.organization_object(owner, self._at, None), self._at, admin=False, install=False
        )
        environment: dict[str, Any] = {
            "integration": shown.model_dump(mode="json", by_alias=True),
            "secrets": secrets,
            "signingSecrets": {"integration": integration.signing_secret},
        }
        if level.installation is not None:
            environment |= self._installation_parts(session, level, level.installation, environment["signingSecrets"])
        environment["signingSecret"] = list(environment["signingSecrets"].values())[-1]
        return environment

    def _installation_parts(
        self, session: Session, level: Level, installation: InstallationRow, signing: dict[str, str]
    ) -> dict[str, Any]:
        name = level.integration.name
        owners = [row.id for row in (installation, level.space, level.site) if row is not None]
        names = installed.external_ids(session, owners)
        spaces = installed.count_spaces(session, [installation.id]).get(installation.id, 0)
        parts: dict[str, Any] = {
            "installation": objects.installation_object(
                installation, name, self._at, spaces=spaces, external_ids=names[installation.id], reveal=True
            ).model_dump(mode="json", by_alias=True)
        }
        signing["installation"] = installation.signing_secret
        if level.space is not None:
            signing["spaceInstallation"] = level.space.signing_secret
            parts["spaceInstallation"] = objects.space_installation_object(
                level.space, name, self._at, external_ids=names[level.space.id], reveal=True, space=level.space.space_id
            ).model_dump(mode="json", by_alias=True)
        if level.site is not None:
            signing["siteInstallation"] = level.site.signing_secret
            parts["siteInstallation"] = objects.site_installation_object(
                level.site, name, self._at, external_ids=names[level.site.id], reveal=True, site=level.site.site_id
            ).model_dump(mode="json", by_alias=True)
        return parts

    def _endpoint(self, level: Level) -> str:
        name, installation = level.integration.name, level.installation
        if installation is None:
            return self._at.integration(name)
        if level.space is not None:
            return self._at.space_installation(name, installation.id, level.space.space_id)
        if level.site is not None:
            return self._at.site_installation(name, installation.id, level.site.site_id)
        return self._at.installation(name, installation.id)

    def _tunnel(self, integration: IntegrationRow, installation: InstallationRow | None) -> str | None:
        """Development mode takes the owner's events, or everybody's (contract/dispatch.md section 12)."""
        own = installation is None or installation.organization_id == integration.organization_id
        return integration.tunnel_url if own or integration.tunnel_all else None


def policy_header(integration: IntegrationRow) -> str | None:
    """Give the content security policy of an integration as a header value."""
    policy = integration.manifest.get("contentSecurityPolicy")
    return normalise(policy).header or None if policy else None


def tokens_for(integration: IntegrationRow, installation: InstallationRow | None) -> dict[str, str]:
    """Make the tokens a script finds in its environment; the last one is its default."""
    scopes = integration.manifest["scopes"]
    made = {"integration": tokens.sign(integration.id, None, None, scopes)}
    if installation is not None:
        made["installation"] = tokens.sign(integration.id, installation.id, installation.organization_id, scopes)
    return made


def _hidden(manifest: dict[str, Any], visible: dict[str, Any], made: dict[str, str]) -> Iterator[str]:
    """Give what a script is told and nobody else may read: its secrets, the host's, and those of configurations."""
    yield from visible["secrets"].values()
    yield from visible["signingSecrets"].values()
    yield from made.values()
    marked, buttons = marked_properties(manifest.get("configurations") or {})
    for part in ("installation", "spaceInstallation", "siteInstallation"):
        if part in visible:
            yield from of_configuration(visible[part]["configuration"], marked, buttons)
