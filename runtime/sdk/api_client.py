"""A client of the platform's API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from runtime.sdk.errors import ApiError

Query = str | int | float | bool | None | list[str]


class Api:
    """Calls the platform's API with one bearer token.

    Paths start with "/" and leave out the version: `api.get("/spaces/abc")`. Answers are parsed JSON, None if there
    is no body. Every method raises ApiError for an error status and FetchError without an answer.
    """

    __slots__ = ("_agent", "_base", "_token")

    def __init__(self, endpoint: str, token: str, agent: str) -> None:
        self._base = endpoint.removesuffix("/") + "/v1"
        self._token = token
        self._agent = agent

    def get(self, path: str, **query: Query) -> Any:
        """Send a GET; query parameters that are None are left out."""
        return self.request("GET", path, query=query)

    def post(self, path: str, body: object = None, **query: Query) -> Any:
        """Send a POST."""
        return self.request("POST", path, body, query=query)

    def put(self, path: str, body: object = None, **query: Query) -> Any:
        """Send a PUT."""
        return self.request("PUT", path, body, query=query)

    def patch(self, path: str, body: object = None, **query: Query) -> Any:
        """Send a PATCH."""
        return self.request("PATCH", path, body, query=query)

    def delete(self, path: str, **query: Query) -> Any:
        """Send a DELETE."""
        return self.request("DELETE", path, query=query)

    def items(self, path: str, **query: Query) -> Iterator[Any]:
        """Yield all items of a list, page by page."""
        while True:
            page = self.request("GET", path, query=query)
            yield from page["items"]
            if not page.get("next"):
                return
            query["page"] = page["next"]["page"]

    def request(self, method: str, path: str, body: object = None, *, query: dict[str, Query] | None = None) -> Any:
        """Send any request to the API."""
        from runtime.sdk.outgoing import fetch

        pairs = [(name, _text(value)) for name, value in (query or {}).items() if value is not None]
        url = self._base + path + (f"?{urlencode(pairs, doseq=True)}" if pairs else "")
        headers = {"authorization": f"Bearer {self._token}", "user-agent": self._agent}
        answer = fetch(url, method=method, headers=headers, json=body)
        try:
            parsed = answer.json() if answer.body else None
        except ValueError:
            parsed = answer.text()
        if answer.ok:
            return parsed
        error = parsed.get("error") if isinstance(parsed, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        raise ApiError(answer.status, str(message or f"{method} {path} failed"), parsed)

    def with_token(self, token: str) -> Api:
        """Return a client of the same API that uses another token."""
        client = Api.__new__(Api)
        client._base, client._token, client._agent = self._base, token, self._agent
        return client


def installation_path(integration: str, installation: str, *, space: str | None = None, site: str | None = None) -> str:
    """Return the API path of an installation, or of its part on a space or a site."""
    path = f"/integrations/{quote(integration, safe='')}/installations/{quote(installation, safe='')}"
    if space:
        return f"{path}/spaces/{quote(space, safe='')}"
    if site:
        return f"{path}/sites/{quote(site, safe='')}"
    return path


def _text(value: Query) -> str | list[str]:
    """Write a query value as the API reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, list) else str(value)
