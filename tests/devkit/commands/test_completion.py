"""`devkit completion`: what a shell gets, and what is written for it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devkit.cli import COMMANDS
from devkit.commands.completion import BEGIN, SHELLS
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE, devkit, environment

FILES = {
    "bash": (".local/share/bash-completion/completions/devkit",),
    "zsh": (".local/share/devkit/completion.zsh", ".zshrc"),
    "fish": (".config/fish/completions/devkit.fish",),
}


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_is_printed_or_installed_once(name: str, shell: Shell, tmp_path: Path) -> None:
    printed = shell("completion", name)
    assert printed.code == 0 and "_DEVKIT_COMPLETE" in printed.out
    assert shell("completion", name, "--json").json == {"shell": name, "script": printed.out}
    done = shell("completion", name, "--install", "--json")
    assert (done.code, done.json["changed"]) == (0, [str(tmp_path / file) for file in FILES[name]])
    assert (tmp_path / FILES[name][0]).read_text() == printed.out
    again = shell("completion", name, "--install")
    assert (again.code, again.out) == (0, "It is installed already.\n")
    (tmp_path / FILES[name][0]).write_text("an older script\n")
    done = shell("completion", name, "--install")
    assert done.out == f"Wrote {tmp_path / FILES[name][0]}; new shells complete `devkit`.\n"
    assert (tmp_path / FILES[name][0]).read_text() == printed.out


def test_what_is_in_a_shells_own_file_stays_as_it_is(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere"
    file.write_text("alias a=b")
    file.chmod(0o640)
    (tmp_path / ".zshrc").symlink_to(file)
    assert shell("completion", "zsh", "--install").code == 0
    text = file.read_text()
    assert text.startswith(f"alias a=b\n{BEGIN}\n") and text.count(BEGIN) == 1
    assert (tmp_path / ".zshrc").is_symlink() and file.stat().st_mode & 0o777 == 0o640
    file.write_text(text.replace("source", "# source") + "alias c=d\n")
    assert shell("completion", "zsh", "--install", "--json").json["changed"] == [str(file)]
    assert file.read_text() == text + "alias c=d\n"


def test_places_follow_the_environment(shell: Shell, tmp_path: Path) -> None:
    result = shell("completion", "zsh", "--install", "--json", XDG_DATA_HOME=str(tmp_path / "x"), ZDOTDIR=str(tmp_path))
    assert result.json["changed"] == [str(tmp_path / "x" / "devkit" / "completion.zsh"), str(tmp_path / ".zshrc")]
    own = str(tmp_path / "own")
    result = shell("completion", "bash", "--install", "--json", BASH_COMPLETION_USER_DIR=own)
    assert result.json["changed"] == [f"{own}/completions/devkit"]


def test_a_place_that_cannot_be_written_is_one_sentence(shell: Shell) -> None:
    done = shell("completion", "bash", "--install", XDG_DATA_HOME="/proc/nowhere")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: the completion of bash cannot be installed: ")


def completed(home: Path, words: str, folder: Path | None = None) -> list[str]:
    """Ask as the script of zsh does: kind, word and help on three lines each."""
    count = str(len(words.split(" ")) - 1)
    done = devkit(home, folder=folder, _DEVKIT_COMPLETE="zsh_complete", COMP_WORDS=words, COMP_CWORD=count)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()[1::3]


def test_commands_options_and_values_are_completed(tmp_path: Path) -> None:
    assert completed(tmp_path, "devkit ") == list(COMMANDS)
    assert completed(tmp_path, "devkit pub") == ["publish"]
    assert "--version" in completed(tmp_path, "devkit --")
    assert "--template" in completed(tmp_path, "devkit new --t")
    assert completed(tmp_path, "devkit new --template conte") == ["content-source"]
    assert completed(tmp_path, "devkit completion z") == ["zsh"]
    assert completed(tmp_path, "devkit nothing x") == []


def test_what_the_manifest_names_is_completed(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "integration.yaml").write_text(
        "name: shop\nblocks: [{id: hello}, {id: help}, 7]\nconfigurations: {account: {componentId: settings}}\n"
        "envs: {staging: {}, production: {}}\n"  # what is missing here does not matter to a shell
    )

    def proposed(words: str) -> list[str]:
        return completed(tmp_path, words, folder=project)

    assert proposed("devkit render hel") == ["hello", "help"]
    assert proposed("devkit render ") == ["hello", "help", "settings"]
    assert proposed("devkit publish --env ") == ["staging", "production"]
    for command in ("versions", "rollback", "unpublish", "logs", "events", "replay --integration"):
        assert proposed(f"devkit {command} s") == ["shop"], command
    (project / "integration.yaml").write_text("name: [")
    assert proposed("devkit render ") == proposed("devkit logs ") == []
    assert completed(tmp_path, "devkit logs ") == []


def test_folders_are_left_to_the_shell(tmp_path: Path) -> None:
    for command in ("check", "dev", "doctor", "publish", "secrets"):
        done = devkit(tmp_path, _DEVKIT_COMPLETE="bash_complete", COMP_WORDS=f"devkit {command} sh", COMP_CWORD="2")
        assert done.out == "dir,sh\n", command


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_the_script(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "devkit"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m devkit "$@"\n')
    command.chmod(0o755)
    lines = (
        'eval "$(devkit completion bash)"',
        "complete -p devkit",
        "COMP_WORDS=(devkit pub) COMP_CWORD=1",
        "_devkit_completion devkit pub devkit",
        'echo "${COMPREPLY[@]}"',
    )
    path = f"{command.parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(lines)],
        env=environment(tmp_path, PATH=path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stdout.splitlines()[-1] == "publish", done.stderr
