"""The settings of a host as somebody types them.

It imports no database library: the leading process runs as long as the host, and never needs one.
"""

from __future__ import annotations

import re
from typing import Any

from devkit.terminal.output import Mistake
from runtime.settings import BadSetting, Settings, read_settings

DATABASE = re.compile(r"(?:sqlite|postgresql)(?:\+\w+)?://")


def settings_of(data: str | None, database_url: str | None, **more: Any) -> Settings:
    """Read the settings of a host, also of one without a folder; raises Mistake for those that no host could have."""
    try:
        settings = read_settings(data=data, database_url=database_url, **more)
        address = settings.database_address
    except BadSetting as error:
        raise Mistake(str(error)) from error
    if not DATABASE.match(address):  # which is not repeated: it may hold a password
        raise Mistake(
            "the address of the database (--database-url, or DEVKIT_DATABASE_URL) is not one of SQLite or PostgreSQL",
            hint="write one such as postgresql://user@host/name",
        )
    return settings
