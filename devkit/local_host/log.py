"""What the host says of itself, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from dataclasses import fields
from urllib.parse import unquote, urlsplit

from runtime.contract.masking import Masker
from runtime.settings import Settings

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class MaskedFormatter(logging.Formatter):
    """Writes lines and stacks without the secrets of a masker, and without what looks like a credential."""

    def __init__(self, masker: Masker) -> None:
        super().__init__(FORMAT)
        self._masker = masker

    def format(self, record: logging.LogRecord) -> str:
        """Write one record."""
        return self._masker.text(super().format(record))


def secrets_of(settings: Settings) -> Iterator[str]:
    """Yield the settings that are secrets, and the passwords in addresses."""
    yield from (settings.secret_key, settings.author_token, settings.ask_key)
    for entry in fields(settings):
        value = getattr(settings, entry.name)
        if entry.name.endswith("_url") and value:
            try:
                password = urlsplit(value).password
            except ValueError:  # what is no address is refused elsewhere
                continue
            yield from (password or "", unquote(password or ""))


def log_to_errors(settings: Settings) -> None:
    """Send what the host says to standard error; the secrets among its settings never show."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskedFormatter(Masker(tuple(secrets_of(settings)))))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("alembic").setLevel(logging.WARNING)
