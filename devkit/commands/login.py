"""`devkit login`."""

from __future__ import annotations

import getpass
import os
import sys
from typing import Any
from urllib.parse import urlsplit

import click

from devkit.hosts import choosing, credentials, response_shapes
from devkit.hosts.client import Client, RequestRefused
from devkit.terminal.output import Mistake, Problem, json_option, one_line, print_result

MOST = 10_000
EXAMPLES = """\b
Examples: devkit login --host http://127.0.0.1:8080
          devkit login --host https://docs.example.com --name docs
          pass show docs-token | devkit login --host https://docs.example.com --stdin"""


@click.command("login", epilog=EXAMPLES)
@click.argument("address", metavar="[HOST]", required=False)
@click.option("--host", help="Address of the host, for example http://127.0.0.1:8080; the same as HOST.")
@click.option("--name", help="Name of the host, for --to NAME; default: its address.")
@click.option("--token", help="A token, for example from `devkit init`; without this option you are prompted for it.")
@click.option("--stdin", "piped", is_flag=True, help="Read the token from standard input.")
@json_option
def command(
    address: str | None, host: str | None, name: str | None, token: str | None, piped: bool, as_json: bool
) -> None:
    """Check a host and a token, and save them: commands use this host from now on.

    Other saved hosts stay; `devkit hosts` lists them, `devkit logout` forgets one. A token given with --token is shown
    to other users of the machine in the list of processes; one that is typed or piped in is not.
    """
    if address is not None and host is not None and address != host:
        raise click.UsageError("HOST and --host differ; give one of them.")
    host = host or address
    if host is None:
        raise Mistake("which host?", hint=_which())
    choosing.must_be_address(host, "--host" if address is None else "HOST")
    if name is not None:
        credentials.check_name(name)
    if token is not None and piped:
        raise click.UsageError("--token and --stdin cannot be combined; give one of them.")
    new = credentials.Credentials(host.rstrip("/"), token or _asked_for(host, piped))
    user = _user(new)
    person = one_line(str(user["displayName"]))  # before anything is saved: what is no host says nothing of the kind
    called = credentials.save(new, name)
    text = f"Logged in to {new.host} as {person}."
    if called != credentials.name_of(new.host):
        text += f" Its name is {called}."
    print_result(as_json, {"host": new.host, "name": called, "user": user}, text)


def _user(new: credentials.Credentials) -> dict[str, Any]:
    """Ask whose a token is; raises Problem, which names the address without its path where that was not a host's."""
    try:
        user: dict[str, Any] = Client(new).call("GET", "/v1/user", shape=response_shapes.USER)
        return user
    except RequestRefused as refused:
        address = urlsplit(new.host)
        if refused.status == 404 and address.path:
            at = f"{address.scheme}://{address.netloc}"
            raise Problem(f"{new.host} is not the address of a host", hint=f"try `devkit login --host {at}`") from None
        raise


def _which() -> str:
    """Say how a host is given, with one that the environment or an earlier login knows."""
    known = os.environ.get("DEVKIT_HOST") or next((one.host for one in credentials.kept().hosts.values()), None)
    return f"Give its address, for example `devkit login --host {known or 'https://docs.example.com'}`"


def _asked_for(host: str, piped: bool) -> str:
    if not piped and not sys.stdin.isatty():
        raise Mistake(
            f"cannot prompt for a token for {host} without a terminal", hint="pass it on standard input, with --stdin"
        )
    given = sys.stdin.read(MOST) if piped else getpass.getpass(f"Token for {host} (not shown): ")
    if not given.strip():
        raise Problem(
            "no token was given; nothing was saved", hint="create one with `devkit init` on the host, or at /app"
        )
    return given.strip()
