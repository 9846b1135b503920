"""Which host a command talks to, and with which token."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from devkit.local_host import private_files, running
from devkit.terminal.output import Problem


@dataclass(frozen=True, slots=True)
class Credentials:
    """A host's address without a trailing slash, and a token for it."""

    host: str
    token: str


def path() -> Path:
    """Give the file in which `devkit login` keeps host and token; only its owner may read it."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "devkit" / "credentials.json"


def save(credentials: Credentials) -> None:
    """Remember host and token."""
    file = path().resolve()  # a link, as people have who keep such files elsewhere, stays one
    file.parent.parent.mkdir(parents=True, exist_ok=True)
    file.parent.mkdir(mode=private_files.FOLDER, exist_ok=True)
    file.parent.chmod(private_files.FOLDER)
    private_files.write(file, json.dumps({"host": credentials.host, "token": credentials.token}))


def options(command: Any) -> Any:
    """Add `--host` and `--token` to a command."""
    command = click.option("--token", help="A token for the host; default: DEVKIT_TOKEN, or the saved one.")(command)
    return click.option("--host", help="Address of the host; default: DEVKIT_HOST, or the saved one.")(command)


def load(host: str | None = None, token: str | None = None, near: str | None = None) -> Credentials:
    """Find host and token: options, DEVKIT_HOST and DEVKIT_TOKEN, what `login` kept, the `devkit dev` of this folder.

    A token never goes to a host it was not kept for. `near` is the folder to begin at. Raises Problem.
    """
    host = (host or os.environ.get("DEVKIT_HOST") or "").rstrip("/")
    token = token or os.environ.get("DEVKIT_TOKEN")
    if host and token:
        return Credentials(host, token)
    for known in (_kept(), _running(near)):
        if known is not None and host in ("", known.host):
            return Credentials(known.host, token or known.token)
    if host:
        raise Problem(f"no token is known for {host}; give --token, or run `devkit login --host {host} --token TOKEN`")
    raise Problem(
        "no host is known; start `devkit dev` in this project, or run `devkit login --host URL --token TOKEN`, "
        "or set DEVKIT_HOST and DEVKIT_TOKEN"
    )


def remote() -> Credentials | None:
    """Find a host other than the `devkit dev` of this folder: by DEVKIT_HOST and DEVKIT_TOKEN, or what `login` kept."""
    host, token = os.environ.get("DEVKIT_HOST"), os.environ.get("DEVKIT_TOKEN")
    return Credentials(host.rstrip("/"), token) if host and token else _kept()


def _kept() -> Credentials | None:
    try:
        stored = json.loads(path().read_text(encoding="utf-8"))
        return Credentials(stored["host"].rstrip("/"), stored["token"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{path()} cannot be read ({error}); run `devkit login` again") from error


def _running(near: str | None) -> Credentials | None:
    local = running.find(Path(near or "."))
    return None if local is None else Credentials(*local)
