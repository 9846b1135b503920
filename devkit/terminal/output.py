"""Everything the user sees."""

from __future__ import annotations

import json
import sys
from typing import Any

import click


class Problem(Exception):
    """Something the person at the keyboard can fix; `sentence` says how, in one line."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.sentence = " ".join(sentence.split())
        self.exit_code = exit_code


def complain(sentence: str) -> None:
    """Write one line on standard error."""
    click.echo(click.style("error: ", fg="red", bold=True) + " ".join(sentence.split()), err=True)


def warn(sentence: str) -> None:
    """Write one line on standard error about something that is odd but no reason to stop."""
    click.echo(click.style("warning: ", fg="yellow", bold=True) + " ".join(sentence.split()), err=True)


def whisper(sentence: str) -> None:
    """Write one faint line on standard error about what goes without saying, for those who wonder."""
    click.echo(click.style(sentence, dim=True), err=True)


def say(text: str = "") -> None:
    """Write a line for people; plain when it is piped."""
    click.echo(text)
    sys.stdout.flush()


def shown_status(status: int) -> str:
    """Write the status of an HTTP answer in its color."""
    return click.style(str(status), fg="green" if status < 400 else "yellow" if status < 500 else "red")


def answer(as_json: bool, value: Any, text: str) -> None:
    """Write a command's result: one JSON document, or text."""
    say(json.dumps(value) if as_json else text)


def json_option(command: Any) -> Any:
    """Add `--json` to a command."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
