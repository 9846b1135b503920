"""`devkit publish`."""

from __future__ import annotations

import json
from typing import Any

import click

from devkit import completing, credentials, project
from devkit.build.bundle import publish_body
from devkit.checking import inspecting
from devkit.client import Client, Refused, part
from devkit.environments import env_option
from devkit.findings import Wrong
from devkit.membership import organization_of
from devkit.output import answer, json_option, say, warn
from devkit.refusals import finding_of
from devkit.releasing.asking import ask, show
from devkit.releasing.differences import Difference, brought, differences
from devkit.releasing.progress import Progress

EXAMPLES = """\b
Examples: devkit publish ./my-integration --organization my-company
          devkit publish --env staging --dry-run
          devkit publish --yes --json"""


@click.command("publish", epilog=EXAMPLES)
@click.argument("path", required=False, shell_complete=completing.folders)
@click.option("--organization", help="Id or subdomain of the publishing organization; overrides the manifest.")
@click.option("--yes", is_flag=True, help="Do not ask when the integration may do more than before.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and publish nothing.")
@env_option
@credentials.options
@json_option
def command(
    path: str | None,
    organization: str | None,
    yes: bool,
    dry_run: bool,
    env: str | None,
    host: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Publish the integration in PATH (this folder) as its next version.

    What is wrong is told before anything is sent. What changes is shown, and asked about where scopes, content security
    policy or visibility widen.
    """
    found = project.load(path, env)
    name = found.manifest.name
    client = Client(credentials.load(host, token, str(found.folder)))
    with Progress() as progress:
        progress.at("Checking")
        for one in inspecting.look(found):
            warn(one.sentence)
        owner = organization or organization_for(found, client)
        progress.at("Building")
        body = publish_body(found, owner)
        progress.at("Comparing")
        running = _running(client, name)
        changes = differences(running, body) if running is not None else brought(body)
    if not as_json:
        show(_title(name, client.host, running is None, changes), changes)
    told = {"new": running is None, "differences": [one.as_json() for one in changes]}
    if dry_run:
        say(json.dumps({"published": False, "name": name, **told}) if as_json else "Nothing was published.")
        return
    ask(changes if running is not None else [], yes)
    with Progress() as progress:
        progress.at(f"Uploading {len(body['script']) / 1000:.0f} kB, and loading it there")
        try:
            shown: dict[str, Any] = client.call("POST", f"/v1/integrations/{part(name)}", body)
        except Refused as refused:
            finding = finding_of(refused.sentence, found.folder, path)
            raise (Wrong([finding]) if finding.source is not None else refused) from None
    answer(as_json, shown | told, f"Published {shown['name']} version {shown['version']}: {shown['urls']['app']}")


def _running(client: Client, name: str) -> dict[str, Any] | None:
    """Give what the host runs under this name, if anything."""
    try:
        shown: dict[str, Any] = client.call("GET", f"/v1/integrations/{part(name)}")
        return shown
    except Refused as refused:
        if refused.status == 404:
            return None
        raise


def _title(name: str, host: str, new: bool, changes: list[Difference]) -> str:
    if new:
        return f"{name} is new on {host}" + (" and brings" if changes else "")
    return f"{name} on {host}: " + ("this changes" if changes else "the manifest stays as it is")


def organization_for(found: project.Project, client: Client) -> str:
    """Choose the publishing organisation: the manifest's, else the only one the token belongs to; raises Problem."""
    if isinstance(found.manifest.organization, str):
        return found.manifest.organization
    return organization_of(client, None, f"write `organization:` into {found.file.name}, or give --organization")
