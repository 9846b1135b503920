"""A browser at a host's pages, over HTTP and without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import requests


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
