"""`devkit doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from devkit import completing, examinations
from devkit.examinations import EXAMINATIONS
from devkit.examining.examined import Examined, Place
from devkit.output import json_option, say

SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


@click.command("doctor")
@click.argument("path", required=False, shell_complete=completing.folders)
@click.option("--host", help="Address of the host to look at; else the one that is known.")
@click.option("--token", help="A token for the host; else the one that is known.")
@click.option("--fix", is_flag=True, help="Apply the cures that are safe.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, path: str | None, host: str | None, token: str | None, fix: bool, as_json: bool
) -> None:
    """Look at this machine, the project in PATH (this folder) and the host, and say what would help.

    Example: devkit doctor --fix
    """
    place = Place(Path(path or ".").resolve(), host, token)
    found = [_one(place, name, fix, as_json) for name in EXAMINATIONS]
    sick = any(one.state == "problem" for one in found)
    if as_json:
        say(json.dumps({"ok": not sick, "findings": [one.as_json() for one in found]}))
    elif sick:
        say("Something is in the way; each line above says what helps.")
    ctx.exit(1 if sick else 0)


def _one(place: Place, name: str, fix: bool, as_json: bool) -> Examined:
    one = examinations.examine(place, name)
    if fix and one.mend is not None:
        one.mend()
        one = examinations.examine(place, name).after_mending()
    if not as_json:
        sign, colour = SIGNS[one.state]
        say(f"{click.style(sign, fg=colour)} {name}: {one.found}")
        if one.cure:
            say(f"    {one.cure}" + (" (or: devkit doctor --fix)" if one.mend else ""))
    return one
