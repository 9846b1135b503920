"""Chooses the host of a command: by options, environment, a running `devkit dev`, or saved logins."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from click.shell_completion import CompletionItem

from devkit.hosts import credentials, running
from devkit.hosts.client import Client
from devkit.hosts.credentials import LOCAL, Credentials, Kept
from devkit.terminal.output import Mistake, Problem, print_dim

HERE = "the `devkit dev` of this folder"


@dataclass(frozen=True, slots=True)
class Choice:
    """The host options of a command; with `quiet` the command does not print which host it uses."""

    host: str | None = None
    token: str | None = None
    to: str | None = None
    quiet: bool = False

    def client(self, near: str | None = None, *, local_first: bool = False) -> Client:
        """Connect to the host; see `credentials`. Raises Problem."""
        return Client(self.credentials(near, local_first=local_first))

    def credentials(self, near: str | None = None, *, local_first: bool = False) -> Credentials:
        """Find host and token, and print which host it is; a token is never sent to another host than its own.

        `near` is the folder whose `devkit dev` is meant. `local_first`: it comes before what `login` kept, for commands
        about events that just happened. Raises Problem.
        """
        found, where = self._find(near, local_first)
        if not self.quiet:
            print_dim(f"host: {found.host}" + (f" ({where})" if where else ""))
        return found

    def _find(self, near: str | None, local_first: bool) -> tuple[Credentials, str]:
        """Return host, token, and a description of their source."""
        if self.to is not None:
            return self._named(self.to, near)
        set_host = os.environ.get("DEVKIT_HOST", "").rstrip("/")
        host = (self.host or set_host).rstrip("/")
        must_be_address(host, "--host" if self.host else "DEVKIT_HOST")
        # A token that is set together with a host is for that host alone.
        token = self.token or (os.environ.get("DEVKIT_TOKEN") if host == set_host or not set_host else None)
        where = "" if self.host or not host else "DEVKIT_HOST"
        if host and token:
            return Credentials(host, token), where
        known, local = credentials.kept(), _local(near)
        if host:
            name = known.name_for(host)
            if name is not None:
                return known.hosts[name], where
            if local is not None and local.host == host:
                return local, HERE
            raise Problem(f"no token is known for {host}", hint=f"give --token, or run `devkit login --host {host}`")
        default = known.chosen()
        if local is not None and (local_first or default is None):
            return Credentials(local.host, self.token or local.token), _local_words(known)
        if default is not None:
            also = f"; --to {LOCAL} is {HERE}" if local is not None else ""
            return Credentials(default.host, token or default.token), f"{known.default}{also}"
        raise _nobody(known)

    def _named(self, to: str, near: str | None) -> tuple[Credentials, str]:
        if self.host is not None:
            raise click.UsageError("--host and --to cannot be combined; give one of them.")
        if to == LOCAL:
            found = _local(near)
            if found is None:
                raise Problem(
                    f"--to {LOCAL}: no `devkit dev` is running for this folder", hint="start it in another terminal"
                )
            return Credentials(found.host, self.token or found.token), HERE
        found = credentials.named(credentials.kept(), to, f"--to {to}")
        return Credentials(found.host, self.token or found.token), to


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--to`, `--host` and `--token` to a command, which gets them as `chosen`; goes above `json_option`."""

    @functools.wraps(function)
    def command(*arguments: Any, host: str | None, token: str | None, to: str | None, **named: Any) -> Any:
        return function(*arguments, chosen=Choice(host, token, to, quiet=named["as_json"]), **named)

    for option in (
        click.option("--token", help="A token for the host; default: DEVKIT_TOKEN, or the saved one."),
        click.option("--host", help="Address of the host; default: DEVKIT_HOST, or the saved one."),
        to_option("Use this host: `local` is the `devkit dev` of this folder, `devkit hosts` lists the others."),
    ):
        command = option(command)
    return command


def to_option(text: str, name: str = "--to", *, local: bool = True) -> Callable[[Any], Any]:
    """Make an option for the name of a host, with `local` if that is allowed."""
    metavar = f"{LOCAL}|NAME" if local else "NAME"
    return click.option(
        name, {"--to": "to", "--from": "from_"}[name], metavar=metavar, help=text, shell_complete=_names
    )


def must_be_address(host: str, given: str) -> None:
    """Raise Mistake unless it is an address with http:// or https://; `given` says where it was written."""
    if not host or (host.startswith(("http://", "https://")) and _names_a_host(host)):
        return
    if host.startswith(("http://", "https://")):
        raise Mistake(f"{given}: `{host}` is not an address", hint="write one such as `https://docs.example.com`")
    if "://" in host:
        raise Mistake(f"{given}: `{host}` must begin with http:// or https://")
    local = host.partition(":")[0] in ("localhost", "127.0.0.1")
    raise Mistake(
        f"{given}: `{host}` is not an address", hint=f"write `{'http' if local else 'https'}://{host.lstrip('/')}`"
    )


def _names_a_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is no number, or too large
        return False


def elsewhere() -> Credentials | None:
    """Find a host other than this folder's `devkit dev`: by DEVKIT_HOST and DEVKIT_TOKEN, or a saved login."""
    host, token = os.environ.get("DEVKIT_HOST"), os.environ.get("DEVKIT_TOKEN")
    must_be_address(host or "", "DEVKIT_HOST")
    return Credentials(host.rstrip("/"), token) if host and token else credentials.kept().chosen()


def _local(near: str | None) -> Credentials | None:
    found = running.find(Path(near or "."))
    return None if found is None else Credentials(*found)


def _local_words(known: Kept) -> str:
    return HERE if known.default is None else f"{HERE}; --to {known.default} is {known.hosts[known.default].host}"


def _nobody(known: Kept) -> Problem:
    if known.hosts:
        names = ", ".join(known.hosts)
        choices = f"choose one with --to, or permanently with `devkit hosts --default NAME`: {names}"
        return Problem("several hosts are known", hint=choices)
    return Problem(
        "no host is known",
        hint="start `devkit dev` in this project, or run `devkit login --host URL`, "
        "or set DEVKIT_HOST and DEVKIT_TOKEN",
    )


def _names(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete the names of hosts; none if they cannot be read, since shells show no errors here."""
    try:
        names = [LOCAL, *credentials.kept().hosts]
    except Problem:
        names = [LOCAL]
    return [CompletionItem(name) for name in names if name.startswith(typed)]
