"""The scripts that a published site embeds (docs/contract/scripts.md, "Published scripts")."""

from __future__ import annotations

import hashlib
import json

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.sites import SiteIntegrationScript
from runtime.dispatch.planning import policy_header
from runtime.store import searching
from runtime.store.tables.sites import SiteRow


def of_site(session: Session, site: SiteRow, at: Addresses) -> list[SiteIntegrationScript]:
    """List the scripts of a site; their addresses change with version and configuration: they are cached for long."""
    scripts = []
    for integration, installation, part in searching.scripts_of_site(session, site):
        print_of = [integration.version_id, installation.revision, part.revision]
        fingerprint = hashlib.sha256(json.dumps(print_of).encode()).hexdigest()[:16]
        address = at.published_script(
            integration.name, installation.id, site.id, f"{integration.version}-{fingerprint}"
        )
        scripts.append(
            SiteIntegrationScript(
                script=address,
                content_security_policy=policy_header(integration) or MISSING,
                cookies="site:script:cookies" in integration.manifest["scopes"],
            )
        )
    return scripts
