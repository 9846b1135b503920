"""`devkit init`: a database with an organization and its admin."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
from sqlalchemy.exc import IntegrityError

from devkit.local_host import private_files
from devkit.terminal.output import Problem, answer, json_option
from runtime.contract.organizations import HOSTNAME
from runtime.settings import BadSetting, Settings, read_settings
from runtime.store.database import Database
from runtime.store.database_file import DatabaseLost, refuse_lost
from runtime.store.migrate import NewerDatabase, migrate
from runtime.store.organizations import create_organization
from runtime.store.secrets import KeyMissing, load_keyring, use_keyring


@click.command("init")
@click.option("--data", required=True, type=click.Path(file_okay=False), help="Folder for the database.")
@click.option("--database-url", help="A database elsewhere, for example PostgreSQL.")
@click.option(
    "--organization", "title", default="My organization", show_default=True, help="Title of the organization."
)
@click.option("--hostname", help="What manifests call the organization; from its title if not given.")
@click.option("--email", default="admin@localhost", show_default=True, help="E-mail address of its admin.")
@json_option
def command(data: str, database_url: str | None, title: str, hostname: str | None, email: str, as_json: bool) -> None:
    """Create the database if there is none, an organization, and a token for its admin.

    Example: devkit init --data ./data --organization "My company" --email me@example.com
    """
    if not 2 <= len(title) <= 255:
        raise click.BadParameter("2 to 255 characters", param_hint="--organization")
    if hostname is not None and not re.fullmatch(HOSTNAME, hostname):
        raise click.BadParameter("3 to 32 lower-case letters, digits and hyphens", param_hint="--hostname")
    if "@" not in email or len(email) > 320:
        raise click.BadParameter("an e-mail address", param_hint="--email")
    folder = private_files.folder(Path(data))
    settings = Settings(data=str(folder), database_url=database_url or "")
    private_files.tighten_database(settings.database_address)
    database = Database(settings.database_address)
    before = os.umask(private_files.UMASK)
    try:
        refuse_lost(folder, database.engine)
        migrate(database)
        use_keyring(load_keyring(folder, read_settings().secret_key or None))
        with database.transaction(writes=True) as session:
            founded = create_organization(session, title, email, hostname=hostname)
    except (BadSetting, DatabaseLost, KeyMissing, NewerDatabase) as error:
        raise Problem(str(error)) from error
    except IntegrityError as error:
        raise Problem(f"another organization has the hostname `{hostname}`; choose another one") from error
    finally:
        database.close()
        os.umask(before)
    value = {
        "organization": founded.organization,
        "hostname": founded.hostname,
        "user": founded.user,
        "token": founded.token,
    }
    answer(
        as_json,
        value,
        "\n".join(f"{name:12} {shown}" for name, shown in value.items()),
    )
