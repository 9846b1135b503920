"""A browser at a host's pages, over HTTP and without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import requests

from tests.conftest import HostProcess


class Browser(requests.Session):
    """A browser at a host's pages, which follows no redirect by itself."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.base = url

    def ask(self, method: str, path: str, **more: Any) -> requests.Response:
        url = path if path.startswith("http") else self.base + path
        return self.request(method, url, allow_redirects=False, timeout=30, **more)

    def submit(self, page: str, path: str, **form: str) -> requests.Response:
        """Send a form as the page has it."""
        hidden = dict(re.findall(r'name="(csrf|once)" value="([\w-]+)"', self.ask("GET", page).text))
        assert "csrf" in hidden
        return self.ask("POST", path, data={**hidden, **form}, headers={"Origin": self.base})


def signed_in(host: HostProcess, token: str | None) -> Browser:
    browser = Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(token)).status_code == 303
    return browser


def alert(answer: requests.Response) -> str:
    found = re.search(r'role="alert">([^<]*)<', answer.text)
    assert found is not None, answer.text
    return found[1]
