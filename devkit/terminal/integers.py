"""Whole numbers as parameters of commands."""

from __future__ import annotations

import click


class BoundedInteger(click.IntRange):
    """A whole number within bounds; messages and help call it what people do, where click says `integer range`."""

    name = "integer"
