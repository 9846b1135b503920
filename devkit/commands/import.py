"""`devkit import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from devkit.hosts import choosing, shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.importing.following import follow
from devkit.importing.packing import packed
from devkit.terminal.output import Problem, answer, json_option, warn
from runtime.contract.importing import ImportSource

EXAMPLES = """\b
Examples: devkit import ./docs --space kV2n8sQfJ0bXyT4LrE6w
          devkit import export.zip --source notion --space kV2n8sQfJ0bXyT4LrE6w
          devkit import https://docs.example.com/guide/ --source website --space kV2n8sQfJ0bXyT4LrE6w"""


@click.command("import", epilog=EXAMPLES)
@click.argument("what", metavar="PATH|URL")
@click.option("--space", required=True, metavar="ID", help="The space to import into.")
@click.option("--page", metavar="ID", help="Import below this page.")
@click.option("--change-request", metavar="ID", help="Import into this change request of the space.")
@click.option(
    "--source", type=click.Choice(get_args(ImportSource)), help="Format of the source; default: derived from its name."
)
@choosing.options
@json_option
def command(
    what: str,
    space: str,
    page: str | None,
    change_request: str | None,
    source: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Import a folder, a file or an address into a space, a page or a change request.

    Pages that were imported before keep their ids, so links to them stay valid. Problems are listed at the end.
    """
    to: dict[str, Any] = {"page": page, "changeRequest": change_request}
    path = f"/v1/spaces/{part(space)}"
    if what.startswith(("http://", "https://")):
        client = chosen.client()
        body = {"url": what, "source": source or _source_of(what)}
        begun = client.call(
            "POST",
            f"{path}/imports",
            body | {name: one for name, one in to.items() if one is not None},
            shape=shapes.IMPORT,
        )
    else:
        with packed(Path(what), source) as sent:
            client = chosen.client()
            named = {"source": sent.source, "name": sent.name}
            begun = client.call(
                "POST", f"{path}/content/import/upload", data=sent.content, shape=shapes.IMPORT, **named, **to
            )
    done = follow(client, f"{path}/imports/{part(begun['id'])}", begun)
    if done["status"] != "completed":
        raise Problem(done.get("error") or "the import was cancelled")
    for problem in () if as_json else done.get("problems") or ():
        warn(problem)
    count, total = done.get("importedResources") or 0, done.get("totalResources") or 0
    answer(as_json, {"host": client.host, **done}, f"Imported {count} of {total}: revision {done.get('revision')}.")


def _source_of(url: str) -> str:
    path = url.partition("?")[0].partition("#")[0].lower()
    endings = {".md": "markdown", ".zip": "zip", ".docx": "docx"}
    if "docs.google.com/" in path:
        return "google-docs"
    return next((source for ending, source in endings.items() if path.endswith(ending)), "website")
