"""`devkit secrets`."""

from __future__ import annotations

import getpass
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import click
import dotenv

from devkit.manifests import reading
from devkit.projects import allowed, completion, environments, one_password
from devkit.projects import project as projects
from devkit.projects.environments import FILE, env_option
from devkit.projects.project import Project
from devkit.terminal.output import Mistake, Problem, json_option, print_result, say, styled, warn
from devkit.terminal.wording import nearest

EXAMPLES = """\b
Examples: devkit secrets --env staging
          devkit secrets --set API_KEY
          devkit secrets --allow API_KEY
          pass show api-key | devkit secrets --set API_KEY --stdin"""
NAME = re.compile(r"[A-Za-z_]\w{0,99}")
PATTERN = re.compile(r"[\w*?\[\]!-]{1,100}")
MOST = 10_000
MISSING, WITHHELD = "missing", "not allowed"


@click.command("secrets", epilog=EXAMPLES)
@click.argument("path", required=False, shell_complete=completion.folders)
@click.option("--set", "name", metavar="NAME", help="Ask for the value of a variable, and write it into .env.")
@click.option("--stdin", "piped", is_flag=True, help="With --set: read the value from standard input.")
@click.option(
    "--allow", "allow", metavar="NAME", multiple=True, help="Let this project read a variable from your environment."
)
@click.option("--withdraw", "withdraw", metavar="NAME", multiple=True, help="Undo --allow for a variable.")
@env_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    path: str | None,
    name: str | None,
    piped: bool,
    allow: tuple[str, ...],
    withdraw: tuple[str, ...],
    env: str | None,
    as_json: bool,
) -> None:
    """List the secrets of the project in PATH (default: this folder), and where their variables come from.

    A project reads its own .env. At a terminal, it reads from your environment and from 1Password only what you allow:
    with --allow for this folder, or with DEVKIT_ALLOW_ENV for one command. Names may contain `*`. Without a terminal,
    as in CI, it reads everything unless DEVKIT_ALLOW_ENV is set. Values are never shown. Exits with 1 if a variable is
    not set, or not allowed.
    """
    if allow or withdraw:
        for pattern in allow:
            _check_pattern(pattern)
        folder, _ = projects.find_folder(path)
        allowed.change(folder, list(allow), list(withdraw))
        here = allowed.kept(folder)
        print_result(
            as_json, {"allowed": here}, f"This project may read from your environment: {', '.join(here) or 'nothing'}."
        )
        return
    if name is not None:
        folder, _ = projects.find_folder(path)
        unused = _unused(folder, name, env)
        file = _set(folder, name, env, piped)
        if unused is not None:
            warn(unused)
        print_result(as_json, {"name": name, "file": file.name}, f"{name} is in {file.name}, which only you can read.")
        return
    if piped:
        raise click.UsageError("--stdin is for --set.")
    project = projects.load(path, env)
    rows = [_told(project, secret, text) for secret, text in project.manifest.secrets.items()]
    lost = [row for row in rows if {MISSING, WITHHELD} & set(row["variables"].values())]
    if as_json:
        say(json.dumps({"ok": not lost, "secrets": rows}))
    elif not rows:
        say("The manifest declares no secrets; `secrets: {API_KEY: '${{ env.API_KEY }}'}` would.")
    else:
        say("\n".join(_line(row) for row in rows))
    ctx.exit(1 if lost else 0)


def _check_pattern(pattern: str) -> None:
    """Raise Mistake for what no variable and no reference into 1Password can be called."""
    if not pattern.startswith(one_password.SCHEME) and not PATTERN.fullmatch(pattern):
        raise Mistake(f"--allow {pattern}: this is not a variable name", hint="use letters, digits and `_`, or `*`")


def _told(project: Project, secret: str, text: str) -> dict[str, Any]:
    known = project.variables
    names = environments.names_in(text)
    sources = {
        name: environments.source_of(name, known) or (WITHHELD if environments.withheld(name) else MISSING)
        for name in names
    }
    return {"name": secret, "variables": sources, "written": not names}


def _line(row: dict[str, Any]) -> str:
    sources: dict[str, str] = row["variables"]
    if row["written"]:
        return f"{row['name']}: written in the manifest itself; use `${{{{ env.{row['name']} }}}}` instead"
    parts = [
        f"{name} ({styled(source, fg='red') if source in (MISSING, WITHHELD) else source})"
        for name, source in sources.items()
    ]
    return f"{row['name']}: {', '.join(parts)}"


def _set(folder: Path, name: str, env: str | None, piped: bool) -> Path:
    """Write a variable into `.env`, or `.env.NAME` of an environment; raises Problem."""
    if not NAME.fullmatch(name):
        raise Mistake(f"`{name}` is not a variable name", hint="use letters, digits and `_`")
    value = _value(name, piped)
    file = environments.own_file(folder, f"{FILE}.{env}" if env else FILE)
    try:
        if not file.exists():
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
        file.chmod(0o600)
        dotenv.set_key(file, name, value)
        _keep_out_of_git(folder, file.name)
    except OSError as error:
        raise Problem(f"{file} cannot be written: {error.strerror}") from error
    if environments.variables(folder, env)[name].value != value and not allowed.matches(name, allowed.patterns(folder)):
        cure = f"export the variable, and `devkit secrets --allow {name}`"
        raise Problem(f"{file.name} cannot hold this value of {name}; {cure}")
    return file


def _unused(folder: Path, name: str, env: str | None) -> str | None:
    """Return a warning for a variable that no secret of the manifest uses, else None; raises Mistake."""
    try:
        file = projects.find_folder(str(folder))[1]
        text = environments.chosen(reading.read(file), env)
    except Mistake:
        raise
    except Problem:  # which `devkit check` reports
        return None
    secrets = text.value.get("secrets") if isinstance(text.value, dict) else None
    used = [
        variable
        for value in (secrets.values() if isinstance(secrets, dict) else ())
        for variable in environments.names_in(value)
    ]
    if name in used or f"env.{name}" in file.read_text(encoding="utf-8", errors="replace"):
        return None
    close = nearest(name, used)
    meant = f"did you mean `{close}`? Else write" if close else "write"
    return f"{file.name} uses no variable {name}: {meant} `{name}: ${{{{ env.{name} }}}}` under `secrets:`"


def _value(name: str, piped: bool) -> str:
    if not piped and not sys.stdin.isatty():
        raise Mistake(
            f"cannot prompt for {name} without a terminal", hint="pass its value on standard input, with --stdin"
        )
    value = sys.stdin.read(MOST + 1).rstrip("\r\n") if piped else getpass.getpass(f"{name} (not shown): ")
    if not value:
        raise Problem(f"{name} got no value; nothing was written: type one, or pipe it in")
    if len(value) > MOST:
        raise Problem(f"the value of {name} is longer than {MOST} characters; nothing was written")
    return value


def _keep_out_of_git(folder: Path, name: str) -> None:
    """Add the file to `.gitignore` if the project is in a repository or has one already."""
    ignore = folder / ".gitignore"
    if not ignore.exists() and not any((directory / ".git").exists() for directory in (folder, *folder.parents)):
        return
    lines = ignore.read_text(encoding="utf-8").splitlines() if ignore.exists() else []
    if not {name, ".env*", f"/{name}"} & {line.strip() for line in lines}:
        ignore.write_text("\n".join([*lines, name]) + "\n", encoding="utf-8")
