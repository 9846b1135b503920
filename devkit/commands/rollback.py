"""`devkit rollback`."""

from __future__ import annotations

from typing import Any

import click

from devkit import completing, credentials
from devkit.client import Client, part
from devkit.output import Problem, answer, json_option
from devkit.releasing.asking import ask, show
from devkit.releasing.differences import differences
from devkit.releasing.history import versions

EXAMPLES = """\b
Examples: devkit rollback my-integration 7
          devkit rollback my-integration --last --yes"""


@click.command("rollback", epilog=EXAMPLES)
@click.argument("name", shell_complete=completing.integration)
@click.argument("version", type=click.IntRange(1), required=False)
@click.option("--last", is_flag=True, help="The version before the one that runs now.")
@click.option("--yes", is_flag=True, help="Do not ask when the integration may do more than before.")
@credentials.options
@json_option
def command(
    name: str, version: int | None, last: bool, yes: bool, host: str | None, token: str | None, as_json: bool
) -> None:
    """Have the integration NAME run an earlier VERSION again; it is published once more, as the next version."""
    if (version is None) == (not last):
        raise click.UsageError("Give a VERSION, or --last.")
    client = Client(credentials.load(host, token))
    goal = _goal(client, name, version)
    now = client.call("GET", f"/v1/integrations/{part(name)}")
    told = goal["manifest"] | {"visibility": goal["visibility"], "title": goal["title"], "runtime": goal["runtime"]}
    changes = differences(now, told)
    if not as_json and changes:
        show(f"{name} on {client.host}, back to version {goal['version']}: this changes", changes)
    ask(changes, yes)
    shown: dict[str, Any] = client.call("POST", f"/v1/integrations/{part(name)}/rollback", {"version": goal["version"]})
    text = f"{name} runs version {goal['version']} again, as version {shown['version']}."
    answer(as_json, shown | {"differences": [one.as_json() for one in changes]}, text)


def _goal(client: Client, name: str, version: int | None) -> dict[str, Any]:
    """Find the version to go back to, or the one before the current; raises Problem."""
    kept = []
    for one in versions(client, name):
        kept.append(str(one["version"]))
        if version == one["version"] or (version is None and not one["current"]):
            if one["current"]:
                raise Problem(f"{name} runs version {version} now")
            if not one["restorable"]:
                raise Problem(f"the host kept too little of version {one['version']} to go back to it")
            return one
    wanted = f"version {version}" if version is not None else "version before the current one"
    raise Problem(f"{name} has no {wanted}; kept are {', '.join(kept)}")
