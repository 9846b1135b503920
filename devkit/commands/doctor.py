"""`devkit doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from devkit.diagnostics import table
from devkit.diagnostics.result import Examination, Place
from devkit.diagnostics.table import EXAMINATIONS
from devkit.hosts import choosing
from devkit.hosts.choosing import Choice
from devkit.projects import completion
from devkit.projects.folder import find_folder
from devkit.terminal.output import Mistake, json_option, one_line, say, shortened, styled

SIGNS = {"ok": ("✓", "green"), "skipped": ("-", "bright_black"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


@click.command("doctor")
@click.argument("path", required=False, shell_complete=completion.folders)
@click.option("--fix", is_flag=True, help="Apply the fixes that are safe.")
@choosing.options
@json_option
@click.pass_context
def command(ctx: click.Context, path: str | None, chosen: Choice, fix: bool, as_json: bool) -> None:
    """Check this machine, the project in PATH (default: this folder) and the host, and suggest fixes.

    Example: devkit doctor --fix
    """
    if path is not None and Path(path).is_file():
        path = str(find_folder(path)[0])
    elif path is not None and not Path(path).exists():
        raise Mistake(f"there is no folder {path}")
    place = Place(Path(path or ".").resolve(), chosen)
    _ = place.known  # refused now, if at all, and not between two lines
    results = [_one(place, name, fix, as_json) for name in EXAMINATIONS]
    sick = any(result.state == "problem" for result in results)
    if as_json:
        findings = [result.as_json(name) for name, result in zip(EXAMINATIONS, results, strict=True)]
        say(json.dumps({"ok": not sick, "findings": findings}))
    elif sick:
        say("There are problems; the lines above say how to fix them.")
    ctx.exit(1 if sick else 0)


def _one(place: Place, name: str, fix: bool, as_json: bool) -> Examination:
    result = table.examine(place, name)
    if fix and result.fix is not None:
        result.fix()
        result = table.examine(place, name).after_mending()
    if not as_json:
        sign, color = SIGNS[result.state]
        skipped = "not checked: " if result.state == "skipped" else ""
        say(f"{styled(sign, fg=color)} {name}: {skipped}{shortened(one_line(result.found))}")
        if result.cure:
            say(f"    {result.cure}" + (" (or: devkit doctor --fix)" if result.fix else ""))
    return result
