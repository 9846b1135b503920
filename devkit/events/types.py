"""Types of events as arguments and options of commands."""

from __future__ import annotations

from typing import Any

import click

from runtime.contract import event_examples

KINDS = list(event_examples.EVENTS)


class EventType(click.Choice[str]):
    """One of the types of events; for a misspelled one the error names the one that was probably meant."""

    def __init__(self) -> None:
        super().__init__(KINDS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in KINDS:
            return str(value)
        from devkit.checking.wording import nearest

        close = nearest(str(value), KINDS)
        cure = f"did you mean `{close}`?" if close else "`devkit trigger --help` lists them"
        return self.fail(f"there is no event `{value}`; {cure}", param, ctx)
