"""Everything a call needs besides its event: the script, the environment, the secrets to mask.

A plan is created from rows once and used for many calls, until an epoch that it depends on advances.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.credentials import marked_properties, of_configuration
from runtime.contract.event_privacy import texts_of
from runtime.contract.invocation import Script
from runtime.contract.masking import Masker
from runtime.contract.presenting import environment
from runtime.contract.security_policy import normalise
from runtime.serializers.installations import installations, site_installations, space_installations
from runtime.serializers.integrations import integrations
from runtime.serializers.view import View
from runtime.store import rows, tokens
from runtime.store.fair_memory import FairMemory
from runtime.store.rows import HOST, Reach
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow, VersionRow

FRESH = 600.0
"""Seconds for which a plan's tokens are used; they are valid for an hour."""
KEPT_SCRIPTS, HEAVIEST_SCRIPTS = 64, 64 * 1024 * 1024
"""Limits of cached scripts: their number, and bytes in memory."""
INJECTS = "site:script:inject"
PARTS = ("installation", "spaceInstallation", "siteInstallation")
"""Names in the environment of what has a configuration."""


@dataclass(frozen=True, slots=True)
class Level:
    """The level of a call: the integration, an installation, or an installation on a space or site."""

    integration: IntegrationRow
    installation: InstallationRow | None = None
    space: SpaceInstallationRow | None = None
    site: SiteInstallationRow | None = None

    @property
    def paused(self) -> str:
        """The paused level, in words; empty if none is. While paused, its script is not called."""
        parts = ((self.installation, ""), (self.space, " on this space"), (self.site, " on this site"))
        return next((f"installation{where}" for row, where in parts if row is not None and row.status == "paused"), "")


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Plan:
    """The part of a call that stays the same from call to call.

    `organization_id` is where the integration is installed, or who owns it where a call is for no installation.
    `fingerprint` changes with everything the script can see, except its tokens. `masker` removes secrets from
    everything that is stored. `policy` is the manifest's content security policy, `page_policy` the same where it was
    written for the pages that the script answers. `made` is the monotonic time the tokens were made. `configured` are
    the texts of the configuration where another organization than the integration's owner gave it.
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
    page_policy: str | None
    endpoint: str
    made: float
    configured: frozenset[str] = frozenset()

    @property
    def parts(self) -> dict[Hashable, int]:
        """Approximate bytes in memory: its own, and those of the script, which other plans share.

        The masked values are from the environment; their escaped forms are about as long as that together.
        """
        return {
            id(self): 2 * len(self.environment) + sum(map(sys.getsizeof, self.configured)),
            self.script.version: sys.getsizeof(self.script.source),
        }

    @property
    def fresh(self) -> bool:
        """Return whether its tokens may still be used."""
        return time.monotonic() - self.made < FRESH


class Scripts:
    """Cached scripts, read from the database once for each version."""

    def __init__(self) -> None:
        self._kept: FairMemory[str, tuple[Script, dict[str, str]]] = FairMemory(HEAVIEST_SCRIPTS)

    def of(self, session: Session, integration: IntegrationRow) -> tuple[Script, dict[str, str]]:
        """Give the current script of an integration and its secrets."""
        kept = self._kept.use(integration.version_id)
        if kept is not None:
            return kept
        row = rows.find(session, HOST, VersionRow, id=integration.version_id)
        if row is None:
            raise LookupError(f"version {integration.version_id} of {integration.name} is not in the database")
        script = (Script(row.id, row.runtime, row.script, row.entry, integration.name), dict(row.secrets))
        size = max(sys.getsizeof(row.script), HEAVIEST_SCRIPTS // KEPT_SCRIPTS)
        self._kept.keep(row.id, script, integration.organization_id, size)
        return script


class Planner:
    """Creates plans."""

    def __init__(self, addresses: Addresses) -> None:
        self._at = addresses
        self._scripts = Scripts()

    def plan(self, session: Session, level: Level) -> Plan:
        """Read what a call of this level needs (docs/contract/scripts.md, "The environment")."""
        integration, installation = level.integration, level.installation
        script, secrets = self._scripts.of(session, integration)
        tokens_ = tokens_for(integration, installation)
        seen = self._environment(session, level, secrets, tokens_)
        hidden = ("apiEndpoint", "apiTokens", "authToken")
        lasting = {name: part for name, part in seen.items() if name not in hidden}
        fingerprint = hashlib.sha256(json.dumps([script.version, lasting], sort_keys=True).encode()).hexdigest()
        return Plan(
            integration_id=integration.id,
            integration=integration.name,
            installation_id=installation.id if installation else None,
            organization_id=(installation or integration).organization_id,
            script=script,
            environment=json.dumps(seen, separators=(",", ":")).encode(),
            fingerprint=fingerprint,
            masker=Masker(_hidden(integration.manifest, seen)),
            tunnel_url=self._tunnel(integration, installation),
            policy=policy_header(integration),
            page_policy=policy_of_pages(integration),
            endpoint=self._endpoint(level),
            made=time.monotonic(),
            configured=_configured(level, seen),
        )

    def _environment(
        self, session: Session, level: Level, secrets: dict[str, str], tokens_: dict[str, str]
    ) -> dict[str, Any]:
        """Return the environment of the script: everything as its own installation sees it."""
        integration, installation = level.integration, level.installation
        view = View(session, self._at, Reach("integration", integration_id=integration.id))
        parts: dict[str, Any] = {}
        signing = {"integration": integration.signing_secret}
        if installation is not None:
            parts["installation"] = installations(view, [installation])[0]
            signing["installation"] = installation.signing_secret
            if level.space is not None:
                parts["spaceInstallation"] = space_installations(view, [level.space])[0]
                signing["spaceInstallation"] = level.space.signing_secret
            if level.site is not None:
                parts["siteInstallation"] = site_installations(view, [level.site])[0]
                signing["siteInstallation"] = level.site.signing_secret
        return environment(
            at=self._at,
            tokens=tokens_,
            integration=integrations(view, [integration])[0],
            parts=parts,
            secrets=secrets,
            signing_secrets=signing,
        )

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
        """Return the tunnel that takes the events, if any (docs/contract/scripts.md, "Development mode")."""
        own = installation is None or installation.organization_id == integration.organization_id
        return integration.tunnel_url if own or integration.tunnel_all else None


def policy_of_pages(integration: IntegrationRow) -> str | None:
    """Return the content security policy for pages that an integration's script answers, such as web frames.

    With a published script, the policy says what the pages of sites must allow for that script; it would block the
    scripts and styles of a frame. Such an integration sends a separate policy with its frames.
    """
    if INJECTS in integration.manifest["scopes"]:
        return None
    return policy_header(integration)


def policy_header(integration: IntegrationRow) -> str | None:
    """Return the content security policy of an integration as a header value."""
    policy = integration.manifest.get("contentSecurityPolicy")
    return normalise(policy).header or None if policy else None


def tokens_for(integration: IntegrationRow, installation: InstallationRow | None) -> dict[str, str]:
    """Create the tokens in a script's environment; the last one is its default."""
    scopes = integration.manifest["scopes"]
    signed = {"integration": tokens.sign(integration.id, None, None, scopes)}
    if installation is not None:
        signed["installation"] = tokens.sign(integration.id, installation.id, installation.organization_id, scopes)
    return signed


def _configured(level: Level, seen: dict[str, Any]) -> frozenset[str]:
    """Return the texts that the integration's owner must not read: none of its own installations."""
    if level.installation is None or level.installation.organization_id == level.integration.organization_id:
        return frozenset()
    return frozenset(text for part in PARTS if part in seen for text in texts_of(seen[part]["configuration"]))


def _hidden(manifest: dict[str, Any], seen: dict[str, Any]) -> Iterator[str]:
    """Yield the values to mask: the script's secrets, the host's, and those of configurations."""
    for kind in ("secrets", "signingSecrets", "apiTokens"):
        yield from seen[kind].values()
    marked, buttons = marked_properties(manifest.get("configurations") or {})
    for part in PARTS:
        if part in seen:
            yield from of_configuration(seen[part]["configuration"], marked, buttons)
