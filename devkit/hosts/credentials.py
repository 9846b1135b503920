"""The hosts and tokens that `devkit login` saves."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from devkit.files import private_files
from devkit.terminal.output import Mistake, Problem

LOCAL = "local"
"""What `--to` calls the `devkit dev` of a folder; no kept host has this name."""
NAME = re.compile(r"[\w.:/-]{1,200}")


@dataclass(frozen=True, slots=True)
class Credentials:
    """A host's address without a trailing slash, and a token for it."""

    host: str
    token: str


@dataclass(slots=True)
class Kept:
    """Saved hosts by name, and the name of the default one."""

    hosts: dict[str, Credentials] = field(default_factory=dict)
    default: str | None = None

    def chosen(self) -> Credentials | None:
        """Return the default host; None without one."""
        return None if self.default is None else self.hosts.get(self.default)

    def name_for(self, host: str) -> str | None:
        """Find the saved name of an address, preferring the default host; None if there is none."""
        names = [name for name, known in self.hosts.items() if known.host == host]
        return self.default if self.default in names else next(iter(names), None)


def path() -> Path:
    """Return the file with hosts and tokens; only its owner may read it."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "devkit" / "credentials.json"


def kept() -> Kept:
    """Load the saved hosts; empty if there is no file. Raises Problem."""
    try:
        stored = json.loads(path().read_text(encoding="utf-8"))
        if "hosts" not in stored:  # as it was written when one host was all there could be
            only = _read(stored)
            return Kept({name_of(only.host): only}, name_of(only.host))
        hosts = {str(name): _read(entry) for name, entry in stored["hosts"].items()}
        default = stored.get("default")
        return Kept(hosts, default if default in hosts else None)
    except FileNotFoundError:
        return Kept()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(
            f"{path()} cannot be read ({error})", hint="repair or remove it, and run `devkit login` again"
        ) from error


def write(now: Kept) -> None:
    """Save exactly these hosts."""
    file = path().resolve()  # a link, as people have who keep such files elsewhere, stays one
    file.parent.parent.mkdir(parents=True, exist_ok=True)
    file.parent.mkdir(mode=private_files.FOLDER, exist_ok=True)
    file.parent.chmod(private_files.FOLDER)
    hosts = {name: asdict(one) for name, one in now.hosts.items()}
    private_files.write(file, json.dumps({"default": now.default, "hosts": hosts}, indent=2) + "\n")


def save(credentials: Credentials, name: str | None = None) -> str:
    """Save a host and its token as the default; returns its name: the given one, the existing one, or its address.

    Raises Problem where the file cannot be read: the tokens of other hosts may still be found in it.
    """
    now = kept()
    name = name or now.name_for(credentials.host) or name_of(credentials.host)
    write(Kept({**now.hosts, name: credentials}, name))
    return name


def check_name(name: str) -> None:
    """Raise Problem for a name that no host can have."""
    if name == LOCAL or not NAME.fullmatch(name):
        raise Mistake(
            f"a host cannot be called `{name}` (`{LOCAL}` is reserved for `devkit dev`)",
            hint="use letters, digits and . : / - _",
        )


def name_of(host: str) -> str:
    """Return the default name of a host: its address without the scheme."""
    parts = urlsplit(host)
    return f"{parts.netloc}{parts.path}"


def named(known: Kept, name: str, asked: str, *, suggest_login: bool = True) -> Credentials:
    """Find a kept host by name or address; raises Problem, which begins with what was `asked`.

    With `suggest_login` the problem says how to save a host of that name.
    """
    found = known.hosts.get(name) or known.hosts.get(known.name_for(name.rstrip("/")) or "")
    if found is None:
        names = ", ".join(known.hosts)
        hint = f"saved hosts: {names}" if names else "no host is saved yet"
        if suggest_login:
            hint += f", and `devkit login --host URL --name {name}` saves one"
        raise Mistake(f"{asked}: no host is saved as `{name}`", hint=hint)
    return found


def _read(entry: dict[str, str]) -> Credentials:
    return Credentials(entry["host"].rstrip("/"), str(entry["token"]))
