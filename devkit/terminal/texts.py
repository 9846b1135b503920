"""Texts as parameters of commands."""

from __future__ import annotations

from typing import Any

import click


class NotEmpty(click.ParamType[str]):
    """A text that is not blank, as that of an unset variable of a shell would be."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text."""
        if not str(value).strip():
            self.fail("it is empty", param, ctx)
        return str(value)


TITLE = NotEmpty()
