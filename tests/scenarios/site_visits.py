"""Published sites as their visitors find them."""

from __future__ import annotations

import time
from typing import Any

import jwt

from tests.conftest import Answer, Api
from tests.scenarios.answers import ok
from tests.scenarios.site_structure import Site


def home(site: Site) -> str:
    return str(ok(site.api.get(site.path))["urls"]["published"])


def nobody(site: Site) -> Api:
    return Api(site.api.url, None)


def look(site: Site, place: str = "", **visitor: Any) -> Answer:
    body = {"url": home(site) + place, **({"visitor": visitor} if visitor else {})}
    return nobody(site).post("/v1/urls/published", body)


def reader(site: Site, answer: Answer) -> Api:
    return Api(site.api.url, ok(answer)["apiToken"])


def key_of(site: Site) -> str:
    return str(ok(site.api.get(f"{site.path}/publishing/auth"))["privateKey"])


def signed(key: str, **claims: Any) -> str:
    return jwt.encode({"exp": int(time.time()) + 3600, **claims}, key, algorithm="HS256")
