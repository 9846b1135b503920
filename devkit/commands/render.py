"""`devkit render`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from devkit import completing, environments, project, surroundings
from devkit.build.places import source_line
from devkit.environments import env_option
from devkit.findings import Finding
from devkit.output import Problem, complain, json_option, say, warn
from devkit.project import Project
from devkit.sandboxed import Called, Sandboxed
from devkit.surroundings import LEVELS, Configurations, Screen
from runtime.contract import accessibility, contentkit
from runtime.contract.invocation import LoadReport, ScriptFault
from runtime.engines.egress import EgressRules
from runtime.engines.engine import ScriptRefused
from runtime.engines.sandbox import SandboxMode

EXAMPLE = "example"
"""What stands for a variable of a secret that is not set."""
CONTEXTS = ("document", *(f"configuration_{level}" for level in LEVELS), "configuration_contentsource")
WHAT_TO_WRITE = """write an object, such as '{"key": "value"}'"""
EXAMPLES = """\b
Examples: devkit render counter --props '{"step": 2}'
          devkit render counter --state '{"count": 3}' --action increment --params '{"by": 2}' --json
          devkit render counter --theme dark --png counter.png"""


def _object(ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, Any] | None:
    """Read a JSON object of the command line."""
    if value is None:
        return None
    try:
        read = json.loads(value)
    except ValueError as error:
        raise click.BadParameter(f"this is no JSON ({error}); {WHAT_TO_WRITE}") from None
    if not isinstance(read, dict):
        raise click.BadParameter(WHAT_TO_WRITE)
    return read


@click.command("render", epilog=EXAMPLES)
@click.argument("component", shell_complete=completing.components)
@click.option("--props", callback=_object, default="{}", metavar="JSON", help="Its properties.")
@click.option(
    "--state", callback=_object, metavar="JSON", help="Its state; without one the script gives the initial one."
)
@click.option("--action", metavar="NAME", help="An action to handle before it is drawn.")
@click.option("--params", callback=_object, default="{}", metavar="JSON", help="What the action carries.")
@click.option(
    "--context", type=click.Choice(CONTEXTS), default="document", show_default=True, help="Where it is shown."
)
@click.option("--editable", is_flag=True, help="In a document that is being edited.")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@click.option("--installation-config", "configuration", callback=_object, metavar="JSON", help="What is configured.")
@click.option("--project", "folder", type=click.Path(), metavar="PATH", help="The project; else this folder's.")
@click.option("--tree", "as_tree", is_flag=True, help="Draw a tree in the terminal, as without any of these.")
@click.option("--html", "html_file", type=click.Path(dir_okay=False), help="Write a page that needs nothing else.")
@click.option("--png", "png_file", type=click.Path(dir_okay=False), help="Write a picture; needs Chromium.")
@click.option(
    "--sandbox", type=click.Choice(["required", "off"]), default="required", help="Whether to confine the script."
)
@env_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    component: str,
    props: dict[str, Any],
    state: dict[str, Any] | None,
    action: str | None,
    params: dict[str, Any],
    context: str,
    editable: bool,
    theme: str,
    configuration: dict[str, Any] | None,
    folder: str | None,
    as_tree: bool,
    html_file: str | None,
    png_file: str | None,
    sandbox: SandboxMode,
    env: str | None,
    as_json: bool,
) -> None:
    """Draw COMPONENT of the project in this folder, as a host would: in its sandbox, with what it logs on the side.

    Without an option the result is a tree in the terminal. What the output violates is a warning.
    """
    if params and action is None:
        raise Problem("--params belongs to --action NAME; name the action")
    found = project.load(folder, env)
    configurations = _configurations(found, configuration)
    screen = _screen(context, editable, theme, configurations)
    sent = None if action is None else {**params, "action": action}
    secrets = {key: environments.fill(text, found.variables, EXAMPLE) for key, text in found.manifest.secrets.items()}
    run = Sandboxed(found, sandbox=sandbox, secrets=secrets, configurations=configurations, rules=EgressRules())
    with run:
        try:
            report = run.load()
        except ScriptRefused as refused:
            _tell(_finding(found, refused.fault, run.entry))
            ctx.exit(1)
        _refuse_unknown(component, found, report)
        called = run.render(component, props, state, sent, screen)
    failure = called.trace.failure
    # Why it failed is told in full below.
    known = tuple(one.message for one in (called.fault, failure) if one is not None)
    for line in called.trace.logs:
        if known and line.message.startswith(known):
            continue
        click.echo(f"{line.level}: {line.message}", err=True)
    output = _output(ctx, found, called, run.entry, component)
    for violation in contentkit.violations(output):
        warn(str(violation))
    for missing in accessibility.warnings(output):
        warn(str(missing))
    if html_file is not None or png_file is not None:
        _draw_files(component, output, screen, html_file, png_file)
    if as_json:
        say(json.dumps(output, ensure_ascii=False))
    elif as_tree or (html_file is None and png_file is None):
        from devkit.rendering import tree

        tree.draw(output)


def _configurations(found: Project, given: dict[str, Any] | None) -> Configurations:
    """Lay what is configured on the command line over what the manifest's forms suggest."""
    filled = surroundings.configured(found.manifest)
    return filled if given is None else {level: {**filled[level], **given} for level in LEVELS}


