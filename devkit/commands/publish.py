"""`devkit publish`."""

from __future__ import annotations

import json
from typing import Any

import click

from devkit import credentials, project
from devkit.build.bundle import publish_body
from devkit.checking import inspecting
from devkit.client import Client, Refused, part
from devkit.environments import env_option
from devkit.findings import Wrong
from devkit.membership import organization_of
from devkit.output import answer, json_option, say, warn
from devkit.refusals import finding_of
from devkit.releasing.asking import ask, show
from devkit.releasing.differences import Difference, differences
from devkit.releasing.progress import Progress

EXAMPLES = """\b
Examples: devkit publish ./my-integration --organization my-company
          devkit publish --env staging --dry-run
          devkit publish --yes --json"""


@click.command("publish", epilog=EXAMPLES)
@click.argument("path", required=False)
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
        changes = _changes(client, name, body)
    if not as_json and changes is not None:
        show(f"{name} on {client.host}: " + ("this changes" if changes else "the manifest stays as it is"), changes)
    told = {"differences": [one.as_json() for one in changes or ()]}
    if dry_run:
        say(json.dumps({"published": False, "name": name, **told}) if as_json else "Nothing was published.")
        return
    ask(changes or [], yes)
    with Progress() as progress:
        progress.at(f"Uploading {len(body['script']) / 1000:.0f} kB, and loading it there")
        try:
            shown: dict[str, Any] = client.call("POST", f"/v1/integrations/{part(name)}", body)
        except Refused as refused:
            finding = finding_of(refused.sentence, found.folder, path)
            raise (Wrong([finding]) if finding.source is not None else refused) from None
    answer(as_json, shown | told, f"Published {shown['name']} version {shown['version']}: {shown['urls']['app']}")


def _changes(client: Client, name: str, body: dict[str, Any]) -> list[Difference] | None:
    """Compare with what the host runs; None where it runs nothing of this name."""
    try:
        return differences(client.call("GET", f"/v1/integrations/{part(name)}"), body)
    except Refused as refused:
        if refused.status == 404:
            return None
        raise


def organization_for(found: project.Project, client: Client) -> str:
    """Choose the publishing organisation: the manifest's, else the only one the token belongs to; raises Problem."""
    if isinstance(found.manifest.organization, str):
        return found.manifest.organization
    return organization_of(client, None, f"write `organization:` into {found.file.name}, or give --organization")
