"""Shows what a release changes, and asks where it lets the integration do more."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from devkit.output import Problem, say
from devkit.releasing.differences import Difference


def show(title: str, found: Sequence[Difference]) -> None:
    """Write the differences for people."""
    say("\n".join([title, *(one.line for one in found)]))


def ask(found: Sequence[Difference], yes: bool) -> None:
    """Ask whether what widens is meant; raises Problem where the answer is no, or nobody is there to ask."""
    wider = [one for one in found if one.widens]
    if not wider or yes:
        return
    told = "; ".join(one.what for one in wider)
    if not sys.stdin.isatty():
        raise Problem(f"this release may do more than the one before ({told}); give --yes if that is meant")
    if not click.confirm("It may do more than the one before. Publish it?", default=False):
        raise Problem("nothing was published")
