"""Everything the user sees."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click

# We write only colors, bold and dim. All other control characters, and those that reorder text, come from elsewhere:
# titles, messages and logs of a host, names of files, addresses.
_CONTROLS = re.compile(
    r"(\x1b\[(?:0|1|2|22|3[0-79]|9[0-7])m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class Problem(Exception):
    """Something the person at the keyboard can fix; `sentence` says how, in one line."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.sentence = " ".join(sentence.split())
        self.exit_code = exit_code


def escape_controls(text: str) -> str:
    """Make control characters visible, except for colors: a title must not clear the screen, or type for the reader."""
    return _CONTROLS.sub(lambda found: found[1] or f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Put text from elsewhere on one line: a title with line breaks must not look like lines of the command."""
    return " ".join(text.splitlines())


def complain(sentence: str) -> None:
    """Write one line on standard error."""
    click.echo(click.style("error: ", fg="red", bold=True) + escape_controls(" ".join(sentence.split())), err=True)


def warn(sentence: str) -> None:
    """Write one line on standard error about something that is odd but no reason to stop."""
    click.echo(click.style("warning: ", fg="yellow", bold=True) + escape_controls(" ".join(sentence.split())), err=True)


def note(text: str) -> None:
    """Write lines on standard error that accompany the result, such as what a script logged."""
    click.echo(escape_controls(text), err=True)


def whisper(sentence: str) -> None:
    """Write one faint line on standard error about what runs without saying, for those who wonder."""
    click.echo(click.style(escape_controls(sentence), dim=True), err=True)


def say(text: str = "") -> None:
    """Write a line for people; plain when it is piped."""
    click.echo(escape_controls(text))
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
