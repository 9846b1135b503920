"""`devkit render`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from devkit.build.bundle import runtime_of
from devkit.build.source_positions import source_line
from devkit.manifests.findings import Finding, InvalidProject
from devkit.offline import simulated_host
from devkit.offline.confinement import sandbox_option
from devkit.offline.sandboxed_script import CallResult, SandboxedScript
from devkit.offline.simulated_host import LEVELS, Configurations, Screen
from devkit.projects import completion, environments
from devkit.projects import project as projects
from devkit.projects.environments import env_option
from devkit.projects.project import Project
from devkit.rendering import remote_lists
from devkit.terminal.output import Mistake, Problem, json_option, note, report, say, warn
from devkit.terminal.wording import nearest
from runtime.contract import accessibility, contentkit
from runtime.contract.invocation import LoadReport, ScriptFault
from runtime.engines.egress import EgressRules
from runtime.engines.engine import ScriptRefused
from runtime.engines.sandbox import SandboxMode

EXAMPLE = "example"
"""What stands for a variable of a secret that is not set."""
CONTEXTS = ("document", *(f"configuration_{level}" for level in LEVELS), "configuration_contentsource")
ROOTS = "a <block>, a <modal> or a <configuration>"
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
        raise click.BadParameter(f"this is not JSON ({error}); {WHAT_TO_WRITE}") from None
    if not isinstance(read, dict):
        raise click.BadParameter(WHAT_TO_WRITE)
    return read


@click.command("render", epilog=EXAMPLES)
@click.argument("component", shell_complete=completion.components)
@click.option("--props", callback=_object, default="{}", metavar="JSON", help="Its properties.")
@click.option("--state", callback=_object, metavar="JSON", help="Its state; default: the initial state of the script.")
@click.option("--action", metavar="NAME", help="An action to run before rendering.")
@click.option("--params", callback=_object, default="{}", metavar="JSON", help="Parameters of the action.")
@click.option(
    "--context",
    type=click.Choice(CONTEXTS),
    default="document",
    show_default=True,
    help="Where the component is shown.",
)
@click.option("--editable", is_flag=True, help="In a document that is being edited.")
@click.option(
    "--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True, help="Theme of the reader."
)
@click.option(
    "--installation-config",
    "configuration",
    callback=_object,
    metavar="JSON",
    help="Configuration of the installation.",
)
@click.option(
    "--project", "folder", type=click.Path(), metavar="PATH", help="The project; default: the one in this folder."
)
@click.option("--tree", "as_tree", is_flag=True, help="Print a tree in the terminal (the default).")
@click.option("--html", "html_file", type=click.Path(dir_okay=False), help="Write a self-contained HTML page.")
@click.option("--png", "png_file", type=click.Path(dir_okay=False), help="Write an image; needs Chromium.")
@sandbox_option
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
    """Render COMPONENT of the project in this folder as a host would: in its sandbox, with its logs on standard error.

    Without an option the result is a tree in the terminal. Trees, pages and images include the lists that the script
    serves to its selects; --json is the script's output as it is. Violations in the output are warnings.
    """
    if params and action is None:
        raise Mistake("--params needs --action NAME", hint="name the action")
    project = projects.load(folder, env)
    configurations = _configurations(project, configuration)
    screen = _screen(context, editable, theme, configurations)
    sent = None if action is None else {**params, "action": action}
    secrets = {
        key: environments.fill_with_examples(text, project.variables, EXAMPLE)
        for key, text in project.manifest.secrets.items()
    }
    run = SandboxedScript(project, sandbox=sandbox, secrets=secrets, configurations=configurations, rules=EgressRules())
    with run:
        try:
            loaded = run.load()
        except ScriptRefused as refused:
            _tell(_finding(project, refused.fault, run.entry), as_json)
            ctx.exit(1)
        _refuse_unknown(component, project, loaded)
        if action is not None:
            _refuse_action(component, action, project, loaded)
        called = run.render(component, props, state, sent, screen)
        drawn = html_file is not None or png_file is not None
        lists = {} if as_json and not drawn else remote_lists.asked(run, called, screen)
    failure = called.trace.failure
    # Why it failed is reported in full below.
    known = tuple(fault.message for fault in (called.fault, failure) if fault is not None)
    for line in called.trace.logs:
        if known and line.message.startswith(known):
            continue
        note(f"{line.level}: {line.message}")
    output = _output(ctx, project, called, run.entry, component, as_json)
    for violation in contentkit.violations(output):
        warn(str(violation))
    for missing in accessibility.warnings(output, typed=runtime_of(project) != "python"):
        warn(str(missing))
    if drawn:
        _draw_files(component, output, screen, lists, html_file, png_file)
        for file in filter(None, (html_file, png_file)):
            note(f"Wrote {file}.")
    if as_json:
        say(json.dumps(output, ensure_ascii=False))
    elif as_tree or not drawn:
        from devkit.rendering import tree

        tree.draw(output, lists)


def _configurations(project: Project, configuration: dict[str, Any] | None) -> Configurations:
    """Merge the configuration of the command line with the defaults of the manifest."""
    filled = simulated_host.configured(project.manifest)
    return filled if configuration is None else {level: {**filled[level], **configuration} for level in LEVELS}


def _screen(context: str, editable: bool, theme: str, configurations: Configurations) -> Screen:
    if context == "document":
        return simulated_host.page(editable=editable, theme=theme)
    if context == "configuration_contentsource":
        return simulated_host.content_source_screen(theme)
    (level,) = (level_ for level_ in LEVELS if context == f"configuration_{level_}")
    return simulated_host.configuration_screen(level, configurations, theme)


def _refuse_unknown(component: str, project: Project, report: LoadReport) -> None:
    """Raise Problem that lists the existing components, if the engine can report them."""
    if report.components and component not in report.components:
        raise _no_component(component, report.components, "the script has")
    if not report.components and project.script.suffix == ".py":
        raise Mistake(f'the script has no component; register one with @integration.component("{component}")')


def _no_component(component: str, known: Sequence[str], there: str) -> Mistake:
    close = nearest(component, known)
    meant = f"did you mean `{close}`? " if close else ""
    return Mistake(f"there is no component `{component}`", hint=f"{meant}{there} {', '.join(known) or 'none'}")


def _refuse_action(component: str, action: str, project: Project, report: LoadReport) -> None:
    """Raise Problem that names the actions of a component; only scripts in Python say which they have."""
    known = [name for owner, name in report.actions if owner == component]
    if action in known or "*" in known or project.script.suffix != ".py":
        return
    close = nearest(action, known)
    there = f"it has {', '.join(known)}" if known else f'`@{component}.action("{action}")` registers it'
    suggestion = f"did you mean `{close}`? " if close else ""
    raise Mistake(f"the component `{component}` has no action `{action}`", hint=f"{suggestion}{there}")


def _named(project: Project) -> list[str]:
    """Return the components the manifest names."""
    manifest = project.manifest.model_dump(mode="json", by_alias=True)
    screens = (manifest.get("configurations") or {}).values()
    sources = [source.get("configuration") or {} for source in manifest.get("contentSources") or []]
    named = [block["id"] for block in manifest.get("blocks") or []]
    named += [
        entry["componentId"] for entry in (*screens, *sources) if isinstance(entry, dict) and entry.get("componentId")
    ]
    return list(dict.fromkeys(named))


def _output(
    ctx: click.Context, project: Project, called: CallResult, entry: str, component: str, as_json: bool
) -> dict[str, Any]:
    """Return the output of a call; reports why there is none, and ends the command."""
    failure = called.trace.failure
    placed = called.fault is not None and (called.fault.file is not None or failure is None)
    if called.fault is not None and placed and (called.status >= 500 or failure is not None):
        known = called.fault.file is not None
        fault = _finding(project, called.fault, entry)
        _tell(fault if known else _at_component(project, component, fault.message, entry), as_json)
        ctx.exit(1)
    if failure is not None:
        hint = f" {called.fault.hint}" if called.fault is not None and called.fault.hint else ""
        raise Problem(f"{entry}: {failure.message}{hint}")
    if called.status == 404 and called.error == f"Component {component} not found":
        raise _no_component(component, _named(project), "the manifest names")
    if called.status >= 400:
        raise Problem(
            f"the script refused with {called.status}: {called.error or 'without a reason'}", status=called.status
        )
    try:
        output = called.json
    except ValueError:
        output = None
    if not isinstance(output, dict):
        raise Problem("the script answered something that is not a render output")
    if output.get("type") == "element" and not isinstance(output.get("element"), dict):
        what = _named_in_javascript(output["element"]) if "element" in output else "undefined"
        message = f"the component `{component}` returned {what}; it must return {ROOTS}"
        _tell(_at_component(project, component, message, entry), as_json)
        ctx.exit(1)
    return output


def _named_in_javascript(value: Any) -> str:
    """Name what a component returned instead of an element; in Python, the SDK refuses it before."""
    if isinstance(value, str):
        return "a string"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return "null" if value is None else "an array"


def _at_component(project: Project, component: str, message: str, entry: str) -> Finding:
    """Say it where a component is registered; without a line if that is not known."""
    from devkit.checking.subject import code_of

    spot = code_of(project).component(component)
    return spot.finding(message, "") if spot is not None else Finding(entry, 0, 0, message)


def _finding(project: Project, fault: ScriptFault, entry: str) -> Finding:
    file, line = fault.file or entry, fault.line or 1
    folder = project.script.parent if project.script.suffix == ".py" else project.folder
    source = fault.source or source_line(project.folder, folder / file, line)
    hint = f" ({fault.hint})" if fault.hint else ""
    return Finding(file, line, fault.column or 1, fault.message + hint, source if fault.line else None)


def _tell(finding: Finding, as_json: bool) -> None:
    report(InvalidProject([finding]))
    if finding.pointed and not as_json:
        note(finding.pointed)


def _draw_files(
    component: str,
    output: dict[str, Any],
    screen: Screen,
    lists: remote_lists.Lists,
    html_file: str | None,
    png_file: str | None,
) -> None:
    """Write the page, the picture, or both; raises Problem."""
    from devkit.rendering import picture
    from devkit.rendering.page import page

    if output.get("type") == "complete":
        raise Problem("the component is complete: there is nothing to render", hint="--json shows what it returns")
    html = page(component, output, screen.context, lists)
    if html_file is not None:
        picture.write(Path(html_file), html.encode(), "--html")
    if png_file is not None:
        picture.take(html, Path(png_file))
