"""`devkit tokens`."""

from __future__ import annotations

from typing import Any

import click

from devkit import credentials
from devkit.client import Client, part
from devkit.output import Problem, answer, json_option

EXAMPLES = """\b
Examples: devkit tokens
          devkit tokens --revoke kV2n8sQfJ0bXyT4LrE6w"""


@click.command("tokens", epilog=EXAMPLES)
@click.option("--revoke", "revoked", metavar="ID", help="Revoke this token: it is refused from now on.")
@credentials.options
@json_option
def command(revoked: str | None, host: str | None, token: str | None, as_json: bool) -> None:
    """List your tokens for a host, or revoke one, which also ends what is open with it.

    Tokens themselves are never shown: the host keeps only what it needs to know one again.
    """
    client = Client(credentials.load(host, token))
    found = list(_tokens(client))
    if revoked is None:
        answer(as_json, {"host": client.host, "tokens": found}, "\n".join(_line(one) for one in found))
        return
    chosen = next((one for one in found if one["id"] == revoked), None)
    if chosen is None:
        raise Problem(f"you have no token {revoked} for {client.host}; `devkit tokens` lists those you have")
    client.call("DELETE", f"/v1/user/tokens/{part(revoked)}")
    text = f"Revoked {revoked}."
    if chosen["current"]:
        text += " It was the one in use here: run `devkit login` with another."
    answer(as_json, {"host": client.host, "id": revoked, "revoked": True, "current": chosen["current"]}, text)


def _tokens(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page = None
    while True:
        told = client.call("GET", "/v1/user/tokens", page=page, limit=1000)
        found += told["items"]
        page = (told.get("next") or {}).get("page")
        if page is None:
            return found


def _line(one: dict[str, Any]) -> str:
    mark = click.style("*", fg="green", bold=True) if one["current"] else " "
    return f"{mark} {one['id']}  made {one['createdAt']}" + ("  (in use here)" if one["current"] else "")
