"""`devkit export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from devkit.exporting.downloading import Folder, files_of
from devkit.hosts import choosing, places, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.terminal.output import escape_controls, json_option, print_result
from devkit.terminal.wording import counted

EXAMPLES = """\b
Examples: devkit export --space Handbook ./docs
          devkit export --space kV2n8sQfJ0bXyT4LrE6w ./docs --force"""


@click.command("export", epilog=EXAMPLES)
@click.option("--space", required=True, metavar="SPACE", help="The space: its id, or its title.")
@click.argument("path", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Write into a folder that is not empty; other files in it stay.")
@choosing.options
@json_option
def command(space: str, path: Path, force: bool, chosen: Choice, as_json: bool) -> None:
    """Write a space into a folder of Markdown files, with SUMMARY.md, images and all other files.

    The export is a snapshot of the space at the start. A `.gitbook.yaml` in the folder decides where in it the
    files go.
    """
    client = chosen.client()
    space = places.id_of(client, "space", space)
    revision = str(client.call("GET", f"/v1/spaces/{part(space)}", shape=response_shapes.SPACE)["revision"])
    folder = Folder(path, force=force)
    console = Console(stderr=True)
    hidden = as_json or not (console.is_terminal and sys.stdout.isatty())
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    looked_at = written = size = 0
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task("Files", total=None)
        for file, count in files_of(client, space, revision, folder):
            looked_at += 1
            if folder.write(file, client.distance):
                written, size = written + 1, size + int(file["size"])
            progress.update(
                task, completed=looked_at, total=count, description=escape_controls(str(file["path"]))[-40:]
            )
    value: dict[str, Any] = {
        "host": client.host,
        "space": space,
        "revision": revision,
        "path": str(path),
        "files": written,
        "bytes": size,
    }
    files = counted(written, "file", "files")
    print_result(as_json, value, f"Wrote {files} into {path}: the content of revision {revision}.")
