"""`devkit init`: a database with an organization and its admin."""

from __future__ import annotations

import os
from pathlib import Path

import click

from devkit.local_host import private_files
from devkit.terminal.output import Problem, answer, json_option
from runtime.settings import BadSetting, Settings, read_settings
from runtime.store.database import Database
from runtime.store.migrate import migrate
from runtime.store.organizations import create_organization
from runtime.store.secrets import KeyMissing, load_keyring, use_keyring


@click.command("init")
@click.option("--data", required=True, type=click.Path(file_okay=False), help="Folder for the database.")
@click.option("--database-url", help="A database elsewhere, for example PostgreSQL.")
@click.option(
    "--organization", "title", default="My organization", show_default=True, help="Title of the organization."
)
@click.option("--email", default="admin@localhost", show_default=True, help="E-mail address of its admin.")
@json_option
def command(data: str, database_url: str | None, title: str, email: str, as_json: bool) -> None:
    """Create the database if there is none, an organization, and a token for its admin.

    Example: devkit init --data ./data --organization "My company" --email me@example.com
    """
    if not 2 <= len(title) <= 255:
        raise click.BadParameter("2 to 255 characters", param_hint="--organization")
    if "@" not in email or len(email) > 320:
        raise click.BadParameter("an e-mail address", param_hint="--email")
    folder = private_files.folder(Path(data))
    settings = Settings(data=str(folder), database_url=database_url or "")
    try:
        use_keyring(load_keyring(folder, read_settings().secret_key or None))
    except (BadSetting, KeyMissing) as error:
        raise Problem(str(error)) from error
    private_files.tighten_database(settings.database_address)
    database = Database(settings.database_address)
    before = os.umask(private_files.UMASK)
    try:
        migrate(database)
        with database.transaction(writes=True) as session:
            founded = create_organization(session, title, email)
    finally:
        database.close()
        os.umask(before)
    value = {"organization": founded.organization, "user": founded.user, "token": founded.token}
    answer(
        as_json,
        value,
        f"organization {founded.organization}\nuser         {founded.user}\ntoken        {founded.token}",
    )
