"""`devkit versions`."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import click

from devkit import completing, credentials, project
from devkit.client import Client
from devkit.environments import env_option
from devkit.output import json_option, say
from devkit.releasing.history import versions

EXAMPLES = """\b
Examples: devkit versions my-integration
          devkit versions --limit 5 --json"""


@click.command("versions", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=completing.integration)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many at most.")
@env_option
@credentials.options
@json_option
def command(name: str | None, limit: int, env: str | None, host: str | None, token: str | None, as_json: bool) -> None:
    """List the versions of the integration NAME (the one of this folder) that the host keeps, newest first."""
    name = name or project.name_here(env)
    found = list(islice(versions(Client(credentials.load(host, token)), name), limit))
    say(json.dumps({"versions": found}) if as_json else "\n".join(_line(one) for one in found))


def _line(one: dict[str, Any]) -> str:
    mark = click.style("*", fg="green", bold=True) if one["current"] else " "
    words = [mark, str(one["version"]).rjust(4), one["createdAt"], one["runtime"].ljust(6), one.get("title", "")]
    if not one["restorable"]:
        words.append("(cannot be gone back to)")
    return "  ".join(words).rstrip()
