"""`devkit tokens`."""

from __future__ import annotations

from typing import Any

import click

from devkit.hosts import choosing, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Problem, json_option, one_line, print_result, styled

EXAMPLES = """\b
Examples: devkit tokens
          devkit tokens --create "Build server" --days 30
          devkit tokens --revoke kV2n8sQfJ0bXyT4LrE6w"""


@click.command("tokens", epilog=EXAMPLES)
@click.option("--create", "title", metavar="TITLE", help="Create a token, which is shown only once.")
@click.option(
    "--days",
    type=BoundedInteger(0, 3650),
    default=90,
    show_default=True,
    help="Days until the token expires; 0: never.",
)
@click.option("--revoke", "revoked", metavar="ID", help="Revoke the token with this id, which the list shows.")
@choosing.options
@json_option
def command(title: str | None, days: int, revoked: str | None, chosen: Choice, as_json: bool) -> None:
    """List your tokens for a host; with --create or --revoke, create or revoke one.

    The list shows each token's id, dates and title, never the token itself: that is shown once, when it is created. A
    revoked token is refused from then on, and everything that was opened with it ends, such as `devkit logs --follow`.
    """
    if title is not None and revoked is not None:
        raise click.UsageError("--create and --revoke cannot be combined; give one of them.")
    client = chosen.client()
    if title is not None:
        made = client.call(
            "POST", "/v1/user/tokens", {"title": title, "expiresIn": days or None}, shape=response_shapes.NEW_TOKEN
        )
        until = f"until {made['expiresAt']}" if made.get("expiresAt") else "until it is revoked"
        note = f"Created {made['id']} ({one_line(made['title'])}), which is valid {until}. It is shown only this once:"
        print_result(as_json, {"host": client.host, **made}, note, made["token"])
        return
    tokens = list(client.every("/v1/user/tokens", shape=response_shapes.TOKEN))
    if revoked is None:
        print_result(as_json, {"host": client.host, "tokens": tokens}, *map(_line, tokens))
        return
    row = next((item for item in tokens if item["id"] == revoked), None)
    if row is None:
        raise Problem(f"you have no token {revoked} for {client.host}", hint="`devkit tokens` lists those you have")
    client.call("DELETE", f"/v1/user/tokens/{part(revoked)}")
    text = f"Revoked {revoked}."
    if row["current"]:
        text += " It was the one in use here: run `devkit login` with another token."
    print_result(as_json, {"host": client.host, "id": revoked, "revoked": True, "current": row["current"]}, text)


def _line(row: dict[str, Any]) -> str:
    mark = styled("*", fg="green", bold=True) if row["current"] else " "
    parts = [f"{mark} {row['id']}", f"created {row['createdAt']}"]
    parts += [f"ends {row['expiresAt']}"] if row.get("expiresAt") else []
    parts += [str(row["title"])] if row.get("title") else []
    return one_line("  ".join([*parts, *(["(in use here)"] if row["current"] else [])]))
