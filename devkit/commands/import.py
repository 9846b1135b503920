"""`devkit import`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, get_args

import click

from devkit.hosts import choosing, places, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, part
from devkit.importing import drafts, requests
from devkit.importing.following import follow
from devkit.importing.packing import packed
from devkit.importing.pages import page_named
from devkit.terminal.output import Problem, json_option, print_result, shortened, warn
from runtime.contract.importing import ImportSource

EXAMPLES = """\b
Examples: devkit import ./docs --space Handbook
          devkit import ./docs --space Handbook --merge
          devkit import export.zip --source notion --space kV2n8sQfJ0bXyT4LrE6w
          devkit import https://docs.example.com/guide/ --source website --space kV2n8sQfJ0bXyT4LrE6w"""

MOST_PROBLEMS = 1000
"""Problems of an import that are shown."""


@click.command("import", epilog=EXAMPLES)
@click.argument("what", metavar="PATH|URL")
@click.option("--space", required=True, metavar="SPACE", help="The space to import into: its id, or its title.")
@click.option("--page", metavar="ID|PATH", help="Import below this page, by its id or path such as guides/setup.")
@click.option(
    "--change-request",
    metavar="ID|new",
    help="Import into this change request, or into a new one; default, where the space is locked: that of "
    "the last import of the same from here, or a new one.",
)
@click.option("--merge", is_flag=True, help="Merge the change request at once.")
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
    merge: bool,
    source: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Import a folder, a file or an address into a space, a page or a change request.

    New spaces are locked: their content changes by change requests. What is imported into one goes into a new change
    request, or into that of the last import of the same from here; it is merged with --merge, or on its page. A page
    at the same path as before keeps its id, so links to it stay valid; a moved or renamed file becomes a new page, and
    no page is deleted. Problems are listed at the end.
    """
    if what.startswith(("http://", "https://")):
        choosing.must_be_address(what, "URL")
        client = chosen.client()
        to = _Target(client, places.id_of(client, "space", space), page, change_request, what, source)
        with to:
            body = {"url": what, "source": source or _source_of(what), **to.named}
            done = to.followed(client.call("POST", f"{to.path}/imports", body, shape=response_shapes.IMPORT))
    else:
        with packed(Path(what), source) as sent:
            client = chosen.client()
            there = str(Path(what).resolve())
            to = _Target(client, places.id_of(client, "space", space), page, change_request, there, sent.source)
            with to:
                named: dict[str, Any] = {"source": sent.source, "name": sent.name, **to.named}
                path = f"{to.path}/content/import/upload"
                done = to.followed(client.call("POST", path, data=sent.content, shape=response_shapes.IMPORT, **named))
    problems = [] if as_json else done.get("problems") or []
    for problem in problems[:MOST_PROBLEMS]:
        warn(shortened(problem))
    if len(problems) > MOST_PROBLEMS:
        warn(f"there are {len(problems) - MOST_PROBLEMS:,} more problems, which --json lists")
    count, total = done.get("importedResources") or 0, done.get("totalResources") or 0
    text, value = f"Imported {count} of {total}: revision {done.get('revision')}.", {"host": client.host, **done}
    following = ""
    if to.request is not None:
        at = to.request["urls"]["app"]
        value |= {"changeRequest": to.request["id"], "merged": merge, "url": at}
        if merge:
            value["revision"] = requests.merged(client, to.space, to.request)
            text = f"Imported {count} of {total}, and merged #{to.request['number']}: revision {value['revision']}."
        else:
            why = "It" if change_request is not None else "The space is locked, so it"
            following = f"{why} is in change request #{to.request['number']}: merge it at {at}"
            again = "; importing the same again from here changes this one until it is merged" if to.key else ""
            following += f" (--merge merges at once{again})."
    print_result(as_json, value, text, *filter(None, [following]))


class _Target:
    """Where an import goes. A context manager: a change request made for it is archived if the import fails."""

    def __init__(
        self,
        client: Client,
        space: str,
        page: str | None,
        change_request: str | None,
        what: str,
        source: str | None,
    ) -> None:
        """`what` is an address, or where the file or folder is."""
        self.space, self.path = space, f"/v1/spaces/{part(space)}"
        self._client = client
        self.request: dict[str, Any] | None = None
        wants_one = change_request == requests.NEW
        self.key: str | None = None
        if change_request is None and requests.is_locked(client, space):
            self.key = drafts.key_of(client, space, what, page, source)
            self.request = drafts.remembered(client, space, self.key)
            wants_one = self.request is None
        elif change_request is not None and not wants_one:
            self.request = requests.shown(client, space, change_request)
        self.made = wants_one
        if page is not None:
            at = self.path if self.request is None else requests.path_of(space, self.request["id"])
            page = page_named(client, f"{at}/content", page)
        if wants_one:
            address = what.startswith(("http://", "https://"))
            self.request = requests.opened(client, space, what if address else Path(what).name)
        if self.key is not None and self.request is not None:
            drafts.remember(self.key, self.request["id"])
        where = {"page": page, "changeRequest": self.request["id"] if self.request is not None else None}
        self.named = {name: one for name, one in where.items() if one is not None}

    def followed(self, begun: dict[str, Any]) -> dict[str, Any]:
        """Wait for the end of the import; raises Problem if it failed."""
        done = follow(self._client, f"{self.path}/imports/{part(begun['id'])}", begun)
        if done["status"] != "completed":
            raise Problem(shortened(done.get("error") or "") or "the import was cancelled")
        return done

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, Problem) and self.made and self.request is not None:
            with suppress(Problem):  # the import's own failure is what counts
                requests.given_up(self._client, self.space, self.request["id"])


def _source_of(url: str) -> str:
    path = url.partition("?")[0].partition("#")[0].lower()
    endings = {".md": "markdown", ".zip": "zip", ".docx": "docx"}
    if "docs.google.com/" in path:
        return "google-docs"
    return next((source for ending, source in endings.items() if path.endswith(ending)), "website")
