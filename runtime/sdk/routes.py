"""Routing of requests: method and path, with parameters in the path."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from runtime.sdk.call import Call
from runtime.sdk.errors import RegistrationError

Plan = Callable[["Call"], Any]

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_PARAMETER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(:path)?\}")


class Route:
    """One method and one path pattern; `{name}` is one segment, `{name:path}` all that is left."""

    __slots__ = ("_match", "method", "parameters", "plan")

    def __init__(self, method: str, path: str) -> None:
        self.method = method.upper()
        if self.method not in (*METHODS, "*"):
            raise RegistrationError(f'fetch: "{method}" is not a method; use "*" or one of {", ".join(METHODS)}')
        if not path.startswith("/"):
            raise RegistrationError(f'fetch: the path must start with "/", got "{path}"')
        pattern, end, self.parameters = "", 0, list[str]()
        for match in _PARAMETER.finditer(path):
            self.parameters.append(match[1])
            pattern += re.escape(path[end : match.start()]) + f"(?P<{match[1]}>{'.*' if match[2] else '[^/]+'})"
            end = match.end()
        rest = path[end:]
        if "{" in rest or "}" in rest or len(set(self.parameters)) < len(self.parameters):
            raise RegistrationError(f'fetch: cannot read the path "{path}"; parameters are {{name}} or {{name:path}}')
        # A "*" at the end takes everything below; a slash at the end makes no difference.
        pattern += re.escape(rest[:-1]) + ".*" if rest.endswith("*") else re.escape(rest.rstrip("/")) + "/?"
        self._match = re.compile(pattern, re.DOTALL).fullmatch
        self.plan: Plan

    def match(self, path: str) -> dict[str, str] | None:
        """Return the decoded parameters if the path matches, otherwise None."""
        found = self._match(path)
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}

    def takes(self, method: str) -> bool:
        """Return whether the method matches; HEAD matches GET."""
        return self.method in (method, "*") or (method == "HEAD" and self.method == "GET")
