"""`devkit rollback`."""

from __future__ import annotations

from typing import Any

import click

from devkit.hosts import choosing, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, part
from devkit.projects import completion
from devkit.releasing.confirmation import ask, show
from devkit.releasing.differences import differences
from devkit.releasing.history import versions
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Problem, json_option, print_result, shortened

EXAMPLES = """\b
Examples: devkit rollback my-integration 7
          devkit rollback my-integration --last --yes"""


@click.command("rollback", epilog=EXAMPLES)
@click.argument("name", shell_complete=completion.integration)
@click.argument("version", type=BoundedInteger(1), required=False)
@click.option("--last", is_flag=True, help="Roll back to the version before the current one.")
@click.option("--yes", is_flag=True, help="Do not ask if it gets more access, or loses a block or a content source.")
@choosing.options
@json_option
def command(name: str, version: int | None, last: bool, yes: bool, chosen: Choice, as_json: bool) -> None:
    """Roll the integration NAME back to an earlier VERSION, which is published again as the next version."""
    if (version is None) == (not last):
        raise click.UsageError("Give a VERSION, or --last.")
    client = chosen.client()
    goal = _goal(client, name, version)
    now = client.call("GET", f"/v1/integrations/{part(name)}", shape=response_shapes.INTEGRATION)
    manifest = goal["manifest"] | {"visibility": goal["visibility"], "title": goal["title"], "runtime": goal["runtime"]}
    changes = differences(now, manifest)
    if not as_json and changes:
        show(f"{name} on {client.host}, back to version {goal['version']}: this changes", changes)
    ask(changes, yes, refused="nothing was rolled back")
    published: dict[str, Any] = client.call(
        "POST",
        f"/v1/integrations/{part(name)}/rollback",
        {"version": goal["version"]},
        shape=response_shapes.ROLLED_BACK,
    )
    text = f"{name} runs version {goal['version']} again, as version {published['version']}."
    print_result(as_json, published | {"differences": [change.as_json() for change in changes]}, text)


def _goal(client: Client, name: str, version: int | None) -> dict[str, Any]:
    """Find the version to go back to, or the one before the current; raises Problem."""
    numbers = []
    for row in versions(client, name, response_shapes.KEPT_VERSION):
        numbers.append(str(row["version"]))
        if version == row["version"] or (version is None and not row["current"]):
            if row["current"]:
                raise Problem(f"{name} runs version {version} now")
            if not row["restorable"]:
                raise Problem(f"the host does not have all of version {row['version']}, so it cannot roll back to it")
            return row
    description = f"version {version}" if version is not None else "version before the current one"
    raise Problem(f"{name} has no {description}; the host keeps {shortened(', '.join(numbers))}")
