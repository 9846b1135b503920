"""What pages for the people of an organization may load beyond style sheets: pictures, modules, configuration screens.

Code comes from the host's own files alone, and of nothing else that answers at this origin.
"""

from __future__ import annotations

from runtime.api.host import Host

END = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


def with_pictures(host: Host) -> str:
    """Let a page show the pictures of integrations, and load modules of ours that help."""
    at = host.addresses
    own = f"{at.public_url}/app/static/"
    return (
        f"default-src 'none'; script-src {own}; style-src {own}; img-src 'self' data: {at.content_url}; "
        f"connect-src 'self'; {END}"
    )


def with_screen(host: Host, integration: str) -> str:
    """Let a page draw a configuration screen: its pictures and frames come from anywhere."""
    at = host.addresses
    own = f"{at.public_url}/app/static/ {at.public_url}/contentkit/"
    return (
        f"default-src 'none'; script-src {own} {at.public_url}/contentkit.js; style-src {own}; img-src * data:; "
        f"frame-src *; connect-src 'self' {at.integration_origin(integration)} https:; {END}"
    )
