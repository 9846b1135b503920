"""Signing in to the pages for people."""

from __future__ import annotations

from typing import Any

from tests.conftest import Tenant


def sign_in(page: Any, person: Tenant) -> None:
    page.goto("/app/sign-in")
    page.get_by_label("Token").fill(str(person.api.token))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/app")
