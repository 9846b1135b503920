"""`devkit publish`."""

from __future__ import annotations

import json
from typing import Any

import click

from devkit.build.bundle import publish_body
from devkit.checking import inspection
from devkit.hosts import choosing, installations, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, RequestRefused, part
from devkit.hosts.organizations import organization_of
from devkit.manifests.findings import InvalidProject
from devkit.offline.confinement import compiler_sandbox_option
from devkit.projects import completion
from devkit.projects import project as projects
from devkit.projects.environments import env_option
from devkit.projects.error_positions import finding_of
from devkit.releasing.confirmation import ask, show
from devkit.releasing.differences import Difference, brought, differences
from devkit.releasing.progress import Progress
from devkit.terminal.output import Problem, json_option, print_result, say, warn
from runtime.engines.sandbox import SandboxMode

EXAMPLES = """\b
Examples: devkit publish ./my-integration --organization my-company
          devkit publish --env staging --dry-run
          devkit publish --yes --json"""

ONLY_IN_DEV = "/identity"
"""The path of the identity provider of `devkit dev` (`runtime/web/identity.py`), where `.env` of templates leads."""


OTHER_PROJECT = "if another project has this name, change `name` in the manifest"
PLACEHOLDER = "only-for-this-machine"
"""The secret in `.env` of templates."""


@click.command("publish", epilog=EXAMPLES)
@click.argument("path", required=False, shell_complete=completion.folders)
@click.option("--organization", help="Id or hostname of the publishing organization; overrides the manifest.")
@click.option("--yes", is_flag=True, help="Do not ask if it gets more access, or loses a block or a content source.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and publish nothing.")
@compiler_sandbox_option
@env_option
@choosing.options
@json_option
def command(
    path: str | None,
    organization: str | None,
    yes: bool,
    dry_run: bool,
    sandbox: SandboxMode,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Publish the integration in PATH (default: this folder) as its next version.

    Errors that are found without running the script are reported before anything is sent. Changes are shown, and must
    be confirmed if scopes, content security policy or visibility widen, or if a block or a content source goes.
    """
    project = projects.load(path, env)
    name = project.manifest.name
    client = chosen.client(str(project.folder))
    with Progress() as progress:
        progress.at("Checking")
        for warning in inspection.check_without_running(project):
            warn(warning.sentence)
        owner = organization_for(project, client, organization)
        progress.at("Building")
        body = publish_body(project, owner, sandbox=sandbox)
        for secret, value in sorted(body.get("secrets", {}).items()):
            if value == ONLY_IN_DEV or value.startswith(f"{ONLY_IN_DEV}/"):
                warn(f"{secret} is an address of the identity provider of `devkit dev`: put that of your own into .env")
            elif value == PLACEHOLDER:
                warn(f"{secret} has the value of the template, which everybody knows: put one of your own into .env")
        progress.at("Comparing")
        running = _running(client, name)
        changes = differences(running, body) if running is not None else brought(body)
    if not as_json:
        show(_title(name, client.host, running is None, changes, sorted(body.get("secrets", {}))), changes)
    report = {"new": running is None, "differences": [change.as_json() for change in changes]}
    if dry_run:
        say(json.dumps({"published": False, "name": name, **report}) if as_json else "Nothing was published.")
        return
    ask(changes if running is not None else [], yes, refused="nothing was published", removing=OTHER_PROJECT)
    with Progress() as progress:
        progress.at(f"Uploading {len(body['script']) / 1000:.0f} kB, and loading it there")
        try:
            sent = body | {"unlessSame": True}
            published: dict[str, Any] = client.call(
                "POST", f"/v1/integrations/{part(name)}", sent, shape=response_shapes.PUBLISHED
            )
        except RequestRefused as refused:
            finding = finding_of(refused.sentence, project.folder, path)
            raise (InvalidProject([finding]) if finding.source is not None else refused) from None
    same = running is not None and running["version"] == published["version"]
    version, where = published["version"], published["urls"]["app"]
    lines = [f"Published {name} version {version}: {where}"]
    if same:
        text = f"{name} is identical to version {version}, which the host already runs: nothing was published. {where}"
        lines = [text]
    if isinstance(endpoint := published["urls"].get("publicEndpoint"), str):
        lines.append(f"Its public endpoint is {endpoint}")
    lines += [] if as_json else _next_step(client, name, published)
    print_result(as_json, {**published, **report, "published": not same}, *lines)


def _next_step(client: Client, name: str, published: dict[str, Any]) -> list[str]:
    """Say what the integration needs to be at work in the organization that owns it; nothing where it is not known."""
    owner = published.get("owner")
    if not isinstance(owner, dict) or not isinstance(owner.get("id"), str):
        return []
    try:
        installation = installations.find(client, name, owner["id"])
        parts = installations.parts_of(client, name, installation) if installation is not None else {}
        following = installations.next_step(client, name, owner["id"], installation, parts)
    except Problem:  # it is published all the same
        return []
    return [following] if following else []


def _running(client: Client, name: str) -> dict[str, Any] | None:
    """Return what the host runs under this name, if anything."""
    try:
        published: dict[str, Any] = client.call(
            "GET", f"/v1/integrations/{part(name)}", shape=response_shapes.INTEGRATION
        )
        return published
    except RequestRefused as refused:
        if refused.status == 404:
            return None
        raise


def _title(name: str, host: str, new: bool, changes: list[Difference], secrets: list[str]) -> str:
    if new:
        return f"{name} is new on {host}" + (" and brings" if changes else "")
    if changes:
        return f"{name} on {host}: this changes"
    # Nobody can read from a host what script and secrets it has.
    sent = f"the script, and the values of {', '.join(secrets)}, are sent" if secrets else "the script is sent"
    return f"{name} on {host}: the manifest does not change; {sent}"


def organization_for(project: projects.Project, client: Client, named: str | None = None) -> str:
    """Choose the publishing organization: `named`, the manifest's, or the only one of the token; raises Problem."""
    if named is not None:
        return organization_of(client, named)
    if isinstance(project.manifest.organization, str):
        return project.manifest.organization
    return organization_of(client, None, f"write `organization:` into {project.file.name}, or give --organization")