def _screen(context: str, editable: bool, theme: str, configurations: Configurations) -> Screen:
    if context == "document":
        return surroundings.page(editable=editable, theme=theme)
    if context == "configuration_contentsource":
        return surroundings.content_source_screen(theme)
    (level,) = (one for one in LEVELS if context == f"configuration_{one}")
    return surroundings.configuration_screen(level, configurations, theme)


def _refuse_unknown(component: str, found: Project, report: LoadReport) -> None:
    """Raise Problem that names the components there are, where the engine can tell them."""
    if report.components and component not in report.components:
        raise Problem(f"there is no component `{component}`; the script has {', '.join(report.components)}")
    if not report.components and found.script.suffix == ".py":
        raise Problem(f'the script has no component; register one with @integration.component("{component}")')


def _named(found: Project) -> list[str]:
    """Give the components the manifest names."""
    manifest = found.manifest.model_dump(mode="json", by_alias=True)
    screens = (manifest.get("configurations") or {}).values()
    sources = [source.get("configuration") or {} for source in manifest.get("contentSources") or []]
    named = [block["id"] for block in manifest.get("blocks") or []]
    named += [one["componentId"] for one in (*screens, *sources) if isinstance(one, dict) and one.get("componentId")]
    return list(dict.fromkeys(named))


def _output(ctx: click.Context, found: Project, called: Called, entry: str, component: str) -> dict[str, Any]:
    """Give the output of a call; tells why there is none, and ends the command."""
    failure = called.trace.failure
    if called.fault is not None and (called.status >= 500 or failure is not None):
        _tell(_finding(found, called.fault, entry))
        ctx.exit(1)
    if failure is not None:
        raise Problem(f"{entry}: {failure.message}")
    if called.status == 404 and called.error == f"Component {component} not found":
        raise Problem(f"there is no component `{component}`; the manifest names {', '.join(_named(found)) or 'none'}")
    if called.status >= 400:
        raise Problem(f"the script refused with {called.status}: {called.error or 'without a reason'}")
    try:
        output = called.json
    except ValueError:
        output = None
    if not isinstance(output, dict):
        raise Problem("the script answered something that is no render output")
    return output


def _finding(found: Project, fault: ScriptFault, entry: str) -> Finding:
    file, line = fault.file or entry, fault.line or 1
    folder = found.script.parent if found.script.suffix == ".py" else found.folder
    source = fault.source or source_line(folder / file, line)
    hint = f" ({fault.hint})" if fault.hint else ""
    return Finding(file, line, fault.column or 1, fault.message + hint, source if fault.line else None)


def _tell(finding: Finding) -> None:
    complain(finding.sentence)
    if finding.pointed:
        click.echo(finding.pointed, err=True)


def _draw_files(
    component: str, output: dict[str, Any], screen: Screen, html_file: str | None, png_file: str | None
) -> None:
    """Write the page, the picture, or both; raises Problem."""
    from devkit.rendering import picture
    from devkit.rendering.page import page

    if output.get("type") == "complete":
        raise Problem("the component is complete: there is nothing to draw; --json shows what it returns")
    made = page(component, output, screen.context)
    if html_file is not None:
        picture.write(Path(html_file), made.encode(), "--html")
    if png_file is not None:
        picture.take(made, Path(png_file))
