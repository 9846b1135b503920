"""Follows an import on a host until it is over, with a bar on a terminal."""

from __future__ import annotations

import sys
import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from devkit.hosts import response_shapes
from devkit.hosts.client import Client

UNDER_WAY = ("pending", "in-progress")
EVERY = 0.3


def follow(client: Client, path: str, begun: dict[str, Any]) -> dict[str, Any]:
    """Look at an import until it is over; gives it as it is then."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    visible = console.is_terminal and sys.stdout.isatty()
    with Progress(*columns, console=console, transient=True, disable=not visible) as progress:
        bar = progress.add_task("waiting", total=None)
        shown = begun
        while shown["status"] in UNDER_WAY:
            time.sleep(EVERY)
            shown = client.call("GET", path, shape=response_shapes.IMPORT)
            total = shown.get("totalResources") or None
            progress.update(
                bar,
                description="waiting" if shown["status"] == "pending" else "importing",
                total=total,
                completed=shown.get("importedResources") or 0,
            )
    return shown
