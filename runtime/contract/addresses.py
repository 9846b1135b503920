"""Every address the platform gives out, built in one place."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Addresses:
    """Builds absolute URLs without a trailing slash, but for `site`.

    `public_url` is where API and pages are reached, `content_url` where whatever a script answers is served: another
    origin keeps a script's pages away from the platform's own (contract/dispatch.md section 8).
    """

    public_url: str
    content_url: str

    def api(self, *parts: str) -> str:
        """Address of an API object: `api("spaces", id)`."""
        return "/".join([self.public_url, "v1", *(quote(part, safe="") for part in parts)])

    def app(self, *parts: str) -> str:
        """Address of a page for people."""
        return "/".join([self.public_url, "app", *(quote(part, safe="") for part in parts)])

    def integration(self, name: str) -> str:
        """Public endpoint of an integration."""
        return f"{self.content_url}/v1/integrations/{name}/integration"

    def installation(self, name: str, installation: str) -> str:
        """Public endpoint of an installation."""
        return f"{self.content_url}/v1/integrations/{name}/installation/{installation}"

    def space_installation(self, name: str, installation: str, space: str) -> str:
        """Public endpoint of a space installation."""
        return f"{self.content_url}/v1/integrations/{name}/space-installation/{installation}/{space}"

    def site_installation(self, name: str, installation: str, site: str) -> str:
        """Public endpoint of a site installation."""
        return f"{self.content_url}/v1/integrations/{name}/site-installation/{installation}/{site}"

    def site(self, site: str) -> str:
        """Address of a published site; the one that ends with a slash, because scripts append to it."""
        return f"{self.content_url}/sites/{site}/"

    def published_script(self, name: str, installation: str, site: str, fingerprint: str) -> str:
        """Address a published site loads an integration's script from; it changes with version and configuration."""
        return f"{self.content_url}/v1/integrations/{name}/published-script/{installation}/{site}/{fingerprint}.js"

    def assets(self, name: str) -> str:
        """Base of an integration's static files."""
        return f"{self.content_url}/v1/integrations/{name}/assets"
