"""Everything the user sees: lines for people, JSON for programs."""

from __future__ import annotations

import json
import re
import secrets
import sys
from collections.abc import Mapping
from typing import Any

import click

_OWN = secrets.token_hex(8)
"""Known to this process alone: with it, `styled` marks colors that text from elsewhere cannot have."""
LONGEST = 1000
"""Characters of a sentence from elsewhere that are shown."""
_SGR, _OWN_STYLE = re.compile(r"\x1b(\[[0-9]+m)"), re.compile(rf"\x1b{_OWN}\[[0-9]+m")
_CONTROLS = re.compile(
    rf"\x1b{_OWN}(\[[0-9]+m)|\x1b\[[0-9;:]*m|"
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Our colors, those of others, and other control characters with those that reorder text. They come from elsewhere:
titles, messages and logs of a host, names of files, addresses."""


class Problem(Exception):
    """Something the person at the keyboard can fix; `sentence` says how, in one line.

    `message` says what happened, and `hint` what to do, where the two are told apart. `more` is for programs that read
    the error as JSON.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", **more: Any) -> None:
        self.message, self.hint = as_sentence(message), as_sentence(hint)
        self.sentence = self.message
        if self.hint:
            self.sentence += (" " if self.message.endswith((".", "?", "!", "?)")) else "; ") + self.hint
        super().__init__(self.sentence)
        self.more = more

    def as_json(self) -> dict[str, Any]:
        """Return the error as programs read it: `message`, and where they are known `hint`, `status`, `findings`."""
        return {"message": self.message, **({"hint": self.hint} if self.hint else {}), **self.more}


class Mistake(Problem):
    """Something typed that cannot be right, whatever a host would say of it; it ends as what click refuses does."""

    exit_code = 2


def styled(text: str, **how: Any) -> str:
    """Color a text, as `click.style` does; the colors come to light when it is written."""
    return _SGR.sub(f"\x1b{_OWN}\\1", click.style("\n", **how)).replace("\n", text)


def without_style(text: str) -> str:
    """Take the colors out again, for programs."""
    return _OWN_STYLE.sub("", text)


def escape_controls(text: str) -> str:
    """Make control characters visible and drop the colors of others: a title must not look like an error of ours."""
    return _CONTROLS.sub(_shown_control, text.replace("\r\n", "\n"))


def _shown_control(found: re.Match[str]) -> str:
    if found[1]:
        return f"\x1b{found[1]}"
    return f"\\u{ord(found[0]):04x}" if len(found[0]) == 1 else ""


def one_line(text: str) -> str:
    """Put text from elsewhere on one line: a title with line breaks must not look like lines of the command."""
    return " ".join(text.splitlines())


def shortened(text: str, most: int = LONGEST) -> str:
    """Cut a text from elsewhere that is longer than anybody reads in one sentence."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most:,} more characters)"


def indented(text: str, by: str = "  ") -> list[str]:
    """Return the lines of a text from elsewhere so that none of them looks like one of the command."""
    return [f"{by}{line}".rstrip() for line in text.splitlines()]


def as_sentence(text: str) -> str:
    """Put a sentence on one line, without the indentation it was written with."""
    return " ".join(text.split())


def speak_json(wanted: bool) -> None:
    """Choose how standard error is written from now on: lines of JSON for programs, or lines for people."""
    global _in_json
    _in_json = wanted


_in_json = False


def print_error(sentence: str, told: Mapping[str, Any] | None = None) -> None:
    """Write one line on standard error: the sentence, or `{"error": told}` for programs."""
    mark = styled("error: ", fg="red", bold=True)
    _aside("error", mark + as_sentence(sentence), told or {"message": as_sentence(sentence)})


def report(problem: Problem) -> None:
    """Write what went wrong as one line on standard error."""
    print_error(problem.sentence, problem.as_json())


def warn(sentence: str) -> None:
    """Write one line on standard error about something that is odd but no reason to stop."""
    mark = styled("warning: ", fg="yellow", bold=True)
    _aside("warning", mark + as_sentence(sentence), {"message": as_sentence(sentence)})


def note(text: str) -> None:
    """Write lines on standard error that accompany the result, such as what a script logged."""
    _aside("note", text, {"message": without_style(text)})


def print_dim(sentence: str) -> None:
    """Write one faint line on standard error about what runs without saying, for those who wonder."""
    _aside("note", styled(sentence, dim=True), {"message": sentence})


def _aside(kind: str, text: str, told: Mapping[str, Any]) -> None:
    # JSON escapes what is not ASCII, so control characters of others stay harmless in it.
    click.echo(json.dumps({kind: told}) if _in_json else escape_controls(text), err=True)


def say(text: str = "") -> None:
    """Write a line for people; plain when it is piped."""
    click.echo(escape_controls(text))
    sys.stdout.flush()


def confirm(question: str, *, default: bool, err: bool = False) -> bool:
    """Ask a question that yes or no answers, on standard error if `err`."""
    return click.confirm(escape_controls(as_sentence(question)), default=default, err=err)


def shown_status(status: int) -> str:
    """Write the status of an HTTP answer in its color."""
    return styled(str(status), fg="green" if status < 400 else "yellow" if status < 500 else "red")


def print_result(as_json: bool, value: Any, *lines: str) -> None:
    """Write a command's result: one JSON document, or lines, none of which becomes several by what is in it."""
    say(json.dumps(value) if as_json else "\n".join(map(one_line, lines)))


def json_option(command: Any) -> Any:
    """Add `--json` to a command."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
