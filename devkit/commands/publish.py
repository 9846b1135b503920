"""`devkit publish`."""

from __future__ import annotations

from typing import Any

import click

from devkit import credentials, project
from devkit.build.bundle import publish_body
from devkit.client import Client, part
from devkit.output import Problem, answer, json_option, warn


@click.command("publish")
@click.argument("path", required=False)
@click.option("--organization", help="Id or subdomain of the publishing organization; overrides the manifest.")
@credentials.options
@json_option
def command(path: str | None, organization: str | None, host: str | None, token: str | None, as_json: bool) -> None:
    """Publish the integration in PATH (this folder) as its next version.

    Example: devkit publish ./my-integration --organization my-company
    """
    found = project.load(path)
    client = Client(credentials.load(host, token, str(found.folder)))
    for warning in project.warnings(found):
        warn(warning.sentence)
    owner = organization or organization_for(found, client)
    shown: dict[str, Any] = client.call(
        "POST", f"/v1/integrations/{part(found.manifest.name)}", publish_body(found, owner)
    )
    answer(as_json, shown, f"Published {shown['name']} version {shown['version']}: {shown['urls']['app']}")


def organization_for(found: project.Project, client: Client) -> str:
    """Choose the publishing organisation: the manifest's, else the only one the token belongs to; raises Problem."""
    if isinstance(found.manifest.organization, str):
        return found.manifest.organization
    items: list[dict[str, str]] = client.call("GET", "/v1/orgs", limit=10)["items"]
    if len(items) == 1:
        return items[0]["id"]
    known = ", ".join(f"{item['id']} ({item['title']})" for item in items) or "none"
    raise Problem(
        f"which organization publishes? Write `organization:` into {found.file.name}, or give --organization; "
        f"yours: {known}"
    )
