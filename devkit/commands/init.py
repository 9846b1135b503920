"""`devkit init`: a database with an organization and its admin."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import click
from sqlalchemy.exc import IntegrityError

from devkit.files import private_files
from devkit.local_host.data_folder import keep_out_of_git, problems_told
from devkit.local_host.host_settings import settings_of
from devkit.terminal.output import Problem, json_option, print_result, warn
from runtime.contract.organizations import HOSTNAME
from runtime.store.database import Database
from runtime.store.database_file import refuse_lost
from runtime.store.migrate import migrate
from runtime.store.organizations import create_organization, titles
from runtime.store.secrets import load_keyring, use_keyring

SHOWN = 5
"""Organizations that are named when a host has others already."""


@click.command("init")
@click.option("--data", required=True, type=click.Path(file_okay=False), help="Folder for the database.")
@click.option("--database-url", help="A database elsewhere, for example PostgreSQL.")
@click.option(
    "--organization", "title", default="My organization", show_default=True, help="Title of the organization."
)
@click.option("--hostname", help="Name of the organization in manifests; default: derived from its title.")
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
    settings = settings_of(data, database_url)
    with problems_told(data, "choose another folder"):
        folder = private_files.folder(Path(data))
        keep_out_of_git(folder)
        private_files.tighten_database(settings.database_address)
        with closing(Database(settings.database_address)) as database:
            refuse_lost(folder, database.engine)
            migrate(database)
            use_keyring(load_keyring(folder, settings.secret_key or None))
            try:
                with database.transaction(writes=True) as session:
                    founded = create_organization(session, title, email, hostname=hostname)
                    others = titles(session, besides=founded.organization, most=SHOWN + 1)
            except IntegrityError as error:
                raise Problem(
                    f"another organization has the hostname `{hostname}`", hint="choose another one"
                ) from error
    for told in what_is_there(data, title, email, founded.is_new, others):
        warn(told)
    value = {
        "organization": founded.organization,
        "hostname": founded.hostname,
        "user": founded.user,
        "token": founded.token,
    }
    print_result(
        as_json,
        value,
        *(f"{name:12} {shown}" for name, shown in value.items()),
    )


def what_is_there(data: str, title: str, email: str, is_new: bool, others: list[str]) -> list[str]:
    """Report existing data: the organization, which only got a new token, or others besides a new one."""
    if not is_new:
        return [f"{data} already has the organization `{title}` with the admin {email}; created another token"]
    if not others:
        return []
    shown = ", ".join(f"`{other}`" for other in others[:SHOWN]) + (" and more" if len(others) > SHOWN else "")
    return [f"{data} is already a host, with {shown}; `{title}` was added to it as a new organization"]
