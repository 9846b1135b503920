"""`devkit reindex`: rebuild the search index."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import click

from devkit.hosts import places
from devkit.local_host.data_folder import problems_told
from devkit.local_host.host_settings import settings_of
from devkit.terminal.output import Mistake, Problem, json_option, print_result
from devkit.terminal.wording import counted
from runtime.services.search_indexing import Indexer
from runtime.store.database import Database
from runtime.store.migrate import migrate
from runtime.store.search_index import writing


@click.command("reindex")
@click.option("--data", type=click.Path(file_okay=False, exists=True), help="Folder with the database.")
@click.option("--database-url", help="A database elsewhere, for example PostgreSQL.")
@click.option(
    "--space",
    "named",
    multiple=True,
    metavar="SPACE",
    help="Only this space: its id, title or address; may be repeated. Default: all spaces.",
)
@json_option
def command(data: str | None, database_url: str | None, named: tuple[str, ...], as_json: bool) -> None:
    """Rebuild the search index from the current content of the spaces; a host may keep running.

    Example: devkit reindex --data ./data
    """
    if not data and not database_url:
        raise Mistake("which host?", hint="Give `--data DIR`, or `--database-url URL`")
    address = settings_of(data, database_url).database_address
    if data is not None and not database_url and not (Path(data) / "host.sqlite").exists():
        raise Problem(f"{data} has no database", hint=f"`devkit init --data {data}` creates one")
    with problems_told(str(data), "choose a folder that you can write to"), closing(Database(address)) as database:
        migrate(database)
        with database.transaction(writes=True) as session:
            titles = writing.titles(session) if named else {}
            chosen = [_id_of(one, titles) for one in named] or None
            writing.make_anew(session, chosen)
        Indexer(database).work()
        with database.transaction(writes=False) as session:
            made, pages, left = writing.progress(session, chosen)
    if left:
        raise Problem(f"{left} spaces could not be indexed yet; the messages above say why. A running host tries again")
    print_result(
        as_json,
        {"spaces": made, "pages": pages},
        f"indexed {counted(pages, 'page', 'pages')} of {counted(made, 'space', 'spaces')}",
    )


def _id_of(named: str, titles: Mapping[str, str]) -> str:
    """Return the id of a space of this database; raises Problem."""
    known = places.id_in("space", named)
    return known if known is not None and known in titles else places.chosen("space", named, titles, "in this database")
