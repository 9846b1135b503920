"""A published site whose look is customized."""

from __future__ import annotations

from typing import Any

import requests

from tests.conftest import Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import page
from tests.scenarios.published_site import Published
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home


def to(url: str) -> dict[str, Any]:
    return {"kind": "url", "url": url}


class Framed:
    """A site of two spaces, and its customization."""

    def __init__(self, owner: Tenant) -> None:
        self.site = Site(owner, spaces=2)
        self.parts = ok(owner.api.get(f"{self.site.path}/site-spaces"))["items"]
        made = Published.__new__(Published)
        made.site = self.site
        self.spaces = [made.space_of(part["space"]["id"]) for part in self.parts]
        for number, space in enumerate(self.spaces):
            space.merge(page(f"Page {number}", "Words.", id=f"page{number}"))
        ok(owner.api.post(f"{self.site.path}/publish"))
        self.home = home(self.site)

    def look(self, **changes: Any) -> None:
        at = f"{self.site.path}/customization"
        settings = ok(self.site.api.get(at))
        for name, value in changes.items():
            inner = isinstance(value, dict) and name in ("styling", "header", "footer", "themes")
            settings[name] = {**settings[name], **value} if inner else value
        ok(self.site.api.call("PUT", at, settings))

    def override(self, number: int, **changes: Any) -> None:
        at = f"{self.site.path}/site-spaces/{self.parts[number]['id']}/customization"
        ok(self.site.api.call("PATCH", at, changes))

    def second(self) -> str:
        return self.home + "space-1/"


def policy(got: requests.Response) -> str:
    return got.headers["Content-Security-Policy"]
