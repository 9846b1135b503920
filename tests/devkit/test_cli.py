"""What all commands have in common, walked over the table of commands."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

from devkit.cli import ALIASES, COMMANDS
from tests.conftest import HostProcess
from tests.devkit.conftest import Shell

WRONG: dict[str, tuple[str, ...]] = {
    "new": ("something", "--template", "nothing"),
    "init": ("--data", "{home}/data", "--email", "nobody"),
    "serve": (),
    "backup": ("host.zip", "--data", "{home}"),
    "restore": ("nothing.zip", "--data", "{home}/data"),
    "reindex": (),
    "dev": ("nowhere",),
    "check": ("nowhere",),
    "test": ("nowhere",),
    "render": ("counter",),
    "publish": ("nowhere",),
    "versions": ("something",),
    "rollback": ("something", "1"),
    "secrets": ("nowhere",),
    "install": ("something",),
    "installations": (),
    "uninstall": ("something",),
    "unpublish": ("something",),
    "login": ("--host", "http://127.0.0.1:1", "--token", "dk_x"),
    "hosts": ("--default", "something"),
    "logout": (),
    "spaces": (),
    "sites": (),
    "import": ("nowhere", "--space", "x"),
    "whoami": (),
    "tokens": (),
    "export": ("--space", "something", "folder"),
    "logs": ("something",),
    "trigger": ("xyz",),
    "events": ("something",),
    "replay": ("--last", "--integration", "something"),
    "record": ("new.yaml",),
    "play": ("nowhere.yaml",),
    "tunnel": ("3000",),
    "doctor": ("--nothing",),
    "completion": ("tcsh",),
}
"""Command -> arguments with which it fails in an empty folder."""
HOW = "`devkit whoami --help` shows how it is called"
BEHIND = "put the options of a command after its name; `devkit --help` lists the commands"
ANY_TEXT = "any text"


def test_every_command_is_walked_here_and_has_a_test_of_its_own() -> None:
    assert set(WRONG) == set(COMMANDS)
    here = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py"))
    used = set(re.findall(r'(?:shell|logged_in|alone|devkit)\(\s*(?:tmp_path, )?"(\w+)"', here)) | {"dev"}
    assert set(COMMANDS) - {"tunnel"} <= used
    scenario = Path(__file__).parents[1] / "scenarios" / "tunnel_process.py"
    assert '"devkit", "tunnel"' in scenario.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(name: str, shell: Shell) -> None:
    command = importlib.import_module(f"devkit.commands.{name}").command
    assert "--json" in [option for parameter in command.params for option in parameter.opts]
    result = shell(name, "--help")
    assert result.code == 0
    assert "--json" in result.out
    # Its last lines: what is read first in a terminal.
    assert re.match(rf"Examples?:\s+devkit {name}\b", result.out.split("\n\n")[-1].strip()), result.out


@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_is_one_line_and_an_exit_code(name: str, shell: Shell, tmp_path: Path) -> None:
    done = shell(name, *(part.format(home=tmp_path) for part in WRONG[name]))
    assert done.code != 0
    assert done.out == ""
    assert re.fullmatch(r"error: [^\n]+\n", done.err), done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_is_one_json_object_with_json(name: str, shell: Shell, tmp_path: Path) -> None:
    arguments = [part.format(home=tmp_path) for part in WRONG[name]]
    for_people, done = shell(name, *arguments), shell(name, *arguments, "--json")
    assert (done.code, done.out, done.err.count("\n")) == (for_people.code, "", 1), done.err
    error = json.loads(done.err)["error"]
    assert error["message"] and set(error) <= {"message", "hint", "status", "findings"}
    # Nothing is said to people alone: what they read is the message, and the hint behind it.
    assert error["message"] in for_people.err
    assert done.code == 2 or error.get("hint", "") in for_people.err


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("publsh", "--json"), 2, {"message": "There is no command `publsh`; did you mean `devkit publish`?"}),
        (
            ("rollback", "--json"),
            2,
            {"message": "Missing argument 'NAME'.", "hint": "`devkit rollback --help` shows how it is called"},
        ),
        (("--json",), 2, {"message": ANY_TEXT, "hint": BEHIND}),
        (
            ("tunnel", "abc", "--json"),
            2,
            {
                "message": "Invalid value for 'PORT': 'abc' is not a valid integer.",
                "hint": "`devkit tunnel --help` shows how it is called",
            },
        ),
        (
            ("trigger", "xyz", "--json"),
            2,
            {"message": "Invalid value for 'EVENT': there is no event `xyz`; `devkit trigger --help` lists them"},
        ),
        (("whoami", "--json", "--nothing"), 2, {"message": "No such option '--nothing'.", "hint": HOW}),
        (
            ("init", "--json", "--data", "data", "--organization", "a\udcff"),
            1,
            {"message": ANY_TEXT, "hint": "`devkit --debug ...` shows where"},
        ),
    ],
)
def test_what_click_refuses_and_what_nobody_foresaw_is_json_too(
    shell: Shell, arguments: tuple[str, ...], code: int, error: dict[str, str]
) -> None:
    done = shell(*arguments)
    said = json.loads(done.err)
    assert (done.code, done.out, said) == (code, "", {"error": said["error"]})
    assert {key: value for key, value in said["error"].items() if error.get(key) != ANY_TEXT} == {
        key: value for key, value in error.items() if value != ANY_TEXT
    }


def test_json_after_two_dashes_is_for_another_program(shell: Shell) -> None:
    assert shell("test", "nowhere", "--", "--json").err.startswith("error: ")


def test_a_refusal_of_the_host_has_its_status_and_what_to_do(shell: Shell, host: HostProcess) -> None:
    done = shell("whoami", "--json", DEVKIT_HOST=host.url, DEVKIT_TOKEN="dk_x")
    error = json.loads(done.err)["error"]
    assert (done.code, done.out, error["status"]) == (1, "", 401)
    assert f"devkit login --host {host.url}" in error["hint"]


def test_an_error_of_a_script_has_its_place(shell: Shell, project: Path) -> None:
    script = project / "integration.py"
    script.write_text(script.read_text() + "\n1 / 0\n")
    done = shell("render", "counter", "--json", folder=project)
    *others, last = [json.loads(line) for line in done.err.splitlines()]
    assert (done.code, done.out) == (1, "")
    assert all(set(other) <= {"warning", "note"} for other in others)
    (finding,) = last["error"]["findings"]
    assert finding["file"] == "integration.py" and "source" not in finding  # a line may hold a secret
    assert finding["line"] == len(script.read_text().splitlines())


def test_the_group_lists_its_commands(shell: Shell) -> None:
    result = shell("--help")
    assert result.code == 0
    for name, line in COMMANDS.items():
        assert re.search(rf"\b{name}\s+{re.escape(line)}", result.out)
    assert shell("--version").out.startswith("devkit, version ")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("publsh", "did you mean `devkit publish`?"),
        ("deploy", "did you mean `devkit publish`?"),
        ("version", "`devkit --version` prints it."),
        ("xyzzy", "`devkit --help` lists the commands."),
    ],
)
def test_an_unknown_command_leads_to_one_there_is(shell: Shell, typed: str, hint: str) -> None:
    done = shell(typed)
    assert (done.code, done.err) == (2, f"error: There is no command `{typed}`; {hint}\n")


def test_what_other_tools_call_a_command_leads_to_one_of_ours() -> None:
    assert set(ALIASES.values()) <= set(COMMANDS) and not set(ALIASES) & set(COMMANDS)


def test_a_traceback_is_shown_only_when_asked_for(shell: Shell, tmp_path: Path) -> None:
    unexpected = ("init", "--data", "data", "--organization", "a\udcff")  # a byte that is no text
    done = shell(*unexpected)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "Traceback" not in done.err
    done = shell("--debug", *unexpected)
    assert done.code == 1
    assert "Traceback (most recent call last)" in done.err
