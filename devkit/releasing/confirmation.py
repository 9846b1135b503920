"""Shows what a command changes, and asks where a release may do more, or something is lost."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from devkit.releasing.differences import Difference
from devkit.terminal.output import Problem, confirm, one_line, say


def show(title: str, changes: Sequence[Difference]) -> None:
    """Write the differences for people."""
    say("\n".join([one_line(title), *(change.line for change in changes)]))


def ask(changes: Sequence[Difference], yes: bool, *, refused: str, removing: str = "") -> None:
    """Ask whether what widens or removes is meant; raises Problem where it is not, or nobody is there to ask.

    `refused` says what did not happen then; `removing` is a hint for who did not mean to remove anything.
    """
    wider = [change.what for change in changes if change.widens]
    removed = [change.what for change in changes if change.removes]
    if yes or not (wider or removed):
        return
    does = [
        *([f"gets more access than the version that runs now ({'; '.join(wider)})"] if wider else []),
        *([f"removes what documents may use ({'; '.join(removed)})"] if removed else []),
    ]
    hint = removing if removed else ""
    sentence = f"this release {' and '.join(does)}"
    if not sys.stdin.isatty():
        raise Problem(sentence, hint=f"give --yes to confirm; {hint}" if hint else "give --yes to confirm")
    if not confirm(f"{sentence[0].upper()}{sentence[1:]}. Go on?", default=False):
        raise Problem(refused, hint=hint)


def ask_to_lose(what: str, yes: bool) -> None:
    """Ask whether something that cannot be brought back may go; raises Problem for a no, or where nobody can say."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Problem(what, hint="Give --yes to confirm")
    if not confirm(f"{what} Go on?", default=False):
        raise Problem("nothing was removed")
