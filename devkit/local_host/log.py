"""What the host says of itself, without secrets."""

from __future__ import annotations

import logging
import sys
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


def log_to_errors(settings: Settings) -> None:
    """Send what the host says to standard error; the secrets among its settings never show."""
    password = unquote(urlsplit(settings.database_url).password or "")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskedFormatter(Masker((settings.secret_key, settings.author_token, password))))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("alembic").setLevel(logging.WARNING)
