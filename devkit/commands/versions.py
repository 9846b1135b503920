"""`devkit versions`."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import click

from devkit.hosts import choosing
from devkit.hosts.choosing import Choice
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.releasing.history import versions
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import json_option, one_line, say, styled

EXAMPLES = """\b
Examples: devkit versions my-integration
          devkit versions --limit 5 --json"""


@click.command("versions", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=completion.integration)
@click.option("--limit", default=20, show_default=True, type=BoundedInteger(1, 1000), help="Maximum number to list.")
@env_option
@choosing.options
@json_option
def command(name: str | None, limit: int, env: str | None, chosen: Choice, as_json: bool) -> None:
    """List the versions of the integration NAME (default: that of this folder) that a host keeps, newest first."""
    name = name or names.name_here(env)
    rows = list(islice(versions(chosen.client(), name), limit))
    say(json.dumps({"versions": rows}) if as_json else "\n".join(_line(row) for row in rows))


def _line(row: dict[str, Any]) -> str:
    mark = styled("*", fg="green", bold=True) if row["current"] else " "
    words = [mark, str(row["version"]).rjust(4), row["createdAt"], row["runtime"].ljust(6), row.get("title") or ""]
    if not row["restorable"]:
        words.append("(cannot be restored)")
    return one_line("  ".join(words)).rstrip()
