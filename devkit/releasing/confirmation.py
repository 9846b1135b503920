"""Shows what a command changes, and asks where a release may do more, or something is lost."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from devkit.releasing.differences import Difference
from devkit.terminal.output import Problem, confirm, say


def show(title: str, changes: Sequence[Difference]) -> None:
    """Write the differences for people."""
    say("\n".join([title, *(change.line for change in changes)]))


def ask(changes: Sequence[Difference], yes: bool) -> None:
    """Ask whether what widens is meant; raises Problem where the answer is no, or nobody is there to ask."""
    wider = [change for change in changes if change.widens]
    if not wider or yes:
        return
    listed = "; ".join(change.what for change in wider)
    if not sys.stdin.isatty():
        raise Problem(f"this release gets more access than the previous one ({listed})", hint="give --yes to confirm")
    if not confirm("It gets more access than the previous version. Publish it?", default=False):
        raise Problem("nothing was published")


def ask_to_lose(what: str, yes: bool) -> None:
    """Ask whether something that cannot be brought back may go; raises Problem for a no, or where nobody can say."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Problem(what, hint="Give --yes to confirm")
    if not confirm(f"{what} Go on?", default=False):
        raise Problem("nothing was removed")
