"""All addresses of the platform, built in one place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal
from urllib.parse import quote

from runtime.contract.origins import Authority, authority, authority_of, below, is_wildcard, leads_anywhere
from runtime.contract.url_parts import split_url


class Asked(Enum):
    """The kind of origin of a request, by its `Host` header."""

    OWN = "own"
    """The separate origin of this integration, site or tunnel."""
    OTHERS = "others"
    """The separate origin of another one."""
    PLATFORM = "platform"
    """The origin of API and pages, which differs from that of content."""
    SHARED = "shared"
    """An origin that several of them share."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Builds absolute URLs without a trailing slash, except for `site` and `space`, to which scripts append.

    `public_url` is where API and pages are reached, `content_url` where whatever a script answers is served: an origin
    like `https://*.content.example` is one of its own for each integration, site and tunnel, another one is shared by
    all of them (docs/contract/scripts.md, "Public endpoints"). Paths are the same everywhere.
    """

    public_url: str
    content_url: str

    @property
    def own_origins(self) -> bool:
        """Return whether each integration and each site has an origin of its own."""
        return is_wildcard(self.content_url)

    @property
    def origins(self) -> Literal["own", "shared", "platform"]:
        """Return where scripts and sites answer: at their own origins, at one they share, or at the platform's."""
        return "own" if self.own_origins else "shared" if self._apart else "platform"

    def api(self, *parts: str) -> str:
        """Address of an API object: `api("spaces", id)`."""
        return "/".join([self.public_url, "v1", *(quote(part, safe="") for part in parts)])

    def app(self, *parts: str) -> str:
        """Address of a page for people."""
        return "/".join([self.public_url, "app", *(quote(part, safe="") for part in parts)])

    def path_of(self, url: str) -> str:
        """Return the path of an address of the platform, without query and fragment; "" for any other address.

        It is not parsed: parsers raise errors for what people and browsers send, such as `http://[`.
        """
        path = url.removeprefix(self.public_url) if url.startswith(f"{self.public_url}/") else ""
        return path.partition("#")[0].partition("?")[0]

    def space(self, space: str) -> str:
        """Address of the page of a space; what is appended is the path of one of its pages."""
        return self.app("spaces", space) + "/"

    def saml(self, provider: str, *parts: str) -> str:
        """Address of what an identity provider exchanges with this host; by itself its entity id."""
        return "/".join([self.public_url, "saml", *(quote(part, safe="") for part in (provider, *parts))])

    def integration_origin(self, name: str) -> str:
        """Origin at which an integration's script answers."""
        return below(self.content_url, "integration", name) if self.own_origins else self.content_url

    def site_origin(self, site: str) -> str:
        """Origin at which a site is published."""
        return below(self.content_url, "site", site) if self.own_origins else self.content_url

    def tunnel_origin(self, tunnel: str) -> str:
        """Origin at which a developer's machine answers."""
        return below(self.content_url, "tunnel", tunnel) if self.own_origins else self.content_url

    def of_integration(self, name: str) -> str:
        """Address that begins everything an integration's script answers."""
        return f"{self.integration_origin(name)}/v1/integrations/{name}"

    def integration(self, name: str) -> str:
        """Public endpoint of an integration."""
        return f"{self.of_integration(name)}/integration"

    def installation(self, name: str, installation: str) -> str:
        """Public endpoint of an installation."""
        return f"{self.of_integration(name)}/installation/{installation}"

    def space_installation(self, name: str, installation: str, space: str) -> str:
        """Public endpoint of a space installation."""
        return f"{self.of_integration(name)}/space-installation/{installation}/{space}"

    def site_installation(self, name: str, installation: str, site: str) -> str:
        """Public endpoint of a site installation."""
        return f"{self.of_integration(name)}/site-installation/{installation}/{site}"

    def visitor_authentication(self, name: str, installation: str, site: str) -> str:
        """Address at which a script is asked where to sign visitors in, where its cookies stay on its own origin."""
        return f"{self.of_integration(name)}/visitor-authentication/{installation}/{site}"

    def published_script(self, name: str, installation: str, site: str, fingerprint: str) -> str:
        """Address a published site loads an integration's script from; it changes with version and configuration."""
        return f"{self.of_integration(name)}/published-script/{installation}/{site}/{fingerprint}.js"

    def assets(self, name: str) -> str:
        """Base of an integration's static files."""
        return f"{self.of_integration(name)}/assets"

    def site(self, site: str) -> str:
        """Address of a published site, to which paths are appended."""
        return f"{self.site_origin(site)}/sites/{site}/"

    def space_origin(self, space: str) -> str:
        """Origin at which the files of a space are served."""
        return below(self.content_url, "space", space) if self.own_origins else self.content_url

    def file(self, space: str, blob: str, signature: str, name: str, content_type: str) -> str:
        """Address of a file's bytes; the signature says that the host gave it out."""
        parts = "/".join(quote(part, safe="") for part in (space, blob, signature, name))
        return f"{self.space_origin(space)}/files/{parts}?type={quote(content_type, safe='')}"

    def pdf(self, space: str, pdf: str, until: int, signature: str, name: str) -> str:
        """Address of a PDF until a moment, in seconds since the epoch."""
        parts = "/".join(quote(part, safe="") for part in (space, pdf, str(until), signature, name))
        return f"{self.space_origin(space)}/pdfs/{parts}"

    def tunnel(self, tunnel: str) -> str:
        """Address of a tunnel."""
        return f"{self.tunnel_origin(tunnel)}/tunnels/{tunnel}"

    def asked(self, host: str, origin: str) -> Asked:
        """Return what the origin of a request with this `Host` header is to one who answers at `origin`.

        A header that cannot be read, or names neither of the known origins, is one that is shared: whoever hands
        requests on may write anything there.
        """
        here, content = authority(host, split_url(origin).scheme), authority_of(self._content)
        if self.own_origins:
            if here.name == authority_of(origin).name:
                return Asked.OWN
            if here.name.endswith(f".{content.name}"):
                return Asked.OTHERS
        return Asked.PLATFORM if self._apart and self.is_public(host) else Asked.SHARED

    def is_own(self, host: str) -> bool:
        """Return whether a `Host` header names an origin of somebody's own, whoever's."""
        content = authority_of(self._content)
        here = authority(host, split_url(self.content_url).scheme)
        return self.own_origins and here.name.endswith(f".{content.name}")

    def is_public(self, host: str) -> bool:
        """Return whether a `Host` header is that of API and pages."""
        public, content = authority_of(self.public_url), authority_of(self._content)
        here = authority(host, split_url(self.public_url).scheme)
        # A proxy that leaves the port out does no harm where the names differ.
        return here == public if public.name == content.name else here.name == public.name

    def is_operators(self, host: str) -> bool:
        """Tell whether a `Host` header is one by which operators' tools ask, and no page in a browser but ours.

        Tools may ask by any address of the machine, and by names inside a network. Whoever has a page at a name that
        leads anywhere has it lead to this machine (DNS rebinding); pages of scripts are at the origins of content.
        """
        if not host or self.is_public(host):
            return True
        here = authority(host, split_url(self.public_url).scheme)
        return not self.is_own(host) and not leads_anywhere(here.name)

    @property
    def public(self) -> Authority:
        """Where API and pages are reached."""
        return authority_of(self.public_url)

    @property
    def _apart(self) -> bool:
        return authority_of(self.public_url) != authority_of(self._content)

    @property
    def _content(self) -> str:
        return self.content_url.replace("*.", "", 1)


def shown_address(url: str) -> str:
    """Return an address without the parts that can contain keys: query, fragment, and everything before an `@`."""
    try:
        parts = split_url(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    except ValueError:
        return url.partition("?")[0].partition("#")[0]
