"""Loads the remote lists of selects; without a host, directly from the script."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from devkit.offline.sandboxed_script import CallResult, SandboxedScript
from devkit.offline.simulated_host import NOWHERE, Screen
from devkit.rendering.elements import resolve, walk
from devkit.terminal.output import Problem, warn

Lists = Mapping[str, Mapping[str, Any]]
"""Address -> its entries, as the renderer keeps them: `items`, `selected` and `next`."""


def asked(run: SandboxedScript, drawn: CallResult, screen: Screen) -> dict[str, dict[str, Any]]:
    """Load each list from the script's own addresses; failures are warnings."""
    try:
        output = drawn.json
    except ValueError:
        return {}
    lists: dict[str, dict[str, Any]] = {}
    for address in dict.fromkeys(_addresses(output)):
        event = {"type": "fetch", "request": {"method": "get", "url": address, "headers": {}}, **screen.ids}
        try:
            answer = run.invoke(event)
            if answer.status >= 400:
                raise Problem(f"the script answered {answer.status} {answer.error}".rstrip())
            lists[address] = _entries(answer.json)
        except (Problem, ValueError) as error:
            reason = error.sentence if isinstance(error, Problem) else "the answer is not JSON"
            warn(f"the list at {address.removeprefix(NOWHERE)} stays empty: {reason}")
    return lists


def _addresses(output: Any) -> Iterator[str]:
    state = output.get("state") or {} if isinstance(output, dict) else {}
    for element in walk(output.get("element") if isinstance(output, dict) else None):
        address = address_of(element.get("options"), state) if element.get("type") == "select" else ""
        if address.startswith(f"{NOWHERE}/"):
            yield address


def address_of(options: Any, state: Mapping[str, Any]) -> str:
    """Build the address of a list as the renderer does: a string, or parts whose query may have bindings; or ""."""
    url = options.get("url") if isinstance(options, dict) else None
    if not isinstance(url, dict) or not url.get("host"):
        return url if isinstance(url, str) else ""
    query = urlencode({key: _text(value) for key, value in (resolve(url.get("query") or {}, state) or {}).items()})
    return f"https://{url['host']}{url.get('pathname') or '/'}" + (f"?{query}" if query else "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _entries(answer: Any) -> dict[str, Any]:
    """Read a list as the renderer does: an array, or an object with `items`, `selected` and `nextPage`."""
    whole = {"items": answer} if isinstance(answer, list) else answer if isinstance(answer, dict) else {}

    def listed(name: str) -> list[Any]:
        entries = whole.get(name)
        return [one for one in entries if isinstance(one, dict) and "id" in one] if isinstance(entries, list) else []

    return {"items": listed("items"), "selected": listed("selected"), "next": whole.get("nextPage")}
