"""Visitor sign-in of a site is set up on its pages, and where nobody signs visitors in, everybody is told so."""

from __future__ import annotations

import re
import time

import jwt
import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant, tenant
from tests.scenarios.browsing import Browser, signed_in
from tests.scenarios.people import reader

WARNING = "Nobody is chosen to sign visitors in"
ADDRESS = "https://in.example/sign-in"


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Signed in", f"{new_id()}@example.com")


@pytest.fixture(scope="module")
def admin(host: HostProcess, owner: Tenant) -> Browser:
    return signed_in(host, owner.api.token)


@pytest.fixture
def site(owner: Tenant) -> str:
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Guide"}).json["id"]
    made = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Manual", "spaces": [space]}).json["id"]
    assert owner.api.post(f"/v1/orgs/{owner.id}/sites/{made}/publish").status == 200
    return str(made)


def save(admin: Browser, at: str, auth: str) -> None:
    form = {"title": "Manual", "visibility": "visitor-auth", "auth": auth}
    assert admin.submit(f"{at}/settings", f"{at}/settings", **form).status_code == 303


def seen(owner: Tenant, site: str, query: str = "") -> requests.Response:
    url = owner.api.get(f"/v1/orgs/{owner.id}/sites/{site}").json["urls"]["published"]
    return requests.get(url + query, timeout=30, allow_redirects=False)


def test_where_nobody_signs_visitors_in_the_pages_say_so(admin: Browser, owner: Tenant, site: str) -> None:
    at = f"/app/orgs/{owner.id}/sites/{site}"
    for page in (at, f"{at}/settings"):
        assert WARNING not in admin.ask("GET", page).text
    save(admin, at, "")
    for page in (at, f"{at}/settings?saved"):
        assert WARNING in admin.ask("GET", page).text and f'href="{at}/settings#auth"' in admin.ask("GET", page).text
    refused = seen(owner, site)
    assert refused.status_code == 403 and "has no sign-in page" in refused.text
    save(admin, at, "custom")
    assert all(WARNING not in admin.ask("GET", page).text for page in (at, f"{at}/settings"))
    refused = seen(owner, site)
    assert refused.status_code == 403 and "signed in by its owners&#39; own service" in refused.text


def test_a_service_is_set_up_in_the_browser(admin: Browser, owner: Tenant, site: str, host: HostProcess) -> None:
    at = f"/app/orgs/{owner.id}/sites/{site}"
    page = f"{at}/sign-in"
    assert admin.ask("GET", page).status_code == 412
    save(admin, at, "custom")
    assert f'href="{page}"' in admin.ask("GET", f"{at}/settings").text
    key = owner.api.get(f"/v1/orgs/{owner.id}/sites/{site}/publishing/auth").json["privateKey"]
    assert key not in admin.ask("GET", page).text
    refused = admin.submit(page, page, fallbackURL="nowhere")
    assert refused.status_code == 400 and "Sign-in page of your service: must be an address" in refused.text
    assert 'value="nowhere"' in refused.text
    assert admin.submit(page, page, fallbackURL=ADDRESS).headers["Location"] == f"{page}?saved"
    assert f'value="{ADDRESS}"' in admin.ask("GET", page).text
    assert seen(owner, site).headers["Location"].startswith(f"{ADDRESS}?location=")
    shown = re.search(r'aria-label="Signing key" value="([^"]+)"', admin.submit(page, f"{page}/key").text)
    assert shown is not None and shown[1] == key
    token = jwt.encode({"exp": int(time.time()) + 600}, shown[1], algorithm="HS256")
    assert seen(owner, site, f"?jwt_token={token}").status_code in (302, 303)
    assert "Replace the signing key?" in admin.ask("GET", f"{page}/replace").text
    assert admin.submit(page, f"{page}/replace").headers["Location"] == page
    assert seen(owner, site, f"?jwt_token={token}").status_code == 401
    assert admin.submit(page, page, fallbackURL="").status_code == 303
    assert "fallbackURL" not in owner.api.get(f"/v1/orgs/{owner.id}/sites/{site}/publishing/auth").json
    mine = signed_in(host, reader(host, owner)[0])
    assert mine.ask("GET", page).status_code == 403
    for place in (page, f"{page}/key", f"{page}/replace"):
        assert mine.submit("/app", place, fallbackURL="https://evil.example/").status_code == 403
