"""`devkit completion`: shell completion of commands and options."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from devkit.terminal.output import Problem, json_option, print_result

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DEVKIT_COMPLETE"
"""The variable by which the script asks for words; the group looks at it before anything else."""
BEGIN, END = "# begin of devkit's completion", "# end of devkit's completion"
BLOCK = re.compile(rf"^{re.escape(BEGIN)}\n.*?^{re.escape(END)}\n", re.MULTILINE | re.DOTALL)


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Install it where the shell finds it, instead of printing it.")
@json_option
def command(shell: str, install: bool, as_json: bool) -> None:
    """Print the script that lets SHELL complete commands and options.

    Example: devkit completion bash --install
    """
    script = source(shell)
    if not install:
        print_result(as_json, {"shell": shell, "script": script}, *script.rstrip("\n").split("\n"))
        return
    try:
        changed = [path for path in places(shell, script) if path is not None]
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"the completion of {shell} cannot be installed: {error}") from error
    files = [str(path) for path in changed]
    text = f"Wrote {' and '.join(files)}; new shells complete `devkit`." if files else "It is installed already."
    print_result(as_json, {"shell": shell, "changed": files}, text)


def source(shell: str) -> str:
    """Return the script of a shell."""
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # each of SHELLS has one
    # Which commands there are is asked when it is used, not now.
    return completion_class(click.Group("devkit"), {}, "devkit", VARIABLE).source().strip() + "\n"


def places(shell: str, script: str) -> list[Path | None]:
    """Write the files of a shell; each that had to be changed, and None for each that did not."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    if shell == "fish":
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return [written(config / "fish" / "completions" / "devkit.fish", script)]
    if shell == "bash":
        own = os.environ.get("BASH_COMPLETION_USER_DIR")
        return [written((Path(own) if own else data / "bash-completion") / "completions" / "devkit", script)]
    file = data / "devkit" / "completion.zsh"
    # No folder of the user's is looked at by zsh unless its own file says so.
    start = Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
    return [written(file, script), written(start, with_block(start, file))]


def with_block(start: Path, file: Path) -> str:
    """Return the text of a shell's own file with one block of ours in it, which loads the script."""
    text = start.read_text(encoding="utf-8") if start.is_file() else ""
    load = f"(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}\nsource {shlex.quote(str(file))}"
    block = f"{BEGIN}\n{load}\n{END}\n"
    if BLOCK.search(text):
        return BLOCK.sub(lambda _: block, text, count=1)
    return text + ("\n" if text and not text.endswith("\n") else "") + block


def written(file: Path, text: str) -> Path | None:
    """Write a file as a whole, unless it holds the text already; gives it when it was changed."""
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return None
    file = file.resolve()  # a link, as people have who keep such files elsewhere, stays one
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        if file.exists():
            fresh.chmod(file.stat().st_mode & 0o777)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
    return file
