"""Pages of a published site as browsers get them."""

from __future__ import annotations

import html
import re
from typing import Any

import requests

from tests.conftest import Installed
from tests.scenarios.answers import ok

LINK = re.compile(r'<a href="([^"]+)"(?: aria-current="(\w+)")?>([^<]*)')


def get(address: str, **more: Any) -> requests.Response:
    return requests.get(address, timeout=60, allow_redirects=False, **more)


def text_of(address: str, **more: Any) -> str:
    got = get(address, **more)
    assert got.status_code == 200, got.text
    return got.text


def links(text: str, of: str) -> list[tuple[str, str, str]]:
    """Give the links in a list beside the page: address, what `aria-current` says, title."""
    found = re.search(rf'<nav [^>]*aria-label="{of}"[^>]*>(.*?)</nav>', text, re.DOTALL)
    return (
        [(html.unescape(href), now, html.unescape(said)) for href, now, said in LINK.findall(found[1])] if found else []
    )


def address(app: Installed) -> str:
    return str(ok(app.owner.api.get(f"/v1/orgs/{app.owner.id}/sites/{app.site}"))["urls"]["published"])
