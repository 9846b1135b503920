"""Types of events as arguments and options of commands."""

from __future__ import annotations

from typing import Any

import click

from runtime.contract import event_examples
from runtime.contract.event_descriptions import ENDINGS, word

KINDS = list(event_examples.EVENTS)
LISTED = "`devkit trigger --help` lists them"
STATUSES = {word(ending).replace(" ", "-"): ending for ending in ENDINGS}
"""How events ended, as an option takes it: as lists show it, in one word."""


def unknown(kind: str) -> str:
    """Say that there is no such type of event, with the one that was probably meant."""
    from devkit.terminal.wording import nearest

    close = nearest(kind, KINDS)
    return f"there is no event `{kind}`; " + (f"did you mean `{close}`?" if close else LISTED)


class EventType(click.Choice[str]):
    """One of the types of events; for a misspelled one the error names the one that was probably meant."""

    def __init__(self) -> None:
        super().__init__(KINDS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value) if value in KINDS else self.fail(unknown(str(value)), param, ctx)


class EventStatus(click.Choice[str]):
    """One of the ways in which events ended, as lists show it or as JSON has it; gives the name that the API knows."""

    def __init__(self) -> None:
        super().__init__(list(STATUSES))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in ENDINGS:
            return str(value)
        return STATUSES[super().convert(str(value).replace(" ", "-"), param, ctx)]
