"""A site that is read with a share link."""

from __future__ import annotations

from tests.conftest import Tenant
from tests.scenarios.answers import ok
from tests.scenarios.site_structure import Site


class Shared(Site):
    """A published site that needs a share link, with its first space."""

    def __init__(self, owner: Tenant) -> None:
        super().__init__(owner)
        ok(self.api.call("PATCH", self.path, {"visibility": "share-link", "published": True}))
        self.link, self.url = self.share()
        [part] = ok(self.api.get(f"{self.path}/site-spaces"))["items"]
        self.first: str = part["space"]["id"]
        self.at = f"/v1/spaces/{self.first}"

    def share(self) -> tuple[str, str]:
        """Make a share link; gives its id and address."""
        made = ok(self.api.post(f"{self.path}/share-links", {"name": "Customers"}), 201)
        return made["id"], made["urls"]["published"]


def key_in(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]
