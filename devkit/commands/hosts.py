"""`devkit hosts`."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import requests

from devkit.hosts import connections, credentials, running
from devkit.hosts.client import reason
from devkit.hosts.credentials import LOCAL, Kept
from devkit.terminal.output import Mistake, json_option, say, styled

PATIENCE = 3.0
EXAMPLES = """\b
Examples: devkit hosts
          devkit hosts --default docs"""


@click.command("hosts", epilog=EXAMPLES)
@click.option("--default", "default", metavar="NAME", help="Make this the host that commands use.")
@json_option
def command(default: str | None, as_json: bool) -> None:
    """List the hosts that --to accepts: the `devkit dev` of this folder, and those you are logged in to.

    Commands use the default host, except for those about events (`trigger`, `logs`, `events`, `replay`, `record`,
    `play`): they use `devkit dev` while it runs.
    """
    now = credentials.kept()
    if default is not None:
        now = _with_default(now, default)
    rows = _rows(now)
    if as_json:
        say(json.dumps({"hosts": rows}))
    elif not rows:
        say("None yet: `devkit dev` in a project starts one, `devkit login --host URL` saves one.")
    else:
        width = max(len(str(row["name"])) for row in rows)
        say("\n".join(_line(row, width) for row in rows))


def _with_default(now: Kept, name: str) -> Kept:
    if name == LOCAL:
        raise Mistake(f"`{LOCAL}` exists only while `devkit dev` runs; commands about events use it by default")
    found = credentials.named(now, name, f"--default {name}")
    chosen = Kept(now.hosts, name if name in now.hosts else now.name_for(found.host))
    credentials.write(chosen)
    return chosen


def _rows(now: Kept) -> list[dict[str, Any]]:
    local = running.find(Path())
    hosts = {LOCAL: local[0]} if local is not None else {}
    hosts |= {name: one.host for name, one in now.hosts.items()}
    with ThreadPoolExecutor(max(1, min(16, len(hosts)))) as several:
        faults = list(several.map(_fault, hosts.values()))
    return [
        {"name": name, "host": host, "default": name == now.default, "reachable": fault is None, "reason": fault}
        for (name, host), fault in zip(hosts.items(), faults, strict=True)
    ]


def _fault(host: str) -> str | None:
    """Return why a host does not answer; None if it does."""
    try:
        status = connections.get(f"{host}/healthz", timeout=PATIENCE).status_code
    except requests.RequestException as error:
        return reason(error)
    return None if status == 200 else f"it answered {status}"


def _line(row: dict[str, Any], width: int) -> str:
    mark = styled("*", fg="green", bold=True) if row["default"] else " "
    state = styled("answers", fg="green")
    if not row["reachable"]:
        state = styled(f"does not answer: {row['reason']}", fg="red")
    notes = ["the default"] if row["default"] else ["`devkit dev` of this folder"] if row["name"] == LOCAL else []
    return "  ".join([f"{mark} {str(row['name']).ljust(width)}", row["host"], state, *(f"({note})" for note in notes)])
