"""Addresses that lead nowhere: a page for people, JSON for programs."""

from __future__ import annotations

import pytest
import requests

from tests.conftest import HostProcess

PEOPLE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/nothing", "/app/nothing-here", "/app/orgs/x/y/z", "/spaces/1", "/<b>x"])
def test_a_browser_gets_a_page(path: str, host: HostProcess) -> None:
    answer = requests.get(host.url + path, headers=PEOPLE, allow_redirects=False, timeout=20)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is no page here" in answer.text and f'href="{host.url}/app"' in answer.text
    assert "Check the address" in answer.text and "token" not in answer.text
    assert "<b>" not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "Accept" in answer.headers["Vary"]


@pytest.mark.parametrize("path", ["/nothing", "/app/nothing-here"])
@pytest.mark.parametrize("headers", [{}, {"Accept": "*/*"}, {"Accept": "application/json"}])
def test_programs_get_json(path: str, headers: dict[str, str], host: HostProcess) -> None:
    answer = requests.get(host.url + path, headers={"Accept": None, **headers}, timeout=20)  # type: ignore[dict-item]
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)


def test_the_api_speaks_json_to_everybody(host: HostProcess) -> None:
    answer = requests.get(host.url + "/v1/nothing", headers=PEOPLE, timeout=20)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)
