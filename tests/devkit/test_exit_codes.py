"""Exit codes, walked over all commands and their options: 2 for what cannot be right, 1 for what failed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from devkit.cli import COMMANDS
from devkit.events.types import EventStatus, EventType
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import SAMPLES

NOBODY = {"DEVKIT_HOST": "http://127.0.0.1:1", "DEVKIT_TOKEN": "dk_x"}
"""A host that does not answer: what is refused with 2 here is refused without asking."""
RIGHT: dict[str, dict[str, Any]] = {
    "new": {"name": "made", "template": "block"},
    "init": {"data": "host"},
    "serve": {"data": "host"},
    "backup": {"file": "host.zip", "data": "."},
    "restore": {"file": "integration.yaml", "data": "host"},
    "reindex": {"data": "."},
    "dev": {},
    "check": {},
    "test": {},
    "render": {"component": "counter", "action": "increment"},
    "publish": {},
    "versions": {},
    "rollback": {"name": "counter", "version": "1"},
    "secrets": {},
    "install": {},
    "installations": {},
    "uninstall": {"name": "counter", "yes": True},
    "unpublish": {"name": "counter", "yes": True},
    "login": {"host": "http://127.0.0.1:1", "token": "dk_x"},
    "hosts": {},
    "logout": {},
    "spaces": {},
    "sites": {},
    "import": {"what": ".", "space": "x"},
    "whoami": {},
    "tokens": {},
    "export": {"space": "x", "path": "folder"},
    "logs": {},
    "trigger": {"event": "site_view"},
    "events": {},
    "replay": {"last": True},
    "record": {"file": "new.yaml", "since": "2h"},
    "play": {"file": "scenario.yaml"},
    "tunnel": {"port": "3000"},
    "doctor": {},
    "completion": {"shell": "bash"},
}
"""Command -> parameters with which nothing is wrong with its line, in the folder of a project."""
ASKS = {
    "publish", "versions", "rollback", "install", "installations", "uninstall", "unpublish", "login", "whoami",
    "tokens", "spaces", "sites", "import", "export", "logs", "trigger", "events", "replay", "record", "play", "tunnel",
}  # fmt: skip
"""Commands that fail where a host does not answer."""
ADDRESSES = ("docs.example.com", "ftp://docs.example.com", "http://", "http://docs.example.com:99999", "https://[::1")
WRONG: dict[str, tuple[str, ...]] = {
    "env": ("stagin",),
    "to": ("nobody",),
    "from_": ("nobody",),
    "host": ADDRESSES,
    "since": ("yesterday", "2 hours", "2026-13-01"),
    "changes": ("revisionId", "=1", "page..id=1"),
    "headers": ("X-One", ": one", "X One: 1"),
    "props": ("{", "[1]", "one"),
    "state": ("{", "[1]"),
    "params": ("{", "[1]"),
    "configuration": ("{", "[1]"),
    "component": ("countr",),
    "action": ("incremnt",),
    "folder": ("nowhere",),
    "database_url": ("nonsense", "nothing://host/name"),
    "public_url": ("docs.example.com",),
    "test.arguments": ("nowhere", "unknown.format"),
    "check.path": ("nowhere", "unknown.format"),
    "dev.path": ("nowhere",),
    "publish.path": ("nowhere",),
    "secrets.path": ("nowhere",),
    "doctor.path": ("nowhere",),
    "import.what": ("nowhere", "http://", "https://docs.example.com:x/guide"),
    "new.name": ("My thing", "a" * 200),
    "new.template": ("nothing",),
    "new.title": ("x", "x" * 31),
    "spaces.title": ("", " "),
    "sites.title": ("", " "),
    "init.title": ("x",),
    "init.hostname": ("No", "a b c"),
    "init.email": ("nobody",),
    "login.name": ("local", "a name"),
    "login.address": ADDRESSES,
    "secrets.name": ("1ST", "A-B"),
    "allow": ("A B", "A=b"),
    "hosts.default": ("nobody", "local"),
    "logout.name": ("nobody",),
}
"""Parameter, or command and parameter -> values that cannot be right and that its type alone does not tell."""
TOLD_BY_OTHERS = {
    "token", "organization", "space", "spaces", "site", "sites", "named", "installation", "trace", "page",
    "change_request", "revoked", "event", "name", "tunnel.name",  # the host knows them
    "tokens.title",  # and what may be a title
    "serve.address", "allow_egress",  # the system knows them
    "text", "expression", "withdraw", "trigger.path", "secret",  # any text will do
}  # fmt: skip
"""Parameters, or commands with parameters, for which no value is wrong by itself."""
TOGETHER: tuple[tuple[str, ...], ...] = (
    ("login",),
    ("login", "http://127.0.0.1:1"),
    ("login", "http://127.0.0.1:1", "--token", "dk_x", "--stdin"),
    ("new",),
    ("new", "made", "--template", "block", "--install"),
    ("reindex",),
    ("serve",),
    ("secrets", "--stdin"),
    ("secrets", "--set", "API_KEY"),
    ("secrets", "--set", "API_KEY", "--env", "stagin"),
    ("trigger", "site_view", "--method", "get"),
    ("trigger", "fetch", "--edit"),
    ("trigger", "fetch", "--space", "x"),
    ("trigger", "fetch", "--sign", "github"),
    ("trigger", "fetch", "--sign", "standard-webhooks", "--secret", "whsec_?"),
    ("replay",),
    ("replay", "--last", "--since", "2h"),
    ("rollback", "counter"),
    ("tokens", "--create", "One", "--revoke", "Two"),
    ("whoami", "--host", "http://127.0.0.1:1", "--to", "local"),
    ("render", "counter", "--params", '{"by": 2}'),
    ("dev", "--to", "local"),
    ("dev", "--all"),
    ("dev", "--host", "http://127.0.0.1:1", "--fresh"),
    ("test", "--watch", "--update-golden"),
    ("test", "--bogus"),
    ("test", "--", "--bogus"),
    ("import", "unknown.format", "--space", "x"),
    ("sites", "--publish"),
    ("sites", "--space", "x"),
    ("sites", "--site", "x"),
    ("sites", "--delete"),
    ("sites", "--site", "x", "--publish", "--delete"),
    ("sites", "--site", "x", "--space", "y", "--delete"),
    ("sites", "--site", "x", "--space", "y", "--unpublish"),
    ("sites", "--create", "Two", "--delete"),
    ("spaces", "--create", "Two", "--delete", "x"),
    ("sites", "--site", "x", "--publish", "--unpublish"),
    ("sites", "--site", "x", "--create", "Two", "--publish"),
    ("sites", "--create", "Two", "--unpublish"),
)
"""Lines whose parts do not go together, or of which one is missing."""


def parameters(name: str) -> list[click.Parameter]:
    """The parameters of a command that take a value."""
    command = importlib.import_module(f"devkit.commands.{name}").command
    return [one for one in command.params if not (isinstance(one, click.Option) and one.is_flag)]


def by_type(parameter: click.Parameter) -> Iterator[str]:
    """Give values that the type of a parameter refuses."""
    kind = parameter.type
    if isinstance(kind, click.IntRange):
        yield "one"
        yield from (str(kind.min - 1),) if kind.min is not None else ()
        yield from (str(kind.max + 1),) if kind.max is not None else ()
    elif isinstance(kind, (click.Choice, EventType, EventStatus)):
        yield "no-such"
    elif isinstance(kind, click.Path):
        yield from ("nowhere",) if kind.exists else ()
        yield from ("integration.yaml",) if not kind.file_okay else ()
        yield from (".",) if not kind.dir_okay else ()
    elif type(kind).__name__ == "Speed":
        yield from ("fast", "0x", "2000x")


def wrong(name: str, parameter: click.Parameter) -> list[str]:
    """List values that cannot be right."""
    named = WRONG.get(f"{name}.{parameter.name}", WRONG.get(str(parameter.name), ()))
    return [*by_type(parameter), *named]


def line(name: str, changed: dict[str, Any]) -> list[str]:
    """Write a command line that is right but for what is changed."""
    command = importlib.import_module(f"devkit.commands.{name}").command
    given = RIGHT[name] | changed
    words = [name]
    for parameter in command.params:
        value = given.get(parameter.name)
        if value is not None:
            words += [] if isinstance(parameter, click.Argument) else [parameter.opts[0]]
            words += [] if value is True else [str(value)]
    return words


@pytest.fixture
def here(project: Path) -> Path:
    """A project with what the lines name."""
    (project / "scenario.yaml").write_text("integration: counter\nevents:\n  - event: {type: task, task: {left: 1}}\n")
    (project / "unknown.format").touch()
    (project / "test_it.py").write_text("def test_it():\n    pass\n")
    return project


def test_every_command_and_every_parameter_is_walked() -> None:
    assert set(RIGHT) == set(COMMANDS)
    for name in COMMANDS:
        for parameter in parameters(name):
            known = wrong(name, parameter)
            free = {str(parameter.name), f"{name}.{parameter.name}"} & TOLD_BY_OTHERS
            output = isinstance(parameter.type, click.Path)  # of which any may be there, or not
            assert known or free or output, f"{name} {parameter.name}: give values that cannot be right"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_value_that_cannot_be_right_is_2(name: str, shell: Shell, here: Path) -> None:
    for parameter in parameters(name):
        for value in wrong(name, parameter):
            words = line(name, {str(parameter.name): value})
            done = shell(*words, folder=here, **NOBODY)
            assert (done.code, done.out) == (2, ""), (words, done)
            assert re.fullmatch(r"error: [^\n]+\n", done.err), (words, done.err)


@pytest.mark.parametrize("words", TOGETHER, ids=" ".join)
def test_a_line_that_cannot_be_right_is_2(words: tuple[str, ...], shell: Shell, here: Path) -> None:
    done = shell(*words, folder=here, **NOBODY)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done


@pytest.mark.parametrize("name", sorted(ASKS))
def test_a_host_that_does_not_answer_is_1(name: str, shell: Shell, here: Path) -> None:
    done = shell(*line(name, {}), folder=here, **NOBODY)
    assert (done.code, "does not answer" in done.err) == (1, True), done


@pytest.mark.parametrize("name", ["check", "dev", "test", "publish", "versions", "trigger", "secrets", "render"])
def test_a_folder_without_a_project_is_1(name: str, shell: Shell, tmp_path: Path) -> None:
    done = shell(*line(name, {}), **NOBODY)
    assert (done.code, "devkit new NAME" in done.err) == (1, True), done


def test_a_file_with_errors_in_it_is_1(shell: Shell, here: Path) -> None:
    (here / "wrong.json").write_text("{")
    for words in (
        ("trigger", "site_view", "--body", "wrong.json"),
        ("play", "wrong.json"),
        ("publish", str(SAMPLES / "counter" / "integration.py")),
    ):
        done = shell(*words, folder=here, **NOBODY)
        assert (done.code, done.err.count("\n")) == (1, 1), done
